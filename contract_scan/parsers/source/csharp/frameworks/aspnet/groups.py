"""Which prefixes stand in front of a route: groups, and what callers hand to endpoint modules."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import cast

from msgspec import Struct
from msgspec.structs import replace

from contract_scan.ir.operation import DYNAMIC_PREFIX
from contract_scan.ir.origin import NO_SPAN
from contract_scan.ir.reasons import NO_REASON, Reason
from contract_scan.parsers.source.analysis.dataflow import reaching_definitions
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import ByType, ClassSymbol, Instance, Scope
from contract_scan.parsers.source.csharp.frameworks.aspnet.carter_modules import (
    MAP_CARTER,
    base_path,
    is_module,
)
from contract_scan.parsers.source.csharp.frameworks.aspnet.endpoint_filters import (
    ADDING,
    FilterSite,
    added_later,
    filter_site,
)
from contract_scan.parsers.source.csharp.frameworks.aspnet.endpoints import Endpoint, version_text
from contract_scan.parsers.source.csharp.resolution.callers import (
    called_by_name,
    calls_of,
    passed_for,
)
from contract_scan.parsers.source.csharp.resolution.calls import called_function
from contract_scan.parsers.source.csharp.resolution.extensions import extension_named
from contract_scan.parsers.source.csharp.resolution.value_classes import symbol_of
from contract_scan.parsers.source.csharp.web.prefixes import (
    UNKNOWN,
    by_extension,
    calls_on,
    constant_text,
    group_prefix,
    join_template,
)
from contract_scan.parsers.source.csharp.web.reflection import invocations
from contract_scan.parsers.source.facts.nodes import (
    Argument,
    Assign,
    Attribute,
    Call,
    Expr,
    Function,
    Name,
    NamedType,
    New,
    Return,
)
from contract_scan.parsers.source.web.mount_limits import TOO_MANY, first_places

_MAX_DEPTH = 60
_MEMORY = "csharp.groups"
_NOT_CONSTANT = Reason("group-prefix-not-constant")


class Prefix(Struct, frozen=True, kw_only=True):
    """One prefix under which a route is reached."""

    path: str = ""
    unresolved: Reason = NO_REASON
    excluded_from_docs: bool = False
    versions: tuple[str, ...] = ()
    filters: tuple[FilterSite, ...] = ()
    """Filters that a group puts around its endpoints, outermost first."""


def endpoint_prefixes(program: Program, endpoint: Endpoint) -> tuple[Prefix, ...]:
    """The prefixes of a route, with what wrappers that map it put behind them."""
    found = prefixes(program, endpoint.receiver, endpoint.mapped_in)
    for expr, name, scope in endpoint.behind_it:
        added = group_prefix(program, expr, name, scope)
        if added is None:
            return tuple(_below_undetermined(p, _NOT_CONSTANT) for p in found)
        found = tuple(replace(p, path=join_template(p.path, added)) for p in found)
    return found


def prefixes(program: Program, receiver: Expr, scope: Scope, depth: int = 0) -> tuple[Prefix, ...]:
    """The prefixes of what routes are mapped on; several where a module is mounted twice."""
    if depth > _MAX_DEPTH:
        return (Prefix(unresolved=Reason("group-too-deep")),)
    match receiver:
        case Call(callee=Attribute(value=value, name=name)):
            return _of_call(program, receiver, value, name, scope, depth)
        case Call(callee=Name()):
            return _of_function(program, receiver, scope, depth)
        case Name(id=id):
            return _of_name(program, id, receiver, scope, depth)
        case _:
            return (Prefix(),)


def _of_call(
    program: Program, call: Call, value: Expr, name: str, scope: Scope, depth: int
) -> tuple[Prefix, ...]:
    outer = prefixes(program, value, scope, depth + 1)
    if name == "MapGroup" and call.args:
        text = constant_text(program, call.args[0].value, scope)
        if text is None:
            own = _of_extension(program, call, outer, scope)
            if own:
                return own
            return tuple(_below_undetermined(p, _NOT_CONSTANT) for p in outer)
        return tuple(replace(p, path=join_template(p.path, text)) for p in outer)
    if name in ADDING:
        return _with_filters(outer, (filter_site(program, call, scope),))
    if name == "ExcludeFromDescription":
        return tuple(replace(p, excluded_from_docs=True) for p in outer)
    if name in ("HasApiVersion", "MapToApiVersion") and call.args:
        version = version_text(program, call.args[0].value, scope)
        if version is not None:
            return tuple(replace(p, versions=(*p.versions, version)) for p in outer)
        return outer
    return (
        _of_extension(program, call, outer, scope)
        or _of_returned(program, call, scope, depth)
        or outer
    )


def _with_filters(found: tuple[Prefix, ...], filters: tuple[FilterSite, ...]) -> tuple[Prefix, ...]:
    if not filters:
        return found
    return tuple(replace(p, filters=(*p.filters, *filters)) for p in found)


def _of_function(program: Program, call: Call, scope: Scope, depth: int) -> tuple[Prefix, ...]:
    return _of_returned(program, call, scope, depth) or (Prefix(),)


def _of_returned(program: Program, call: Call, scope: Scope, depth: int) -> tuple[Prefix, ...]:
    """A project function that gives a group: the prefix of what it returns."""
    function = called_function(program, call, scope)
    args = call.args
    if function is None and isinstance(call.callee, Attribute):
        extensions = extension_named(program, call.callee.name)
        function = extensions[0] if len(extensions) == 1 else None
        args = (Argument(value=call.callee.value), *args)
    if function is None:
        return ()
    given = program.evaluator.arguments(function.function.params, replace(call, args=args), scope)
    inside = program.function_scope(function.function, function.scope, given)
    if _hands_back(function.function, inside):
        return ()
    found: list[Prefix] = []
    for statement in reaching_definitions.returns(inside.statements or ()):
        if isinstance(statement, Return) and statement.value is not None:
            found.extend(prefixes(program, statement.value, inside, depth + 1))
    return _limit_prefixes(found)


def _limit_prefixes(found: Iterable[Prefix]) -> tuple[Prefix, ...]:
    """Each prefix once, up to the limit; behind that an undetermined one."""
    unknown_prefix = Prefix(path=DYNAMIC_PREFIX, unresolved=TOO_MANY)
    return tuple(first_places(found, lambda: unknown_prefix))


def _of_extension(
    program: Program, call: Call, outer: tuple[Prefix, ...], scope: Scope
) -> tuple[Prefix, ...]:
    """An extension method of the project that puts a prefix behind that of what it is called on."""
    text = by_extension(program, call, scope)
    if text is None or text is UNKNOWN:
        return ()
    return tuple(replace(p, path=join_template(p.path, text)) for p in outer)


def _hands_back(function: Function, inside: Scope) -> bool:
    """Whether an extension method returns what it was called on: `app.MapOrders().MapItems()`."""
    if not function.params or "this" not in function.params[0].modifiers:
        return False
    statements = inside.statements or ()
    name = function.params[0].name
    if reaching_definitions.all_definitions(statements, name):
        return False
    values = [s.value for s in reaching_definitions.returns(statements) if isinstance(s, Return)]
    return bool(values) and all(isinstance(v, Name) and v.id == name for v in values)


def _of_name(
    program: Program, name: str, expr: Name, scope: Scope, depth: int
) -> tuple[Prefix, ...]:
    """A variable: what it was given; a parameter: what callers pass."""
    current: Scope | None = scope
    while current is not None:
        statements = current.statements or ()
        if current.function is not None or current.parent is None:
            use = expr.span if current is scope else None
            found = reaching_definitions.reaching_definitions(statements, name, use) if use else ()
            if not found:
                found = reaching_definitions.reaching_definitions(statements, name, NO_SPAN)
            values = [d.statement.value for d in found if isinstance(d.statement, Assign)]
            known = [value for value in values if value is not None]
            if known:
                result: list[Prefix] = []
                for value in known:
                    result.extend(prefixes(program, value, current, depth + 1))
                later = added_later(program, name, current)
                return _limit_prefixes(_with_filters(tuple(result), later))
        function = current.function
        if function is not None and any(p.name == name for p in function.params):
            found_above = _of_parameter(program, function, name, current, depth)
            return _with_filters(found_above, added_later(program, name, current))
        current = current.parent
    return (Prefix(),)


def _of_parameter(
    program: Program, function: Function, name: str, scope: Scope, depth: int
) -> tuple[Prefix, ...]:
    """What the callers of a function hand it. A lambda, and a function that nothing is seen to
    call, is handed the application itself."""
    if not function.name:
        return (Prefix(),)
    known = cast("dict[object, tuple[Prefix, ...]]", program.memory.setdefault(_MEMORY, {}))
    key = (scope.file.path, function.span, name)
    if key not in known:
        known[key] = _argument_prefixes(program, function, name, scope, depth)
    return known[key]


def _argument_prefixes(
    program: Program, function: Function, name: str, scope: Scope, depth: int
) -> tuple[Prefix, ...]:
    position = next(i for i, p in enumerate(function.params) if p.name == name)
    extension = "this" in function.params[0].modifiers
    literals = called_by_name(function)
    found: dict[Prefix, None] = {}
    for path in program.files_containing(*literals):
        for call, inside in calls_of(program, program.facts(path), *literals):
            if not isinstance(call, Call) or inside.function is function:
                continue
            passed = passed_for(call, function, position)
            if passed is None:
                continue
            if scope.owner is not None and (parameter := _type_parameter(call, inside)):
                for given in _arguments_for_class(program, passed, inside, parameter, scope.owner):
                    found |= dict.fromkeys(_of_handed(program, given, depth))
                continue
            if not _same_owner(program, call, function, scope, inside, extension=extension):
                continue
            place = _known_receiver(program, call, scope, inside)
            for prefix in prefixes(program, passed, place, depth + 1):
                found[prefix] = None
    if not found and scope.owner is not None and is_module(program, scope.owner):
        return _of_module(program, scope.owner, depth)
    if not found and scope.owner is not None:
        for expr, place in invocations(program, function, scope.owner, position):
            found |= dict.fromkeys(prefixes(program, expr, place, depth + 1))
    if not found and _is_called_through_a_type(program, function, scope):
        return (Prefix(unresolved=Reason("mapping-method-caller-not-found")),)
    return _limit_prefixes(found) or (Prefix(),)


def _of_handed(program: Program, given: _BoundArgument, depth: int) -> tuple[Prefix, ...]:
    outer = prefixes(program, given.value, given.scope, depth + 1)
    if given.suffix is None:
        return tuple(_below_undetermined(p, _NOT_CONSTANT) for p in outer)
    return tuple(replace(p, path=join_template(p.path, given.suffix)) for p in outer)


def _of_module(program: Program, owner: ClassSymbol, depth: int) -> tuple[Prefix, ...]:
    """What `MapCarter` hands its modules: what it is called on, behind it a module's base path."""
    outer: dict[Prefix, None] = {}
    for path in program.files_containing(MAP_CARTER):
        for call, inside in calls_of(program, program.facts(path), MAP_CARTER):
            match call:
                case Call(callee=Attribute(name="MapCarter", value=receiver)):
                    outer |= dict.fromkeys(prefixes(program, receiver, inside, depth + 1))
                case _:
                    pass
    base = base_path(program, owner)
    if base is None:
        reason = Reason("module-base-path-not-constant")
        return tuple(_below_undetermined(p, reason) for p in outer or (Prefix(),))
    return tuple(replace(p, path=join_template(p.path, base)) for p in outer or (Prefix(),))


def _below_undetermined(prefix: Prefix, reason: Reason) -> Prefix:
    path = join_template(prefix.path, DYNAMIC_PREFIX)
    return replace(prefix, path=path, unresolved=prefix.unresolved or reason)


def _is_called_through_a_type(program: Program, function: Function, scope: Scope) -> bool:
    """Whether an interface or base class of the project asks for the method: start-up code then
    finds it by reflection, and may put it into a group."""
    if scope.owner is None:
        return False
    return any(
        method.name == function.name
        for base in program.bases(scope.owner)
        for method in base.decl.methods
    )


def _known_receiver(program: Program, call: Call, scope: Scope, inside: Scope) -> Scope:
    """`instance.Map(app.MapGroup(instance))` where a base class declares `Map`: for the method of a
    class, the instance is one of that class."""
    match call:
        case Call(callee=Attribute(value=Name(id=id))) if scope.owner is not None:
            target = called_function(program, call, inside)
            owner = None if target is None else target.owner
            if owner is not None and owner.key in {b.key for b in program.bases(scope.owner)}:
                made = Instance(scope.owner)
                return replace(inside, bindings={**inside.bindings, id: made})
        case _:
            pass
    return inside


def _same_owner(
    program: Program,
    call: Call,
    function: Function,
    scope: Scope,
    inside: Scope,
    *,
    extension: bool,
) -> bool:
    """Whether a call means this function and not another of its name: `OrderRoutes.Map(app)`."""
    if not isinstance(call.callee, Attribute):
        return inside.owner is None or scope.owner is None or inside.owner.key == scope.owner.key
    target = called_function(program, call, inside)
    if target is None:
        # Extension methods are no members of what they are called on.
        return extension
    if target.function is function:
        return True
    if target.owner is None or scope.owner is None or target.function.name != function.name:
        return False
    return target.owner.key in {base.key for base in program.bases(scope.owner)}


# --------------------------------------------------------------------------- type parameters
# public static void Add<TEndpoint>(this IEndpointRouteBuilder app) where TEndpoint : IEndpoint =>
#     TEndpoint.Map(app);
#
# orders.Add<PlaceOrder>();


_MAX_CALLS = 8
"""Generic functions that call each other, each with a type parameter of its own."""


class _BoundArgument(Struct, frozen=True):
    """What a caller hands over, and what the functions in between put behind its prefix."""

    value: Expr
    scope: Scope
    suffix: str | None
    """None: that is undetermined."""


def _type_parameter(call: Call, scope: Scope) -> str:
    """The type parameter of the function around a call of whose class a method is called:
    `T.Map(app)`, `new T().Map(app)`; empty where the call is no such one."""
    match call.callee:
        case Attribute(value=Name(id=name)):
            pass
        case Attribute(value=New(type=NamedType(name=name))):
            pass
        case _:
            return ""
    return name if _index(name, scope) is not None else ""


def _arguments_for_class(
    program: Program,
    passed: Expr,
    scope: Scope,
    parameter: str,
    owner: ClassSymbol,
    depth: int = 0,
) -> Iterator[_BoundArgument]:
    """The values for `passed` of those callers of the function around `scope` for which the type
    parameter is the class `owner`."""
    function, index = scope.function, _index(parameter, scope)
    if function is None or index is None or depth > _MAX_CALLS:
        return
    literals = called_by_name(function)
    for path in program.files_containing(*literals):
        for call, place in calls_of(program, program.facts(path), *literals):
            if not isinstance(call, Call) or len(call.type_args) != len(function.type_params):
                continue
            type = call.type_args[index]
            values = {
                param.name: value
                for position, param in enumerate(function.params)
                if (value := passed_for(call, function, position)) is not None
            }
            given = {name: program.evaluate(value, place) for name, value in values.items()}
            inside = replace(scope, bindings={**scope.bindings, **given})
            for name, value in values.items():
                if calls_on(passed, name, scope) is None:
                    continue
                added = group_prefix(program, passed, name, inside)
                symbol = symbol_of(program, ByType(type, place))
                if symbol is not None and symbol.key == owner.key:
                    yield _BoundArgument(value, place, added)
                elif isinstance(type, NamedType) and place.function is not function:
                    for outer in _arguments_for_class(
                        program, value, place, type.name, owner, depth + 1
                    ):
                        yield _BoundArgument(
                            outer.value, outer.scope, _joined_template(outer.suffix, added)
                        )


def _joined_template(outer: str | None, added: str | None) -> str | None:
    return None if outer is None or added is None else join_template(outer, added)


def _index(name: str, scope: Scope) -> int | None:
    parameters = () if scope.function is None else scope.function.type_params
    names = [parameter.name for parameter in parameters]
    return names.index(name) if name in names else None
