"""What the applications of Jersey register by name: `register(Orders.class)` in a `ResourceConfig`.

One that neither scans packages nor is given classes that are not seen serves what it names alone
(Jersey's user guide, "Application Deployment and Runtime Environments"): another class with `@Path`
is served where a locator leads to it.
"""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct

from contract_scan.parsers.source.analysis.domain.memo import memoised
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import (
    ByType,
    ClassSymbol,
    ClassValue,
    Instance,
    Scope,
    Unresolved,
)
from contract_scan.parsers.source.analysis.evaluation.call_sites import calls_in
from contract_scan.parsers.source.discovery.test_code import is_test
from contract_scan.parsers.source.facts.nodes import Attribute, Call, Expr, New, TypeValue
from contract_scan.parsers.source.facts.visitor import nodes_of
from contract_scan.parsers.source.java.resolution.annotations import type_name
from contract_scan.parsers.source.java.resolution.build import module_of, users
from contract_scan.parsers.source.java.resolution.dependencies import everywhere
from contract_scan.parsers.source.java.web.chains import method

_BASE = "ResourceConfig"
_EACH = frozenset({"registerClasses", "registerInstances"})
_REGISTERING = _EACH | {"register"}
_OPENING = frozenset({"packages", "registerFinder", "registerResources", "files", "forApplication"})
_PROPERTIES = b"jersey.config.server.provider."
"""What names packages or classes in `web.xml`, in settings and in code."""


class Registration(Struct, frozen=True, eq=False):
    """What one application registers."""

    file: str
    classes: frozenset[str]
    """Keys of classes of the project: resources and providers."""
    is_whole: bool
    """Whether it serves nothing besides."""


def registered_beside(program: Program, resource: ClassSymbol) -> frozenset[str]:
    """Keys of what the one application registers that registers a resource; empty where several
    do, or where none is seen."""
    found = [each for each in _registrations(program) if resource.key in each.classes]
    return found[0].classes if len(found) == 1 else frozenset()


def is_left_out(program: Program, resource: ClassSymbol) -> bool:
    """Whether each application that could serve a resource registers others by name, not it."""
    module = module_of(program, resource.file.path)
    serving = {module, *users(program, module)}
    near = [each for each in _registrations(program) if module_of(program, each.file) in serving]
    keys = {each.key for each in (resource, *program.bases(resource))}
    return bool(near) and all(each.is_whole and not keys & each.classes for each in near)


@memoised
def _registrations(program: Program) -> list[Registration]:
    return list(_found(program))


def _found(program: Program) -> Iterator[Registration]:
    named_elsewhere = bool(everywhere(program, _PROPERTIES)) or any(
        _PROPERTIES in (program.files.read(path) or b"")
        for path in program.files.files_named("web.xml")
    )
    for path in everywhere(program, _BASE.encode()):
        if is_test(path):
            continue
        file = program.facts(path)
        for symbol in program.classes(file):
            chain = (symbol, *program.bases(symbol))
            if any(type_name(base) == _BASE for each in chain for base in each.decl.bases):
                yield _of_class(program, symbol, is_whole=len(chain) == 1 and not named_elsewhere)
        for call, _ in program.calls(file):
            if isinstance(call, New) and type_name(call.type) == _BASE:
                yield Registration(path, frozenset(), is_whole=False)


def _of_class(program: Program, symbol: ClassSymbol, *, is_whole: bool) -> Registration:
    keys: set[str] = set()
    inside = program.class_scope(symbol)
    for function in symbol.decl.methods:
        scope = program.function_scope(function, inside)
        called: set[int] = set()
        for call, place in calls_in(program, scope.statements or (), scope):
            if not isinstance(call, Call):
                continue
            called.add(id(call.callee))
            name = method(call)
            is_whole = is_whole and name not in _OPENING
            if name in _REGISTERING:
                for argument in call.args if name in _EACH else call.args[:1]:
                    key = _key(program, argument.value, place)
                    is_whole = is_whole and key is not None
                    keys.update(filter(None, [key]))
        is_whole = is_whole and not any(
            isinstance(node, Attribute) and node.name in _REGISTERING and id(node) not in called
            for node in nodes_of(scope.statements or ())
        )
    return Registration(symbol.file.path, frozenset(keys), is_whole and bool(keys))


def _key(program: Program, expr: Expr, scope: Scope) -> str | None:
    """The key of the class that is registered; empty where it is a library's, None where it is
    undetermined which."""
    if isinstance(expr, TypeValue | New):
        found = program.names.declared_class(expr.type, scope)
        return "" if found is None else found.key
    match program.evaluate(expr, scope):
        case Instance(symbol=symbol) | ClassValue(symbol=symbol):
            return symbol.key
        case ByType(type=type, scope=place):
            found = program.names.declared_class(type, place)
            return "" if found is None else found.key
        case Unresolved():
            return None
        case _:
            return ""
