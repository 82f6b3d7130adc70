"""What Micronaut handlers send: declared types, `HttpResponse`, statuses."""

from __future__ import annotations

from contract_scan.ir.operation import Response
from contract_scan.parsers.source.analysis.domain.values import OneOf
from contract_scan.parsers.source.facts.nodes import NamedType, TypeExpr
from contract_scan.parsers.source.java.frameworks.micronaut.annotations import of_method
from contract_scan.parsers.source.java.resolution.annotations import argument, type_name
from contract_scan.parsers.source.java.resolution.declared_types import without_deferral
from contract_scan.parsers.source.java.web.branch_results import status_of
from contract_scan.parsers.source.java.web.response_builders import Builder, WholeResponses
from contract_scan.parsers.source.java.web.responses import MethodResponses, without_null

_PUBLISHERS = frozenset({"Publisher", "Flux", "Flowable", "Flow", "Observable"})
_RESPONSES = WholeResponses(
    types=frozenset({"HttpResponse", "MutableHttpResponse"}),
    null_status="404",
    built=Builder(
        owners=("HttpResponse",),
        body_at=dict.fromkeys(
            ("ok", "created", "badRequest", "notFound", "unprocessableEntity", "serverError"), 0
        ),
        body="body",
        fixed_statuses={"redirect": "301", "notAllowed": "405", "serverError": "500"},
    ).outcomes,
)


class HandlerResponses(MethodResponses):
    """The responses of one handler method."""

    whole = _RESPONSES

    def responses(self, content_type: str) -> tuple[tuple[Response, ...], bool]:
        """The responses, and whether they are all the success statuses there can be."""
        content = self._content()
        if type_name(content) == "HttpStatus":
            return self._statuses()
        found, complete = self.by_declared_type(content, self._status(), content_type)
        return without_null(found), complete  # https://docs.micronaut.io/latest/guide/#404Responses

    def _content(self) -> TypeExpr:
        """The declared type of what is sent, without what comes later or is one of a stream."""
        content = without_deferral(self.declared)
        if isinstance(content, NamedType) and type_name(content) in _PUBLISHERS and content.args:
            is_single = of_method(self.program, self.method, "SingleResult") is not None
            if is_single or type_name(content.args[0]) in _RESPONSES.types:
                return without_deferral(content.args[0])
        return content

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
