"""Values that a schema allows, and values that it probably forbids.

Both are proposals: `plan` keeps those that a validator agrees with, so what is written here need
not know every keyword.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator, Mapping
from re import _parser as pattern_parser  # type: ignore[attr-defined]
from typing import Any

UNIQUE = "{unique}"
"""Replaced when a test runs by text that differs each time."""

_DEEPEST = 6
_DEEPEST_CHANGE = 4
_FORMATS = {
    "date": "2024-02-29",
    "date-time": "2024-02-29T12:30:00Z",
    "uuid": "3f2504e0-4f89-41d3-9a0c-0305e82c3301",
    "email": "someone@example.com",
    "ipv4": "192.0.2.1",
    "ipv6": "2001:db8::1",
}
_WRONG = {
    "string": {"unexpected": True},
    "integer": "not-a-number",
    "number": "not-a-number",
    "boolean": "not-a-boolean",
    "array": "not-an-array",
    "object": "not-an-object",
    "null": "not-null",
}
_ROOM_FOR_UNIQUE = 40
"""Characters that a text may have at least, so that something unique fits into it."""

Definitions = Mapping[str, Any]


def valid_value(
    schema: Any, definitions: Definitions, *, whole: bool, unique: bool = False, depth: int = 0
) -> Any:
    """A value that a schema allows. `whole`: with every property, else only the required ones.
    `unique`: texts that nothing limits differ each time a test runs."""
    if not isinstance(schema, dict):
        return "value"
    schema = merge_schema(schema, definitions)
    if "const" in schema:
        return schema["const"]
    if schema.get("enum"):
        return next((one for one in schema["enum"] if one is not None), None)
    kind = kind_of(schema)
    if kind == "object":
        return _object(schema, definitions, whole=whole, unique=unique, depth=depth)
    if kind == "array":
        return _array(schema, definitions, whole=whole, unique=unique, depth=depth)
    if kind in ("integer", "number"):
        return _number(schema, kind)
    if kind == "boolean":
        return True
    return None if kind == "null" else _text(schema, unique=unique)


def variants(value: Any, schema: Any, definitions: Definitions) -> Iterator[tuple[str, Any]]:
    """What a valid value becomes when one thing in it is spoilt, each with a name for it."""
    for words, spoilt in _variants(value, schema, definitions, 0):
        yield "_".join(words), spoilt


def merge_schema(schema: dict[str, Any], definitions: Definitions) -> dict[str, Any]:
    """A schema with its reference followed, its `allOf` taken in, and its first alternative."""
    parts: list[dict[str, Any]] = []
    _collect(schema, definitions, parts, 0)
    result: dict[str, Any] = {}
    for part in parts:
        for word, given in part.items():
            if word == "properties":
                result[word] = {**result.get(word, {}), **given}
            elif word == "required":
                result[word] = [*dict.fromkeys([*result.get(word, []), *given])]
            elif word == "type" and word in result:
                result[word] = given if not isinstance(given, list) else result[word]
            else:
                result[word] = given
    return result


def kind_of(schema: Mapping[str, Any]) -> str:
    """The type of a merged schema, also where only its keywords say so."""
    kind = schema.get("type")
    if isinstance(kind, list):
        kind = next((one for one in kind if one != "null"), "null")
    if isinstance(kind, str):
        return kind
    if "properties" in schema or "required" in schema or "additionalProperties" in schema:
        return "object"
    if "items" in schema or "prefixItems" in schema:
        return "array"
    if any(word in schema for word in ("minimum", "maximum", "multipleOf")):
        return "number"
    return "string"


# Valid values


def _collect(
    schema: Any, definitions: Definitions, parts: list[dict[str, Any]], depth: int
) -> None:
    if not isinstance(schema, dict) or depth > 20:
        return
    own = {
        word: given
        for word, given in schema.items()
        if word not in ("$ref", "allOf", "oneOf", "anyOf")
    }
    reference = schema.get("$ref")
    if isinstance(reference, str):
        _collect(definitions.get(reference.removeprefix("#/$defs/")), definitions, parts, depth + 1)
    for part in schema.get("allOf", ()):
        _collect(part, definitions, parts, depth + 1)
    for word in ("oneOf", "anyOf"):
        options = [one for one in schema.get(word, ()) if one != {"type": "null"}]
        if options:
            _collect(options[0], definitions, parts, depth + 1)
    parts.append(own)


def _object(
    schema: dict[str, Any], definitions: Definitions, *, whole: bool, unique: bool, depth: int
) -> dict[str, Any]:
    properties: dict[str, Any] = schema.get("properties", {})
    required = schema.get("required", [])
    wanted = [name for name in properties if name in required or (whole and depth < _DEEPEST)]
    wanted += [name for name in required if name not in properties]
    result = {
        name: valid_value(
            properties.get(name, {}), definitions, whole=whole, unique=unique, depth=depth + 1
        )
        for name in wanted
        if properties.get(name) is not False and (depth < 2 * _DEEPEST)
    }
    additional = schema.get("additionalProperties")
    least = schema.get("minProperties", 1 if isinstance(additional, dict) and whole else 0)
    for number in range(1, 50):
        if len(result) >= least or depth >= _DEEPEST:
            break
        result.setdefault(
            f"key{number}",
            valid_value(additional, definitions, whole=whole, unique=unique, depth=depth + 1),
        )
    return result


def _array(
    schema: dict[str, Any], definitions: Definitions, *, whole: bool, unique: bool, depth: int
) -> list[Any]:
    least = schema.get("minItems", 0)
    most = schema.get("maxItems", max(least, 1))
    count = max(least, min(1, most)) if whole and depth < _DEEPEST else least
    prefix = schema.get("prefixItems", [])
    items = []
    for index in range(min(count, 50)):
        item = prefix[index] if index < len(prefix) else schema.get("items", {})
        value = valid_value(item, definitions, whole=whole, unique=unique, depth=depth + 1)
        items.append(_distinct_value(value, index) if schema.get("uniqueItems") else value)
    return items


def _distinct_value(value: Any, index: int) -> Any:
    """The same value for the first item, a different one for each later item."""
    if index == 0 or isinstance(value, bool):
        return value
    if isinstance(value, (int, float)):
        return value + index
    return f"{value}{index}" if isinstance(value, str) else value


def _number(schema: dict[str, Any], kind: str) -> int | float:
    step = schema.get("multipleOf", 1 if kind == "integer" else 0.5)
    low = schema.get("minimum")
    if "exclusiveMinimum" in schema:
        low = schema["exclusiveMinimum"] + step
    high = schema.get("maximum")
    if "exclusiveMaximum" in schema:
        high = schema["exclusiveMaximum"] - step
    value = max(1, low) if low is not None else 1
    if high is not None and value > high:
        value = high
    value = math.ceil(value / step) * step
    return int(value) if value == int(value) else value


def _text(schema: dict[str, Any], *, unique: bool) -> str:
    stated = schema.get("format")
    least, most = schema.get("minLength", 0), schema.get("maxLength", 1000)
    if stated == "email" and unique and most >= _ROOM_FOR_UNIQUE:
        return f"someone-{UNIQUE}@example.com"
    if stated in _FORMATS:
        return _FORMATS[stated]
    if isinstance(schema.get("pattern"), str):
        return text_for_pattern(schema["pattern"], least)
    if unique and most >= _ROOM_FOR_UNIQUE and least <= len(UNIQUE):
        return f"text-{UNIQUE}"
    return "text"[:most].ljust(min(least, 100_000), "x")


def text_for_pattern(pattern: str, least: int = 0) -> str:
    """A text that a regular expression matches, where it is one of the usual sort; any other text
    where it is not."""
    try:
        parsed = pattern_parser.parse(pattern)
        return "".join(_matching_characters(parsed, max(least, 1)))[:10_000]
    except (re.error, OverflowError, RecursionError, KeyError, IndexError, ValueError):
        return "text"


def _matching_characters(parsed: Any, least: int) -> Iterator[str]:
    for word, given in parsed:
        name = str(word).lower()
        if name == "literal":
            yield chr(given)
        elif name == "not_literal":
            yield "a" if given != ord("a") else "b"
        elif name == "any":
            yield "a"
        elif name == "in":
            yield _member(given)
        elif name == "category":
            yield _of_category(given)
        elif name in ("max_repeat", "min_repeat", "possessive_repeat"):
            low, high, inner = given
            count = max(low, min(int(high), least if int(high) >= least else int(high)))
            count = min(count, 1000)
            for _ in range(count):
                yield from _matching_characters(inner, 1)
        elif name == "subpattern":
            yield from _matching_characters(given[-1], least)
        elif name == "branch":
            yield from _matching_characters(given[1][0], least)


def _member(listed: Any) -> str:
    if str(listed[0][0]).lower() == "negate":
        barred = {given for word, given in listed if str(word).lower() == "literal"}
        return next(one for one in "aA0-_ " if ord(one) not in barred)
    word, given = listed[0]
    name = str(word).lower()
    if name == "range":
        return chr(given[0])
    return _of_category(given) if name == "category" else chr(given)


def _of_category(category: Any) -> str:
    name = str(category).lower()
    if "not_" in name:
        return "-" if "space" not in name else "a"
    return "1" if "digit" in name else " " if "space" in name else "a"


# Spoilt values


def _variants(
    value: Any, given: Any, definitions: Definitions, depth: int
) -> Iterator[tuple[tuple[str, ...], Any]]:
    if not isinstance(given, dict) or depth > _DEEPEST_CHANGE:
        return
    schema = merge_schema(given, definitions)
    yield ("null",), None
    yield ("wrong", "type"), _WRONG[kind_of(schema) if kind_of(schema) in _WRONG else "string"]
    if "enum" in schema or "const" in schema:
        yield ("not", "in", "enum"), "not-in-the-enum" if isinstance(value, str) else 987_654_321
    if isinstance(value, dict):
        yield from _spoilt_object(value, schema, definitions, depth)
    elif isinstance(value, list):
        yield from _spoilt_array(value, schema, definitions, depth)
    elif isinstance(value, str):
        yield from _spoilt_text(value, schema)
    elif isinstance(value, (int, float)) and not isinstance(value, bool):
        yield from _spoilt_number(schema)


def _spoilt_object(
    value: dict[str, Any], schema: dict[str, Any], definitions: Definitions, depth: int
) -> Iterator[tuple[tuple[str, ...], Any]]:
    for name in schema.get("required", ()):
        if name in value:
            yield ("without", name), {key: one for key, one in value.items() if key != name}
    if schema.get("additionalProperties") is False:
        yield ("additional", "property"), {**value, "notInTheContract": 1}
    for name, inner in schema.get("properties", {}).items():
        if name in value:
            for words, spoilt in _variants(value[name], inner, definitions, depth + 1):
                yield (name, *words), {**value, name: spoilt}


def _spoilt_array(
    value: list[Any], schema: dict[str, Any], definitions: Definitions, depth: int
) -> Iterator[tuple[tuple[str, ...], Any]]:
    if schema.get("minItems", 0) > 0:
        yield ("too", "few"), value[: schema["minItems"] - 1]
    if "maxItems" in schema and value and schema["maxItems"] < 1000:
        yield ("too", "many"), [value[0]] * (schema["maxItems"] + 1)
    if schema.get("uniqueItems") and value:
        yield ("not", "unique"), [value[0], value[0]]
    if value and isinstance(schema.get("items"), dict):
        for words, spoilt in _variants(value[0], schema["items"], definitions, depth + 1):
            yield ("item", *words), [spoilt, *value[1:]]


def _spoilt_text(value: str, schema: dict[str, Any]) -> Iterator[tuple[tuple[str, ...], Any]]:
    value = value.replace(UNIQUE, "")
    if schema.get("minLength", 0) > 0:
        yield ("too", "short"), value[: schema["minLength"] - 1]
    if schema.get("maxLength", 100_000) < 100_000:
        yield ("too", "long"), (value or "x").ljust(schema["maxLength"] + 1, "x")
    if "pattern" in schema:
        yield ("not", "of", "pattern"), "\u00a7 does not match \u00a7"
    if "format" in schema:
        yield ("not", "of", "format"), "not of this format"


def _spoilt_number(schema: dict[str, Any]) -> Iterator[tuple[tuple[str, ...], Any]]:
    if "minimum" in schema or "exclusiveMinimum" in schema:
        yield ("too", "small"), schema.get("minimum", schema.get("exclusiveMinimum", 0)) - 1
    if "maximum" in schema or "exclusiveMaximum" in schema:
        yield ("too", "large"), schema.get("maximum", schema.get("exclusiveMaximum", 0)) + 1
    if "exclusiveMinimum" in schema:
        yield ("at", "exclusive", "minimum"), schema["exclusiveMinimum"]
    if "exclusiveMaximum" in schema:
        yield ("at", "exclusive", "maximum"), schema["exclusiveMaximum"]
    if "multipleOf" in schema:
        yield ("not", "a", "multiple"), schema["multipleOf"] * 1.5
    if kind_of(schema) == "integer":
        yield ("fraction",), 1.5


def as_key(value: Any) -> str:
    """The same text for the same value."""
    return json.dumps(value, sort_keys=True)
