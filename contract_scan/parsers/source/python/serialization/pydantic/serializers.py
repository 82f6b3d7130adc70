"""Methods of pydantic models that write or convert a field, or all that a property gives."""

from __future__ import annotations

from msgspec.structs import replace

from contract_scan.ir.schema import Schema, with_nullable
from contract_scan.parsers.source.analysis.domain.hooks import TypeUse
from contract_scan.parsers.source.analysis.domain.schemas import unite
from contract_scan.parsers.source.analysis.domain.values import (
    ClassSymbol,
    Constant,
    FunctionValue,
    Scope,
    Value,
)
from contract_scan.parsers.source.facts.nodes import (
    Attribute,
    Call,
    Choice,
    Expr,
    Function,
    Name,
    Return,
)
from contract_scan.parsers.source.python.resolution.branch_selection import (
    Known,
    evaluate_condition,
    reachable_exits,
)


def field_serializers(use: TypeUse, chain: list[tuple[ClassSymbol, Scope]]) -> dict[str, Schema]:
    """Field name -> what its `@field_serializer` gives."""
    found: dict[str, Schema] = {}
    for owner, scope in reversed(chain):
        for method in owner.decl.methods:
            for annotation in method.annotations:
                if annotation.name.rpartition(".")[2] not in ("field_serializer", "serializer"):
                    continue
                shape = _json_schema(use, owner, method, scope)
                names = [a.value for a in annotation.args if not a.name]
                if len(names) > 1 and shape.nullable is True:
                    # Null is for those of them that may be null.
                    shape = with_nullable(shape, None)
                for expr in names:
                    name = use.program.text(expr, scope)
                    if name is not None:
                        found[name] = shape
    return found


def method_result(use: TypeUse, owner: ClassSymbol, method: Function, scope: Scope) -> Schema:
    """What a method gives."""
    value = FunctionValue(method, scope, owner, scope.receiver)
    return use.schema_of(use.program.evaluator.apply(value, (), use.scope))


def _json_schema(use: TypeUse, owner: ClassSymbol, method: Function, scope: Scope) -> Schema:
    """The schema of what a serializer returns in JSON mode, which it may ask its last parameter
    for."""
    parameter_names = [
        param.name for param in method.params if param.name not in ("self", "this", "cls")
    ]
    inside = use.program.function_scope(method, scope)
    inside = replace(inside, receiver=scope.receiver, owner=owner)
    if method.returns is not None or len(parameter_names) < 2 or not inside.statements:
        return method_result(use, owner, method, scope)
    info = parameter_names[-1]

    def known_value(expr: Expr) -> Value | None:
        match expr:
            case Attribute(value=Name(id=id), name="mode") if id == info:
                return Constant("json")
            case Call(callee=Attribute(value=Name(id=id), name="mode_is_json")) if id == info:
                return Constant(True)
            case _:
                return None

    ends = reachable_exits(use.program, inside.statements, inside, known_value)
    results = [end.value for end in ends if isinstance(end, Return) and end.value is not None]
    results = [_chosen_option(use, value, inside, known_value) for value in results]
    if not results:
        return method_result(use, owner, method, scope)
    return unite(use.schema_of(use.program.evaluate(value, inside)) for value in results)


def _chosen_option(use: TypeUse, value: Expr, scope: Scope, known: Known) -> Expr:
    """The option of `a if info.mode == "json" else b` that applies."""
    if isinstance(value, Choice):
        for option, test in zip(value.options, value.given, strict=False):
            if evaluate_condition(use.program, test, scope, known) is True:
                return option
    return value
