"""Zod's objects and lists: what the fields, options and values of a schema are made of."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from contract_scan.ir.origin import Origin
from contract_scan.ir.reasons import NO_REASON, Reason
from contract_scan.ir.schema import Anything, Field, Nothing, Object, Schema, Unknown
from contract_scan.parsers.source.analysis.domain.values import (
    LibraryResult,
    LibrarySymbol,
    Record,
    Scope,
    Value,
)
from contract_scan.parsers.source.analysis.typing.type_operators import intersect
from contract_scan.parsers.source.facts.nodes import (
    ArrayLiteral,
    Call,
    Expr,
    Lambda,
    ObjectLiteral,
    Spread,
)
from contract_scan.parsers.source.typescript.serialization import utility_types
from contract_scan.parsers.source.typescript.serialization.drizzle import tables as drizzle_tables
from contract_scan.parsers.source.typescript.serialization.zod.parts import (
    SchemaPart,
    argument,
    field_of,
)

if TYPE_CHECKING:
    from contract_scan.parsers.source.analysis.domain.program import Program


class Objects:
    """The part of the reader that looks into what a schema is given."""

    def __init__(self, program: Program) -> None:
        self._program = program

    # Defined by the reader.
    def value(self, value: Value, depth: int) -> SchemaPart:
        """The part that any value stands for."""
        raise NotImplementedError

    def expression(self, expr: Expr | None, scope: Scope, depth: int) -> SchemaPart:
        """The part that an expression stands for."""
        raise NotImplementedError

    def part(self, made: LibraryResult, depth: int) -> SchemaPart:
        """The part that a call makes or changes."""
        raise NotImplementedError

    def inner(self, expr: Expr | None, scope: Scope, depth: int) -> SchemaPart:
        """The part that an argument stands for."""
        return self.expression(expr, scope, depth + 1)

    def each(self, expr: Expr | None, scope: Scope, depth: int) -> Iterator[SchemaPart]:
        """The parts that a list of schemas stands for."""
        if isinstance(expr, ArrayLiteral):
            for item in expr.items:
                if isinstance(item, Spread):
                    yield SchemaPart(Unknown(reason=Reason("zod-options-spread")))
                else:
                    yield self.inner(item, scope, depth)
            return
        value = None if expr is None else self._program.evaluate(expr, scope)
        values = getattr(value, "values", None)
        if isinstance(values, tuple):
            for item in values:
                yield self.value(item, depth + 1)
        else:
            yield SchemaPart(Unknown(reason=Reason("zod-union-undetermined")))

    def object_of(
        self, name: str, expr: Expr | None, scope: Scope, origin: Origin, depth: int
    ) -> Object:
        """`z.object({ … })` and its like."""
        fields, partial = self.fields_of(expr, scope, depth)
        additional: Schema | None = None
        if name == "strictObject":
            additional = Nothing()
        elif name == "looseObject":
            additional = Anything()
        return Object(
            fields=tuple(fields.values()),
            incomplete_reason=partial,
            additional=additional,
            origin=origin,
        )

    def of_table(self, name: str, call: Call, scope: Scope, origin: Origin, depth: int) -> Schema:
        """`createSelectSchema(orders, { name: z.string() })` of drizzle-zod: the rows of a table,
        with some columns described anew."""
        first = argument(call, 0)
        table = None if first is None else self._program.evaluate(first, scope)
        if not isinstance(table, LibraryResult) or not drizzle_tables.is_table(table):
            return Unknown(reason=Reason("zod-table-not-found"), origin=origin)
        selects = name == "createSelectSchema"
        made = (drizzle_tables.row if selects else drizzle_tables.insert_schema)(
            self._program, table
        )
        flat = self._program.types.flat(made)
        if not isinstance(flat, Object):
            return flat
        given = argument(call, 1)
        described = given.entries if isinstance(given, ObjectLiteral) else ()
        own = {
            entry.key: field_of(
                entry.key,
                self.inner(entry.value, scope, depth),
                Origin(scope.file.path, entry.span),
            )
            for entry in described
            if entry.key is not None and not isinstance(entry.value, Lambda)
        }
        whole = utility_types.with_fields(flat, (own.get(f.name, f) for f in flat.fields))
        return utility_types.partial(whole) if name == "createUpdateSchema" else whole

    def fields_of(
        self, expr: Expr | None, scope: Scope, depth: int
    ) -> tuple[dict[str, Field], Reason]:
        """Fields of the object literal (or value) that describes an object."""
        fields: dict[str, Field] = {}
        partial = NO_REASON
        if not isinstance(expr, ObjectLiteral):
            value = None if expr is None else self._program.evaluate(expr, scope)
            if isinstance(value, Record):
                return self._record_fields(value, depth), value.partial
            spread = self._spread_object(value, depth)
            if spread is not None:
                return {field.name: field for field in spread.fields}, spread.incomplete_reason
            return fields, Reason("zod-fields-undetermined")
        for entry in expr.entries:
            place = Origin(scope.file.path, entry.span)
            if entry.spread:
                value = self._program.evaluate(entry.value, scope)
                spread = self._spread_object(value, depth)
                if spread is None and isinstance(value, Record):
                    fields.update(self._record_fields(value, depth))
                    partial = partial or value.partial
                elif spread is None:
                    partial = partial or Reason("zod-spread-undetermined")
                else:
                    fields.update((field.name, field) for field in spread.fields)
                    partial = partial or spread.incomplete_reason
                continue
            key = entry.key
            if key is None and entry.key_expression is not None:
                key = self._program.text(entry.key_expression, scope)
            if key is None:
                partial = partial or Reason("zod-computed-names")
                continue
            fields[key] = field_of(key, self.inner(entry.value, scope, depth), place)
        return fields, partial

    def _record_fields(self, record: Record, depth: int) -> dict[str, Field]:
        return {
            entry.name: field_of(entry.name, self.value(entry.value, depth + 1), entry.origin)
            for entry in record.entries
        }

    def _spread_object(self, value: Value | None, depth: int) -> Object | None:
        """`...Other.shape`."""
        if not isinstance(value, LibrarySymbol) or not value.name.endswith("().shape"):
            return None
        if not isinstance(value.receiver, LibraryResult):
            return None
        schema = self.part(value.receiver, depth + 1).schema
        return schema if isinstance(schema, Object) else None

    def intersection(self, left: SchemaPart, right: SchemaPart, origin: Origin) -> SchemaPart:
        """What fits two schemas at once."""
        schema = intersect(self._program.types, [left.schema, right.schema], origin)
        return SchemaPart(schema, left.optional and right.optional)

    def record(self, call: Call, scope: Scope, origin: Origin, depth: int) -> SchemaPart:
        """`z.record(keys, values)`."""
        second = argument(call, 1)
        if second is None:  # zod 3: `z.record(value)`
            value = self.inner(argument(call, 0), scope, depth)
            return SchemaPart(Object(additional=value.schema, origin=origin))
        keys = self.inner(argument(call, 0), scope, depth).schema
        value = self.inner(second, scope, depth)
        names = utility_types.keys_of(self._program, keys)
        if names is None:
            return SchemaPart(Object(additional=value.schema, origin=origin))
        # Zod 3 lets a record of an enum leave keys out, zod 4 does not.
        fields = tuple(
            Field(name=name, schema=value.schema, required=None, origin=origin) for name in names
        )
        return SchemaPart(Object(fields=fields, origin=origin))
