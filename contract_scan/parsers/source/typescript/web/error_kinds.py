"""Statuses that are sent for one kind of caught error alone, where nothing is seen to throw such.

`catch (error) { res.status(error instanceof Taken ? 409 : 500)… }` stands in many handlers that
call nothing which throws `Taken`: what is caught there is an error that nobody expects, and 500.
"""

from __future__ import annotations

from collections.abc import Iterator

from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import FunctionValue, Scope
from contract_scan.parsers.source.analysis.syntax.null_checks import ALL, ANY, NOT, OTHER, SAME
from contract_scan.parsers.source.facts.nodes import (
    CAUGHT,
    ArrayLiteral,
    Assign,
    Attribute,
    Branch,
    Call,
    Cast,
    Choice,
    Expr,
    Index,
    LiteralExpr,
    Name,
    NamedType,
    ObjectLiteral,
    OperationExpr,
    Param,
    Return,
    Statement,
    TypeExpr,
    UnionType,
    UnsupportedSyntax,
)
from contract_scan.parsers.source.facts.visitor import nodes_of
from contract_scan.parsers.source.typescript.web.function_scope import scope_of
from contract_scan.parsers.source.typescript.web.statuses import statuses
from contract_scan.parsers.source.typescript.web.thrown_kinds import ThrownKinds

Names = frozenset[str]
_DEEPEST = 3
"""How many functions are followed that say the status of an error."""


class ErrorKinds:
    """Tells what is for one kind of error alone, in a handler and in what it hands errors to."""

    def __init__(self, program: Program, handler: FunctionValue) -> None:
        self._program = program
        self._handler = handler
        self._thrown: ThrownKinds | None = None
        self._arguments: dict[int, tuple[Scope, Scope, Names, dict[str, Expr]]] = {}
        """By the identity of a scope, which is kept so that it stays its own."""

    def enter(
        self, inside: Scope, params: tuple[Param, ...], call: Call, held: Names, at: Scope
    ) -> None:
        """Remember what a call gives a function: parameters may hold what is read of errors."""
        given = {
            parameter.name: argument.value
            for parameter, argument in zip(params, call.args, strict=False)
            if parameter.name and not argument.name and not argument.spread
        }
        self._arguments[id(inside)] = (inside, at, held, given)

    def of_test(self, test: Expr | None, names: Names, scope: Scope) -> tuple[bool, bool]:
        """Whether what runs where a test holds, and what runs where it fails, is for one kind of
        error alone, of which nothing is seen to be thrown."""
        if test is None or not names or not mentions(test, names):
            return (False, False)
        one_kind = _one_kind(test, names)
        if not any(one_kind) or self._may_hold(test, scope):
            return (False, False)
        return one_kind

    def of_cases(self, branch: Branch, names: Names, scope: Scope) -> tuple[bool, ...]:
        """The same of each block of a `switch`."""
        subject = branch.condition
        found = []
        for position, _ in enumerate(branch.blocks):
            case = branch.cases[position] if position < len(branch.cases) else None
            if case is None or subject is None or isinstance(case, UnsupportedSyntax):
                found.append(False)
            elif isinstance(subject, LiteralExpr):
                found.append(self.of_test(case, names, scope)[0])
            else:
                of_error = bool(names) and mentions(subject, names)
                found.append(of_error and not self._may_hold(case, scope))
        return tuple(found)

    def of_status(self, expr: Expr, names: Names, scope: Scope) -> frozenset[int]:
        """The statuses of an expression that are for one kind of error alone."""
        if not names:
            return frozenset()
        alone, others = self._split(expr, names, scope, _DEEPEST)
        return frozenset(alone - others)

    def _may_hold(self, test: Expr, scope: Scope) -> bool:
        if self._thrown is None:
            self._thrown = ThrownKinds(self._program, self._handler)
        return self._thrown.may_hold(test, scope)

    # ------------------------------------------------------------------ statuses

    def _split(
        self, expr: Expr, names: Names, scope: Scope, depth: int
    ) -> tuple[set[int], set[int]]:
        """The statuses that an expression gives for one kind of error, and the others."""
        alone: set[int] = set()
        others: set[int] = set()
        for given, of_one_kind, place, known in self._possible_values(expr, names, scope, depth):
            mapped = isinstance(given, Index) and mentions(given.index, known)
            of_kind = of_one_kind or (mapped and not self._may_hold(given, place))
            (alone if of_kind else others).update(statuses(self._program, given, place))
        return alone, others

    def _possible_values(
        self, expr: Expr, names: Names, scope: Scope, depth: int, of_one_kind: bool = False
    ) -> Iterator[tuple[Expr, bool, Scope, Names]]:
        """What an expression may give, and whether that is for one kind of error alone."""
        match expr:
            case Cast(value=value):
                yield from self._possible_values(value, names, scope, depth, of_one_kind)
            case Choice(options=options, given=given) if given:
                for option, test in zip(options, given, strict=False):
                    alone = of_one_kind or self.of_test(test, names, scope)[0]
                    yield from self._possible_values(option, names, scope, depth, alone)
            case Choice(options=options):
                for option in options:
                    yield from self._possible_values(option, names, scope, depth, of_one_kind)
            case ArrayLiteral(items=items):
                for item in items:
                    yield from self._possible_values(item, names, scope, depth, of_one_kind)
            case ObjectLiteral(entries=entries):
                for entry in entries:
                    yield from self._possible_values(entry.value, names, scope, depth, of_one_kind)
            case Call() if depth and (called := self._function(expr, names, scope)) is not None:
                function, received = called
                inner = scope_of(self._program, function)
                for value, alone, known in self._returned_values(inner, received):
                    yield from self._possible_values(
                        value, known, inner, depth - 1, of_one_kind or alone
                    )
            case Name(id=name) if depth:
                held = list(self._assigned_values(scope.statements or (), name, names, scope))
                entered = self._arguments.get(id(scope))
                if name in names or any(alone for _, alone in held):
                    for value, alone in held:
                        yield from self._possible_values(
                            value, names, scope, depth - 1, of_one_kind or alone
                        )
                    if not held and entered is not None and name in entered[3]:
                        _, outside, known, arguments = entered
                        yield from self._possible_values(
                            arguments[name], known, outside, depth, of_one_kind
                        )
                else:
                    yield expr, of_one_kind, scope, names
            case Attribute(value=Name(id=name) | Call(callee=Name(id=name)) as value) if depth and (
                name in names or isinstance(value, Call)
            ):
                yield from self._possible_values(value, names, scope, depth, of_one_kind)
            case _:
                yield expr, of_one_kind, scope, names

    def _function(
        self, call: Call, names: Names, scope: Scope
    ) -> tuple[FunctionValue, Names] | None:
        """A function of the project that is given an error, and its names for that."""
        function = self._program.evaluator.function_called(call, scope)
        if function is None:
            return None
        received = frozenset(
            parameter.name
            for parameter, argument in zip(function.function.params, call.args, strict=False)
            if parameter.name and mentions(argument.value, names)
        )
        return (function, received) if received else None

    def _returned_values(self, scope: Scope, names: Names) -> Iterator[tuple[Expr, bool, Names]]:
        for statement, alone, known in self._ways(scope.statements or (), names, scope, False):
            if isinstance(statement, Return) and statement.value is not None:
                yield statement.value, alone, known

    def _assigned_values(
        self, statements: tuple[Statement, ...], name: str, names: Names, scope: Scope
    ) -> Iterator[tuple[Expr, bool]]:
        for statement, alone, _ in self._ways(statements, names, scope, False):
            if (
                isinstance(statement, Assign)
                and statement.value is not None
                and name in names_bound(statement.target)
            ):
                yield statement.value, alone

    def _ways(
        self, statements: tuple[Statement, ...], names: Names, scope: Scope, alone: bool
    ) -> Iterator[tuple[Statement, bool, Names]]:
        """Statements, with whether each runs for one kind of error alone."""
        for statement in statements:
            match statement:
                case Branch(kind="if", condition=test, blocks=(first, *rest)):
                    holds, fails = self.of_test(test, names, scope)
                    yield from self._ways(first, names, scope, alone or holds)
                    for block in rest:
                        yield from self._ways(block, names, scope, alone or fails)
                    if (fails and _leaves(first)) or (holds and rest and _leaves(rest[0])):
                        alone = True
                case Branch(kind="switch", blocks=blocks):
                    of_cases = self.of_cases(statement, names, scope)
                    for block, of_case in zip(blocks, of_cases, strict=True):
                        yield from self._ways(block, names, scope, alone or of_case)
                case Branch(blocks=blocks):
                    for block in blocks:
                        yield from self._ways(block, names, scope, alone)
                case Assign():
                    names = names_after(statement, names)
                    yield statement, alone, names
                case _:
                    yield statement, alone, names


def names_after(assigned: Assign, names: Names) -> Names:
    """The names of errors, and of what is read of them, after an assignment."""
    value = assigned.value
    if value is None:
        return names
    if (isinstance(value, Name) and value.id == CAUGHT) or mentions(value, names):
        return names | names_bound(assigned.target)
    return names


def names_bound(target: Expr) -> Names:
    """The names that an assignment gives values."""
    match target:
        case Name(id=name):
            return frozenset({name})
        case ObjectLiteral(entries=entries):
            return frozenset().union(*(names_bound(entry.value) for entry in entries))
        case ArrayLiteral(items=items):
            return frozenset().union(*(names_bound(item) for item in items))
        case _:
            return frozenset()


def mentions(expr: object, names: Names) -> bool:
    """Whether one of the names stands in an expression."""
    return bool(names) and any(
        isinstance(node, Name) and node.id in names for node in nodes_of(expr)
    )


def declared_errors(params: tuple[Param, ...]) -> Names:
    """The parameters that are errors by their types."""
    return frozenset(p.name for p in params if p.name and p.type and _is_error_type(p.type))


def _is_error_type(declared: TypeExpr) -> bool:
    match declared:
        case NamedType(name=name):
            return name.endswith(("Error", "Exception"))
        case UnionType(options=options):
            return all(map(_is_error_type, options))
        case _:
            return False


def _leaves(block: tuple[Statement, ...]) -> bool:
    return bool(block) and isinstance(block[-1], Return)


def _one_kind(test: Expr, names: Names) -> tuple[bool, bool]:
    """Whether what runs where a test of an error holds, and where it fails, is for one kind of
    error alone."""
    match test:
        case Cast(value=value):
            return _one_kind(value, names)
        case OperationExpr(operator=operator, operands=(operand,)) if operator in NOT:
            holds, fails = _one_kind(operand, names)
            return fails, holds
        case OperationExpr(operator="falsy", operands=(operand,)):
            return _one_kind(operand, names)
        case OperationExpr(operator=operator, operands=operands) if operator in ALL:
            return _all(operands, names)
        case OperationExpr(operator=operator, operands=operands) if operator in ANY:
            return _any(operands, names)
        case Choice(options=options, given=(), fallback=True):
            return _any(options, names)
        case Choice(options=options, given=()):
            return _all(options, names)
        case _ if not mentions(test, names):
            return (False, False)
        case OperationExpr(operator="instanceof", operands=(_, Name(id="Error"))):
            return (False, False)
        case OperationExpr(operator=operator, operands=(OperationExpr(operator="typeof"), _)) if (
            operator in SAME | OTHER
        ):
            return (False, False)
        case OperationExpr(operator=operator, operands=(left, right)) if operator in SAME | OTHER:
            if any(isinstance(side, LiteralExpr) and side.value is None for side in (left, right)):
                return (False, False)
            return (operator in SAME, operator in OTHER)
        case Name() | Attribute(name="message" | "stack"):
            return (False, False)
        case _:
            return (True, False)


def _all(operands: tuple[Expr, ...], names: Names) -> tuple[bool, bool]:
    each = [_one_kind(operand, names) for operand in operands]
    return any(one[0] for one in each), bool(each) and all(one[1] for one in each)


def _any(operands: tuple[Expr, ...], names: Names) -> tuple[bool, bool]:
    each = [_one_kind(operand, names) for operand in operands]
    return bool(each) and all(one[0] for one in each), any(one[1] for one in each)
