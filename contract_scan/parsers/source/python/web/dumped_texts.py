"""Texts that are the JSON of a value: `json.dumps(order)`, `order.model_dump_json()`, and what
functions of the project make so."""

from __future__ import annotations

from msgspec.structs import replace

from contract_scan.parsers.source.analysis.dataflow import reaching_definitions
from contract_scan.parsers.source.analysis.dataflow.reaching_definitions import definitions_of
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import (
    FunctionValue,
    LibraryResult,
    Scope,
    Value,
)
from contract_scan.parsers.source.facts.nodes import Assign, Attribute, Call, Expr, Name, Return

_DEEPEST = 4
_DUMPS = ("dumps", "json.encode", "json_encode")
_CODED = frozenset({"encode", "decode"})
_MODEL_DUMPS = {"model_dump_json": "model_dump"}


def json_source(program: Program, expr: Expr, scope: Scope, depth: int = 0) -> Value | None:
    """The value whose JSON a text is; None if the text is not known to be JSON."""
    if depth > _DEEPEST:
        return None
    value = program.evaluate(expr, scope)
    if isinstance(value, LibraryResult) and value.name.endswith(_DUMPS) and value.site.args:
        return program.evaluate(value.site.args[0].value, value.scope)
    match expr:
        case Call(callee=Attribute(value=inner, name=name)) if name in _CODED:
            return json_source(program, inner, scope, depth + 1)
        case Call(callee=Attribute(name=name) as callee) if name in _MODEL_DUMPS:
            plain = replace(callee, name=_MODEL_DUMPS[name])
            return program.evaluate(replace(expr, callee=plain), scope)
        case Call(callee=callee):
            function = program.evaluate(callee, scope)
            if isinstance(function, FunctionValue):
                return _returned_json_source(program, function, expr, scope, depth)
            return None
        case Name():
            found = definitions_of(expr, scope)
            if len(found) != 1 or found[0].mutations:
                return None
            match found[0].statement:
                case Assign(target=Name(), value=given, operator="") if given is not None:
                    return json_source(program, given, scope, depth + 1)
                case _:
                    return None
        case _:
            return None


def _returned_json_source(
    program: Program, function: FunctionValue, call: Call, scope: Scope, depth: int
) -> Value | None:
    """What the one text that a function of the project returns is the JSON of."""
    evaluator = program.evaluator
    bindings = evaluator.arguments_with_defaults(function, call, scope)
    inside = program.function_scope(function.function, function.scope, bindings)
    inside = replace(
        inside, receiver=function.receiver, owner=function.owner, depth=scope.depth + 1
    )
    inside = evaluator.as_called(inside, function, call, scope)
    ends = reaching_definitions.returns(inside.statements or ())
    texts = [end.value for end in ends if isinstance(end, Return) and end.value is not None]
    return json_source(program, texts[0], inside, depth + 1) if len(texts) == 1 else None
