"""What is left of an object whose keys are known after statements that change its entries."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial

from msgspec import Struct
from msgspec.structs import replace

from contract_scan.ir.origin import Span
from contract_scan.ir.reasons import NO_REASON, Reason
from contract_scan.ir.schema import Array, Nothing, Scalar, Schema, Unknown
from contract_scan.parsers.source.analysis.dataflow.loop_unrolling import with_name_replaced
from contract_scan.parsers.source.analysis.dataflow.records import with_entry, without_entry
from contract_scan.parsers.source.analysis.domain.effects import Mutation, WalkedEntry
from contract_scan.parsers.source.analysis.domain.schemas import is_same_shape
from contract_scan.parsers.source.analysis.domain.values import (
    BySchema,
    Constant,
    FunctionValue,
    Items,
    LibrarySymbol,
    Record,
    RecordEntry,
    Scope,
    Unresolved,
    Value,
    is_itself,
    is_null,
    origin_at,
    union_of,
)
from contract_scan.parsers.source.analysis.evaluation.containers import Containers
from contract_scan.parsers.source.analysis.evaluation.context import Context
from contract_scan.parsers.source.analysis.evaluation.nullness import Nulls
from contract_scan.parsers.source.analysis.refinement.conditions import (
    ConditionContext,
    evaluate_condition,
)
from contract_scan.parsers.source.analysis.refinement.narrowing import fits
from contract_scan.parsers.source.analysis.syntax import null_checks
from contract_scan.parsers.source.analysis.syntax.defining import nested_statements
from contract_scan.parsers.source.facts.nodes import (
    Argument,
    Attribute,
    Branch,
    Call,
    Expr,
    Index,
    LiteralExpr,
    Name,
    Return,
    Statement,
)
from contract_scan.parsers.source.facts.visitor import nodes_of

_OF_ROUTE = frozenset(
    {
        *("resolver_match", "version", "versioning_scheme", "path", "path_info", "url"),
        *("endpoint", "blueprint", "url_rule"),
    }
)
"""Members of a request that say by which route it came."""


class ChangedRecords:
    """The part of the evaluator that follows changes of objects whose keys are known."""

    def __init__(self, context: Context, nulls: Nulls, containers: Containers) -> None:
        self._program = context.program
        self._evaluate = context.evaluate
        self._nulls = nulls
        self._containers = containers
        self._routed: dict[int, tuple[Expr, bool]] = {}
        """Whether tests ask by which route a request came, by their identity."""

    def record_after(
        self, value: Record, given: Value | None, mutation: Mutation, scope: Scope
    ) -> Value:
        """An object after a change of its entries, with the value that is given in it. Whether an
        entry is there is undetermined where that depends on the route that was called."""
        after = self._record_after(value, given, mutation, scope)
        test = mutation.condition if mutation.conditional else None
        known = {one.name for one in value.entries if one.optional}
        entries = after.entries if isinstance(after, Record) else ()
        perhaps = {one.name for one in entries if one.optional and one.name not in known}
        if not perhaps or test is None or not self._asks_for_route(test, scope):
            return after
        told = (
            replace(one, optional=False, undefined=None) if one.name in perhaps else one
            for one in entries
        )
        return replace(after, entries=tuple(told))

    def _record_after(
        self, value: Record, given: Value | None, mutation: Mutation, scope: Scope
    ) -> Value:
        if mutation.kind == "merge" and given is not None:
            entries, why = self._containers.entries_of(given)
            record = value
            for entry in entries:
                record = with_entry(record, replace(entry, optional=mutation.conditional))
            return replace(record, partial=record.partial or why)
        if mutation.kind == "clear":
            if not mutation.conditional:
                return replace(value, entries=(), values=None, partial=NO_REASON)
            perhaps = (replace(each, optional=True) for each in value.entries)
            return replace(value, entries=tuple(perhaps))
        key = mutation.key
        if mutation.kind == "remove" and key is None and mutation.key_expression is not None:
            return replace(value, entries=tuple(replace(e, undefined=None) for e in value.entries))
        if mutation.kind == "remove" and key is None:
            return Unresolved(Reason("keys-removed-by-view"), mutation.span, scope.file.path)
        if mutation.kind == "remove":
            where_null = null_checks.is_null_key(mutation.condition, key or "")
            left = tuple(
                self._removed_where(e, mutation) if e.name == key else e
                for e in value.entries
                if e.name != key or (mutation.conditional and not (where_null and is_null(e.value)))
            )
            return replace(value, entries=left)
        if mutation.kind == "open":
            given = Unresolved(
                Reason("inserted-value-made-by-function"), mutation.span, scope.file.path
            )
        if mutation.kind in ("set", "open") and key is not None and given is not None:
            if mutation.if_absent and any(e.name == key and not e.optional for e in value.entries):
                return value
            entry = RecordEntry(key, given, origin_at(scope, mutation.span), mutation.conditional)
            if mutation.if_absent:
                return _with_default(value, entry)
            asked = mutation.if_present if mutation.conditional else None
            if asked is not None and self._program.text(asked, scope) == key:
                known = next((e for e in value.entries if e.name == key), entry)
                return with_entry(without_entry(value, key), replace(known, value=given))
            if mutation.conditional and null_checks.has_key(mutation.condition, key):
                return self._set_in_place(value, entry)
            if mutation.conditional and null_checks.is_null_key(mutation.condition, key):
                return self._set_where_null(value, entry)
            if mutation.conditional and mutation.condition is not None:
                value = self._left_where_tested(value, entry, mutation.condition, scope)
                return self._set_where_there(value, entry, mutation, scope)
            return with_entry(value, entry)
        if mutation.kind in ("set", "open") and given is not None:
            if is_itself(given) and value.missing is not None:
                given = value.missing  # `counts[key] += 1`
            both = (value.values, given) if value.values is not None else (given,)
            keys = () if value.keys is None else (value.keys,)
            is_first = value.values is None and mutation.key_expression is not None
            if mutation.key_expression is not None and (keys or is_first):
                keys = (*keys, self._evaluate(mutation.key_expression, scope))
            return replace(value, values=union_of(both), keys=union_of(keys) if keys else None)
        return value

    def walked_record(self, walked: WalkedEntry, scope: Scope) -> Record | None:
        """The object, or the keys in a list, that a loop goes through which changes another object;
        None where they are not known."""
        found = self._containers.unwrap(self._evaluate(walked.whole, scope))
        if isinstance(found, BySchema):
            found = self._containers.changeable(found)
        if isinstance(found, Record):
            return found if found.values is None else None
        if not isinstance(found, Items) or found.repeated or walked.value:
            return None
        names = [each.value for each in found.values if isinstance(each, Constant)]
        keys = tuple(name for name in names if isinstance(name, str))
        if len(keys) < len(found.values):
            return None
        place = origin_at(scope, walked.whole.span)
        entries = tuple(RecordEntry(key, Constant(key), place) for key in keys)
        return Record(entries, NO_REASON, None, place)

    def of_entry(
        self, mutation: Mutation, walked: WalkedEntry, entry: RecordEntry, scope: Scope
    ) -> Mutation | None:
        """What a change in a loop over all entries of an object does under one of its keys; None
        for nothing. It is conditional where a test does not tell."""
        value = walked.value

        def own_key(span: Span) -> Expr:
            return LiteralExpr(entry.name, span=span)

        def own_value(span: Span) -> Expr:
            whole = replace(walked.whole, span=span)
            return Index(whole, own_key(span), span=span)

        given, test = mutation.value, mutation.condition
        constants: list[tuple[str, Callable[[Span], Expr]]] = [
            (name, partial(_constant_value, of)) for name, of in reversed(walked.constants)
        ]
        for name, by in (*constants, (walked.key, own_key), (value, own_value)):
            given = with_name_replaced(given, name, by)
            test = with_name_replaced(test, name, by)
        holds = None
        if mutation.conditional and test is not None:
            holds = evaluate_condition(test, ConditionContext(self._program, scope))
        if holds is None and value and mutation.condition is not None:
            holds = fits(self._program, entry.value, value, mutation.condition, scope)
        if holds is False:
            return None
        if entry.optional and not walked.is_own:
            holds, test = None, None
            mutation = replace(mutation, conditional=True)
        return replace(
            mutation,
            key=entry.name,
            key_expression=None,
            walked=None,
            value=given,
            condition=test,
            conditional=mutation.conditional and not holds,
        )

    def where_undecided(
        self,
        record: Record,
        before: RecordEntry,
        change: Mutation,
        given: Value | None,
        walked: WalkedEntry,
    ) -> Record:
        """An object after a change of one entry of which a test does not tell whether it happens:
        an entry of its own is as it was where both are of one shape."""
        if not walked.is_own:
            return self._possibly_taken_over(record, before, change, given)
        types = self._program.types
        shape = types.flat(types.schema_of(before.value))
        after = before
        if null_checks.is_null_key(change.condition, before.name):
            there = self._nulls.without_null(before.value)
            is_open = shape.nullable is None or isinstance(shape, Unknown)
            after = replace(before, value=there if given is None else union_of((there, given)))
            if shape.nullable is False and not is_open:
                after = before
            elif given is None and is_open:
                after = replace(after, undefined=None)
            elif given is None:
                after = replace(after, optional=True)
        elif given is None:
            after = replace(before, undefined=None)
        elif not self._is_same(shape, types.flat(types.schema_of(given))):
            why = Reason("test-outcome-undetermined")
            after = replace(before, value=Unresolved(why, change.span, before.origin.path))
        entries = tuple(after if one.name == before.name else one for one in record.entries)
        return replace(record, entries=entries)

    def _possibly_taken_over(
        self, record: Record, source: RecordEntry, change: Mutation, given: Value | None
    ) -> Record:
        """An object that may have been given an entry under a key of another one:
        `if value is not None: result[key] = value`."""
        there = next((one for one in record.entries if one.name == source.name), None)
        if given is None:
            entries = (
                replace(one, undefined=None) if one is there else one for one in record.entries
            )
            return replace(record, entries=tuple(entries))
        shape_of = self._program.types.schema_of
        shape = self._program.types.flat(shape_of(source.value))
        before = source if there is None else there
        if there is None and null_checks.has_key(change.condition, source.name):
            value = self._nulls.without_null(given)
            entry = RecordEntry(source.name, value, source.origin, undefined=None)
            if shape.nullable is not None and not isinstance(shape, Unknown):
                optional = source.optional or bool(shape.nullable)
                entry = replace(entry, optional=optional, undefined=False)
            return with_entry(record, entry)
        why = Reason("test-outcome-undetermined")
        held = self._program.types.flat(shape_of(given))
        known = self._program.types.flat(shape_of(before.value))
        if not self._is_same(replace(held, nullable=False), replace(known, nullable=False)):
            given = Unresolved(why, change.span, before.origin.path)
        elif held.nullable:  # null may be what the test leaves out
            given = BySchema(replace(held, nullable=None, null_reason=why))
        undefined = None if there is None else there.undefined
        entry = RecordEntry(source.name, given, source.origin, undefined=undefined)
        return with_entry(record, replace(entry, optional=source.optional and there is None))

    def _is_same(self, left: Schema, right: Schema) -> bool:
        if isinstance(left, Scalar) and isinstance(right, Scalar):
            return left.type == right.type and left.format == right.format
        return is_same_shape(left, right)

    def _removed_where(self, entry: RecordEntry, mutation: Mutation) -> RecordEntry:
        """`if data.get("a") is None: del data["a"]`: where it is left, it is not null."""
        left = replace(entry, optional=True)
        if not null_checks.is_null_key(mutation.condition, entry.name):
            return left
        return replace(left, value=self._nulls.without_null(entry.value))

    def _set_in_place(self, record: Record, entry: RecordEntry) -> Record:
        """`if (data.a) data.a = …`: what was there is replaced; where nothing was, nothing is."""
        known = next((e for e in record.entries if e.name == entry.name), None)
        if known is None:
            return with_entry(record, entry)
        shape = self._program.types.flat(self._program.types.schema_of(known.value))
        value = entry.value
        if shape.nullable is True:
            value = union_of((value, BySchema(Nothing(nullable=True))))
        replaced = replace(entry, value=value, optional=False)
        whole = with_entry(record, replaced)
        entries = tuple(
            replace(e, optional=known.optional, undefined=known.undefined)
            if e.name == entry.name
            else e
            for e in whole.entries
        )
        return replace(whole, entries=entries)

    def _set_where_null(self, record: Record, entry: RecordEntry) -> Record:
        """`if data["a"] is None: data["a"] = …`: what is left there is not null."""
        known = next((e for e in record.entries if e.name == entry.name), None)
        before = () if known is None else (self._nulls.without_null(known.value),)
        left = tuple(value for value in before if not is_null(value))
        certain = replace(entry, value=union_of((*left, entry.value)), optional=False)
        return with_entry(record, certain)

    def _left_where_tested(
        self, record: Record, entry: RecordEntry, test: Expr, scope: Scope
    ) -> Record:
        """An object before what may replace one of its entries of another shape: whether the old
        one ever stays is undetermined where the test asks something of what it holds."""
        known = next((e for e in record.entries if e.name == entry.name), None)
        types = self._program.types
        if known is None or not self._depends_on_key(test, entry.name, scope):
            return record
        if is_same_shape(*(types.flat(types.schema_of(one.value)) for one in (known, entry))):
            return record
        why = Unresolved(Reason("test-outcome-undetermined"), test.span, scope.file.path)
        left = tuple(replace(e, value=why) if e is known else e for e in record.entries)
        return replace(record, entries=left)

    def _depends_on_key(self, test: Expr, key: str, scope: Scope) -> bool:
        """Whether a test is made, by way of other names too, of what stands under a key."""
        for node, place in self._made_of(test, scope, set()):
            match node:
                case (
                    Index(index=read)
                    | Call(callee=Attribute(name="get"), args=(Argument(value=read), *_))
                ):
                    if self._program.text(read, place) == key:
                        return True
                case _:
                    pass
        return False

    def _asks_for_route(self, test: Expr, scope: Scope) -> bool:
        """Whether a test asks by which route, or for which version of the API, a request came."""
        known = self._routed.get(id(test))
        if known is None:  # keeps the test, so that its identity stays its own
            asks = any(
                isinstance(node, Attribute)
                and node.name in _OF_ROUTE
                and isinstance(node.value, Name | Attribute)
                and getattr(node.value, "id", getattr(node.value, "name", "")) == "request"
                for node, _ in self._made_of(test, scope, set())
            )
            known = self._routed[id(test)] = (test, asks)
        return known[1]

    def _made_of(self, expr: Expr, scope: Scope, seen: set[int]) -> Iterator[tuple[Struct, Scope]]:
        """The parts of an expression, of what names in it are given, and of the functions that it
        calls, with where they stand."""
        for node in nodes_of(expr):
            yield node, scope
            match node:
                case Name():
                    local = self._program.names.locals
                    for each in local.reaching(scope.statements or (), node.id, node.span):
                        value = getattr(each.statement, "value", None)
                        if value is not None and id(value) not in seen:
                            seen.add(id(value))
                            yield from self._made_of(value, scope, seen)
                case Call(callee=Name() as callee):
                    called = self._evaluate(callee, scope)
                    if isinstance(called, FunctionValue) and id(called.function) not in seen:
                        seen.add(id(called.function))
                        inside = self._program.function_scope(called.function, called.scope)
                        for test in _tests_and_results(inside.statements or ()):
                            yield from self._made_of(test, inside, seen)
                case _:
                    pass

    def _set_where_there(
        self, record: Record, entry: RecordEntry, mutation: Mutation, scope: Scope
    ) -> Record:
        """`if (data) body.data = data`: set where there is something to set, which the value of
        `data` tells where it is known."""
        name = mutation.value.id if isinstance(mutation.value, Name) else ""
        if not null_checks.is_about(mutation.condition, name):
            return with_entry(record, entry)
        schema = self._program.types.flat(self._program.types.schema_of(entry.value))
        if isinstance(schema, Nothing):
            return record
        true = not isinstance(mutation.condition, Name) or self._is_truthy(schema, scope)
        if schema.nullable is False and true and not isinstance(schema, Unknown):
            return with_entry(record, replace(entry, optional=False))
        if isinstance(schema, Unknown) or schema.nullable is None:
            either = union_of((entry.value, LibrarySymbol("undefined")))
            return with_entry(record, replace(entry, value=either, optional=False))
        return with_entry(record, entry)

    def _is_truthy(self, schema: Schema, scope: Scope) -> bool:
        """Whether a value that is there counts as true, whatever it is. To Python, an empty list
        does not."""
        if isinstance(schema, Scalar):
            return all(schema.values or (None,))
        return not (isinstance(schema, Array) and scope.file.language == "python")


def _constant_value(value: Expr, span: Span) -> Expr:
    return value


def _tests_and_results(statements: tuple[Statement, ...]) -> Iterator[Expr]:
    """What decides what a function returns: its tests, and what it returns."""
    for statement in nested_statements(statements):
        match statement:
            case Branch(condition=found) | Return(value=found) if found is not None:
                yield found
            case _:
                pass


def _with_default(record: Record, entry: RecordEntry) -> Record:
    """A record after `setdefault`: what may be there stays, and something is there for certain."""
    known = next((e for e in record.entries if e.name == entry.name), None)
    if known is None:
        return with_entry(record, entry)
    both = replace(known, value=union_of((known.value, entry.value)), optional=entry.optional)
    entries = tuple(both if e is known else e for e in record.entries)
    return replace(record, entries=entries)
