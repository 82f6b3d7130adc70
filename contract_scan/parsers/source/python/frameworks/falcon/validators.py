"""Decorators of Falcon that hold the body of a request against a schema."""

from __future__ import annotations

from typing import TYPE_CHECKING

from contract_scan.ir.evidence import ENFORCED
from contract_scan.ir.operation import Body
from contract_scan.parsers.source.analysis.domain.values import FunctionValue, Value
from contract_scan.parsers.source.analysis.typing.json_schema_values import schema_value
from contract_scan.parsers.source.python.web.common import call_argument, origin_at

if TYPE_CHECKING:
    from contract_scan.parsers.source.analysis.domain.program import Program

_VALIDATORS = frozenset(
    f"falcon.media.validators.{module}.validate" for module in ("jsonschema", "jsonschema_rs")
)


def validated_body(program: Program, responder: FunctionValue) -> tuple[Body, ...]:
    """The body of `@jsonschema.validate(SCHEMA)`, which answers 400 to any other."""
    for annotation in responder.function.annotations:
        if annotation.callee is None:
            continue
        if program.qualified_name(annotation.callee, responder.scope) not in _VALIDATORS:
            continue
        expr = call_argument(annotation.args, "req_schema", 0)
        if expr is None:
            continue
        value = program.evaluate(expr, responder.scope)
        schema = schema_value(program, value, _no_other)
        origin = origin_at(responder.scope, annotation.span)
        return (Body(schema=schema, required=True, evidence=ENFORCED, origin=origin),)
    return ()


def _no_other(_id: str) -> Value | None:
    """No schema is registered under a name."""
    return None
