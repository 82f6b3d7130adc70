"""What a project adds to types of libraries: `declare module "fastify" { interface … }`, `declare
global { namespace Express { … } }`, and what Fastify is decorated with."""

from __future__ import annotations

from contract_scan.parsers.source.analysis.domain.memo import memoised
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import (
    ByType,
    ClassSymbol,
    LibrarySymbol,
    Scope,
    Value,
)
from contract_scan.parsers.source.facts.nodes import Attribute, Call, Expr
from contract_scan.parsers.source.typescript.resolution import walker
from contract_scan.parsers.source.typescript.resolution.modules import package_name

_EXPRESS = ("Express.Request", "express-serve-static-core.Request", "express.Request")
_FASTIFY = ("fastify.FastifyInstance",)
_SAME: dict[str, tuple[str, ...]] = {
    "express.Request": _EXPRESS,
    "<request>.server.app": ("@hapi/hapi.ServerApplicationState",),
    "@hapi/hapi.Server.app": ("@hapi/hapi.ServerApplicationState",),
    "this": _FASTIFY,
}
"""Names of values and types of libraries -> interfaces that a project may have added to."""
_DECORATORS = {"decorate": "fastify.FastifyInstance", "decorateRequest": "fastify.FastifyRequest"}


def attribute(program: Program, value: Value, name: str) -> Value | None:
    """A member that the project has added to the type of a value; None where it has not."""
    if isinstance(value, ByType):
        qualified = program.evaluator.qualified_name(value) or ""
    elif isinstance(value, LibrarySymbol):
        qualified = value.name
    else:
        return None
    for interface in _SAME.get(qualified, (qualified,)):
        for symbol in _interfaces(program).get(interface, ()):
            for member in symbol.decl.members:
                if member.name == name and member.type is not None:
                    return ByType(member.type, program.module_scope(symbol.file), member.span)
        given = _decorations(program).get((interface, name))
        if given is not None:
            return program.evaluate(*given)
    return None


@memoised
def _interfaces(program: Program) -> dict[str, list[ClassSymbol]]:
    """Interfaces of libraries that the project adds to, by their qualified names."""
    found: dict[str, list[ClassSymbol]] = {}
    for path in program.files_containing(b"declare module", b"declare global"):
        file = program.facts(path)
        for outer in file.classes:
            if "namespace" not in outer.modifiers or not {"module", "global"} & {*outer.modifiers}:
                continue
            package = package_name(outer.name.strip("'\"`"))
            for inner in outer.classes:
                symbol = ClassSymbol(inner, file, (outer.name,))
                found.setdefault(f"{package}.{inner.name}", []).append(symbol)
    return found


@memoised
def _decorations(program: Program) -> dict[tuple[str, str], tuple[Expr, Scope]]:
    """What Fastify is decorated with (`app.decorate("orders", new Orders())`); of two values of one
    name neither."""
    found: dict[tuple[str, str], list[tuple[Expr, Scope]]] = {}
    if program.any_file_contains(b"fastify"):
        for path in program.files_containing(b".decorate(", b".decorateRequest("):
            for node, scope in walker.nodes_of(program, program.facts(path)):
                if not isinstance(node, Call) or len(node.args) < 2:
                    continue
                callee = node.callee
                kind = _DECORATORS.get(callee.name) if isinstance(callee, Attribute) else None
                name = program.text(node.args[0].value, scope) if kind is not None else None
                if kind is not None and name is not None:
                    found.setdefault((kind, name), []).append((node.args[1].value, scope))
    return {key: given[0] for key, given in found.items() if len(given) == 1}
