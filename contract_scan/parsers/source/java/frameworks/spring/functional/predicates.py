"""Request predicates of Spring's functional routes: which methods and paths they accept."""

from __future__ import annotations

from msgspec import Struct

from contract_scan.ir.reasons import NO_REASON, Reason
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import LibraryResult, Scope
from contract_scan.parsers.source.facts.nodes import Call, Expr, Name
from contract_scan.parsers.source.java.resolution.annotations import constant_name
from contract_scan.parsers.source.java.web.chains import chain, function_called, method
from contract_scan.parsers.source.java.web.media import media_type
from contract_scan.parsers.source.java.web.routes import join_paths

VERBS = frozenset({"GET", "POST", "PUT", "DELETE", "PATCH", "HEAD", "OPTIONS"})
_OTHERS = frozenset({"accept", "contentType", "headers", "queryParam", "param", "all", "version"})
"""Predicates that accept some requests of a path, by other things than method and path."""
_MAX_DEPTH = 20


class AcceptedRequest(Struct, frozen=True):
    """One kind of request that a predicate accepts."""

    method: str = "*"
    path: str = ""
    consumes: str = ""
    """The content type that a request has to have; empty: any."""
    reason: Reason = NO_REASON
    """Why method or path is undetermined."""

    def and_(self, other: AcceptedRequest) -> AcceptedRequest:
        """What both accept: paths one below the other."""
        return AcceptedRequest(
            other.method if self.method == "*" else self.method,
            join_paths(self.path, other.path) if self.path or other.path else "",
            other.consumes or self.consumes,
            self.reason or other.reason,
        )


def accepted_requests(
    program: Program, expr: Expr, scope: Scope, depth: int = 0
) -> list[AcceptedRequest]:
    """The requests that a predicate accepts: one entry for each alternative."""
    unknown = [AcceptedRequest(reason=Reason("route-condition-undetermined"))]
    if depth > _MAX_DEPTH:
        return unknown
    links = chain(expr)
    if not links.calls:
        value = program.evaluate(expr, scope) if isinstance(expr, Name) else None
        if isinstance(value, LibraryResult) and isinstance(value.site, Call):
            return accepted_requests(program, value.site, value.scope, depth + 1)
        return unknown
    found: list[AcceptedRequest] | None = None
    for call in links.calls:
        name = method(call)
        given = [a.value for a in call.args]
        if name in ("and", "or") and found is not None and given:
            other = accepted_requests(program, given[0], scope, depth + 1)
            found = [a.and_(b) for a in found for b in other] if name == "and" else found + other
        elif name == "negate" and found is not None:
            plain = all(not a.path and a.method == "*" for a in found)
            found = [AcceptedRequest()] if plain else unknown
        else:
            found = _requests_by_name(program, call, name, given, scope, depth)
    return found or unknown


def _requests_by_name(
    program: Program, call: Call, name: str, given: list[Expr], scope: Scope, depth: int
) -> list[AcceptedRequest] | None:
    """The requests that a predicate of this name accepts; None for an unknown name."""
    if name in VERBS or name in ("path", "pathPrefix"):
        verb = name if name in VERBS else "*"
        text = program.text(given[0], scope) if given else ""
        if text is None:
            return [AcceptedRequest(verb, reason=Reason("route-path-not-a-constant"))]
        return [AcceptedRequest(verb, text)]
    if name in ("method", "methods"):
        return [AcceptedRequest(constant_name(item) or "*") for item in given]
    if name == "contentType":
        return [AcceptedRequest(consumes=media_type(program, given[0], scope) if given else "")]
    if name in _OTHERS:
        return [AcceptedRequest()]
    function = function_called(program, call, scope)
    if function is None:
        return None
    for returned in program.function_exits(function):
        if returned.value is not None and not returned.thrown:
            return accepted_requests(program, returned.value, returned.scope, depth + 1)
    return None
