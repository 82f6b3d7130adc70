"""CherryPy's trees of objects: what is mounted where, and the methods that answer below it."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct
from msgspec.structs import replace

from contract_scan.ir.origin import Origin
from contract_scan.ir.reasons import NO_REASON, Reason
from contract_scan.parsers.source.analysis.dataflow import reaching_definitions
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import (
    ClassSymbol,
    ClassValue,
    Constant,
    FunctionValue,
    Instance,
    LibraryResult,
    Record,
    Scope,
    Value,
    is_null,
    origin_at,
)
from contract_scan.parsers.source.facts.nodes import Assign, Attribute, Call, Expr, Name
from contract_scan.parsers.source.python.web.common import (
    call_argument,
    flatten_values,
    text,
)

METHODS = ("GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS")
_DEEPEST = 8
_JSON = "tools.json_out.on"
_DISPATCH = "request.dispatch"


class Settings(Struct, frozen=True, eq=False):
    """What the configuration says of a part of the tree."""

    by_method: bool = False
    """`MethodDispatcher`."""
    json: bool = False
    """`tools.json_out.on`."""
    undetermined: Reason = NO_REASON
    """Why the dispatcher is undetermined."""


class Handler(Struct, frozen=True, eq=False):
    """A method that answers below a path."""

    path: str
    method: str
    """`*`: every method."""
    view: FunctionValue
    owner: ClassSymbol
    settings: Settings
    origin: Origin
    unresolved: Reason = NO_REASON
    takes_rest: bool = False
    """Further segments of the path are its parameters."""


class MountedTree(Struct, frozen=True, eq=False):
    """One tree."""

    root: Value
    prefix: str
    is_prefix_known: bool
    config: Value | None
    call: Call
    scope: Scope


def mounted_tree(program: Program, call: Call, scope: Scope) -> MountedTree | None:
    """`cherrypy.tree.mount(Root(), "/api", config)`, `quickstart`, `Application`."""
    name = call.callee.name if isinstance(call.callee, Attribute) else ""
    if name not in ("mount", "quickstart", "Application"):
        return None
    qualified = _qualified_name(program, call.callee, scope)
    if not qualified.startswith("cherrypy."):
        return None
    root = call_argument(call.args, "root", 0)
    prefix_expr = call_argument(call.args, "script_name", 1)
    prefix = "" if prefix_expr is None else text(program, prefix_expr, scope)
    config = call_argument(call.args, "config", 2)
    value = None if config is None else program.evaluate(config, scope)
    return MountedTree(
        Constant(None) if root is None else program.evaluate(root, scope),
        "" if prefix is None else prefix.rstrip("/"),
        prefix is not None,
        None if value is None or is_null(value) else value,
        call,
        scope,
    )


def _qualified_name(program: Program, expr: Expr, scope: Scope) -> str:
    value = program.evaluate(expr, scope)
    return program.evaluator.qualified_name(value)


def handlers(program: Program, tree: MountedTree) -> Iterator[Handler]:
    """Every method of a tree that answers."""
    for root in flatten_values(tree.root):
        walker = _Walker(program, tree, _attribute_assignments(root))
        yield from walker.node(root, tree.prefix, (), _DEEPEST)


def _attribute_assignments(root: Value) -> dict[tuple[str, ...], tuple[Expr, Scope]]:
    """`root.users = Users()`: what code assigns into a tree where it makes the tree's root."""
    scope = root.scope if isinstance(root, Instance) else None
    if not isinstance(root, Instance) or root.site is None or scope is None:
        return {}
    statements = list(reaching_definitions.nested_statements(scope.statements or ()))
    root_assignments = (s for s in statements if isinstance(s, Assign) and s.value is root.site)
    name = next((s.target.id for s in root_assignments if isinstance(s.target, Name)), "")
    found: dict[tuple[str, ...], tuple[Expr, Scope]] = {}
    for statement in statements:
        if not name or not isinstance(statement, Assign) or statement.value is None:
            continue
        names: list[str] = []
        target: Expr = statement.target
        while isinstance(target, Attribute):
            names.append(target.name)
            target = target.value
        if names and isinstance(target, Name) and target.id == name:
            found[tuple(reversed(names))] = (statement.value, scope)
    return found


class _Walker:
    def __init__(
        self, program: Program, tree: MountedTree, added: dict[tuple[str, ...], tuple[Expr, Scope]]
    ) -> None:
        self._program = program
        self._tree = tree
        self._added = added

    def node(
        self, value: Value, path: str, trail: tuple[str, ...], levels: int
    ) -> Iterator[Handler]:
        """The handlers of an object and of those that it holds."""
        if not levels or not isinstance(value, Instance | ClassValue):
            return
        symbol = value.symbol
        settings = self._settings(symbol, path)
        for around in (path, *self._popargs_paths(symbol, path)):
            yield from self._own_handlers(symbol, around, settings)
            for name, inner in self._child_objects(value, trail):
                yield from self.node(inner, f"{around}/{name}", (*trail, name), levels - 1)

    def _own_handlers(
        self, symbol: ClassSymbol, path: str, settings: Settings
    ) -> Iterator[Handler]:
        program = self._program
        if settings.by_method:
            if self._is_exposed_class(symbol):
                for method in METHODS:
                    view = program.find_method(symbol, method)
                    if view is not None:
                        yield self._handler(symbol, view, path or "/", method, settings)
            return
        if program.find_method(symbol, "_cp_dispatch") is not None:
            settings = replace(settings, undetermined=Reason("cp-dispatch-decides-path"))
        for owner in (symbol, *program.bases(symbol)):
            for function in owner.decl.methods:
                view = program.find_method(symbol, function.name)
                if view is None or view.function is not function or not self._is_exposed(view):
                    continue
                where = path if function.name in ("index", "default") else f"{path}/{function.name}"
                for method in self._allowed_methods(view):
                    yield self._handler(symbol, view, where or "/", method, settings)

    def _handler(
        self,
        symbol: ClassSymbol,
        view: FunctionValue,
        path: str,
        method: str,
        settings: Settings,
    ) -> Handler:
        bound = replace(view, receiver=Instance(symbol))
        own = self._own_settings(view, settings)
        origin = origin_at(view.scope, view.function.name_span)
        rest = settings.by_method or view.function.name not in ("index",)
        why = NO_REASON if self._tree.is_prefix_known else Reason("mount-path-not-constant")
        return Handler(path, method, bound, symbol, own, origin, why or own.undetermined, rest)

    # ------------------------------------------------------------------ what is exposed

    def _is_exposed(self, view: FunctionValue) -> bool:
        for annotation in view.function.annotations:
            if annotation.callee is None:
                continue
            outside = view.scope.parent or view.scope
            name = self._program.qualified_name(annotation.callee, outside)
            if name == "cherrypy.expose" or name.endswith("cherrypy.expose"):
                return True
        for member in view.owner.decl.members if view.owner is not None else ():
            if member.name == view.function.name and member.value is not None:
                return True
        return self._is_marked_exposed(view)

    def _is_marked_exposed(self, view: FunctionValue) -> bool:
        """`index.exposed = True` in the body of the class."""
        owner = view.owner
        text = b"%s.exposed = True" % view.function.name.encode()
        span = owner.decl.span if owner is not None else view.function.span
        lines = self._program.files.lines(view.scope.file.path, span.line, span.end_line)
        return any(line.strip() == text for line in lines)

    def _is_exposed_class(self, symbol: ClassSymbol) -> bool:
        program = self._program
        for owner in (symbol, *program.bases(symbol)):
            scope = program.class_scope(owner)
            for annotation in owner.decl.annotations:
                outside = scope.parent or scope
                callee = annotation.callee
                if (
                    callee is not None
                    and program.qualified_name(callee, outside) == "cherrypy.expose"
                ):
                    return True
            for member in owner.decl.members:
                if member.name == "exposed" and member.value is not None:
                    value = program.evaluate(member.value, scope)
                    return not (isinstance(value, Constant) and value.value is False)
        return False

    def _allowed_methods(self, view: FunctionValue) -> tuple[str, ...]:
        """`@cherrypy.tools.allow(methods=["POST"])`."""
        for annotation in view.function.annotations:
            if annotation.name.endswith("tools.allow"):
                outside = view.scope.parent or view.scope
                found = self._program.texts(call_argument(annotation.args, "methods", 0), outside)
                known = tuple(item.upper() for item in found if item is not None)
                if known:
                    return known
        return ("*",)

    # ------------------------------------------------------------------ the tree

    def _child_objects(
        self, value: Instance | ClassValue, trail: tuple[str, ...]
    ) -> Iterator[tuple[str, Value]]:
        program = self._program
        seen: set[str] = set()
        instance = value if isinstance(value, Instance) else Instance(value.symbol)
        for owner in (value.symbol, *program.bases(value.symbol)):
            for member in owner.decl.members:
                if member.name in seen or member.name.startswith("_"):
                    continue
                seen.add(member.name)
                found = program.evaluator.member(instance, member.name)
                for inner in flatten_values(found) if found is not None else ():
                    if isinstance(inner, Instance) and inner.site is not None:
                        yield member.name, inner
        for names, (expr, scope) in self._added.items():
            if names[:-1] == trail and names[-1] not in seen:
                for inner in flatten_values(program.evaluate(expr, scope)):
                    if isinstance(inner, Instance):
                        yield names[-1], inner

    def _popargs_paths(self, symbol: ClassSymbol, path: str) -> Iterator[str]:
        """`@cherrypy.popargs("id")`: paths with the segments that CherryPy takes off before it
        asks the class."""
        scope = self._program.class_scope(symbol)
        outside = scope.parent or scope
        for annotation in symbol.decl.annotations:
            if not annotation.name.endswith("popargs"):
                continue
            names = [
                self._program.text(argument.value, outside)
                for argument in annotation.args
                if not argument.name
            ]
            for name in names:
                path = f"{path}/{{{name or 'arg'}}}"
                yield path

    # ------------------------------------------------------------------ configuration

    def _settings(self, symbol: ClassSymbol, path: str) -> Settings:
        """What the configuration of the application says for a path, and the class for itself."""
        settings = Settings()
        config = self._tree.config
        if config is not None and not isinstance(config, Record):
            # Methods that are called so tell which dispatcher the file names.
            named = any(self._program.find_method(symbol, method) for method in METHODS)
            undetermined = NO_REASON if named else Reason("tree-configuration-not-read")
            settings = replace(settings, by_method=named, undetermined=undetermined)
        relative = path.removeprefix(self._tree.prefix) or "/"
        if isinstance(config, Record):
            for entry in sorted(config.entries, key=lambda entry: len(entry.name)):
                inside = f"{relative}/".startswith(f"{entry.name.rstrip('/')}/")
                if inside and isinstance(entry.value, Record):
                    settings = self._with_section(settings, entry.value)
        for owner in reversed((symbol, *self._program.bases(symbol))):
            for member in owner.decl.members:
                if member.name == "_cp_config" and member.value is not None:
                    inner = self._program.evaluate(member.value, self._program.class_scope(owner))
                    if isinstance(inner, Record):
                        settings = self._with_section(settings, inner)
        return settings

    def _with_section(self, settings: Settings, section: Record) -> Settings:
        for entry in section.entries:
            if entry.name == _DISPATCH:
                dispatcher = entry.value
                name = (
                    dispatcher.name.rpartition(".")[2]
                    if isinstance(dispatcher, LibraryResult)
                    else ""
                )
                by_method = name == "MethodDispatcher"
                undetermined = (
                    NO_REASON
                    if by_method or name == "Dispatcher"
                    else Reason("dispatcher-not-read")
                )
                settings = replace(settings, by_method=by_method, undetermined=undetermined)
            elif entry.name == _JSON:
                is_on = isinstance(entry.value, Constant) and entry.value.value is True
                settings = replace(settings, json=is_on)
        return settings

    def _own_settings(self, view: FunctionValue, settings: Settings) -> Settings:
        for annotation in view.function.annotations:
            if annotation.name.endswith("tools.json_out"):
                return replace(settings, json=True)
        return settings
