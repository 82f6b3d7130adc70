"""Routes of FastAPI and Starlette as they are written: decorators, calls, objects in a list."""

from __future__ import annotations

from msgspec import Struct

from contract_scan.ir.origin import Origin
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import (
    FunctionValue,
    Instance,
    LibraryResult,
    Scope,
    Value,
)
from contract_scan.parsers.source.facts.nodes import Argument, Call, Expr
from contract_scan.parsers.source.python.serialization.kinds import library_bases
from contract_scan.parsers.source.python.web.common import call_argument
from contract_scan.parsers.source.python.web.mounts import Router


class Route(Struct, frozen=True, eq=False):
    """One use of a verb on a router: decorator, or a call that adds a route."""

    router: Router
    methods: tuple[str, ...] | None
    """None: they are undetermined."""
    args: tuple[Argument, ...]
    scope: Scope
    handler: FunctionValue | None
    name: str
    origin: Origin
    mount_path: str = ""
    """Path of the mounts that the route is listed in."""

    def argument(self, name: str, position: int = -1) -> Expr | None:
        """An argument by name or position."""
        positional = [a.value for a in self.args if not a.name and not a.spread]
        for item in self.args:
            if item.name == name:
                return item.value
        return positional[position] if 0 <= position < len(positional) else None


def argument(call: Call, position: int, *names: str) -> Expr | None:
    """An argument of a call by name or position."""
    for item in call.args:
        if item.name and item.name in names:
            return item.value
    return call_argument(call.args, "*", position)


def route_object(program: Program, value: Value) -> LibraryResult | None:
    """A value as the route of a library, also where the project derives a class from one."""
    if isinstance(value, LibraryResult):
        return value
    if isinstance(value, Instance) and isinstance(value.site, Call) and value.scope is not None:
        if program.find_method(value.symbol, "__init__") is not None:
            return None
        for base in library_bases(program, value.symbol):
            if base.name.startswith(("starlette.routing.", "fastapi.routing.")):
                return LibraryResult(base.name, value.site, value.scope)
    return None


def partially_applied(program: Program, value: Value) -> Value:
    """The function in `functools.partial(function, …)`."""
    if isinstance(value, LibraryResult) and value.name == "functools.partial" and value.site.args:
        return program.evaluate(value.site.args[0].value, value.scope)
    return value


def call_of(made: LibraryResult) -> Call:
    """The call that makes a route."""
    site = made.site
    assert isinstance(site, Call)
    return Call(site.callee, site.args, span=site.span)
