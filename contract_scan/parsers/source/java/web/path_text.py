"""Paths of routes that code puts together: what is constant of them, behind what is not."""

from __future__ import annotations

from contract_scan.ir.operation import DYNAMIC_SEGMENT
from contract_scan.ir.reasons import NO_REASON, Reason
from contract_scan.parsers.source.analysis.dataflow.reaching_definitions import definitions_of
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import ClassSymbol, Scope
from contract_scan.parsers.source.facts.nodes import (
    Assign,
    Attribute,
    Call,
    Expr,
    Name,
    NamedType,
    New,
    OperationExpr,
    Text,
)
from contract_scan.parsers.source.facts.visitor import nodes_of
from contract_scan.parsers.source.java.resolution.annotations import type_name
from contract_scan.parsers.source.java.web.chains import function_called

_NOT_FOLLOWED = Reason("route-path-not-followed")
_BUILDERS = frozenset({"StringBuilder", "StringBuffer", "String"})
_HOLE = "{}"
_MAX_DEPTH = 12


def path_of_route(program: Program, expr: Expr, scope: Scope) -> tuple[str, Reason]:
    """The path that an expression gives a route, and why it is undetermined: below a prefix that is
    not constant, or whole."""
    written = _template(program, expr, scope, 0)
    if _HOLE not in written:
        return written, NO_REASON
    prefix, _, tail = written.partition(_HOLE)
    if prefix or _HOLE in tail or not tail.startswith("/"):
        return "/", _NOT_FOLLOWED
    return DYNAMIC_SEGMENT + tail, _NOT_FOLLOWED


def _template(program: Program, expr: Expr, scope: Scope, depth: int) -> str:
    """The text of an expression, with a hole for each part that is not constant: concatenated, put
    together by a builder, given by a getter, or kept in a field that is set once."""
    known = program.template(expr, scope)
    if (known is not None and _HOLE not in known) or depth > _MAX_DEPTH:
        return _HOLE if known is None else known
    followed = _text_of_parts(program, expr, scope, depth)
    return known if known is not None and followed == _HOLE else followed


def _text_of_parts(program: Program, expr: Expr, scope: Scope, depth: int) -> str:
    """The text by the way in which it is put together."""
    match expr:
        case Text(parts=parts) | OperationExpr(operator="+", operands=parts):
            return "".join(_template(program, part, scope, depth + 1) for part in parts)
        case Call(callee=Attribute(value=inner, name="toString"), args=()):
            return _template(program, inner, scope, depth + 1)
        case Call(callee=Attribute(value=inner, name="append" | "concat"), args=(only,)):
            begun = _template(program, inner, scope, depth + 1)
            return begun + _template(program, only.value, scope, depth + 1)
        case New(type=NamedType() as made, args=args) if type_name(made) in _BUILDERS:
            texts = (_template(program, one.value, scope, depth + 1) for one in args[:1])
            return "".join(texts)
        case Call(callee=Attribute(value=Name(id="String"), name="format"), args=(first, *given)):
            between = _template(program, first.value, scope, depth + 1).split("%s")
            if "%" in "".join(between) or len(between) != len(given) + 1:
                return _HOLE
            filled = [_template(program, one.value, scope, depth + 1) for one in given]
            return between[0] + "".join(map("".join, zip(filled, between[1:], strict=True)))
        case Call(args=()):
            return _text_of_call(program, expr, scope, depth)
        case Name() if (only_value := _only_value(expr, scope)) is not None:
            return _template(program, only_value, scope, depth + 1)
        case Name(id=name) | Attribute(value=Name(id="this"), name=name) if scope.owner_around:
            return _text_in_field(program, scope.owner_around, name, depth)
        case _:
            return _HOLE


def _only_value(name: Name, scope: Scope) -> Expr | None:
    """What a local variable holds, where it is set once."""
    made = [definition.statement for definition in definitions_of(name, scope)]
    only = made[0] if len(made) == 1 else None
    return only.value if isinstance(only, Assign) and not only.operator else None


def _text_of_call(program: Program, call: Call, scope: Scope, depth: int) -> str:
    function = function_called(program, call, scope)
    exits = [] if function is None else program.function_exits(function)
    given = [one for one in exits if not one.thrown and one.value is not None]
    if len(given) != 1 or given[0].value is None:
        return _HOLE
    return _template(program, given[0].value, given[0].scope, depth + 1)


def _text_in_field(program: Program, owner: ClassSymbol, name: str, depth: int) -> str:
    """The text in a field that a class sets in one place."""
    if not any(member.name == name and member.value is None for member in owner.decl.members):
        return _HOLE
    found: list[tuple[Expr, Scope]] = []
    for method in owner.decl.methods:
        inside = program.function_scope(method, program.class_scope(owner))
        for node in nodes_of(inside.statements or ()):
            match node:
                case Assign(target=Name(id=target) | Attribute(name=target), value=value) if (
                    target == name and value is not None
                ):
                    found.append((value, inside))
    return _template(program, *found[0], depth + 1) if len(found) == 1 else _HOLE
