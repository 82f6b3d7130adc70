"""Members of values: properties, items, what wrappers hold, what patterns take apart."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from msgspec.structs import replace

from contract_scan.ir.origin import Origin, Span
from contract_scan.ir.schema import Array, Object, Scalar, Unknown
from contract_scan.parsers.source.facts import (
    AnnotatedType,
    ArrayLiteral,
    ArrayType,
    Call,
    Cast,
    ClassDecl,
    Expr,
    Import,
    IntersectionType,
    Member,
    Name,
    NamedType,
    New,
    NullableType,
    NullType,
    ObjectLiteral,
    ObjectType,
    Param,
    Spread,
    TupleType,
    TypeExpr,
    UnionType,
)
from contract_scan.parsers.source.link.values import (
    AliasSymbol,
    BoundType,
    ClassSymbol,
    ClassValue,
    Constant,
    External,
    FunctionValue,
    Instance,
    Items,
    Made,
    ModuleValue,
    OneOf,
    Record,
    RecordEntry,
    Scope,
    Shaped,
    Typed,
    Unresolved,
    Value,
    one_of,
)

if TYPE_CHECKING:
    from contract_scan.parsers.source.link.program import Program

_LENGTHS = frozenset({"length", "Length", "Count", "size"})
_ENUM_ACCESSORS = frozenset({"value", "name"})


class Members:
    """The part of evaluation that looks inside values."""

    def __init__(self, program: Program) -> None:
        self._program = program
        self._open_members: set[tuple[str, str]] = set()

    # Evaluation proper, in `Evaluator`.
    def evaluate(self, expr: Expr, scope: Scope) -> Value:
        """What an expression means at a place."""
        raise TypeError("Members is the lower half of Evaluator")

    def apply(self, function: Value | None, args: tuple[Value, ...], scope: Scope) -> Value:
        """What calling a function value gives."""
        raise TypeError("Members is the lower half of Evaluator")

    # ------------------------------------------------------------------ attributes

    def attribute(
        self,
        value: Value,
        name: str,
        scope: Scope,
        span: Span,
        *,
        subscript: bool = False,
        arity: int | None = None,
    ) -> Value:
        """`value.name`, or `value["name"]` with `subscript`."""
        match value:
            case OneOf(options=options):
                return one_of(
                    tuple(
                        self.attribute(o, name, scope, span, subscript=subscript, arity=arity)
                        for o in options
                        if not (isinstance(o, Constant) and o.value is None)
                    )
                    or (value,)
                )
            case ModuleValue(path=path):
                return self._module_attribute(path, name, scope, span)
            case External(name=prefix):
                return self._external_attribute(prefix, name, scope, value)
            case Made(name=made):
                return External(f"{made}().{name}", value)
            case ClassValue():
                found = self.class_member(value, name)
                if found is not None:
                    return found
                return External(f"{value.symbol.key}.{name}", value)
            case Constant() if name in _ENUM_ACCESSORS:
                return value
            case Unresolved():
                return value
            case _:
                member = self.member(value, name, arity)
        if member is not None:
            return self._read(member, scope)
        if name in _LENGTHS:
            return Shaped(Scalar(type="integer"))
        if isinstance(value, Typed):
            qualified = self._program.evaluator.qualified(value)
            if qualified:
                return External(f"{qualified}.{name}", value)
        return Unresolved(f"`{name}` is not a member that can be seen", span, scope.file.path)

    def _read(self, member: Value, scope: Scope) -> Value:
        """Reading a property calls its getter."""
        if isinstance(member, FunctionValue):
            modifiers = member.function.modifiers
            if "get" in modifiers or "property" in modifiers:
                return self.apply(member, (), scope)
        return member

    def _module_attribute(self, path: str, name: str, scope: Scope, span: Span) -> Value:
        found = self._program.names.exported(path, name)
        if found is not None:
            return self._program.evaluator.found_value(found, name, span, scope)
        file = self._program.facts(path)
        entry = Import(module="." + name, name="")
        target = self._program.language.find_module(self._program.files, file.path, entry)
        if target is not None and target != path:
            return ModuleValue(target)
        return Unresolved(f"`{name}` is not declared in {path}", span, scope.file.path)

    def _external_attribute(self, prefix: str, name: str, scope: Scope, value: Value) -> Value:
        longer = f"{prefix}.{name}"
        for entry in scope.file.imports:
            if not entry.name and (entry.module == longer or entry.module.startswith(longer + ".")):
                # Python's `import a.b` makes `a.b` reachable.
                target = self._program.language.find_module(
                    self._program.files, scope.file.path, Import(module=longer)
                )
                if target is not None:
                    return ModuleValue(target)
        return External(longer, value)

    def class_member(self, value: ClassValue, name: str) -> Value | None:
        """A static member, enum constant, nested class or (unbound) method of a class."""
        symbol = value.symbol
        chain = [symbol, *(base for base, _ in self._program.names.ancestors(symbol))]
        for owner in chain:
            for nested in owner.decl.classes:
                if nested.name == name:
                    outer = (*owner.outer, owner.decl.name)
                    return ClassValue(ClassSymbol(nested, owner.file, outer))
            member = _find(owner.decl, name)
            if member is not None:
                return self._static_value(owner, member)
        method = self._program.names.method(symbol, name, value.types)
        if method is not None:
            return replace(method, receiver=Instance(symbol, value.types))
        return None

    def _static_value(self, owner: ClassSymbol, member: Member) -> Value:
        scope = self._program.names.class_scope(owner, {})
        key = (owner.key, member.name)
        if member.kind == "enum":
            if member.value is not None:
                constant = self.evaluate(member.value, scope)
                if isinstance(constant, Constant) and owner.file.language != "csharp":
                    return constant
            callee = Name(id=owner.decl.name, span=member.span)
            site = Call(callee=callee, args=member.args, span=member.span)
            return Instance(owner, {}, site, scope)
        if member.value is not None and key not in self._open_members:
            self._open_members.add(key)
            try:
                value = self.evaluate(member.value, scope)
            finally:
                self._open_members.discard(key)
            if not isinstance(value, Unresolved) or member.type is None:
                return value
        if member.type is not None:
            return Typed(member.type, scope, member.span)
        return Unresolved(f"`{member.name}` has no value", member.span, owner.file.path)

    def member(self, value: Value, name: str, arity: int | None = None) -> Value | None:
        """A property or method of a value; None when the value is not known to have it."""
        match value:
            case Record(entries=entries, values=values):
                for entry in entries:
                    if entry.name == name:
                        return entry.value
                return values if values is not None and not entries else None
            case Instance():
                return self._instance_member(value, name, arity)
            case Typed(type=type, scope=scope):
                return self._typed_member(type, scope, name, arity)
            case Shaped(schema=schema):
                flat = self._program.types.flat(schema)
                for field in flat.fields if isinstance(flat, Object) else ():
                    if field.name == name:
                        return Shaped(field.schema)
                return None
            case OneOf(options=options):
                found = [self.member(option, name, arity) for option in options]
                known = tuple(f for f in found if f is not None)
                return one_of(known) if known else None
            case ClassValue():
                return self.class_member(value, name)
            case _:
                return None

    def _typed_member(
        self, type: TypeExpr, scope: Scope, name: str, arity: int | None
    ) -> Value | None:
        match type:
            case NamedType():
                found = self._program.names.lookup_type(type.name, scope)
                match found:
                    case ClassValue(symbol=symbol):
                        bound = self._program.names.bind(symbol.decl.type_params, type, scope)
                        return self._instance_member(Instance(symbol, bound), name, arity)
                    case AliasSymbol(alias=alias, file=file):
                        inside = self._program.module_scope(file)
                        types = self._program.names.bind(alias.type_params, type, scope)
                        inner = Scope(file=file, parent=inside, types=types)
                        return self._typed_member(alias.type, inner, name, arity)
                    case BoundType(type=inner_type, scope=inside):
                        return self._typed_member(inner_type, inside, name, arity)
                    case Unresolved() | External():
                        return None
                    case _:
                        schema = self._program.types.schema(type, scope)
                        return self.member(Shaped(schema), name, arity)
            case NullableType(item=item) | AnnotatedType(item=item):
                return self._typed_member(item, scope, name, arity)
            case UnionType(options=options) | IntersectionType(options=options):
                found_in = [
                    self._typed_member(o, scope, name, arity)
                    for o in options
                    if not isinstance(o, NullType)
                ]
                known = tuple(f for f in found_in if f is not None)
                return one_of(known) if known else None
            case ObjectType(members=members):
                for member in members:
                    if member.name == name and member.type is not None:
                        return Typed(member.type, scope, member.span)
                return None
            case _:
                schema = self._program.types.schema(type, scope)
                if isinstance(schema, Object):
                    return self.member(Shaped(schema), name, arity)
                return None

    def _instance_member(self, value: Instance, name: str, arity: int | None) -> Value | None:
        symbol = value.symbol
        if arity is not None:
            method = self._program.names.method(symbol, name, value.types, arity)
            if method is not None:
                return replace(method, receiver=value)
        outside = self._program.names.class_scope(symbol, value.types)
        for owner, inside in self._program.types.chain(symbol, outside):
            member = _find(owner.decl, name)
            if member is not None:
                return self._member_value(value, owner, member, inside)
        method = self._program.names.method(symbol, name, value.types)
        return replace(method, receiver=value) if method is not None else None

    def _member_value(
        self, value: Instance, owner: ClassSymbol, member: Member, inside: Scope
    ) -> Value:
        given = self._constructed(value, member)
        if given is not None:
            return given
        key = (owner.key, member.name)
        if member.value is not None and key not in self._open_members:
            constant_like = member.type is None or "static" in member.modifiers
            self._open_members.add(key)
            try:
                initial = self.evaluate(member.value, inside)
            finally:
                self._open_members.discard(key)
            made_here = isinstance(initial, Made | Constant | FunctionValue | External)
            if constant_like or made_here:
                null = isinstance(initial, Constant) and initial.value is None
                if not (null and member.type is not None):
                    return initial
        if member.type is not None:
            return Typed(member.type, inside, member.span)
        return Unresolved(f"`{member.name}` has no declared type", member.span, owner.file.path)

    def _constructed(self, value: Instance, member: Member) -> Value | None:
        """The argument that a visible construction gives a member, where that is plain."""
        if value.site is None or value.scope is None or not value.site.args:
            return None
        parameters = self.constructor_parameters(value.symbol.decl)
        positional = [a for a in value.site.args if not a.name and not a.spread]
        for position, parameter in enumerate(parameters):
            for argument in value.site.args:
                if argument.name and argument.name == parameter == member.name:
                    return self.evaluate(argument.value, value.scope)
            if parameter == member.name and position < len(positional):
                return self.evaluate(positional[position].value, value.scope)
        return None

    def constructor_parameters(self, decl: ClassDecl) -> list[str]:
        """Names of the constructor's parameters in order (of the fields, where there is none)."""
        for method in decl.methods:
            if "constructor" in method.modifiers or method.name == "__init__":
                return [p.name for p in method.params if p.name not in ("self", "this")]
        parameters = [m.name for m in decl.members if m.kind == "parameter"]
        return parameters or [m.name for m in decl.members if "static" not in m.modifiers]

    # ------------------------------------------------------------------ items and wrappers

    def item(self, value: Value | None) -> Value:
        """An item of a list, set, stream or other container."""
        match value:
            case None:
                return Unresolved("there is no list here")
            case Items(values=values):
                return one_of(values) if values else Unresolved("the list is empty here")
            case Typed(type=type, scope=scope):
                return self._typed_item(type, scope)
            case OneOf(options=options):
                return one_of(tuple(self.item(option) for option in options))
            case Shaped(schema=schema):
                flat = self._program.types.flat(schema)
                if isinstance(flat, Array):
                    return Shaped(flat.items)
                return Unresolved("the items of this value are not known")
            case Record(values=values) if values is not None:
                return values
            case Unresolved():
                return value
            case Made(name=name):
                return Unresolved(f"the items that `{name}` gives come from a library")
            case External(name=name):
                return Unresolved(f"the items of `{name}` come from a library")
            case _:
                return Unresolved("the items of this value are not known")

    def _typed_item(self, type: TypeExpr, scope: Scope) -> Value:
        unwrapped = self.unwrapped(Typed(type, scope))
        if isinstance(unwrapped, Typed):
            type, scope = unwrapped.type, unwrapped.scope
        match type:
            case ArrayType(item=item):
                return Typed(item, scope, item.span)
            case NamedType(args=args):
                position = self._library_index(type, scope, self._program.language.containers)
                if position is not None and position < len(args):
                    return Typed(args[position], scope, args[position].span)
                found = self._program.names.lookup_type(type.name, scope)
                if isinstance(found, AliasSymbol):
                    inside = self._program.module_scope(found.file)
                    bound = self._program.names.bind(found.alias.type_params, type, scope)
                    inner = Scope(file=found.file, parent=inside, types=bound)
                    return self._typed_item(found.alias.type, inner)
                if isinstance(found, BoundType):
                    return self._typed_item(found.type, found.scope)
            case TupleType(items=items) if items:
                return one_of(tuple(Typed(item, scope, item.span) for item in items))
            case NullableType(item=item):
                return self._typed_item(item, scope)
            case UnionType(options=options):
                left = tuple(o for o in options if not isinstance(o, NullType))
                return one_of(tuple(self._typed_item(option, scope) for option in left))
            case _:
                pass
        schema = self._program.types.flat(self._program.types.schema(type, scope))
        if isinstance(schema, Array):
            return Shaped(schema.items)
        return Unresolved("the items of this value are not known", type.span, scope.file.path)

    def unwrapped(self, value: Value | None) -> Value:
        """The value inside promises, tasks, optionals and the like; other values as they are."""
        if value is None:
            return Unresolved("there is no value here")
        if not isinstance(value, Typed):
            return value
        type, scope = value.type, value.scope
        for _ in range(8):
            if not isinstance(type, NamedType):
                break
            position = self._library_index(type, scope, self._program.language.transparent)
            if position is not None and position < len(type.args):
                type = type.args[position]
                continue
            found = self._program.names.lookup_type(type.name, scope)
            if isinstance(found, BoundType):
                type, scope = found.type, found.scope
                continue
            break
        return Typed(type, scope, value.span)

    def _library_index(self, type: NamedType, scope: Scope, table: Mapping[str, int]) -> int | None:
        simple = type.name.rsplit(".", 1)[-1]
        found = self._program.names.lookup_type(type.name, scope)
        if not isinstance(found, External):
            return None
        position = table.get(found.name)
        return position if position is not None else table.get(simple)

    def entries_of(self, value: Value) -> tuple[tuple[RecordEntry, ...], str]:
        """Entries that spreading a value gives, and why there may be more (empty: these are
        all)."""
        match value:
            case Record(entries=entries, partial=partial, values=values):
                if values is not None and not partial:
                    partial = "some keys are computed"
                return entries, partial
            case Constant():
                return (), ""  # `...(condition && x)`: spreading false or null adds nothing
            case OneOf(options=options):
                return self._joined_entries([self.entries_of(o) for o in options])
            case Unresolved(reason=reason):
                return (), reason
            case _:
                schema = self._program.types.flat(self._program.types.schema_of(value))
                if isinstance(schema, Unknown):
                    return (), schema.reason
                if isinstance(schema, Scalar) and schema.type == "boolean":
                    return (), ""
                if not isinstance(schema, Object):
                    return (), "what is spread here is not an object that can be seen"
                entries = tuple(
                    RecordEntry(f.name, Shaped(f.schema), f.origin, f.required is not True)
                    for f in schema.fields
                )
                return entries, schema.partial

    def _joined_entries(
        self, sides: list[tuple[tuple[RecordEntry, ...], str]]
    ) -> tuple[tuple[RecordEntry, ...], str]:
        partial = next((why for _, why in sides if why), "")
        joined: dict[str, RecordEntry] = {}
        for entries, _ in sides:
            for entry in entries:
                known = joined.get(entry.name)
                value = entry.value if known is None else one_of((known.value, entry.value))
                optional = entry.optional or (known is not None and known.optional)
                joined[entry.name] = replace(entry, value=value, optional=optional)
        result = []
        for entry in joined.values():
            everywhere = all(any(e.name == entry.name for e in entries) for entries, _ in sides)
            result.append(entry if everywhere else replace(entry, optional=True))
        return tuple(result), partial

    def merged_records(self, values: list[Value], origin: Origin) -> Value:
        """Records laid over each other, later ones winning (`a | b`, `Object.assign`)."""
        known: dict[str, RecordEntry] = {}
        partial = ""
        for value in values:
            entries, why = self.entries_of(value)
            partial = partial or why
            for entry in entries:
                previous = known.get(entry.name)
                if entry.optional and previous is not None:
                    both = one_of((previous.value, entry.value))
                    entry = replace(previous, value=both)
                known[entry.name] = entry
        return Record(tuple(known.values()), partial, None, origin)

    def is_map(self, made: Made) -> bool:
        """Whether a library object is a map that keys are put into."""
        schema = self._made_shape(made)
        return isinstance(schema, Object) and not schema.fields

    def is_list(self, made: Made) -> bool:
        """Whether a library object is a list that items are added to."""
        return isinstance(self._made_shape(made), Array)

    def _made_shape(self, made: Made) -> object:
        if isinstance(made.site, New) and made.site.type is not None:
            return self._program.types.schema(made.site.type, made.scope)
        return None

    def says_nothing(self, type: TypeExpr, scope: Scope) -> bool:
        """Whether a declared type tells nothing about the shape of its values."""
        schema = self._program.types.schema(type, scope)
        return self._program.types.is_unknown(schema)

    # ------------------------------------------------------------------ patterns

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
                        rest = Items((self.item(value),), repeated=True)
                        bound.update(self.pattern_bindings(item.value, rest, scope))
                    else:
                        part = self._position(value, position)
                        bound.update(self.pattern_bindings(item, part, scope))
                return bound
            case ObjectLiteral(entries=entries):
                return self._object_pattern(pattern, value, scope) if entries else {}
            case _:
                return {}

    def _position(self, value: Value, position: int) -> Value:
        if isinstance(value, Items) and not value.repeated and position < len(value.values):
            return value.values[position]
        inner = self.unwrapped(value)
        if not isinstance(inner, Typed) or not isinstance(inner.type, TupleType):
            return self.item(value)
        items = inner.type.items
        return Typed(items[position], inner.scope) if position < len(items) else self.item(value)

    def _object_pattern(
        self, pattern: ObjectLiteral, value: Value, scope: Scope
    ) -> dict[str, Value]:
        bound: dict[str, Value] = {}
        taken: set[str] = set()
        for entry in pattern.entries:
            if entry.spread:
                entries, why = self.entries_of(value)
                rest = Record(tuple(e for e in entries if e.name not in taken), why)
                bound.update(self.pattern_bindings(entry.value, rest, scope))
                continue
            if entry.key is None:
                continue
            taken.add(entry.key)
            part = self.attribute(value, entry.key, scope, entry.span)
            bound.update(self.pattern_bindings(entry.value, part, scope))
        return bound

    # ------------------------------------------------------------------ generics, interfaces

    def inferred_types(
        self, callee: FunctionValue, expr: Call, scope: Scope, known: Mapping[str, BoundType]
    ) -> dict[str, BoundType]:
        """Type parameters that the arguments of a call fix."""
        names = {p.name for p in callee.function.type_params} - set(known)
        return self.fixed_types(names, callee.function.params, expr, scope) if names else {}

    def fixed_types(
        self, names: set[str], params: tuple[Param, ...], expr: Call | New, scope: Scope
    ) -> dict[str, BoundType]:
        """Type parameters among `names` that arguments fix: `f(x: T)` called with a typed value."""
        found: dict[str, BoundType] = {}
        positional = [a for a in expr.args if not a.name and not a.spread]
        for parameter, argument in zip(params, positional, strict=False):
            declared = parameter.type
            if declared is None:
                continue
            value = self.unwrapped(self.evaluate(argument.value, scope))
            while isinstance(declared, ArrayType) or (
                isinstance(declared, NamedType) and len(declared.args) == 1
            ):
                declared = declared.item if isinstance(declared, ArrayType) else declared.args[0]
                value = self.item(value)
            if isinstance(declared, NamedType) and declared.name in names:
                bound = self.bound_type(value)
                if bound is not None:
                    found[declared.name] = bound
        return found

    def bound_type(self, value: Value) -> BoundType | None:
        """The type of a value, where it has a name."""
        match value:
            case Typed(type=type, scope=scope):
                return BoundType(type, scope)
            case Instance(symbol=symbol):
                scope = self._program.names.class_scope(symbol, {})
                return BoundType(NamedType(name=symbol.decl.name), scope)
            case _:
                return None

    def only_implementation(self, callee: FunctionValue) -> FunctionValue | None:
        """The one project method that implements an interface's or abstract method."""
        owner = callee.owner
        abstract = "abstract" in callee.function.modifiers
        if owner is None or not (owner.decl.kind == "interface" or abstract):
            return None
        found = []
        for candidate in self._program.names.implementations(owner):
            method = self._program.names.method(candidate, callee.function.name, {})
            if method is not None and method.owner is not None and method.owner.key != owner.key:
                found.append(method)
        return found[0] if len(found) == 1 else None

    def enum_text(self, value: Instance) -> str | None:
        """The text of an enum constant that has one string of its own."""
        if value.site is None or value.scope is None or value.symbol.decl.kind != "enum":
            return None
        texts = [
            self._program.evaluator.text(self.evaluate(a.value, value.scope))
            for a in value.site.args
        ]
        known = [text for text in texts if text is not None]
        return known[0] if len(known) == 1 else None


def _find(decl: ClassDecl, name: str) -> Member | None:
    for member in decl.members:
        if member.name == name and member.kind != "setter":
            return member
    return None
