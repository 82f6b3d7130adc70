"""The shape of a JSON value, as a contract promises it or as code sends and accepts it.

Contracts and code are lowered to the same nodes; comparing two of them is the heart of the tool.
Every node carries `nullable` (three-valued: `None` means "undetermined") and the place where it
was read.
"""

from __future__ import annotations

from typing import Literal, TypeAlias

from msgspec import Struct

from contract_scan.ir.evidence import Evidence, Grade
from contract_scan.ir.origin import NOWHERE, Origin
from contract_scan.ir.reasons import NO_REASON, Reason

ScalarType: TypeAlias = Literal["string", "integer", "number", "numeric", "boolean"]
"""JSON's scalar types; `numeric` is a number of which the language does not say whether it is
integral (TypeScript's `number`): it agrees with both `integer` and `number`."""

LiteralValue: TypeAlias = str | int | float | bool | None


class Node(Struct, frozen=True, kw_only=True, tag_field="$", omit_defaults=True):
    """What every schema node has."""

    nullable: bool | None = False
    """True: the value may be JSON null. False: it may not. None: undetermined."""
    evidence: Evidence | None = None
    """Code only: how this and everything in it is known, where that differs from what is around
    it."""
    null_known: Grade | None = None
    """Code only: how it is known whether it may be null, where `evidence` says something else; it
    says nothing of what is in it."""
    null_reason: Reason = NO_REASON
    """Code only: why it is undetermined whether the value may be null, where statements give null
    that the declared type does not allow. It is asked for where `nullable` is None."""
    origin: Origin = NOWHERE


class Unknown(Node, frozen=True, tag="unknown"):
    """A shape that is undetermined. `reason` says why, in words a user can act on."""

    reason: Reason
    accepts_any: bool = False
    """Code only: every value can be read: it is declared as a type that all of JSON can be read
    into (C#'s `object`), or nothing reads it."""
    is_text: bool = False
    """Code only: a text that is sent, or read, as it is: words, JSON that nobody looked into, a
    parameter without a declared type."""
    as_json: bool = False
    """Code only: such a text is sent as JSON, in which it is what it says: a string would stand in
    quotation marks."""
    in_memory: bool = False
    """Code only: JSON has no form for such values (regular expressions, functions, maps): what
    holds one is used in memory alone, or written in another way."""


class Anything(Node, frozen=True, tag="anything"):
    """Any JSON value at all, said explicitly (`{}` or `true` in JSON Schema)."""


class Nothing(Node, frozen=True, tag="nothing"):
    """No value but null where `nullable` (JSON Schema `false`; with `nullable=True` JSON null)."""


class Scalar(Node, frozen=True, tag="scalar"):
    """A string, number or boolean."""

    type: ScalarType
    format: str = ""
    """JSON Schema `format` (`date-time`, `uuid`, `int64`, …), empty when not said. Code only:
    `pattern dd.MM.yyyy`, of dates that are written in none of these."""
    values: tuple[LiteralValue, ...] | None = None
    """The only wire values possible (enum, const, literal types); None when not limited."""
    current_values: tuple[LiteralValue, ...] = ()
    """Contract only: the values that there are today where others may come (an extensible enum);
    empty when none are listed."""
    ignores_case: bool = False
    """Code only: what reads the values takes them in upper and lower case."""
    also_takes: tuple[ScalarType, ...] = ()
    """Code only: JSON types of other values that what reads this converts to its own type
    (`z.coerce.date()` makes a date of a number); `number` stands for all numbers. Its own type: it
    takes others than its values too (an enum of C# takes any number)."""
    also_formats: tuple[str, ...] = ()
    """Code only: formats of texts that what reads this takes beside its own (a `DateTime` is made
    of a plain date, too)."""


class Array(Node, frozen=True, tag="array"):
    items: Schema
    prefix: tuple[Schema, ...] = ()
    """Schemas of the first items where each position has its own (tuples)."""


class Field(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One property of an object, under its name on the wire."""

    name: str
    schema: Schema
    required: bool | None = True
    """Contract: listed in `required`. Code: the key is present in everything that is sent.
    None: undetermined."""
    has_default: bool = False
    """Code: a reader fills the field in when it is absent, so input may omit it although output
    always has it. Contract: `default` is given."""
    takes_null: bool = False
    """Code only: what reads the field takes null, though it never holds null afterwards (Jackson 2
    makes 0 of it for an `int`)."""
    read_only: bool = False
    """Only ever sent by the server (never part of what it accepts)."""
    write_only: bool = False
    """Only ever accepted by the server (never part of what it sends)."""
    accepts: tuple[str, ...] = ()
    """Names accepted on input where they differ from `name` (validation aliases); empty: `name`."""
    undetermined_reason: Reason = NO_REASON
    """Code only: why it is undetermined whether the field is ever sent (a relation that only some
    queries load), counted on by a consumer that can do without it, or needed in a request. Empty:
    it is, if not always."""
    omitted_if_null: bool = False
    """Code only: the key is left out where the value is null, which by its type it may be, or of
    which that says nothing; `required` is False, or None."""
    evidence: Evidence | None = None
    """Code only: how it is known what this field itself says, where that differs from what is
    around it; it says nothing of what is in the value."""
    excluded_from_docs: bool = False
    """Code only: deliberately not documented (`@Schema(hidden = true)`)."""
    declared_as: str = ""
    """The name in the source, where it differs from the name on the wire."""
    either_name: bool = False
    """Code only: calls choose whether it is written under `name` or as it is declared (pydantic's
    `by_alias`), and no framework says which."""
    origin: Origin = NOWHERE


class Object(Node, frozen=True, tag="object"):
    fields: tuple[Field, ...] = ()
    additional: Schema | None = None
    """Schema of further properties: None when nothing is said, `Nothing` when they are forbidden,
    any other node when they are allowed and have that shape (a map has no fields and this set)."""
    incomplete_reason: Reason = NO_REASON
    """Why fields may be missing from `fields` (a spread of something unknown); empty: complete."""
    name: str = ""
    """Name of the type or component, for messages."""
    case_insensitive: bool = False
    """Code only: what reads it takes the names of fields in any case (System.Text.Json with its
    defaults for the web, Newtonsoft.Json)."""

    raw_names: bool = False
    """Code only: the fields are called as in the source, or as a library does by itself, since
    nothing is seen that names them."""
    is_avro: bool = False
    """It is a record of Avro, whose library writes it in a form of its own."""


class Union(Node, frozen=True, tag="union"):
    """One of several shapes (oneOf, anyOf, union types, several return statements)."""

    options: tuple[Schema, ...]
    discriminator: str = ""
    """Name of the property that tells the options apart, where declared."""
    tags: tuple[tuple[str, ...], ...] = ()
    """Contract only: the values of that property that are mapped to each option, in their order
    (none: the mapping does not mention it); empty where there is no mapping."""
    exclusive: bool = False
    """True for oneOf."""


class Reference(Node, frozen=True, tag="reference"):
    """A named schema, resolved on demand by the side that made it (`Resolver`)."""

    key: str


Schema: TypeAlias = Unknown | Anything | Nothing | Scalar | Array | Object | Union | Reference


def with_nullable(schema: Schema, nullable: bool | None = True) -> Schema:
    """The same schema that may (or may not) also be null."""
    if schema.nullable == nullable:
        return schema
    import msgspec

    reason = schema.null_reason if nullable is None else NO_REASON
    return msgspec.structs.replace(schema, nullable=nullable, null_reason=reason)
