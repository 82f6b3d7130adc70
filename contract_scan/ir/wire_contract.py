"""What a contract says of the wire, keyword by keyword: what two contracts are compared by.

`ir.schema` holds the shape of values, in which contracts and code meet; it has no place for what
code hardly ever says (limits of lengths, conditions, security, deprecation). This record holds all
of it, in one form for every version of OpenAPI, AsyncAPI and JSON Schema: `exclusiveMinimum: true`
and `exclusiveMinimum: 5` become one kind of limit, `nullable: true` and `type: [string, 'null']`
one fact. Schemas stand in one table by key, so a recursive schema is a key that comes up again.
"""

from __future__ import annotations

from typing import Literal, TypeAlias

from msgspec import Struct

from contract_scan.ir.document import DocumentKind, NotAnalysed
from contract_scan.ir.origin import NOWHERE, Origin

SchemaKey: TypeAlias = str
"""The key of a schema in `WireContract.schemas`."""

ANY_VALUE: SchemaKey = ""
"""The key of the schema that stands where a contract gives none: any value."""

LimitName: TypeAlias = Literal[
    "lower-bound",
    "upper-bound",
    "min-length",
    "max-length",
    "min-items",
    "max-items",
    "min-properties",
    "max-properties",
    "min-contains",
    "max-contains",
    "multiple-of",
]


class Fact(Struct, frozen=True):
    """A value that a keyword gives, as text, and where."""

    text: str
    origin: Origin = NOWHERE


class Limit(Struct, frozen=True):
    """A number that limits values."""

    value: float | int
    exclusive: bool = False
    """Bounds only: the number itself lies outside."""
    origin: Origin = NOWHERE


class WireProperty(Struct, frozen=True, kw_only=True):
    """One property of an object."""

    schema: SchemaKey
    required: bool = False
    read_only: bool = False
    write_only: bool = False
    origin: Origin = NOWHERE


class Alternatives(Struct, frozen=True, kw_only=True):
    """The schemas under one `oneOf` or `anyOf`, without those that only add null."""

    options: tuple[SchemaKey, ...]
    names: tuple[str, ...]
    """What each of them is called; empty where it has no name."""
    exclusive: bool
    origin: Origin = NOWHERE


class WireSchema(Struct, frozen=True, kw_only=True):
    """Schemas that hold at once (a schema, its `allOf`, what their `$ref`s lead to), as one."""

    key: SchemaKey
    name: str = ""
    origin: Origin = NOWHERE
    undetermined: str = ""
    """Why (part of) it cannot be known."""
    impossible: bool = False
    """No value fits (`false`)."""
    types: frozenset[str] | None = None
    """JSON types without null; None: any."""
    type_origin: Origin = NOWHERE
    nullable: bool | None = True
    """None: undetermined (the dialect has no way to say it, or the document contradicts itself)."""
    format: Fact | None = None
    values: tuple[Fact, ...] | None = None
    """The only values possible, as canonical JSON text, null left out; None: not limited."""
    values_origin: Origin = NOWHERE
    extensible_values: tuple[Fact, ...] | None = None
    """Those that `x-extensible-enum` lists."""
    limits: dict[LimitName, Limit] = {}
    patterns: dict[str, Origin] = {}
    unique_items: Origin | None = None
    """Where it says that items differ from each other."""
    properties: dict[str, WireProperty] = {}
    required: dict[str, Origin] = {}
    """Names that must be present though no property of that name is described."""
    closed: Origin | None = None
    """Where properties that are not listed are forbidden."""
    additional: SchemaKey | None = None
    """Schema of properties that are not listed, where one is given."""
    pattern_properties: dict[str, SchemaKey] = {}
    property_names: SchemaKey | None = None
    items: SchemaKey | None = None
    prefix: tuple[SchemaKey, ...] = ()
    closed_items: Origin | None = None
    """Where items after those of `prefix` (or any that are not evaluated) are forbidden."""
    contains: SchemaKey | None = None
    alternatives: tuple[Alternatives, ...] = ()
    discriminator: Fact | None = None
    mapping: dict[str, Fact] = {}
    """Value of the discriminator -> name of the schema it stands for."""
    conditions: dict[str, SchemaKey] = {}
    """`if`, `then`, `else`, `not` -> schema; a further one of its kind bears a number."""
    dependent_required: dict[str, dict[str, Origin]] = {}
    dependent_schemas: dict[str, SchemaKey] = {}
    content_encoding: Fact | None = None
    content_media_type: Fact | None = None
    content_schema: SchemaKey | None = None
    default: Fact | None = None
    deprecated: Origin | None = None
    sunset: Fact | None = None
    """`x-sunset`: the day from which it may be gone."""


ANY = WireSchema(key=ANY_VALUE)


class WireParameter(Struct, frozen=True, kw_only=True):
    """A parameter of an operation, or a header of a response."""

    name: str
    location: str
    """`path`, `query`, `header`, `cookie`."""
    schema: SchemaKey = ANY_VALUE
    required: bool = False
    serialization: Fact = Fact("")
    """How its value becomes text: style, explode, media type; defaults written out."""
    deprecated: Origin | None = None
    sunset: Fact | None = None
    origin: Origin = NOWHERE


class WireBody(Struct, frozen=True, kw_only=True):
    """A body in one media type."""

    media_type: str
    """In small letters, without `charset`."""
    schema: SchemaKey = ANY_VALUE
    encoding: dict[str, Fact] = {}
    """Name of a part of a form -> how it is written."""
    origin: Origin = NOWHERE


class WireResponse(Struct, frozen=True, kw_only=True):
    status: str
    bodies: tuple[WireBody, ...] = ()
    headers: tuple[WireParameter, ...] = ()
    origin: Origin = NOWHERE


class Credential(Struct, frozen=True, kw_only=True):
    """One way to authenticate that a request must use."""

    scheme: str
    """What of its scheme shows on the wire: `apiKey header X-Key`, `http bearer` …"""
    scopes: frozenset[str] = frozenset()


class SecurityOption(Struct, frozen=True):
    """Credentials that are needed together; without any: anonymous requests are let in."""

    credentials: tuple[Credential, ...]
    origin: Origin = NOWHERE


class Endpoint(Struct, frozen=True, kw_only=True):
    """One operation over HTTP, or (where `incoming` is False) one that the API itself calls."""

    method: str
    path: str
    """As written; of a webhook its name, of a callback the operation, its name and expression."""
    incoming: bool = True
    kind: Literal["endpoint", "webhook", "callback"] = "endpoint"
    parameters: tuple[WireParameter, ...] = ()
    bodies: tuple[WireBody, ...] = ()
    body_origin: Origin | None = None
    """Where the request body is described; None: there is none."""
    body_required: bool = False
    responses: tuple[WireResponse, ...] = ()
    security: tuple[SecurityOption, ...] = ()
    """Any of them lets a request in; none: nothing is needed."""
    security_origin: Origin = NOWHERE
    operation_id: Fact | None = None
    deprecated: Origin | None = None
    sunset: Fact | None = None
    origin: Origin = NOWHERE


class WireMessage(Struct, frozen=True, kw_only=True):
    """A message of a channel."""

    name: str
    payload: SchemaKey = ANY_VALUE
    headers: SchemaKey = ANY_VALUE
    content_type: Fact = Fact("")
    correlation: Fact = Fact("")
    bindings: dict[str, Fact] = {}
    """`kafka/key` … -> what the binding says, as canonical JSON text."""
    origin: Origin = NOWHERE


class ChannelUse(Struct, frozen=True, kw_only=True):
    """What the described application does with a channel."""

    direction: Literal["send", "receive"]
    channel: str
    """Its address, or its key where it gives none."""
    key: str
    """Its key in the document."""
    messages: tuple[WireMessage, ...] = ()
    bindings: dict[str, Fact] = {}
    origin: Origin = NOWHERE


class WireChannel(Struct, frozen=True, kw_only=True):
    key: str
    address: Fact
    bindings: dict[str, Fact] = {}
    uses: tuple[ChannelUse, ...] = ()
    messages: tuple[WireMessage, ...] = ()
    """Those of a channel that no operation uses."""
    origin: Origin = NOWHERE


class WireModel(Struct, frozen=True, kw_only=True):
    """A JSON Schema that is shared as such."""

    name: str
    identity: str
    """`$id`, else empty."""
    schema: SchemaKey
    origin: Origin = NOWHERE


class WireContract(Struct, frozen=True, kw_only=True):
    """One contract document with everything that its `$ref`s lead to."""

    path: str
    kind: DocumentKind
    version: str = ""
    title: str = ""
    base_paths: tuple[Fact, ...] = ()
    servers: tuple[Fact, ...] = ()
    """Addresses as written, variables not filled in."""
    endpoints: tuple[Endpoint, ...] = ()
    channels: tuple[WireChannel, ...] = ()
    models: tuple[WireModel, ...] = ()
    schemas: dict[SchemaKey, WireSchema] = {}
    problems: tuple[NotAnalysed, ...] = ()
    """What could not be read, so that nothing is said of it."""
