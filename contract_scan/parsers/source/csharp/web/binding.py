"""What a handler reads: parameters of the path, query and headers, and the request body."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec.structs import replace

from contract_scan.ir.operation import Body, Location, Parameter
from contract_scan.ir.origin import Origin
from contract_scan.ir.reasons import Reason
from contract_scan.ir.schema import Array, Field, Object, Schema, Unknown
from contract_scan.parsers.source.analysis.domain.hooks import TypeUse
from contract_scan.parsers.source.analysis.domain.values import ClassSymbol, Scope
from contract_scan.parsers.source.csharp.resolution.annotations import (
    argument,
    find,
    find_all,
    text,
)
from contract_scan.parsers.source.csharp.resolution.partial_classes import parts
from contract_scan.parsers.source.csharp.serialization.classes import unseen_base
from contract_scan.parsers.source.csharp.serialization.members import wire_members
from contract_scan.parsers.source.csharp.serialization.nullability import (
    implies_required,
    is_value_type,
    may_be_null,
)
from contract_scan.parsers.source.csharp.serialization.settings.record import READING, JsonSettings
from contract_scan.parsers.source.csharp.web.binder import Binder as Binder
from contract_scan.parsers.source.csharp.web.binder import RequestInputs as RequestInputs
from contract_scan.parsers.source.csharp.web.binder import Source
from contract_scan.parsers.source.csharp.web.binder_texts import bound_schema
from contract_scan.parsers.source.csharp.web.fluent_validation import with_needed_members
from contract_scan.parsers.source.csharp.web.model_binders import model_binder, reads_own_name
from contract_scan.parsers.source.csharp.web.parameter_sources import (
    declared_class,
    is_service,
    is_simple,
    list_of_simple,
)
from contract_scan.parsers.source.csharp.web.templates import RouteParameter, Template
from contract_scan.parsers.source.csharp.web.text_shapes import (
    file_shape,
    is_file,
    shape_of_text,
    simple_name,
)
from contract_scan.parsers.source.facts.nodes import (
    Annotation,
    Attribute,
    Member,
    NamedType,
    NullableType,
    Param,
    TypeExpr,
)

if TYPE_CHECKING:
    pass

_PROVIDED = frozenset(
    {
        "CancellationToken",
        "HttpContext",
        "HttpRequest",
        "HttpResponse",
        "ClaimsPrincipal",
        "IServiceProvider",
        "PipeReader",
        "LinkGenerator",
        "ApiVersion",
        "ILogger",
        "ILogger`1",
        "ModelStateDictionary",
    }
)
_MAX_MEMBERS_DEPTH = 3


def read_inputs(binder: Binder, params: tuple[Param, ...], scope: Scope) -> RequestInputs:
    """What the parameters of a handler read from the request."""
    return _read_params(binder, tuple((param, scope) for param in params))


def _read_params(binder: Binder, params: tuple[tuple[Param, Scope], ...]) -> RequestInputs:
    parameters: list[Parameter] = []
    bodies: list[Body] = []
    form: list[Field] = []
    form_files = False
    complete = True
    for param, scope in params:
        if param.type is None or param.kind:
            complete = complete and param.type is not None
            continue
        source = _source(binder, param, param.type, scope)
        match source:
            case "services":
                complete = complete and not is_request(param.type)
            case "body":
                bodies.extend(_body(binder, param, param.type, scope))
            case "form":
                form.extend(_form_fields(binder, param, param.type, scope))
                form_files = form_files or any(is_file(field.schema) for field in form)
            case "members":
                inner = _members(binder, param.type, scope)
                parameters.extend(inner.parameters)
                bodies.extend(inner.bodies)
                complete = complete and inner.complete
            case "path" | "query" | "header":
                found = _parameters(binder, param, param.type, source, scope)
                parameters.extend(found or ())
                by = model_binder(binder.program, param.annotations, param.type, scope)
                seen = found is not None and by is None
                complete = complete and seen and not _has_unseen_base(binder, param.type, scope)
    parameters.extend(_unread_path_parameters(binder, parameters))
    if form:
        default = "multipart/form-data" if form_files else "application/x-www-form-urlencoded"
        kinds = binder.consumes or (default,)
        shape = Object(fields=tuple(form))
        bodies.extend(Body(schema=shape, content_type=kind, required=None) for kind in kinds)
    return RequestInputs(parameters=tuple(parameters), bodies=tuple(bodies), complete=complete)


def inferred_bodies(binder: Binder, params: tuple[Param, ...], scope: Scope) -> int:
    """How many parameters are read from the body because of their types alone: objects with
    members that can be read, which no attribute marks."""
    return sum(
        param.type is not None
        and find(param.annotations, *binder.sources) is None
        and _source(binder, param, param.type, scope) == "body"
        and bool(_member_parameters(binder, param.type, "query", scope, ""))
        for param in params
    )


def is_request(type: TypeExpr) -> bool:
    """Whether a parameter of a type is given the request itself, or its context."""
    return simple_name(type) in ("HttpContext", "HttpRequest")


# --------------------------------------------------------------------------- where from


def _source(binder: Binder, param: Param, type: TypeExpr, scope: Scope) -> Source:
    marked = find(param.annotations, *binder.sources)
    if marked is not None:
        return binder.sources[marked.name.rsplit(".", 1)[-1].removesuffix("Attribute")]
    simple = simple_name(type)
    if simple in _PROVIDED:
        return "services"
    if file_shape(type) is not None:
        return "form"
    if _route_parameter(binder, _name(binder, param, scope) or param.name) is not None:
        return "path"
    if find(param.annotations, "ModelBinder") is not None:
        return "query"
    if model_binder(binder.program, param.annotations, type, scope) is not None:
        return "query"
    if is_simple(binder.program, type, scope):
        return "query"
    return _complex_source(binder, type, scope)


def _complex_source(binder: Binder, type: TypeExpr, scope: Scope) -> Source:
    """Where a parameter of a type with members of its own comes from."""
    if binder.minimal:
        if list_of_simple(binder.program, type, scope):
            return "query" if binder.method in ("GET", "DELETE", "HEAD") else "body"
        if is_service(binder.program, type, scope):
            return "services"
        return "services" if binder.method in ("GET", "DELETE", "HEAD", "OPTIONS") else "body"
    if not binder.api_controller:
        return "query"
    return "services" if is_service(binder.program, type, scope) else "body"


# --------------------------------------------------------------------------- parameters


def _name(binder: Binder, param: Param, scope: Scope) -> str | None:
    """The name a parameter is read under; None where it is not constant."""
    for marked in find_all(param.annotations, *binder.sources, "ModelBinder", "Bind"):
        given = argument(marked, -1, "Name")
        if given is not None:
            return binder.program.text(given, scope)
    return param.name


def _route_parameter(binder: Binder, name: str) -> RouteParameter | None:
    folded = name.casefold()
    return next((p for p in binder.template.parameters if p.name.casefold() == folded), None)


def _parameters(
    binder: Binder, param: Param, type: TypeExpr, source: Location, scope: Scope
) -> list[Parameter] | None:
    """The parameters that one of the handler's stands for; None where that is undetermined."""
    program = binder.program
    name = _name(binder, param, scope)
    listed = list_of_simple(program, type, scope)
    by = model_binder(program, param.annotations, type, scope)
    if by is not None and source != "path" and not reads_own_name(program, by):
        return []
    if by is None and source != "path" and not listed and not is_simple(program, type, scope):
        if declared_class(program, type, scope) is None:
            return None
        return _member_parameters(binder, type, source, scope, "")
    origin = program.origin(param, scope)
    route = None
    if source == "path":
        name = name or param.name
        route = _route_parameter(binder, name)
        name = route.name if route is not None else name
    if name is None:
        return None
    return [
        Parameter(
            name=name,
            location=source,
            schema=_parameter_schema(binder, param.annotations, type, scope),
            required=True if source == "path" else _is_required(binder, param, type, scope),
            has_default=param.default is not None
            or (route is not None and route.default is not None),
            default=program.plain(param.default, scope),
            origin=origin,
        )
    ]


def _parameter_schema(
    binder: Binder, annotations: tuple[Annotation, ...], type: TypeExpr, scope: Scope
) -> Schema:
    """The schema of a parameter: of its type as text, or unknown where a model binder decides."""
    by = model_binder(binder.program, annotations, type, scope)
    if by is not None:
        read = None
        if by.symbol is not None:
            read = bound_schema(binder.program, by.symbol, type, scope, binder.variant)
        origin = Origin(scope.file.path, type.span)
        reason = Reason("custom-model-binder", by=by.name)
        return Unknown(reason=reason, origin=origin) if read is None else read
    return shape_of_text(binder.program, type, scope, binder.variant)


def _is_required(binder: Binder, param: Param, type: TypeExpr, scope: Scope) -> bool | None:
    """Whether ASP.NET Core refuses a request without the parameter."""
    if param.default is not None:
        return False
    nullable = may_be_null(binder.program, type, scope)
    if binder.minimal:
        if list_of_simple(binder.program, type, scope):
            return False
        return None if nullable is None else not nullable
    if find(param.annotations, "BindRequired") is not None:
        return True
    if is_value_type(binder.program, type, scope):
        return False
    needed = find(param.annotations, "Required") is not None
    # A text that must not be null counts as `[Required]`.
    implied = nullable is False and not list_of_simple(binder.program, type, scope)
    if needed or (implied and implies_required(binder.program)):
        return True if binder.refuses else None
    return False


def _member_parameters(
    binder: Binder, type: TypeExpr, source: Location, scope: Scope, prefix: str, depth: int = 0
) -> list[Parameter]:
    """The members of a type that is read from the query: one parameter each."""
    program = binder.program
    found = declared_class(program, type, scope)
    if found is None or depth > _MAX_MEMBERS_DEPTH:
        return []
    symbol, inside = found
    use = _use_of(binder, symbol, inside)
    result: list[Parameter] = []
    for member in wire_members(use, symbol, JsonSettings(naming="")):
        # Properties without a getter are no part of the metadata that values are bound by.
        # https://github.com/dotnet/aspnetcore: src/Shared/PropertyHelper, IsInterestingProperty
        unbound = member.read_only or member.write_only or _never_bound(member.annotations)
        if member.type is None or unbound:
            continue
        marked = find(member.annotations, "FromQuery", "FromRoute", "FromHeader", "BindProperty")
        written = text(program, marked, inside, -1, "Name") if marked is not None else None
        # Names are read in any case; the custom in contracts is to begin with a small letter.
        name = prefix + (written or _lower_first(member.name))
        simple = (
            is_simple(program, member.type, member.scope)
            or list_of_simple(program, member.type, member.scope)
            or model_binder(program, member.annotations, member.type, member.scope) is not None
        )
        if not simple:
            known = declared_class(program, member.type, member.scope) is not None
            if known and depth < _MAX_MEMBERS_DEPTH:
                result.extend(
                    _member_parameters(
                        binder, member.type, source, member.scope, f"{name}.", depth + 1
                    )
                )
            else:
                shape = file_shape(member.type) or Unknown(
                    reason=Reason("text-parsing-undetermined", member=member.name)
                )
                result.append(
                    Parameter(
                        name=name,
                        location=source,
                        schema=shape,
                        required=False,
                        origin=member.origin,
                    )
                )
            continue
        route = _route_parameter(binder, name)
        location: Location = "path" if route is not None else source
        if find(member.annotations, "FromHeader") is not None:  # its own source counts
            route, location, name = None, "header", written or member.name
        required = member.input_required
        if required and is_value_type(program, member.type, member.scope):
            required = False
        result.append(
            Parameter(
                name=route.name if route is not None else name,
                location=location,
                schema=_parameter_schema(binder, member.annotations, member.type, member.scope),
                required=location == "path" or (required and (binder.refuses or None)),
                origin=member.origin,
            )
        )
    return result


def _has_unseen_base(binder: Binder, type: TypeExpr, scope: Scope) -> bool:
    """Whether a class of the project may have members from a library that are bound as well."""
    found = declared_class(binder.program, type, scope)
    if found is None:
        return False
    symbol, inside = found
    return bool(unseen_base(_use_of(binder, symbol, inside), symbol))


def _use_of(binder: Binder, symbol: ClassSymbol, inside: Scope) -> TypeUse:
    name = NamedType(name=symbol.decl.name)
    return TypeUse(binder.program, name, symbol.key, inside, binder.variant)


def _never_bound(annotations: tuple[Annotation, ...]) -> bool:
    return find(annotations, "BindNever", "FromBody", "FromServices") is not None


def _lower_first(name: str) -> str:
    return name[:1].lower() + name[1:]


def _unread_path_parameters(binder: Binder, parameters: list[Parameter]) -> list[Parameter]:
    """Parameters of the path that no parameter of the handler reads."""
    known = {p.name.casefold() for p in parameters if p.location == "path"}
    found = []
    for route in binder.template.parameters:
        if route.name.casefold() in known:
            continue
        why = Reason("parameter-not-read", route=route.name)
        schema = Unknown(reason=why, accepts_any=True)
        found.append(Parameter(name=route.name, location="path", schema=schema, required=True))
    return found


def _members(binder: Binder, type: TypeExpr, scope: Scope) -> RequestInputs:
    """`[AsParameters] T`: each member is read like a parameter."""
    program = binder.program
    found = declared_class(program, type, scope)
    if found is None:
        return RequestInputs(complete=False)
    symbol, inside = found
    params: dict[str, tuple[Param, Scope]] = {}
    for owner, place in program.types.chain(symbol, inside):
        for part in parts(program, owner):
            for member in part.decl.members:
                if _is_bound(member) and member.name not in params:
                    params[member.name] = (_as_parameter(member), place)
    bare = replace(binder, template=Template(path=binder.template.path))
    named = {name.casefold() for name in params}
    parameters = tuple(p for p in binder.template.parameters if p.name.casefold() in named)
    bare = replace(bare, template=replace(bare.template, parameters=parameters))
    return _read_params(bare, tuple(params.values()))


def _is_bound(member: Member) -> bool:
    words = member.modifiers
    if "static" in words or member.type is None or member.kind == "getter":
        return False
    return member.kind == "parameter" or (member.kind == "property" and "public" in words)


def _as_parameter(member: Member) -> Param:
    return Param(
        name=_lower_first(member.name),
        type=member.type,
        default=member.value,
        annotations=member.annotations,
        name_span=member.name_span,
        span=member.span,
    )


# --------------------------------------------------------------------------- bodies


def _body(binder: Binder, param: Param, type: TypeExpr, scope: Scope) -> list[Body]:
    program = binder.program
    schema = program.schema(type, scope, READING + binder.variant)
    schema = with_needed_members(binder, param, schema, type, scope)
    optional = _may_be_empty(param, type)
    kinds = binder.consumes or ("application/json",)
    return [
        Body(
            schema=schema,
            content_type=kind,
            required=None if optional else True,
            origin=program.origin(param, scope),
        )
        for kind in kinds
    ]


def _may_be_empty(param: Param, type: TypeExpr) -> bool:
    """Whether a parameter takes a request without a body."""
    if isinstance(type, NullableType) or param.default is not None:
        return True
    marked = find(param.annotations, "FromBody")
    behaviour = argument(marked, -1, "EmptyBodyBehavior") if marked is not None else None
    return isinstance(behaviour, Attribute) and behaviour.name == "Allow"


def present_bodies(binder: Binder, params: tuple[Param, ...], scope: Scope) -> tuple[str, ...]:
    """The parameters whose body is there wherever the handler runs: a request with none, or with
    null, is refused before. Controllers that do not refuse what is invalid run all the same; in
    minimal APIs a reference is required where its type says that it is never null.

    https://github.com/dotnet/aspnetcore: BodyModelBinder, RequestDelegateFactory"""
    program = binder.program
    refuses = binder.minimal or (
        binder.refuses_first and not program.any_file_contains(b"AllowEmptyInputInBodyModelBinding")
    )
    return tuple(
        param.name
        for param in (params if refuses else ())
        if param.type is not None
        and not param.kind
        and not _may_be_empty(param, param.type)
        and _source(binder, param, param.type, scope) == "body"
        and (not binder.minimal or may_be_null(program, param.type, scope) is False)
    )


def _form_fields(binder: Binder, param: Param, type: TypeExpr, scope: Scope) -> list[Field]:
    program = binder.program
    origin = program.origin(param, scope)
    name = _name(binder, param, scope) or param.name
    file = file_shape(type)
    # Minimal APIs refuse a form without what is no list, allows no null and has no default.
    needed = _is_required(binder, param, type, scope) if binder.minimal else None
    is_list = isinstance(file, Array) or list_of_simple(program, type, scope)
    is_whole = simple_name(type) == "IFormCollection"
    required = True if needed and not is_list and not is_whole else None
    if file is not None:
        return [
            Field(
                name=name, schema=file, required=required, has_default=not required, origin=origin
            )
        ]
    by = model_binder(program, param.annotations, type, scope)
    if by is not None or is_simple(program, type, scope) or is_list:
        schema = _parameter_schema(binder, param.annotations, type, scope)
        return [
            Field(
                name=name, schema=schema, required=required, has_default=not required, origin=origin
            )
        ]
    return [
        Field(
            name=parameter.name,
            schema=parameter.schema,
            required=None,
            has_default=True,
            origin=parameter.origin,
        )
        for parameter in _member_parameters(binder, type, "query", scope, "")
    ]
