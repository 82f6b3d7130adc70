"""Fallbacks of searches that a test made elsewhere may rule out.

`order.getLines().stream().filter(Line::isOpen).findFirst().orElse(none)` gives `none` where no line
is open. Where other code asks `order.getLines().stream().anyMatch(Line::isOpen)`, it may let no
such order pass.
"""

from __future__ import annotations

from contract_scan.parsers.source.analysis.domain.hooks import CallSite
from contract_scan.parsers.source.analysis.domain.memo import memoised
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.facts.nodes import Attribute, Call, Expr, Name, New
from contract_scan.parsers.source.facts.visitor import nodes_of

_SEARCHES = frozenset({"findFirst", "findAny"})
_TESTS = frozenset({"anyMatch", "noneMatch"})
_LONGEST = 30
"""How many calls of a chain are gone through."""


def may_be_ruled_out(site: CallSite) -> bool:
    """Whether code elsewhere asks whether a search finds anything, of which the call of a method
    such as `orElse` gives the fallback."""
    search = _search(site.call)
    return search is not None and search in _tests(site.program)


def _search(call: Call | New) -> tuple[str, str] | None:
    """The getter and the test of the search that a chain of calls holds."""
    expr: Expr = call
    is_search = False
    for _ in range(_LONGEST):
        if not isinstance(expr, Call) or not isinstance(expr.callee, Attribute):
            return None
        name = expr.callee.name
        is_search = is_search or name in _SEARCHES
        if is_search and name == "filter":
            return _test_of(expr)
        expr = expr.callee.value
    return None


def _test_of(call: Call) -> tuple[str, str] | None:
    """Of `order.getLines().stream().filter(Line::isOpen)` the getter and the test."""
    match call:
        case Call(
            callee=Attribute(
                value=Call(callee=Attribute(name="stream", value=Call(callee=Attribute(name=name))))
            ),
            args=(argument,),
        ):
            match argument.value:
                case Attribute(value=Name(id=owner), name=test):
                    return name, f"{owner}::{test}"
                case _:
                    return None
        case _:
            return None


@memoised
def _tests(program: Program) -> frozenset[tuple[str, str]]:
    """The getters and tests of all questions whether any item passes one."""
    found = set()
    for path in program.files_containing(*(f".{name}(".encode() for name in _TESTS)):
        if "/src/test/" in f"/{path}":
            continue
        file = program.facts(path)
        for symbol in program.names.classes.of_file(file):
            for method in symbol.decl.methods:
                for node in nodes_of(program.body(method, file)):
                    match node:
                        case Call(callee=Attribute(name=name)) if name in _TESTS:
                            if (test := _test_of(node)) is not None:
                                found.add(test)
                        case _:
                            pass
    return frozenset(found)
