"""What collecting routes has in common for libraries whose routers are values: functions that are
given a router, the paths that an argument says."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from msgspec import Struct
from msgspec.structs import replace

from contract_scan.ir.origin import Origin, Span
from contract_scan.ir.reasons import NO_REASON, Reason
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import (
    ByType,
    Constant,
    FunctionValue,
    Instance,
    Items,
    LibraryResult,
    OneOf,
    Scope,
    Unresolved,
    Value,
)
from contract_scan.parsers.source.facts.nodes import (
    Call,
    Expr,
    FileFacts,
    Name,
    UnsupportedSyntax,
)
from contract_scan.parsers.source.language import Framework
from contract_scan.parsers.source.typescript.resolution import walker
from contract_scan.parsers.source.typescript.web.captured_routers import CapturedRouters
from contract_scan.parsers.source.typescript.web.dispatch_by_method import methods_of
from contract_scan.parsers.source.typescript.web.endpoints import handler_of
from contract_scan.parsers.source.typescript.web.library_plugins import (
    LibraryPlugins,
    library_name,
)
from contract_scan.parsers.source.typescript.web.object_routers import (
    RegisteringMethods,
    classes_of,
    declares,
    holder_of,
    method_scope,
    possible_classes,
)
from contract_scan.parsers.source.typescript.web.openapi_controllers import DescribedRequest
from contract_scan.parsers.source.typescript.web.path_tests import (
    ANYTHING,
    REGULAR_EXPRESSION,
    path_of,
    prefixes_of,
)
from contract_scan.parsers.source.typescript.web.paths import DYNAMIC_SEGMENT, with_computed
from contract_scan.parsers.source.typescript.web.router_arguments import (
    MAX_CALLS,
    MAX_PASSES,
    UNCERTAIN,
    RoutersHandedOn,
    bound_scope,
    is_inside,
    router_value,
    routers_given,
    taken_apart,
)
from contract_scan.parsers.source.typescript.web.routers import (
    Graph,
    Node,
    RouterKind,
    call_of,
    mount_below,
    nodes,
    scope_of_factory,
)
from contract_scan.parsers.source.typescript.web.written_handlers import WrittenHandlers
from contract_scan.parsers.source.web.route_graph import Prefix

MAX_NAMES = 50
"""How many functions that take a router are searched for by name."""


class Route(Struct, frozen=True):
    """One registration, before the mounts of its router are known."""

    node: Node
    method: str
    path: str
    unresolved: Reason
    handlers: tuple[Expr, ...]
    scope: Scope
    span: Span
    described: DescribedRequest | None = None
    """What a document says of its requests, where a library routes by one."""


class Collector:
    """Reads calls into routes and mounts. A library says in `call` what a call registers."""

    registering: frozenset[str] = frozenset()
    """Names of methods of a router that register something, where its kind does not say."""

    def __init__(self, program: Program, kind: RouterKind) -> None:
        self._program = program
        self._kind = kind
        self.routes: list[Route] = []
        self._registered: set[tuple[object, ...]] = set()
        self.graph = Graph()
        self.of_libraries = LibraryPlugins(program, self.graph)
        self.reached: list[str] = []
        """Files whose functions are given a router: they need not name the library themselves."""
        self._taken: dict[Node, str] = {}
        """Parameters that are declared to be routers -> name of their function."""
        self._walked: set[str] = set()
        self._methods: RegisteringMethods | None = None
        self._captured: CapturedRouters | None = None
        self._called: set[tuple[str, Span]] = set()
        """Functions that register on `this`, or on what stands around them, read for each of their
        calls."""
        self._handlers = WrittenHandlers(self.graph)
        self._read_as_they_stand: set[tuple[str, Span]] = set()
        """Those of them with calls that were not read."""
        self._factories: set[Node] = set()
        """Routers that were met, of which those that functions make were read for their calls."""
        self._read_calls: set[tuple[object, ...]] = set()
        self._prefixes: dict[Node, tuple[str, Reason]] = {}

    def collect(self, framework: Framework) -> None:
        """Read every call of the files that can hold one."""
        if names := self.registering | self._kind.registers:
            seeds = self._program.seeds(framework)
            self._methods = RegisteringMethods(self._program, seeds, names)
            self._captured = CapturedRouters(self._program, names)
        for file in walker.files(self._program, framework, self.reached):
            self._walked.add(file.path)
            self._read(walker.calls(self._program, file, wanted=self._handlers.may_register))
            for inside in self._objects_of(file):
                self._read_inside(inside)
        self._callers()
        self._method_calls()
        self.routes = [route for route in self.routes if not self._is_read_by_call(route.scope)]

    def _objects_of(self, file: FileFacts) -> Iterator[Scope]:
        """Inside the methods of a file's classes, as they run for one object."""
        if self._methods is not None:
            yield from self._methods.inherited(file)
            yield from self._methods.constructor_scopes(file)

    def _is_read_by_call(self, scope: Scope) -> bool:
        """Whether a place is in a method as it stands that was read for each of its calls."""
        read = self._called - self._read_as_they_stand
        current: Scope | None = scope
        while current is not None and read:
            function = current.function
            if function is not None and (current.file.path, function.span) in read:
                return ">" not in call_of(replace(current, parent=None))
            current = current.parent
        return False

    def _method_calls(self) -> None:
        """Who calls a method that registers on `this` need not name the library either."""
        methods = self._methods
        if methods is None or not methods.calls:
            return
        for path in self._program.files_containing(*sorted(methods.calls)[:MAX_NAMES]):
            file = self._program.facts(path)
            wanted = methods.may_be_called
            for call, scope in walker.calls(self._program, file, deep=True, wanted=wanted):
                method = methods.called(call, scope) if wanted(call, scope) else None
                if method is not None:
                    self._read_method(method, call, scope)

    def _callers(self) -> None:
        """Who calls `register(app: Router)` need not name the library either."""
        asked: set[str] = set()
        while True:
            names = {n for node, n in self._taken.items() if not self.graph.is_mounted(node)}
            new = sorted(name for name in names - asked if name)[: MAX_NAMES - len(asked)]
            if not new:
                return
            asked.update(new)
            paths = self._program.files_containing(*(f"{name}(".encode() for name in new))
            for path in (*paths, *self.reached):
                if path not in self._walked:
                    self._walked.add(path)
                    file = self._program.facts(path)
                    wanted = self._handlers.may_register
                    self._read(walker.calls(self._program, file, deep=True, wanted=wanted))

    def _read(self, calls: Iterable[tuple[Call, Scope]]) -> None:
        for call, scope in self._handlers.note_handlers(calls):
            self.call(call, scope)

    def _read_inside(self, scope: Scope) -> None:
        nodes, wanted = scope.statements or (), self._handlers.may_register
        self._read(walker.calls_in(self._program, nodes, scope, wanted=wanted))

    def call(self, call: Call, scope: Scope) -> None:
        """Note what one call registers or mounts."""
        raise NotImplementedError

    def add(
        self,
        routers: tuple[Node, ...],
        method: str,
        ways: list[tuple[str, Reason]],
        handlers: tuple[Expr, ...],
        scope: Scope,
        span: Span,
    ) -> None:
        """Note a route of each router for each path (and why that is undetermined), once for
        each call that its function is read for."""
        for path, reason in ways:
            for node in routers:
                key = (node, method, path, reason, scope.file.path, span)
                if key not in self._registered or not call_of(scope):
                    self._registered.add(key)
                    self.routes.append(Route(node, method, path, reason, handlers, scope, span))

    def add_computed_route(self, call: Call, receiver: Expr, scope: Scope) -> bool:
        """Note a route whose method is computed (`router[route.method](path, …)`); False
        where the receiver is no router."""
        found = self.routers(receiver, scope) if len(call.args) > 1 else ()
        if not found:
            return False
        first, *rest = (argument.value for argument in call.args)
        ways = paths(self._program, first, scope)
        undetermined = [(path, reason or Reason("method-computed")) for path, reason in ways]
        self.add(found, "*", undetermined, tuple(rest), scope, first.span)
        return True

    def nodes(self, value: Value) -> Iterator[Node]:
        """The routers that a value may be."""
        if self._kind.has_prefix and isinstance(value, OneOf):
            for option in value.options:
                yield from self.nodes(option)
            return
        for node in nodes(self._program, value, self._kind, self.graph):
            self._read_factory(node)
            if self._kind.has_prefix and isinstance(value, LibraryResult):
                self._note_prefix(value, node)
            yield node

    def _read_factory(self, node: Node) -> None:
        """Read what a function registers on the router that it makes, for the call that makes it:
        `crud("orders", schema)`."""
        inside = scope_of_factory(self._program, node) if node not in self._factories else None
        self._factories.add(node)
        if inside is None or inside.function is None or self.graph.calls_read >= MAX_CALLS:
            return
        self.graph.calls_read += 1
        self._called.add((inside.file.path, inside.function.span))
        # As it stands, the function makes no router that anything serves, nor does a call whose
        # router nothing mounts.
        self.graph.add(node._replace(instance=""), "specialised parameter")
        if node not in self.graph.applications:
            self.graph.add(node, "specialised parameter")
        self._read_inside(inside)

    def routers(self, expr: Expr, scope: Scope) -> tuple[Node, ...]:
        """The routers that an expression may give."""
        value = router_value(self._program, expr, scope, self._kind)
        found = tuple(self.nodes(value))
        if found and isinstance(value, ByType):
            self._taken.setdefault(found[0], _function_of(found[0], scope))
        return self.routers_by_holder(expr, scope, found)

    def routers_by_holder(
        self, expr: Expr, scope: Scope, found: tuple[Node, ...]
    ) -> tuple[Node, ...]:
        """Routers that an expression may give, told apart by the class of the object that holds
        them, where it inherits the member: `this.router`."""
        if not found:
            return found
        holder = holder_of(self._program, expr, scope, self._kind.chainable | {"route"})
        if holder is None:
            return found
        value, name = holder
        heirs = [s for s in classes_of(self._program, value) if not declares(s, name)]
        held = (self.graph.held_by(node, heir.key) for node in found for heir in heirs)
        return tuple(held) if heirs else found

    def held_by_any(self, expr: Expr, scope: Scope) -> tuple[Node, ...]:
        """The routers that an expression may give that reads them of an object of which the class
        is told, or an interface: of every class that it may be. None where it reads no object."""
        holder = holder_of(self._program, expr, scope, frozenset())
        if holder is None or isinstance(expr, Name):
            return ()
        found: dict[Node, None] = {}
        value, name = holder
        for symbol in possible_classes(self._program, value):
            held = self._program.evaluator.attribute(Instance(symbol), name, scope, expr.span)
            if isinstance(held, FunctionValue):
                held = self._program.evaluator.returned_value(held)
            for node in self.nodes(held):
                own = declares(symbol, name)
                found[node if own else self.graph.held_by(node, symbol.key)] = None
        return tuple(found)

    def _note_prefix(self, value: LibraryResult, node: Node) -> None:
        made: Value | None = value
        while isinstance(made, LibraryResult) and made.name not in self._kind.makers:
            made = made.receiver
        if node in self._prefixes or not isinstance(made, LibraryResult) or not made.site.args:
            return
        options = self._program.evaluate(made.site.args[0].value, made.scope)
        prefix = walker.entries(options).get("prefix")
        if prefix is not None:
            text = self._program.evaluator.text(prefix.value)
            reason = NO_REASON if text is not None else Reason("prefix-not-constant")
            self.put_below((node,), text if text is not None else DYNAMIC_SEGMENT, reason)
        self.made_with(node, options)

    def made_with(self, node: Node, options: Value) -> None:
        """Note what else the options of a router say."""

    def put_below(self, routers: tuple[Node, ...], prefix: str, reason: Reason) -> None:
        """The routers have this prefix (and why it is undetermined)."""
        self._prefixes.update((node, (prefix, reason)) for node in routers)

    def settle(self) -> None:
        """Put routers behind their own prefixes, once all of them are known."""
        for node, (prefix, reason) in self._prefixes.items():
            self.graph.add(node, prefix=Prefix(prefix, reason))

    def note_library_function(
        self,
        value: Value,
        parents: tuple[Node, ...],
        prefixes: list[tuple[str, Reason]],
        at: Origin,
    ) -> None:
        """Routers use a function; what one of a library answers is noted."""
        name = library_name(value)
        if not name:
            return
        options = None
        if isinstance(value, LibraryResult) and value.site.args:
            options = self._program.evaluate(value.site.args[0].value, value.scope)
        mounts = [mount_below(node, prefix, why) for node in parents for prefix, why in prefixes]
        self.of_libraries.note_function(name, options, mounts, at)

    def passed_on(self, call: Call, scope: Scope) -> None:
        """`register(app)`: what the function does with its parameter it does with the app."""
        for given in routers_given(self._program, call, scope, self._kind, self.graph):
            self._bind_routers(given, call, scope)
        method = self._methods.called(call, scope) if self._methods is not None else None
        if method is None and self._captured is not None:
            method = self._captured.called_function(call, scope)
        if method is not None:
            self._read_method(method, call, scope)

    def _read_method(self, method: FunctionValue, call: Call, scope: Scope) -> None:
        """Read what a method registers on its object, or a function on what is around it, for one
        call."""
        declared = (method.scope.file.path, method.function.span)
        if call_of(scope).count(">") >= MAX_PASSES or is_inside(scope, method):
            if not isinstance(method.receiver, Instance):
                self._read_as_they_stand.add(declared)
            return
        holder = method.receiver.symbol.key if isinstance(method.receiver, Instance) else ""
        turn = scope.bindings_around(walker.TURN)
        item = turn.value if isinstance(turn, Constant) else None
        key = (scope.file.path, call.span, item, holder, call_of(scope))
        if self.graph.calls_read >= MAX_CALLS or key in self._read_calls:
            return
        self._read_calls.add(key)
        self.graph.calls_read += 1
        self._called.add(declared)
        inside = method_scope(self._program, method, call, scope)
        self._read_inside(inside)

    def _bind_routers(self, given: RoutersHandedOn, call: Call, scope: Scope) -> None:
        """Bind the routers that a call passes to a function of the project. A call that
        passes constants too is read by itself, the others once for all such calls."""
        function, routers = given.function, given.routers
        path = function.scope.file.path
        self.reached.append(path)
        bound = None
        if given.is_certain:
            is_known = bool(given.parts)
            bound = bound_scope(
                self._program, function, call, scope, routers, self.graph, is_known=is_known
            )
        for position in given.parts:
            self._bind_parts(function, position, is_read=bound is not None)
        reason = NO_REASON if given.is_certain else UNCERTAIN
        for position, value in routers.items():
            child = Node(path, function.function.params[position].span)
            if bound is not None:
                self.graph.add(child, "specialised parameter")
                continue
            for node in self.nodes(value):
                self.graph.mount(child, mount_below(node, "", reason))
        if bound is not None:
            self._read_inside(bound)

    def _bind_parts(self, function: FunctionValue, position: int, *, is_read: bool) -> None:
        """The routers that a function takes out of an argument are those of its calls, which are
        read each by itself."""
        if not is_read:
            self.graph.loose_ends = UNCERTAIN
            return
        for node in taken_apart(self._program, function, position, self._kind, self.graph):
            self.graph.add(node, "specialised parameter")


def route_methods(program: Program, route: Route, *, key: str = "") -> tuple[str, ...]:
    """The methods that the last handler of a route tells apart, which is given the request, or
    something that has it under a key."""
    if route.method not in ("", "*") or not route.handlers:
        return (route.method,)
    value = program.evaluate(route.handlers[-1], route.scope)
    return methods_of(program, handler_of(program, value).function, route.method, key=key)


def _function_of(parameter: Node, scope: Scope) -> str:
    """Name of the function around a place that has a parameter."""
    current: Scope | None = scope
    while current is not None:
        function = current.function
        if function is not None and any(p.span == parameter.span for p in function.params):
            return function.name
        current = current.parent
    return ""


def mount_prefixes(expr: Expr) -> tuple[str, ...]:
    """The prefixes that a regular expression mounts a router at; empty where it is none, or more
    than a choice of texts."""
    pattern = (
        REGULAR_EXPRESSION.fullmatch(expr.description)
        if isinstance(expr, UnsupportedSyntax)
        else None
    )
    return prefixes_of(pattern[1]) if pattern is not None else ()


def paths(program: Program, expr: Expr, scope: Scope) -> list[tuple[str, Reason]]:
    """(path, why it is undetermined) of a path argument, which may be a list of paths."""
    if isinstance(expr, UnsupportedSyntax):
        pattern = REGULAR_EXPRESSION.fullmatch(expr.description)
        text = pattern[1] if pattern is not None else ""
        path = "*" if text in ANYTHING else path_of(text)
        return [
            (
                path,
                NO_REASON if path else Reason("path-is-expression", description=expr.description),
            )
        ]
    value = program.evaluate(expr, scope)
    values = value.values if isinstance(value, Items) else (value,)
    found: list[tuple[str, Reason]] = []
    for item in values:
        options = item.options if isinstance(item, OneOf) else (item,)
        texts = [text for text in map(program.evaluator.text, options) if text is not None]
        if texts:
            found.extend((text, NO_REASON) for text in texts)
        else:
            shown = program.evaluator.template(item) or "{}"
            reason = item.reason if isinstance(item, Unresolved) else Reason("part-computed")
            found.append((with_computed(shown), Reason("path-not-constant-because", reason=reason)))
    return found
