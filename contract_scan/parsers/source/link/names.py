"""What a name means at a place: locals, members, declarations, imports, re-exports, libraries."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

from contract_scan.ir.origin import NO_SPAN, Span
from contract_scan.parsers.source.facts import (
    Assign,
    ClassDecl,
    Define,
    Export,
    FileFacts,
    Function,
    Import,
    Loop,
    Name,
    Statement,
    TypeParam,
)
from contract_scan.parsers.source.link import flow
from contract_scan.parsers.source.link.classes import Classes
from contract_scan.parsers.source.link.correlated import doubted
from contract_scan.parsers.source.link.values import (
    AliasSymbol,
    BoundType,
    ClassSymbol,
    ClassValue,
    External,
    Found,
    FunctionValue,
    Instance,
    Items,
    ModuleValue,
    Record,
    Scope,
    Unresolved,
    Value,
    one_of,
)

if TYPE_CHECKING:
    from contract_scan.parsers.source.link.program import Program

Following: TypeAlias = frozenset[tuple[str, str, int, int]]
"""Definitions that are being followed, so that `x = f(x)` does not loop."""

MAX_IMPORT_HOPS = 20
"""How many re-exports are followed; a longer chain is a ring."""


class Names(Classes):
    """Name resolution for one program."""

    def __init__(self, program: Program) -> None:
        super().__init__(program)
        self._star_targets: dict[str, tuple[str, ...]] = {}
        self._class_types_known: dict[tuple[int, str], Found] = {}
        self._static_star_imports: dict[str, tuple[Import, ...]] = {}
        self._written_out: dict[tuple[str, str], ClassValue | None] = {}
        self._implicit_known: dict[tuple[str, str], Found | None] = {}
        self._bound_names: dict[int, tuple[tuple[Statement, ...], frozenset[str]]] = {}
        self._reaching: dict[tuple[int, str, Span], tuple[flow.Definition, ...]] = {}
        self._handed_known: dict[tuple[int, str, Span], tuple[flow.Definition, ...]] = {}
        self._module_level_known: dict[tuple[str, str], Found | None] = {}
        self._module_level_settled: dict[tuple[str, str], Found | None] = {}
        """Answers that nothing cut short: the same wherever they are asked for."""
        self._following: set[tuple[str, str]] = set()
        self._known_exports: dict[tuple[str, str], Found | None] = {}
        self._in_progress: set[tuple[str, str, int, int]] = set()

    # ------------------------------------------------------------------ what is under way

    def pause(self) -> Following:
        """The definitions that are being followed now, for `resume`."""
        return frozenset(self._in_progress)

    def resume(self, following: Following) -> Following:
        """Go on as if these definitions were being followed, and say which ones were."""
        before, self._in_progress = self.pause(), set(following)
        return before

    # ------------------------------------------------------------------ lookup

    def lookup(self, name: str, scope: Scope, use: Span = NO_SPAN) -> Found:
        """What `name` means in a scope when read at `use`. Unknown names are `External`."""
        place = use
        current: Scope | None = scope
        while current is not None:
            found = self._in_scope(name, current, place)
            if found is not None:
                return found
            if current.function is not None:
                # In an outer function counts what is assigned before the inner one is written; a
                # module is complete before its functions run.
                nested = current.parent is not None and current.parent.function is not None
                place = current.function.span if nested else NO_SPAN
            elif current.owner is not None:
                place = NO_SPAN
            current = current.parent
        return self._global(name, scope.file)

    def lookup_type(self, dotted: str, scope: Scope) -> Found:
        """What a (dotted) type name means. Library types are `External` with a qualified name."""
        first, *rest = dotted.split(".")
        if self._program.language.implicit_this:
            found = self._lookup_type_name(first, scope)
        else:
            found = self.lookup(first, scope)
        for part in rest:
            found = self._type_member(found, part, scope)
        return found

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
                found = self.module_level(current.file, name)
            if found is not None:
                return found
            current = current.parent
        return self._global(name, scope.file)

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
        settled = not self._following and not self.deriving
        if settled and isinstance(found, ClassValue | AliasSymbol | External):
            self._class_types_known[key] = found
        return found

    def _local_type(self, name: str, scope: Scope) -> Found | None:
        assert scope.function is not None
        for type_param in scope.function.type_params:
            if type_param.name == name:
                return _unbound(type_param, scope)
        for declared in flow.declarations(scope.statements or ()):
            if isinstance(declared, ClassDecl) and declared.name == name:
                return self._declared(declared, scope)
        return None

    def _type_member(self, found: Found, part: str, scope: Scope) -> Found:
        match found:
            case ClassValue(symbol=symbol):
                nested = self._nested(symbol, part)
                if nested is not None:
                    return ClassValue(nested)
                if symbol.decl.kind == "enum":  # TypeScript: the type of one constant
                    constant = self._program.evaluator.class_member(found, part)
                    if constant is not None:
                        return constant
                return Unresolved(f"type `{symbol.decl.name}.{part}` is not declared")
            case ModuleValue(path=module):
                missing = Unresolved(f"`{part}` is not declared in {module}")
                return self.exported(module, part) or missing
            case External(name=name):
                # `A.B.Type`: a namespace or package written out in full.
                direct = self._implicit(f"{name}.{part}", scope.file)
                if direct is None and scope.file.namespaces:
                    direct = self.declared_in(scope.file, part)
                return direct if direct is not None else External(f"{name}.{part}")
            case _:
                return Unresolved(f"`{part}` cannot be looked up")

    def _in_scope(self, name: str, scope: Scope, use: Span) -> Found | None:
        if name in ("this", "super") and scope.receiver is not None:
            if name == "super" and isinstance(scope.receiver, Instance) and scope.owner:
                bases = self.ancestors(scope.owner)
                return Instance(*bases[0]) if bases else None
            return scope.receiver
        if name in scope.bindings:
            return self._handed(name, scope, use)
        if name in scope.types:
            return scope.types[name]
        if scope.function is not None:
            found = self._local(name, scope, use)
            if found is not None:
                return found
        elif scope.owner is not None:
            return self._class_level(name, scope)
        elif scope.parent is None:
            return self.module_level(scope.file, name, use)
        return None

    def _handed(self, name: str, scope: Scope, use: Span) -> Found:
        """What a name holds that is given its value from outside; of a parameter, with what the
        function has done to it before the place."""
        given = scope.bindings[name]
        statements, function = scope.statements, scope.function
        if not statements or use == NO_SPAN or function is None:
            return given
        if all(parameter.name != name for parameter in function.params):
            return given  # a loop's item is looked at by itself
        is_open = isinstance(given, Record | Items)
        if not is_open and name not in self._bound(statements):
            return given
        values: list[Value] = []
        for definition in self._from_handed(statements, name, use):
            if definition.statement is flow.HANDED:
                values.append(self._changed(given, definition, name, scope) if is_open else given)
            elif self._key(name, definition, scope) in self._in_progress:
                self._program.evaluator.cuts += 1
            else:
                found = self._defined(name, (definition,), scope)
                if isinstance(found, AliasSymbol | BoundType):
                    return found
                values.append(found)
        return one_of(tuple(values)) if values else given

    def _changed(self, given: Value, definition: flow.Definition, name: str, scope: Scope) -> Value:
        """An argument after the changes that the function has made to it."""
        for mutation in definition.mutations:
            key = (scope.file.path, name, id(mutation), 0)
            if key in self._in_progress:  # `x["a"] = x["b"]` reads `x` as it was before
                self._program.evaluator.cuts += 1
                continue
            self._in_progress.add(key)
            try:
                given = self._program.evaluator.changed(given, mutation, scope)
            finally:
                self._in_progress.discard(key)
        return given

    def _from_handed(
        self, statements: tuple[Statement, ...], name: str, use: Span
    ) -> tuple[flow.Definition, ...]:
        """What a parameter may hold at a place: what it is handed, or what replaces that."""
        key = (id(statements), name, use)
        known = self._handed_known.get(key)
        if known is None:
            self._bound(statements)  # keeps the statements, so that their identity stays theirs
            known = self._handed_known[key] = flow.handed(statements, name, use)
        return known

    def _local(self, name: str, scope: Scope, use: Span) -> Found | None:
        function = scope.function
        assert function is not None
        statements = scope.statements or ()
        definitions = self._definitions(statements, name, use)
        if definitions:
            return self._defined(name, definitions, scope)
        for parameter in function.params:
            if parameter.name == name and parameter.kind != "pattern":
                return self._program.evaluator.parameter(parameter, scope)
            if parameter.pattern is not None:
                bound = self._program.evaluator.destructured_parameter(parameter, name, scope)
                if bound is not None:
                    return bound
        for type_param in function.type_params:
            if type_param.name == name:
                return _unbound(type_param, scope)
        return None

    def _definitions(
        self, statements: tuple[Statement, ...], name: str, use: Span
    ) -> tuple[flow.Definition, ...]:
        """Definitions that reach a place; all there are for a place that none surely reaches."""
        if name not in self._bound(statements):
            return ()
        key = (id(statements), name, use)
        found = self._reaching.get(key)
        if found is None:
            reaching = flow.reaching(statements, name, use)
            found = doubted(statements, name, reaching, use) or flow.anywhere(statements, name)
            self._reaching[key] = found
        return found

    def _bound(self, statements: tuple[Statement, ...]) -> frozenset[str]:
        """Every name that some statement defines."""
        known = self._bound_names.get(id(statements))
        if known is None or known[0] is not statements:
            known = (statements, flow.bound_names(statements))
            self._bound_names[id(statements)] = known
        return known[1]

    def changed_later(self, name: Name, scope: Scope) -> Found | None:
        """The object that a name holds at its place, with what happens to it after that; None where
        nothing more does."""
        statements = scope.statements or ()
        here = self._definitions(statements, name.id, name.span)
        if len(here) != 1:
            return None
        later = flow.afterwards(statements, name.id, here[0], name.span)
        if len(later.mutations) == len(here[0].mutations):
            return None
        return self._defined(name.id, (later,), scope)

    def _defined(self, name: str, definitions: tuple[flow.Definition, ...], scope: Scope) -> Found:
        """The value that definitions give, each followed once: `x = f(x)` does not loop."""
        values: list[Value] = []
        for definition in definitions:
            key = self._key(name, definition, scope)
            if key in self._in_progress:
                self._program.evaluator.cuts += 1
                continue
            self._in_progress.add(key)
            try:
                found = self._definition(name, definition, scope)
            finally:
                self._in_progress.discard(key)
            if isinstance(found, AliasSymbol | BoundType):
                return found
            values.append(found)
        if not values:
            return Unresolved(f"`{name}` is defined by itself")
        return one_of(tuple(values))

    def _key(
        self, name: str, definition: flow.Definition, scope: Scope
    ) -> tuple[str, str, int, int]:
        """What tells that a definition is being followed. `x["a"] = x["b"]` reads `x` as it was
        before: with fewer changes made to it."""
        return (scope.file.path, name, id(definition.statement), len(definition.mutations))

    def _definition(self, name: str, definition: flow.Definition, scope: Scope) -> Found:
        statement = definition.statement
        match statement:
            case Define(declaration=declaration):
                return self._declared(declaration, scope)
            case Assign() | Loop():
                return self._program.evaluator.definition(name, definition, scope)

    def _declared(self, declaration: Function | ClassDecl, scope: Scope) -> Value:
        if isinstance(declaration, Function):
            return FunctionValue(declaration, scope, scope.owner, scope.receiver)
        outer = (scope.function.name,) if scope.function is not None else ()
        return ClassValue(ClassSymbol(declaration, scope.file, outer))

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
        nested = self._nested(owner, name)
        if nested is not None:
            return ClassValue(nested)
        for alias in owner.decl.aliases:
            if alias.name == name:
                return AliasSymbol(alias, owner.file, (*owner.outer, owner.decl.name))
        if owner.decl.name == name:
            return ClassValue(owner)
        return None

    # ------------------------------------------------------------------ modules

    def module_level(self, file: FileFacts, name: str, use: Span = NO_SPAN) -> Found | None:
        """What a name means at the top level of a file; None when the file does not say."""
        if use != NO_SPAN:
            return self._module_level(file, name, use)
        key = (file.path, name)
        if key in self._module_level_settled:
            return self._module_level_settled[key]
        # In the middle of a ring the answer may not be the one that others should get.
        within = bool(self._in_progress or self._following)
        if not within and key in self._module_level_known:
            return self._module_level_known[key]
        evaluator = self._program.evaluator
        cuts = evaluator.cuts
        found = self._module_level(file, name, use)
        if cuts == evaluator.cuts:
            self._module_level_settled[key] = found
        elif not within:
            self._module_level_known[key] = found
        return found

    def _module_level(self, file: FileFacts, name: str, use: Span) -> Found | None:
        declared = self.declared_in(file, name)
        if declared is not None:
            return declared
        imports = (i for i in file.imports if i.name != "*" and (i.local or i.name) == name)
        entry = next(imports, None)
        # `from x import app`, then `app = wrap(app)`: inside, it is still the imported one.
        if entry is None or use == NO_SPAN or flow.reaching(file.statements, name, use):
            definitions = self._definitions(file.statements, name, use)
            if definitions:
                return self._defined(name, definitions, self._program.module_scope(file))
        return None if entry is None else self.imported(file, entry)

    def variable(self, file: FileFacts, name: str) -> Value | None:
        """What a file's top-level variable of that name holds, whatever else bears the name."""
        definitions = self._definitions(file.statements, name, NO_SPAN)
        if not definitions:
            return None
        found = self._defined(name, definitions, self._program.module_scope(file))
        return None if isinstance(found, AliasSymbol | BoundType) else found

    def declared_in(self, file: FileFacts, name: str) -> Found | None:
        """A class, function or alias that a file declares at its top level."""
        for declaration in file.classes:
            if declaration.name == name:
                return ClassValue(ClassSymbol(declaration, file))
        for function in file.functions:
            if function.name == name:
                return FunctionValue(function, self._program.module_scope(file))
        for alias in file.aliases:
            if alias.name == name:
                return AliasSymbol(alias, file)
        return None

    def exported(self, path: str, name: str) -> Found | None:
        """What `name` means when it is taken from the file from outside."""
        key = (path, name)
        if key in self._known_exports:
            return self._known_exports[key]
        if key in self._following or len(self._following) > MAX_IMPORT_HOPS:
            self._program.evaluator.cuts += 1
            return None
        # What is found while something else is being followed may be cut short by that.
        whole = not self._following and not self._in_progress
        cuts = self._program.evaluator.cuts
        self._following.add(key)
        try:
            found = self._exported(path, name)
        finally:
            self._following.discard(key)
        if whole or cuts == self._program.evaluator.cuts:
            self._known_exports[key] = found
        return found

    def _exported(self, path: str, name: str) -> Found | None:
        file = self._program.facts(path)
        for export in file.exports:
            if export.exported == name:
                return self._export_value(file, export)
        found = self.module_level(file, name)
        if found is not None:
            return found
        if name == "default":
            for declaration in file.classes:
                if "default" in declaration.modifiers:
                    return ClassValue(ClassSymbol(declaration, file))
            for function in file.functions:
                if "default" in function.modifiers:
                    return FunctionValue(function, self._program.module_scope(file))
        for export in file.exports:
            if export.exported == "*" and export.module:
                target = self._module_file(file, Import(module=export.module))
                found = self.exported(target, name) if target else None
                if found is not None:
                    return found
        for target in self._stars(file):
            found = self.exported(target, name)
            if found is not None:
                return found
        whole = self.exported(path, "default") if name != "default" else None
        if isinstance(whole, Record | Instance):  # `module.exports = { list: () => … }`
            member = self._program.evaluator.member(whole, name)
            if member is not None:
                return member
        for entry in file.imports:
            # CommonJS re-export of a whole module has no names of its own to look at.
            if entry.name == name and not entry.local:
                return self.imported(file, entry)
        return None

    def _export_value(self, file: FileFacts, export: Export) -> Found | None:
        if export.module:
            return self.imported(file, Import(module=export.module, name=export.name))
        scope = self._program.module_scope(file)
        if export.value is not None:
            return self._program.evaluate(export.value, scope)
        return self.module_level(file, export.name)

    def _module_file(self, file: FileFacts, entry: Import) -> str | None:
        return self._program.language.find_module(self._program.files, file.path, entry)

    def imported(self, file: FileFacts, entry: Import) -> Found:
        """What an import brings in."""
        local_root = entry.module.split(".", 1)[0]
        if not entry.name and entry.local == local_root != entry.module and local_root:
            return External(local_root)  # Python's `import a.b` binds `a`
        target = self._module_file(file, entry)
        if target is None:
            return External(_library_name(entry))
        if not entry.name:
            default = self._program.facts(target).exports
            if any(e.exported == "default" and not e.name and e.value for e in default):
                return self.exported(target, "default") or ModuleValue(target)
            return ModuleValue(target)
        found = self.exported(target, entry.name)
        if found is not None:
            return found
        submodule = self._module_file(file, Import(module=_joined(entry.module, entry.name)))
        if submodule is not None and (submodule != target or file.language == "python"):
            return ModuleValue(submodule)  # of a folder without a file of its own, the same file
        member = self._static_member(target, entry)
        if member is not None:
            return member
        if entry.name == "default":
            return ModuleValue(target)
        return Unresolved(f"`{entry.name}` is not declared in {target}", entry.span, file.path)

    def _static_member(self, target: str, entry: Import) -> Found | None:
        """Java's `import static a.b.C.member` and types nested in an imported type."""
        owner = entry.module.rsplit(".", 1)[-1]
        found = self.declared_in(self._program.facts(target), owner)
        return self._member_of(found, entry.name) if isinstance(found, ClassValue) else None

    def _member_of(self, owner: ClassValue, name: str) -> Found | None:
        nested = self._nested(owner.symbol, name)
        if nested is not None:
            return ClassValue(nested)
        return self._program.evaluator.class_member(owner, name)

    def _stars(self, file: FileFacts) -> tuple[str, ...]:
        if file.path not in self._star_targets:
            targets = (self._module_file(file, e) for e in file.imports if e.name == "*")
            self._star_targets[file.path] = tuple(t for t in targets if t is not None)
        return self._star_targets[file.path]

    def _global(self, name: str, file: FileFacts) -> Found:
        for target in self._stars(file):
            found = self.exported(target, name)
            if found is not None:
                return found
        found = self._starred_member(name, file) if self._static_stars(file) else None
        if found is not None:
            return found
        key = (file.path, name)
        if key not in self._implicit_known:
            self._implicit_known[key] = self._implicit(name, file)
        return self._implicit_known[key] or External(name)

    def _static_stars(self, file: FileFacts) -> tuple[Import, ...]:
        """Imports of all static members of a type, or (Java) of all types nested in it."""
        if file.path not in self._static_star_imports:
            shared = self._program.language.shared_imports
            everywhere = shared(self._program, file) if shared is not None else ()
            self._static_star_imports[file.path] = tuple(
                e
                for e in (*file.imports, *everywhere)
                if e.name == "*" and ("static" in e.modifiers or _is_java_type(file, e.module))
            )
        return self._static_star_imports[file.path]

    def _starred_member(self, name: str, file: FileFacts) -> Found | None:
        """Java's `import static a.b.C.*` and C#'s `using static`: a member of the type."""
        for entry in self._static_stars(file):
            target = self._module_file(file, entry)
            wanted = Import(module=entry.module, name=name)
            found = self._static_member(target, wanted) if target is not None else None
            if found is None and file.language == "csharp":
                owner = self._named_in_full(entry.module, file)
                found = self._member_of(owner, name) if owner is not None else None
            if found is not None and ("static" in entry.modifiers or isinstance(found, ClassValue)):
                return found
        return None

    def _named_in_full(self, name: str, file: FileFacts) -> ClassValue | None:
        """The type that `A.B.C` means in whichever file, also where `B` is a type."""
        key = (file.path, name)
        if key not in self._written_out:
            self._written_out[key] = None
            parts = name.split(".")
            for end in range(len(parts), 0, -1):
                found = self._implicit(".".join(parts[:end]), file)
                if isinstance(found, ClassValue):
                    symbol: ClassSymbol | None = found.symbol
                    for part in parts[end:]:
                        symbol = self._nested(symbol, part) if symbol is not None else None
                    self._written_out[key] = ClassValue(symbol) if symbol is not None else None
                    break
        return self._written_out[key]

    def named_in_full(self, name: str, file: FileFacts) -> ClassValue | None:
        """The class that a name with its package means (`a.b.Order`), where a value may stand."""
        found = self._implicit(name, file) if self._program.language.implicit_this else None
        return found if isinstance(found, ClassValue) else None

    def _implicit(self, name: str, file: FileFacts) -> Found | None:
        """An unimported type; a qualified name (`a.b.Order`) is asked for as it stands."""
        simple = name.rpartition(".")[2]
        for path in self._program.language.implicit(self._program, file, name):
            for symbol in self.classes(self._program.facts(path)):
                if symbol.decl.name == simple and not symbol.outer:
                    return ClassValue(symbol)
            found = self.declared_in(self._program.facts(path), simple)
            if found is not None:
                return found
        return None


def _unbound(parameter: TypeParam, scope: Scope) -> Found:
    if parameter.bound is not None:
        return BoundType(parameter.bound, scope.parent or scope)
    return Unresolved(f"type parameter `{parameter.name}` stands for no known type here")


def _is_java_type(file: FileFacts, module: str) -> bool:
    """Whether `import a.b.C.*` names a type rather than a package."""
    return file.language == "java" and module.rpartition(".")[2][:1].isupper()


def _library_name(entry: Import) -> str:
    if entry.name in ("", "default"):
        return entry.module
    return _joined(entry.module, entry.name)


def _joined(module: str, name: str) -> str:
    if not module or module.endswith("."):
        return module + name
    return f"{module}.{name}"


__all__ = ["Found", "Names"]
