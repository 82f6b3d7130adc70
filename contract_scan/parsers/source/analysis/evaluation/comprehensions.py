"""What comprehensions make: lists, maps, and objects whose keys a list spells out."""

from __future__ import annotations

from msgspec.structs import replace

from contract_scan.ir.reasons import NO_REASON, Reason
from contract_scan.ir.schema import Nothing, Scalar, Unknown
from contract_scan.parsers.source.analysis.domain.values import (
    BySchema,
    ClassValue,
    Constant,
    FunctionValue,
    Items,
    LibrarySymbol,
    ModuleValue,
    Record,
    RecordEntry,
    Scope,
    Value,
    origin_at,
    union_of,
)
from contract_scan.parsers.source.analysis.evaluation.constant_text import Texts
from contract_scan.parsers.source.analysis.evaluation.containers import Containers
from contract_scan.parsers.source.analysis.evaluation.context import Context
from contract_scan.parsers.source.analysis.evaluation.nullness import Nulls
from contract_scan.parsers.source.analysis.evaluation.patterns import Patterns
from contract_scan.parsers.source.analysis.refinement.conditions import (
    ConditionContext,
    evaluate_condition,
)
from contract_scan.parsers.source.analysis.refinement.narrowing import narrow
from contract_scan.parsers.source.analysis.syntax import null_checks
from contract_scan.parsers.source.analysis.syntax.side_effects import walked_object
from contract_scan.parsers.source.facts.nodes import Comprehension, Expr, Name, OperationExpr

_MOST_ITEMS = 60
"""How many items of a list are told apart."""
_MOST_KEYS = 200
"""How many keys of an object are told apart."""


class Comprehensions:
    """The part of the evaluator that goes through what comprehensions go through."""

    def __init__(
        self,
        context: Context,
        texts: Texts,
        nulls: Nulls,
        containers: Containers,
        patterns: Patterns,
    ) -> None:
        self._program = context.program
        self._evaluate = context.evaluate
        self._texts = texts
        self._nulls = nulls
        self._containers = containers
        self._patterns = patterns

    def each(self, expr: Comprehension, scope: Scope) -> Value:
        """What a comprehension gives: a list, or a map."""
        whole, part = self._walked_record(expr, scope)
        if expr.key is not None and whole is not None:
            pairs = (Items((Constant(e.name), e.value), is_tuple=True) for e in whole.entries)
            keys = (Constant(e.name) for e in whole.entries)
            source: Value = Items(tuple(pairs if part == "entry" else keys))
        else:
            source = self._evaluate(expr.source, scope)
        if expr.key is not None and isinstance(source, Items) and not source.repeated:
            entries = self._entries_by_key(expr, expr.key, source, scope, whole)
            if entries is not None:
                partial = NO_REASON if whole is None else whole.partial
                return Record(entries, partial, None, origin_at(scope, expr.span))
            if whole is not None:
                source = self._evaluate(expr.source, scope)
        elements = self._determined_elements(expr, source, scope)
        if elements is not None:
            return Items(elements, False, False, origin_at(scope, expr.span))
        inner = self._with_item_of(expr, self._containers.item(source), scope)
        if (test := expr.given) is not None:
            narrowed = {
                name: narrow(self._program, value, name, test, inner, holds=True)
                for name, value in inner.bindings.items()
                if null_checks.is_kind_test(test, name)
            }
            inner = replace(inner, bindings={**inner.bindings, **narrowed})
        element = self._evaluate(expr.element, inner)
        if expr.given is not None and null_checks.tests(expr.given, expr.element):
            element = self._nulls.without_null(element)
        if expr.key is not None:
            return Record((), NO_REASON, element, origin_at(scope, expr.span))
        return Items((element,), True, False, origin_at(scope, expr.span))

    def _walked_record(self, expr: Comprehension, scope: Scope) -> tuple[Record | None, str]:
        """The object whose entries a comprehension makes a map of, where its keys are known, and
        what it takes of each."""
        held, part = walked_object(expr.source)
        if expr.key is None:
            return None, part
        found = self._containers.unwrap(self._evaluate(held, scope))
        if isinstance(found, BySchema):
            found = self._containers.changeable(found)
        is_whole = isinstance(found, Record) and found.values is None and bool(found.entries)
        return found if is_whole and isinstance(found, Record) else None, part

    def _determined_elements(
        self, expr: Comprehension, source: Value, scope: Scope
    ) -> tuple[Value, ...] | None:
        """The elements of a list that is made of a short one of which each item is known: pairs,
        classes, constants. None where a test decides which are made, and does not tell."""
        if expr.key is not None or not isinstance(source, Items) or source.repeated:
            return None
        if not 0 < len(source.values) <= _MOST_ITEMS or not all(map(_is_determined, source.values)):
            return None
        found: list[Value] = []
        for item in source.values:
            inner = self._with_item_of(expr, item, scope)
            if expr.given is not None:
                holds = evaluate_condition(expr.given, ConditionContext(self._program, inner))
                if holds is None:
                    return None
                if not holds:
                    continue
            found.append(self._evaluate(expr.element, inner))
        return tuple(found)

    def _with_item_of(self, expr: Comprehension, item: Value, scope: Scope) -> Scope:
        return Scope(
            file=scope.file,
            parent=scope,
            bindings=self._patterns.pattern_bindings(expr.variable, item, scope),
            receiver=scope.receiver,
            depth=scope.depth,
        )

    def _entries_by_key(
        self, expr: Comprehension, key: Expr, source: Items, scope: Scope, whole: Record | None
    ) -> tuple[RecordEntry, ...] | None:
        """`{name: … for name in ("a", "b")}`: one entry for each item; None where a key is not
        constant."""
        found: dict[str, RecordEntry] = {}
        given = whole.entries if whole is not None else (None,) * len(source.values)
        for item, own in list(zip(source.values, given, strict=True))[: _MOST_KEYS + 1]:
            inner = self._with_item_of(expr, item, scope)
            name = self._texts.text(self._evaluate(key, inner))
            if name is None or len(found) == _MOST_KEYS:
                return None
            holds = expr.given is None or evaluate_condition(
                expr.given, ConditionContext(self._program, inner)
            )
            if holds is False:
                continue
            value = self._evaluate(expr.element, inner)
            entry = RecordEntry(name, value, origin_at(scope, expr.element.span))
            passing = (
                entry
                if expr.given is None or holds
                else self._filtered_entry(expr.given, expr.element, entry)
            )
            if passing is not None and own is not None:
                passing = replace(
                    passing,
                    optional=passing.optional or own.optional,
                    undefined=own.undefined,
                    evidence=own.evidence if passing.value is own.value else None,
                )
            if passing is not None:
                found[name] = passing
        return tuple(found.values())

    def _filtered_entry(self, test: Expr, element: Expr, entry: RecordEntry) -> RecordEntry | None:
        """An entry that is there only where a test holds, which is known where the test asks just
        whether its value is null; None where it never is."""
        shape = self._program.types.flat(self._program.types.schema_of(entry.value))
        compares = isinstance(test, OperationExpr) and null_checks.tests(test, element)
        if compares and isinstance(shape, Nothing):
            return None
        asks = isinstance(element, Name) and null_checks.is_not_null(test, element.id, True)
        value = self._nulls.without_null(entry.value) if compares or asks else entry.value
        if compares and shape.nullable is not None and not isinstance(shape, Unknown):
            return replace(entry, value=value, optional=shape.nullable)
        if isinstance(shape, Scalar) and shape.nullable is not False and not compares:
            # What is null, or an empty text, may be what the test leaves out.
            why = Reason("test-outcome-undetermined")
            values = None if shape.values is None else tuple(v for v in shape.values if v != "")
            null = None if not asks else False
            left = replace(shape, values=values, nullable=null, null_reason=why)
            value = BySchema(left)
        return replace(entry, value=union_of((value, LibrarySymbol("undefined"))))


def _is_determined(item: Value) -> bool:
    return isinstance(item, Constant | ClassValue | FunctionValue | ModuleValue) or (
        isinstance(item, Items) and item.is_tuple and not item.repeated
    )
