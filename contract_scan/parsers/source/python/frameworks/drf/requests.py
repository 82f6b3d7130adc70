"""What views of Django REST framework take from the body of a request."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import Struct
from msgspec.structs import replace

from contract_scan.ir.operation import Body
from contract_scan.ir.origin import Origin
from contract_scan.ir.reasons import Reason
from contract_scan.ir.schema import Array, Field, Object, Schema
from contract_scan.parsers.source.analysis.dataflow import reaching_definitions
from contract_scan.parsers.source.analysis.domain.values import (
    ClassValue,
    Instance,
    LibraryResult,
    Scope,
)
from contract_scan.parsers.source.analysis.evaluation.call_sites import calls_in
from contract_scan.parsers.source.facts.nodes import (
    Assign,
    Attribute,
    Call,
    Expr,
    Index,
    LiteralExpr,
    Name,
    Statement,
)
from contract_scan.parsers.source.python.frameworks.drf.responses import View
from contract_scan.parsers.source.python.frameworks.drf.serializer_selection import serializer_class
from contract_scan.parsers.source.python.messaging.reads import of_request
from contract_scan.parsers.source.python.serialization.drf import serializers as drf
from contract_scan.parsers.source.python.serialization.fields import argument_value, is_true
from contract_scan.parsers.source.python.serialization.modes import LOAD, PARTIAL
from contract_scan.parsers.source.python.web.common import unknown

if TYPE_CHECKING:
    from contract_scan.parsers.source.analysis.domain.program import Program

_REQUEST_PARTS = frozenset({"data", "POST", "body", "FILES"})
_OTHER_PARTS = frozenset({"method", "FILES", "POST", "body", "stream"})
"""What may be read beside the object, or decides which part of it is."""


def bodies(
    program: Program, view: View, scope: Scope | None, naming: tuple[str, ...], origin: Origin
) -> tuple[Body, ...]:
    """What one method of a view takes from the body. `scope`: inside the project's own code for it;
    None where the library answers. `naming`: how names are written."""
    if view.method in ("GET", "HEAD", "DELETE", "OPTIONS"):
        return ()
    if view.handler is None or scope is None:
        serializer = serializer_class(program, view)
        partial = (PARTIAL,) if view.action == "partial_update" else ()
        if isinstance(serializer, ClassValue):
            shape: Schema = drf.reference(program, serializer.symbol, LOAD, *partial, *naming)
        else:
            shape = unknown(Reason("view-serializer-undetermined"), origin)
        return (Body(schema=shape, required=True, origin=origin),)
    found = _serializer_input(program, scope, naming, origin)
    if found is not None:
        return (Body(schema=found, required=True, origin=origin),)
    statements = scope.statements or ()
    if not _reads_request(statements, _REQUEST_PARTS):
        return ()
    read = None
    if not naming and not _reads_request(statements, _OTHER_PARTS):
        read = of_request(program, view.handler, _is_data)
    if read is None:
        read = unknown(Reason("view-reads-request-itself"), origin)
    return (Body(schema=read, required=None, origin=origin),)


def _serializer_input(
    program: Program, scope: Scope, naming: tuple[str, ...], origin: Origin
) -> Schema | None:
    """The input of the serializer that a handler constructs with `data=`."""
    for call, place_of in calls_in(program, scope.statements or (), scope):
        data = next((a.value for a in call.args if a.name == "data"), None)
        if not isinstance(call, Call) or data is None:
            continue
        serializer = program.evaluate(call, place_of)
        if not isinstance(serializer, Instance) or not drf.is_serializer_class(
            program, ClassValue(serializer.symbol)
        ):
            continue
        envelope = _envelope(data, scope)
        if envelope is None:
            return unknown(Reason("serializer-input-made-by-view"), origin)
        partial = LibraryResult("", call, place_of)
        flags = (PARTIAL,) if is_true(argument_value(program, partial, "partial")) else ()
        shape: Schema = drf.reference(program, serializer.symbol, LOAD, *flags, *naming)
        if added := _keys_set_by_view(program, scope):
            shape = _without_fields(program.types.flat(shape), added)
        if is_true(argument_value(program, partial, "many")):
            shape = Array(items=shape, origin=origin)
        for key in reversed(envelope):
            field = Field(name=key, schema=shape, origin=origin)
            shape = Object(fields=(field,), origin=origin)
        return shape
    return None


def _keys_set_by_view(program: Program, scope: Scope) -> set[str]:
    """The keys that a view itself adds to the data of the request: `request.data["by"] = …`."""
    return {
        text
        for statement in reaching_definitions.nested_statements(scope.statements or ())
        if isinstance(statement, Assign)
        and isinstance(statement.target, Index)
        and _is_data(statement.target.value, scope)
        and (text := program.text(statement.target.index, scope)) is not None
    }


def _without_fields(shape: Schema, names: set[str]) -> Schema:
    if not isinstance(shape, Object):
        return shape
    return replace(shape, fields=tuple(f for f in shape.fields if f.name not in names))


def _is_data(expr: Expr, scope: Scope) -> bool:
    """Whether an expression is the object in a request: `request.data`."""
    del scope
    return isinstance(expr, Attribute) and expr.name == "data" and _is_request(expr.value)


def _reads_request(statements: tuple[Statement, ...], parts: frozenset[str]) -> bool:
    """Whether statements read one of these parts of a request."""
    pending: list[object] = list(statements)
    while pending:
        node = pending.pop()
        if isinstance(node, tuple):
            pending.extend(node)
        elif isinstance(node, Attribute) and node.name in parts and _is_request(node.value):
            return True
        elif isinstance(node, Struct):
            names = node.__struct_fields__
            pending.extend(getattr(node, name) for name in names if name != "span")
    return False


def _is_request(expr: Expr) -> bool:
    match expr:
        case Name(id="request") | Attribute(value=Name(id="this"), name="request"):
            return True
        case _:
            return False


def _envelope(data: Expr, scope: Scope) -> list[str] | None:
    """The keys under which `request.data` holds a serializer's input: none for the data itself;
    None where the input is made up by the view."""
    match data:
        case Attribute(value=value, name="data" | "POST") if _is_request(value):
            return []
        case Index(value=inner, index=LiteralExpr(value=str(key))):
            outer = _envelope(inner, scope)
            return None if outer is None else [*outer, key]
        case Call(callee=Attribute(value=inner, name="get" | "pop"), args=[first, *_]):
            outer = _envelope(inner, scope)
            if outer is None or not isinstance(first.value, LiteralExpr):
                return None
            return [*outer, str(first.value.value)]
        case Name(id=name):
            definitions = reaching_definitions.reaching_definitions(
                scope.statements or (), name, data.span
            )
            if len(definitions) == 1 and isinstance(definitions[0].statement, Assign):
                statement = definitions[0].statement
                if statement.value is not None and not definitions[0].mutations:
                    return _envelope(statement.value, scope)
            return None
        case _:
            return None
