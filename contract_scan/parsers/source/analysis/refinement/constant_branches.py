"""Which branches of a function run when a call gives its parameters literals.

`def dump(x, summary=False): … if not summary: data["a"] = …`: a call without `summary` runs the
branch. Told only of parameters that a call (or a default value) gives a literal and that nothing in
the function assigns, and of tests that ask nothing else: `p`, `not p`, `p is None`, `p == "x"`, and
these joined by `and` and `or`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final, TypeAlias

from msgspec import Struct
from msgspec.structs import replace

from contract_scan.ir.schema import LiteralValue
from contract_scan.parsers.source.analysis.domain.values import ClassValue, FunctionValue, Scope
from contract_scan.parsers.source.analysis.syntax.null_checks import (
    ALL,
    ANY,
    NOT,
    NULL_NAMES,
    OTHER,
    SAME,
)
from contract_scan.parsers.source.dotted import dotted
from contract_scan.parsers.source.facts import (
    Assign,
    Attribute,
    Branch,
    Call,
    Choice,
    Expr,
    Function,
    LiteralExpr,
    Loop,
    Name,
    OperationExpr,
    Param,
    Return,
    Statement,
    Throw,
)

Fixed: TypeAlias = Mapping[str, LiteralValue]
"""Parameters with the literals that they are given."""


class _Given(str):
    """Some text that is not empty."""


GIVEN: Final = _Given("given")
"""Stands for a text of which it is only known that it is there."""
_RECEIVERS = frozenset({"self", "cls"})
_TRANSPARENT = frozenset({"staticmethod", "classmethod", "abstractmethod", "override"})
"""Python's decorators that hand arguments on as they are."""
_OWN_TRUTH = frozenset({"python", "typescript"})
"""Languages where anything may be asked whether it is true."""


class Decisions:
    """Bodies of functions as they run where parameters are fixed, each worked out once."""

    def __init__(self) -> None:
        self._assigned: dict[int, tuple[tuple[Statement, ...], frozenset[str]]] = {}
        self._bodies: dict[tuple[int, frozenset[tuple[str, str]]], tuple[Statement, ...]] = {}

    def fixed(
        self, callee: FunctionValue, call: Call, caller: Scope, body: tuple[Statement, ...]
    ) -> Fixed:
        """The parameters that a call fixes."""
        given = _literals(callee, call, caller)
        if not given:
            return {}
        return {name: value for name, value in given.items() if name not in self._set(body)}

    def _set(self, body: tuple[Statement, ...]) -> frozenset[str]:
        known = self._assigned.get(id(body))
        if known is None:
            known = self._assigned[id(body)] = (body, frozenset(_assigned(body)))
        return known[1]

    def inherited(self, scope: Scope) -> Scope:
        """The scope of a function inside another one, without what does not run with what a call of
        the outer one fixes."""
        outer = scope.parent
        while outer is not None and outer.function is None:
            outer = outer.parent
        if outer is None or not outer.fixed or scope.function is None:
            return scope
        body = scope.statements or ()
        hidden = {*scope.bindings, *self._set(body)}
        for parameter in scope.function.params:
            hidden.add(parameter.name)
            hidden.update(_names(parameter.pattern) if parameter.pattern is not None else ())
        fixed = {name: value for name, value in outer.fixed.items() if name not in hidden}
        if not fixed:
            return scope
        running = self.body(body, fixed, scope.file.language)
        return replace(scope, statements=running, fixed=fixed)

    def body(
        self, body: tuple[Statement, ...], fixed: Fixed, language: str
    ) -> tuple[Statement, ...]:
        """The statements that may run. One tuple for the same question: what is found out in it is
        remembered by its identity."""
        self._set(body)  # keeps it, so that its identity stays its own
        key = (id(body), frozenset((name, repr(value)) for name, value in fixed.items()))
        if key not in self._bodies:
            self._bodies[key] = _running(body, fixed, language)
        return self._bodies[key]


def fixed_in(scope: Scope, name: str) -> Fixed:
    """What is known of a name at a place: of the function that the place lies in."""
    current: Scope | None = scope
    while current is not None and current.function is None:
        if name in current.bindings or current.owner is not None:
            return {}
        current = current.parent
    return {} if current is None else current.fixed


def holds(test: Expr, scope: Scope) -> bool | None:
    """Whether a test at a place holds, as far as fixed parameters tell."""
    current: Scope | None = scope
    while current is not None and current.function is None:
        if current.owner is not None:
            return None
        current = current.parent
    if current is None or not current.fixed:
        return None
    fixed = {name: value for name, value in current.fixed.items() if fixed_in(scope, name)}
    return _holds(test, fixed, scope.file.language)


def _literals(callee: FunctionValue, call: Call, caller: Scope) -> dict[str, LiteralValue]:
    """What a call and default values give parameters, where these are literals."""
    function = callee.function
    params = function.params
    if not params or any(argument.spread for argument in call.args):
        return {}
    if not _takes_arguments_as_written(callee):
        return {}
    positional = [a.value for a in call.args if not a.name]
    named = {a.name: a.value for a in call.args if a.name}
    found: dict[str, LiteralValue] = {}
    for position, parameter in enumerate(p for p in params if p.name not in _RECEIVERS):
        expr: Expr | None = named.get(parameter.name)
        if expr is None and parameter.kind == "" and position < len(positional):
            expr = positional[position]
        scope = caller
        if parameter.kind in ("*", "**", "pattern") or not parameter.name:
            if parameter.kind == "*":
                positional = []
            continue
        if expr is None:
            if _may_be_given(parameter, caller.file.language):
                found[parameter.name] = None
                continue
            expr, scope = parameter.default, callee.scope
        if isinstance(expr, LiteralExpr):
            found[parameter.name] = expr.value
        elif isinstance(expr, Name) and scope is caller:
            handed_on = fixed_in(caller, expr.id)
            if expr.id in handed_on:
                found[parameter.name] = handed_on[expr.id]
    return found


def _may_be_given(parameter: Param, language: str) -> bool:
    """JavaScript's parameter that a call leaves out: it is not defined."""
    return parameter.default is None and language == "typescript"


def _takes_arguments_as_written(callee: FunctionValue) -> bool:
    """Not a method called by way of its class, an extension method, or a function whose decorator
    may hand it other arguments."""
    function = callee.function
    first = function.params[0]
    if first.name in _RECEIVERS and (
        callee.receiver is None
        or (isinstance(callee.receiver, ClassValue) and first.name == "self")
    ):
        return False
    if "this" in first.modifiers or first.name == "this":
        return False
    if callee.scope.file.language not in _OWN_TRUTH:
        return True
    return all(a.name.rpartition(".")[2] in _TRANSPARENT for a in function.annotations)


def _assigned(body: tuple[Statement, ...]) -> Iterator[str]:
    """Every name that something in a body assigns, functions inside it included."""
    pending: list[object] = list(body)
    while pending:
        node = pending.pop()
        match node:
            case Assign(target=target):
                yield from _names(target)
            case Loop(variable=variable) if variable is not None:
                yield from _names(variable)
            case OperationExpr(operator="++" | "--", operands=operands):
                for operand in operands:
                    yield from _names(operand)
            case Function(name=name) if name:
                yield name
            case _:
                pass
        if isinstance(node, tuple):
            pending.extend(node)
        elif isinstance(node, Struct):
            fields = node.__struct_fields__
            pending.extend(getattr(node, f) for f in fields if f not in ("span", "name_span"))


def _names(target: Expr) -> Iterator[str]:
    pending: list[object] = [target]
    while pending:
        node = pending.pop()
        if isinstance(node, Name):
            yield node.id
        elif isinstance(node, tuple):
            pending.extend(node)
        elif isinstance(node, Struct):
            pending.extend(getattr(node, f) for f in node.__struct_fields__ if f != "span")


def _running(
    statements: tuple[Statement, ...], fixed: Fixed, language: str
) -> tuple[Statement, ...]:
    """The statements without the blocks that do not run; what surely runs stands by itself."""
    kept: list[Statement] = []
    for statement in statements:
        match statement:
            case Branch(kind="if", condition=test) if test is not None:
                runs = _holds(test, fixed, language)
                kept.extend(_of_branch(statement, runs, fixed, language))
            case Branch():
                kept.append(_inside(statement, fixed, language))
            case Loop(body=body):
                kept.append(replace(statement, body=_running(body, fixed, language)))
            case _:
                kept.append(statement)
        if kept and _leaves(kept[-1]):
            break
    return tuple(kept)


def _of_branch(
    branch: Branch, runs: bool | None, fixed: Fixed, language: str
) -> tuple[Statement, ...]:
    if runs is None:
        return (_inside(branch, fixed, language),)
    if runs:
        return _running(branch.blocks[0], fixed, language)
    others = branch.blocks[1:]
    if not others:
        return ()
    if len(others) == 1 and branch.exhaustive:
        return _running(others[0], fixed, language)
    return (_inside(replace(branch, blocks=others, condition=None), fixed, language),)


def _inside(branch: Branch, fixed: Fixed, language: str) -> Branch:
    blocks = tuple(_running(block, fixed, language) for block in branch.blocks)
    return replace(branch, blocks=blocks)


def _leaves(statement: Statement) -> bool:
    match statement:
        case Return(generator=generator):
            return not generator
        case Throw():
            return True
        case _:
            return False


def _holds(test: Expr, fixed: Fixed, language: str) -> bool | None:
    match test:
        case Name() | Attribute() if (name := dotted(test)) in fixed:
            return _truth(fixed[name], language)
        case OperationExpr(operator=operator, operands=(operand,)) if operator in NOT:
            inner = _holds(operand, fixed, language)
            return None if inner is None else not inner
        case OperationExpr(operator=operator, operands=(left, right)) if operator in SAME | OTHER:
            same = _same(left, right, fixed, strict=len(operator) == 3)
            return None if same is None else same is (operator in SAME)
        case OperationExpr(operator=operator, operands=operands) if operator in ALL:
            return _joined(operands, fixed, language, decisive=False)
        case OperationExpr(operator=operator, operands=operands) if operator in ANY:
            return _joined(operands, fixed, language, decisive=True)
        case Choice(options=options, given=()):
            conjunction = [
                option.operands[0]
                for option in options[:-1]
                if isinstance(option, OperationExpr) and option.operator == "falsy"
            ]
            if conjunction and len(conjunction) == len(options) - 1:
                return _joined((*conjunction, options[-1]), fixed, language, decisive=False)
            return _joined(options, fixed, language, decisive=True) if not conjunction else None
        case _:
            return None


def _truth(value: LiteralValue, language: str) -> bool | None:
    if isinstance(value, bool):
        return value
    return bool(value) if language in _OWN_TRUTH else None


def _same(left: Expr, right: Expr, fixed: Fixed, *, strict: bool) -> bool | None:
    """Whether a fixed parameter is the same as a literal; of two kinds only null is told, which to
    JavaScript's `===` may be null or undefined."""
    if dotted(left) not in fixed:
        left, right = right, left
    if dotted(left) not in fixed:
        return None
    value = fixed[dotted(left)]
    if isinstance(right, Name) and right.id in NULL_NAMES and right.id not in fixed:
        other = None
    elif isinstance(right, LiteralExpr):
        other = right.value
    else:
        return None
    if value is None and other is None:
        return None if strict else True
    if value is None or other is None:
        return False
    return value == other if type(value) is type(other) else None


def _joined(
    operands: tuple[Expr, ...], fixed: Fixed, language: str, *, decisive: bool
) -> bool | None:
    """`a and b`: one that does not hold decides; `a or b`: one that does."""
    each = [_holds(operand, fixed, language) for operand in operands]
    if decisive in each:
        return decisive
    return None if None in each else not decisive
