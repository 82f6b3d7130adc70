"""What handlers of Spring's functional routes send: `ServerResponse` and its builder."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from contract_scan.ir.reasons import Reason
from contract_scan.ir.schema import Array
from contract_scan.parsers.source.analysis.domain.values import (
    BySchema,
    ByType,
    Items,
    LibraryResult,
    LibrarySymbol,
    Scope,
    Unresolved,
    Value,
)
from contract_scan.parsers.source.facts.nodes import Call, Expr, NamedType
from contract_scan.parsers.source.java.frameworks.spring.mvc.responses import FIXED
from contract_scan.parsers.source.java.resolution.annotations import type_name
from contract_scan.parsers.source.java.web.branch_results import BranchResult, with_statuses
from contract_scan.parsers.source.java.web.chains import class_given
from contract_scan.parsers.source.java.web.media import media_type
from contract_scan.parsers.source.java.web.outcomes import (
    argument_of,
    chain_call,
    chain_root,
)

if TYPE_CHECKING:
    from contract_scan.parsers.source.analysis.domain.program import Program

_REDIRECTS = {"seeOther": "303", "temporaryRedirect": "307", "permanentRedirect": "308"}
_INSERTERS = frozenset({"fromValue", "fromObject", "fromPublisher", "fromProducer"})
_MANY = frozenset({"Flux", "Publisher", "Flow", "ParallelFlux"})


def read_server_response(program: Program, value: Value) -> Iterator[BranchResult]:
    """The outcome that returning a value makes."""
    if not isinstance(value, LibraryResult):
        yield BranchResult(is_status_known=False)
        return
    root = chain_root(value, "ServerResponse")
    if root is None:
        yield BranchResult(is_status_known=False)
        return
    first, method = root
    if method in ("from", "async", "sse") or chain_call(value, "render") is not None:
        yield BranchResult(is_status_known=False)
        return
    if method == "status":
        yield from with_statuses(program, argument_of(program, first, 0), _body(program, value))
        return
    status = FIXED.get(method) or _REDIRECTS.get(method) or ""
    yield BranchResult(status, _body(program, value), is_status_known=bool(status))


def content_type_of(program: Program, value: Value) -> str:
    """The content type that a response is given; empty where it is given none."""
    typed = chain_call(value, "contentType") if isinstance(value, LibraryResult) else None
    if typed is None or not typed.site.args:
        return ""
    return media_type(program, typed.site.args[0].value, typed.scope)


def _body(program: Program, value: LibraryResult) -> Value | None:
    for name in ("bodyValue", "syncBody"):
        ended = chain_call(value, name)
        if ended is not None:
            return argument_of(program, ended, 0)
    ended = chain_call(value, "body")
    if ended is None or not ended.site.args:
        return None
    args = [a.value for a in ended.site.args]
    inserted = args[0]
    if isinstance(inserted, Call) and len(args) == 1:
        given = program.evaluate(inserted, ended.scope)
        if isinstance(given, LibraryResult) and given.name.rpartition(".")[2] in _INSERTERS:
            args = [a.value for a in inserted.args]
    if len(args) < 2:
        return program.evaluate(args[0], ended.scope) if args else None
    return _publisher_value(program, args[0], args[1], ended.scope)


def _publisher_value(program: Program, publisher: Expr, element: Expr, scope: Scope) -> Value:
    """A publisher with its element class: a single element or many."""
    value = program.evaluate(publisher, scope)
    type = class_given(element)
    if type is None:
        return value
    many = _is_many(program, value)
    if many is None:
        return Unresolved(
            Reason("one-or-many-undetermined", type=type_name(type)),
            publisher.span,
            scope.file.path,
        )
    if not many:
        return ByType(type, scope, publisher.span)
    items = program.schema(type, scope)
    return BySchema(Array(items=items, origin=program.origin(publisher, scope)))


def _is_many(program: Program, value: Value) -> bool | None:
    """Whether a publisher gives many values; None where that is undetermined."""
    match value:
        case Items():
            return True
        case ByType(type=NamedType() as type):
            if type_name(type) in _MANY:
                return True
            return False if type_name(type) == "Mono" else None
        case LibraryResult(name=name):
            parts = name.replace("()", "").split(".")
            known = [p for p in parts if p in ("Mono", "Flux")]
            if known:
                return known[-1] == "Flux" and not {"collectList", "next", "single"} & set(parts)
            return None
        case BySchema() | LibrarySymbol() | Unresolved():
            return None
        case _:
            return False
