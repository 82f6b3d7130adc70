"""What names mean at the top level of files: declarations, imports, re-exports, libraries."""

from __future__ import annotations

from contract_scan.ir.origin import NO_SPAN, Span
from contract_scan.ir.reasons import Reason
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import (
    AliasSymbol,
    BoundType,
    ClassSymbol,
    ClassValue,
    Found,
    FunctionValue,
    Instance,
    LibrarySymbol,
    ModuleValue,
    Record,
    Scope,
    Unresolved,
    Value,
)
from contract_scan.parsers.source.analysis.names.classes import Classes
from contract_scan.parsers.source.analysis.names.filled_containers import as_filled
from contract_scan.parsers.source.analysis.names.local_names import LocalNames
from contract_scan.parsers.source.analysis.names.rebound_names import ReboundNames
from contract_scan.parsers.source.facts.nodes import Export, FileFacts, Import

MAX_IMPORT_HOPS = 20
"""How many re-exports are followed; a longer chain is a ring."""


class ModuleNames:
    """Names of modules, packages and namespaces, in one program."""

    def __init__(self, program: Program, locals: LocalNames, classes: Classes) -> None:
        self._program = program
        self._locals = locals
        self._classes = classes
        self._rebound = ReboundNames(program, locals)
        self._star_targets: dict[str, tuple[str, ...]] = {}
        self._static_star_imports: dict[str, tuple[Import, ...]] = {}
        self._types_beside_members: dict[str, dict[str, Import]] = {}
        self._written_out: dict[tuple[str, str], ClassValue | None] = {}
        self._implicit_known: dict[tuple[str, str], Found | None] = {}
        self._module_level_known: dict[tuple[str, str], Found | None] = {}
        self._module_level_settled: dict[tuple[str, str], Found | None] = {}
        """Answers that nothing cut short: the same wherever they are asked for."""
        self.following: set[tuple[str, str]] = set()
        self._known_exports: dict[tuple[str, str], Found | None] = {}
        self._namespaces: dict[str, dict[str, Import]] = {}
        """File -> local names of whole modules."""

    def module_level(self, file: FileFacts, name: str, use: Span = NO_SPAN) -> Found | None:
        """What a name means at the top level of a file; None when the file does not say."""
        if use != NO_SPAN:
            return self._module_level(file, name, use)
        key = (file.path, name)
        if key in self._module_level_settled:
            return self._module_level_settled[key]
        # In the middle of a ring the answer may not be the one that others should get.
        within = bool(self._locals.in_progress or self.following)
        if not within and key in self._module_level_known:
            return self._module_level_known[key]
        evaluator = self._program.evaluator
        cuts = evaluator.budget.cuts
        found = self._module_level(file, name, use)
        if cuts == evaluator.budget.cuts:
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
        if use == NO_SPAN or self._locals.reaching(file.statements, name, use):
            before = None
        elif entry is not None:
            return self.resolve_import(file, entry)
        else:
            before = self._resolve_star_import(
                file, name
            )  # `from base import *`, then `X = {**X, "a": 1}`
        definitions = self._locals.definitions(file.statements, name, use) if before is None else ()
        if definitions:
            found = self._locals.join_definitions(
                name, definitions, self._program.module_scope(file)
            )
            if use != NO_SPAN or file.language != "python" or found is None:
                return found
            filled = as_filled(self._program, file, name, found)
            return self._rebound.with_rebound(file, name, filled)
        return before if entry is None else self.resolve_import(file, entry)

    def type_at_top_level(self, file: FileFacts, name: str) -> Found | None:
        """What a name means at the top level of a file where a type stands. A static import of a
        member (`import static a.Action.DELETE`) hides no imported type of that name."""
        if file.path not in self._types_beside_members:
            members = {i.local or i.name for i in file.imports if "static" in i.modifiers}
            self._types_beside_members[file.path] = {
                i.local or i.name: i
                for i in file.imports
                if "static" not in i.modifiers and (i.local or i.name) in members - {"*"}
            }
        entry = self._types_beside_members[file.path].get(name)
        if entry is not None and self.declared_in(file, name) is None:
            return self.resolve_import(file, entry)
        return self.module_level(file, name)

    def variable(self, file: FileFacts, name: str) -> Value | None:
        """What a file's top-level variable of that name holds, whatever else bears the name."""
        definitions = self._locals.definitions(file.statements, name, NO_SPAN)
        if not definitions:
            return None
        found = self._locals.join_definitions(name, definitions, self._program.module_scope(file))
        return None if isinstance(found, AliasSymbol | BoundType) else found

    def value_named_like_type(self, file: FileFacts, name: str) -> Value | None:
        """The variable or the import that bears the name of a type of the file (TypeScript: `import
        { State } from "./states"; type State = ValueOf<typeof State>`)."""
        entry = next((i for i in file.imports if (i.local or i.name) == name), None)
        held = self.variable(file, name)
        if held is not None or entry is None:
            return held
        found = self.resolve_import(file, entry)
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

    def resolve_export(self, path: str, name: str) -> Found | None:
        """What `name` means when it is taken from the file from outside."""
        key = (path, name)
        if key in self._known_exports:
            return self._known_exports[key]
        if key in self.following or len(self.following) > MAX_IMPORT_HOPS:
            self._program.evaluator.budget.cuts += 1
            return None
        # What is found while something else is being followed may be cut short by that.
        whole = not self.following and not self._locals.in_progress
        cuts = self._program.evaluator.budget.cuts
        self.following.add(key)
        try:
            found = self._resolve_export_uncached(path, name)
        finally:
            self.following.discard(key)
        if whole or cuts == self._program.evaluator.budget.cuts:
            self._known_exports[key] = found
        return found

    def _resolve_export_uncached(self, path: str, name: str) -> Found | None:
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
                found = self.resolve_export(target, name) if target else None
                if found is not None:
                    return found
        found = self._resolve_star_import(file, name)
        if found is not None:
            return found
        whole = self.resolve_export(path, "default") if name != "default" else None
        if isinstance(whole, Record | Instance):  # `module.exports = { list: () => … }`
            member = self._program.evaluator.member(whole, name)
            if member is not None:
                return member
        for entry in file.imports:
            # CommonJS re-export of a whole module has no names of its own to look at.
            if entry.name == name and not entry.local:
                return self.resolve_import(file, entry)
        return None

    def _export_value(self, file: FileFacts, export: Export) -> Found | None:
        if export.module:
            return self.resolve_import(file, Import(module=export.module, name=export.name))
        scope = self._program.module_scope(file)
        if export.value is not None:
            return self._program.evaluate(export.value, scope)
        return self.module_level(file, export.name)

    def _module_file(self, file: FileFacts, entry: Import) -> str | None:
        return self._program.language.find_module(self._program.files, file.path, entry)

    def _library_name(self, entry: Import) -> str:
        published = self._program.language.published
        module = entry.module if published is None else published(entry.module)
        return module if entry.name in ("", "default") else _qualified_module(module, entry.name)

    def resolve_import(self, file: FileFacts, entry: Import) -> Found:
        """What an import brings in."""
        local_root = entry.module.split(".", 1)[0]
        if not entry.name and entry.local == local_root != entry.module and local_root:
            return LibrarySymbol(local_root)  # Python's `import a.b` binds `a`
        target = self._module_file(file, entry)
        if target is None:
            return LibrarySymbol(self._library_name(entry))
        if not entry.name:
            default = self._program.facts(target).exports
            if any(e.exported == "default" and not e.name and e.value for e in default):
                return self.resolve_export(target, "default") or ModuleValue(target)
            return ModuleValue(target)
        found = self.resolve_export(target, entry.name)
        if found is not None:
            return found
        submodule = self._module_file(
            file, Import(module=_qualified_module(entry.module, entry.name))
        )
        if submodule is not None and (submodule != target or file.language == "python"):
            return ModuleValue(submodule)  # of a folder without a file of its own, the same file
        member = self._static_member(target, entry)
        if member is not None:
            return member
        if entry.name == "default":
            return ModuleValue(target)
        library = "" if entry.module.startswith(".") else self._shadowed_library(target)
        if library:
            return LibrarySymbol(_qualified_module(library, entry.name))
        return Unresolved(
            Reason("not-declared-in-module", name=entry.name, path=target), entry.span, file.path
        )

    def _shadowed_library(self, path: str) -> str:
        """The module of a library that is meant where a file of its name does not have a name."""
        shadowed_library = self._program.language.shadowed_library
        return "" if shadowed_library is None else shadowed_library(path)

    def of_module(self, local: str, name: str, scope: Scope) -> Found | None:
        """`m.name` where `m` is a whole module of JavaScript (`require("m")`, `import * as m`) that
        exports this name, whatever its default export is."""
        file = scope.file
        if file.language != "typescript":
            return None
        entry = self._whole_modules(file).get(local)
        target = self._module_file(file, entry) if entry is not None else None
        if target is None or _is_hidden(local, scope):
            return None
        exports = self._program.facts(target).exports
        if not any(export.exported == name for export in exports):
            return None
        found = self.resolve_export(target, name)
        # `module.exports = { default: x }`
        return None if name == "default" and isinstance(found, Record) else found

    def _whole_modules(self, file: FileFacts) -> dict[str, Import]:
        known = self._namespaces.get(file.path)
        if known is None:
            known = {entry.local: entry for entry in file.imports if not entry.name}
            self._namespaces[file.path] = known
        return known

    def _static_member(self, target: str, entry: Import) -> Found | None:
        """Java's `import static a.b.C.member` and types nested in an imported type."""
        owner = entry.module.rsplit(".", 1)[-1]
        found = self.declared_in(self._program.facts(target), owner)
        return self._member_of(found, entry.name) if isinstance(found, ClassValue) else None

    def _member_of(self, owner: ClassValue, name: str) -> Found | None:
        nested = self._classes.nested_class(owner.symbol, name)
        if nested is not None:
            return ClassValue(nested)
        return self._program.evaluator.class_member(owner, name)

    def _stars(self, file: FileFacts) -> tuple[str, ...]:
        if file.path not in self._star_targets:
            targets = (self._module_file(file, e) for e in file.imports if e.name == "*")
            self._star_targets[file.path] = tuple(t for t in targets if t is not None)
        return self._star_targets[file.path]

    def _resolve_star_import(self, file: FileFacts, name: str) -> Found | None:
        """The declaration that `from module import *` gives a name."""
        candidates = (self.resolve_export(target, name) for target in self._stars(file))
        return next((found for found in candidates if found is not None), None)

    def global_name(self, name: str, file: FileFacts) -> Found:
        found = self._resolve_star_import(file, name)
        if found is not None:
            return found
        found = self._starred_member(name, file) if self._static_stars(file) else None
        if found is not None:
            return found
        key = (file.path, name)
        if key not in self._implicit_known:
            self._implicit_known[key] = self.implicit(name, file)
        return self._implicit_known[key] or LibrarySymbol(name)

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
                found = self.implicit(".".join(parts[:end]), file)
                if isinstance(found, ClassValue):
                    symbol: ClassSymbol | None = found.symbol
                    for part in parts[end:]:
                        symbol = (
                            self._classes.nested_class(symbol, part) if symbol is not None else None
                        )
                    self._written_out[key] = ClassValue(symbol) if symbol is not None else None
                    break
        return self._written_out[key]

    def named_in_full(self, name: str, file: FileFacts) -> ClassValue | None:
        """The class that a name with its package means (`a.b.Order`), where a value may stand."""
        found = self.implicit(name, file) if self._program.language.implicit_this else None
        return found if isinstance(found, ClassValue) else None

    def implicit(self, name: str, file: FileFacts) -> Found | None:
        """An unimported type; a qualified name (`a.b.Order`) is asked for as it stands."""
        simple = name.rpartition(".")[2]
        for path in self._program.language.implicit(self._program, file, name):
            for symbol in self._classes.of_file(self._program.facts(path)):
                if symbol.decl.name == simple and not symbol.outer:
                    return ClassValue(symbol)
            found = self.declared_in(self._program.facts(path), simple)
            if found is None and file.language == "typescript":
                found = self.resolve_export(path, simple)
            if found is not None:
                return found
        return None


def _is_java_type(file: FileFacts, module: str) -> bool:
    """Whether `import a.b.C.*` names a type rather than a package."""
    return file.language == "java" and module.rpartition(".")[2][:1].isupper()


def _is_hidden(local: str, scope: Scope) -> bool:
    """Whether a name of a file means something else at a place inside a function."""
    current: Scope | None = scope
    while current is not None:
        params = current.function.params if current.function is not None else ()
        if local in current.bindings or any(p.name == local for p in params):
            return True
        current = current.parent
    return False


def _qualified_module(module: str, name: str) -> str:
    if not module or module.endswith("."):
        return module + name
    return f"{module}.{name}"
