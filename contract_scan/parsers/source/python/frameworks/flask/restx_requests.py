"""What Flask-RESTX is told that a view expects: models, lists of them, request parsers."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from contract_scan.ir.origin import Origin
from contract_scan.ir.reasons import Reason
from contract_scan.ir.schema import Array, Field, Object, Scalar, ScalarType, Schema, Unknown
from contract_scan.parsers.source.analysis.domain.values import Items, LibraryResult, Scope, Value
from contract_scan.parsers.source.facts.nodes import Attribute, Expr
from contract_scan.parsers.source.python.serialization import restx
from contract_scan.parsers.source.python.serialization.fields import is_true
from contract_scan.parsers.source.python.web.common import origin_at
from contract_scan.parsers.source.python.web.mounts import calls_to

if TYPE_CHECKING:
    from contract_scan.parsers.source.analysis.domain.program import Program


def expected_inputs(
    program: Program, value: Value, origin: Origin
) -> Iterator[tuple[str, Schema, Origin]]:
    """`@api.expect(model)`, `@api.expect([model])`, `@api.expect(parser)`."""
    if isinstance(value, Items) and len(value.values) == 1:
        inner = restx.marshalled_schema(program, value.values[0])
        yield "body", Array(items=inner, origin=origin), origin
    elif isinstance(value, LibraryResult) and "RequestParser" in value.name:
        yield from _request_parser_inputs(program, value)
    elif restx.is_fields(program, value):
        yield "body", restx.marshalled_schema(program, value), origin


_TYPES: dict[str, tuple[ScalarType, str]] = {
    "str": ("string", ""),
    "int": ("integer", ""),
    "float": ("number", ""),
    "bool": ("boolean", ""),
}


def _request_parser_inputs(
    program: Program, made: LibraryResult
) -> Iterator[tuple[str, Schema, Origin]]:
    """The arguments that code adds to a request parser, by the location that the parser reads
    them from."""
    places: dict[str, list[Field]] = {}
    for call, scope in calls_to(program, "add_argument"):
        if not isinstance(call.callee, Attribute):
            continue
        target = program.evaluate(call.callee.value, scope)
        if not isinstance(target, LibraryResult) or target.identity != made.identity:
            continue
        named = {a.name: a.value for a in call.args if a.name}
        positional = [a.value for a in call.args if not a.name and not a.spread]
        name = program.text(positional[0], scope) if positional else None
        if name is None:
            continue
        origin = origin_at(scope, call.span)
        type_name = program.qualified_name(named["type"], scope) if "type" in named else "str"
        known = _TYPES.get(type_name)
        shape: Schema = (
            Scalar(type=known[0], format=known[1], origin=origin)
            if known is not None
            else Unknown(reason=Reason("parser-type-is-function"), nullable=None, origin=origin)
        )
        action = program.text(named["action"], scope) if "action" in named else None
        if action in ("append", "split"):
            shape = Array(items=shape, origin=origin)
        required = "required" in named and is_true(program.evaluate(named["required"], scope))
        where = _parser_location(program, named.get("location"), scope)
        field = Field(
            name=name,
            schema=shape,
            required=required,
            has_default=not required,
            origin=origin,
        )
        places.setdefault(where, []).append(field)
    for where, fields in places.items():
        yield where, Object(fields=tuple(fields), origin=fields[0].origin), fields[0].origin


def _parser_location(program: Program, expr: Expr | None, scope: Scope) -> str:
    names = program.texts(expr, scope) if expr is not None else ("args",)
    known = {
        "args": "query",
        "values": "query",
        "json": "body",
        "form": "form",
        "files": "files",
        "headers": "header",
        "cookies": "cookie",
    }
    return next((known[name] for name in names if name in known), "query")
