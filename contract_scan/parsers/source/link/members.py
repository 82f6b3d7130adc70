"""Properties and methods of values."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec.structs import replace

from contract_scan.ir.origin import Span
from contract_scan.ir.schema import Nothing, Object, Scalar
from contract_scan.parsers.source.facts import (
    AnnotatedType,
    Call,
    ClassDecl,
    Import,
    IntersectionType,
    Member,
    Name,
    NamedType,
    New,
    NullableType,
    NullType,
    ObjectType,
    Param,
    TupleType,
    TypeExpr,
    UnionType,
)
from contract_scan.parsers.source.link.construction import assigned_from, constructing
from contract_scan.parsers.source.link.containers import Containers
from contract_scan.parsers.source.link.told_members import told_member
from contract_scan.parsers.source.link.values import (
    AliasSymbol,
    BoundType,
    ClassSymbol,
    ClassValue,
    Constant,
    External,
    Found,
    FunctionValue,
    Instance,
    Made,
    ModuleValue,
    OneOf,
    Record,
    Scope,
    Shaped,
    Typed,
    Unresolved,
    Value,
    one_of,
)
from contract_scan.parsers.source.link.viewed import under

if TYPE_CHECKING:
    from contract_scan.parsers.source.link.program import Program

_LENGTHS = frozenset({"length", "Length", "Count", "size"})
_ANY = frozenset({"any", "unknown", "object", "Object", "typing.Any", "dynamic"})
"""Types that say nothing of a value's members."""
_FIXED = frozenset({"static", "readonly", "const", "final"})
_COLLECTIONS = frozenset({"Map", "Set", "WeakMap", "WeakSet"})
_ENUM_ACCESSORS = frozenset({"value", "name"})


class Members(Containers):
    """The level of evaluation that reads members."""

    def __init__(self, program: Program) -> None:
        super().__init__(program)
        self._open_members: set[tuple[str, str]] = set()

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
                        if not _is_nothing(o)
                    )
                    or (value,)
                )
            case ModuleValue(path=path):
                return self._module_attribute(path, name, scope, span)
            case External(name=prefix):
                known = self._known(value, name)
                return known or self._external_attribute(prefix, name, scope, value)
            case Made(name=made):
                return self._known(value, name) or External(f"{made}().{name}", value)
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
                value = self.unwrapped(value)
                member = self.member(value, name, arity)
        if member is not None:
            return self._property(value, name, member) or self._read(member, scope)
        known = self._known(value, name)
        if known is not None:
            return known
        if name in _LENGTHS:
            return Shaped(Scalar(type="integer"))
        if isinstance(value, Typed):
            qualified = self._program.evaluator.qualified(value)
            if qualified in _ANY:
                reason = f"`{name}` is read of something declared as {qualified}"
                return Unresolved(reason, span, scope.file.path)
            if qualified:
                return External(f"{qualified}.{name}", value)
        if isinstance(value, Instance):
            nested = self.class_member(ClassValue(value.symbol), name)
            if isinstance(nested, ClassValue):
                return nested  # `self.Meta`
        if isinstance(value, Instance) and self._extends_library(value.symbol):
            return External(f"{value.symbol.key}.{name}", value)
        return Unresolved(f"`{name}` is not a member that can be seen", span, scope.file.path)

    def _extends_library(self, symbol: ClassSymbol) -> bool:
        """Whether a class may have members that a library declares."""
        scope = self._program.module_scope(symbol.file)
        return any(
            isinstance(base, NamedType)
            and isinstance(self._program.names.lookup_type(base.name, scope), External)
            for base in symbol.decl.bases
        )

    def _known(self, value: Value, name: str) -> Value | None:
        """A property that the language knows of."""
        language = self._program.language
        read = language.properties.get(name)
        found = None if read is None else read(self._program, value)
        if found is None and language.attribute is not None:
            found = language.attribute(self._program, value, name)
        return found

    def _property(self, value: Value, name: str, member: Value) -> Value | None:
        """What a library's class gives instead of a field of it that is called like the property:
        `data` of a serializer. A method of the project's own stands before it."""
        read = self._program.language.properties.get(name)
        if read is None or not isinstance(value, Instance) or isinstance(member, FunctionValue):
            return None
        return read(self._program, value)

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
        # Java's packages begin with small letters, C#'s namespaces with any.
        packaged = prefix.rpartition(".")[2][:1].islower() or scope.file.language == "csharp"
        if name[:1].isupper() and packaged:
            found = self._program.names.named_in_full(longer, scope.file)
            if found is not None:
                return found
        return External(longer, value)

    def found_value(self, found: Found, name: str, span: Span, scope: Scope) -> Value:
        """A looked-up name as a value."""
        match found:
            case AliasSymbol(alias=alias, file=file):
                value = self._program.names.variable(file, alias.name)
                if value is not None:  # TypeScript: a constant may bear the name of a type
                    return value
                return self.type_value(alias.type, self._program.names.alias_scope(found), span)
            case BoundType(shape=shape) if shape is not None:
                return Shaped(shape)
            case BoundType(type=type, scope=inside):
                return self.type_value(type, inside, span)
            case _:
                return found

    def type_value(self, type: TypeExpr, scope: Scope, span: Span) -> Value:
        """A type used as a value: the class it names."""
        if isinstance(type, NamedType):
            found = self._program.names.lookup_type(type.name, scope)
            match found:
                case ClassValue(symbol=symbol):
                    bound = self._program.names.bind(symbol.decl.type_params, type, scope)
                    return ClassValue(symbol, bound)
                case AliasSymbol(alias=alias):
                    return self.type_value(alias.type, self._program.names.alias_scope(found), span)
                case BoundType(shape=shape) if shape is not None:
                    return Shaped(shape)
                case BoundType(type=inner, scope=inside):
                    return self.type_value(inner, inside, span)
                case External(name=name) if type.args:
                    return External(name, Typed(type, scope, span))
                case _:
                    return found
        return Typed(type, scope, span)

    def class_member(self, value: ClassValue, name: str) -> Value | None:
        """A static member, enum constant, nested class or (unbound) method of a class."""
        symbol = value.symbol
        names = self._program.names
        chain = [symbol, *(base for base, _ in names.ancestors(symbol))]
        for owner in (part for declared in chain for part in names.parts(declared)):
            for nested in owner.decl.classes:
                if nested.name == name:
                    outer = (*owner.outer, owner.decl.name)
                    return ClassValue(ClassSymbol(nested, owner.file, outer))
            member = _find(owner.decl, name)
            # TypeScript: a field of the instances may bear the name of a static method.
            hidden = any(m.name == name and "static" in m.modifiers for m in owner.decl.methods)
            if member is not None and not hidden:
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
        if key in self._open_members:
            self.cuts += 1
        elif member.value is not None:
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
                # Of several that computed keys were given, which has this key is not told.
                several = isinstance(values, OneOf)
                return values if values is not None and not entries and not several else None
            case Instance(view=view):
                return under(view, name, self._instance_member(value, name, arity))
            case Typed(type=type, scope=scope, view=view):
                member = under(view, name, self._typed_member(type, scope, name, arity))
                return told_member(value, name, member)
            case Shaped(schema=schema):
                flat = self._program.types.flat(schema)
                for field in flat.fields if isinstance(flat, Object) else ():
                    if field.name == name:
                        return Shaped(field.schema)
                return None
            case OneOf(options=options):
                found = [self.member(o, name, arity) for o in options if not _is_nothing(o)]
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
                    case AliasSymbol(alias=alias, file=file) as named:
                        inside = self._program.names.alias_scope(named)
                        types = self._program.names.bind(alias.type_params, type, scope)
                        inner = Scope(file=file, parent=inside, types=types)
                        return self._typed_member(alias.type, inner, name, arity)
                    case BoundType(shape=shape) if shape is not None:
                        return self.member(Shaped(shape), name, arity)
                    case BoundType(type=inner_type, scope=inside):
                        return self._typed_member(inner_type, inside, name, arity)
                    case Unresolved() | External():
                        return None
                    case _:
                        schema = self._program.types.schema(type, scope)
                        return self.member(Shaped(schema), name, arity)
            case NullableType(item=item) | AnnotatedType(item=item):
                return self._typed_member(item, scope, name, arity)
            case TupleType(items=items, names=names):
                numbered = [f"Item{position + 1}" for position in range(len(items))]
                for own, number, item in zip(names or numbered, numbered, items, strict=True):
                    if name in (own, number):
                        return Typed(item, scope, item.span)
                return None
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
            for part in self._program.names.parts(owner):
                member = _find(part.decl, name)
                if member is not None:
                    if part is not owner:
                        inside = self._program.names.class_scope(part, inside.types)
                    return self._member_value(value, part, member, inside)
        method = self._program.names.method(symbol, name, value.types)
        return replace(method, receiver=value) if method is not None else None

    def _member_value(
        self, value: Instance, owner: ClassSymbol, member: Member, inside: Scope
    ) -> Value:
        given = self._constructed(value, member)
        if given is not None and not (self._is_untold(given) and self._says_more(member, inside)):
            return given
        key = (owner.key, member.name)
        if key in self._open_members:
            self.cuts += 1
        elif member.value is not None:
            constant_like = member.type is None or "static" in member.modifiers
            self._open_members.add(key)
            try:
                initial = self.evaluate(member.value, self._place_of_value(owner, member, inside))
            finally:
                self._open_members.discard(key)
            made_here = isinstance(initial, Made | Constant | FunctionValue | External)
            if isinstance(initial, Made) and isinstance(initial.site, Call) and member.type:
                # `id: int = Field(…)`: what is declared says more than what a library made.
                made_here = self.says_nothing(member.type, inside)
            if made_here and self.made_bare(initial, member.type):
                made_here = False
            if constant_like or made_here:
                null = isinstance(initial, Constant) and initial.value is None
                if null and member.type is None and "readonly" not in member.modifiers:
                    reason = (
                        f"`{member.name}` starts as null; what it is given later is not declared"
                    )
                    return Unresolved(reason, member.span, owner.file.path)
                if not null:
                    return _beginning(initial, member, inside)
        if member.type is not None:
            return Typed(member.type, inside, member.span)
        return Unresolved(f"`{member.name}` has no declared type", member.span, owner.file.path)

    def _is_untold(self, value: Value) -> bool:
        """Whether nothing is known of a value, so that what is declared of it says more."""
        if not isinstance(value, External | Made | Unresolved):
            return False
        return self._program.types.is_unknown(self._program.types.schema_of(value))

    def _says_more(self, member: Member, inside: Scope) -> bool:
        """Whether a member declares what it holds: by its type, or as a column of a library."""
        if member.type is not None:
            return True
        if member.value is None or "constructor" in member.modifiers:
            return False
        return isinstance(self.evaluate(member.value, inside), Made)

    def made_bare(self, value: Value, declared: TypeExpr | None) -> bool:
        """`m: Map<string, Order> = new Map()`: only the declared type says what it holds."""
        if not isinstance(value, Made) or not isinstance(value.site, New):
            return False
        made = value.site.type
        return (
            value.name in _COLLECTIONS
            and isinstance(made, NamedType)
            and not made.args
            and not value.site.args
            and isinstance(declared, NamedType)
            and declared.name.removeprefix("Readonly") == value.name
        )

    def _place_of_value(self, owner: ClassSymbol, member: Member, inside: Scope) -> Scope:
        """Where the initial value of a member is written: in the constructor, or in the class."""
        if "constructor" in member.modifiers:
            for method in owner.decl.methods:
                if "constructor" in method.modifiers:
                    return self._program.function_scope(method, inside)
        return inside

    def _constructed(self, value: Instance, member: Member) -> Value | None:
        """The argument that a visible construction gives a member, where that is plain."""
        if value.site is None or value.scope is None or not value.site.args:
            return None
        positional = [a for a in value.site.args if not a.name and not a.spread]
        symbol = constructing(self._program, value.symbol)
        if symbol is None:
            return None
        assigned = assigned_from(self._program, symbol, member.name)
        for position, parameter in enumerate(self.constructor(symbol.decl)):
            for argument in value.site.args:
                if argument.name and argument.name == parameter.name == member.name:
                    return self.evaluate(argument.value, value.scope)
            fits = parameter.name == member.name or parameter.name in assigned
            if fits and position < len(positional):
                return self.evaluate(positional[position].value, value.scope)
        return None

    def constructor(self, decl: ClassDecl) -> tuple[Param, ...]:
        """The constructor's parameters in order (the fields, where there is none)."""
        for method in decl.methods:
            if "constructor" in method.modifiers or method.name == "__init__":
                return tuple(p for p in method.params if p.name not in ("self", "this"))
        primary = [m for m in decl.members if m.kind == "parameter"]
        fields = primary or [m for m in decl.members if "static" not in m.modifiers]
        return tuple(Param(name=m.name, type=m.type, span=m.span) for m in fields)


def _find(decl: ClassDecl, name: str) -> Member | None:
    for member in decl.members:
        untold = member.kind == "getter" and member.type is None  # its body is a method
        if member.name == name and member.kind != "setter" and not untold:
            return member
    return None


def _beginning(initial: Value, member: Member, inside: Scope) -> Value:
    """What a member begins with: of one that may be set to something else, its declared type says
    what is sent."""
    fixed = _FIXED.intersection(member.modifiers) or member.kind in ("constant", "enum", "getter")
    accessors = "get" in member.modifiers and not {"set", "init"}.intersection(member.modifiers)
    if fixed or accessors or member.type is None or not isinstance(initial, Constant):
        return initial
    return replace(initial, declared=Typed(member.type, inside, member.span))


def _is_nothing(value: Value) -> bool:
    """Null, None, nil or undefined: it has no members, so where one is read it is another value."""
    match value:
        case Constant(value=None) | External(name="undefined") | Shaped(schema=Nothing()):
            return True
        case _:
            return False
