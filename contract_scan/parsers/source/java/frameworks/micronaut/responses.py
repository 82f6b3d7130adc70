"""What Micronaut handlers send: declared types, `HttpResponse`, statuses."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec.structs import replace

from contract_scan.ir.operation import Response
from contract_scan.ir.schema import Nothing
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import (
    ByType,
    Constant,
    LibraryResult,
    OneOf,
    Unresolved,
    Value,
)
from contract_scan.parsers.source.facts.nodes import NamedType, New, NullType, TypeExpr
from contract_scan.parsers.source.java.frameworks.micronaut.annotations import of_method
from contract_scan.parsers.source.java.resolution.annotations import argument, type_name
from contract_scan.parsers.source.java.resolution.declared_types import is_vague, without_deferral
from contract_scan.parsers.source.java.web.branch_results import (
    BranchResult,
    status_of,
    with_statuses,
)
from contract_scan.parsers.source.java.web.media import content_type_of_value
from contract_scan.parsers.source.java.web.outcomes import (
    argument_of,
    chain_call,
    chain_root,
    returned_outcomes,
)
from contract_scan.parsers.source.java.web.responses import MethodResponses
from contract_scan.parsers.source.web.status_names import status_named

_RESPONSES = frozenset({"HttpResponse", "MutableHttpResponse"})
_PUBLISHERS = frozenset({"Publisher", "Flux", "Flowable", "Flow", "Observable"})
_FIXED = {"redirect": "301", "notAllowed": "405", "serverError": "500"}
"""Statuses of methods that are not named after them."""
_WITH_BODY = frozenset(
    {"ok", "created", "badRequest", "notFound", "unprocessableEntity", "serverError"}
)


def read_http_response(program: Program, value: Value) -> Iterator[BranchResult]:
    """The outcome that returning a value makes: an `HttpResponse` taken apart, else a body."""
    match value:
        case LibraryResult():
            root = chain_root(value, "HttpResponse")
            if root is None:
                # What a library call gives may be a response as a whole.
                yield BranchResult(body=value, is_status_known=isinstance(value.site, New))
            else:
                yield from _built_outcomes(program, value, *root)
        case ByType(type=type) if type_name(without_deferral(type)) in _RESPONSES:
            inner = without_deferral(type)
            args = inner.args if isinstance(inner, NamedType) else ()
            body = ByType(args[0], value.scope, value.span) if args else None
            yield BranchResult(body=body, is_status_known=False)
        case Unresolved():
            yield BranchResult(body=value, is_status_known=False)
        case Constant(value=None):
            yield BranchResult("404")
        case _:
            yield BranchResult(body=value)


def _built_outcomes(
    program: Program, value: LibraryResult, root: LibraryResult, method: str
) -> Iterator[BranchResult]:
    """`HttpResponse.status(HttpStatus.CREATED).body(x)`."""
    body: Value | None = None
    if method in _WITH_BODY and root.site.args:
        body = argument_of(program, root, 0)
        if method == "created" and _is_location(body):
            body = None
    ended = chain_call(value, "body")
    if ended is not None:
        body = argument_of(program, ended, 0)
    if isinstance(body, Constant) and body.value is None:
        body = None
    later = chain_call(value, "status")
    if later is not None:
        yield from with_statuses(program, argument_of(program, later, 0), body)
    else:
        status = _FIXED.get(method) or status_named(method)
        yield BranchResult(status or "", body, is_status_known=status is not None)


def _is_location(value: Value | None) -> bool:
    match value:
        case ByType(type=type):
            return type_name(type) == "URI"
        case LibraryResult(name=name):
            return "URI" in name.split(".") or name.endswith((".toURI", "UriBuilder.of().build"))
        case _:
            return False


class HandlerResponses(MethodResponses):
    """The responses of one handler method."""

    def responses(self, content_type: str) -> tuple[tuple[Response, ...], bool]:
        """The responses, and whether they are all the success statuses there can be."""
        default = self._status()
        content = self._content()
        name = type_name(content)
        status = default or "200"
        if isinstance(content, NullType) or name == "Void":
            found = Response(status=status, explicit_status=default is not None, origin=self.origin)
            return (found,), True
        if name == "HttpStatus":
            return self._statuses()
        inner = content.args[0] if isinstance(content, NamedType) and content.args else None
        content_type = content_type_of_value(
            type_name(inner) if name in _RESPONSES else name, content_type
        )
        if name in ("String", "CharSequence"):
            text = self.shapes.text_response(self._outcomes(), status, content_type)
            return (replace(text, explicit_status=default is not None),), True
        if name in _RESPONSES or is_vague(self.program, content, self.scope):
            outcomes = self._outcomes()
            if default is not None:
                outcomes = [replace(o, status=o.status or default) for o in outcomes]
            declared = self.declared_body(inner) if name in _RESPONSES else None
            nothing = inner is not None and type_name(inner) == "Void"
            return self.shapes.open_responses(
                outcomes, declared, status, content_type, sends_nothing=nothing
            )
        schema = self.program.schema(content, self.scope, self.variant)
        schema = self.shapes.declared_as_told(schema, self._outcomes)
        found = self.shapes.whole_response(
            None if isinstance(schema, Nothing) else schema, status, content_type
        )
        return (replace(found, explicit_status=default is not None),), True

    def _content(self) -> TypeExpr:
        """The declared type of what is sent, without what comes later or is one of a stream."""
        content = without_deferral(self.declared)
        if isinstance(content, NamedType) and type_name(content) in _PUBLISHERS and content.args:
            is_single = of_method(self.program, self.method, "SingleResult") is not None
            if is_single or type_name(content.args[0]) in _RESPONSES:
                return without_deferral(content.args[0])
        return content

    def _outcomes(self) -> list[BranchResult]:
        handler = self.method.value(self.controller)
        return returned_outcomes(self.program, handler, read_http_response)

    def _status(self) -> str | None:
        """The status that `@Status` sets."""
        found = of_method(self.program, self.method, "Status")
        given = argument(found[0], "value") if found is not None else None
        if found is None or given is None:
            return None
        return status_of(self.program, self.program.evaluate(given, found[1]))

    def _statuses(self) -> tuple[tuple[Response, ...], bool]:
        """What a handler that returns an `HttpStatus` sends: no body."""
        handler = self.method.value(self.controller)
        statuses: dict[str, None] = {}
        complete = True
        for returned in self.program.function_exits(handler):
            if returned.thrown or returned.value is None:
                continue
            value = self.program.evaluate(returned.value, returned.scope)
            for option in value.options if isinstance(value, OneOf) else (value,):
                status = status_of(self.program, option)
                if status is None:
                    complete = False
                else:
                    statuses[status] = None
        found = tuple(Response(status=s, origin=self.origin) for s in sorted(statuses))
        return found, complete and bool(found)
