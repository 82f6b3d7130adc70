"""Routers, blueprints and applications that are mounted on each other, across files."""

from __future__ import annotations

import io
import tokenize
from collections.abc import Iterator, Mapping, Sequence
from posixpath import basename
from typing import TypeAlias

from msgspec import Struct

from contract_scan.ir.operation import DYNAMIC_PREFIX, UNREACHABLE_ROUTE, Operation
from contract_scan.ir.origin import Origin, Span
from contract_scan.ir.reasons import Reason
from contract_scan.parsers.source.analysis.domain.memo import memoised
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import (
    ByType,
    ClassSymbol,
    FunctionValue,
    Instance,
    Items,
    LibraryResult,
    LibrarySymbol,
    OneOf,
    Scope,
    Value,
)
from contract_scan.parsers.source.facts.nodes import (
    Assign,
    Attribute,
    Call,
    Expr,
    Function,
    Import,
    Name,
    New,
)
from contract_scan.parsers.source.facts.visitor import nodes_of
from contract_scan.parsers.source.language import Framework
from contract_scan.parsers.source.python.resolution.calls_by_name import calls_to
from contract_scan.parsers.source.python.serialization.kinds import library_bases
from contract_scan.parsers.source.web.mount_limits import MAX_PLACES
from contract_scan.parsers.source.web.route_graph import (
    NOT_CONSTANT,
    Mount,
    MountedPath,
    Prefix,
    Role,
    RouteGraph,
    RouterId,
    application_of,
)


class Router(Struct, frozen=True, eq=False):
    """A router, blueprint or application: something that routes are added to."""

    id: RouterId
    maker: str
    """Qualified name of what made it, or of the library class behind a project's own."""
    site: Call | New
    scope: Scope


class MountCall(Struct, frozen=True, eq=False):
    """The call that puts one router under another."""

    child: RouterId
    call: Call
    scope: Scope

    def __eq__(self, other: object) -> bool:
        return isinstance(other, MountCall) and self._key == other._key

    def __hash__(self) -> int:
        return hash(self._key)

    @property
    def _key(self) -> tuple[RouterId, str, Span | None]:
        """Calls that are given nothing but the router put it there alike, wherever they stand: a
        file that is put together of copies may have hundreds."""
        if len(self.call.args) == 1:
            return (self.child, "", None)
        return (self.child, self.scope.file.path, self.call.span)


class UnresolvedRegistration(Struct, frozen=True, eq=False):
    """Routes, or a router, that could not be read."""

    parent: RouterId
    prefix: str | None
    origin: Origin


Graph: TypeAlias = RouteGraph[Router, MountCall]
Reached: TypeAlias = MountedPath[MountCall]


def route_graph(program: Program) -> Graph:
    """The routers of one library, of which none is met yet."""

    def unmounted_reason(id: RouterId, _: Role) -> Reason:
        """Why it is undetermined where a router is mounted if no code in the scan mounts it."""
        beside_application = any(one.file == id.file for one in graph.applications)
        if beside_application or may_be_used(program, id.file):
            return Reason("router-not-included")
        return UNREACHABLE_ROUTE

    graph: Graph = RouteGraph(unmounted_reason)
    return graph


def note(graph: Graph, router: Router, prefix: str | None, *, application: bool) -> None:
    """Add a router to a graph; a prefix of None is not constant."""
    graph.add(router.id, "application" if application else "router", as_prefix(prefix), router)
    graph.specialise(router.id)


def mount(
    graph: Graph,
    parent: RouterId,
    child: RouterId,
    prefix: str | None,
    call: Call,
    scope: Scope,
    *,
    replaces: bool = False,
) -> None:
    """Add to a graph that a call puts one router under another; a prefix of None is not
    constant."""
    graph.mount(child, Mount(parent, as_prefix(prefix), replaces, MountCall(child, call, scope)))


def as_prefix(prefix: str | None) -> Prefix:
    """A prefix as graphs have it; None is not constant."""
    return Prefix(DYNAMIC_PREFIX, NOT_CONSTANT) if prefix is None else Prefix(prefix)


# --------------------------------------------------------------------------- finding routers


def routers(program: Program, value: Value, makers: frozenset[str]) -> Iterator[Router]:
    """The routers that a value may be."""
    match value:
        case LibraryResult(name=name, site=site, scope=scope) if name in makers:
            yield Router(_id(program, value), name, site, scope)
        case Instance(symbol=symbol, site=site, scope=scope):
            for base in library_bases(program, symbol):
                if base.name in makers and site is not None and scope is not None:
                    yield Router(RouterId(scope.file.path, site.span), base.name, site, scope)
                    return
        case LibrarySymbol(name=name, receiver=receiver) if receiver is not None and (
            name.rpartition(".")[2] == "router"
        ):
            # `app.router` adds routes to the application that it belongs to.
            yield from routers(program, receiver, makers)
        case OneOf(options=options):
            # A name that is given so many routers is one for all of them: each of its routes on
            # each would be as many routes as their product.
            followed = options if len(options) <= MAX_PLACES else options[:1]
            for option in followed:
                yield from routers(program, option, makers)
        case Items(values=values):
            for item in values:
                yield from routers(program, item, makers)
        case _:
            return


def _id(program: Program, value: LibraryResult) -> RouterId:
    path, span = value.identity
    function = value.scope.function
    if function is None or value.scope.depth == 0:
        return RouterId(path, span)
    return RouterId(path, span, _instances(program, path, function).get(id(value.scope), ""))


def _instances(program: Program, path: str, function: Function) -> Mapping[int, str]:
    """The scopes that a function has in its calls, by their identity, with the place of each call.

    Empty unless it makes one router for each of several variables of modules: of any other call
    it cannot be known which calls make the same router again.
    """
    key = f"python.instances:{path}:{function.span.line}:{function.span.column}"
    known = program.memory.get(key)
    if isinstance(known, dict):
        return {number: place for number, (place, _) in known.items()}
    program.memory[key] = {}  # a function that calls itself makes one router for all we know
    found: dict[int, tuple[str, Scope]] = {}
    for call, scope in _calls_of(program, function):
        made = program.evaluate(call, scope)
        if scope.function is not None or not isinstance(made, LibraryResult):
            return {}
        found[id(made.scope)] = (f"{scope.file.path}:{call.span.line}", made.scope)
    if len(found) > 1:
        program.memory[key] = found
    return {number: place for number, (place, _) in found.items()} if len(found) > 1 else {}


def receivers(program: Program, expr: Expr, scope: Scope, makers: frozenset[str]) -> list[Router]:
    """The routers that an expression stands for; through the callers, where it is a parameter of
    the function around it."""
    value = program.evaluate(expr, scope)
    found = list(routers(program, value, makers))
    current: Scope | None = scope if isinstance(expr, Name) and not found else None
    while current is not None and isinstance(expr, Name):
        function = current.function
        if function is not None and any(p.name == expr.id for p in function.params):
            found = list(_routers_passed_by_callers(program, current, expr.id, makers))
            break
        current = current.parent
    if not found and isinstance(expr, Attribute):
        found = list(_routers_set_by_methods(program, expr, scope, makers))
    return found or list(_typed_router(program, value, makers))


def _routers_set_by_methods(
    program: Program, expr: Attribute, scope: Scope, makers: frozenset[str]
) -> Iterator[Router]:
    """What the methods of a class, besides its constructor, set an attribute of its objects to."""
    made = program.evaluate(expr.value, scope)
    if not isinstance(made, Instance):
        return
    for owner in (made.symbol, *program.bases(made.symbol)):
        for value, place in _attributes_set(program, owner).get(expr.name, ()):
            yield from routers(program, program.evaluate(value, place), makers)


def _attributes_set(
    program: Program, owner: ClassSymbol
) -> Mapping[str, Sequence[tuple[Expr, Scope]]]:
    """The values that the methods of a class assign to attributes of `self`, by their names."""
    key = f"python.attributes_set:{owner.file.path}:{owner.decl.span.line}"
    known = program.memory.get(key)
    if isinstance(known, dict):
        return known
    found: dict[str, list[tuple[Expr, Scope]]] = {}
    program.memory[key] = found
    for method in owner.decl.methods:
        place = program.function_scope(method, program.class_scope(owner))
        for node in nodes_of(place.statements or (), closed=(Function,)):
            match node:
                case Assign(target=Attribute(value=Name(id="this"), name=name), value=value):
                    if value is not None:
                        found.setdefault(name, []).append((value, place))
                case _:
                    continue
    return found


def _typed_router(program: Program, value: Value, makers: frozenset[str]) -> Iterator[Router]:
    """A router of which only the type is known: of a parameter that nobody is seen to fill."""
    if isinstance(value, ByType) and (name := program.evaluator.qualified_name(value)) in makers:
        named = Name(name.rpartition(".")[2], span=value.span)
        site = Call(named, span=value.span)
        yield Router(RouterId(value.scope.file.path, value.span), name, site, value.scope)


def _routers_passed_by_callers(
    program: Program, scope: Scope, name: str, makers: frozenset[str]
) -> Iterator[Router]:
    """What the callers of a function pass for one of its parameters."""
    function = scope.function
    assert function is not None
    wanted = ",".join(sorted(makers))  # Every library asks for its own.
    key = f"python.callers:{scope.file.path}:{function.span.line}:{name}:{wanted}"
    known = program.memory.get(key)
    if isinstance(known, tuple):
        yield from known
        return
    program.memory[key] = ()  # a ring of callers ends here
    position = next(i for i, p in enumerate(function.params) if p.name == name)
    passed: dict[RouterId, Router] = {}
    for call, place in _calls_of(program, function):
        given = [a.value for a in call.args if not a.name and not a.spread]
        named = [a.value for a in call.args if a.name == name]
        expr = named[0] if named else given[position] if position < len(given) else None
        if expr is not None:
            for router in receivers(program, expr, place, makers):
                passed.setdefault(router.id, router)
    result = tuple(passed.values())
    program.memory[key] = result
    yield from result


def _calls_of(program: Program, function: Function) -> Iterator[tuple[Call, Scope]]:
    """The calls of a function, under whatever name a file imports it."""
    names = (function.name, *_imported_as(program, function.name))
    for call, place in (found for called in names for found in calls_to(program, called)):
        callee = program.evaluate(call.callee, place)
        if isinstance(callee, FunctionValue) and callee.function.span == function.span:
            yield call, place


def _imported_as(program: Program, name: str) -> list[str]:
    """The other names that files import a function under."""
    found = {
        entry.local
        for path in program.files_containing(name.encode())
        for entry in program.facts(path).imports
        if entry.name == name and entry.local not in ("", name)
    }
    return sorted(found)


# Whether anything may use what a file makes: a router that no other file uses cannot serve.

_LOADERS = (
    b"import_module",
    b"__import__(",
    b"import_string",
    b"entry_points",
    b"pkgutil",
    b"find_modules",
    b"exec_module",
    b"load_module",
    b"runpy",
    b"auto_discover",
    b"autodiscover",
)
"""What loads modules by names that the code makes up."""


@memoised
def may_be_used(program: Program, path: str) -> bool:
    """Whether what a file makes may be used elsewhere, or the file be run by itself."""
    name = basename(path).removesuffix(".py")
    if name.startswith("__"):  # A package is loaded with whatever is in it.
        return True
    if path in program.files_containing(b"__main__") or program.any_file_contains(*_LOADERS):
        return True
    return _is_named_in_text(program, name) or any(
        _uses(program, other, path, name)
        for other in program.files_with_word(name)
        if other != path
    )


def _is_named_in_text(program: Program, name: str) -> bool:
    """`"shop.orders"`, `"shop.orders:router"`: a library may load what a text names."""
    ends = [f".{name}{end}".encode() for end in ('"', "'", ":")]
    whole = [f"{quote}{name}:".encode() for quote in ('"', "'")]
    return program.any_file_contains(*ends, *whole)


def _uses(program: Program, importer: str, path: str, name: str) -> bool:
    """Whether a file imports the other one and does something with it."""
    for entry in program.facts(importer).imports:
        if not _may_mean(program, importer, entry, path, name):
            continue
        local = entry.local.partition("@")[0]
        if entry.name == "*" or _is_mentioned(program, importer, {local, name}):
            return True
        if local and _is_handed_on(program, importer, local):
            return True
    return False


def _may_mean(program: Program, importer: str, entry: Import, path: str, name: str) -> bool:
    """Whether an import may bring the file: its name stands in it, and no other file is meant."""
    if name not in (entry.name, *entry.module.split(".")):
        return False
    found = program.language.find_module(program.files, importer, entry)
    # The file of a package is what is found of `from package import module` where it has one.
    return found is None or found == path or basename(found) == "__init__.py"


def _is_handed_on(program: Program, importer: str, local: str) -> bool:
    """Whether other files take the imported name out of the file that imports it."""
    for other in program.files_with_word(local):
        for entry in program.facts(other).imports if other != importer else ():
            if program.language.find_module(program.files, other, entry) != importer:
                continue
            if entry.name in (local, "*") or (
                not entry.name and _is_mentioned(program, other, {local})
            ):
                return True
    return False


def _is_mentioned(program: Program, path: str, names: set[str]) -> bool:
    """Whether a name stands in a file other than in its imports, or as a text (`__all__`)."""
    source = program.files.read(path)
    if source is None:
        return True
    texts = {quoted for name in names for quoted in (f'"{name}"', f"'{name}'")}
    first = True
    imports = False
    try:
        for token in tokenize.tokenize(io.BytesIO(source).readline):
            if token.type == tokenize.NAME and first:
                imports = token.string in ("import", "from")
            if token.type in (tokenize.NAME, tokenize.STRING):
                if not imports and token.string in names | texts:
                    return True
                first = False
            elif token.type == tokenize.NEWLINE:
                first, imports = True, False
            elif token.type == tokenize.OP:
                first = False
    except (tokenize.TokenError, SyntaxError):
        return True
    return False


def unread_routes(
    framework: Framework, path: str, origin: Origin, reason: Reason, place: Reached | None = None
) -> Operation:
    """What stands for routes that could not be read: any method of any path like this one."""
    return Operation(
        method="*",
        path=path,
        parameters_complete=False,
        origin=origin,
        framework=framework.name,
        application=None if place is None else application_of(place),
        excluded_from_docs=True,
        unresolved=reason,
    )
