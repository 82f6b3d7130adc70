"""Methods of an enum that look a constant up by a text, and which texts these are."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec.structs import replace

from contract_scan.ir.schema import Scalar
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import ClassSymbol
from contract_scan.parsers.source.analysis.syntax.null_checks import is_null_literal
from contract_scan.parsers.source.facts.dotted_names import dotted_name_of
from contract_scan.parsers.source.facts.nodes import (
    Assign,
    Attribute,
    Branch,
    Call,
    Expr,
    Function,
    Lambda,
    Loop,
    Name,
    OperationExpr,
    Return,
    Statement,
    Throw,
)
from contract_scan.parsers.source.java.serialization.enums import text_of_constant

_EQUAL = {"equals": False, "equalsIgnoreCase": True}
"""Methods that compare two texts, and whether they take upper case for lower case."""
_STREAMS = frozenset({"Arrays.stream", "Stream.of"})


def accepted_texts(program: Program, symbol: ClassSymbol, method: Function) -> Scalar | None:
    """The texts for which a method of an enum gives a constant, where it compares what it is given
    with a text of each constant and throws if none has it; None where it does anything else."""
    if len(method.params) != 1 or "static" not in method.modifiers:
        return None
    given = method.params[0].name
    body = list(program.body(method, symbol.file))
    while body and (_is_guard_of_null(body[0], given) or _declares_alone(body[0])):
        del body[0]
    tested = _test_of_constants(symbol, body)
    compared = None if tested is None else _text_in_test(tested[1], tested[0], given)
    if compared is None:
        return None
    text, ignores_case = compared
    constants = [member for member in symbol.decl.members if member.kind == "enum"]
    texts = [text_of_constant(program, symbol, member, text) for member in constants]
    values = tuple(dict.fromkeys(one for one in texts if one is not None))
    if not values or len(values) < len(texts):
        return None
    return Scalar(type="string", values=values, ignores_case=ignores_case)


def _is_guard_of_null(statement: Statement, given: str) -> bool:
    """Whether a statement is `if (text == null) …`: a parameter that is there is not null."""
    match statement:
        case Branch(condition=OperationExpr(operands=(Name(id=name), other))):
            return name == given and is_null_literal(other)
        case _:
            return False


def _declares_alone(statement: Statement) -> bool:
    """Whether a statement declares a variable, that of the loop, and sets nothing."""
    return isinstance(statement, Assign) and statement.value is None


def _test_of_constants(symbol: ClassSymbol, body: list[Statement]) -> tuple[str, Expr] | None:
    """The variable that all constants of the enum are gone through with, and the test that the one
    which is returned has passed."""
    match body:
        case [
            Loop(
                variable=Name(id=variable),
                iterable=every,
                body=(Branch(condition=test, blocks=blocks),),
            ),
            Throw(),
        ]:
            found = [block for block in blocks if block]
            match found:
                case [(Return(value=Name(id=returned)),)] if returned == variable and test:
                    return (variable, test) if _is_every_constant(symbol, every) else None
                case _:
                    return None
        case [Return(value=Call(callee=Attribute(value=found_one, name="orElseThrow")))]:
            return _test_of_filter(symbol, found_one)
        case _:
            return None


def _test_of_filter(symbol: ClassSymbol, found: Expr) -> tuple[str, Expr] | None:
    """`Arrays.stream(values()).filter(one -> test).findFirst()`"""
    match found:
        case Call(
            callee=Attribute(
                value=Call(
                    callee=Attribute(
                        value=Call(callee=maker, args=(every,)),
                        name="filter",
                    ),
                    args=(test,),
                ),
                name="findFirst" | "findAny",
            )
        ) if dotted_name_of(maker) in _STREAMS and _is_every_constant(symbol, every.value):
            return _of_lambda(test.value)
        case _:
            return None


def _of_lambda(expr: Expr) -> tuple[str, Expr] | None:
    match expr:
        case Lambda(function=Function(params=(one,), body=(Return(value=test),))) if test:
            return one.name, test
        case _:
            return None


def _is_every_constant(symbol: ClassSymbol, expr: Expr | None) -> bool:
    match expr:
        case Call(callee=Name(id="values"), args=()):
            return True
        case Call(callee=Attribute(value=Name(id=name), name="values"), args=()):
            return name == symbol.decl.name
        case _:
            return False


def _text_in_test(test: Expr, variable: str, given: str) -> tuple[Expr, bool] | None:
    """What of a constant, as the constant itself would write it, is compared with what is given,
    and whether upper case is taken for lower case."""
    match test:
        case Call(callee=Attribute(value=first, name=name), args=(second,)) if name in _EQUAL:
            for text, other in _either_way(first, second.value):
                if isinstance(other, Name) and other.id == given and _begins_with(text, variable):
                    return _of_itself(text), _EQUAL[name]
            return None
        case _:
            return None


def _either_way(first: Expr, second: Expr) -> Iterator[tuple[Expr, Expr]]:
    yield first, second
    yield second, first


def _begins_with(expr: Expr, variable: str) -> bool:
    while isinstance(expr, Attribute | Call):
        expr = expr.value if isinstance(expr, Attribute) else expr.callee
    return isinstance(expr, Name) and expr.id == variable


def _of_itself(expr: Expr) -> Expr:
    """An expression on a variable as the object in the variable writes it: `one.text` as
    `this.text`."""
    match expr:
        case Name():
            return replace(expr, id="this")
        case Attribute(value=inner):
            return replace(expr, value=_of_itself(inner))
        case Call(callee=callee):
            return replace(expr, callee=_of_itself(callee))
        case _:
            return expr
