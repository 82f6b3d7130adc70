"""What destructuring patterns bind: names, with the parts of the value that is taken apart."""

from __future__ import annotations

from contract_scan.ir.origin import Span
from contract_scan.ir.schema import Object
from contract_scan.parsers.source.analysis.domain.values import (
    BySchema,
    ByType,
    Instance,
    Items,
    LibrarySymbol,
    OneOf,
    Record,
    Scope,
    Unresolved,
    Value,
    is_null,
    is_undefined,
    union_of,
)
from contract_scan.parsers.source.analysis.evaluation.attributes import Attributes
from contract_scan.parsers.source.analysis.evaluation.containers import Containers
from contract_scan.parsers.source.analysis.evaluation.context import Context
from contract_scan.parsers.source.facts.nodes import (
    ArrayLiteral,
    Cast,
    Expr,
    Name,
    ObjectLiteral,
    Spread,
    TupleType,
)


class Patterns:
    """The part of the evaluator that takes values apart by patterns."""

    def __init__(self, context: Context, containers: Containers, attributes: Attributes) -> None:
        self._program = context.program
        self._evaluate = context.evaluate
        self._containers = containers
        self._attributes = attributes

    def pattern_bindings(self, pattern: Expr, value: Value, scope: Scope) -> dict[str, Value]:
        """Names that a destructuring pattern binds, with their values."""
        match pattern:
            case Name(id=id):
                return {id: value}
            case Cast(value=inner):
                return self.pattern_bindings(inner, value, scope)
            case ArrayLiteral(items=items):
                bound: dict[str, Value] = {}
                for position, item in enumerate(items):
                    if isinstance(item, Spread):
                        rest = Items((self._containers.item(value),), repeated=True)
                        bound.update(self.pattern_bindings(item.value, rest, scope))
                    else:
                        part = self.position(value, position)
                        bound.update(self.pattern_bindings(item, part, scope))
                return bound
            case ObjectLiteral(entries=entries):
                return self._object_pattern(pattern, value, scope) if entries else {}
            case _:
                return {}

    def position(self, value: Value, position: int) -> Value:
        if isinstance(value, Items) and not value.repeated and position < len(value.values):
            return value.values[position]
        if isinstance(value, OneOf):
            parts = tuple(self.position(o, position) for o in value.options if not is_null(o))
            return union_of(parts) if parts else self._containers.item(value)
        inner = self._containers.unwrap(value)
        if not isinstance(inner, ByType) or not isinstance(inner.type, TupleType):
            return self._containers.item(value)
        items = inner.type.items
        return (
            ByType(items[position], inner.scope)
            if position < len(items)
            else self._containers.item(value)
        )

    def _object_pattern(
        self, pattern: ObjectLiteral, value: Value, scope: Scope
    ) -> dict[str, Value]:
        bound: dict[str, Value] = {}
        named: set[str] = set()
        for entry in pattern.entries:
            if entry.spread:
                entries, why = self._containers.entries_of(value)
                rest = Record(tuple(e for e in entries if e.name not in named), why)
                bound.update(self.pattern_bindings(entry.value, rest, scope))
                continue
            if entry.key is None:
                continue
            named.add(entry.key)
            if _surely_lacks(value, entry.key):
                given = entry.default
                part = LibrarySymbol("undefined") if given is None else self._evaluate(given, scope)
            elif entry.default is None:
                part = self._attributes.attribute(value, entry.key, scope, entry.span)
                if isinstance(part, Unresolved | LibrarySymbol) and self._declares_all_but(
                    value, entry.key
                ):
                    part = LibrarySymbol("undefined")
            else:
                part = self._part_or_default(value, entry.key, entry.default, scope, entry.span)
            bound.update(self.pattern_bindings(entry.value, part, scope))
        return bound

    def _declares_all_but(self, value: Value, key: str) -> bool:
        """Whether a value is of an object type that has no such member: what is given as it may be
        an object that has, but nothing says so."""
        types = self._program.types
        shape = types.flat(types.schema_of(self._containers.unwrap(value)))
        return (
            isinstance(value, ByType | BySchema | Instance)
            and isinstance(shape, Object)
            and bool(shape.fields)
            and not shape.incomplete_reason
            and shape.additional is None
            and all(key not in (field.name, field.declared_as) for field in shape.fields)
        )

    def _part_or_default(
        self, value: Value, key: str, default: Expr, scope: Scope, span: Span
    ) -> Value:
        """`key` of what is taken apart, or its default where that has none."""
        given = self._evaluate(default, scope)
        match value:
            case Unresolved():
                return union_of((value, given))
            case Record(entries=entries, partial=partial, values=values):
                entry = next((entry for entry in entries if entry.name == key), None)
                if entry is None:
                    open_ended = partial or values is not None
                    return (
                        self._attributes.attribute(value, key, scope, span) if open_ended else given
                    )
                options = entry.value.options if isinstance(entry.value, OneOf) else (entry.value,)
                left = tuple(option for option in options if not is_undefined(option))
                whole = len(left) == len(options) and not entry.optional
                return union_of(left if whole and entry.undefined is False else (*left, given))
            case OneOf(options=options):
                parts = (self._part_or_default(o, key, default, scope, span) for o in options)
                return union_of(tuple(parts))
            case _:
                return self._attributes.attribute(value, key, scope, span)


def _surely_lacks(value: Value, key: str) -> bool:
    """Whether all keys of an object are known, and one is not among them."""
    if isinstance(value, OneOf):
        return all(_surely_lacks(option, key) for option in value.options)
    if not isinstance(value, Record) or value.partial or value.values is not None:
        return False
    return all(entry.name != key for entry in value.entries)
