"""Zod 3 and 4: the shape that `z.object({…})` and its like stand for.

A schema value is a chain of calls. The first makes a shape, the others change it; what a field may
leave out and what has a default are kept beside the shape until the object around it is made.
"""

from __future__ import annotations

from collections.abc import Iterator

from msgspec.structs import replace

from contract_scan.ir.origin import Origin
from contract_scan.ir.reasons import NO_REASON, Reason
from contract_scan.ir.schema import (
    Anything,
    Array,
    Field,
    LiteralValue,
    Nothing,
    Object,
    Scalar,
    Schema,
    Unknown,
    with_nullable,
)
from contract_scan.parsers.source.analysis.dataflow.object_mutations import without_casts
from contract_scan.parsers.source.analysis.domain.hooks import TypeUse
from contract_scan.parsers.source.analysis.domain.memo import memoised
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.schemas import unite
from contract_scan.parsers.source.analysis.domain.values import (
    BySchema,
    ClassValue,
    Constant,
    FunctionValue,
    Instance,
    LibraryResult,
    LibrarySymbol,
    OneOf,
    Record,
    Scope,
    Value,
)
from contract_scan.parsers.source.facts.nodes import (
    ArrayLiteral,
    Attribute,
    Call,
    Expr,
    Lambda,
    ObjectLiteral,
    Spread,
)
from contract_scan.parsers.source.typescript.serialization import utility_types
from contract_scan.parsers.source.typescript.serialization.drizzle import tables as drizzle_tables
from contract_scan.parsers.source.typescript.serialization.zod import checks, valibot
from contract_scan.parsers.source.typescript.serialization.zod.parts import (
    CHANGES_OF_FIELDS,
    FORMATS,
    SchemaPart,
    any_optional,
    argument,
    chosen_names,
    coerced_input,
    field_of,
    intersection,
    literal,
    record_part,
    refine_scalar,
    scalars,
    simple_part,
    types_have_any,
    union_part,
    with_extra_fields,
)

MAX_NESTING = 25

_MODULES = (
    "zod",
    "zod/v3",
    "zod/v4",
    "zod/mini",
    "zod/v4/mini",
    "@hono/zod-openapi",
    "nestjs-zod/z",
    "drizzle-zod",
    "drizzle-orm/zod",
    valibot.MODULE,
)
_INSIDE = tuple(f"{module}." for module in _MODULES)
_OUTPUTS = frozenset({"infer", "output", "TypeOf", "InferOutput", "Output"})
_INPUTS = frozenset({"input", "InferInput", "Input"})


def is_zod(name: str) -> bool:
    """Whether a qualified name belongs to zod."""
    head = name.split("(", 1)[0]
    return head.startswith(_INSIDE) or head in _MODULES


def library_type(use: TypeUse) -> Schema | None:
    """`z.infer<typeof S>`, `z.input<typeof S>`."""
    if not is_zod(use.name):
        return None
    if use.simple_name in _OUTPUTS | _INPUTS:
        return use.arg(0)
    return Unknown(reason=Reason("construct-not-read", type=use.type.name), origin=use.origin)


INPUT = "zod.input"
"""The variant of a schema that says what it takes, not what it makes of that."""


def made_schema(program: Program, made: LibraryResult, variant: str) -> Schema | None:
    """The shape that a zod schema value describes; None for anything else."""
    if not is_zod(made.name):
        return None
    part = _reader(program, variant).part(made, 0)
    return with_nullable(part.schema, part.schema.nullable)


@memoised
def _reader(program: Program, variant: str) -> _Reader:
    """The one reader of a program (and variant): it remembers what it has read."""
    return _Reader(program, variant)


class _Reader:
    """Reads schema values of one program."""

    def __init__(self, program: Program, variant: str) -> None:
        self._program = program
        self._variant = variant
        self._open: set[tuple[object, ...]] = set()
        self._known: dict[int, tuple[LibraryResult, SchemaPart]] = {}
        """Parts by the identity of their values, which are kept with them."""
        self._roots: dict[tuple[object, ...], tuple[LibraryResult, SchemaPart]] = {}
        """Parts cut by rings of schemas alone, read with none around them, which moves cuts."""
        self._ring_cuts = 0

    # ------------------------------------------------------------------ values

    def value(self, value: Value, depth: int) -> SchemaPart:
        """The part that any value stands for."""
        if isinstance(value, LibraryResult) and is_zod(value.name):
            return self.part(value, depth)
        if isinstance(value, OneOf):  # `isTest ? withSeconds : granularity`
            parts = [self.value(option, depth) for option in value.options]
            return SchemaPart(
                unite(part.schema for part in parts),
                any_optional(parts),
                any(part.has_default for part in parts),
            )
        return SchemaPart(self._program.schema_of(value, self._variant))

    def expression(self, expr: Expr | None, scope: Scope, depth: int) -> SchemaPart:
        """The part that an expression stands for."""
        if expr is None:
            return SchemaPart(Unknown(reason=Reason("zod-schema-missing")))
        if isinstance(expr, Attribute):
            field = self._shape_field(expr, scope, depth)
            if field is not None:
                return field
        return self.value(self._program.evaluate(expr, scope), depth)

    def _shape_field(self, expr: Attribute, scope: Scope, depth: int) -> SchemaPart | None:
        """`Other.shape.name`, `Other.shape.rows.element`."""
        shape = expr.value
        if not isinstance(shape, Attribute):
            return None
        if expr.name == "element" and (listed := self._shape_field(shape, scope, depth + 1)):
            flat = self._program.types.flat(listed.schema)
            return SchemaPart(flat.items) if isinstance(flat, Array) else None
        if shape.name != "shape":
            return None
        whole = self.expression(shape.value, scope, depth + 1).schema
        for field in whole.fields if isinstance(whole, Object) else ():
            if field.name == expr.name:
                return SchemaPart(field.schema, field.required is False, field.has_default)
        return None

    def part(self, made: LibraryResult, depth: int) -> SchemaPart:
        """The part that a call makes or changes."""
        known = self._known.get(id(made))
        if known is not None:
            return known[1]
        evaluator = self._program.evaluator
        origin = Origin(made.scope.file.path, made.site.span)
        key = (*made.identity, made.name)
        place = (id(made.site), id(made.scope), made.name)
        if not self._open and place in self._roots:
            return self._roots[place][1]
        if depth > MAX_NESTING or key in self._open:
            evaluator.budget.cuts += 1
            self._ring_cuts += 1
            return SchemaPart(Unknown(reason=Reason("zod-recursive-schema"), origin=origin))
        self._open.add(key)
        cuts, ring_cuts = evaluator.budget.cuts, self._ring_cuts
        try:
            part = self._part(made, origin, depth)
        finally:
            self._open.discard(key)
        if cuts == evaluator.budget.cuts:
            self._known[id(made)] = (made, part)
        elif not self._open and evaluator.budget.cuts - cuts == self._ring_cuts - ring_cuts:
            self._roots[place] = (made, part)
        return part

    def _part(self, made: LibraryResult, origin: Origin, depth: int) -> SchemaPart:
        call = made.site
        if not isinstance(call, Call):
            return SchemaPart(Unknown(reason=Reason("zod-schema-construction"), origin=origin))
        name = made.name.rsplit(".", 1)[-1].removesuffix("()")
        if valibot.is_valibot(made.name):
            return self._of_valibot(made, call, name, origin, depth)
        receiver = made.receiver
        if isinstance(call.callee, Attribute) and isinstance(call.callee.value, Attribute):
            field = self._shape_field(call.callee.value, made.scope, depth)
            if field is not None:  # `Other.shape.name.optional()`
                return self._modified_part(field, name, call, made.scope, depth)
        if isinstance(receiver, LibraryResult) and is_zod(receiver.name):
            part = self.part(receiver, depth + 1)
            if self._variant == INPUT:
                part = checks.checked_part(self._program, part, made)
            return self._modified_part(part, name, call, made.scope, depth)
        return self._base_part(name, made.name, call, made.scope, origin, depth)

    def _of_valibot(
        self, made: LibraryResult, call: Call, name: str, origin: Origin, depth: int
    ) -> SchemaPart:
        first = argument(call, 0)
        match name:
            case "pipe" | "pipeAsync":
                return self._pipe_part(call, made.scope, depth)
            case "partial" | "required" | "pick" | "omit":
                part = self.inner(first, made.scope, depth)
                if not isinstance(part.schema, Object):
                    return part
                further = Call(call.callee, call.args[1:], span=call.span)
                return SchemaPart(
                    self._reshaped_object(part.schema, name, further, made.scope, depth)
                )
            case "intersect":
                whole, *others = list(self.each(first, made.scope, depth)) or [
                    SchemaPart(Anything())
                ]
                for other in others:
                    whole = intersection(self._program, whole, other, origin)
                return whole
            case "fallback" if self._variant == INPUT:
                return SchemaPart(Anything(origin=origin), has_default=True)
            case "fallback":
                return replace(self.inner(first, made.scope, depth), optional=False)
            case "optional" | "nullish" | "undefinedable" | "exactOptional" if call.args[1:]:
                part = self._base_part(name, made.name, call, made.scope, origin, depth)
                return replace(part, optional=self._variant == INPUT, has_default=True)
            case _ if name in valibot.PARSES:
                return self.inner(first, made.scope, depth)
            case _:
                name = valibot.schema_name(name)
                return self._base_part(name, made.name, call, made.scope, origin, depth)

    def _pipe_part(self, call: Call, scope: Scope, depth: int) -> SchemaPart:
        """A schema and what comes after it in a pipe: checks, changes, further schemas."""
        part = self.inner(argument(call, 0), scope, depth)
        for expr in (item.value for item in call.args[1:]):
            value = self._program.evaluate(expr, scope)
            name = (
                value.name.rpartition(".")[2]
                if isinstance(value, LibraryResult | LibrarySymbol)
                else ""
            )
            if name in valibot.CHANGING:
                if self._variant == INPUT and isinstance(value, LibraryResult):
                    return checks.checked_part(self._program, part, value)
                part = self._changed_in_pipe(part, name, value)
            elif name in valibot.STARTS and self._variant != INPUT:
                part = self.value(value, depth + 1)
            elif isinstance(part.schema, Scalar):
                part = replace(part, schema=refine_scalar(part.schema, valibot.check_name(name)))
            elif self._variant == INPUT and isinstance(value, LibraryResult):
                part = checks.checked_part(self._program, part, value)
        return part

    def _changed_in_pipe(self, part: SchemaPart, name: str, value: Value) -> SchemaPart:
        kinds: dict[str, Schema] = {
            "toNumber": Scalar(type="number"),
            "toString": Scalar(type="string"),
            "toBoolean": Scalar(type="boolean"),
        }
        if name in kinds:
            return replace(part, schema=kinds[name])
        if (
            isinstance(value, LibraryResult)
            and isinstance(value.site, Call)
            and name == "transform"
        ):
            return self._transformed_part(part, value.site, value.scope)
        return SchemaPart(Unknown(reason=Reason("transform-result-undetermined", name=name)))

    # ------------------------------------------------------------------ first calls

    def _base_part(
        self, name: str, qualified: str, call: Call, scope: Scope, origin: Origin, depth: int
    ) -> SchemaPart:
        first = argument(call, 0)
        if ".iso." in qualified and name in FORMATS:
            return SchemaPart(Scalar(type="string", format=FORMATS[name], origin=origin))
        takes = self._variant == INPUT
        known = coerced_input(name, origin) if takes and ".coerce." in qualified else None
        known = known or simple_part(name, origin)
        if known is not None:
            return known
        match name:
            case "object" | "strictObject" | "looseObject" | "interface":
                return SchemaPart(self.object_of(name, first, scope, origin, depth))
            case "createSelectSchema" | "createInsertSchema" | "createUpdateSchema":
                return SchemaPart(self.of_table(name, call, scope, origin, depth))
            case "array":
                return SchemaPart(
                    Array(items=self.inner(first, scope, depth).schema, origin=origin)
                )
            case "tuple":
                parts = tuple(self.each(first, scope, depth))
                prefix = tuple(part.schema for part in parts)
                return SchemaPart(Array(items=Nothing(), prefix=prefix, origin=origin))
            case "union" | "discriminatedUnion" | "xor":
                options = argument(call, 1) if name == "discriminatedUnion" else first
                return union_part(list(self.each(options, scope, depth)), call)
            case "intersection":
                return intersection(
                    self._program,
                    self.inner(first, scope, depth),
                    self.inner(argument(call, 1), scope, depth),
                    origin,
                )
            case "record" | "partialRecord" | "looseRecord":
                return self.record(call, scope, origin, depth)
            case "enum" | "nativeEnum":
                return SchemaPart(self._enum(first, scope, origin))
            case "literal":
                return SchemaPart(literal(self._program, first, scope, origin))
            case "optional" | "exactOptional" | "nullable" | "nullish" | "readonly" | "_default":
                return self._modified_part(
                    self.inner(first, scope, depth), name, call, scope, depth
                )
            case "lazy":
                return self._lazy(first, scope, depth)
            case "preprocess" if self._variant == INPUT:
                reason = Reason("zod-preprocess")
                return SchemaPart(
                    Unknown(reason=reason, accepts_any=True, origin=origin), optional=True
                )
            case "preprocess":
                return self.inner(argument(call, 1), scope, depth)
            case "pipe" | "codec":
                side = 0 if self._variant == INPUT else 1
                return self.inner(argument(call, side), scope, depth)
            case "promise":
                return self.inner(first, scope, depth)
            case "custom" if call.type_args:
                return SchemaPart(self._program.schema(call.type_args[0], scope, self._variant))
            case "instanceof":
                value = self._program.evaluate(first, scope) if first is not None else None
                if isinstance(value, ClassValue):
                    return SchemaPart(
                        self._program.schema_of(Instance(value.symbol), self._variant)
                    )
                if isinstance(value, LibrarySymbol) and value.name == "Date":
                    return SchemaPart(Scalar(type="string", format="date-time", origin=origin))
        return SchemaPart(Unknown(reason=Reason("zod-method-not-read", name=name), origin=origin))

    def _enum(self, expr: Expr | None, scope: Scope, origin: Origin) -> Schema:
        if expr is None:
            return Unknown(reason=Reason("zod-enum-no-values"), origin=origin)
        expr = without_casts(expr)  # `MODES as [Mode, ...Mode[]]` has the values of `MODES`
        value = self._program.evaluate(expr, scope)
        if isinstance(value, ClassValue):
            return self._program.schema_of(Instance(value.symbol), self._variant)
        values: list[LiteralValue] = []
        items = value.entries if isinstance(value, Record) else getattr(value, "values", None)
        for item in items if isinstance(items, tuple) else ():
            constant = getattr(item, "value", None) if isinstance(value, Record) else item
            if not isinstance(constant, Constant):
                return Unknown(reason=Reason("zod-enum-values-not-constant"), origin=origin)
            values.append(constant.value)
        return scalars(values, origin) or Unknown(
            reason=Reason("zod-enum-values-undetermined"), origin=origin
        )

    def _lazy(self, expr: Expr | None, scope: Scope, depth: int) -> SchemaPart:
        if isinstance(expr, Lambda):
            function = FunctionValue(expr.function, scope, scope.owner, scope.receiver)
            for returned in self._program.function_exits(function):
                if returned.value is not None:
                    return self.inner(returned.value, returned.scope, depth)
        return SchemaPart(Unknown(reason=Reason("zod-lazy-schema-undetermined")))

    # ------------------------------------------------------------------ calls on a schema

    def _modified_part(
        self, part: SchemaPart, name: str, call: Call, scope: Scope, depth: int
    ) -> SchemaPart:
        schema = part.schema
        origin = Origin(scope.file.path, call.span)
        match name:
            case "optional" | "exactOptional":
                return replace(part, optional=True)
            case "nullable":
                return replace(part, schema=with_nullable(schema, True))
            case "nullish":
                return replace(part, schema=with_nullable(schema, True), optional=True)
            case "catch" if self._variant == INPUT:
                return SchemaPart(Anything(origin=origin), has_default=True)
            case "default" | "_default" | "prefault" | "catch":
                return replace(part, optional=False, has_default=True)
            case "unwrap" | "removeDefault" | "nonoptional":
                if name == "unwrap" and schema.nullable:
                    return replace(part, schema=with_nullable(schema, False))
                return replace(part, optional=False)
            case "array":
                return SchemaPart(Array(items=schema, origin=origin))
            case "or":
                other = self.inner(argument(call, 0), scope, depth)
                return SchemaPart(unite((schema, other.schema)), part.optional or other.optional)
            case "and":
                return intersection(
                    self._program, part, self.inner(argument(call, 0), scope, depth), origin
                )
            case "pipe" if self._variant == INPUT:
                return checks.piped_part(part, self.inner(argument(call, 0), scope, depth))
            case "transform" if self._variant == INPUT:
                return part
            case "pipe":
                return self.inner(argument(call, 0), scope, depth)
            case "transform" | "overwrite":
                return self._transformed_part(part, call, scope)
            case _ if isinstance(schema, Scalar):
                given = self._program.texts(argument(call, 0), scope)
                return replace(part, schema=refine_scalar(schema, name, given))
            case _ if isinstance(schema, Object):
                return replace(part, schema=self._reshaped_object(schema, name, call, scope, depth))
            case "element" if isinstance(schema, Array):
                return SchemaPart(schema.items)
            case _:
                return part

    def _transformed_part(self, part: SchemaPart, call: Call, scope: Scope) -> SchemaPart:
        expr = argument(call, 0)
        function = None if expr is None else self._program.evaluate(expr, scope)
        given = BySchema(part.schema)
        result = self._program.evaluator.apply(function, (given,), scope)
        return replace(part, schema=self._program.schema_of(result, self._variant))

    def _reshaped_object(
        self, shape: Object, name: str, call: Call, scope: Scope, depth: int
    ) -> Schema:
        origin = Origin(scope.file.path, call.span)
        first = argument(call, 0)
        match name:
            case "extend" | "safeExtend" | "augment":
                fields, partial = self.fields_of(first, scope, depth)
                if not isinstance(first, ObjectLiteral) and not fields:
                    other = self.inner(first, scope, depth).schema
                    if isinstance(other, Object):
                        fields, partial = {f.name: f for f in other.fields}, other.incomplete_reason
                return with_extra_fields(shape, fields, partial)
            case "merge":
                other = self.inner(first, scope, depth).schema
                if isinstance(other, Object):
                    return with_extra_fields(
                        shape, {f.name: f for f in other.fields}, other.incomplete_reason
                    )
                return replace(shape, incomplete_reason=Reason("zod-merge-undetermined"))
            case "pick" | "omit":
                names = chosen_names(first)
                if names is None:
                    return Unknown(reason=Reason("zod-keys-undetermined", name=name), origin=origin)
                if name == "pick":
                    return utility_types.pick(shape, names, origin)
                return utility_types.omit(shape, frozenset(names))
            case "partial" | "required" | "deepPartial":
                chosen = chosen_names(first) if first is not None else None
                change = CHANGES_OF_FIELDS[name]
                changed = {field.name: field for field in change(shape).fields}
                return utility_types.with_fields(
                    shape,
                    (
                        changed[field.name] if chosen is None or field.name in chosen else field
                        for field in shape.fields
                    ),
                )
            case "strict":
                return replace(shape, additional=Nothing())
            case "passthrough" | "loose" | "nonstrict":
                return replace(shape, additional=Anything())
            case "strip":
                return replace(shape, additional=None)
            case "catchall":
                return replace(shape, additional=self.inner(first, scope, depth).schema)
            case "keyof":
                values = tuple(field.name for field in shape.fields)
                return Scalar(type="string", values=values, origin=origin)
            case _:
                return shape

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
            is_typed = self._variant != INPUT and types_have_any(self._program, scope.file.path)
            part = self.inner(entry.value, scope, depth)
            fields[key] = field_of(key, part, place, any_is_there=is_typed)
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

    def record(self, call: Call, scope: Scope, origin: Origin, depth: int) -> SchemaPart:
        """`z.record(keys, values)`."""
        first, second = argument(call, 0), argument(call, 1)
        # Of zod 3: `z.record(value)`.
        keys = None if second is None else self.inner(first, scope, depth).schema
        value = self.inner(first if second is None else second, scope, depth)
        return record_part(self._program, keys, value, origin)
