"""Joi: the shape that `Joi.object({…})` and its like stand for.

A schema is a chain of calls, as with zod. Fields are optional unless `required()` says otherwise.
Unless `strict()` says otherwise Joi converts what it checks: texts to numbers, booleans and dates,
and numbers to dates (https://joi.dev/api, `any.validate()`, option `convert`), so that dates have
no format here.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from msgspec.structs import replace

from contract_scan.ir.origin import NOWHERE, Origin
from contract_scan.ir.reasons import NO_REASON, Reason
from contract_scan.ir.schema import (
    Anything,
    Array,
    Field,
    LiteralValue,
    Nothing,
    Object,
    Scalar,
    ScalarType,
    Schema,
    Union,
    Unknown,
    with_nullable,
)
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.schemas import converted_from, unite, with_peers
from contract_scan.parsers.source.analysis.domain.values import (
    Constant,
    Items,
    LibraryResult,
    Record,
    Scope,
    Unresolved,
    Value,
)
from contract_scan.parsers.source.facts.nodes import Call, Expr, LiteralExpr
from contract_scan.parsers.source.typescript.serialization.refinements import (
    with_predicate,
)
from contract_scan.parsers.source.typescript.serialization.zod.parts import (
    SchemaPart,
    field_of,
    scalars,
)

MAX_NESTING = 25
CLOSED = "joi-closed"
"""The variant of schemas that are given their values with no options that allow unknown keys: Joi
refuses keys that an object does not name (https://joi.dev/api, `any.validate()`, option
`allowUnknown`). Without it whether they are refused is not said."""

_KEYS_NOT_NAMED = Reason("joi-keys-not-named")
_MODULES = ("joi", "@hapi/joi", "celebrate.Joi", "express-validation.Joi", "joi-browser")
_ROOTS = frozenset({"extend", "defaults"})
"""What gives a Joi of the project's own."""
_FORMATS = {
    "email": "email",
    "uuid": "uuid",
    "guid": "uuid",
    "uri": "uri",
    "hostname": "hostname",
    "isoDate": "",
}
_ALLOWS_ONLY = frozenset({"valid", "equal", "only"})
_UNCONVERTED: Mapping[ScalarType, tuple[ScalarType, ...]] = {
    "string": (),
    "numeric": (),
    "boolean": (),
}
_ANY = Reason("declared-as-joi-any")
_OPENING = ("allowUnknown", "stripUnknown")
"""Options that let keys through that an object does not name, or leave them out."""
_OPTIONS_UNDETERMINED = Reason("joi-options-undetermined")


def is_joi(name: str) -> bool:
    """Whether a qualified name belongs to Joi."""
    head = name.split("(", 1)[0]
    return any(head == module or head.startswith(module + ".") for module in _MODULES)


def made_schema(program: Program, made: LibraryResult, variant: str) -> Schema | None:
    """The shape that a Joi schema describes; None for anything else."""
    if not is_joi(made.name):
        return None
    return _Reader(program, variant).part(made, 0).schema


def of_keys(program: Program, record: Record, variant: str = "") -> Object:
    """The object that plain keys of schemas stand for (`payload: { name: Joi.string() }`)."""
    return _Reader(program, variant).of_keys(record, 0)


class _Reader:
    def __init__(self, program: Program, variant: str) -> None:
        self._program = program
        self._further = Nothing() if variant == CLOSED else None
        """What stands under keys that an object does not name."""
        self._open: set[tuple[object, ...]] = set()

    def of_keys(self, record: Record, depth: int) -> Object:
        """The object that plain keys of schemas stand for."""
        return Object(
            fields=tuple(self.fields(record, depth)),
            additional=self._further,
            incomplete_reason=record.partial,
            origin=record.origin or NOWHERE,
        )

    def value(self, value: Value, depth: int) -> SchemaPart:
        """The part that a value stands for: a schema, plain keys, or one of several constants."""
        match value:
            case LibraryResult(name=name) if is_joi(name):
                return self.part(value, depth)
            case Record():
                return SchemaPart(self.of_keys(value, depth), optional=True)
            case Constant(value=constant):
                schema = scalars([constant], NOWHERE) or Nothing(nullable=True)
                return SchemaPart(schema, optional=True)
            case Items(values=values):
                return SchemaPart(
                    unite(self.value(v, depth + 1).schema for v in values), optional=True
                )
            case Unresolved(reason=reason):
                return SchemaPart(
                    Unknown(reason=Reason("joi-schema-not-found-because", reason=reason)),
                    optional=True,
                )
            case _:
                return SchemaPart(Unknown(reason=Reason("joi-schema-not-found")), optional=True)

    def fields(self, record: Record, depth: int) -> Iterator[Field]:
        """The properties that keys with schemas describe."""
        for entry in record.entries:
            part = self.value(entry.value, depth + 1)
            if isinstance(part.schema, Nothing) and not part.schema.nullable:
                continue  # forbidden
            field = field_of(entry.name, part, entry.origin)
            yield replace(field, required=not part.optional)

    def part(self, made: LibraryResult, depth: int) -> SchemaPart:
        """The part that a call makes or changes."""
        origin = Origin(made.scope.file.path, made.site.span)
        key = (*made.identity, made.name)
        if depth > MAX_NESTING or key in self._open:
            return SchemaPart(Unknown(reason=Reason("joi-recursive-schema"), origin=origin))
        if not isinstance(made.site, Call):
            return SchemaPart(Unknown(reason=Reason("joi-schema-construction"), origin=origin))
        self._open.add(key)
        try:
            name = made.name.rsplit(".", 1)[-1].removesuffix("()")
            receiver = made.receiver
            if (
                isinstance(receiver, LibraryResult)
                and is_joi(receiver.name)
                and not _is_root(receiver)
            ):
                before = self.part(receiver, depth + 1)
                return self._modified_part(before, name, made.site, made.scope, depth)
            part = self._base_part(name, made.site, made.scope, origin, depth)
            if isinstance(receiver, LibraryResult) and _is_root(receiver, "defaults"):
                # What the project makes of all schemas may be options of theirs.
                further = Unknown(reason=_OPTIONS_UNDETERMINED)
                return replace(part, schema=with_further_keys(part.schema, further))
            return part
        finally:
            self._open.discard(key)

    def _argument(self, call: Call, scope: Scope, position: int) -> Value | None:
        if position >= len(call.args):
            return None
        return self._program.evaluate(call.args[position].value, scope)

    def _arguments(self, call: Call, scope: Scope) -> list[Value]:
        """All arguments, those of a list one by one."""
        found: list[Value] = []
        for argument in call.args:
            value = self._program.evaluate(argument.value, scope)
            found.extend(value.values if isinstance(value, Items) else (value,))
        return found

    # ------------------------------------------------------------------ first calls

    def _base_part(
        self, name: str, call: Call, scope: Scope, origin: Origin, depth: int
    ) -> SchemaPart:
        match name:
            case "string":
                return _optional(Scalar(type="string", origin=origin))
            case "number":
                return _optional(Scalar(type="numeric", also_takes=("string",), origin=origin))
            case "boolean" | "bool":
                return _optional(Scalar(type="boolean", also_takes=("string",), origin=origin))
            case "date":
                return _optional(Scalar(type="string", also_takes=("number",), origin=origin))
            case "binary":
                return _optional(Scalar(type="string", origin=origin))
            case "any" | "symbol" | "func" | "function":
                return _optional(Unknown(reason=_ANY, accepts_any=True, origin=origin))
            case "forbidden":
                return _optional(Nothing(origin=origin))
            case "object":
                return _optional(self._keys(Object(origin=origin), call, scope, depth))
            case "array":
                items = Unknown(reason=Reason("joi-items-not-declared"), origin=origin)
                return _optional(Array(items=items, origin=origin))
            case "alternatives" | "alt" | "allow" | "valid" | "equal":
                return self._alternatives(self._arguments(call, scope), name, origin, depth)
            case "compile" | "attempt" | "build":
                given = self._argument(call, scope, 0)
                if given is not None:
                    return self.value(given, depth + 1)
            case "required" | "exist" | "optional":
                anything = Unknown(reason=_ANY, accepts_any=True, origin=origin)
                return SchemaPart(anything, optional=name == "optional")
        return _optional(Unknown(reason=Reason("joi-method-not-read", name=name), origin=origin))

    def _alternatives(
        self, values: list[Value], name: str, origin: Origin, depth: int
    ) -> SchemaPart:
        if not values or name == "allow":
            reason = Reason("joi-alternatives-undetermined")
            return _optional(Unknown(reason=reason, origin=origin))
        return _optional(unite(self.value(value, depth + 1).schema for value in values))

    def _keys(self, shape: Object, call: Call, scope: Scope, depth: int) -> Object:
        given = self._argument(call, scope, 0)
        if given is None:
            # `Joi.object()` takes any keys, until `keys()` names some.
            return replace(
                shape,
                incomplete_reason=shape.incomplete_reason or _KEYS_NOT_NAMED,
            )
        if not isinstance(given, Record):
            return replace(shape, incomplete_reason=Reason("joi-keys-undetermined"))
        named = {field.name: field for field in shape.fields}
        named.update((field.name, field) for field in self.fields(given, depth))
        of_shape = NO_REASON if _has_unnamed_keys(shape) else shape.incomplete_reason
        return replace(
            shape,
            fields=tuple(named.values()),
            additional=self._further if shape.additional is None else shape.additional,
            incomplete_reason=given.partial or of_shape,
        )

    # ------------------------------------------------------------------ calls on a schema

    def _modified_part(
        self, part: SchemaPart, name: str, call: Call, scope: Scope, depth: int
    ) -> SchemaPart:
        schema = part.schema
        origin = Origin(scope.file.path, call.span)
        match name:
            case "required" | "exist":
                return replace(part, optional=False)
            case "optional":
                return replace(part, optional=True)
            case "default" | "failover":
                return replace(part, optional=True, has_default=name == "default")
            case "forbidden":
                return _optional(Nothing(origin=origin))
            case "strip":
                return part
            case "strict" if not _is_literal_false(call):
                return replace(part, schema=converted_from(schema, _UNCONVERTED))
            case "timestamp":  # of a date: seconds or milliseconds, as a number or in digits
                return replace(part, schema=Scalar(type="numeric", origin=origin))
            case "allow":
                values = self._arguments(call, scope)
                null = any(isinstance(v, Constant) and v.value is None for v in values)
                return replace(part, schema=with_nullable(schema, True)) if null else part
            case _ if name in _ALLOWS_ONLY:
                return replace(part, schema=self._values(schema, call, scope, origin))
            case "when" | "conditional" | "switch":
                reason = Reason("joi-depends-on-field")
                return SchemaPart(Unknown(reason=reason, origin=origin), optional=True)
            case "try":
                options = [self.value(v, depth + 1).schema for v in self._arguments(call, scope)]
                known = [] if isinstance(schema, Unknown) else [schema]
                return replace(part, schema=unite((*known, *options)))
            case "concat":
                return self._concatenated_part(part, call, scope, depth)
            case "options" | "prefs" | "preferences":
                return replace(part, schema=_with_options(schema, call))
            case _ if isinstance(schema, Scalar):
                return replace(part, schema=_refine_scalar(schema, name))
            case _ if isinstance(schema, Array):
                return replace(part, schema=self._array(schema, name, call, scope, depth))
            case _ if isinstance(schema, Object):
                return replace(part, schema=self._object(schema, name, call, scope, depth))
            case _:
                return part

    def _values(self, schema: Schema, call: Call, scope: Scope, origin: Origin) -> Schema:
        values = self._arguments(call, scope)
        constants: list[LiteralValue] = [v.value for v in values if isinstance(v, Constant)]
        if len(constants) != len(values) or not constants:
            return schema  # `valid(Joi.ref("password"))`, `valid(...names)`
        null = None in constants or schema.nullable
        found = scalars(constants, origin)
        return Nothing(nullable=True) if found is None else with_nullable(found, null)

    def _concatenated_part(
        self, part: SchemaPart, call: Call, scope: Scope, depth: int
    ) -> SchemaPart:
        given = self._argument(call, scope, 0)
        other = self.value(given, depth + 1) if given is not None else part
        if not isinstance(part.schema, Object) or not isinstance(other.schema, Object):
            return replace(part, optional=part.optional and other.optional)
        named = {f.name: f for f in (*part.schema.fields, *other.schema.fields)}
        partial = part.schema.incomplete_reason or other.schema.incomplete_reason
        return replace(
            part,
            schema=replace(part.schema, fields=tuple(named.values()), incomplete_reason=partial),
        )

    def _array(self, shape: Array, name: str, call: Call, scope: Scope, depth: int) -> Array:
        if name not in ("items", "ordered"):
            return shape
        parts = [self.value(v, depth + 1).schema for v in self._arguments(call, scope)]
        others = [p for p in parts if not (isinstance(p, Nothing) and not p.nullable)]
        return replace(shape, items=unite(others)) if others else shape

    def _object(self, shape: Object, name: str, call: Call, scope: Scope, depth: int) -> Object:
        match name:
            case "keys" | "append":
                return self._keys(shape, call, scope, depth)
            case "unknown" if _is_literal_false(call):
                return replace(shape, additional=self._further)
            case "unknown":
                return replace(shape, additional=Anything(), incomplete_reason=NO_REASON)
            case "pattern":
                given = self._argument(call, scope, 1)
                inner = self.value(given, depth + 1).schema if given is not None else Anything()
                partial = NO_REASON if _has_unnamed_keys(shape) else shape.incomplete_reason
                return replace(shape, additional=inner, incomplete_reason=partial)
            case "fork" | "rename":
                return _with_changed_keys(shape, name)
            case "or" | "xor" | "and" | "with":
                peers = self._arguments(call, scope)[name == "with" :]
                names = {str(v.value) for v in peers if isinstance(v, Constant)}
                return with_peers(shape, names or None)
            case "custom" | "external":
                predicate = self._argument(call, scope, 0)
                checked = with_predicate(self._program, shape, predicate, reports=True)
                return checked if isinstance(checked, Object) else shape
            case "assert":
                return with_peers(shape, None)
            case "optionalKeys" | "requiredKeys":
                chosen = {v.value for v in self._arguments(call, scope) if isinstance(v, Constant)}
                required = name == "requiredKeys"
                return replace(
                    shape,
                    fields=tuple(
                        replace(f, required=required) if f.name in chosen or not chosen else f
                        for f in shape.fields
                    ),
                )
            case _:
                return shape


def _is_literal_false(call: Call) -> bool:
    return bool(call.args) and _is_false(call.args[0].value)


def _is_root(made: LibraryResult, *names: str) -> bool:
    return made.name.rsplit(".", 1)[-1] in (names or _ROOTS)


def _optional(schema: Schema) -> SchemaPart:
    return SchemaPart(schema, optional=True)


def _has_unnamed_keys(shape: Object) -> bool:
    return not shape.fields and shape.incomplete_reason.code == _KEYS_NOT_NAMED.code


def _with_options(schema: Schema, call: Call) -> Schema:
    """A schema with `options({ … })` of its own, which hold for what stands inside it too."""
    given = call.args[0].value if call.args else None
    entries = {entry.key: entry.value for entry in getattr(given, "entries", ())}
    is_known = bool(entries) and None not in entries
    if (not is_known or "presence" in entries) and isinstance(schema, Object):
        schema = _with_changed_keys(schema, "options")
    opening = [entries[name] for name in _OPENING if name in entries]
    if is_known and all(_is_false(value) for value in opening):
        return schema
    if is_known and any(isinstance(value, LiteralExpr) for value in opening):
        return with_further_keys(schema, Anything())
    return with_further_keys(schema, Unknown(reason=_OPTIONS_UNDETERMINED))


def with_further_keys(schema: Schema, further: Schema) -> Schema:
    """A schema whose objects take keys that they do not name, with values of a schema."""
    match schema:
        case Object(fields=fields, additional=additional):
            return replace(
                schema,
                fields=tuple(
                    replace(f, schema=with_further_keys(f.schema, further)) for f in fields
                ),
                additional=further if isinstance(additional, Nothing) else additional,
            )
        case Array(items=items):
            return replace(schema, items=with_further_keys(items, further))
        case Union(options=options):
            return replace(
                schema, options=tuple(with_further_keys(each, further) for each in options)
            )
        case _:
            return schema


def _with_changed_keys(shape: Object, name: str) -> Object:
    """An object of which a call may have changed which keys are required."""
    fields = tuple(replace(field, required=None) for field in shape.fields)
    reason = Reason("joi-keys-changed", name=name)
    return replace(shape, fields=fields, incomplete_reason=shape.incomplete_reason or reason)


def _is_false(value: Expr) -> bool:
    return isinstance(value, LiteralExpr) and value.value is False


def _refine_scalar(schema: Scalar, name: str) -> Scalar:
    if schema.type == "string" and name in _FORMATS:
        return replace(schema, format=_FORMATS[name])
    if schema.type == "numeric" and name in ("integer", "port"):
        return replace(schema, type="integer")
    return schema
