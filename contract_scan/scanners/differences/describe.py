"""Schemas and values in a few words, for messages."""

from __future__ import annotations

import json
from typing import assert_never

from contract_scan.ir.document import Resolver
from contract_scan.ir.schema import (
    Anything,
    Array,
    LiteralValue,
    Nothing,
    Object,
    Reference,
    Scalar,
    Schema,
    Union,
    Unknown,
)

MOST_VALUES = 8
"""Longer lists of values are cut."""


def describe(schema: Schema, resolver: Resolver | None = None) -> str:
    """A few words for a schema: `string (uuid)`, `array of Order`, `integer or null`.

    With a resolver, references are named after what they lead to rather than by their key.
    """
    words = _schema_in_words(schema, resolver)
    return f"{words} or null" if schema.nullable and words not in ("null", "any value") else words


def phrase(schema: Schema, resolver: Resolver | None = None) -> str:
    """The same for the middle of a sentence: "a string (uuid)", "an array of `Order`"."""
    words = _phrase_without_null(schema, resolver)
    return f"{words} or null" if schema.nullable and words not in ("null", "any value") else words


def value_text(value: LiteralValue) -> str:
    """A wire value as JSON."""
    return json.dumps(value, ensure_ascii=False)


def values_text(values: tuple[str, ...]) -> str:
    """A list of values in one line, cut where it is long."""
    shown = " | ".join(values[:MOST_VALUES])
    return shown if len(values) <= MOST_VALUES else f"{shown} | … ({len(values)} values)"


def _schema_in_words(schema: Schema, resolver: Resolver | None) -> str:
    match schema:
        case Scalar(values=(_, *_)):
            return values_text(tuple(map(value_text, schema.values or ())))
        case Scalar():
            name = "number" if schema.type == "numeric" else schema.type
            if schema.current_values:
                listed = values_text(tuple(map(value_text, schema.current_values)))
                return f"{name}, today {listed}"
            return f"{name} ({schema.format})" if schema.format else name
        case Array(prefix=(_, *_)):
            return "tuple"
        case Array(items=items):
            # One level is enough for a message, and is safe for any nesting.
            return f"array of {_kind(items, resolver)}" if _is_told(items) else "array"
        case Object() | Reference():
            return _kind(schema, resolver)
        case Union(options=options):
            kinds = dict.fromkeys(_kind(option, resolver) for option in options)
            return " or ".join(kinds) or "nothing"
        case Anything():
            return "any value"
        case Nothing():
            return "null" if schema.nullable else "nothing"
        case Unknown(is_text=True):
            return "text"
        case Unknown():
            return "unknown"
        case _:
            assert_never(schema)


def _is_told(schema: Schema) -> bool:
    """Whether there is a word for it: `array of unknown` says less than `array`."""
    return not isinstance(schema, Unknown) or schema.is_text


def _kind(schema: Schema, resolver: Resolver | None) -> str:
    match schema:
        case Object(name=""):
            return "map" if schema.additional is not None and not schema.fields else "object"
        case Object(name=name):
            return name
        case Reference():
            return _name(schema, resolver)
        case Array():
            return "array"
        case Union():
            return "one of several"
        case _:
            return _schema_in_words(schema, resolver)


def _name(reference: Reference, resolver: Resolver | None) -> str:
    """The name of what a reference leads to; the end of its key where that has none."""
    target = _target(reference, resolver)
    return _key_name(reference) if target is None else _kind(target, None)


def _key_name(reference: Reference) -> str:
    return reference.key.replace("#", "/").rstrip("/").rpartition("/")[2] or reference.key


def _target(reference: Reference, resolver: Resolver | None) -> Schema | None:
    """What a reference leads to, where that says more than the end of the reference's key."""
    if resolver is None:
        return None
    try:
        target = resolver.resolve(reference)
    except KeyError:
        return None
    match target:
        case Object(name=""):
            return None
        case Reference() | Union():
            # Not followed further: a ring of references would never end.
            return None
        case _:
            return target


# ------------------------------------------------------------------------------- in sentences

_VOWELS = "aeiou"


def _phrase_without_null(schema: Schema, resolver: Resolver | None) -> str:
    match schema:
        case Array(items=items) if not schema.prefix:
            return f"an array of {_plural(items, resolver)}" if _is_told(items) else "an array"
        case Union(options=options):
            phrases = dict.fromkeys(_short_phrase(option, resolver) for option in options)
            return " or ".join(phrases) or "nothing"
        case _:
            return _short_phrase(schema, resolver)


def _short_phrase(schema: Schema, resolver: Resolver | None) -> str:
    """One level, which is enough for a message and safe for any nesting."""
    words = _kind(schema, resolver)
    match schema:
        case Scalar(values=(_, *_)) | Anything() | Nothing() | Unknown() | Union():
            return words
        case Reference():
            target = _target(schema, resolver)
            return f"`{words}`" if target is None else _short_phrase(target, None)
        case Array(prefix=(_, *_)):
            return "a tuple"
        case Object(name=name) if name:
            return f"`{name}`"
        case Object():
            return "an object"
        case _:
            return f"{'an' if words[0] in _VOWELS else 'a'} {words}"


def _plural(items: Schema, resolver: Resolver | None) -> str:
    match items:
        case Scalar(values=None):
            name, space, rest = _schema_in_words(items, resolver).partition(" ")
            return f"{name}s{space}{rest}" if not name.endswith(",") else f"{name[:-1]}s, {rest}"
        case Object(name=""):
            return "objects"
        case Array():
            return "arrays"
        case Reference() if (target := _target(items, resolver)) is not None:
            return _plural(target, None)
        case _:
            return _short_phrase(items, resolver)
