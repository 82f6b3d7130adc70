"""From types and values to schemas: the shape that something has on the wire.

Project classes become `Reference`s, resolved on demand by the language's `class_schema`, so
recursive types need no care and types that nobody asks for cost nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from msgspec import Struct
from msgspec.structs import replace

from contract_scan.ir.evidence import DECLARED, Evidence, of_part
from contract_scan.ir.origin import NO_SPAN, NOWHERE, Origin
from contract_scan.ir.reasons import Reason
from contract_scan.ir.schema import (
    Array,
    Field,
    Nothing,
    Object,
    Reference,
    Scalar,
    Schema,
    Unknown,
    with_nullable,
)
from contract_scan.ir.three_valued import any_of
from contract_scan.parsers.source.analysis.domain import loaded_relations
from contract_scan.parsers.source.analysis.domain.hooks import TypeUse
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.schemas import (
    describe,
    says_nothing,
    unite,
)
from contract_scan.parsers.source.analysis.domain.values import (
    AliasSymbol,
    BoundType,
    BySchema,
    ByType,
    ClassSymbol,
    ClassValue,
    Constant,
    FunctionValue,
    Instance,
    Items,
    LibraryResult,
    LibrarySymbol,
    ModuleValue,
    OneOf,
    Record,
    Scope,
    Template,
    Unresolved,
    Value,
    is_always_there,
    is_undefined,
    provider,
    readable_name,
)
from contract_scan.parsers.source.analysis.typing import type_operators
from contract_scan.parsers.source.analysis.typing.member_narrowing import narrowed_schema
from contract_scan.parsers.source.analysis.typing.object_shapes import refined_schema
from contract_scan.parsers.source.facts.nodes import (
    AnnotatedType,
    ArrayType,
    FunctionType,
    IndexedType,
    IntersectionType,
    KeyOfType,
    LiteralType,
    MappedType,
    Member,
    NamedType,
    NullableType,
    NullType,
    ObjectType,
    TupleType,
    TypeExpr,
    TypeOfType,
    UnionType,
    UnsupportedType,
)

MAX_TYPE_DEPTH = 60
"""How deep types may nest (and aliases lead to aliases) before a type counts as unknown."""


TOO_MANY_STEPS = Reason("step-limit")
_MOST_NAMES = 8
"""How many names of types are followed to tell one."""
MAX_TYPE_STEPS = 100_000
"""How many types are read for one of them: an argument that stands twice in the next one is read
twice as often at each level."""
MAX_STEPS = 20_000
"""How many parts the shape of a value may have: one that holds another twice doubles it."""
_LIBRARY_DEPTH = 3
"""How deep fields of what a library gives are looked at that its declared type leaves open."""


class _KeptShape(Struct, frozen=True):
    """The shape of a value that may stand in several others."""

    value: Value
    """Kept, so that its identity stays its own."""
    schema: Schema
    steps: int
    """How many parts it has: they count wherever it stands."""


class Types:
    """The type system of one program."""

    def __init__(self, program: Program) -> None:
        self._program = program
        self._pending: dict[str, tuple[ClassSymbol, Mapping[str, BoundType], str]] = {}
        self._resolved: dict[str, Schema] = {}
        self._open_aliases: set[str] = set()
        self._recursive: set[str] = set()
        self._unfinished: set[str] = set()
        """Keys of classes of which the schema is being made."""
        self._met = 0
        """How often something was asked for that is being made."""
        self._texts: dict[int, str] = {}
        """What describes the schemas of aliases without parameters, by their identity: they are
        kept, and may be as large as a database."""
        self._depth = 0
        self._shapes: dict[tuple[int, str], _KeptShape] = {}
        """By the identity of a value and the variant."""

    # ------------------------------------------------------------------ types

    def schema(self, type: TypeExpr, scope: Scope, variant: str = "") -> Schema:
        """Shape of values of a declared type."""
        budget = self._program.evaluator.budget
        if self._depth > MAX_TYPE_DEPTH:
            budget.cuts += 1
            return Unknown(reason=Reason("type-too-deep"), origin=_type_origin(type, scope))
        if self._depth == 0:
            budget.parts = budget.types = 0
        elif budget.types > MAX_TYPE_STEPS:
            budget.cuts += 1
            return Unknown(reason=TOO_MANY_STEPS, origin=_type_origin(type, scope))
        budget.types += 1
        self._depth += 1
        try:
            return self._schema(type, scope, variant)
        finally:
            self._depth -= 1

    def _schema(self, type: TypeExpr, scope: Scope, variant: str) -> Schema:
        origin = _type_origin(type, scope)
        match type:
            case NamedType():
                return self._named_type_schema(type, scope, variant, origin)
            case NullType(absent=absent):
                return Nothing(nullable=not absent, origin=origin)
            case UnionType(options=options):
                return unite(self.schema(option, scope, variant) for option in options)
            case NullableType(item=item):
                adds_null = self._program.language.adds_null
                nullable = adds_null is None or adds_null(self._program, item, scope)
                shape = self.schema(item, scope, variant)
                return with_nullable(shape, True) if nullable else shape
            case ArrayType(item=item):
                items = self.schema(item, scope, variant)
                element = self._program.language.element
                if element is not None:
                    items = element(self._program, item, scope, items, variant)
                return Array(items=items, origin=origin)
            case TupleType(items=parts):
                prefix = tuple(self.schema(part, scope, variant) for part in parts)
                return Array(items=Nothing(), prefix=prefix, origin=origin)
            case ObjectType() | IntersectionType() if written := type_operators.json_form(type):
                return self.schema(written, scope, variant)
            case ObjectType(members=members, index=index):
                additional = None if index is None else self.schema(index, scope, variant)
                named = type_operators.with_names(self._program, members, scope)
                held = (m for m in named if not isinstance(m.type, FunctionType))
                fields = [self._member(m, scope, variant) for m in held]
                there = tuple(field for field in fields if not is_never(field))
                return Object(fields=there, additional=additional, origin=origin)
            case LiteralType(value=value):
                return self.literal(value, origin)
            case AnnotatedType(item=item):
                annotated = self._program.language.annotated
                shape = self.schema(item, scope, variant)
                if annotated is None:
                    return shape
                return annotated(self._program, type, shape, scope, variant)
            case IntersectionType(options=options):
                return type_operators.intersect(
                    self, [self.schema(o, scope, variant) for o in options], origin
                )
            case IndexedType(item=item, index=index):
                return type_operators.indexed_access_schema(
                    self, item, index, scope, variant, origin
                )
            case KeyOfType(item=item):
                return type_operators.keys(self, self.schema(item, scope, variant), origin)
            case TypeOfType(value=expr):
                stated = self._program.evaluate(expr, scope)
                if isinstance(stated, Items) and not self._program.language.structural:
                    return unite(self.schema_of(item, variant) for item in stated.values)
                return self.schema_of(stated, variant)
            case MappedType():
                return type_operators.mapped_type_schema(self, type, scope, variant, origin)
            case FunctionType():
                return Unknown(
                    reason=Reason("functions-not-serialisable"), in_memory=True, origin=origin
                )
            case UnsupportedType(description=what):
                return Unknown(reason=Reason("type-is", what=what), origin=origin)

    def _named_type_schema(
        self, type: NamedType, scope: Scope, variant: str, origin: Origin
    ) -> Schema:
        predefined = type.name in self._program.language.predefined
        found = (
            LibrarySymbol(type.name)
            if predefined
            else self._program.names.lookup_type(type.name, scope)
        )
        match found:
            case ClassValue(symbol=symbol):
                bound = self._program.names.classes.bind(symbol.decl.type_params, type, scope)
                if not type.args and not bound:
                    bound = dict(found.types)
                return self.reference(symbol, bound, variant, origin)
            case AliasSymbol(alias=alias):
                inside = self._program.names.classes.alias_scope(found)
                bound = self._program.names.classes.bind(alias.type_params, type, scope)
                if bound:
                    inside = Scope(file=found.file, parent=inside, types=bound)
                return self.alias(found, BoundType(alias.type, inside), variant, origin)
            case BoundType(type=inner, scope=inside, shape=shape):
                if shape is None and inner == type and inside is scope:
                    return Unknown(reason=Reason("alias-of-itself", type=type.name), origin=origin)
                return self.bound_schema(found, variant)
            case LibrarySymbol(name=name):
                use = TypeUse(
                    self._program, type, name, scope, *loaded_relations.split_variant(variant)
                )
                library = self._program.language.library_type(use)
                if library is not None:
                    return library
                return Unknown(reason=Reason("type-from-library", type=type.name), origin=origin)
            case Unresolved(reason=reason):
                return Unknown(reason=reason, origin=origin)
            case _:
                # A value in a type position: Python's `Page = create_model(...)`, zod's inferred.
                return self.schema_of(found, variant)

    def _member(self, member: Member, scope: Scope, variant: str) -> Field:
        origin = Origin(scope.file.path, member.span)
        if member.type is None:
            schema: Schema = Unknown(reason=Reason("no-type", member=member.name), origin=origin)
        else:
            schema = self.schema(member.type, scope, variant)
        required = not (member.optional or allows_undefined(self._program, member.type, scope))
        return Field(name=member.name, schema=schema, required=required, origin=origin)

    def literal(self, value: object, origin: Origin) -> Schema:
        """The schema of one constant."""
        match value:
            case bool():
                return Scalar(type="boolean", values=(value,), origin=origin)
            case str():
                return Scalar(type="string", values=(value,), origin=origin)
            case int():
                return Scalar(type="integer", values=(value,), origin=origin)
            case float():
                return Scalar(type="number", values=(value,), origin=origin)
            case _:
                return Nothing(nullable=True, origin=origin)

    # ------------------------------------------------------------------ values

    def schema_of(self, value: Value, variant: str = "") -> Schema:
        """Shape of an abstract value."""
        budget = self._program.evaluator.budget
        if self._depth > MAX_TYPE_DEPTH:
            budget.cuts += 1
            return Unknown(reason=Reason("value-too-deep"))
        if self._depth == 0:
            budget.parts = budget.types = 0
        elif budget.parts > MAX_STEPS:
            budget.cuts += 1
            return Unknown(reason=TOO_MANY_STEPS)
        kept = self._shapes.get((id(value), variant))
        if kept is not None and budget.parts + kept.steps <= MAX_STEPS:
            budget.parts += kept.steps
            return kept.schema
        before = (self._met, budget.cuts)
        steps = budget.parts
        budget.parts += 1
        self._depth += 1
        try:
            schema = self._schema_of(value, variant)
        finally:
            self._depth -= 1
        is_whole = before == (self._met, budget.cuts)
        if is_whole and isinstance(value, Record | OneOf | Items | ByType | Instance):
            self._shapes[id(value), variant] = _KeptShape(value, schema, budget.parts - steps)
        return schema

    def _without_absences(self, schema: Schema, depth: int) -> Schema:
        """A shape with it left open whether fields are sent that it lets be left out."""
        flat = self.flat(schema)
        if not depth:
            return schema
        if isinstance(flat, Array):
            items = self._without_absences(flat.items, depth - 1)
            return schema if items is flat.items else replace(flat, items=items)
        if not isinstance(flat, Object):
            return schema
        fields = tuple(self._without_absence(field, depth - 1) for field in flat.fields)
        changed = any(new is not old for new, old in zip(fields, flat.fields, strict=True))
        return replace(flat, fields=fields) if changed else schema

    def _without_absence(self, field: Field, depth: int) -> Field:
        schema = self._without_absences(field.schema, depth)
        if schema is field.schema and field.required is not False:
            return field
        return replace(field, required=field.required or None, schema=schema)

    def _has_annotations(self, type: TypeExpr, scope: Scope) -> bool:
        """Whether a type is a class whose members a library may fill from a database, or one of
        several."""
        if isinstance(type, UnionType):
            return any(self._has_annotations(option, scope) for option in type.options)
        found = self._program.names.declared_class(type, scope)
        return found is not None and any(member.annotations for member in found.decl.members)

    def _schema_of(self, value: Value, variant: str) -> Schema:
        match value:
            case Constant(declared_type=ByType(type=type, scope=scope)):
                return self.schema(type, scope, variant)
            case Constant(declared_type=Unresolved() as of_any_type):
                return self.schema_of(of_any_type, variant)
            case Constant(value=constant, span=span, path=path):
                return self.literal(constant, Origin(path, span) if path else NOWHERE)
            case Template():
                return Scalar(type="string")
            case ByType(type=type, scope=scope, view=view):
                if value.unchecked and not view and self._has_annotations(type, scope):
                    view = loaded_relations.ANY_QUERY
                schema = self.schema(type, scope, loaded_relations.variant_with_view(variant, view))
                if value.of_library:
                    schema = self._without_absences(schema, _LIBRARY_DEPTH)
                schema = refined_schema(self._program, schema, value, variant)
                return replace(schema, evidence=DECLARED) if value.unchecked else schema
            case Instance(symbol=symbol, types=types, view=view):
                schema = self.reference(
                    symbol, types, loaded_relations.variant_with_view(variant, view), symbol.origin
                )
                if value.constant:
                    schema = self._enum_constant(schema, symbol, value.constant)
                return refined_schema(self._program, schema, value, variant)
            case BySchema(schema=schema, refinements=refinements):
                return narrowed_schema(self, schema, refinements, variant)
            case Record():
                return self._record(value, variant)
            case Items(values=values, repeated=repeated, is_tuple=is_tuple, origin=origin):
                place = origin or NOWHERE
                if is_tuple and not repeated:
                    prefix = tuple(self.schema_of(item, variant) for item in values)
                    return Array(items=Nothing(), prefix=prefix, origin=place)
                if not values:
                    return Array(items=Nothing(), origin=place)
                return Array(items=unite(self.schema_of(v, variant) for v in values), origin=place)
            case OneOf(options=options):
                known = [option for option in options if not self._is_of_environment(option)]
                if not known or len(known) == len(options):
                    return unite(self.schema_of(option, variant) for option in options)
                # What stands beside it stands in where it is not set: `process.env.NAME ?? "x"`.
                text = Scalar(type="string")
                return unite((text, *(self.schema_of(option, variant) for option in known)))
            case LibraryResult(name=name, site=site, scope=scope):
                return self._library_result_schema(
                    value, name, variant, Origin(scope.file.path, site.span)
                )
            case LibrarySymbol(name="undefined"):
                return Nothing(nullable=False)
            case LibrarySymbol(declared_type=ByType(type=type, scope=scope)):
                return self.schema(type, scope, variant)
            case LibrarySymbol(name=name):
                return Unknown(
                    reason=Reason(
                        "value-from-library", name=readable_name(name), provider=provider(name)
                    )
                )
            case FunctionValue():
                return Unknown(reason=Reason("function-not-serialisable"))
            case ClassValue(symbol=symbol):
                return Unknown(reason=Reason("class-not-serialisable", type=symbol.decl.name))
            case ModuleValue(path=path):
                return Unknown(reason=Reason("module-not-serialisable", path=path))
            case Unresolved(reason=reason, span=span, path=path):
                return Unknown(reason=reason, origin=Origin(path, span))

    def _enum_constant(self, schema: Schema, symbol: ClassSymbol, name: str) -> Schema:
        """The shape of one constant of an enum, whose values are those of its constants in order;
        that of the enum where they are not."""
        flat = self.flat(schema)
        names = [member.name for member in symbol.decl.members if member.kind == "enum"]
        if not isinstance(flat, Scalar) or flat.values is None or len(flat.values) != len(names):
            return schema
        return replace(flat, values=(flat.values[names.index(name)],))

    def _is_of_environment(self, value: Value) -> bool:
        names = self._program.language.environments
        return isinstance(value, LibrarySymbol) and bool(names) and value.name.startswith(names)

    def _library_result_schema(
        self, made: LibraryResult, name: str, variant: str, origin: Origin
    ) -> Schema:
        type = getattr(made.site, "type", None)
        reader = self._program.language.made_schema
        described = reader(self._program, made, variant) if reader is not None else None
        if described is not None:
            return described
        if isinstance(type, NamedType):
            return self.schema(type, made.scope, variant)
        if made.declared_type is not None:
            return self.schema(made.declared_type.type, made.declared_type.scope, variant)
        return Unknown(
            reason=Reason("result-from-library", name=readable_name(name), provider=provider(name)),
            origin=origin,
        )

    def _record(self, record: Record, variant: str) -> Schema:
        fields = tuple(
            Field(
                name=entry.name,
                schema=self.schema_of(entry.value, variant),
                required=not entry.optional and is_always_there(entry.value, entry.undefined),
                evidence=entry.evidence,
                undetermined_reason=entry.doubt,
                origin=entry.origin,
            )
            for entry in record.entries
            if not is_undefined(entry.value) and not self._is_left_out(entry.value)
        )
        additional = None if record.values is None else self.schema_of(record.values, variant)
        return Object(
            fields=fields,
            additional=additional,
            incomplete_reason=record.partial,
            evidence=record.evidence,
            origin=record.origin or NOWHERE,
        )

    def _is_left_out(self, value: Value) -> bool:
        """Whether JSON leaves a value out: a function (ECMA-262, SerializeJSONProperty)."""
        return self._program.language.structural and isinstance(value, FunctionValue)

    # ------------------------------------------------------------------ references

    def resolve(self, reference: Reference) -> Schema:
        """The schema of a project class. Always the same value for the same reference."""
        known = self._resolved.get(reference.key)
        if known is not None:
            self._met += reference.key in self._unfinished
            return known
        if reference.key in self._open_aliases:
            self._met += 1
            return Unknown(reason=Reason("recursive-type"), origin=reference.origin)
        symbol, types, variant = self._pending[reference.key]
        self._resolved[reference.key] = Unknown(
            reason=Reason("recursive-definition", name=symbol.decl.name), origin=symbol.origin
        )
        scope = self._program.names.classes.class_scope(symbol, types)
        named = NamedType(name=symbol.decl.name)
        use = TypeUse(
            self._program, named, symbol.key, scope, *loaded_relations.split_variant(variant)
        )
        self._unfinished.add(reference.key)
        try:
            with self._program.evaluator.budget.count_anew():
                schema = self._program.language.class_schema(use, symbol)
        finally:
            self._unfinished.discard(reference.key)
        self._resolved[reference.key] = schema
        return schema

    def keep(self, key: str, schema: Schema) -> None:
        """Give a schema that no type of the project declares a key to refer to it by; keys begin
        with the name of the language and a colon."""
        self._resolved[key] = schema

    def symbol_of(self, reference: Reference) -> ClassSymbol | None:
        """The project class that a reference stands for; None for an alias."""
        pending = self._pending.get(reference.key)
        return None if pending is None else pending[0]

    def flat(self, schema: Schema) -> Schema:
        """The schema itself behind a reference (its nullability and its evidence kept)."""
        hops = 0
        while isinstance(schema, Reference) and hops < MAX_TYPE_DEPTH:
            target = self.resolve(schema)
            around, known = schema.evidence, schema.null_known
            reason = schema.null_reason or target.null_reason
            schema = with_nullable(target, any_of((schema.nullable, target.nullable)))
            if schema.nullable is None and reason:
                schema = replace(schema, null_reason=reason)
            if around is not None:
                schema = replace(schema, evidence=of_part(target.evidence or Evidence(), around))
            if known is not None:
                schema = replace(schema, null_known=known)
            hops += 1
        return schema

    def reference(
        self, symbol: ClassSymbol, types: Mapping[str, BoundType], variant: str, origin: Origin
    ) -> Reference:
        """A reference to a project class with its type parameters bound."""
        key = f"{self._program.language.name}:{symbol.key}"
        if symbol.decl.type_params and types:
            shown = (
                describe(self.bound_schema(bound, variant))
                for bound in (types.get(p.name) for p in symbol.decl.type_params)
                if bound is not None
            )
            key += "<" + ",".join(shown) + ">"
        if variant:
            key += "|" + variant
        if key not in self._resolved:
            self._pending.setdefault(key, (symbol, types, variant))
        return Reference(key=key, origin=origin)

    def in_variant(self, reference: Reference, change: Callable[[str], str]) -> Reference:
        """A reference to the same class in a variant that is made of its own; an alias has none."""
        pending = self._pending.get(reference.key)
        if pending is None:
            return reference
        symbol, types, variant = pending
        changed = self.reference(symbol, types, change(variant), reference.origin)
        return replace(reference, key=changed.key)

    def chain(self, symbol: ClassSymbol, scope: Scope) -> list[tuple[ClassSymbol, Scope]]:
        """The class and its project ancestors with scopes in which type parameters are bound."""
        names = self._program.names
        own = names.classes.class_scope(symbol, scope.types)
        result = [(symbol, own)]
        known: dict[str, Scope] = {symbol.key: own}
        for ancestor, types in names.classes.ancestors(symbol):
            # Arguments were bound in terms of the class that names the base: rebind them to what
            # that class's own parameters stand for here.
            bound = {}
            for name, bound_type in types.items():
                owner = bound_type.scope.owner
                inside = known.get(owner.key) if owner is not None else None
                bound[name] = replace(bound_type, scope=inside or bound_type.scope)
            inner = names.classes.class_scope(ancestor, bound)
            known[ancestor.key] = inner
            result.append((ancestor, inner))
        return result

    def bound_schema(self, bound: BoundType, variant: str) -> Schema:
        """The shape of the type that a type parameter is bound to."""
        if bound.shape is not None:
            return bound.shape
        return self.schema(bound.type, bound.scope, variant)

    def alias(self, symbol: AliasSymbol, target: BoundType, variant: str, origin: Origin) -> Schema:
        """What an alias stands for; a reference where it leads back to itself."""
        types = target.scope.types
        shown = ",".join(
            self._cached_description(self.bound_schema(bound, variant)) for bound in types.values()
        )
        key = f"{self._program.language.name}:{symbol.key}<{shown}>|{variant}"
        if key in self._resolved:
            return self._resolved[key]
        if key in self._open_aliases:
            self._recursive.add(key)
            self._met += 1
            return Reference(key=key, origin=origin)
        before = (self._met, self._program.evaluator.budget.cuts)
        self._open_aliases.add(key)
        try:
            schema = self.schema(target.type, target.scope, variant)
        finally:
            self._open_aliases.discard(key)
        if isinstance(schema, Object) and not schema.name:
            schema = replace(schema, name=symbol.alias.name)
        whole = before == (self._met, self._program.evaluator.budget.cuts)
        if key in self._recursive or (whole and not types):
            self._resolved[key] = schema
            self._texts[id(schema)] = ""
        return schema

    def _cached_description(self, schema: Schema) -> str:
        """The same as `describe`; that of an alias is computed once."""
        cached = self._texts.get(id(schema))
        if cached is None:
            return describe(schema)
        if not cached:
            cached = self._texts[id(schema)] = describe(schema)
        return cached

    def is_unknown(self, schema: Schema) -> bool:
        """Whether a shape tells nothing."""
        return says_nothing(self.flat(schema))


def is_never(field: Field) -> bool:
    """`errors: never`, `data: undefined`: a field that is never there."""
    return isinstance(field.schema, Nothing) and not field.schema.nullable


def allows_undefined(program: Program, type: TypeExpr | None, scope: Scope) -> bool:
    """Whether `undefined` is among the values of a type, names of types followed."""
    for _ in range(_MOST_NAMES):
        if not isinstance(type, NamedType):
            break
        match program.names.lookup_type(type.name, scope):
            case AliasSymbol(alias=alias) as named if not alias.type_params:
                type, scope = alias.type, program.names.classes.alias_scope(named)
            case BoundType(shape=None, type=bound, scope=inside):
                type, scope = bound, inside
            case _:
                return False
    return may_be_absent(type)


def may_be_absent(type: TypeExpr | None) -> bool:
    """Whether `undefined` is among the values of a type."""
    match type:
        case NullType(absent=absent):
            return absent
        case UnionType(options=options):
            return any(may_be_absent(option) for option in options)
        case _:
            return False


def _type_origin(type: TypeExpr, scope: Scope) -> Origin:
    return Origin(scope.file.path, type.span) if type.span != NO_SPAN else NOWHERE
