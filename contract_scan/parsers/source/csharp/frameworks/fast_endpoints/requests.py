"""What an endpoint of FastEndpoints reads: each property of its request from where it comes."""

from __future__ import annotations

from msgspec import Struct
from msgspec.structs import replace

from contract_scan.ir.operation import Body, Location, Parameter
from contract_scan.ir.reasons import Reason
from contract_scan.ir.schema import Field, Object, Reference, Scalar, Schema, Unknown
from contract_scan.parsers.source.analysis.domain.hooks import TypeUse
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import (
    BoundType,
    ClassValue,
    FunctionValue,
    Scope,
)
from contract_scan.parsers.source.analysis.evaluation.call_sites import calls_in
from contract_scan.parsers.source.csharp.frameworks.fast_endpoints.setup import EndpointSetup
from contract_scan.parsers.source.csharp.resolution.annotations import argument, find, text
from contract_scan.parsers.source.csharp.resolution.source_text import function_text
from contract_scan.parsers.source.csharp.serialization.members import WireMember, wire_members
from contract_scan.parsers.source.csharp.serialization.settings.application import settings_for
from contract_scan.parsers.source.csharp.serialization.settings.record import READING
from contract_scan.parsers.source.csharp.web.binding import RequestInputs
from contract_scan.parsers.source.csharp.web.called import own_name
from contract_scan.parsers.source.csharp.web.parameter_sources import is_simple, list_of_simple
from contract_scan.parsers.source.csharp.web.templates import Template
from contract_scan.parsers.source.facts.nodes import (
    Annotation,
    ArrayType,
    Call,
    LiteralExpr,
    NamedType,
    NullableType,
    TypeExpr,
)

_PLACES: dict[str, Location] = {
    "FromHeader": "header",
    "FromCookie": "cookie",
    "QueryParam": "query",
    "FromQueryParams": "query",
    "RouteParam": "path",
}
_ELSEWHERE = ("FromClaim", "From", "HasPermission")
"""Attributes of what is read from the user, not from the request."""
_WITHOUT_BODY = ("GET", "HEAD", "OPTIONS", "TRACE")
_READS_REQUEST = (b"HttpContext.Request", b"Request.Query", b"Request.Headers", b"Request.Body")
_FILES = frozenset({"IFormFile", "FormFile"})


class Reader(Struct, frozen=True, kw_only=True):
    """What the reading of one route needs to know."""

    program: Program
    variant: str
    template: Template
    method: str
    setup: EndpointSetup


def read_inputs(
    reader: Reader, request: BoundType | None, handler: FunctionValue | None
) -> RequestInputs:
    """What an endpoint reads on one route."""
    by_hand, complete = _parameters_read_in_handler(reader, handler)
    found = RequestInputs() if request is None else _bound_inputs(reader, request)
    known = {(p.location, p.name.casefold()) for p in found.parameters}
    parameters = [
        *found.parameters,
        *(p for p in by_hand if (p.location, p.name.casefold()) not in known),
    ]
    known = {(p.location, p.name.casefold()) for p in parameters}
    for route in reader.template.parameters:
        if ("path", route.name.casefold()) not in known:
            why = Reason("parameter-not-read", route=route.name)
            schema = Unknown(reason=why, accepts_any=True)
            parameters.append(
                Parameter(name=route.name, location="path", schema=schema, required=True)
            )
    return RequestInputs(
        parameters=tuple(parameters),
        bodies=found.bodies,
        complete=found.complete and complete and not reader.setup.binds_itself,
    )


# --------------------------------------------------------------------------- by hand


def _parameters_read_in_handler(
    reader: Reader, handler: FunctionValue | None
) -> tuple[list[Parameter], bool]:
    """`Route<int>("id")`, `Query<string>("q")` in the handler, and whether that is all."""
    if handler is None:
        return [], False
    program = reader.program
    found: list[Parameter] = []
    inside = program.function_scope(handler.function, handler.scope)
    for call, scope in calls_in(program, inside.statements or (), inside):
        if (
            not isinstance(call, Call)
            or not call.args
            or own_name(call.callee) not in ("Route", "Query")
        ):
            continue
        name = program.text(call.args[0].value, scope)
        if name is None:
            return found, False
        type = call.type_args[0] if call.type_args else NamedType(name="string")
        optional = any(
            isinstance(a.value, LiteralExpr) and a.value.value is False for a in call.args
        )
        location: Location = "path" if own_name(call.callee) == "Route" else "query"
        if location == "path" and not _in_route(reader, name):
            continue
        found.append(
            Parameter(
                name=_route_name(reader, name) if location == "path" else name,
                location=location,
                schema=program.schema(type, scope, reader.variant),
                required=location == "path" or not optional,
                origin=program.origin(call, scope),
            )
        )
    written = function_text(program, handler.scope.file.path, handler.function)
    return found, not any(word in written for word in _READS_REQUEST)


def _in_route(reader: Reader, name: str) -> bool:
    return any(p.name.casefold() == name.casefold() for p in reader.template.parameters)


def _route_name(reader: Reader, name: str) -> str:
    same = (p.name for p in reader.template.parameters if p.name.casefold() == name.casefold())
    return next(same, name)


# --------------------------------------------------------------------------- the request's type


def _bound_inputs(reader: Reader, request: BoundType) -> RequestInputs:
    program = reader.program
    type, scope = request.type, request.scope
    if isinstance(type, NullableType):
        type = type.item
    if not isinstance(type, NamedType):
        return _non_object_request(reader, type, scope)
    found = program.names.lookup_type(type.name, scope)
    if isinstance(found, BoundType):
        return _bound_inputs(reader, found)
    if not isinstance(found, ClassValue):
        return _non_object_request(reader, type, scope)
    bound = program.names.classes.bind(found.symbol.decl.type_params, type, scope)
    inside = program.names.classes.class_scope(found.symbol, bound)
    use = TypeUse(program, type, found.symbol.key, inside, reader.variant)
    settings = settings_for(program, reader.variant, scope.file.path)
    members = [m for m in wire_members(use, found.symbol, settings) if m.type is not None]
    if _is_plain_text(program, found):
        schema = Scalar(type="string")
        return RequestInputs(
            bodies=(Body(schema=schema, content_type="text/plain"),), complete=False
        )
    parameters: list[Parameter] = []
    rest: list[WireMember] = []
    for member in members:
        if find(member.annotations, *_ELSEWHERE) is not None:
            continue
        location = _location(reader, member)
        if location is None:
            rest.append(member)
        else:
            parameters.append(_parameter(reader, member, location))
    bodies = _bodies(reader, type, scope, members, rest)
    # Whatever is read from the body may stand in the query too.
    complete = not rest or reader.method in _WITHOUT_BODY
    return RequestInputs(parameters=tuple(parameters), bodies=bodies, complete=complete)


def _non_object_request(reader: Reader, type: TypeExpr, scope: Scope) -> RequestInputs:
    """A request that is no object of the project: a list, or a type of a library."""
    if reader.method in _WITHOUT_BODY:
        return RequestInputs(complete=False)
    schema = reader.program.schema(type, scope, READING + reader.variant)
    listed = isinstance(type, ArrayType) or not isinstance(schema, Object)
    return RequestInputs(bodies=(Body(schema=schema, required=None),), complete=listed)


def _is_plain_text(program: Program, found: ClassValue) -> bool:
    owners = (found.symbol, *program.bases(found.symbol))
    return any(
        isinstance(base, NamedType)
        and base.name.endswith(("IPlainTextRequest", "PlainTextRequest"))
        for owner in owners
        for base in owner.decl.bases
    )


def _location(reader: Reader, member: WireMember) -> Location | None:
    """Where a property is read from; None: from the body, or a form."""
    marked = find(member.annotations, *_PLACES)
    if marked is not None:
        return _PLACES[marked.name.rsplit(".", 1)[-1].removesuffix("Attribute")]
    if find(member.annotations, "FromBody", "FromForm", "FormField") is not None:
        return None
    if find(member.annotations, "FromQuery") is not None:
        return "query"
    if _in_route(reader, _field_name(reader, member)) or _in_route(reader, member.name):
        return "path"
    return "query" if reader.method in _WITHOUT_BODY else None


def _field_name(reader: Reader, member: WireMember) -> str:
    """The name that a property is read under in routes, queries and forms."""
    renamed = find(member.annotations, "BindFrom")
    if renamed is not None:
        written = text(reader.program, renamed, member.scope, 0, "name")
        if written:
            return written
    return settings_for(reader.program, reader.variant, member.scope.file.path).wire_name(
        member.name
    )


def _parameter(reader: Reader, member: WireMember, location: Location) -> Parameter:
    program = reader.program
    assert member.type is not None
    name = _field_name(reader, member)
    if location == "path":
        name = _route_name(reader, name if _in_route(reader, name) else member.name)
    marked = find(member.annotations, "FromHeader", "FromCookie")
    required: bool | None = location == "path"
    if marked is not None:
        name = text(program, marked, member.scope, 0, "headerName", "cookieName") or member.name
        required = not _is_false(marked, "IsRequired", "isRequired")
    elif location == "query":
        said = find(member.annotations, "QueryParam")
        written = argument(said, -1, "IsRequired") if said is not None else None
        required = isinstance(written, LiteralExpr) and written.value is True
    simple = is_simple(program, member.type, member.scope) or list_of_simple(
        program, member.type, member.scope
    )
    schema: Schema = program.schema(member.type, member.scope, reader.variant)
    if location == "query" and not simple:
        schema = Unknown(reason=Reason("query-binding-depends-on-type", member=member.name))
    return Parameter(
        name=name,
        location=location,
        schema=schema,
        required=required or (None if member.input_required else False),
        origin=member.origin,
    )


def _is_false(marked: Annotation, *names: str) -> bool:
    written = argument(marked, 1, *names)
    if written is None and len(marked.args) == 1 and not marked.args[0].name:
        written = marked.args[0].value
    return isinstance(written, LiteralExpr) and written.value is False


# --------------------------------------------------------------------------- bodies


def _bodies(
    reader: Reader,
    type: NamedType,
    scope: Scope,
    members: list[WireMember],
    rest: list[WireMember],
) -> tuple[Body, ...]:
    program = reader.program
    form = next((m for m in rest if find(m.annotations, "FromForm") is not None), None)
    kind = reader.setup.form
    if form is not None:
        kind = kind or "multipart/form-data"
        return (_body(reader, form.type, form.scope, kind),)
    whole = next((m for m in rest if find(m.annotations, "FromBody") is not None), None)
    if whole is not None:
        return (_body(reader, whole.type, whole.scope, kind or "application/json"),)
    if not rest or reader.method in _WITHOUT_BODY:
        return ()
    schema = program.schema(type, scope, READING + reader.variant)
    if len(rest) < len(members) or kind:
        schema = _without_fields(program, schema, {m.name for m in rest}, _file_names(rest))
    return (
        Body(
            schema=schema,
            content_type=kind or "application/json",
            required=None,
            origin=program.origin(type, scope),
        ),
    )


def _body(reader: Reader, type: TypeExpr | None, scope: Scope, kind: str) -> Body:
    program = reader.program
    if type is None:
        return Body(schema=Unknown(reason=Reason("own-type-not-declared")), content_type=kind)
    schema = program.schema(type, scope, READING + reader.variant)
    return Body(schema=schema, content_type=kind, required=None, origin=program.origin(type, scope))


def _file_names(members: list[WireMember]) -> frozenset[str]:
    return frozenset(
        m.name for m in members if isinstance(m.type, NamedType) and m.type.name in _FILES
    )


def _without_fields(
    program: Program, schema: Schema, names: set[str], files: frozenset[str]
) -> Schema:
    """The shape of a body, of which what is read from elsewhere may be left out."""
    if isinstance(schema, Reference):
        schema = program.resolve(schema)
    if not isinstance(schema, Object):
        return schema
    fields: list[Field] = []
    for field in schema.fields:
        source = field.declared_as or field.name
        if source in files:
            file = Scalar(type="string", format="binary", origin=field.origin)
            fields.append(replace(field, schema=file))
        elif source in names:
            fields.append(field)
        else:
            fields.append(replace(field, has_default=True))
    return replace(schema, fields=tuple(fields))
