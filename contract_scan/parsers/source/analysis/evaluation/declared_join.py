"""Values seen together with the types that they are declared to be of."""

from __future__ import annotations

from functools import partial

from msgspec import Struct
from msgspec.structs import replace

from contract_scan.ir.schema import Nothing, Reference, Scalar, Union
from contract_scan.parsers.source.analysis.domain.values import (
    AliasSymbol,
    AssignedMember,
    BySchema,
    ByType,
    Constant,
    FunctionValue,
    Instance,
    Items,
    LibraryResult,
    LibrarySymbol,
    OneOf,
    Record,
    RecordEntry,
    Scope,
    Template,
    Unresolved,
    Value,
    is_undefined,
    is_untyped,
    union_of,
)
from contract_scan.parsers.source.analysis.evaluation.containers import Containers
from contract_scan.parsers.source.analysis.evaluation.context import Context
from contract_scan.parsers.source.analysis.evaluation.members import Members
from contract_scan.parsers.source.analysis.evaluation.nullness import Nulls
from contract_scan.parsers.source.analysis.typing.loaded_values import loaded_as
from contract_scan.parsers.source.facts.nodes import (
    CAUGHT,
    FunctionType,
    NamedType,
    TupleType,
    TypeExpr,
)


class _FunctionTyped(Struct, frozen=True):
    type: FunctionType
    scope: Scope


class DeclaredJoin:
    """The part of the evaluator that completes what is seen by what is declared."""

    def __init__(
        self, context: Context, nulls: Nulls, containers: Containers, members: Members
    ) -> None:
        self._program = context.program
        self._nulls = nulls
        self._containers = containers
        self._members = members

    def with_declared_parts(self, seen: Items, typed: ByType) -> Items:
        """A tuple that a body gives, with the declared types of parts of which nothing is known."""
        types, declared = self._program.types, self._containers.unwrap(typed)
        if not isinstance(declared, ByType) or not isinstance(declared.type, TupleType):
            return seen
        if len(declared.type.items) != len(seen.values):
            return seen
        parts = zip(seen.values, declared.type.items, strict=True)
        named = ((value, ByType(type, declared.scope, type.span)) for value, type in parts)
        return replace(
            seen,
            values=tuple(
                part
                if isinstance(value, LibraryResult | Unresolved)
                and types.is_unknown(types.schema_of(value))
                and not types.is_unknown(types.schema_of(part))
                else value
                for value, part in named
            ),
        )

    def join_with_declared(self, value: Value, typed: ByType) -> Value:
        """A value that is declared to be of a type: an object literal is what is written there,
        and what is undetermined of it is as the type says. Anything else is as the type says."""
        match value:
            case OneOf(options=options):
                # An empty list says nothing of the items of others, nor does the type then.
                told = [o for o in options if not isinstance(o, Items) or o.values] or options
                return union_of(tuple(self._fitted_value(option, typed) for option in told))
            case Record(partial="", values=None):
                return replace(
                    value, entries=tuple(self._fitted_entry(e, typed) for e in value.entries)
                )
            case Constant(value=None) | BySchema(schema=Nothing()):
                return value
            case Items(values=values, is_tuple=False) if values:
                types = self._types_of_items(typed, len(values))
                if types is None and self._is_scalar(typed):
                    return value  # by way of `any`, else a compiler would refuse it
                if types is None or (value.repeated and isinstance(typed.type, TupleType)):
                    return typed
                pairs = zip(values, types, strict=True)
                return replace(value, values=tuple(self._fitted_value(*pair) for pair in pairs))
            case Instance(symbol=symbol, scope=Scope()) if (
                symbol is self._program.names.declared_class(typed.type, typed.scope)
            ):
                return value
            case ByType() if self._is_option_of(value, typed):
                return value
            case _:
                loaded = loaded_as(self._program.types, value, typed)
                return loaded or self.as_assigned(typed, value)

    def _is_option_of(self, value: ByType, typed: ByType) -> bool:
        """Whether a value is of one of the types that a declared one is either of."""
        types = self._program.types
        own, whole = types.schema_of(value), types.flat(types.schema_of(typed))
        options = whole.options if isinstance(whole, Union) else ()
        return isinstance(own, Reference) and any(
            isinstance(option, Reference) and option.key == own.key for option in options
        )

    def declared_result(self, callee: ByType) -> ByType | None:
        """What a function gives of which just the type is known: `find: (id: string) => Order`;
        None where the type does not say it."""
        typed = self._function_type(callee)
        if typed is None or typed.type.returns is None or self._leaves_result_open(callee):
            return None
        return ByType(typed.type.returns, typed.scope)

    def _is_scalar(self, typed: ByType) -> bool:
        types = self._program.types
        return isinstance(types.flat(types.schema_of(typed)), Scalar)

    def as_assigned(self, typed: ByType, value: Value) -> ByType:
        """A declared type with the members that code has set on the value: what an object literal
        sets after it has spread what is undetermined, too."""
        typed = self._containers.as_assigned(typed, value)
        if not isinstance(value, Record):
            return typed
        fitted = (self._fitted_entry(e, typed) for e in value.entries if e.is_replacement)
        last = (
            AssignedMember(entry.name, partial(getattr, entry, "value"))
            for entry in fitted
            if not entry.optional and entry.undefined is False
        )
        return replace(typed, assigned=(*typed.assigned, *last))

    def _types_of_items(self, typed: ByType, count: int) -> tuple[ByType, ...] | None:
        """What the items of a list or tuple are declared to be of; None where no type says it."""
        if isinstance(typed.type, TupleType):
            items = typed.type.items
            each = tuple(replace(typed, type=item) for item in items)
            return each if len(items) == count else None
        item = self._containers.item(typed)
        return (item,) * count if isinstance(item, ByType) else None

    def _fitted_value(self, value: Value, typed: ByType) -> Value:
        """One of several values that are declared to be of a type: constants, and objects that are
        made of its very class, tell more than it."""
        is_told = self.is_made_as_declared(value, typed.type, typed.scope)
        told = is_told or isinstance(value, Constant)
        return value if told else self.join_with_declared(value, typed)

    def is_made_as_declared(self, value: Value, declared: TypeExpr, scope: Scope) -> bool:
        """Whether a value is constructed where it stands, of the very class that is declared, be it
        of what an `Optional` or a promise holds."""
        if not isinstance(value, Instance) or value.site is None:
            return False
        held = self._containers.unwrap(ByType(declared, scope))
        inner = held if isinstance(held, ByType) else ByType(declared, scope)
        found = self._program.names.declared_class(inner.type, inner.scope)
        is_same = found is not None and found.key == value.symbol.key
        return is_same and not value.symbol.decl.type_params

    def _fitted_entry(self, entry: RecordEntry, typed: ByType) -> RecordEntry:
        if entry.is_replacement and is_untyped(entry.value):
            return entry
        schema = self._program.types.schema_of(entry.value)
        declared = self._members.member(typed, entry.name)
        if declared is None:
            return entry
        missing = self._containers.absences.is_possibly_missing(typed, entry.name)
        if entry.undefined is not False and missing is False:
            entry = replace(entry, undefined=False)  # the compiler has seen that it is there
        if self._program.types.is_unknown(schema):
            if isinstance(entry.value, LibraryResult | FunctionValue) and self._of_library(
                declared
            ):
                return entry  # a router, a handler: its type says no more than what stands there
            if isinstance(entry.value, FunctionValue) and self._leaves_result_open(declared):
                return entry  # `run: () => Promise<T>`: what it gives, its statements say
            if isinstance(entry.value, LibraryResult) and self._says_nothing(declared):
                return entry  # a client behind an interface of the project's own
            told = _caught_as(entry.value, declared)
            if not self._program.types.is_unknown(self._program.types.schema_of(told)):
                return replace(entry, value=told)
            declared = self._containers.as_assigned(declared, entry.value)
            return replace(entry, value=union_of((declared, *_undefined_options(entry.value))))
        value = entry.value
        if _is_empty_here(value, entry):
            return entry  # what the items of `rows: []` may be says nothing of those of others
        if self._program.types.schema_of(declared).nullable is not True:
            # A value of a library may be null; one of this type is not, says who wrote the type.
            # Nor is it `undefined`, but where the type lets the member be left out.
            absent = () if missing is False else _undefined_options(value)
            value = union_of((self._nulls.without_null(value), *absent))
        if isinstance(value, Record | Items | OneOf) and isinstance(declared, ByType):
            value = self._fitted_to_member(value, declared)
        return replace(entry, value=value)

    def _fitted_to_member(self, value: Value, declared: ByType) -> Value:
        """A value that is fitted to the type of a member; one that is never null is not made null
        by a type that allows it: `label: stored ?? undefined` of `label?: string | null`."""
        options = value.options if isinstance(value, OneOf) else ()
        fitted = self.join_with_declared(value, declared)
        given = [option for option in options if not is_undefined(option)]
        if not given or not all(self._is_never_null(option) for option in given):
            return fitted
        return union_of((self._nulls.without_null(fitted), *_undefined_options(value)))

    def _is_never_null(self, value: Value) -> bool:
        if not isinstance(value, ByType | BySchema | Constant | Template):
            return False
        types = self._program.types
        return types.flat(types.schema_of(value)).nullable is False

    def _says_nothing(self, declared: Value) -> bool:
        """Whether the type of a member says nothing of values: an interface of methods alone."""
        types = self._program.types
        return types.is_unknown(types.schema_of(declared))

    def _leaves_result_open(self, declared: Value) -> bool:
        """Whether a value is declared as a function of which no type says what it gives."""
        typed = self._function_type(declared)
        if typed is None:
            return False
        returns = typed.type.returns
        return returns is None or self._containers.says_nothing(returns, typed.scope)

    def _function_type(self, declared: Value) -> _FunctionTyped | None:
        """The type of a function that a value is declared to be, behind an alias too."""
        inner = self._nulls.without_null(declared)
        if not isinstance(inner, ByType):
            return None
        type, scope = inner.type, inner.scope
        if isinstance(type, NamedType):
            found = self._program.names.lookup_type(type.name, scope)
            if isinstance(found, AliasSymbol):
                inside = self._program.names.classes.scope_in_alias(found, type, scope)
                type, scope = found.alias.type, inside
        return _FunctionTyped(type, scope) if isinstance(type, FunctionType) else None

    def _of_library(self, declared: Value) -> bool:
        """Whether a value is declared to be of one type that a library has."""
        typed = self._nulls.without_null(declared)
        if not isinstance(typed, ByType) or not isinstance(typed.type, NamedType):
            return False
        found = self._program.names.lookup_type(typed.type.name, typed.scope)
        if isinstance(found, AliasSymbol) and isinstance(found.alias.type, NamedType):
            inside = self._program.names.classes.alias_scope(found)
            found = self._program.names.lookup_type(found.alias.type.name, inside)
        return isinstance(found, LibrarySymbol) and "." in found.name  # `boolean` is no library's


def _caught_as(value: Value, declared: Value) -> Value:
    """A value whose parts that were caught are of the declared type: they are an error's still."""
    if isinstance(value, OneOf):
        return union_of(tuple(_caught_as(option, declared) for option in value.options))
    is_caught = isinstance(value, LibrarySymbol) and value.name.startswith(f"{CAUGHT}.")
    if is_caught and isinstance(declared, ByType):
        return replace(value, declared_type=declared)
    return value


def _undefined_options(value: Value) -> tuple[Value, ...]:
    options = value.options if isinstance(value, OneOf) else ()
    return tuple(option for option in options if is_undefined(option))


def _is_empty_here(value: Value, entry: RecordEntry) -> bool:
    """Whether an entry is written out as an empty list."""
    if not isinstance(value, Items) or value.values or value.origin is None:
        return False
    listed, whole = value.origin.span, entry.origin.span
    starts = (whole.line, whole.column) <= (listed.line, listed.column)
    ends = (listed.end_line, listed.end_column) <= (whole.end_line, whole.end_column)
    return value.origin.path == entry.origin.path and starts and ends
