"""Validates values against JSON Schemas; runs as a program of its own.

    python validate_values_child.py INPUT

INPUT is a JSON file `{"definitions": {name: {…}}, "cases": [[name, schema, value]]}`; the name
picks the table of definitions that `#/$defs/…` leads into. Prints a JSON list with one entry
for each case: a list of violations `{path, keyword, expected, actual}`, or null where the
schema cannot be applied. A contract may hold patterns that take forever: whoever starts this
limits its time. Nothing is opened or fetched. Imports nothing of contract-scan, so that it can
be started by its path.
"""

from __future__ import annotations

import contextlib
import json
import re
import sys
from pathlib import Path
from typing import Any

_MAX_VIOLATIONS = 50
_LONGEST = 80
_MEMORY = 1_000_000_000
_DATE_TIME = re.compile(
    r"\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])[Tt ]"
    r"([01]\d|2[0-3]):[0-5]\d:([0-5]\d|60)(\.\d+)?([Zz]|[+-]([01]\d|2[0-3]):?[0-5]\d)"
)
_JSON_TYPES = (
    (bool, "boolean"),
    (int, "integer"),
    (float, "number"),
    (str, "string"),
    (list, "array"),
    (dict, "object"),
)
_BOUNDS = {
    "minimum": "at least {}",
    "maximum": "at most {}",
    "exclusiveMinimum": "more than {}",
    "exclusiveMaximum": "less than {}",
    "multipleOf": "a multiple of {}",
    "minLength": "at least {} characters",
    "maxLength": "at most {} characters",
    "minItems": "at least {} items",
    "maxItems": "at most {} items",
    "minProperties": "at least {} properties",
    "maxProperties": "at most {} properties",
    "pattern": "text that matches {}",
    "format": "text of the format {}",
}
_COUNTED = ("minLength", "maxLength", "minItems", "maxItems", "minProperties", "maxProperties")


def main(path: str) -> None:
    """Validate the cases of the file at `path`."""
    _limit_memory()
    given = json.loads(Path(path).read_text(encoding="utf-8"))
    print(json.dumps([_check_case(case, given["definitions"]) for case in given["cases"]]))


def _limit_memory() -> None:
    try:
        import resource
    except ImportError:  # not on every system
        return
    with contextlib.suppress(ValueError, OSError):
        resource.setrlimit(resource.RLIMIT_AS, (_MEMORY, _MEMORY))


def _check_case(case: list[Any], definitions: dict[str, Any]) -> list[dict[str, Any]] | None:
    from jsonschema import Draft202012Validator
    from jsonschema.exceptions import SchemaError, UndefinedTypeCheck, UnknownType
    from referencing import Registry
    from referencing.exceptions import Unresolvable

    name, schema, value = case
    if schema is not False and schema is not True:
        schema = {**schema, "$defs": definitions.get(name, {})}
    found: list[dict[str, Any]] = []
    try:
        validator = Draft202012Validator(
            schema, registry=Registry(), format_checker=_format_checker()
        )
        for error in validator.iter_errors(value):
            found.extend(_violations(error))
            if len(found) >= _MAX_VIOLATIONS:
                break
    except (
        SchemaError,
        UndefinedTypeCheck,
        UnknownType,
        Unresolvable,
        re.error,
        RecursionError,
        TypeError,
        ValueError,
        AttributeError,
    ):
        return None
    return sorted(found, key=lambda one: (one["path"], one["keyword"], one["expected"]))


def _format_checker() -> Any:
    from jsonschema import FormatChecker

    checker = FormatChecker(formats=("date", "uuid", "email", "ipv4", "ipv6"))
    checker.checkers = {
        **checker.checkers,
        "date-time": (lambda one: not isinstance(one, str) or bool(_DATE_TIME.fullmatch(one)), ()),
    }
    return checker


def _violations(error: Any) -> Any:
    """What is wrong, as far down as one can tell which alternative was meant."""
    if error.context:
        by_option: dict[Any, list[Any]] = {}
        for one in error.context:
            by_option.setdefault(one.schema_path[0], []).append(one)
        sized = [(errors, _types_fit(errors)) for errors in by_option.values()]
        fitting = [errors for errors, fits in sized if fits]
        if len(fitting) == 1:
            for one in fitting[0]:
                yield from _violations(one)
            return
    yield from _describe_error(error)


def _types_fit(errors: list[Any]) -> bool:
    """Whether an alternative is of the kind that the value is: only something within is wrong."""
    return not any(
        one.validator in ("type", "const", "enum") and not one.relative_path for one in errors
    )


def _describe_error(error: Any) -> Any:
    path = _path(error.absolute_path)
    keyword, wanted, value = error.validator, error.validator_value, error.instance
    if keyword == "required":
        for name in wanted:
            if name not in value:
                yield _violation(_child_path(path, name), keyword, "present", "missing")
                return
    if keyword in ("additionalProperties", "unevaluatedProperties") and isinstance(value, dict):
        known = error.schema.get("properties", {})
        patterns = error.schema.get("patternProperties", {})
        for name in sorted(value):
            if name not in known and not any(re.search(one, name) for one in patterns):
                yield _violation(
                    _child_path(path, name), keyword, "absent", _value_text(value[name])
                )
        return
    if keyword == "type":
        kinds = wanted if isinstance(wanted, list) else [wanted]
        yield _violation(path, keyword, " or ".join(map(str, kinds)), _value_text(value))
    elif keyword == "enum":
        yield _violation(
            path, keyword, "one of " + ", ".join(map(_text, wanted)), _value_text(value)
        )
    elif keyword == "const":
        yield _violation(path, keyword, _text(wanted), _value_text(value))
    elif keyword in _BOUNDS:
        actual = str(len(value)) if keyword in _COUNTED else _value_text(value)
        yield _violation(path, keyword, _BOUNDS[keyword].format(_text(wanted)), actual)
    elif keyword in ("oneOf", "anyOf"):
        count = len(wanted)
        some = "exactly one" if keyword == "oneOf" else "one"
        yield _violation(path, keyword, f"{some} of {count} alternatives", _value_text(value))
    elif keyword == "uniqueItems":
        yield _violation(path, keyword, "items that differ", "items that are equal")
    elif keyword is None:
        yield _violation(path, "false", "absent", _value_text(value))
    else:
        yield _violation(path, str(keyword), f"what `{keyword}` says", _value_text(value))


def _violation(path: str, keyword: str, expected: str, actual: str) -> dict[str, Any]:
    return {"path": path, "keyword": keyword, "expected": expected, "actual": actual}


def _path(steps: Any) -> str:
    path = ""
    for step in steps:
        path = f"{path}[{step}]" if isinstance(step, int) else _child_path(path, str(step))
    return path


def _child_path(path: str, name: str) -> str:
    return f"{path}.{name}" if path else name


def _value_text(value: Any) -> str:
    if value is None:
        return "null"
    kind = next((name for cls, name in _JSON_TYPES if isinstance(value, cls)), "value")
    return kind if kind in ("array", "object") else f"{kind} {_text(value)}"


def _text(value: Any) -> str:
    text = json.dumps(value)
    return text if len(text) <= _LONGEST else text[: _LONGEST - 1] + "…"


if __name__ == "__main__":
    main(sys.argv[1])
