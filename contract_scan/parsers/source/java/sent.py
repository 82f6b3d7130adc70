"""What the responses of handlers are read from, whatever the framework."""

from __future__ import annotations

from typing import TYPE_CHECKING

from contract_scan.ir.origin import Origin
from contract_scan.ir.schema import Scalar, Schema, Unknown
from contract_scan.parsers.source.facts import NullType, OpaqueType
from contract_scan.parsers.source.java.annotations import type_name
from contract_scan.parsers.source.java.handlers import Method
from contract_scan.parsers.source.java.media import JSON
from contract_scan.parsers.source.java.outcomes import Outcome, is_vague
from contract_scan.parsers.source.java.texts import RAW
from contract_scan.parsers.source.link.values import ClassSymbol, Value

if TYPE_CHECKING:
    from contract_scan.parsers.source.facts import TypeExpr
    from contract_scan.parsers.source.link.program import Program


class SentByMethod:
    """One handler method, and the shapes of what it sends."""

    def __init__(
        self, program: Program, controller: ClassSymbol, method: Method, variant: str
    ) -> None:
        self.program = program
        self.controller = controller
        self.method = method
        self.variant = variant
        self.scope = method.nearest.scope
        function = method.nearest.function
        self.declared: TypeExpr = function.returns or NullType(absent=True)
        symbol = f"{controller.qualified_name}.{function.name}"
        self.origin = Origin(self.scope.file.path, function.name_span, "", symbol)

    def declared_body(self, inner: TypeExpr | None) -> Schema | None:
        """The declared body, where the declaration tells it."""
        if inner is None or isinstance(inner, OpaqueType) or type_name(inner) == "Void":
            return None
        if is_vague(self.program, inner, self.scope):
            return None
        return self.program.schema(inner, self.scope, self.variant)

    def schema(self, value: Value | None) -> Schema | None:
        """The shape of a value that is seen to be sent."""
        if value is None:
            return None
        inner = self.program.evaluator.unwrapped(value)
        return self.program.schema_of(inner, self.variant)

    def body_schema(self, outcome: Outcome, content_type: str) -> Schema | None:
        """The shape of an outcome's body; text in the place of JSON is sent as it is."""
        schema = self.schema(outcome.body)
        if isinstance(schema, Scalar) and schema.type == "string" and content_type == JSON:
            return Unknown(reason=RAW, origin=outcome.origin or self.origin)
        return schema
