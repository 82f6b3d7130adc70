"""Walking the calls that a program makes when it sets its routes up.

`users(app)`, `path("/api", () -> { … })`, `controllers.forEach(c -> c.register(app))`: what a
function registers depends on where it is called from. Every function of the files that name a
library is walked with what is around it (a `context`: a prefix, a router); functions that others
lead to are not walked on their own.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Generic, TypeAlias, TypeVar, cast

from msgspec import Struct
from msgspec.structs import replace

from contract_scan.ir.document import NotAnalysed
from contract_scan.ir.origin import Span
from contract_scan.ir.reasons import Reason
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import (
    ClassSymbol,
    ClassValue,
    Constant,
    FunctionValue,
    Instance,
    Items,
    LibraryResult,
    LibrarySymbol,
    OneOf,
    Record,
    Scope,
    Template,
    Value,
)
from contract_scan.parsers.source.analysis.evaluation.call_sites import calls_in
from contract_scan.parsers.source.analysis.evaluation.loop_turns import turns_bound
from contract_scan.parsers.source.facts.nodes import (
    Attribute,
    Call,
    Define,
    Expr,
    FileFacts,
    Function,
    Lambda,
    Loop,
    NamedType,
    New,
    TypeExpr,
    UnsupportedSyntax,
)
from contract_scan.parsers.source.facts.visitor import children, nodes_of
from contract_scan.parsers.source.java.lowering.types import TOO_DEEP
from contract_scan.parsers.source.java.resolution.annotations import type_name
from contract_scan.parsers.source.java.resolution.overloads import meant_methods
from contract_scan.parsers.source.java.web.chains import method
from contract_scan.parsers.source.language import Framework

Context = TypeVar("Context")
Found = TypeVar("Found")
MAX_DEPTH = 24
"""How many functions are followed into each other."""
MAX_WALKS = 3000
"""How many functions are walked in all."""
_Key: TypeAlias = "tuple[str, Span]"


class CallEntry(Struct, Generic[Context], frozen=True, eq=False):
    """A function that a call leads into."""

    function: FunctionValue
    context: Context
    bindings: Mapping[str, Value] = {}


class Visit(Struct, Generic[Context, Found], frozen=True, eq=False):
    """What a call of the library does."""

    results: tuple[Found, ...] = ()
    enters: tuple[CallEntry[Context], ...] = ()
    deeper: tuple[Expr, ...] = ()
    """Expressions of the call that are walked as well."""
    passed_through: tuple[FunctionValue, ...] = ()
    """Functions that gave those that are entered: they are not walked on their own."""


Visitor: TypeAlias = "Callable[[Call, Scope, Context], Visit[Context, Found] | None]"
"""What a call does; None: it is none of the library, and what is inside it is walked."""


class CallWalker(Generic[Context, Found]):
    """Walks the functions of the files that name a library."""

    def __init__(
        self,
        program: Program,
        visit: Visitor[Context, Found],
        start: Context,
        plausible: Callable[[Call], bool],
        setup_calls: tuple[bytes, ...] = (),
    ) -> None:
        self.program = program
        self.visit = visit
        self.start = start
        self.plausible = plausible
        """Whether a call looks as if it were one of the library: functions without such a call,
        and without a call of a function with one, are passed over."""
        self.setup_calls = setup_calls
        """How calls are written that set a route up: a file that holds one is walked as well where
        it names no type of the library, as `context.getRouter().get("/x")` does not."""
        self.files: frozenset[str] = frozenset()
        self.names: frozenset[str] = frozenset()
        self.walks = 0
        self.done: set[object] = set()
        """What was walked from one function already."""

    def all(self, framework: Framework) -> Iterator[Found]:
        """What is found from every function that no other leads to."""
        tops = list(self._functions(framework))
        self.files = frozenset(top.scope.file.path for top in tops)
        called = [self._names_called(top) for top in tops]
        self.names = _functions_reaching_library(tops, called)
        tops = [top for top in tops if top.function.name in self.names]
        results: dict[_Key, tuple[list[Found], set[_Key]]] = {}
        for top in tops:
            entered: set[_Key] = set()
            self.done.clear()
            found = list(self._function(CallEntry(top, self.start), (), entered))
            results[_key(top)] = (found, entered)
        led_to = {key for other, (_, entered) in results.items() for key in entered if key != other}
        # Of functions that lead to each other the first counts.
        covered: set[_Key] = set()
        for is_led_to in (False, True):
            for key, (found, entered) in results.items():
                if (key in led_to) is is_led_to and key not in covered:
                    covered |= {key, *entered}
                    yield from found

    def _functions(self, framework: Framework) -> Iterator[FunctionValue]:
        """Every method of the files that may call the library; constructors and initialisers
        too."""
        files = list(self.program.seeds(framework))
        if files and self.setup_calls:
            markers = (*framework.markers, *self.setup_calls)
            files = list(self.program.seeds(replace(framework, markers=markers)))
        for file in files:
            for symbol in self.program.classes(file):
                inside = self.program.class_scope(symbol)
                this = Instance(symbol, {})
                for function in symbol.decl.methods:
                    if "abstract" not in function.modifiers:
                        yield FunctionValue(function, inside, symbol, this)

    def _names_called(self, function: FunctionValue) -> frozenset[str]:
        """The names of what a function calls; with an empty one where it may call the library."""
        scope = self.program.function_scope(function.function, function.scope)
        found: set[str] = set()
        for call, _ in calls_in(self.program, scope.statements or (), scope):
            if isinstance(call, New):
                found.add(type_name(call.type))
            else:
                found.add(method(call))
                if self.plausible(call):
                    found.add("")
        found.update(_method_references(scope.statements or ()))
        return frozenset(found)

    def _function(
        self, enter: CallEntry[Context], around: tuple[_Key, ...], entered: set[_Key]
    ) -> Iterator[Found]:
        function = enter.function
        key = _key(function)
        if function.function.name:
            entered.add(key)
        same = _recursion_key(enter)
        if key in around or same in self.done:
            return  # what it sets up was found where it was entered before
        if len(around) > MAX_DEPTH or self.walks > MAX_WALKS:
            self._given_up(function)
            return
        self.done.add(same)
        self.walks += 1
        scope = self.program.function_scope(
            function.function, self._with_receiver(function), enter.bindings
        )
        yield from self._nodes(
            scope.statements or (), scope, enter.context, (*around, key), entered
        )

    def _with_receiver(self, function: FunctionValue) -> Scope:
        """The scope around a function, with the object that it is a method of: the one that it was
        called on, else the only one that the code makes of its class."""
        receiver = function.receiver
        is_made = isinstance(receiver, Instance) and receiver.site is not None
        if not is_made and function.owner is not None:
            only = only_construction(self.program, function.owner)
            receiver, is_made = (receiver, False) if only is None else (only, True)
        around = function.scope
        if receiver is None or (around.receiver is not None and not is_made):
            return around
        return replace(around, owner=function.owner or around.owner, receiver=receiver)

    def _given_up(self, function: FunctionValue) -> None:
        """Say that a function was not followed, as it may set routes up."""
        name = function.function.name or "a function"
        reason = Reason("route-setup-too-deep", name=name)
        self._note(reason, function.function.name_span, function.scope)

    def _note(self, reason: Reason, span: Span, scope: Scope) -> None:
        problem = NotAnalysed(path=scope.file.path, reason=reason, line=span.line, fatal=False)
        if problem not in self.program.problems:
            self.program.problems.append(problem)

    def _nodes(
        self,
        nodes: Iterable[object],
        scope: Scope,
        context: Context,
        around: tuple[_Key, ...],
        entered: set[_Key],
    ) -> Iterator[Found]:
        pending: list[tuple[object, Scope]] = [(node, scope) for node in reversed([*nodes])]
        while pending:
            node, place = pending.pop()
            match node:
                case tuple():
                    pending.extend((item, place) for item in reversed(node))
                case Lambda(function=function):
                    inner = self.program.function_scope(function, place)
                    pending.append((inner.statements or (), inner))
                case Define(declaration=Function()):
                    pass  # entered where it is called
                case Loop():
                    pending.extend(reversed(self._loop(node, place)))
                case Call():
                    visit = self.visit(node, place, context)
                    if visit is not None:
                        yield from visit.results
                        entered.update(map(_key, visit.passed_through))
                        for enter in visit.enters:
                            yield from self._function(enter, around, entered)
                        pending.extend((expr, place) for expr in reversed(visit.deeper))
                        continue
                    turns = self._turns_of_each(node, place)
                    if turns is not None:
                        pending.extend(reversed(turns))
                        continue
                    for enter in self._called_functions(node, place, context):
                        yield from self._function(enter, around, entered)
                    pending.append(((node.callee, node.args), place))
                case New():
                    for enter in self._called_constructors(node, place, context):
                        yield from self._function(enter, around, entered)
                    pending.append((node.args, place))
                case UnsupportedSyntax(description=what) if what == TOO_DEEP:
                    self._note(Reason("call-chain-too-long"), node.span, place)
                case Struct():
                    pending.extend((child, place) for child in reversed(children(node)))
                case _:
                    pass

    def _loop(self, loop: Loop, scope: Scope) -> list[tuple[object, Scope]]:
        """The body of a loop, once for each item of a list that is known."""
        if loop.iterable is None or loop.variable is None:
            return [(loop.body, scope)]
        items = self.program.evaluate(loop.iterable, scope)
        if not isinstance(items, Items) or items.repeated:
            return [(loop.iterable, scope), (loop.body, scope)]
        turns = turns_bound(scope, len(items.values))
        if turns is None:
            return [(loop.iterable, scope), (loop.body, scope)]
        work: list[tuple[object, Scope]] = []
        for item in items.values:
            bindings = self.program.evaluator.pattern_bindings(loop.variable, item, scope)
            inner = Scope(
                file=scope.file,
                parent=scope,
                owner=scope.owner,
                bindings={**bindings, **turns},
                receiver=scope.receiver,
                depth=scope.depth,
            )
            work.append((loop.body, inner))
        return work

    def _turns_of_each(self, call: Call, scope: Scope) -> list[tuple[object, Scope]] | None:
        """The body of `LIST.forEach(item -> …)` and `MAP.forEach((key, value) -> …)`, once for each
        item or entry; None where the call is another, or where these are not known."""
        if not isinstance(call.callee, Attribute) or method(call) != "forEach":
            return None
        function = call.args[0].value if len(call.args) == 1 else None
        if not isinstance(function, Lambda):
            return None
        names = [parameter.name for parameter in function.function.params]
        match self.program.evaluate(call.callee.value, scope), names:
            case Items(values=values, repeated=False), [name]:
                turns: list[Mapping[str, Value]] = [{name: value} for value in values]
            case Record(entries=entries, partial=partial, values=None), [key, name] if not partial:
                turns = [{key: Constant(e.name), name: e.value} for e in entries]
            case _:
                return None
        count = turns_bound(scope, len(turns))
        if count is None:
            return None
        bodies = (
            self.program.function_scope(function.function, scope, {**each, **count})
            for each in turns
        )
        return [(body.statements or (), body) for body in bodies]

    def _called_functions(
        self, call: Call, scope: Scope, context: Context
    ) -> Iterator[CallEntry[Context]]:
        """The functions of the project that a call runs, where they may register routes."""
        if method(call) not in self.names:
            return
        value = self.program.evaluate(call.callee, scope)
        for option in value.options if isinstance(value, OneOf) else (value,):
            if isinstance(option, FunctionValue):
                given = tuple(self.program.evaluate(a.value, scope) for a in call.args)
                for function in (
                    concrete
                    for meant in meant_methods(self.program, option, given)
                    for concrete in concrete_functions(self.program, meant)
                ):
                    if function.scope.file.path in self.files:
                        yield CallEntry(
                            function, context, arguments(self.program, function, call, scope)
                        )

    def _called_constructors(
        self, new: New, scope: Scope, context: Context
    ) -> Iterator[CallEntry[Context]]:
        if type_name(new.type) not in self.names:
            return
        value = self.program.evaluate(new, scope)
        if not isinstance(value, Instance) or value.symbol.file.path not in self.files:
            return
        inside = self.program.class_scope(value.symbol)
        for function in value.symbol.decl.methods:
            is_constructor = "constructor" in function.modifiers
            if is_constructor and len(function.params) == len(new.args):
                made = FunctionValue(function, inside, value.symbol, value)
                bound = arguments(self.program, made, new, scope)
                yield CallEntry(made, context, bound)


def _functions_reaching_library(
    tops: list[FunctionValue], called: list[frozenset[str]]
) -> frozenset[str]:
    """Names of the functions that may call the library, themselves or through others."""
    names = {top.function.name for top, found in zip(tops, called, strict=True) if "" in found}
    while True:
        more = {
            top.function.name
            for top, found in zip(tops, called, strict=True)
            if top.function.name not in names and not names.isdisjoint(found)
        }
        if not more:
            return frozenset(names)
        names |= more


def _method_references(nodes: tuple[object, ...]) -> Iterator[str]:
    """Names of methods that are referred to without a call: `this::routes`."""
    return (node.name for node in nodes_of(nodes) if isinstance(node, Attribute))


def concrete_functions(program: Program, function: FunctionValue) -> list[FunctionValue]:
    """The function itself, or those that implement it."""
    owner = function.owner
    if owner is None or "abstract" not in function.function.modifiers:
        return [function]
    found: list[FunctionValue] = []
    for symbol in program.names.classes.implementations(owner):
        implemented = program.find_method(symbol, function.function.name)
        if implemented is not None and "abstract" not in implemented.function.modifiers:
            found.append(
                FunctionValue(
                    implemented.function, implemented.scope, implemented.owner, Instance(symbol, {})
                )
            )
    return found


_TELLING = Constant | Template | LibraryResult | FunctionValue | LibrarySymbol | Instance | Items
"""Values that say more than the declared type of a parameter."""


def arguments(
    program: Program, function: FunctionValue, call: Call | New, scope: Scope
) -> dict[str, Value]:
    """What a call gives the parameters of a function, where that says more than their types."""
    bound: dict[str, Value] = {}
    for parameter, argument in zip(function.function.params, call.args, strict=False):
        value = program.evaluate(argument.value, scope)
        if isinstance(value, LibraryResult) and _is_own(program, parameter.type, function.scope):
            continue  # a library made it, but the declaration says of which class it is
        declared = parameter.type
        is_open = declared is None or program.evaluator.says_nothing(declared, function.scope)
        options = value.options if isinstance(value, OneOf) else (value,)
        if is_open or all(isinstance(option, _TELLING) for option in options):
            bound[parameter.name] = value
    return bound


def _is_own(program: Program, type: TypeExpr | None, scope: Scope) -> bool:
    """Whether a type is one of the project's."""
    if not isinstance(type, NamedType):
        return False
    return isinstance(program.names.lookup_type(type.name, scope), ClassValue)


def _recursion_key(enter: CallEntry[Context]) -> object:
    """Equal where entering a function again finds the same."""
    receiver = enter.function.receiver
    made = receiver.site if isinstance(receiver, Instance) else None
    bound = tuple(
        (name, value.value if isinstance(value, Constant) else id(value))
        for name, value in sorted(enter.bindings.items(), key=lambda item: item[0])
    )
    return _key(enter.function), enter.context, id(made), bound


def _key(function: FunctionValue) -> _Key:
    return function.scope.file.path, function.function.span


# --------------------------------------------------------------------------- constructions


_MEMORY = "java.constructions"


def only_construction(program: Program, symbol: ClassSymbol) -> Instance | None:
    """The object of a class that the code makes in one place alone: `new Server(BASE)`. None where
    it is made in several, with no arguments, or where none is seen."""
    known = cast("dict[str, Instance | None]", program.memory.setdefault(_MEMORY, {}))
    if symbol.key not in known:
        known[symbol.key] = None  # a constructor that leads back here tells no more
        known[symbol.key] = _only_construction(program, symbol)
    return known[symbol.key]


def _only_construction(program: Program, symbol: ClassSymbol) -> Instance | None:
    if not any("constructor" in method.modifiers for method in symbol.decl.methods):
        return None
    name = symbol.decl.name
    found: list[Instance] = []
    for path in program.files_containing(f"new {name}(".encode()):
        for made, scope in _constructions_in(program, program.facts(path)):
            if getattr(made.type, "name", "") != name:
                continue
            value = program.evaluate(made, scope)
            if isinstance(value, Instance) and value.symbol.key == symbol.key:
                found.append(value)
    return found[0] if len(found) == 1 and found[0].site and found[0].site.args else None


def _constructions_in(program: Program, file: FileFacts) -> Iterator[tuple[New, Scope]]:
    """Every `new` in the methods, fields and initialisers of a file."""
    for symbol in program.classes(file):
        inside = program.class_scope(symbol)
        written = [member.value for member in symbol.decl.members if member.value is not None]
        places: list[tuple[tuple[Struct, ...], Scope]] = [(tuple(written), inside)]
        for declared in symbol.decl.methods:
            within = program.function_scope(declared, inside)
            places.append((within.statements or (), within))
        for nodes, scope in places:
            for made, place in calls_in(program, nodes, scope):
                if isinstance(made, New):
                    yield made, place
