"""Request matchers of Spring Security: which methods and paths they stand for."""

from __future__ import annotations

from collections.abc import Iterable

from msgspec import Struct

from contract_scan.ir.reasons import NO_REASON, Reason
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import LibraryResult, OneOf, Scope, Value
from contract_scan.parsers.source.facts.nodes import Expr
from contract_scan.parsers.source.java.web.routes import join_paths, template

_BY_PATH = frozenset(
    {
        *("AntPathRequestMatcher", "antMatcher", "MvcRequestMatcher", "PathPatternRequestMatcher"),
        *("pathPattern", "matcher", "PathPatternParserServerWebExchangeMatcher", "pathMatchers"),
    }
)
_ALTERNATIVES = frozenset({"OrRequestMatcher", "OrServerWebExchangeMatcher"})
_VERBS = frozenset({"GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS"})


class MatchedPath(Struct, frozen=True):
    """A method and a path; `why` says why they are undetermined."""

    path: str
    method: str = "*"
    reason: Reason = NO_REASON


def matched_path(program: Program, expr: Expr, scope: Scope, method: str = "*") -> MatchedPath:
    """The place that a pattern stands for."""
    text = program.text(expr, scope)
    if text is None:
        return MatchedPath("", method, Reason("request-path-not-constant"))
    return MatchedPath(template(join_paths(text)), method)


def matched_places(program: Program, expr: Expr, scope: Scope) -> list[MatchedPath]:
    """The places that a matcher, or a pattern in its place, matches."""
    value = program.evaluate(expr, scope)
    if program.evaluator.text(value) is not None:
        return [matched_path(program, expr, scope)]
    return _places_of_value(program, value, 0) or [
        MatchedPath("", "*", Reason("request-matcher-not-followed"))
    ]


def _places_of_value(program: Program, value: Value, depth: int) -> list[MatchedPath]:
    if isinstance(value, OneOf):
        return _paths_of_all(program, value.options, depth)
    if not isinstance(value, LibraryResult) or depth > 4:
        return []
    name = value.name.rpartition(".")[2]
    args = [argument.value for argument in value.site.args]
    if name in _ALTERNATIVES:
        return _paths_of_all(program, (program.evaluate(arg, value.scope) for arg in args), depth)
    if name not in _BY_PATH:
        return []
    method, found = "*", []
    for arg in args:
        given = program.evaluate(arg, value.scope)
        text = program.evaluator.text(given)
        verb = text or program.evaluator.qualified_name(given).rpartition(".")[2]
        if verb in _VERBS:
            method = verb
        elif text is not None:
            found.append(template(join_paths(text)))
        elif name not in ("MvcRequestMatcher",):
            return []
    return [MatchedPath(path, method) for path in found]


def _paths_of_all(program: Program, values: Iterable[Value], depth: int) -> list[MatchedPath]:
    found: list[MatchedPath] = []
    for value in values:
        places = _places_of_value(program, value, depth + 1)
        if not places:
            return []
        found.extend(places)
    return found
