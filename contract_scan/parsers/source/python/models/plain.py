"""Plain classes: nothing writes them, unless they have a method that turns them into a dict."""

from __future__ import annotations

from msgspec.structs import replace

from contract_scan.ir.schema import Object, Schema, Unknown
from contract_scan.parsers.source.link.type_use import TypeUse
from contract_scan.parsers.source.link.values import ClassSymbol
from contract_scan.parsers.source.python.models.fields import function_result

_WRITERS = ("__json__", "to_dict", "as_dict", "asdict", "to_json", "serialize", "json", "dict")


def schema(use: TypeUse, symbol: ClassSymbol) -> Schema:
    """What the class's own writing method gives, else Unknown."""
    for name in _WRITERS:
        if use.program.find_method(symbol, name) is None:
            continue
        written = use.program.types.flat(function_result(use, symbol, name))
        if isinstance(written, Object) and not written.fields:
            # It is declared to give some map; the body shows which.
            written = use.program.types.flat(_body_result(use, symbol, name))
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


def _body_result(use: TypeUse, symbol: ClassSymbol, name: str) -> Schema:
    """What the statements of a method give, whatever it is declared to give."""
    method = use.program.find_method(symbol, name)
    if method is None:
        return Unknown(reason=f"`{symbol.decl.name}.{name}` is not declared")
    untyped = replace(method, function=replace(method.function, returns=None))
    return use.schema_of(use.program.evaluator.apply(untyped, (), use.scope))
