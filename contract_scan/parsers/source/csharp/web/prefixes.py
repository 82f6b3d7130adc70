"""What is put behind the prefix of what an extension method is called on."""

from __future__ import annotations

from typing import Final

from msgspec.structs import replace

from contract_scan.parsers.source.analysis.dataflow import reaching_definitions
from contract_scan.parsers.source.analysis.dataflow.reaching_definitions import assigned_values
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import (
    FunctionValue,
    Instance,
    Scope,
    is_null,
)
from contract_scan.parsers.source.csharp.lowering.expressions import NOT_NULL
from contract_scan.parsers.source.csharp.messaging.addresses import setting_text
from contract_scan.parsers.source.csharp.resolution.extensions import extension_named
from contract_scan.parsers.source.csharp.web.reflection import property_value
from contract_scan.parsers.source.facts.nodes import (
    Attribute,
    Call,
    Choice,
    Expr,
    Name,
    Param,
    Text,
)

_MAX_DEPTH = 60
_MAX_NESTED = 6


def calls_on(expr: Expr | None, name: str, scope: Scope) -> tuple[Call, ...] | None:
    """The calls that lead from a parameter to an expression, the last one first; None where it is
    not made of the parameter by calls alone."""
    found: list[Call] = []
    for _ in range(_MAX_DEPTH):
        match expr:
            case Name(id=id) if id == name:
                return tuple(found)
            case Name(id=id):
                given = assigned_values(expr, scope)
                if len(given) != 1:
                    return None
                expr = given[0]
            case Call(callee=Attribute(value=value)):
                found.append(expr)
                expr = value
            case _:
                return None
    return None


def group_prefix(
    program: Program, expr: Expr | None, name: str, scope: Scope, depth: int = 0
) -> str | None:
    """What groups add to the prefix of a parameter; None where that is undetermined."""
    calls = calls_on(expr, name, scope)
    if calls is None:
        return None
    added = ""
    for call in calls:
        text: str | None = ""
        match call:
            case Call(callee=Attribute(name="MapGroup"), args=(prefix,)):
                text = constant_text(program, prefix.value, scope)
                text = text if text is None else f"/{text.strip('/')}"
            case _:
                text = by_extension(program, call, scope, depth + 1)
                text = "" if text is UNKNOWN else text
        if text is None:
            return None
        added = join_template(text, added)
    return added


UNKNOWN: Final = "?"
"""No extension method of the project is meant."""


def by_extension(program: Program, call: Call, scope: Scope, depth: int = 0) -> str | None:
    """What an extension method of the project puts behind the prefix of what it is called on: one
    made of what it is given (`app.MapGroup(this)`); None where that is undetermined."""
    if not isinstance(call.callee, Attribute) or depth > _MAX_NESTED:
        return UNKNOWN
    seen = False
    for found in extension_named(program, call.callee.name):
        first, *params = found.function.params
        given = _argument_by_parameter(params, call)
        if given is None or found.function is scope.function:
            continue
        seen = True
        values = {name: program.evaluate(value, scope) for name, value in given.items()}
        for param in params:
            if param.name not in given and param.default is not None:
                values[param.name] = program.evaluate(param.default, found.scope)
        inside = program.function_scope(found.function, found.scope, values)
        returned = [s.value for s in reaching_definitions.returns(inside.statements or ())]
        texts = [group_prefix(program, value, first.name, inside, depth) for value in returned]
        if texts and texts[0] is not None and texts.count(texts[0]) == len(texts):
            return texts[0]
    return None if seen else UNKNOWN


def _argument_by_parameter(params: list[Param], call: Call) -> dict[str, Expr] | None:
    """The argument for each parameter by name; None if the call does not match the parameters."""
    given: dict[str, Expr] = {}
    for position, argument in enumerate(call.args):
        if not argument.name and position >= len(params):
            return None
        given[argument.name or params[position].name] = argument.value
    names = {param.name for param in params}
    needed = {param.name for param in params if param.default is None}
    return given if needed <= given.keys() <= names else None


def constant_text(program: Program, expr: Expr, scope: Scope, depth: int = 0) -> str | None:
    """A constant text, where properties that nothing sets (`group.GroupName ?? …`) are null."""
    match expr:
        case _ if depth > _MAX_DEPTH:
            return None
        case Text(parts=parts):
            texts = [constant_text(program, part, scope, depth + 1) for part in parts]
            known = [text for text in texts if text is not None]
            return "".join(known) if len(known) == len(texts) else None
        case Name(id=id):
            values = assigned_values(expr, scope)
            if len(values) == 1 and values[0] is not None:
                return constant_text(program, values[0], scope, depth + 1)
        case Choice(options=(Call(callee=Name(id=id), args=(first,)), other)) if id == NOT_NULL:
            reflected, text = property_value(program, first.value, scope)
            if text is not None:
                return text
            unset = (
                reflected
                or _is_never_set(program, first.value, scope)
                or is_null(program.evaluate(first.value, scope))
            )
            if setting := setting_text(program, expr, scope):
                return setting
            given = other if unset else first.value
            return constant_text(program, given, scope, depth + 1)
    text = program.text(expr, scope)
    if text is not None:
        return text
    return _own_text(program, expr, scope) or setting_text(program, expr, scope) or None


def _own_text(program: Program, expr: Expr, scope: Scope) -> str:
    """What `ToString` of a class of the project says of an object that is made here."""
    value = program.evaluate(expr, scope)
    if not isinstance(value, Instance) or value.site is None or value.constant:
        return ""
    method = program.evaluator.member(value, "ToString", 0)
    if not isinstance(method, FunctionValue):
        return ""
    returned = [one for one in program.function_exits(method) if one.value is not None]
    if len(returned) != 1:
        return ""
    inside = replace(returned[0].scope, receiver=value)
    match returned[0].value:
        case Name(id=id):  # a member, where no variable is called so
            held = program.evaluator.member(value, id)
            return program.evaluator.text(held) or "" if held is not None else ""
        case other:
            return program.text(other, inside) or ""


def _is_never_set(program: Program, expr: Expr, scope: Scope) -> bool:
    """Whether an expression reads a property with a getter alone that has no value."""
    if not isinstance(expr, Attribute):
        return False
    holder = program.evaluate(expr.value, scope)
    if not isinstance(holder, Instance):
        return False
    for symbol in (holder.symbol, *program.bases(holder.symbol)):
        for member in symbol.decl.members:
            if member.name == expr.name:
                words = set(member.modifiers)
                return member.value is None and "get" in words and not words & {"set", "init"}
    return False


def join_template(prefix: str, template: str) -> str:
    """A group's template after that of the group around it."""
    if not template.strip("/"):
        return prefix
    return f"{prefix.rstrip('/')}/{template.strip('/')}"
