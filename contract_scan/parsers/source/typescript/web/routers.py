"""Which router is mounted where: the graph of apps, routers and plugins of Express and Fastify.

A router is known by the place where it is made, or by the parameter through which a function gets
it (`export default (app) => { app.get(…) }`); a call of that function ties the two together.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TypeAlias, cast

from msgspec import Struct
from msgspec.structs import replace

from contract_scan.ir.operation import Application
from contract_scan.ir.origin import Origin, Span
from contract_scan.ir.reasons import NO_REASON, Reason
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
    Cast,
    Expr,
    Index,
    NamedType,
    TypeExpr,
    TypeOfType,
    UnionType,
)
from contract_scan.parsers.source.typescript.resolution import walker
from contract_scan.parsers.source.typescript.web.paths import DYNAMIC_PREFIX, join
from contract_scan.parsers.source.typescript.web.url_rewrites import UrlRewrite
from contract_scan.parsers.source.web.mount_limits import (
    MAX_PLACES,
    TOO_DEEP,
    TOO_MANY,
    TOO_MANY_ROUTERS,
    Steps,
    first_places,
)

Node: TypeAlias = tuple[str, Span]
"""File and place of the call that makes a router, or of the parameter that brings it."""

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
            while isinstance(index, Cast):
                index = index.value
            return receiver, program.text(index, scope) or ""
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
                yield graph.crowd(first)
        case OneOf(options=options):
            for option in options:
                yield from nodes(program, option, kind, graph)
        case LibraryResult(name=name, receiver=receiver):
            if name in kind.makers:
                node = _node(program, value, kind)
                if name in kind.apps:
                    graph.add_root(node, value.identity[0])
                yield node
            elif receiver is not None and name.rsplit(".", 1)[-1] in kind.chainable:
                yield from nodes(program, receiver, kind, graph)
        case ByType(type=type, scope=scope, span=span):
            if _is_router_type(program, type, scope, kind):
                yield (scope.file.path, span)
        case Unresolved(span=span, path=path, parameter=name):
            if name and path:
                graph.assume((path, span), likely=name in kind.parameters)
                yield (path, span)
        case _:
            return


def _node(program: Program, value: LibraryResult, kind: RouterKind) -> Node:
    """A router that a function makes is another one for each call the function is read for; one
    that a loop makes, for each item."""
    path, span = value.identity
    path += _turn_of(value) + _factory_call(program, value.scope)
    if kind.registers and value.scope.function is not None:
        return (path + call_of(value.scope) + _made_for(program, value.scope, kind), span)
    return (path + call_of(value.scope), span)


def _factory_call(program: Program, scope: Scope) -> str:
    """Which call of a function with parameters a scope belongs to, that is not read for it yet."""
    if not scope.depth or scope.function is None or not scope.function.params or call_of(scope):
        return ""
    return f">{_number_of(program, scope)}"


def scope_of_factory(program: Program, node: Node) -> Scope | None:
    """Inside the function that makes a router, as it runs for the call that makes this one; None
    for other routers."""
    number = node[0].rpartition(">")[2]
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


class Mount(Struct, frozen=True):
    """A router below another one."""

    parent: Node
    prefix: str
    unresolved: Reason = NO_REASON
    """Why the prefix (or a part of it) is undetermined."""
    one_of_several: bool = False
    """Whether one pattern mounts the router at further prefixes: no contract lists all of them."""


class MountedPath(Struct, frozen=True):
    """Where a router's own paths begin."""

    prefix: str
    unresolved: Reason = NO_REASON
    one_of_several: bool = False
    """Whether the same paths begin elsewhere too, by the pattern of one mount."""
    application: Application | None = None
    """The application that the paths are served by, where it is seen."""


class Graph:
    """Routers and their mounts."""

    def __init__(self) -> None:
        self._mounts: dict[Node, list[Mount]] = {}
        self._roots: dict[Node, Application] = {}
        self._assumed: dict[Node, bool] = {}
        self._bound: set[Node] = set()
        self._crowds: set[Node] = set()
        self._declared: dict[Node, Node] = {}
        self._held: dict[Node, dict[Node, None]] = {}
        self.calls_read = 0
        """For how many calls a function was read by itself."""
        self._prefixes: dict[Node, tuple[MountedPath, ...]] = {}
        self._rewrites: dict[Node, list[UrlRewrite]] = {}
        self.loose_ends = NO_REASON
        """Why some router may be mounted in a way that was not seen; empty: all mounts were."""

    def rewrite_url(self, node: Node, rewrite: UrlRewrite) -> None:
        """Note that a router uses a middleware that takes something off the URL."""
        self._rewrites.setdefault(node, []).append(rewrite)

    def add_root(self, node: Node, made_in: str = "") -> None:
        """Note an application, made in a file: its paths are those of the server."""
        name, span = node
        path = made_in or name
        self._roots[node] = Application(Origin(path, span), name.removeprefix(path))

    def is_root(self, node: Node) -> bool:
        """Whether a router is an application."""
        return node in self._roots

    def assume(self, node: Node, *, likely: bool) -> None:
        """Note a parameter without a type: a router only if some call passes one, or if its name
        says so."""
        self._assumed[node] = likely

    def crowd(self, first: Node) -> Node:
        """One router for more than are followed, of which this is the first. A route on each of
        them would be as many routes: where they stand is undetermined instead."""
        path, span = first
        node = (f"{path}#crowd", span)
        self._crowds.add(node)
        return node

    def held_by(self, node: Node, holder: str) -> Node:
        """The router that objects of one class hold in a member that a class above declares.
        What is known of the member alone holds of the router of each such class."""
        path, span = node
        held = (f"{path}#{holder}", span)
        self._declared[held] = node
        self._held.setdefault(node, {})[held] = None
        if node in self._roots:
            self._roots[held] = self._roots[node]
        return held

    def bind(self, node: Node) -> None:
        """Note a parameter whose function was read for a call of its own: without a mount, every
        call was."""
        self._bound.add(node)

    def mount(self, child: Node, mount: Mount) -> None:
        """Note that a router is mounted; twice the same counts once."""
        mounts = self._mounts.setdefault(child, [])
        if mount not in mounts and mount.parent != child:
            mounts.append(mount)

    def _mounts_of(self, node: Node) -> list[Mount]:
        """The mounts of a router. Of one that objects hold whose class alone is known, those of
        the member; of a member, those of the routers in it, whatever their class."""
        own = self._mounts.get(node, [])
        declared = self._declared.get(node)
        if declared is not None:
            return own or self._mounts.get(declared, [])
        held = self._held.get(node)
        if held is None:
            return own
        each = (mount for one in held for mount in self._mounts.get(one, ()))
        return list(dict.fromkeys((*own, *each)))

    def is_mounted(self, node: Node) -> bool:
        """Whether a mount of this router was seen."""
        return bool(self._mounts_of(node))

    def is_below(self, node: Node, other: Node) -> bool:
        """Whether a router is mounted on another one, or on one that is."""
        pending, seen = [node], {node}
        while pending:
            for mount in self._mounts_of(pending.pop()):
                if mount.parent == other:
                    return True
                if mount.parent not in seen:
                    seen.add(mount.parent)
                    pending.append(mount.parent)
        return False

    def places(self, node: Node) -> tuple[MountedPath, ...]:
        """Where a router's paths begin: one place for each way it is mounted."""
        if node not in self._prefixes:
            steps = Steps()
            found = self._places(node, (node,), steps)
            beyond = MountedPath(DYNAMIC_PREFIX, TOO_MANY)
            self._prefixes[node] = tuple(first_places(found, lambda: beyond, steps))
        return self._prefixes[node]

    def _places(self, node: Node, seen: tuple[Node, ...], steps: Steps) -> Iterator[MountedPath]:
        places = self._mount_places(node, seen, steps)
        for rewrite in self._rewrites.get(node, ()):
            places = _behind_rewrite(places, rewrite)
        return places

    def _mount_places(
        self, node: Node, seen: tuple[Node, ...], steps: Steps
    ) -> Iterator[MountedPath]:
        mounts = self._mounts_of(node)
        if node in self._crowds:
            yield MountedPath(DYNAMIC_PREFIX, TOO_MANY_ROUTERS)
            return
        if not mounts:
            if node in self._bound:
                return
            if node in self._assumed:
                if self._assumed[node] and self._roots:
                    reason = self.loose_ends or Reason("router-never-passed")
                    yield MountedPath(DYNAMIC_PREFIX, reason)
            else:
                yield self._place_of_unmounted(node)
            return
        for mount in mounts:
            if mount.parent in seen or not steps.take():
                continue
            if len(seen) > MAX_DEPTH:
                yield MountedPath(DYNAMIC_PREFIX, TOO_DEEP)
                continue
            for place in self._places(mount.parent, (*seen, mount.parent), steps):
                reason = place.unresolved or mount.unresolved
                several = place.one_of_several or mount.one_of_several
                prefix = join(place.prefix, mount.prefix)
                yield MountedPath(prefix, reason, several, place.application)

    def _place_of_unmounted(self, node: Node) -> MountedPath:
        if node in self._roots or not self._roots:
            return MountedPath("", application=self._roots.get(node))
        if self.loose_ends:
            return MountedPath(DYNAMIC_PREFIX, self.loose_ends)
        return MountedPath(DYNAMIC_PREFIX, Reason("router-not-mounted"))


def _behind_rewrite(places: Iterator[MountedPath], rewrite: UrlRewrite) -> Iterator[MountedPath]:
    for place in places:
        if rewrite.optional:
            yield place
        reason = place.unresolved or rewrite.unresolved
        several = place.one_of_several or rewrite.optional
        prefix = join(place.prefix, rewrite.prefix)
        yield MountedPath(prefix, reason, several, place.application)
