"""Routers that objects of the project's classes hold, and methods that register on them.

class Users extends Controller {
  constructor() { super("/users"); this.mount([["/:id", this.get]]); }
}

`this.router`, which `Controller` declares, is another router in each object. What its `mount` does
depends on the class of the object, and on what it is given.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from msgspec.structs import replace

from contract_scan.ir.origin import Span
from contract_scan.parsers.source.analysis.dataflow.reaching_definitions import assigned_values
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import (
    ClassSymbol,
    Constant,
    FunctionValue,
    Instance,
    OneOf,
    Scope,
    Value,
)
from contract_scan.parsers.source.analysis.typing.kinds import class_of
from contract_scan.parsers.source.facts.nodes import (
    Attribute,
    Call,
    Expr,
    FileFacts,
    Function,
    Name,
    NamedType,
    New,
)
from contract_scan.parsers.source.facts.visitor import nodes_of
from contract_scan.parsers.source.typescript.resolution import walker
from contract_scan.parsers.source.typescript.web.routers import CALL, call_of

MAX_CLASSES = 300
"""How many classes below one another's base are told apart."""


def holder_of(
    program: Program, expr: Expr, scope: Scope, chainable: frozenset[str]
) -> tuple[Value, str] | None:
    """The object whose member an expression is, and the name of the member: `this` and `router` of
    `this.router.route("/x").get(f)`; through a local name for it too. None for anything else."""
    for _ in range(8):
        match expr:
            case Call(callee=Attribute(value=inner, name=name)) if name in chainable:
                expr = inner
            case Call(callee=Attribute(value=inner, name=name), args=()):
                return program.evaluator.unwrap(program.evaluate(inner, scope)), name
            case Attribute(value=inner, name=name):
                return program.evaluator.unwrap(program.evaluate(inner, scope)), name
            case Name() if scope.function is not None:
                given = assigned_values(expr, scope)
                if len(given) != 1 or given[0] is None:
                    return None
                expr = given[0]
            case _:
                return None
    return None


def classes_of(program: Program, value: Value) -> tuple[ClassSymbol, ...]:
    """The classes of the project that a value may be an object of, as they are declared."""
    match value:
        case OneOf(options=options):
            return tuple(s for option in options for s in classes_of(program, option))
        case _:
            symbol = class_of(program, value)
            return () if symbol is None else (symbol,)


def possible_classes(program: Program, value: Value) -> tuple[ClassSymbol, ...]:
    """The classes whose objects a value may be: those below the declared one, and itself where
    objects of it can be made."""
    found: list[ClassSymbol] = []
    for symbol in classes_of(program, value):
        below: list[ClassSymbol] = []
        if not (isinstance(value, Instance) and value.site is not None):
            below = [s for s in program.names.classes.implementations(symbol) if _can_be_made(s)]
        if _can_be_made(symbol):
            found.append(symbol)
        found.extend(below[:MAX_CLASSES])
    return tuple({symbol.key: symbol for symbol in found}.values())


def _can_be_made(symbol: ClassSymbol) -> bool:
    return symbol.decl.kind == "class" and "abstract" not in symbol.decl.modifiers


def declares(symbol: ClassSymbol, name: str) -> bool:
    """Whether a class declares a member itself rather than inheriting it."""
    names = {member.name for member in symbol.decl.members}
    return name in names or any(method.name == name for method in symbol.decl.methods)


class RegisteringMethods:
    """The methods of the project's classes that register routes on what `this` holds."""

    def __init__(
        self, program: Program, files: Iterable[FileFacts], registering: frozenset[str]
    ) -> None:
        """`registering`: names of methods of a router that register something."""
        self._program = program
        self._registering = registering
        self._spans: set[tuple[str, Span]] = set()
        self._names: set[str] = set()
        self.calls: set[bytes] = set()
        """How those of them with parameters are called."""
        for file in files:
            for symbol in program.classes(file):
                for method in symbol.decl.methods:
                    if any(map(self._is_registration, nodes_of(method.body or ()))):
                        self._spans.add((file.path, method.span))
                        self._names.add(method.name)
                        if method.params and "constructor" not in method.modifiers:
                            self.calls.add(f"this.{method.name}(".encode())

    def _is_registration(self, node: object) -> bool:
        match node:
            case Call(callee=Attribute(name=name, value=Attribute() | Call() as receiver)):
                return name in self._registering and _begins_with_this(receiver)
            case _:
                return False

    def may_be_called(self, call: Call, _: Scope) -> bool:
        """Whether a call has the name of one of them."""
        return isinstance(call.callee, Attribute) and call.callee.name in self._names

    def called(self, call: Call, scope: Scope) -> FunctionValue | None:
        """The registering method that a call with arguments means."""
        callee = call.callee
        if not isinstance(callee, Attribute) or callee.name not in self._names or not call.args:
            return None
        if not isinstance(callee.value, Name) or callee.value.id not in ("this", "super"):
            return None
        found = self._program.evaluate(callee, scope)
        if not isinstance(found, FunctionValue) or not found.function.params:
            return None
        if (found.scope.file.path, found.function.span) not in self._spans:
            return None
        holder = self._program.evaluate(Name("this", span=callee.span), scope)
        return replace(found, receiver=holder) if isinstance(holder, Instance) else found

    def inherited(self, file: FileFacts) -> Iterator[Scope]:
        """Inside the methods of a file's classes that register, once for each class that inherits
        them."""
        for symbol in self._program.classes(file):
            methods = [m for m in symbol.decl.methods if self._may_register(m, file)]
            heirs = (
                self._program.names.classes.implementations(symbol)[:MAX_CLASSES] if methods else []
            )
            for heir in filter(_can_be_made, heirs):
                inside = self._program.class_scope(symbol)
                for method in methods:
                    if not self._inherits(heir, method):
                        continue
                    bound: dict[str, Value] = {CALL: Constant(f"of {heir.key}")}
                    scope = self._program.function_scope(method, inside, bound)
                    yield replace(scope, receiver=Instance(heir))

    def constructor_scopes(self, file: FileFacts) -> Iterator[Scope]:
        """Inside the constructors of a file's classes that register, once for each object that is
        made with arguments."""
        for symbol in self._program.classes(file):
            constructor = next(
                (m for m in symbol.decl.methods if "constructor" in m.modifiers and m.params), None
            )
            if constructor is None or not self._may_register(constructor, file):
                continue
            for new, scope in self._constructions(symbol):
                holder = Instance(symbol, {}, new, scope)
                inside = self._program.class_scope(symbol)
                method = FunctionValue(constructor, inside, symbol, holder)
                call = Call(Name(symbol.decl.name, span=new.span), new.args, span=new.span)
                yield method_scope(self._program, method, call, scope)

    def _constructions(self, symbol: ClassSymbol) -> Iterator[tuple[New, Scope]]:
        name = symbol.decl.name
        for path in self._program.files_containing(f"new {name}(".encode()):
            for node, scope in walker.nodes_of(self._program, self._program.facts(path)):
                if isinstance(node, New) and isinstance(node.type, NamedType) and node.args:
                    made = self._program.evaluate(node, scope)
                    if isinstance(made, Instance) and made.symbol.key == symbol.key:
                        yield node, scope

    def _inherits(self, heir: ClassSymbol, method: Function) -> bool:
        if "constructor" in method.modifiers:
            return True
        own = self._program.names.classes.method(heir, method.name, {})
        return own is not None and own.function is method

    def _may_register(self, method: Function, file: FileFacts) -> bool:
        """Whether a method registers, or calls with arguments another method that does."""
        if method.body is None or "static" in method.modifiers:
            return False
        return (file.path, method.span) in self._spans or any(
            isinstance(node, Call)
            and bool(node.args)
            and isinstance(node.callee, Attribute)
            and node.callee.name in self._names
            for node in nodes_of(method.body)
        )


def method_scope(program: Program, method: FunctionValue, call: Call, scope: Scope) -> Scope:
    """Inside a method as one call on one object runs it."""
    bindings: dict[str, Value] = {}
    for position, parameter in enumerate(method.function.params):
        value: Value | None = None
        if position < len(call.args) and not call.args[position].spread:
            value = program.evaluate(call.args[position].value, scope)
        elif parameter.default is not None:
            value = program.evaluate(parameter.default, method.scope)
        if value is None:
            continue
        if parameter.pattern is not None:
            bindings.update(program.evaluator.pattern_bindings(parameter.pattern, value, scope))
        else:
            bindings[parameter.name] = value
    turn = scope.bindings_around(walker.TURN)
    item = f"#{turn.value}" if isinstance(turn, Constant) else ""
    place = f"{scope.file.path}:{call.span.line}:{call.span.column}{item}"
    bindings[CALL] = Constant(f"{call_of(scope)}>{place}")
    inside = program.function_scope(method.function, method.scope, bindings)
    inside = replace(inside, receiver=method.receiver or inside.receiver)
    return program.evaluator.as_called(inside, method, call, scope)


def _begins_with_this(expr: Expr) -> bool:
    while True:
        match expr:
            case Attribute(value=inner) | Call(callee=Attribute(value=inner)):
                expr = inner
            case Name(id=id):
                return id == "this"
            case _:
                return False
