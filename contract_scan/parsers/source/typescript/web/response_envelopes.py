"""Functions of libraries that make a handler of a function and send what it returns in an object
of their own: `server.handleRequest(find)` of decentraland-server sends `{ ok: true, data: … }`.

What such a function answers where an error is thrown is not compared, as of all handlers.
"""

from __future__ import annotations

from msgspec import Struct

from contract_scan.ir.origin import Origin
from contract_scan.ir.schema import Field, Nothing, Object, Scalar, Schema
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import FunctionValue, LibraryResult, Scope
from contract_scan.parsers.source.facts.nodes import Call, Expr


class Envelope(Struct, frozen=True):
    """What a function of a library sends of what the function that it is given returns."""

    result: str
    """The member that holds what is returned."""
    constants: tuple[tuple[str, bool], ...] = ()
    """The other members."""

    def sent_schema(self, schema: Schema | None, origin: Origin) -> Schema:
        """The shape of what is sent; without a schema of it nothing is returned, which JSON leaves
        out."""
        fields = [
            Field(name=name, schema=Scalar(type="boolean", values=(value,)), origin=origin)
            for name, value in self.constants
        ]
        if schema is not None and not isinstance(schema, Nothing):
            fields.append(Field(name=self.result, schema=schema, origin=origin))
        return Object(fields=tuple(fields), origin=origin)


ENVELOPES = {
    "decentraland-server.server.handleRequest": Envelope("data", (("ok", True),)),
    "decentraland-server.handleRequest": Envelope("data", (("ok", True),)),
}
"""By the qualified name of the function, which is given the function that answers first."""


def find_envelope(
    program: Program, expr: Expr, scope: Scope
) -> tuple[FunctionValue, Envelope] | None:
    """The function that answers, and what is sent of its result; None for other handlers."""
    value = program.evaluate(expr, scope)
    if not isinstance(value, LibraryResult) or not isinstance(value.site, Call):
        return None
    envelope = ENVELOPES.get(value.name)
    args = value.site.args
    function = program.function_value(args[0].value, value.scope) if envelope and args else None
    return None if function is None or envelope is None else (function, envelope)
