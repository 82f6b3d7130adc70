"""Which serializer class a view of Django REST framework uses in one of its methods."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec.structs import replace

from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import (
    ClassValue,
    Constant,
    Instance,
    OneOf,
    Record,
    Scope,
    Value,
)
from contract_scan.parsers.source.facts.nodes import Attribute, Call, Expr, Index, Name, Return
from contract_scan.parsers.source.python.frameworks.drf.responses import View, attribute_of
from contract_scan.parsers.source.python.resolution.branch_selection import reachable_exits


def known_of_view(view: View, expr: Expr) -> Value | None:
    """`self.action` and `self.request.method` while one method of a view is read."""
    match expr:
        case Attribute(value=Name(id="this"), name="action") if view.action:
            return Constant(view.action)
        case Attribute(
            value=Name(id="request") | Attribute(value=Name(id="this"), name="request"),
            name="method",
        ):
            return None if view.method == "*" else Constant(view.method)
        case Call(callee=Attribute(value=asked, name="upper" | "lower" as change), args=()):
            inner = known_of_view(view, asked)
            if isinstance(inner, Constant) and isinstance(inner.value, str):
                text = inner.value
                return Constant(text.upper() if change == "upper" else text.lower())
            return None
        case _:
            return None


def serializer_class(program: Program, view: View) -> Value | None:
    """The serializer class that a view uses in one of its methods."""
    if view.symbol is None:
        return None
    overridden = program.find_method(view.symbol, "get_serializer_class")
    direct = attribute_of(program, view, "serializer_class")
    if overridden is None or any(name == "serializer_class" for name, _ in view.overrides):
        return direct if isinstance(direct, ClassValue) else None
    scope = program.function_scope(overridden.function, overridden.scope)
    scope = replace(scope, receiver=Instance(view.symbol), owner=overridden.owner)

    def known_value(expr: Expr) -> Value | None:
        return known_of_view(view, expr)

    found: list[Value] = []
    for statement in reachable_exits(program, scope.statements or (), scope, known_value):
        if isinstance(statement, Return) and statement.value is not None:
            found.extend(_selected_serializers(program, view, statement.value, scope, direct))
    classes = [value for value in found if isinstance(value, ClassValue)]
    keys = {value.symbol.key for value in classes}
    return classes[0] if len(keys) == 1 and len(classes) == len(found) else None


def _selected_serializers(
    program: Program, view: View, expr: Expr, scope: Scope, direct: Value | None
) -> Iterator[Value]:
    """The serializers that `return …` of `get_serializer_class` returns, looked up by action in
    dicts."""
    match expr:
        case Call(callee=Attribute(value=table, name="get"), args=[key, *default]):
            known = known_of_view(view, key.value)
            record = program.evaluate(table, scope)
            if isinstance(known, Constant) and isinstance(record, Record):
                entry = next((e for e in record.entries if e.name == known.value), None)
                if entry is not None:
                    yield entry.value
                elif default:
                    yield from _selected_serializers(program, view, default[0].value, scope, direct)
                return
        case Index(value=table, index=key):
            known = known_of_view(view, key)
            record = program.evaluate(table, scope)
            if isinstance(known, Constant) and isinstance(record, Record):
                yield from (e.value for e in record.entries if e.name == known.value)
                return
        case Call(callee=Attribute(value=Name(id="super"), name="get_serializer_class")):
            if direct is not None:
                yield direct
            return
        case _:
            pass
    value = program.evaluate(expr, scope)
    yield from value.options if isinstance(value, OneOf) else (value,)
