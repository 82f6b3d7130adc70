"""What containers and wrappers hold, and what spreading gives."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from msgspec.structs import replace

from contract_scan.ir.evidence import Evidence, of_part
from contract_scan.ir.origin import NO_SPAN, NOWHERE, Origin, Span
from contract_scan.ir.reasons import NO_REASON, Reason
from contract_scan.ir.schema import Array, Field, Nothing, Object, Scalar, Union, Unknown
from contract_scan.ir.three_valued import any_of
from contract_scan.parsers.source.analysis.domain.effects import EVERY_ITEM
from contract_scan.parsers.source.analysis.domain.values import (
    NOT_NULL,
    AliasSymbol,
    BoundType,
    BySchema,
    ByType,
    Constant,
    Instance,
    Items,
    LibraryResult,
    LibrarySymbol,
    OneOf,
    PartT,
    Record,
    RecordEntry,
    Scope,
    Unresolved,
    Value,
    as_checked,
    is_null,
    is_untyped,
    origin_at,
    provider,
    readable_name,
    union_of,
)
from contract_scan.parsers.source.analysis.evaluation.constant_text import Texts
from contract_scan.parsers.source.analysis.evaluation.context import Context
from contract_scan.parsers.source.analysis.evaluation.nullness import Nulls
from contract_scan.parsers.source.analysis.syntax.side_effects import is_kept, is_logged
from contract_scan.parsers.source.analysis.typing.assigned_members import common_assigned
from contract_scan.parsers.source.analysis.typing.loaded_values import seen_as
from contract_scan.parsers.source.analysis.typing.member_narrowing import (
    members_not_null,
    refinements_of_member,
)
from contract_scan.parsers.source.analysis.typing.types import TOO_MANY_STEPS
from contract_scan.parsers.source.facts.nodes import (
    Annotation,
    ArrayType,
    Attribute,
    Call,
    Entry,
    Expr,
    LiteralExpr,
    NamedType,
    New,
    NullableType,
    NullType,
    TupleType,
    TypeExpr,
    UnionType,
)

_GIVES_DATA = frozenset({"parse", "parseAsync", "cast", "validateSync", "tree"})
"""Methods of schemas that give a plain object, and what mappers make trees of; others give a
schema, or a model."""


class Containers:
    """The part of the evaluator that looks into lists, promises and records."""

    def __init__(self, context: Context, texts: Texts, nulls: Nulls) -> None:
        self._program = context.program
        self._budget = context.budget
        self._evaluate = context.evaluate
        self._texts = texts
        self._nulls = nulls
        self.absences = nulls.absences

    def item(self, value: Value | None) -> Value:
        """An item of a list, set, stream or other container."""
        match value:
            case None:
                return Unresolved(Reason("missing-list"))
            case Items(values=values):
                return union_of(values) if values else Unresolved(Reason("list-empty"))
            case ByType(type=type, scope=scope, view=view):
                item = as_checked(seen_as(view, self._typed_item(type, scope)), value)
                told = refinements_of_member(value, EVERY_ITEM) if value.refinements else ()
                if told and isinstance(item, ByType):
                    return replace(item, refinements=(*item.refinements, *told))
                return item
            case OneOf(options=options):
                return union_of(tuple(self.item(option) for option in options))
            case BySchema(schema=schema):
                flat = self._program.types.flat(schema)
                if isinstance(flat, Array):
                    return replace(value, schema=flat.items, refinements=())
                return Unresolved(Reason("value-items-undetermined"))
            case Record(values=values) if values is not None:
                return self._pair(value, values) if self._program.language.pairs else values
            case Unresolved():
                return value
            case LibraryResult() | LibrarySymbol() if (
                known := self._library_item(value)
            ) is not None:
                return known
            case LibraryResult(name=name):
                flat = self._program.types.flat(self._program.types.schema_of(value))
                if isinstance(flat, Array):
                    return BySchema(flat.items)
                return Unresolved(
                    Reason(
                        "iterated-items-from-library",
                        name=readable_name(name),
                        provider=provider(name),
                    )
                )
            case LibrarySymbol(name=name):
                return Unresolved(
                    Reason("items-from-library", name=readable_name(name), provider=provider(name))
                )
            case _:
                return Unresolved(Reason("value-items-undetermined"))

    def map_value(self, value: Value) -> Value | None:
        """What a map holds behind its keys, in a language where its items are pairs; None for what
        is no such map."""
        pairs = self._program.language.pairs
        held = self.unwrap(value)
        match held:
            case Record(values=values) if pairs:
                return values
            case ByType(type=NamedType(name=name, args=(_, item)), scope=scope):
                if name.rsplit(".", 1)[-1] not in pairs:
                    return None
                found = self._program.names.lookup_type(name, scope)
                of_library = isinstance(found, LibrarySymbol)
                return ByType(item, scope, item.span) if of_library else None
            case ByType(type=NullableType(item=type)):
                return self.map_value(replace(held, type=type))
            case _:
                return None

    def _pair(self, record: Record, values: Value) -> Value:
        """What a map is gone through by, in a language where that is pairs."""
        why = Reason("map-entry-serialization")
        origin = record.origin or NOWHERE
        key = Unresolved(Reason("map-key-computed"), origin.span, origin.path)
        entries = (RecordEntry("Key", key, origin), RecordEntry("Value", values, origin))
        return Record(entries, why, None, record.origin)

    def _library_item(self, value: Value) -> Value | None:
        read = self._program.language.items_of
        return None if read is None else read(self._program, value)

    def _typed_item(self, type: TypeExpr, scope: Scope) -> Value:
        unwrapped = self.unwrap(ByType(type, scope))
        if isinstance(unwrapped, ByType):
            type, scope = unwrapped.type, unwrapped.scope
        match type:
            case ArrayType(item=item):
                return ByType(item, scope, item.span)
            case NamedType(args=args):
                position = self._nulls.library_index(type, scope, self._program.language.containers)
                if position is not None and position < len(args):
                    return ByType(args[position], scope, args[position].span)
                found = self._program.names.lookup_type(type.name, scope)
                pair = self._program.language.pairs.get(type.name.rsplit(".", 1)[-1])
                if pair is not None and isinstance(found, LibrarySymbol):
                    return ByType(replace(type, name=pair), scope, type.span)
                if isinstance(found, AliasSymbol):
                    inner = self._program.names.classes.scope_in_alias(found, type, scope)
                    return self._typed_item(found.alias.type, inner)
                if isinstance(found, BoundType):
                    if found.shape is not None:
                        return self.item(BySchema(found.shape))
                    return self._typed_item(found.type, found.scope)
            case TupleType(items=items) if items:
                return union_of(tuple(ByType(item, scope, item.span) for item in items))
            case NullableType(item=item):
                return self._typed_item(item, scope)
            case UnionType(options=options):
                left = tuple(o for o in options if not isinstance(o, NullType))
                return union_of(tuple(self._typed_item(option, scope) for option in left))
            case _:
                pass
        schema = self._program.types.flat(self._program.types.schema(type, scope))
        if isinstance(schema, Array):
            return BySchema(schema.items)
        reason, untyped = Reason("value-items-undetermined"), self.may_be_any(ByType(type, scope))
        return Unresolved(reason, type.span, scope.file.path, untyped=untyped)

    def unwrap(self, value: Value | None) -> Value:
        """The value inside promises, tasks, optionals and the like; other values as they are."""
        if value is None:
            return Unresolved(Reason("missing-value"))
        if not isinstance(value, ByType):
            return value
        type, scope = value.type, value.scope
        for _ in range(8):
            if not isinstance(type, NamedType):
                break
            position = self._nulls.library_index(type, scope, self._program.language.transparent)
            if position is not None and position < len(type.args):
                type = type.args[position]
                continue
            found = self._program.names.lookup_type(type.name, scope)
            if isinstance(found, BoundType):
                if found.shape is not None:
                    return BySchema(found.shape)
                type, scope = found.type, found.scope
                continue
            break
        is_same = type is value.type and scope is value.scope
        return value if is_same else replace(value, type=type, scope=scope)

    def as_annotated(self, value: ByType, annotations: Sequence[Annotation]) -> ByType:
        """A value of a declared type as annotations beside the type say: null, too, or never."""
        says = self._program.language.annotated_null
        null = None if says is None else says(annotations)
        if null is None:
            return value
        if null:
            return replace(value, type=NullableType(item=value.type, span=value.type.span))
        return replace(value, refinements=(*value.refinements, NOT_NULL))

    def or_default(self, typed: ByType, name: str, default: Expr | None) -> Value:
        """A declared type, and null beside it where that is the default: `name: str = None`."""
        is_null = isinstance(default, LiteralExpr) and default.value is None
        reason = Reason("null-by-default", name=name)
        return self.with_unchecked_null(typed, reason) if is_null else typed

    def with_unchecked_null(self, typed: ByType, reason: Reason) -> Value:
        """A declared type that forbids null, and null beside it where nothing checks the type."""
        types, inner = self._program.types, self.unwrap(typed)
        if not self._program.language.results_unchecked:
            return typed
        declared = types.schema_of(inner)
        if types.is_unknown(declared) or types.flat(declared).nullable is not False:
            return typed
        return union_of((inner, BySchema(Nothing(nullable=None, null_reason=reason))))

    def entries_of(self, value: Value) -> tuple[tuple[RecordEntry, ...], Reason]:
        """Entries that spreading a value gives, and why there may be more (empty: these are
        all)."""
        match value:
            case Record(entries=entries, partial=partial, values=values):
                if values is not None and not partial:
                    partial = Reason("some-keys-computed")
                return entries, partial
            case Constant() | LibrarySymbol(name="undefined"):
                return (), NO_REASON  # `...(condition && x)`: spreading false or null adds nothing
            case BySchema(schema=Nothing()):
                return (), NO_REASON
            case OneOf(options=options):
                certain = [o for o in options if not _may_never_be(o)]
                entries, why = self._joined_entries([self.entries_of(o) for o in certain])
                if len(certain) < len(options):
                    entries = tuple(replace(e, undefined=e.undefined or None) for e in entries)
                return entries, why
            case Unresolved(reason=reason):
                return (), reason
            case _:
                copied = self._program.language.copied_variant
                known = copied is not None and isinstance(value, ByType | Instance)
                variant = copied(self._program, value) if copied is not None and known else ""
                schema = self._program.types.flat(self._program.types.schema_of(value, variant))
                if isinstance(schema, Unknown):
                    return (), schema.reason
                if isinstance(schema, Scalar) and schema.type == "boolean":
                    return (), NO_REASON
                if not isinstance(schema, Object):
                    return (), Reason("spread-not-object")
                entries = tuple(_entry_of(field, schema.evidence) for field in schema.fields)
                if schema.additional is not None and not schema.incomplete_reason:
                    return entries, Reason("spread-may-have-further-keys")
                return entries, schema.incomplete_reason

    def _joined_entries(
        self, sides: list[tuple[tuple[RecordEntry, ...], Reason]]
    ) -> tuple[tuple[RecordEntry, ...], Reason]:
        self._budget.steps += sum(len(entries) for entries, _ in sides)
        if self._budget.steps > self._budget.limit:
            self._budget.cuts += 1
            return (), TOO_MANY_STEPS
        partial = next((why for _, why in sides if why), NO_REASON)
        found: dict[str, list[RecordEntry]] = {}
        without_more: Counter[str] = Counter()
        """How many of the sides hold a name that have no further entries."""
        for entries, why in sides:
            for entry in entries:
                found.setdefault(entry.name, []).append(entry)
            if not why:
                without_more.update({entry.name for entry in entries})
        closed = sum(not why for _, why in sides)
        result = []
        for name, each in found.items():
            unsure = each[0].undefined
            for entry in each[1:]:
                unsure = any_of((unsure, entry.undefined))
            lacks = without_more[name] < closed
            if not lacks and len(each) < len(sides):  # not all keys are known: it may be there
                unsure = unsure or None
            value = union_of(tuple(entry.value for entry in each))
            optional = lacks or any(entry.optional for entry in each)
            result.append(replace(each[-1], value=value, optional=optional, undefined=unsure))
        return tuple(result), partial

    def merged_records(self, values: list[Value], origin: Origin) -> Value:
        """Records laid over each other, later ones winning (`a | b`, `Object.assign`)."""
        known: dict[str, RecordEntry] = {}
        partial = NO_REASON
        for value in values:
            entries, why = self.entries_of(value)
            partial = partial or why
            for entry in entries:
                previous = known.get(entry.name)
                if previous is not None and (entry.optional or entry.undefined is None):
                    both = union_of((previous.value, entry.value))
                    unsure = any_of((previous.undefined, entry.undefined))
                    entry = replace(previous, value=both, undefined=unsure)
                known[entry.name] = entry
        return Record(tuple(known.values()), partial, None, origin)

    def record(self, entries: tuple[Entry, ...], scope: Scope, span: Span) -> Value:
        """An object literal: its entries in order, later ones hiding earlier ones."""
        known: dict[str, RecordEntry] = {}
        partial = NO_REASON
        values: list[Value] = []
        last: set[str] = set()
        """Keys that nothing undetermined comes after."""
        structural = self._program.language.structural
        untyped = False
        for entry in entries:
            value = self._evaluate(entry.value, scope)
            if entry.spread:
                untyped = untyped or self.may_be_any(value)
                added, why = self.entries_of(value)
                partial = partial or why
                last = set() if why else last
                for item in added:
                    previous = known.get(item.name)
                    if previous is not None and (item.optional or item.undefined is None):
                        both = union_of((previous.value, item.value))
                        unsure = any_of((previous.undefined, item.undefined))
                        item = replace(
                            item, value=both, optional=previous.optional, undefined=unsure
                        )
                    known[item.name] = item
                continue
            key = entry.key
            if key is None and entry.key_expression is not None:
                key = self._texts.text(self._evaluate(entry.key_expression, scope))
            if key is None:
                values.append(value)
                last = set()
                continue
            place = entry.span if entry.span != NO_SPAN else entry.value.span
            undefined = structural and self.absences.may_be_undefined(entry, scope, value)
            origin = origin_at(scope, place)
            known[key] = RecordEntry(key, value, origin, undefined=undefined)
            last.add(key)
        if partial:
            known.update((key, replace(known[key], is_replacement=True)) for key in last)
        rest = union_of(tuple(values)) if values else None
        whole = origin_at(scope, span)
        return Record(tuple(known.values()), partial, rest, whole, untyped=untyped)

    def plain(self, value: Value) -> Value:
        """An object of its own with what a value holds, which can be changed; other values as they
        are."""
        shape = self._program.types.flat(self._program.types.schema_of(value))
        if not isinstance(shape, Object):
            return value
        entries, why = self.entries_of(value)
        if shape.additional is None:
            return Record(entries, why, None, shape.origin)
        return Record(entries, shape.incomplete_reason, BySchema(shape.additional), shape.origin)

    def changeable(self, value: BySchema | LibraryResult) -> Value:
        """An object or list of a known shape, of a library's call too, as one whose keys and items
        are seen one by one, so that they can be changed; other values as they are. Members that a
        compiler holds against a type stay of that type."""
        keyed = isinstance(value, BySchema) and value.keyed
        if isinstance(value, LibraryResult):
            reader = self._program.language.made_schema
            keyed = value.name.rpartition(".")[2] in _GIVES_DATA
            given = reader(self._program, value, "") if reader is not None and keyed else None
            if given is None or value.assigned:
                return value
            value = BySchema(given)
        if value.keeps_shape:
            return value
        shape = self._program.types.flat(self._program.types.schema_of(value))
        there: Value
        match shape:
            case Union(options=options):
                each = (BySchema(option, keyed=keyed) for option in options)
                there = union_of(tuple(self.changeable(option) for option in each))
            case Object(fields=fields, additional=additional):
                if fields and not (keyed or self._program.language.casts_unchecked):
                    return value
                if any(field.either_name for field in fields):
                    return value
                entries = tuple(_entry_of(field, shape.evidence, keyed) for field in fields)
                further = None if additional is None else BySchema(additional, keyed=keyed)
                why, origin = shape.incomplete_reason, shape.origin
                there = Record(entries, why, further, origin, shape.evidence)
            case Array(items=item, prefix=()):
                is_empty = isinstance(item, Nothing) and not item.nullable
                items = () if is_empty else (BySchema(item, keyed=keyed),)
                there = Items(items, True, False, shape.origin)
            case _:
                return value
        if shape.nullable is False:
            return there
        null = Nothing(nullable=shape.nullable, null_reason=shape.null_reason, origin=shape.origin)
        return union_of((there, BySchema(null)))

    def possibly_absent(self, value: Value) -> Value:
        """A value where an empty object may have been left in its place: no field of it is
        certain."""
        shape = self._program.types.flat(self._program.types.schema_of(self.unwrap(value)))
        if not isinstance(shape, Object):
            return value
        fields = (replace(f, required=None) if f.required else f for f in shape.fields)
        return BySchema(replace(shape, fields=tuple(fields)))

    def is_map(self, made: LibraryResult) -> bool:
        """Whether a library object is a map that keys are put into."""
        schema = self._made_shape(made)
        return isinstance(schema, Object) and not schema.fields

    def is_list(self, made: LibraryResult) -> bool:
        """Whether a library object is a list that items are added to."""
        return isinstance(self._made_shape(made), Array)

    def keeps_argument(self, call: Call, scope: Scope) -> bool:
        """Whether a library's call keeps what it is handed as it is: in a list or map that code has
        made, or in a text."""
        if not isinstance(call.callee, Attribute) or not is_kept(call):
            return False
        if is_logged(call):
            return True
        match self.unwrap(self._evaluate(call.callee.value, scope)):
            case Items() | Record():
                return True
            case LibraryResult() as made:
                return self.is_list(made) or self.is_map(made)
            case _:
                return False

    def _made_shape(self, made: LibraryResult) -> object:
        if isinstance(made.site, New) and made.site.type is not None:
            return self._program.types.schema(made.site.type, made.scope)
        return None

    def says_nothing(self, type: TypeExpr, scope: Scope) -> bool:
        """Whether a declared type tells nothing about the shape of its values. Where types are
        structural, `Record<string, unknown>` is what any object can be given as."""
        types = self._program.types
        schema = types.flat(types.schema(type, scope))
        if self._program.language.structural and isinstance(schema, Object) and not schema.fields:
            free = schema.additional is not None and types.is_unknown(schema.additional)
            return free and not schema.incomplete_reason
        return types.is_unknown(schema)

    def lacks_optional(self, seen: Value, declared: Value) -> bool:
        """Whether a value, or each item of a list, is known to lack members that its declared type
        lets be left out."""
        declared = self.unwrap(declared)
        if isinstance(seen, Items):
            item = self.item(declared)
            return bool(seen.values) and all(self.lacks_optional(o, item) for o in seen.values)
        types = self._program.types
        own, whole = types.flat(types.schema_of(seen)), types.flat(types.schema_of(declared))
        if not (isinstance(own, Object) and isinstance(whole, Object)):
            return False
        # `{ note: "", ...left }`: what is undetermined there may only be what is of the type, too.
        is_copy = isinstance(seen, Record) and seen.partial == whole.incomplete_reason != NO_REASON
        if not is_copy and not isinstance(seen, BySchema):
            return False
        left = {field.name for field in own.fields}
        gone = [field for field in whole.fields if field.name not in left]
        return bool(gone) and all(field.required is not True for field in gone)

    def may_be_any(self, value: Value) -> bool:
        """Whether a value, or an item of it, may be one that no compiler holds against a declared
        type."""
        if not self._program.language.casts_unchecked:
            return False
        match value:
            case OneOf(options=values) | Items(values=values):
                return any(self.may_be_any(each) for each in values)
            case ByType(type=type, scope=scope):
                return self.is_any(type, scope)
            case Record(untyped=untyped):
                return untyped
            case _:
                return is_untyped(value)

    def as_any(self, value: Value, declared: TypeExpr, scope: Scope) -> Value:
        """A value that is declared to be of a type which says nothing of it: of `any`, so that no
        compiler holds it against another type after that."""
        any_type = self.unwrap(ByType(declared, scope))
        if isinstance(value, Unresolved | Record) and self.may_be_any(any_type):
            return replace(value, untyped=True)
        return value

    def is_any(self, type: TypeExpr, scope: Scope) -> bool:
        """Whether a type is one that takes any value and is taken for any type."""
        types = self._program.types
        schema = types.flat(types.schema(type, scope))
        return isinstance(schema, Unknown) and schema.accepts_any

    def as_assigned(self, declared: PartT, value: Value) -> PartT:
        """What is declared of a value, known no better than the value lets a compiler check, with
        the members that code has set on it."""
        options = value.options if isinstance(value, OneOf) else (value,)
        there = [one for one in options if not is_null(one)]
        assigned = common_assigned(there)
        copied = next((one.copied for one in there if isinstance(one, ByType) and one.copied), "")
        unchecked = self.may_be_any(value)
        null_returned = any(isinstance(one, ByType) and one.null_returned for one in there)
        lets_null_pass = self._program.language.excludes_null is not None
        tested = members_not_null(value) if lets_null_pass else ()
        views = {getattr(one, "view", "") for one in there}
        view = views.pop() if len(views) == 1 and not self._program.language.structural else ""
        is_told = assigned or copied or unchecked or null_returned or tested or view
        if isinstance(declared, ByType) and is_told:
            return replace(
                declared,
                view=view or declared.view,
                refinements=(*declared.refinements, *tested),
                null_returned=null_returned or declared.null_returned,
                assigned=assigned or declared.assigned,
                copied=copied or declared.copied,
                unchecked=unchecked or declared.unchecked,
            )
        return declared


def is_bare(default: Value) -> bool:
    """Whether a default value tells nothing of what may be given instead: `None`, `{}`, `[]`."""
    match default:
        case Constant(value=None) | Record(entries=(), values=None, partial=""):
            return True
        case Items(values=values):
            return not values
        case _:
            return False


def _entry_of(field: Field, around: Evidence | None, keyed: bool = False) -> RecordEntry:
    """A field of a shape as the entry of an object that it is copied to, known as well as it was
    there."""
    unsure = None if field.required is None else False
    schema, evidence = field.schema, field.evidence
    if around is not None:
        schema = replace(schema, evidence=of_part(schema.evidence or Evidence(), around))
        evidence = of_part(evidence or Evidence(), around)
    return RecordEntry(
        field.name,
        BySchema(schema, keyed=keyed),
        field.origin,
        field.required is False,
        unsure,
        evidence=evidence,
        doubt=field.undetermined_reason,
    )


def _may_never_be(value: Value) -> bool:
    """A null of which it is not known whether there is ever one."""
    return isinstance(value, BySchema) and value.schema == Nothing(nullable=None)
