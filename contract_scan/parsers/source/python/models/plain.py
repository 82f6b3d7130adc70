"""Plain classes: nothing writes them, unless they have a method that turns them into a dict."""

from __future__ import annotations

from contract_scan.ir.schema import Object, Schema, Unknown
from contract_scan.parsers.source.link.types import TypeUse
from contract_scan.parsers.source.link.values import ClassSymbol
from contract_scan.parsers.source.python.models.fields import function_result

_WRITERS = ("to_dict", "as_dict", "asdict", "to_json", "serialize", "json", "dict")


def schema(use: TypeUse, symbol: ClassSymbol) -> Schema:
    """What the class's own writing method gives, else Unknown."""
    for name in _WRITERS:
        if use.program.find_method(symbol, name) is None:
            continue
        written = use.program.types.flat(function_result(use, symbol, name))
        if isinstance(written, Object) and written.fields:
            return Object(
                fields=written.fields,
                additional=written.additional,
                partial=written.partial,
                name=symbol.decl.name,
                origin=written.origin,
            )
    reason = f"nothing says how the class `{symbol.decl.name}` is written"
    return Unknown(reason=reason, nullable=False, origin=symbol.origin)
