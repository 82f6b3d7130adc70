"""Members of values: fields, properties and methods, and what they hold."""

from __future__ import annotations

from msgspec.structs import replace

from contract_scan.ir.reasons import NO_REASON, Reason
from contract_scan.ir.schema import Object
from contract_scan.parsers.source.analysis.dataflow.constructor_parameters import (
    assigned_from,
    class_with_constructor,
    constructor_parameters,
    has_constructor,
    is_only_read,
    sets_member,
)
from contract_scan.parsers.source.analysis.domain.schemas import is_same_shape
from contract_scan.parsers.source.analysis.domain.values import (
    NOT_NULL,
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
    OneOf,
    Record,
    Scope,
    Template,
    Unresolved,
    Value,
    as_checked,
    is_null,
    union_of,
)
from contract_scan.parsers.source.analysis.evaluation.base_constructors import handed_to_base
from contract_scan.parsers.source.analysis.evaluation.containers import Containers
from contract_scan.parsers.source.analysis.evaluation.context import Context
from contract_scan.parsers.source.analysis.evaluation.nullness import Nulls
from contract_scan.parsers.source.analysis.syntax.null_checks import property_of
from contract_scan.parsers.source.analysis.typing.assigned_members import (
    given_later,
    initializer_value,
    instance_member,
    may_be_told,
    told_component,
)
from contract_scan.parsers.source.analysis.typing.constructions import member_as_made
from contract_scan.parsers.source.analysis.typing.loaded_values import member_with_view
from contract_scan.parsers.source.analysis.typing.member_narrowing import (
    refinements_of_member,
    says_not_null,
)
from contract_scan.parsers.source.analysis.typing.value_types import (
    instance_of_type,
    mapped_member,
)
from contract_scan.parsers.source.facts.nodes import (
    AnnotatedType,
    Attribute,
    Call,
    ClassDecl,
    Expr,
    FunctionType,
    IntersectionType,
    Lambda,
    MappedType,
    Member,
    Name,
    NamedType,
    New,
    NullableType,
    NullType,
    ObjectType,
    Param,
    Return,
    TupleType,
    TypeExpr,
    UnionType,
)

_FIXED = frozenset({"static", "readonly", "const", "final"})
_GETS = frozenset({"get", "property"})
"""Modifiers of methods that are read as members are."""
_HANDED_UP = ("typescript", "python")
"""Languages whose constructors are followed to those of the classes above, and whose classes may
begin a member with another value than those above."""
_MADE = (LibraryResult, Constant, FunctionValue, LibrarySymbol)
_COLLECTIONS = frozenset({"Map", "Set", "WeakMap", "WeakSet"})


class Members:
    """The part of the evaluator that finds members."""

    def __init__(self, context: Context, nulls: Nulls, containers: Containers) -> None:
        self._program = context.program
        self._budget = context.budget
        self._evaluate = context.evaluate
        self._nulls = nulls
        self._containers = containers
        self._open_members: set[tuple[str, str]] = set()
        self._handed_values: dict[tuple[str, str, str], Value | None] = {}

    def class_member(self, value: ClassValue, name: str) -> Value | None:
        """A static member, enum constant, nested class or (unbound) method of a class."""
        symbol = value.symbol
        names = self._program.names
        chain = [symbol, *(base for base, _ in names.classes.ancestors(symbol))]
        for owner in (part for declared in chain for part in names.classes.parts(declared)):
            for nested in owner.decl.classes:
                if nested.name == name:
                    outer = (*owner.outer, owner.decl.name)
                    return ClassValue(ClassSymbol(nested, owner.file, outer))
            member = _find(owner.decl, name)
            # TypeScript: a field of the instances may bear the name of a static method.
            hidden = any(m.name == name and "static" in m.modifiers for m in owner.decl.methods)
            if member is not None and not hidden:
                return self._static_value(owner, member)
        method = self._program.names.classes.method(symbol, name, value.types)
        if method is not None:
            return replace(method, receiver=Instance(symbol, value.types))
        return None

    def _static_value(self, owner: ClassSymbol, member: Member) -> Value:
        scope = self._program.names.classes.class_scope(owner, {})
        key = (owner.key, member.name)
        if member.kind == "enum":
            if member.value is not None:
                constant = self._evaluate(member.value, scope)
                if isinstance(constant, Constant) and owner.file.language != "csharp":
                    return constant
            callee = Name(id=owner.decl.name, span=member.span)
            site = Call(callee=callee, args=member.args, span=member.span)
            return Instance(owner, {}, site, scope, constant=member.name)
        if key in self._open_members:
            self._budget.cuts += 1
        elif member.value is not None:
            self._open_members.add(key)
            try:
                value = self._evaluate(member.value, scope)
            finally:
                self._open_members.discard(key)
            if not isinstance(value, Unresolved) or member.type is None:
                return value
        if member.type is not None:
            return ByType(member.type, scope, member.span)
        return Unresolved(
            Reason("member-unassigned", member=member.name), member.span, owner.file.path
        )

    def member(self, value: Value, name: str, arity: int | None = None) -> Value | None:
        """A property or method of a value; None when the value is not known to have it."""
        if arity is None and (given := member_as_made(self._program, value, name)) is not None:
            return given
        match value:
            case Record(entries=entries, values=values):
                for entry in entries:
                    if entry.name == name:
                        return entry.value
                # Of several that computed keys were given, which has this key is undetermined.
                several = isinstance(values, OneOf)
                return values if values is not None and not entries and not several else None
            case Instance(view=view):
                member = member_with_view(view, name, self._instance_member(value, name, arity))
                return self._refined_member(value, name, member)
            case ByType(type=type, scope=scope, view=view):
                member = member_with_view(view, name, self._typed_member(type, scope, name, arity))
                member = self._as_kept(value, name, as_checked(member, value))
                return self._refined_member(value, name, member)
            case BySchema(schema=schema):
                flat = self._program.types.flat(schema)
                for field in flat.fields if isinstance(flat, Object) else ():
                    if field.name == name:
                        part = BySchema(field.schema, keeps_shape=value.keeps_shape)
                        return self._refined_member(value, name, part)
                return None
            case OneOf(options=options):
                # Null has no members: where one is read, it is another value.
                found = [self.member(o, name, arity) for o in options if not is_null(o)]
                known = tuple(f for f in found if f is not None)
                return union_of(known) if known else None
            case ClassValue():
                return self.class_member(value, name)
            case _:
                return None

    def _refined_member(
        self, value: ByType | Instance | BySchema, name: str, member: Value | None
    ) -> Value | None:
        """A member of a value, with what tests have said of that."""
        told = refinements_of_member(value, name) if value.refinements else ()
        if not told or member is None:
            return member
        if says_not_null(told):
            member = self._nulls.without_null(member)
        if isinstance(member, ByType | Instance | BySchema):
            return replace(member, refinements=(*member.refinements, *told))
        return member

    def _as_kept(self, value: ByType, name: str, member: Value | None) -> Value | None:
        """A member of an object, which is not null where the database that holds such objects keeps
        null out of it."""
        kept = self._program.language.kept_not_null
        if kept is None or value.copied or not isinstance(member, ByType):
            return member
        owner = self._program.names.declared_class(value.type, value.scope)
        classes = () if owner is None else (owner, *self._program.bases(owner))
        found = instance_member(classes, name)
        if found is None or not kept(self._program, *found):
            return member
        return replace(member, refinements=(*member.refinements, NOT_NULL))

    def _typed_member(
        self, type: TypeExpr, scope: Scope, name: str, arity: int | None
    ) -> Value | None:
        match type:
            case NamedType():
                found = self._program.names.lookup_type(type.name, scope)
                match found:
                    case ClassValue(symbol=symbol):
                        bound = self._program.names.classes.bind(
                            symbol.decl.type_params, type, scope
                        )
                        declared = self._instance_member(Instance(symbol, bound), name, arity)
                        implemented = self._implemented_function(symbol, name, declared, arity)
                        return declared if implemented is None else implemented
                    case AliasSymbol(alias=alias) as named:
                        inner = self._program.names.classes.scope_in_alias(named, type, scope)
                        return self._typed_member(alias.type, inner, name, arity)
                    case BoundType(shape=shape) if shape is not None:
                        return self.member(BySchema(shape), name, arity)
                    case BoundType(type=inner_type, scope=inside):
                        return self._typed_member(inner_type, inside, name, arity)
                    case Unresolved():
                        return None
                    case LibrarySymbol() if not type.args:
                        return None
                    case _:  # `Partial<Order>` is a type of the language
                        made = instance_of_type(self._program, type, scope)
                        if made is not None:
                            return self.member(made, name, arity)
                        schema = self._program.types.schema(type, scope)
                        return self.member(BySchema(schema), name, arity)
            case NullableType(item=item) | AnnotatedType(item=item):
                return self._typed_member(item, scope, name, arity)
            case TupleType(items=items, names=names):
                numbered = [f"Item{position + 1}" for position in range(len(items))]
                for own, number, item in zip(names or numbered, numbered, items, strict=True):
                    if name in (own, number):
                        return ByType(item, scope, item.span)
                return None
            case UnionType(options=options) | IntersectionType(options=options):
                found_in = [
                    self._typed_member(o, scope, name, arity)
                    for o in options
                    if not isinstance(o, NullType)
                ]
                known = tuple(f for f in found_in if f is not None)
                return union_of(known) if known else None
            case ObjectType(members=members):
                for member in members:
                    if member.name == name and member.type is not None:
                        return ByType(member.type, scope, member.span)
                return None
            case MappedType():
                return mapped_member(self._program, type, scope, name)
            case _:
                schema = self._program.types.schema(type, scope)
                if isinstance(schema, Object):
                    return self.member(BySchema(schema), name, arity)
                return None

    def _implemented_function(
        self, interface: ClassSymbol, name: str, declared: Value | None, arity: int | None
    ) -> Value | None:
        """The function that the one class which implements an interface has for a member that the
        interface declares as a function, or by a type of a library (`list: RequestHandler`). None
        where there is none or more than one. Where the class does not declare what it gives, the
        interface does."""
        if not self._program.language.structural or interface.decl.kind != "interface":
            return None
        if not isinstance(declared, ByType) or not self._may_be_function(declared):
            return None
        classes = self._program.names.classes.implementations(interface)
        if len(classes) != 1 or interface.decl.type_params or classes[0].decl.type_params:
            return None
        made = Instance(classes[0])
        method = self._program.names.classes.method(classes[0], name, {})
        if method is not None and method.owner is not None and method.owner.key != interface.key:
            found: Value | None = replace(method, receiver=made)
        else:
            found = self._instance_member(made, name, None)
        if isinstance(found, FunctionValue):
            if arity is None or found.function.returns:
                return found
            return self._with_result_of(declared, found)
        return found if isinstance(found, LibraryResult) and arity is None else None

    def _with_result_of(self, declared: ByType, found: FunctionValue) -> FunctionValue | None:
        """A function that is declared to give what the interface says it does; None where that
        type is another one in the file of the function."""
        type = declared.type.returns if isinstance(declared.type, FunctionType) else None
        if type is None:
            return None
        there, here = (
            self._program.types.schema_of(self._program.evaluator.unwrap(ByType(type, scope)))
            for scope in (declared.scope, found.scope)
        )
        if not is_same_shape(there, here):
            return None
        return replace(found, function=replace(found.function, returns=type))

    def _may_be_function(self, value: ByType) -> bool:
        return isinstance(value.type, FunctionType) or (
            isinstance(value.type, NamedType)
            and isinstance(
                self._program.names.lookup_type(value.type.name, value.scope), LibrarySymbol
            )
        )

    def _instance_member(self, value: Instance, name: str, arity: int | None) -> Value | None:
        symbol = value.symbol
        if arity is not None:
            method = self._program.names.classes.method(symbol, name, value.types, arity)
            if method is not None:
                return replace(method, receiver=value)
        outside = self._program.names.classes.class_scope(symbol, value.types)
        for owner, inside in self._program.types.chain(symbol, outside):
            for part in self._program.names.classes.parts(owner):
                member = _find(part.decl, name)
                if member is not None:
                    if part is not owner:
                        inside = self._program.names.classes.class_scope(part, inside.types)
                    if member.kind == "getter" and "static" not in member.modifiers:
                        getter = self._program.names.classes.method(symbol, name, value.types)
                        if getter and (handed := self.handed_on(getter, value)) is not None:
                            return handed
                    held = self._member_value(value, part, member, inside)
                    return self._nulls.as_stored(value, member, held)
            if self._has_getter(owner, name):
                break  # it hides what the classes above begin with
        method = self._program.names.classes.method(symbol, name, value.types)
        return replace(method, receiver=value) if method is not None else None

    def _has_getter(self, owner: ClassSymbol, name: str) -> bool:
        """Whether a class itself computes a member when that is read."""
        return any(
            method.name == name and _GETS.intersection(method.modifiers)
            for part in self._program.names.classes.parts(owner)
            for method in part.decl.methods
        )

    def _member_value(
        self, value: Instance, owner: ClassSymbol, member: Member, inside: Scope
    ) -> Value:
        if member.kind == "enum":  # C#: a member may bear the name of its type (`Size Size`)
            return self._static_value(owner, member)
        injected = self._program.language.injected_value
        if injected is not None and (held := injected(self._program, member, inside)) is not None:
            return held
        set_first = initializer_value(self._program, value, member.name)
        given = set_first or self._constructor_argument(value, member)
        if given is None and owner.key != value.symbol.key and owner.file.language in _HANDED_UP:
            handed = self._handed_up(value, owner, member)
            if handed is not None:
                return _initial_value(handed, member, inside)
        if given is not None and not (
            self._is_undetermined(given) and self._says_more(member, inside)
        ):
            return given
        key = (owner.key, member.name)
        if key in self._open_members:
            self._budget.cuts += 1
        elif self._is_redefined_below(value, owner, member):
            if member.type is None:
                reason = Reason("any-subclass-sent", general=value.symbol.decl.name)
                return Unresolved(reason, member.span, owner.file.path)
        elif member.value is not None:
            constant_like = member.type is None or "static" in member.modifiers
            self._open_members.add(key)
            try:
                place = self._place_of_value(owner, member, inside)
                if "static" not in member.modifiers and _holds_function(member.value):
                    # `list = async (request, response) => …` sees the object that it is part of.
                    place = replace(place, receiver=value)
                initial = self._evaluate(member.value, place)
            finally:
                self._open_members.discard(key)
            made_here = isinstance(initial, _MADE)
            if (
                isinstance(initial, LibraryResult)
                and isinstance(initial.site, Call)
                and member.type
            ):
                # `id: int = Field(…)`: what is declared says more than what a library made.
                made_here = self._containers.says_nothing(member.type, inside)
            made_here = made_here and not self.made_bare(initial, member.type)
            if isinstance(initial, LibrarySymbol) and isinstance(member.value, Name):
                # `this.orders = orders` of `constructor({ orders }: Services)`
                taken = member.value.id in self._taken_apart(owner)
                constant_like, made_here = constant_like and not taken, made_here and not taken
            if constant_like or made_here or self._is_fixed_list(initial, owner, member):
                null = isinstance(initial, Constant) and initial.value is None
                if null and member.type is None and "readonly" not in member.modifiers:
                    reason = Reason("null-initialiser", member=member.name)
                    later = given_later(self._program, owner, member.name)
                    return later or Unresolved(reason, member.span, owner.file.path)
                if not null:
                    begun = _initial_value(initial, member, inside)
                    if isinstance(begun, Constant) and begun.declared_type is not None:
                        return replace(begun, is_default=self._may_differ(value, member))
                    return begun
        if member.type is not None:
            typed = self._containers.as_annotated(
                ByType(member.type, inside, member.span), member.annotations
            )
            held = self._containers.or_default(typed, member.name, member.value)
            stored_null = self._program.language.stored_null
            if stored_null is not None and stored_null(self._program, member, inside):
                return union_of((held, Constant(None, member.span, owner.file.path)))
            return held
        return Unresolved(
            Reason("no-declared-type", member=member.name), member.span, owner.file.path
        )

    def _is_redefined_below(self, value: Instance, owner: ClassSymbol, member: Member) -> bool:
        """Whether a value of which a class is all that is known may be of one below it that begins
        a member with something else."""
        if value.site is not None or owner.file.language not in _HANDED_UP:
            return False  # in other languages the member of the declared type is read
        return any(
            _find(below.decl, member.name) is not None
            for below in self._program.names.classes.implementations(value.symbol)
        )

    def _may_differ(self, value: Instance, member: Member) -> bool:
        """Whether an object may hold something else than what a member begins with: any but one
        that is constructed here without it, of a class that sets the member nowhere."""
        site = value.site
        if not isinstance(site, Call | New) or value.scope is None:
            return True
        if any(argument.spread for argument in site.args):
            return True
        if isinstance(site, New) and site.entries:
            return True
        classes = (value.symbol, *self._program.bases(value.symbol))
        return any(
            sets_member(self._program, part, member.name)
            for each in classes
            for part in self._program.names.classes.parts(each)
        )

    def assigned_that_getter_reads(self, getter: FunctionValue, receiver: Value) -> Value | None:
        """What code has set the member to that a getter of a value hands on as it is."""
        is_told = not getter.function.params and may_be_told(receiver)
        match self._program.body(getter.function, getter.scope.file) if is_told else ():
            case (Return(value=Attribute(value=Name(id="this"), name=name)),):
                return told_component(self._program, receiver, name)
            case (Return(value=Name(id=name)),) if self._program.language.implicit_this:
                return told_component(self._program, receiver, name)
            case _:
                return None

    def member_handed_on(self, getter: FunctionValue) -> Member | None:
        """The member, of the class that declares a getter, that this hands on as it is."""
        if getter.function.params or getter.owner is None:
            return None
        match self._program.body(getter.function, getter.scope.file):
            case (Return(value=Attribute(value=Name(id="this"), name=name) | Name(id=name)),):
                return next((m for m in getter.owner.decl.members if m.name == name), None)
            case _:
                return None

    def _is_kept(self, getter: FunctionValue, member: Member, receiver: Value | None) -> bool:
        """Whether the database keeps null out of a member of an object that it holds: not of one
        that is constructed here, unless it has been saved."""
        kept = self._program.language.kept_not_null
        if kept is None or getter.owner is None:
            return False
        if isinstance(receiver, Instance):
            return says_not_null(refinements_of_member(receiver, member.name))
        is_read = isinstance(receiver, ByType) and not receiver.copied
        return is_read and kept(self._program, getter.owner, member)

    def result_as_told(self, callee: FunctionValue, result: Value, receiver: Value | None) -> Value:
        """What a method gives, which is null, too, or never, where annotations say so of the
        method, or of the member that it hands on, where the database keeps null out of that member,
        or where a test before has."""
        if self._program.language.annotated_null is None or not isinstance(result, ByType):
            return result
        if isinstance(receiver, ByType | Instance) and receiver.refinements:
            name = property_of(callee.function.name, "get", "is")
            if says_not_null(refinements_of_member(receiver, name)):
                return self._nulls.without_null(result)
        member = self.member_handed_on(callee)
        if member is not None and self._is_kept(callee, member, receiver):
            return replace(result, refinements=(*result.refinements, NOT_NULL))
        annotations = (*callee.function.annotations, *(member.annotations if member else ()))
        return self._containers.as_annotated(result, annotations)

    def handed_on(self, getter: FunctionValue, receiver: Value | None = None) -> Value | None:
        """The member that a getter hands on as it is: `get path() { return this._path; }`."""
        receiver = getter.receiver if receiver is None else receiver
        match self._program.body(getter.function, getter.scope.file):
            case (Return(value=Attribute(value=Name(id="this" | "self"), name=name)),):
                pass
            case _:
                return None
        if name == getter.function.name or receiver is None:
            return None
        held = self.member(receiver, name)
        is_known = isinstance(held, Constant | Template | LibraryResult | FunctionValue | ByType)
        return held if is_known else None

    def _handed_up(self, value: Instance, owner: ClassSymbol, member: Member) -> Value | None:
        """What the constructor of a class hands to that of a class above, for its member."""
        key = (value.symbol.key, owner.key, member.name)
        if key in self._handed_values:
            return self._handed_values[key]
        self._handed_values[key] = None  # a ring of members ends here
        found = handed_to_base(self._program, Instance(value.symbol), owner, member.name)
        self._handed_values[key] = found
        return found

    def _is_undetermined(self, value: Value) -> bool:
        """Whether nothing is known of a value, so that what is declared of it says more."""
        if not isinstance(value, LibrarySymbol | LibraryResult | Unresolved):
            return False
        return self._program.types.is_unknown(self._program.types.schema_of(value))

    def _says_more(self, member: Member, inside: Scope) -> bool:
        """Whether a member declares what it holds: by its type, or as a column of a library."""
        if member.type is not None:
            return True
        if member.value is None or "constructor" in member.modifiers:
            return False
        return isinstance(self._evaluate(member.value, inside), LibraryResult)

    def made_bare(self, value: Value, declared: TypeExpr | None) -> bool:
        """`m: Map<string, Order> = new Map()`: only the declared type says what it holds."""
        if not isinstance(value, LibraryResult) or not isinstance(value.site, New):
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

    def _is_fixed_list(self, initial: Value, owner: ClassSymbol, member: Member) -> bool:
        """`private routers: Router[] = [new Orders(), new Items()]`, which the class only reads:
        what stands in it says more than its declared type."""
        if not self._program.language.structural or not isinstance(initial, Items):
            return False
        made = not initial.repeated and all(isinstance(item, Instance) for item in initial.values)
        is_private = "private" in member.modifiers or member.name.startswith("#")
        return made and is_private and is_only_read(self._program, owner, member.name)

    def _taken_apart(self, owner: ClassSymbol) -> frozenset[str]:
        """The names that the constructor of a class takes out of objects that it is given."""
        patterns = (p.pattern for p in constructor_parameters(owner.decl) if p.pattern is not None)
        nothing = Unresolved(NO_REASON)
        scope = self._program.class_scope(owner)
        names = (self._program.evaluator.pattern_bindings(p, nothing, scope) for p in patterns)
        return frozenset().union(*names)

    def _place_of_value(self, owner: ClassSymbol, member: Member, inside: Scope) -> Scope:
        """Where the initial value of a member is written: in the constructor, or in the class."""
        if "constructor" in member.modifiers:
            for method in owner.decl.methods:
                if "constructor" in method.modifiers:
                    return self._program.function_scope(method, inside)
        return inside

    def _constructor_argument(self, value: Instance, member: Member) -> Value | None:
        """The argument that a visible construction gives a member, where that is plain."""
        if value.site is None or value.scope is None or not value.site.args:
            return None
        positional = [a for a in value.site.args if not a.name and not a.spread]
        symbol = class_with_constructor(self._program, value.symbol)
        if symbol is None:
            return None
        assigned = assigned_from(self._program, symbol, member.name)
        for position, parameter in enumerate(self._constructor_of(symbol)):
            fits = parameter.name == member.name or parameter.name in assigned
            # C#: `class Version(string name) { public string Name { get; } = name; }`
            fits = fits or (isinstance(member.value, Name) and member.value.id == parameter.name)
            for argument in value.site.args:
                if fits and argument.name and argument.name == parameter.name:
                    return self._evaluate(argument.value, value.scope)
            if fits and position < len(positional):
                return self._evaluate(positional[position].value, value.scope)
        return None

    def _constructor_of(self, symbol: ClassSymbol) -> tuple[Param, ...]:
        """The constructor's parameters in order. Python's dataclasses have the fields of the
        classes above them, before their own, where none of these has a constructor."""
        own = constructor_parameters(symbol.decl)
        if symbol.file.language != "python" or has_constructor(symbol.decl):
            return own
        above = [constructor_parameters(base.decl) for base in self._program.bases(symbol)]
        inherited = [parameter for each in reversed(above) for parameter in each]
        return tuple({p.name: p for p in (*inherited, *own)}.values())


def _holds_function(expr: Expr) -> bool:
    """Whether an expression is a function, or a call that is given one."""
    args = expr.args if isinstance(expr, Call) else ()
    return isinstance(expr, Lambda) or any(isinstance(a.value, Lambda) for a in args)


def _find(decl: ClassDecl, name: str) -> Member | None:
    for member in decl.members:
        undetermined = member.kind == "getter" and member.type is None  # its body is a method
        if member.name == name and member.kind != "setter" and not undetermined:
            return member
    return None


def _initial_value(initial: Value, member: Member, inside: Scope) -> Value:
    """What a member begins with: of one that may be set to something else, its declared type says
    what is sent."""
    fixed = _FIXED.intersection(member.modifiers) or member.kind in ("constant", "enum", "getter")
    accessors = "get" in member.modifiers and not {"set", "init"}.intersection(member.modifiers)
    if fixed or accessors or member.type is None or not isinstance(initial, Constant):
        return initial
    return replace(initial, declared_type=ByType(member.type, inside, member.span))
