"""Calls of libraries that stand for several statements, written out.

`found.ifPresentOrElse(order -> send(order), () -> refuse())` is an `if` with two blocks.
`ArrayNode lines = order.putArray("lines")` stands for `ArrayNode lines = order.arrayNode();
order.set("lines", lines)`, and `lines.addObject().put("a", 1)` for a node that is made, added and
changed: so what is put into a part is followed as into any other object.
"""

from __future__ import annotations

from typing import TypeVar, cast

from msgspec import Struct
from msgspec.structs import replace

from contract_scan.ir.origin import Span
from contract_scan.parsers.source.analysis.syntax.defining import nested_statements
from contract_scan.parsers.source.facts.nodes import (
    Argument,
    Assign,
    Attribute,
    Branch,
    Call,
    Choice,
    Evaluate,
    Expr,
    FileFacts,
    Function,
    Lambda,
    LiteralExpr,
    Loop,
    Name,
    Return,
    Statement,
)
from contract_scan.parsers.source.facts.visitor import nodes_of

_PUT = {
    **dict.fromkeys(("putArray", "addArray", "withArray"), "arrayNode"),
    **dict.fromkeys(("putObject", "addObject", "withObject"), "objectNode"),
}
"""By the method that makes a part: the method that makes such a node alone."""
_T = TypeVar("_T")


def with_calls_written_out(
    file: FileFacts, statements: tuple[Statement, ...]
) -> tuple[Statement, ...]:
    """The statements of a function with the calls written out that stand for several; the same
    tuple where there are none."""
    has_trees = any(".databind" in entry.module for entry in file.imports)
    if any(map(_blocks_of_optional, nested_statements(statements))) or (
        has_trees
        and any(isinstance(node, Call) and _is_made(node) for node in nodes_of(statements))
    ):
        return _written_out(statements)
    return statements


def _blocks_of_optional(statement: Statement) -> Branch | None:
    """`found.ifPresentOrElse(…, …)` as an `if`; None for any other statement."""
    match statement:
        case Evaluate(
            value=Call(
                callee=Attribute(value=found, name="ifPresentOrElse") as callee,
                args=(Argument(value=there), Argument(value=absent)),
            ) as call
        ):
            pass
        case _:
            return None
    held = replace(call, callee=replace(callee, name="get"), args=())
    blocks = (_block_of(there, (held,)), _block_of(absent, ()))
    if not all(blocks):
        return None
    test = replace(call, callee=replace(callee, value=found, name="isPresent"), args=())
    return Branch(blocks, test, exhaustive=True, span=statement.span)


def _block_of(function: Expr, given: tuple[Expr, ...]) -> tuple[Statement, ...]:
    """What a lambda or a method reference does that is given values; nothing where it may end
    before its last statement."""
    if isinstance(function, Attribute):
        args = tuple(Argument(value=value) for value in given)
        call = Call(callee=function, args=args, span=function.span)
        return (Evaluate(call, span=function.span),)
    if not isinstance(function, Lambda) or len(function.function.params) != len(given):
        return ()
    start = Span(function.span.line, function.span.column, function.span.line, function.span.column)
    bound = tuple(
        Assign(Name(param.name, span=start), value, span=start)
        for param, value in zip(function.function.params, given, strict=True)
    )
    body = function.function.body or ()
    match body:
        case (Return(value=value, span=span),) if value is not None:
            return (*bound, Evaluate(value, span=span))
        case _:
            ends_early = any(isinstance(each, Return) for each in nested_statements(body))
            return () if ends_early else (*bound, *body)


def _is_made(call: Call) -> bool:
    name = call.callee.name if isinstance(call.callee, Attribute) else ""
    if name not in _PUT or len(call.args) != (0 if name.startswith("add") else 1):
        return False
    # A JSON pointer may lead further in.
    return not any(_text(argument.value).startswith("/") for argument in call.args)


def _text(expr: Expr) -> str:
    return str(expr.value) if isinstance(expr, LiteralExpr) else ""


def _written_out(statements: tuple[Statement, ...]) -> tuple[Statement, ...]:
    found: list[Statement] = []
    for statement in statements:
        statement = _blocks_of_optional(statement) or statement
        match statement:
            case Branch(blocks=blocks):
                found.append(replace(statement, blocks=tuple(map(_written_out, blocks))))
            case Loop(body=body):
                found.append(replace(statement, body=_written_out(body)))
            case Assign(target=Name() as name, value=Call() as call) if _is_made(call):
                before: list[Statement] = []
                whole = replace(call, callee=_without_parts(call.callee, before, statement.span))
                place = _span_after(statement.span)
                put = _put_statement(whole, replace(name, span=place), place)
                found += (*before, replace(statement, value=_node_alone(whole)), put)
            case _:
                before = []
                inner = _without_parts(statement, before, statement.span)
                found += (*before, inner)
    return tuple(found)


def _without_parts(node: _T, before: list[Statement], around: Span) -> _T:
    """A piece of syntax in which names stand for the parts that calls in it make; `before` gets the
    statements that make and put them. What a choice makes may never be made: it is left."""
    if isinstance(node, tuple):
        return cast("_T", tuple(_without_parts(part, before, around) for part in node))
    if isinstance(node, Lambda):
        return cast("_T", replace(node, function=_function_written_out(node.function)))
    if not isinstance(node, Struct) or isinstance(node, Choice | Span):
        return node
    changed = {
        field: new
        for field in node.__struct_fields__
        if isinstance(part := getattr(node, field), Struct | tuple)
        and (new := _without_parts(part, before, around)) is not part
    }
    whole = replace(node, **changed) if changed else node
    if not isinstance(whole, Call) or not _is_made(whole):
        return cast("_T", whole)
    return cast("_T", _part_made(whole, before, around))


def _function_written_out(function: Function) -> Function:
    """A function inside of another one; what its only expression does, it does before it returns
    something."""
    written = function.body or ()
    body = _written_out(written)
    match written, body:
        case (_,), (*made, Return(value=value) as last) if made and value is not None:
            returned = replace(last, span=_span_after(last.span))
            body = (*made, Evaluate(value, span=last.span), returned)
        case _:
            pass
    return replace(function, body=body)


def _part_made(call: Call, before: list[Statement], around: Span) -> Expr:
    """What stands for a part that a call makes, after the statements that make and put it. These
    take no place of their own: they stand where the one around the call begins."""
    assert isinstance(call.callee, Attribute)
    place = Span(around.line, around.column, around.line, around.column + 1)
    if call.callee.name.startswith("with"):  # it gives what is there already
        before.append(_put_statement(call, _node_alone(call), place))
        return replace(call, callee=replace(call.callee, name="get"))
    start = replace(place, end_column=around.column)
    name = Name(f"part@{call.span.end_line}:{call.span.end_column}", span=start)
    before += (Assign(name, _node_alone(call), span=start), _put_statement(call, name, place))
    return replace(name, span=call.span)


def _node_alone(call: Call) -> Call:
    assert isinstance(call.callee, Attribute)
    return replace(call, callee=replace(call.callee, name=_PUT[call.callee.name]), args=())


def _put_statement(call: Call, part: Expr, place: Span) -> Evaluate:
    """The statement that puts a part where a call puts what it makes."""
    assert isinstance(call.callee, Attribute)
    callee, args = call.callee, (*call.args, Argument(value=part))
    method = "putIfAbsent" if callee.name.startswith("with") else "set" if call.args else "add"
    put = replace(call, callee=replace(callee, name=method), args=args, span=place)
    return Evaluate(put, span=place)


def _span_after(span: Span) -> Span:
    return Span(span.end_line, span.end_column, span.end_line, span.end_column + 1)
