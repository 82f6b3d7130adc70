"""Valibot: functions where zod has methods. `v.pipe(v.string(), v.email())` is zod's
`z.string().email()`.

What its schemas are called is said in zod's words, so that one reader reads both.
"""

from __future__ import annotations

from typing import Final

MODULE: Final = "valibot"
PARSES: Final = frozenset({"parse", "safeParse", "parseAsync", "safeParseAsync", "assert", "is"})
"""Functions that check their second argument by the schema that is their first."""

_SCHEMAS = {
    "variant": "discriminatedUnion",
    "picklist": "enum",
    "enum_": "enum",
    "null_": "null",
    "undefined_": "undefined",
    "void_": "void",
    "undefinedable": "optional",
    "exactOptional": "optional",
    "objectWithRest": "object",
    "nonOptional": "nonoptional",
    "looseTuple": "tuple",
    "strictTuple": "tuple",
}
_ACTIONS = {
    "integer": "int",
    "safeInteger": "int",
    "isoDate": "date",
    "isoDateTime": "datetime",
    "isoTimestamp": "datetime",
    "isoTime": "time",
    "guid": "uuid",
}
CHANGING: Final = frozenset(
    {"transform", "rawTransform", "rawTransformAsync", "transformAsync", "toNumber", "toString"}
    | {"toBoolean", "toDate", "toBigint", "parseJson", "stringifyJson"}
)
"""Actions of a pipe after which a value may be another one."""
STARTS: Final = frozenset(
    {"string", "number", "boolean", "bigint", "date", "object", "strictObject", "looseObject"}
    | {"array", "record", "union", "variant", "picklist", "enum", "literal", "tuple"}
)
"""Schemas that a pipe may go on with."""


def is_valibot(name: str) -> bool:
    """Whether a qualified name belongs to valibot."""
    return name == MODULE or name.startswith(f"{MODULE}.")


def schema_name(name: str) -> str:
    """What zod calls a schema of valibot."""
    return _SCHEMAS.get(name, name)


def check_name(name: str) -> str:
    """What zod calls an action of a pipe that checks a value."""
    return _ACTIONS.get(name, name)
