"""What a handler, and what it calls, is seen to throw: which tests of a caught error may hold."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec.structs import replace

from contract_scan.parsers.source.analysis.domain.memo import memoised
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import (
    ClassValue,
    FunctionValue,
    LibrarySymbol,
    Scope,
)
from contract_scan.parsers.source.facts.nodes import (
    CAUGHT,
    Assign,
    Attribute,
    Branch,
    Call,
    ClassDecl,
    Expr,
    LiteralExpr,
    Name,
    NamedType,
    New,
    OperationExpr,
    Statement,
    Throw,
)
from contract_scan.parsers.source.facts.visitor import nodes_of
from contract_scan.parsers.source.typescript.resolution import walker
from contract_scan.parsers.source.typescript.web.function_scope import scope_of

_MAX_FUNCTIONS = 200
"""How many functions are looked into for what they throw."""
_REJECTS = frozenset({"reject"})
_BUILT_IN = frozenset({"Error"})


class _Thrown:
    """What one function, or several together, are seen to throw."""

    def __init__(self) -> None:
        self.classes: set[str] = set()
        """Names of the classes, and of those that they extend."""
        self.literals: set[object] = set()
        """What errors are made with, and what their classes set on them."""
        self.members: set[str] = set()
        """Names of the members that their classes have."""
        self.open = False
        """Whether something is thrown that is not followed."""

    def add(self, other: _Thrown) -> None:
        """Take in what another function throws."""
        self.classes |= other.classes
        self.literals |= other.literals
        self.members |= other.members
        self.open = self.open or other.open


_Key = tuple[str, object]


@memoised
def _functions_read(_program: Program) -> dict[_Key, tuple[_Thrown, tuple[FunctionValue, ...]]]:
    """What functions throw, and which they call, by the places of the functions."""
    return {}


class ThrownKinds:
    """The kinds of errors that a function is seen to throw, and the functions that it calls."""

    def __init__(self, program: Program, function: FunctionValue) -> None:
        self._program = program
        self._thrown = _Thrown()
        self._modules: set[str] = set()
        """What the files import that these functions stand in."""
        self._gather(function)

    def may_hold(self, test: Expr, scope: Scope) -> bool:
        """Whether a test of a caught error may hold of something that is seen to be thrown."""
        return self._thrown.open or self._names_what_is_thrown((test,), scope, follow=True)

    def _names_what_is_thrown(
        self, nodes: tuple[object, ...], scope: Scope, *, follow: bool
    ) -> bool:
        for node in nodes_of(nodes):
            match node:
                case OperationExpr(operator="instanceof", operands=(_, named)):
                    if self._is_thrown(named, scope):
                        return True
                case LiteralExpr(value=str() | int() as value) if not isinstance(value, bool):
                    if value in self._thrown.literals:
                        return True
                case Attribute(name=name) if name in self._thrown.members:
                    return True
                case Call(callee=callee) if follow and self._asks_for_thrown(callee, scope):
                    return True
                case _:
                    continue
        return False

    def _asks_for_thrown(self, callee: Expr, scope: Scope) -> bool:
        """Whether a predicate (`isTaken(error)`, `axios.isAxiosError(error)`) asks for such."""
        value = self._program.evaluate(callee, scope)
        if isinstance(value, LibrarySymbol):
            return self._is_of_modules(value.name)
        if not isinstance(value, FunctionValue):
            return False
        inner = scope_of(self._program, value)
        return self._names_what_is_thrown(inner.statements or (), inner, follow=False)

    def _is_thrown(self, named: Expr, scope: Scope) -> bool:
        value = self._program.evaluate(named, scope)
        if isinstance(value, LibrarySymbol):
            return value.name.rpartition(".")[2] in self._thrown.classes or self._is_of_modules(
                value.name
            )
        if isinstance(value, ClassValue):
            return value.symbol.decl.name in self._thrown.classes
        return True

    def _is_of_modules(self, name: str) -> bool:
        return any(name.startswith(f"{module}.") for module in self._modules)

    # ------------------------------------------------------------------ what is thrown

    def _gather(self, function: FunctionValue) -> None:
        known = _functions_read(self._program)
        pending = [function]
        seen: set[_Key] = set()
        while pending:
            current = pending.pop()
            key = (current.scope.file.path, current.function.span)
            if key in seen:
                continue
            if len(seen) == _MAX_FUNCTIONS:
                self._thrown.open = True
                return
            seen.add(key)
            self._modules.update(each.module for each in current.scope.file.imports)
            if key not in known:
                known[key] = _FunctionReader(self._program).read(current)
            thrown, called = known[key]
            self._thrown.add(thrown)
            pending.extend(called)


class _FunctionReader:
    """Reads what one function throws itself."""

    def __init__(self, program: Program) -> None:
        self._program = program
        self._thrown = _Thrown()

    def read(self, function: FunctionValue) -> tuple[_Thrown, tuple[FunctionValue, ...]]:
        """What it throws, and the functions that it calls."""
        called_here: list[FunctionValue] = []
        scope = scope_of(self._program, function)
        statements = _without_catches(scope.statements or ())
        for node, place in walker.nodes(self._program, statements, scope):
            match node:
                case Throw(value=value) if value is not None:
                    self._note(value, place)
                case Call(callee=Attribute(name=name) | Name(id=name), args=(given,)) if (
                    name in _REJECTS
                ):
                    self._note(given.value, place)
                case Call():
                    called = self._program.evaluator.function_called(node, place)
                    if called is not None:
                        called_here.append(called)
                case _:
                    continue
        return self._thrown, tuple(called_here)

    def _note(self, thrown: Expr, scope: Scope) -> None:
        match thrown:
            case New(type=NamedType(name=name)):
                self._thrown.literals.update(_literals(thrown))
                self._note_class(thrown, name.rpartition(".")[2], scope)
            case Name(id=name) if _is_caught(name, scope):
                return
            case Call():
                self._thrown.literals.update(_literals(thrown))
                called = self._program.evaluator.function_called(thrown, scope)
                if called is None:
                    value = self._program.evaluate(thrown.callee, scope)
                    self._thrown.open = self._thrown.open or not isinstance(value, LibrarySymbol)
                    return
                inner = scope_of(self._program, called)
                self._thrown.literals.update(_literals(inner.statements))
                for node in nodes_of(inner.statements or ()):
                    if isinstance(node, New) and isinstance(node.type, NamedType):
                        self._note_class(node, node.type.name.rpartition(".")[2], inner)
            case _:
                self._thrown.open = True

    def _note_class(self, made: New, name: str, scope: Scope) -> None:
        self._thrown.classes.add(name)
        value = self._program.names.declared_class(made.type, scope)
        if value is None:
            if name in _BUILT_IN:
                self._thrown.members.add("message")
            return
        self._thrown.members.update({"name", "message"})
        for symbol in (value, *self._program.bases(value)):
            decl: ClassDecl = symbol.decl
            self._thrown.classes.update({decl.name, *_names_of(decl)})
            self._thrown.members.update(member.name for member in decl.members)
            for method in decl.methods:
                body = self._program.body(method, symbol.file)
                self._thrown.literals.update(_literals(body))
                self._thrown.members.update(_set_on_this(body))
            self._thrown.literals.update(_literals(tuple(m.value for m in decl.members if m.value)))


def _names_of(decl: ClassDecl) -> Iterator[str]:
    """The names of what a class extends."""
    for base in decl.bases:
        if isinstance(base, NamedType):
            yield base.name.rpartition(".")[2]


def _set_on_this(body: object) -> Iterator[str]:
    for node in nodes_of(body):
        match node:
            case Attribute(value=Name(id="this"), name=name):
                yield name
            case _:
                continue


def _literals(nodes: object) -> Iterator[object]:
    for node in nodes_of(nodes):
        match node:
            case LiteralExpr(value=str() | int() as value) if not isinstance(value, bool):
                yield value
            case _:
                continue


def _is_caught(name: str, scope: Scope) -> bool:
    """Whether a name holds what a `catch` caught, which is thrown again."""
    for node in nodes_of(scope.statements or ()):
        match node:
            case Assign(target=Name(id=target), value=Name(id=value)) if target == name:
                return value == CAUGHT
            case _:
                continue
    return False


def _without_catches(statements: tuple[Statement, ...]) -> tuple[Statement, ...]:
    """Statements without what runs when something was thrown."""
    found: list[Statement] = []
    for statement in statements:
        match statement:
            case Branch(kind="try", blocks=(tried, *_)):
                found.extend(_without_catches(tried))
            case Branch(blocks=blocks):
                found.append(replace(statement, blocks=tuple(map(_without_catches, blocks))))
            case _:
                found.append(statement)
    return tuple(found)
