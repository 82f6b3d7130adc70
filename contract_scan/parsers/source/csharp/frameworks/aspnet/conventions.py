"""What start-up code does to every route: prefixes set by conventions, rewritten tokens."""

from __future__ import annotations

import re

from msgspec import Struct

from contract_scan.ir.reasons import NO_REASON, Reason
from contract_scan.parsers.source.analysis.domain.memo import memoised
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import ClassSymbol, Scope
from contract_scan.parsers.source.csharp.resolution.callers import calls_of
from contract_scan.parsers.source.csharp.serialization.settings.options import unqualified_name
from contract_scan.parsers.source.csharp.web.prefixes import constant_text
from contract_scan.parsers.source.facts.nodes import Call, Expr, NamedType, New

_INTERFACES = frozenset(
    {"IApplicationModelConvention", "IControllerModelConvention", "IActionModelConvention"}
)
_WORD_BREAK = re.compile(r"([a-z0-9])([A-Z])")


class Conventions(Struct, frozen=True, kw_only=True):
    """What holds for all controllers."""

    prefix: str = ""
    unresolved: Reason = NO_REASON
    """Why routes may be other than their attributes say."""
    slugs: bool = False
    """Whether `[controller]` and `[action]` are written `like-this`."""


@memoised
def conventions(program: Program) -> Conventions:
    """What start-up code does to the routes of controllers."""
    return _find_conventions(program)


def token_text(name: str, found: Conventions) -> str:
    """The text that stands for a controller's or an action's name."""
    if not found.slugs:
        return name
    return _WORD_BREAK.sub(r"\1-\2", name).lower()


def _find_conventions(program: Program) -> Conventions:
    prefix = ""
    unresolved = NO_REASON
    slugs = program.any_file_contains(b"RouteTokenTransformerConvention")
    for path in program.files_containing(*(name.encode() for name in sorted(_INTERFACES))):
        file = program.facts(path)
        content = program.files.read(path) or b""
        for symbol in program.classes(file):
            if not _is_convention(symbol) or b"AttributeRouteModel" not in content:
                continue
            found = _prefix(program, symbol, combines=b"CombineAttributeRouteModel" in content)
            if found is None:
                unresolved = Reason("convention-changes-routes", type=symbol.decl.name)
            else:
                prefix = found or prefix
    return Conventions(prefix=prefix, unresolved=unresolved, slugs=slugs)


def _is_convention(symbol: ClassSymbol) -> bool:
    return any(
        isinstance(base, NamedType) and unqualified_name(base.name) in _INTERFACES
        for base in symbol.decl.bases
    )


def _prefix(program: Program, symbol: ClassSymbol, *, combines: bool) -> str | None:
    """The prefix a convention puts in front; empty where it is never used, None where it cannot be
    told."""
    sites = list(_constructions(program, symbol.decl.name))
    if not sites:
        return ""
    if not combines:
        return None
    prefixes = {_text(program, new.args[0].value, scope) for new, scope in sites if new.args}
    if len(prefixes) != 1 or any(not new.args for new, _ in sites):
        return None
    return prefixes.pop()


def _constructions(program: Program, name: str) -> list[tuple[New, Scope]]:
    found: list[tuple[New, Scope]] = []
    for path in program.files_containing(b"new " + name.encode()):
        for call, scope in calls_of(program, program.facts(path), b"new " + name.encode()):
            if isinstance(call, New) and _names(call, name):
                found.append((call, scope))
    return found


def _names(made: New, name: str) -> bool:
    return isinstance(made.type, NamedType) and unqualified_name(made.type.name) == name


def _text(program: Program, expr: Expr, scope: Scope, depth: int = 0) -> str | None:
    """A prefix: a text, `new RouteAttribute("…")`, or a parameter that callers give one."""
    if isinstance(expr, New) and expr.args and _names(expr, "RouteAttribute"):
        return _text(program, expr.args[0].value, scope, depth)
    text = constant_text(program, expr, scope)
    if text is not None or depth > 2:
        return text
    function, name = scope.function, getattr(expr, "id", "")
    while function is None or not function.name:
        if scope.parent is None:
            return None
        scope = scope.parent
        function = scope.function
    position = next((i for i, p in enumerate(function.params) if p.name == name), None)
    if position is None:
        return None
    extension = "this" in function.params[0].modifiers
    texts: set[str | None] = set()
    literal = function.name.encode() + b"("
    for path in program.files_containing(literal):
        for call, inside in calls_of(program, program.facts(path), literal):
            if not isinstance(call, Call) or getattr(call.callee, "name", "") != function.name:
                continue
            place = position - (1 if extension else 0)
            if place < len(call.args):
                texts.add(_text(program, call.args[place].value, inside, depth + 1))
    return texts.pop() if len(texts) == 1 else None
