"""What `value.name` gives: of modules, of library objects, of values with members."""

from __future__ import annotations

from contract_scan.ir.origin import Span
from contract_scan.ir.reasons import Reason
from contract_scan.ir.schema import Scalar
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
    LibraryResult,
    LibrarySymbol,
    ModuleValue,
    OneOf,
    Scope,
    Unresolved,
    Value,
    is_null,
    union_of,
)
from contract_scan.parsers.source.analysis.evaluation.containers import Containers
from contract_scan.parsers.source.analysis.evaluation.context import Context
from contract_scan.parsers.source.analysis.evaluation.members import Members
from contract_scan.parsers.source.analysis.typing.assigned_members import assigned_to
from contract_scan.parsers.source.facts.nodes import Import, NamedType, TypeExpr, TypeOfType

_LENGTHS = frozenset({"length", "Length", "Count", "size"})
_UNCHECKED = frozenset({"any", "typing.Any"})
"""Types whose members may be assigned to whatever is declared."""
_ANY = frozenset({"any", "unknown", "object", "Object", "typing.Any", "dynamic"})
"""Types that say nothing of a value's members."""
_ENUM_ACCESSORS = frozenset({"value", "name"})


class Attributes:
    """The part of the evaluator that reads `value.name`, whatever the value is, and names and types
    as values."""

    def __init__(self, context: Context, containers: Containers, members: Members) -> None:
        self._program = context.program
        self._containers = containers
        self._members = members

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
                # Null has no members: where one is read, it is another value.
                return union_of(
                    tuple(
                        self.attribute(o, name, scope, span, subscript=subscript, arity=arity)
                        for o in options
                        if not is_null(o)
                    )
                    or (value,)
                )
            case ModuleValue(path=path):
                return self._module_attribute(path, name, scope, span)
            case LibrarySymbol(name="undefined"):
                return value  # a chain of members ends where one is not there: `given?.at.year`
            case LibrarySymbol(name=prefix):
                known = self._language_property(value, name)
                return known or self._external_attribute(prefix, name, scope, value)
            case LibraryResult(name=made):
                return self._language_property(value, name) or LibrarySymbol(
                    f"{made}().{name}", value
                )
            case ClassValue():
                found = self._members.class_member(value, name)
                if found is not None:
                    return self._unless_rebound(found, value.symbol, name)
                return LibrarySymbol(f"{value.symbol.key}.{name}", value)
            case Constant() if name in _ENUM_ACCESSORS:
                return value
            case ByType() if (named := self.class_of_type(value)) is not None:
                return self.attribute(named, name, scope, span, subscript=subscript, arity=arity)
            case Unresolved():
                return value
            case _:
                value = self._containers.unwrap(value)
                member = self._members.member(value, name, arity)
        if member is not None:
            own = isinstance(member, FunctionValue)  # a method of the project's stands before it
            read = None if own else self.library_property(value, name)
            return read or self._read_member(member, scope)
        known = self._language_property(value, name)
        if known is not None:
            return known
        if name in _LENGTHS:
            return BySchema(Scalar(type="integer"))
        if isinstance(value, ByType):
            qualified = self._program.evaluator.qualified_name(value)
            if qualified in _ANY:
                reason = Reason("attribute-of-declared-type", name=name, qualified=qualified)
                return Unresolved(reason, span, scope.file.path, untyped=qualified in _UNCHECKED)
            if qualified:
                return LibrarySymbol(f"{qualified}.{name}", value)
        if isinstance(value, Instance):
            nested = self._members.class_member(ClassValue(value.symbol), name)
            if isinstance(nested, ClassValue):
                return nested  # `self.Meta`
        if isinstance(value, Instance) and self._extends_library(value.symbol):
            return LibrarySymbol(f"{value.symbol.key}.{name}", value)
        return Unresolved(Reason("not-member", name=name), span, scope.file.path)

    def _unless_rebound(self, found: Value, symbol: ClassSymbol, name: str) -> Value:
        """What a class says of an attribute; nothing where that is empty and code fills it."""
        is_rebound = self._program.language.is_rebound
        if not isinstance(found, Constant) or found.value or is_rebound is None:
            return found
        if not is_rebound(self._program, symbol, name):
            return found
        reason = Reason("attribute-rebound", name=f"{symbol.decl.name}.{name}")
        return Unresolved(reason, found.span, found.path)

    def class_of_type(self, value: Value) -> ClassValue | None:
        """The class that a value is by its type: `typeof User`."""
        match value:
            case ByType(type=TypeOfType(value=expr), scope=inside):
                named = self._program.evaluate(expr, inside)
                return named if isinstance(named, ClassValue) else None
            case _:
                return None

    def _extends_library(self, symbol: ClassSymbol) -> bool:
        """Whether a class may have members that a library declares."""
        scope = self._program.module_scope(symbol.file)
        return any(
            isinstance(base, NamedType)
            and isinstance(self._program.names.lookup_type(base.name, scope), LibrarySymbol)
            for base in symbol.decl.bases
        )

    def _language_property(self, value: Value, name: str) -> Value | None:
        """A property that the language itself defines."""
        language = self._program.language
        reader = language.properties.get(name)
        found = None if reader is None else reader(self._program, value)
        if found is None and language.attribute is not None:
            found = language.attribute(self._program, value, name)
        return found

    def library_property(self, value: Value, name: str) -> Value | None:
        """What a library's class gives instead of a field of it that is called like the property:
        `data` of a serializer, with changes that code has made to its parts."""
        read = self._program.language.properties.get(name)
        if read is None or not isinstance(value, Instance):
            return None
        changed = assigned_to(value, name)
        return read(self._program, value) if changed is None else changed

    def _read_member(self, member: Value, scope: Scope) -> Value:
        """Reading a property calls its getter."""
        if isinstance(member, FunctionValue):
            modifiers = member.function.modifiers
            if "get" in modifiers or "property" in modifiers:
                handed_on = self._members.handed_on(member)
                return (
                    self._program.evaluator.apply(member, (), scope)
                    if handed_on is None
                    else handed_on
                )
        return member

    def _module_attribute(self, path: str, name: str, scope: Scope, span: Span) -> Value:
        found = self._program.names.modules.resolve_export(path, name)
        if found is not None:
            return self._program.evaluator.found_value(found, name, span, scope)
        file = self._program.facts(path)
        entry = Import(module="." + name, name="")
        target = self._program.language.find_module(self._program.files, file.path, entry)
        if target is not None and target != path:
            return ModuleValue(target)
        shadowed_library = self._program.language.shadowed_library
        library = "" if shadowed_library is None else shadowed_library(path)
        if library:  # `import fastapi` where a folder of that name lies beside the app
            return LibrarySymbol(f"{library}.{name}")
        return Unresolved(
            Reason("not-declared-in-module", name=name, path=path), span, scope.file.path
        )

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
            found = self._program.names.modules.named_in_full(longer, scope.file)
            if found is not None:
                return found
        return LibrarySymbol(longer, value)

    def found_value(self, found: Found, name: str, span: Span, scope: Scope) -> Value:
        """A looked-up name as a value."""
        match found:
            case AliasSymbol(alias=alias, file=file):
                value = self._program.names.modules.value_named_like_type(file, alias.name)
                if value is not None:
                    return value
                return self.type_value(
                    alias.type, self._program.names.classes.alias_scope(found), span
                )
            case BoundType(shape=shape) if shape is not None:
                return BySchema(shape)
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
                    bound = self._program.names.classes.bind(symbol.decl.type_params, type, scope)
                    return ClassValue(symbol, bound)
                case AliasSymbol(alias=alias):
                    return self.type_value(
                        alias.type, self._program.names.classes.alias_scope(found), span
                    )
                case BoundType(shape=shape) if shape is not None:
                    return BySchema(shape)
                case BoundType(type=inner, scope=inside):
                    return self.type_value(inner, inside, span)
                case LibrarySymbol(name=name) if type.args:
                    return LibrarySymbol(name, ByType(type, scope, span))
                case _:
                    return found
        return ByType(type, scope, span)
