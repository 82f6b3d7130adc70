"""What a name means at a place: locals, members, declarations, imports, re-exports, libraries."""

from __future__ import annotations

from msgspec.structs import replace

from contract_scan.ir.origin import NO_SPAN, Span
from contract_scan.ir.reasons import Reason
from contract_scan.parsers.source.analysis.dataflow import reaching_definitions
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import (
    AliasSymbol,
    BoundType,
    BySchema,
    ByType,
    ClassSymbol,
    ClassValue,
    Constant,
    Found,
    FunctionValue,
    Instance,
    LibrarySymbol,
    ModuleValue,
    OneOf,
    Scope,
    Unresolved,
    Value,
)
from contract_scan.parsers.source.analysis.names.classes import Classes
from contract_scan.parsers.source.analysis.names.local_names import LocalNames, declaration_value
from contract_scan.parsers.source.analysis.names.module_names import ModuleNames
from contract_scan.parsers.source.analysis.syntax.signatures import overriding_method
from contract_scan.parsers.source.facts.nodes import (
    ClassDecl,
    NamedType,
    Statement,
    TypeExpr,
    TypeParam,
)

_OBJECTS = ("this", "super")


class Names:
    """Name resolution for one program."""

    def __init__(self, program: Program) -> None:
        self._program = program
        self.classes = Classes(program)
        self.locals = LocalNames(program)
        self.modules = ModuleNames(program, self.locals, self.classes)
        self._class_types_known: dict[tuple[int, str], Found] = {}
        self._local_classes: dict[int, tuple[tuple[Statement, ...], dict[str, ClassDecl]]] = {}

    def lookup(
        self, name: str, scope: Scope, use: Span = NO_SPAN, *, is_method: bool = False
    ) -> Found:
        """What `name` means in a scope when read at `use`, where it `is_method` not as a variable.
        Unknown names are `LibrarySymbol`."""
        place = use
        current: Scope | None = scope
        in_body = self._program.language.class_bodies
        inner: list[tuple[Scope, Span]] = []
        """The functions inside the one that the name is found in, with the place in each."""
        while current is not None:
            is_skipped = is_method and current.function is not None and name not in _OBJECTS
            found = None if is_skipped else self._in_scope(name, current, place)
            if found is None and in_body and current.owner is not None:
                found = self._assigned_before(name, current, use)
            if found is not None:
                return self._overriding(self._as_tested(found, name, inner), scope.receiver)
            in_body = in_body and current.function is None and current.owner is None
            if current.function is not None:
                inner.append((current, place))
                # In an outer function counts what is assigned before the inner one is written; a
                # module is complete before its functions run.
                nested = current.parent is not None and current.parent.function is not None
                place = current.function.span if nested else NO_SPAN
            elif current.owner is not None:
                place = NO_SPAN
            current = current.parent
        return self.modules.global_name(name, scope.file)

    def _as_tested(self, found: Found, name: str, inner: list[tuple[Scope, Span]]) -> Found:
        """A constant of the module, or of a function around, as tests leave it in the functions
        that it is read in: `if (!configured) return`."""
        if isinstance(found, OneOf | ByType | BySchema):
            for scope, place in inner:
                found = self.locals.as_tested(found, name, scope, place)
        return found

    def _overriding(self, found: Found, receiver: Value | None) -> Found:
        """A method of an interface, or without a body, as the class of the object overrides it that
        it is called on without being named."""
        match found, receiver:
            case FunctionValue(owner=ClassSymbol() as owner), Instance(symbol=symbol, types=types):
                method = found.function
                is_virtual = owner.decl.kind == "interface" or "abstract" in method.modifiers
                if not is_virtual or not {"private", "static"}.isdisjoint(method.modifiers):
                    return found
                if all(base.key != owner.key for base, _ in self.classes.ancestors(symbol)):
                    return found
                own = self.classes.method(symbol, method.name, types)
                if own is None or own.owner is None or own.owner.key == owner.key:
                    return found
                type_params = [parameter.name for parameter in owner.decl.type_params]
                meant = overriding_method(own.owner.decl.methods, method, type_params)
                return found if meant is None else replace(own, function=meant, receiver=receiver)
            case _:
                return found

    def lookup_type(self, dotted: str, scope: Scope) -> Found:
        """What a (dotted) type name means; for library types `LibrarySymbol`, qualified."""
        first, *rest = dotted.split(".")
        if self._program.language.implicit_this:
            found = self._lookup_type_name(first, scope)
        else:
            found = self.lookup(first, scope)
        for part in rest:
            found = self._type_member(found, part, scope)
        return found

    def declared_class(self, type: TypeExpr | None, scope: Scope) -> ClassSymbol | None:
        """The class of the project that a type names."""
        found = self.lookup_type(type.name, scope) if isinstance(type, NamedType) else None
        return found.symbol if isinstance(found, ClassValue) else None

    def _lookup_type_name(self, name: str, scope: Scope) -> Found:
        """A name in the place of a type, in languages where it cannot be a variable or member: a
        property may bear its type's name."""
        current: Scope | None = scope
        while current is not None:
            found: Found | None = current.types.get(name)
            if found is None and current.function is not None:
                found = self._local_type(name, current)
            elif found is None and current.owner is not None:
                return self._type_from_class(name, current)
            elif found is None and current.parent is None:
                found = self.modules.type_at_top_level(current.file, name)
            if found is not None and _may_be_type(found):
                return found
            current = current.parent
        found = self.modules.global_name(name, scope.file)
        if _may_be_type(found):
            return found
        # A static import of members (`import static a.HttpMethod.*`) hides no type.
        return self.modules.implicit(name, scope.file) or LibrarySymbol(name)

    def _type_from_class(self, name: str, scope: Scope) -> Found:
        """A type name in a class body: of the class, of those around it, of the file, of the
        program. The same for every place in the class, so it is remembered."""
        assert scope.owner is not None
        key = (id(scope.owner.decl), name)
        known = self._class_types_known.get(key)
        if known is not None:
            return known
        found = self._class_level_type(name, scope)
        if found is None:
            found = self._lookup_type_name(
                name, scope.parent or self._program.module_scope(scope.file)
            )
        settled = not self.modules.following and not self.classes.deriving
        if settled and isinstance(found, ClassValue | AliasSymbol | LibrarySymbol):
            self._class_types_known[key] = found
        return found

    def _local_type(self, name: str, scope: Scope) -> Found | None:
        assert scope.function is not None
        for type_param in scope.function.type_params:
            if type_param.name == name:
                return _unbound(type_param, scope)
        declared = self._local_classes_of(scope.statements).get(name) if scope.statements else None
        return None if declared is None else declaration_value(declared, scope)

    def _local_classes_of(self, statements: tuple[Statement, ...]) -> dict[str, ClassDecl]:
        """The classes that are declared anywhere in a body, the first of each name."""
        cached = self._local_classes.get(id(statements))
        if cached is None:  # keeps the statements, so that their identity stays theirs
            declared = reversed(reaching_definitions.declarations(statements))
            classes = {each.name: each for each in declared if isinstance(each, ClassDecl)}
            cached = self._local_classes[id(statements)] = (statements, classes)
        return cached[1]

    def _type_member(self, found: Found, part: str, scope: Scope) -> Found:
        match found:
            case ClassValue(symbol=symbol):
                nested = self.classes.nested_class(symbol, part)
                if nested is not None:
                    return ClassValue(nested)
                alias = self.classes.nested_alias(symbol, part)
                if alias is not None:
                    return alias
                is_enum = symbol.decl.kind == "enum"  # TypeScript: the type of one constant
                if is_enum or self._program.language.class_bodies:
                    held = self._program.evaluator.class_member(found, part)
                    if held is not None and (is_enum or isinstance(held, ClassValue)):
                        return held
                return Unresolved(
                    Reason("nested-type-not-declared", type=symbol.decl.name, part=part)
                )
            case ModuleValue(path=module):
                missing = Unresolved(Reason("not-declared-in-module", name=part, path=module))
                return self.modules.resolve_export(module, part) or missing
            case LibrarySymbol(name=name):
                # `A.B.Type`: a namespace or package written out in full.
                direct = self.modules.implicit(f"{name}.{part}", scope.file)
                if direct is None and scope.file.namespaces:
                    direct = self.modules.declared_in(scope.file, part)
                return direct if direct is not None else LibrarySymbol(f"{name}.{part}")
            case _:
                return Unresolved(Reason("lookup-failed", part=part))

    def _in_scope(self, name: str, scope: Scope, use: Span) -> Found | None:
        if name in _OBJECTS and scope.receiver is not None:
            if name == "super" and isinstance(scope.receiver, Instance) and scope.owner:
                bases = self.classes.ancestors(scope.owner)
                return Instance(*bases[0]) if bases else None
            return scope.receiver
        if name in scope.bindings:
            return self.locals.bound_value(name, scope, use)
        if name in scope.types:
            return scope.types[name]
        if scope.function is not None:
            found = self._local(name, scope, use)
            if found is not None:
                return found
        elif scope.owner is not None:
            return self._class_level(name, scope)
        elif scope.parent is None:
            return self.modules.module_level(scope.file, name, use)
        return None

    def _local(self, name: str, scope: Scope, use: Span) -> Found | None:
        function = scope.function
        assert function is not None
        statements = scope.statements or ()
        named = (one for one in function.params if one.name == name and one.kind != "pattern")
        handed = next(named, None)
        if handed is None or not self.locals.is_unassigned(statements, name, use):
            definitions = self.locals.definitions(statements, name, use)
            if definitions:
                return self.locals.join_definitions(name, definitions, scope)
        for parameter in function.params:
            if parameter is handed:
                given = self._program.evaluator.parameter(parameter, scope)
                return self.locals.as_tested(given, name, scope, use)
            if parameter.pattern is not None:
                bound = self._program.evaluator.destructured_parameter(parameter, name, scope)
                if bound is not None:
                    return bound
        for type_param in function.type_params:
            if type_param.name == name:
                return _unbound(type_param, scope)
        return None

    def _assigned_before(self, name: str, scope: Scope, use: Span) -> Found | None:
        """What the body of a class has given a name before it is read there."""
        owner = scope.owner
        assert owner is not None
        if use == NO_SPAN or scope.function is not None:
            return None
        for member in reversed(owner.decl.members):
            written = (member.span.end_line, member.span.end_column)
            before = written <= (use.line, use.column) and "constructor" not in member.modifiers
            if member.name == name and member.value is not None and before:
                return self._program.evaluator.evaluate(member.value, scope)
        return None

    def _class_level(self, name: str, scope: Scope) -> Found | None:
        found = self._class_level_type(name, scope)
        if found is None and self._program.language.implicit_this and scope.owner is not None:
            receiver = scope.receiver or Instance(scope.owner, scope.types)
            return self._program.evaluator.member(receiver, name)
        return found

    def _class_level_type(self, name: str, scope: Scope) -> Found | None:
        owner = scope.owner
        assert owner is not None
        for type_param in owner.decl.type_params:
            if type_param.name == name:
                return _unbound(type_param, scope)
        nested = self.classes.nested_class(owner, name)
        if nested is not None:
            return ClassValue(nested)
        alias = self.classes.nested_alias(owner, name)
        if alias is not None:
            return alias
        if owner.decl.name == name:
            return ClassValue(owner)
        return None


def _may_be_type(found: Found) -> bool:
    """Whether what a name means may stand where a type does: a member never can."""
    return not isinstance(found, Instance | Constant | FunctionValue | ByType)


def _unbound(parameter: TypeParam, scope: Scope) -> Found:
    if parameter.bound is not None:
        return BoundType(parameter.bound, scope.parent or scope)
    return Unresolved(Reason("type-parameter-undetermined", parameter=parameter.name))
