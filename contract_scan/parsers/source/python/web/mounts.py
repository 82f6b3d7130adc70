"""Routers, blueprints and applications that are mounted on each other, across files."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, TypeAlias

from msgspec import Struct

from contract_scan.ir.operation import UNSERVED, UNTOLD_PREFIX
from contract_scan.ir.origin import Span
from contract_scan.parsers.source.analysis.domain.values import (
    FunctionValue,
    Instance,
    Items,
    Made,
    OneOf,
    Scope,
    Typed,
    Value,
)
from contract_scan.parsers.source.analysis.evaluation.call_sites import calls_in
from contract_scan.parsers.source.facts import Call, Expr, Name, New
from contract_scan.parsers.source.mounting import TOO_DEEP, TOO_MANY, Steps, first_places
from contract_scan.parsers.source.python.serialization.kinds import library_bases
from contract_scan.parsers.source.python.web.usage import may_be_used

if TYPE_CHECKING:
    from contract_scan.parsers.source.analysis.domain.program import Program

Identity: TypeAlias = tuple[str, Span]
"""The place where a router is made."""

_DEEPEST = 12
"""How many mounts lie between an application and a route."""


class Router(Struct, frozen=True, eq=False):
    """A router, blueprint or application: something that routes are added to."""

    identity: Identity
    maker: str
    """Qualified name of what made it, or of the library class behind a project's own."""
    site: Call | New
    scope: Scope


class Mount(Struct, frozen=True, eq=False):
    """One router put under another."""

    child: Identity
    prefix: str | None
    """None: it could not be told."""
    call: Call
    scope: Scope
    replaces: bool = False
    """The prefix stands instead of the one the child was made with (Flask)."""


class Place(Struct, frozen=True, eq=False):
    """One place at which a router's routes are reached."""

    prefix: str
    unresolved: str = ""
    mounts: tuple[Mount, ...] = ()
    """From the application down to the router."""


class Mounts:
    """All routers that are met, and what is mounted where."""

    def __init__(self, program: Program) -> None:
        self._program = program
        self.routers: dict[Identity, Router] = {}
        self.prefixes: dict[Identity, str | None] = {}
        """What a router puts before its own routes."""
        self.applications: set[Identity] = set()
        self._parents: dict[Identity, list[tuple[Identity, Mount]]] = {}

    def add(self, router: Router, prefix: str | None, *, application: bool) -> None:
        """Note a router."""
        if router.identity not in self.routers:
            self.routers[router.identity] = router
            self.prefixes[router.identity] = prefix
            if application:
                self.applications.add(router.identity)

    def mount(self, parent: Identity, mount: Mount) -> None:
        """Note that a router is mounted on another."""
        known = self._parents.setdefault(mount.child, [])
        if not any(p == parent and m.call.span == mount.call.span for p, m in known):
            known.append((parent, mount))

    def places(self, router: Identity) -> list[Place]:
        """Every place at which the routes of a router are reached; its own prefix included."""
        steps = Steps()
        found = self._places(router, (), None, steps)
        return list(first_places(found, lambda: Place(UNTOLD_PREFIX, TOO_MANY), steps))

    def _places(
        self, router: Identity, below: tuple[Identity, ...], mount: Mount | None, steps: Steps
    ) -> Iterator[Place]:
        own = self.prefixes.get(router, "")
        if mount is not None and mount.replaces:
            own = ""
        parents = self._parents.get(router, ())
        if router in below or not steps.take():
            return
        if len(below) > _DEEPEST:
            yield Place(UNTOLD_PREFIX, TOO_DEEP)
            return
        if not parents:
            lost = self._why_lost(router)
            yield _extended(Place(UNTOLD_PREFIX if lost else "", lost), own)
            return
        for parent, edge in parents:
            for place in self._places(parent, (*below, router), None, steps):
                reached = Place(place.prefix, place.unresolved, (*place.mounts, edge))
                reached = _extended(reached, edge.prefix)
                yield reached if edge.replaces else _extended(reached, own)

    def _why_lost(self, router: Identity) -> str:
        """Why it is not told where a router is reached that nothing is seen to mount."""
        if not self.applications or router in self.applications:
            return ""
        beside_application = any(path == router[0] for path, _ in self.applications)
        if beside_application or may_be_used(self._program, router[0]):
            return "no application that can be seen includes this router"
        return UNSERVED


def _extended(place: Place, prefix: str | None) -> Place:
    if prefix is None:
        reason = place.unresolved or "a prefix of the router is not constant"
        return Place(place.prefix + UNTOLD_PREFIX, reason, place.mounts)
    return Place(place.prefix + prefix, place.unresolved, place.mounts)


# --------------------------------------------------------------------------- finding routers


def routers(program: Program, value: Value, makers: frozenset[str]) -> Iterator[Router]:
    """The routers that a value may be."""
    match value:
        case Made(name=name, site=site, scope=scope) if name in makers:
            yield Router(value.identity, name, site, scope)
        case Instance(symbol=symbol, site=site, scope=scope):
            for base in library_bases(program, symbol):
                if base.name in makers and site is not None and scope is not None:
                    yield Router((scope.file.path, site.span), base.name, site, scope)
                    return
        case OneOf(options=options):
            for option in options:
                yield from routers(program, option, makers)
        case Items(values=values):
            for item in values:
                yield from routers(program, item, makers)
        case _:
            return


def receivers(program: Program, expr: Expr, scope: Scope, makers: frozenset[str]) -> list[Router]:
    """The routers that an expression stands for; through the callers, where it is a parameter of
    the function around it."""
    value = program.evaluate(expr, scope)
    found = list(routers(program, value, makers))
    current: Scope | None = scope if isinstance(expr, Name) and not found else None
    while current is not None and isinstance(expr, Name):
        function = current.function
        if function is not None and any(p.name == expr.id for p in function.params):
            found = list(_from_callers(program, current, expr.id, makers))
            break
        current = current.parent
    return found or list(_typed(program, value, makers))


def _typed(program: Program, value: Value, makers: frozenset[str]) -> Iterator[Router]:
    """A router of which only the type is known: of a parameter that nobody is seen to fill."""
    if isinstance(value, Typed) and (name := program.evaluator.qualified(value)) in makers:
        named = Name(name.rpartition(".")[2], span=value.span)
        site = Call(named, span=value.span)
        yield Router((value.scope.file.path, value.span), name, site, value.scope)


def _from_callers(
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
    passed: dict[Identity, Router] = {}
    names = (function.name, *_imported_as(program, function.name))
    for call, place in (found for called in names for found in calls_to(program, called)):
        callee = program.evaluate(call.callee, place)
        if not isinstance(callee, FunctionValue) or callee.function.span != function.span:
            continue
        given = [a.value for a in call.args if not a.name and not a.spread]
        named = [a.value for a in call.args if a.name == name]
        expr = named[0] if named else given[position] if position < len(given) else None
        if expr is not None:
            for router in receivers(program, expr, place, makers):
                passed.setdefault(router.identity, router)
    result = tuple(passed.values())
    program.memory[key] = result
    yield from result


def _imported_as(program: Program, name: str) -> list[str]:
    """The other names that files import a function under."""
    found = {
        entry.local
        for path in program.holding(name.encode())
        for entry in program.facts(path).imports
        if entry.name == name and entry.local not in ("", name)
    }
    return sorted(found)


def calls_to(program: Program, name: str) -> Iterator[tuple[Call, Scope]]:
    """Calls of something by this name, in the files that mention it. Bodies are read as needed."""
    key = f"python.calls:{name}"
    known = program.memory.get(key)
    if isinstance(known, tuple):
        yield from known
        return
    calls = [
        (call, scope)
        for path in program.holding(name.encode())
        for call, scope in all_calls(program, path)
        if isinstance(call, Call) and called_name(call) == name
    ]
    program.memory[key] = tuple(calls)
    yield from calls


def called_name(call: Call) -> str:
    """The last part of the name that is called."""
    callee = call.callee
    return callee.id if isinstance(callee, Name) else getattr(callee, "name", "")


def all_calls(program: Program, path: str) -> tuple[tuple[Call | New, Scope], ...]:
    """Every call of a file, those in functions that were not lowered at first included."""
    key = f"python.all_calls:{path}"
    known = program.memory.get(key)
    if isinstance(known, tuple):
        return known
    file = program.facts(path)
    module = program.module_scope(file)
    found = list(calls_in(program, file.statements, module, tables=True))
    for function in file.functions:
        scope = program.function_scope(function, module)
        found.extend(calls_in(program, scope.statements or (), scope, tables=True))
    for symbol in program.classes(file):
        inside = program.class_scope(symbol)
        for member in symbol.decl.members:
            if member.value is not None and "constructor" not in member.modifiers:
                found.extend(calls_in(program, (member.value,), inside))
        for method in symbol.decl.methods:
            scope = program.function_scope(method, inside)
            found.extend(calls_in(program, scope.statements or (), scope, tables=True))
    result = tuple(found)
    program.memory[key] = result
    return result
