"""What the `Configure` method (or attributes) of an endpoint says: verbs, routes, groups."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct
from msgspec.structs import replace

from contract_scan.ir.reasons import NO_REASON, Reason
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import (
    ClassSymbol,
    Constant,
    FunctionValue,
    Scope,
)
from contract_scan.parsers.source.analysis.evaluation.call_sites import calls_in
from contract_scan.parsers.source.csharp.frameworks.aspnet.endpoints import announced_call
from contract_scan.parsers.source.csharp.frameworks.aspnet.route_attributes import VERBS
from contract_scan.parsers.source.csharp.frameworks.fast_endpoints.application import Application
from contract_scan.parsers.source.csharp.frameworks.fast_endpoints.classes import EndpointClass
from contract_scan.parsers.source.csharp.resolution.annotations import find_all, simple_name
from contract_scan.parsers.source.csharp.resolution.partial_classes import merged_annotations
from contract_scan.parsers.source.csharp.web.called import own_name
from contract_scan.parsers.source.csharp.web.responses import AnnotatedResponse
from contract_scan.parsers.source.facts.nodes import (
    Argument,
    ArrayLiteral,
    Attribute,
    Call,
    Expr,
    Lambda,
    Name,
    NamedType,
    ObjectLiteral,
    Return,
    TypeExpr,
)

_VERBS = {
    name: name.upper()
    for name in ("Get", "Post", "Put", "Patch", "Delete", "Head", "Options", "Trace", "Query")
} | {"Connect": "CONNECT"}
_MAX_DEPTH = 6


class Route(Struct, frozen=True, kw_only=True):
    """One route as written."""

    template: str = ""
    unresolved: Reason = NO_REASON
    call: Call | None = None
    scope: Scope | None = None


class EndpointSetup(Struct, frozen=True, kw_only=True):
    """Everything that an endpoint says of itself."""

    verbs: tuple[str, ...] = ()
    routes: tuple[Route, ...] = ()
    unresolved: Reason = NO_REASON
    own_prefix: str | None = None
    """What stands in place of the application's prefix."""
    version: int = 0
    form: str = ""
    """Content type of the form that is read; empty: none."""
    excluded_from_docs: bool = False
    name: str = ""
    binds_itself: bool = False
    intercepted: bool = False
    announced: tuple[AnnotatedResponse, ...] = ()


def setup_of(program: Program, endpoint: EndpointClass, variant: str) -> EndpointSetup:
    """What an endpoint says of itself."""
    found = _from_attributes(program, endpoint)
    configure = endpoint.method("Configure")
    if configure is not None:
        for call, scope in _calls(program, endpoint, configure, 0):
            found = _with_call(program, found, call, scope, variant)
    return found


def as_configured(
    program: Program, setup: EndpointSetup, application: Application, variant: str
) -> EndpointSetup:
    """What an endpoint says of itself with what the application sets for every endpoint."""
    made = application.configured
    announced = (announced_call(program, call, scope, variant) for call, scope in made.announcing)
    return replace(
        setup,
        own_prefix=setup.own_prefix if made.own_prefix is None else made.own_prefix,
        version=made.version or setup.version,
        excluded_from_docs=setup.excluded_from_docs or made.hidden,
        announced=(*setup.announced, *(one for one in announced if one is not None)),
    )


def templates(
    setup: EndpointSetup, application: Application
) -> Iterator[tuple[str, Route, Reason]]:
    """(whole template, route as written, why it is undetermined) of every route."""
    prefix = application.prefix
    if setup.own_prefix is not None and prefix:
        prefix = setup.own_prefix.strip("/")
    version = setup.version or application.default_version
    text = f"{application.version_prefix}{version}" if version else ""
    for route in setup.routes:
        unresolved = route.unresolved or setup.unresolved or application.unresolved
        template = route.template
        if application.version_template and version:
            template = template.replace(application.version_template, text)
            parts = [prefix, template]
        elif application.version_first:
            parts = [prefix, text, template]
        else:
            parts = [prefix, template, text]
        whole = "/".join(part.strip("/") for part in parts if part.strip("/"))
        yield whole, route, unresolved


# --------------------------------------------------------------------------- attributes


def _from_attributes(program: Program, endpoint: EndpointClass) -> EndpointSetup:
    """`[HttpGet("/orders")]`, `[Group<Admin>]` on the class."""
    owner, scope = endpoint.chain[0]
    marked = merged_annotations(program, owner)
    found = EndpointSetup()
    for annotation in marked:
        verb = VERBS.get(simple_name(annotation))
        if verb is None:
            continue
        routes = tuple(_route(program, a.value, None, scope) for a in annotation.args if not a.name)
        found = replace(found, verbs=(*found.verbs, verb), routes=(*found.routes, *routes))
    if any(simple_name(a) == "AllowFileUploads" for a in marked):
        found = replace(found, form="multipart/form-data")
    for annotation in find_all(marked, "Group"):
        for type in annotation.type_args:
            found = _with_groups(program, found, type, scope)
    return found


# --------------------------------------------------------------------------- calls


def _calls(
    program: Program, endpoint: EndpointClass, function: FunctionValue, depth: int
) -> Iterator[tuple[Call, Scope]]:
    """The calls of a method in order; calls of the endpoint's own helpers are entered."""
    inside = program.function_scope(function.function, function.scope)
    yield from _calls_at(program, endpoint, inside, function, depth)


def _calls_at(
    program: Program,
    endpoint: EndpointClass,
    inside: Scope,
    function: FunctionValue,
    depth: int,
) -> Iterator[tuple[Call, Scope]]:
    for call, scope in calls_in(program, inside.statements or (), inside):
        if not isinstance(call, Call):
            continue
        helper = _own_helper(endpoint, call, function) if depth < _MAX_DEPTH else None
        if helper is None:
            yield call, scope
            continue
        bindings = program.evaluator.arguments(helper.function.params, call, scope)
        deeper = program.function_scope(helper.function, helper.scope, bindings)
        yield from _calls_at(program, endpoint, deeper, helper, depth + 1)


def _own_helper(
    endpoint: EndpointClass, call: Call, function: FunctionValue
) -> FunctionValue | None:
    """A method of the endpoint or of a base class in the project that is called."""
    match call.callee:
        case Attribute(value=Name(id="super"), name=name):
            return endpoint.method(name, len(call.args), after=function.owner)
        case Name(id=name) | Attribute(value=Name(id="this"), name=name):
            return endpoint.method(name, len(call.args))
        case _:
            return None


def _with_call(
    program: Program,
    found: EndpointSetup,
    call: Call,
    scope: Scope,
    variant: str,
) -> EndpointSetup:
    name = own_name(call.callee)
    if name in _VERBS and call.args and _takes_routes(call):
        routes = _routes(program, call, scope)
        return replace(found, verbs=(_VERBS[name],), routes=routes)
    match name:
        case "Routes":
            return replace(found, routes=_routes(program, call, scope))
        case "Verbs":
            return _with_verbs(program, found, call, scope)
        case "Group" if call.type_args:
            return _with_groups(program, found, call.type_args[0], scope)
        case "RoutePrefixOverride" if call.args:
            return _with_own_prefix(program, found, call.args[0].value, scope)
        case "Version" if call.args:
            return _with_version(program, found, call.args[0].value, scope)
        case "AllowFileUploads":
            return replace(found, form="multipart/form-data")
        case "AllowFormData":
            encoded = bool(call.args) and _is_true(program, call.args[0].value, scope)
            kind = "application/x-www-form-urlencoded" if encoded else "multipart/form-data"
            return replace(found, form=kind)
        case "RequestBinder":
            return replace(found, binds_itself=True)
        case "ResponseInterceptor":
            return replace(found, intercepted=True)
        case _:
            return _with_fluent(program, found, call, scope, variant)


def _takes_routes(call: Call) -> bool:
    """`Options("/x")` maps a route, `Options(x => …)` configures one."""
    return not isinstance(call.args[0].value, Lambda)


def _with_fluent(
    program: Program, found: EndpointSetup, call: Call, scope: Scope, variant: str
) -> EndpointSetup:
    """`Description(b => b.Produces<T>(201))`, `Summary(s => s.Response<T>(404))`."""
    if not isinstance(call.callee, Attribute):
        return found
    match call.callee.name:
        case "ExcludeFromDescription":
            return replace(found, excluded_from_docs=True)
        case "WithName" if call.args:
            return replace(found, name=program.text(call.args[0].value, scope) or "")
        case "Produces" | "ProducesProblem" | "ProducesValidationProblem":
            one = announced_call(program, call, scope, variant)
        case "Response" if call.type_args:
            renamed = replace(call, callee=replace(call.callee, name="Produces"))
            one = announced_call(program, renamed, scope, variant)
        case _:
            return found
    return found if one is None else replace(found, announced=(*found.announced, one))


def _with_verbs(program: Program, found: EndpointSetup, call: Call, scope: Scope) -> EndpointSetup:
    verbs: list[str] = []
    for item in _items(call.args):
        text = item.name if isinstance(item, Attribute) else program.text(item, scope)
        if text is None:
            return replace(found, verbs=("*",), unresolved=Reason("verbs-not-constant"))
        verbs.append(text.upper())
    return replace(found, verbs=tuple(verbs))


def _items(args: tuple[Argument, ...]) -> Iterator[Expr]:
    for argument in args:
        value = argument.value
        if isinstance(value, ArrayLiteral):
            yield from value.items
        else:
            yield value


def _with_own_prefix(
    program: Program, found: EndpointSetup, value: Expr, scope: Scope
) -> EndpointSetup:
    text = "" if isinstance(value, Attribute) and value.name == "Empty" else None
    text = program.text(value, scope) if text is None else text
    if text is None:
        return replace(found, unresolved=Reason("replacement-prefix-not-constant"))
    return replace(found, own_prefix=text)


def _with_version(
    program: Program, found: EndpointSetup, value: Expr, scope: Scope
) -> EndpointSetup:
    known = program.evaluate(value, scope)
    if isinstance(known, Constant) and isinstance(known.value, int):
        return replace(found, version=known.value)
    return replace(found, unresolved=Reason("version-not-constant"))


def _is_true(program: Program, value: Expr, scope: Scope) -> bool:
    known = program.evaluate(value, scope)
    return isinstance(known, Constant) and known.value is True


# --------------------------------------------------------------------------- routes


def _routes(program: Program, call: Call, scope: Scope) -> tuple[Route, ...]:
    args = call.args
    if len(args) == 2 and isinstance(args[1].value, Lambda):
        found = _route(program, args[0].value, call, scope)
        return (replace(found, template=_with_members(found.template, args[1].value)),)
    return tuple(_route(program, item, call, scope) for item in _items(args))


def _route(program: Program, value: Expr, call: Call | None, scope: Scope) -> Route:
    text = program.text(value, scope)
    if text is None:
        part = program.template(value, scope) or ""
        return Route(template=part, unresolved=Reason("route-not-constant"), call=call, scope=scope)
    return Route(template=text, call=call, scope=scope)


def _with_members(template: str, members: Lambda) -> str:
    """`Get("/orders/{@id}", r => new { r.OrderId })`: what begins with `@` is replaced in order."""
    names: list[str] = []
    for statement in members.function.body or ():
        if isinstance(statement, Return) and isinstance(statement.value, ObjectLiteral):
            for entry in statement.value.entries:
                value = entry.value
                names.append(value.name if isinstance(value, Attribute) else entry.key or "")
    pieces = template.split("@")
    whole = pieces[0]
    for position, piece in enumerate(pieces[1:]):
        rest = piece.lstrip("_" + _WORD)
        whole += (names[position] if position < len(names) else "") + rest
    return whole


_WORD = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"


# --------------------------------------------------------------------------- groups


def _with_groups(
    program: Program, found: EndpointSetup, type: TypeExpr, scope: Scope
) -> EndpointSetup:
    """The setup after its group of endpoints and the groups around that."""
    for _ in range(_MAX_DEPTH):
        group = program.names.declared_class(type, scope)
        if group is None:
            reason = Reason("endpoint-group-not-found")
            return replace(found, unresolved=found.unresolved or reason)
        found = _in_group(program, found, group)
        parent = _parent(program, group)
        if parent is None:
            return found
        type, scope = parent
    return replace(found, unresolved=Reason("groups-too-deep"))


def _parent(program: Program, group: ClassSymbol) -> tuple[TypeExpr, Scope] | None:
    for base in group.decl.bases:
        if isinstance(base, NamedType) and base.name.endswith("SubGroup`1") and base.args:
            return base.args[0], program.class_scope(group)
    return None


def _in_group(program: Program, found: EndpointSetup, group: ClassSymbol) -> EndpointSetup:
    inside = program.class_scope(group)
    for method in group.decl.methods:
        if "constructor" not in method.modifiers:
            continue
        scope = program.function_scope(method, inside)
        calls = list(calls_in(program, scope.statements or (), scope))
        configured = [
            c for c, _ in calls if isinstance(c, Call) and own_name(c.callee) == "Configure"
        ]
        if len(configured) != 1 or not configured[0].args:
            continue
        prefix = program.text(_prefix_argument(configured[0]), scope)
        if prefix is None:
            reason = Reason("group-prefix-not-constant")
            return replace(found, unresolved=found.unresolved or reason)
        routes = tuple(
            replace(route, template=f"{prefix.rstrip('/')}/{route.template.lstrip('/')}")
            for route in found.routes
        )
        found = replace(found, routes=routes)
        for call, place in calls:
            if isinstance(call, Call) and isinstance(call.callee, Attribute):
                found = _with_group_call(program, found, call, call.callee.name, place)
        return found
    reason = Reason("group-prefix-not-found", group=group.decl.name)
    return replace(found, unresolved=found.unresolved or reason)


def _prefix_argument(call: Call) -> Expr:
    named = next((a.value for a in call.args if a.name == "routePrefix"), None)
    return call.args[0].value if named is None else named


def _with_group_call(
    program: Program, found: EndpointSetup, call: Call, name: str, scope: Scope
) -> EndpointSetup:
    """What the action of a group does to each endpoint: `ep.EndpointVersion(1)`."""
    if name == "RoutePrefixOverride" and call.args:
        return _with_own_prefix(program, found, call.args[0].value, scope)
    if name == "EndpointVersion" and call.args:
        return _with_version(program, found, call.args[0].value, scope)
    if name == "ExcludeFromDescription":
        return replace(found, excluded_from_docs=True)
    if name == "AllowFileUploads":
        return replace(found, form="multipart/form-data")
    return found
