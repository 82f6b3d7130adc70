"""Validates one document with the specification's own schema; runs as a program of its own.

    python validate_child.py INPUT

INPUT is a JSON file `{"kind", "version", "base", "files": {address: document}}`. Prints a JSON list
of `[pointer, message]`. References are answered from `files` only: nothing is opened or fetched.
Imports nothing of contract-scan, so that it can be started by its path.
"""

from __future__ import annotations

import contextlib
import itertools
import json
import sys
from pathlib import Path
from typing import Any

_MAX_ERRORS = 200
_LONGEST_MESSAGE = 300
_MEMORY = 2_000_000_000


def main(path: str) -> None:
    """Validate the document described in the file at `path`."""
    _limit_memory()
    given = json.loads(Path(path).read_text(encoding="utf-8"))
    with contextlib.redirect_stdout(sys.stderr):
        errors = list(_errors(given))
    print(json.dumps(errors))


def _limit_memory() -> None:
    try:
        import resource
    except ImportError:  # not on every system
        return
    with contextlib.suppress(ValueError, OSError):
        resource.setrlimit(resource.RLIMIT_AS, (_MEMORY, _MEMORY))


def _errors(given: dict[str, Any]) -> Any:
    from referencing.exceptions import Unresolvable

    try:
        for error in itertools.islice(_all_errors(given), _MAX_ERRORS):
            deepest = _cause(error)
            pointer = "".join(
                "/" + str(step).replace("~", "~0").replace("/", "~1")
                for step in deepest.absolute_path
            )
            yield pointer, str(deepest.message)[:_LONGEST_MESSAGE]
    except Unresolvable as error:
        shown = str(error.ref)[:_LONGEST_MESSAGE]
        yield "", f"$ref {shown!r} cannot be followed, so not everything was validated"


def _cause(error: Any) -> Any:
    """What is wrong in the alternative that was most likely meant: not that it is no `$ref`."""
    while error.context:
        meant = [one for one in error.context if "'$ref' is a required" not in one.message]
        error = max(meant or error.context, key=lambda one: len(one.absolute_path))
    return error


def _all_errors(given: dict[str, Any]) -> Any:
    document = given["files"][given["base"]]
    if given["kind"] == "json-schema":
        from jsonschema.validators import Draft202012Validator, validator_for

        schema_class = validator_for(document, default=Draft202012Validator)
        return schema_class(schema_class.META_SCHEMA).iter_errors(document)
    from jsonschema_path.paths import SchemaPath
    from openapi_spec_validator.validation import validators

    def answer(address: str) -> Any:
        if address not in given["files"]:
            raise LookupError("the reference is not followed")
        return given["files"][address]

    handlers = dict.fromkeys(("", "http", "https", "file", "<all_urls>"), answer)
    place = SchemaPath.from_dict(document, base_uri=given["base"], handlers=handlers)
    by_version = {
        "2.0": validators.OpenAPIV2SpecValidator,
        "3.0": validators.OpenAPIV30SpecValidator,
        "3.1": validators.OpenAPIV31SpecValidator,
    }
    newest = getattr(validators, "OpenAPIV32SpecValidator", validators.OpenAPIV31SpecValidator)
    validator = by_version.get(given["version"][:3], newest)(place, base_uri=given["base"])
    return validator.iter_errors()


if __name__ == "__main__":
    main(sys.argv[1])
