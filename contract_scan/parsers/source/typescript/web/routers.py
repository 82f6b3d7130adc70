"""Which router is mounted where: the graph of apps, routers and plugins of Express and Fastify.

A router is known by the place where it is made, or by the parameter through which a function gets
it (`export default (app) => { app.get(…) }`); a call of that function ties the two together.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, Literal, TypeAlias, cast

from msgspec import Struct
from msgspec.structs import replace

from contract_scan.ir.reasons import NO_REASON, Reason
from contract_scan.parsers.source.analysis.dataflow.object_mutations import without_casts
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import (
    AliasSymbol,
    ByType,
    Constant,
    FunctionValue,
    LibraryResult,
    LibrarySymbol,
    OneOf,
    Scope,
    Unresolved,
    Value,
    union_of,
)
from contract_scan.parsers.source.facts.nodes import (
    Attribute,
    Call,
    Expr,
    Index,
    NamedType,
    TypeExpr,
    TypeOfType,
    UnionType,
)
from contract_scan.parsers.source.typescript.resolution import walker
from contract_scan.parsers.source.typescript.web.paths import DYNAMIC_PREFIX, join
from contract_scan.parsers.source.web import route_graph
from contract_scan.parsers.source.web.mount_limits import MAX_PLACES
from contract_scan.parsers.source.web.route_graph import (
    MountedPath,
    Prefix,
    Role,
    RouteGraph,
    RouterId,
)

Node: TypeAlias = RouterId
ALTERNATIVE: Final = "alternative"
"""What is known of a mount: that one pattern mounts the router at further prefixes too."""
Alternative: TypeAlias = Literal["alternative"]
Mount: TypeAlias = route_graph.Mount[Alternative]

MAX_DEPTH = 25

CALL = "<call>"
"""Under this name the scope of a function that is read for one call says which call that is."""


def method_of(program: Program, callee: Expr, scope: Scope) -> tuple[Expr, str] | None:
    """What a method is called on, and its name: `get` of `router.get`, `router["get"]` and
    `router[method as "get"]`, empty where it is computed. None for calls of functions."""
    match callee:
        case Attribute(value=receiver, name=name):
            return receiver, name
        case Index(value=receiver, index=index):
            return receiver, program.text(without_casts(index), scope) or ""
        case _:
            return None


class RouterKind(Struct, frozen=True, kw_only=True):
    """How one library makes routers and what their types are called."""

    makers: frozenset[str]
    """Qualified names of calls that make a router or application."""
    apps: frozenset[str]
    """Those among them that make an application."""
    types: frozenset[str]
    chainable: frozenset[str]
    """Methods that give the router itself."""
    parameters: frozenset[str]
    """What people call a parameter of no declared type that is a router."""
    registers: frozenset[str] = frozenset()
    """Names of methods that register something. A function that makes a router and calls none of
    them makes another router for each of its calls."""
    has_prefix: bool = False
    """Whether a router has a prefix of its own: `new Router({ prefix: "/x" })`."""


def nodes(program: Program, value: Value, kind: RouterKind, graph: Graph) -> Iterator[Node]:
    """The routers that a value may be; applications become roots of the graph."""
    match value:
        case OneOf(options=options) if len(options) > MAX_PLACES:
            first = next(nodes(program, union_of(options[:MAX_PLACES]), kind, graph), None)
            if first is not None:
                crowd = first._replace(instance=f"{first.instance}#crowd")
                graph.add(crowd, "crowd")
                yield crowd
        case OneOf(options=options):
            for option in options:
                yield from nodes(program, option, kind, graph)
        case LibraryResult(name=name, receiver=receiver):
            if name in kind.makers:
                node = _node(program, value, kind)
                if name in kind.apps:
                    graph.add(node, "application")
                yield node
            elif receiver is not None and name.rsplit(".", 1)[-1] in kind.chainable:
                yield from nodes(program, receiver, kind, graph)
        case ByType(type=type, scope=scope, span=span):
            if _is_router_type(program, type, scope, kind):
                yield RouterId(scope.file.path, span)
        case Unresolved(span=span, path=path, parameter=name):
            node = RouterId(path, span)
            if name and path and node not in graph.handler_parameters:
                graph.add(node, "likely parameter" if name in kind.parameters else "parameter")
                yield node
        case _:
            return


def _node(program: Program, value: LibraryResult, kind: RouterKind) -> Node:
    """A router that a function makes is another one for each call the function is read for; one
    that a loop makes, for each item."""
    instance = _turn_of(value) + _factory_call(program, value.scope) + call_of(value.scope)
    if kind.registers and value.scope.function is not None:
        instance += _made_for(program, value.scope, kind)
    return RouterId(*value.identity, instance)


def _factory_call(program: Program, scope: Scope) -> str:
    """Which call of a function with parameters a scope belongs to, that is not read for it yet."""
    if not scope.depth or scope.function is None or not scope.function.params or call_of(scope):
        return ""
    return f">{_number_of(program, scope)}"


def scope_of_factory(program: Program, node: Node) -> Scope | None:
    """Inside the function that makes a router, as it runs for the call that makes this one; None
    for other routers."""
    number = node.instance.rpartition(">")[2]
    for known, scope in _numbered_scopes(program).values():
        if str(known) == number:
            return replace(scope, bindings={**scope.bindings, CALL: Constant(f">{number}")})
    return None


def _number_of(program: Program, scope: Scope) -> int:
    # The scope is kept with its number: its identity stays its own.
    made = _numbered_scopes(program)
    return made.setdefault(id(scope), (len(made), scope))[0]


def _numbered_scopes(program: Program) -> dict[int, tuple[int, Scope]]:
    made = program.memory.setdefault("routers made by functions", {})
    return cast("dict[int, tuple[int, Scope]]", made)


def _turn_of(value: LibraryResult) -> str:
    """Which item a loop is at where it makes a router; empty for one made outside of it."""
    turn = value.scope.bindings.get(walker.TURN)
    if not isinstance(turn, Constant):
        return ""
    loop, made = turn.span, value.site.span
    begins = (loop.line, loop.column) <= (made.line, made.column)
    ends = (made.end_line, made.end_column) <= (loop.end_line, loop.end_column)
    return f"#{turn.value}" if begins and ends else ""


def _made_for(program: Program, scope: Scope, kind: RouterKind) -> str:
    """Which call of a function that only makes routers a scope belongs to."""
    inside = walker.nested_nodes(scope.statements or ())
    callees = (node.callee for node in inside if isinstance(node, Call))
    if any(isinstance(c, Attribute) and c.name in kind.registers for c in callees):
        return ""
    return f"@{_number_of(program, scope)}"


def call_of(scope: Scope) -> str:
    """Which call the function around a place is read for; empty where it is read as it stands."""
    current: Scope | None = scope
    while current is not None:
        found = current.bindings.get(CALL)
        if isinstance(found, Constant):
            return str(found.value)
        current = current.parent
    return ""


def _is_router_type(
    program: Program, type: TypeExpr, scope: Scope, kind: RouterKind, depth: int = 0
) -> bool:
    if depth > MAX_DEPTH:
        return False
    if isinstance(type, UnionType):
        options = type.options
        return any(_is_router_type(program, option, scope, kind, depth + 1) for option in options)
    if isinstance(type, TypeOfType):
        return _is_router(program.evaluate(type.value, scope), kind)
    if not isinstance(type, NamedType):
        return False
    if type.name == "ReturnType" and type.args and isinstance(type.args[0], TypeOfType):
        made = program.evaluate(type.args[0].value, scope)
        return isinstance(made, FunctionValue) and _is_router(
            program.evaluator.returned_value(made), kind
        )
    found = program.names.lookup_type(type.name, scope)
    if isinstance(found, AliasSymbol):
        inside = program.names.classes.alias_scope(found)
        return _is_router_type(program, found.alias.type, inside, kind, depth + 1)
    return isinstance(found, LibrarySymbol) and found.name in kind.types


def _is_router(value: Value, kind: RouterKind) -> bool:
    while isinstance(value, LibraryResult) and value.receiver is not None:
        if value.name.rsplit(".", 1)[-1] not in kind.chainable:
            return False
        value = value.receiver
    return isinstance(value, LibraryResult) and value.name in kind.makers


Place: TypeAlias = MountedPath[Alternative]


def mount_below(
    parent: Node, prefix: str, reason: Reason = NO_REASON, *, several: bool = False
) -> Mount:
    """A mount below a router. `several`: one pattern mounts there at further prefixes, of which no
    contract lists all."""
    site: Alternative | None = ALTERNATIVE if several else None
    return route_graph.Mount(parent, Prefix(prefix, reason), site=site)


class Graph(RouteGraph[None, Alternative]):
    """Routers and their mounts."""

    def __init__(self) -> None:
        super().__init__(self._unmounted_reason, join=_join_prefixes, undetermined=DYNAMIC_PREFIX)
        self.calls_read = 0
        """For how many calls a function was read by itself."""
        self.handler_parameters: set[Node] = set()
        """Parameters of functions that answer requests: what these are given is no router."""
        self.loose_ends = NO_REASON
        """Why some router may be mounted in a way that was not seen; empty: all mounts were."""

    def _unmounted_reason(self, _: Node, role: Role) -> Reason:
        if self.loose_ends:
            return self.loose_ends
        if role == "likely parameter":
            return Reason("router-never-passed")
        return Reason("router-not-mounted")


def _join_prefixes(prefix: str, further: str) -> str:
    return join(prefix, further).removesuffix("/")
