"""What serializers of Django REST framework make of their fields in an own `to_representation`."""

from __future__ import annotations

from msgspec.structs import replace

from contract_scan.ir.reasons import Reason
from contract_scan.ir.schema import Object, Schema, Unknown
from contract_scan.parsers.source.analysis.dataflow import reaching_definitions
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.schemas import unite
from contract_scan.parsers.source.analysis.domain.values import (
    ClassSymbol,
    FunctionValue,
    Instance,
    Record,
    Value,
)
from contract_scan.parsers.source.facts.nodes import (
    Assign,
    Attribute,
    Branch,
    Call,
    Expr,
    Name,
    Return,
    Statement,
)
from contract_scan.parsers.source.python.serialization.marshmallow.hooks import as_record


def own_representation(program: Program, symbol: ClassSymbol) -> FunctionValue | None:
    """A project's own `to_representation`; None where the library's is used."""
    return program.find_method(symbol, "to_representation")


def represented_schema(
    program: Program, method: FunctionValue, shape: Schema, model: ClassSymbol | None
) -> Schema:
    """The schema that an overridden `to_representation` returns, from the schema that the
    library would write."""
    given_name = "@represented"
    body = tuple(
        _with_super(statement, given_name)
        for statement in program.body(method.function, method.scope.file)
    )
    function = replace(method.function, body=body)
    given = as_record(program, shape)
    if isinstance(shape, Object) and not shape.fields:
        given = Record((), shape.incomplete_reason, None, shape.origin)
    bindings: dict[str, Value] = {given_name: given}
    if model is not None and method.function.params:
        bindings[method.function.params[0].name] = Instance(model)
    scope = program.function_scope(function, method.scope, bindings)
    scope = replace(scope, receiver=method.receiver or scope.receiver)
    results = [
        program.infer(statement.value, scope)
        for statement in reaching_definitions.returns(body)
        if isinstance(statement, Return) and statement.value is not None
    ]
    return (
        unite(results) if results else Unknown(reason=Reason("to-representation-returns-nothing"))
    )


def hands_on(program: Program, symbol: ClassSymbol, method: FunctionValue) -> bool:
    """Whether the only `to_representation` of a class gives what the library makes of something,
    as it is."""
    owners = (symbol, *program.bases(symbol))
    own = [m for owner in owners for m in owner.decl.methods if m.name == "to_representation"]
    if len(own) > 1:
        return False
    results = [
        statement.value
        for statement in reaching_definitions.returns(
            program.body(method.function, method.scope.file)
        )
        if isinstance(statement, Return)
    ]
    return bool(results) and all(map(_calls_super, results))


def _with_super(statement: Statement, name: str) -> Statement:
    """A statement in which `super().to_representation(x)` is a plain name."""
    match statement:
        case Assign(value=value) | Return(value=value) if _calls_super(value):
            return replace(statement, value=Name(name))
        case Branch(blocks=blocks):
            inner = tuple(tuple(_with_super(s, name) for s in block) for block in blocks)
            return replace(statement, blocks=inner)
        case _:
            return statement


def _calls_super(value: Expr | None) -> bool:
    match value:
        case Call(callee=Attribute(value=Name(id="super"), name="to_representation")):
            return True
        case Call(callee=Name(id="dict" | "OrderedDict"), args=[only]):
            return _calls_super(only.value)
        case _:
            return False
