"""What JAX-RS resource methods send: declared types, `Response`, statuses."""

from __future__ import annotations

from contract_scan.ir.operation import Response
from contract_scan.ir.reasons import Reason
from contract_scan.ir.schema import Schema, Unknown
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import (
    ByType,
    Instance,
    LibraryResult,
    OneOf,
    Unresolved,
    Value,
)
from contract_scan.parsers.source.java.frameworks.jaxrs.annotations import jaxrs
from contract_scan.parsers.source.java.frameworks.jaxrs.providers import body_writer
from contract_scan.parsers.source.java.resolution.annotations import argument, has, type_name
from contract_scan.parsers.source.java.resolution.declared_types import without_deferral
from contract_scan.parsers.source.java.resolution.dependencies import is_dropwizard
from contract_scan.parsers.source.java.serialization.nullness import is_optional
from contract_scan.parsers.source.java.web.async_results import settled_later
from contract_scan.parsers.source.java.web.branch_results import BranchResult, status_of
from contract_scan.parsers.source.java.web.media import EVENT_STREAM
from contract_scan.parsers.source.java.web.response_builders import Builder, WholeResponses
from contract_scan.parsers.source.java.web.responses import MethodResponses, without_null
from contract_scan.parsers.source.java.web.servlet_api import set_by

_RESPONSES = WholeResponses(
    types=frozenset({"Response", "RestResponse", "ResponseBuilder", "Object"}),
    null_status="204",
    built=Builder(
        owners=("Response", "RestResponse", "ResponseBuilder"),
        body_at={"ok": 0, "accepted": 0, "status": 1, "create": 1},
        body="entity",
        content_type="type",
        status=("status", "create"),
        fixed_statuses={"serverError": "500"},
        envelope="GenericEntity",
    ).outcomes,
)


def _is_raised(program: Program, value: Value) -> bool:
    """Whether what a response is resumed with is an exception, and so an error."""
    match value:
        case ByType(type=type):
            name = type_name(type)
        case LibraryResult() | Instance():
            name = program.evaluator.qualified_name(value)
        case _:
            return False
    return name.endswith(("Exception", "Error", "Throwable", "Throwable.getCause"))


class HandlerResponses(MethodResponses):
    """The responses of one resource method."""

    whole = _RESPONSES

    def responses(self, content_type: str) -> tuple[tuple[Response, ...], bool]:
        """The responses, and whether they are all the success statuses there can be."""
        found, complete = self._responses(content_type)
        # A method that is given the servlet's response may set any status.
        given = set_by(self.program, self.method.value(self.controller))
        return found, complete and (given is None or (given.whole and not given.statuses))

    def converter_schema(self, value: Value) -> Schema | None:
        """What is known of a body that a provider of the project writes; None: none does."""
        value = self.program.evaluator.unwrap(value)
        options = value.options if isinstance(value, OneOf) else (value,)
        path = self.controller.file.path
        found = (body_writer(self.program, path, option) for option in options)
        writer = next(filter(None, found), "")
        if not writer:
            return None
        return Unknown(reason=Reason("written-by-converter", converter=writer), origin=self.origin)

    def _responses(self, content_type: str) -> tuple[tuple[Response, ...], bool]:
        status = self._own_status()
        suspended = next(
            (
                param.name
                for param, annotations in self.method.parameters()
                if has((a for a, _ in annotations), "Suspended")
                or type_name(param.type) == "AsyncResponse"
            ),
            None,
        )
        if suspended is not None:
            return self._resumed_responses(suspended, content_type, status or "200")
        if any(type_name(param.type) == "SseEventSink" for param, _ in self.method.parameters()):
            # Events are sent through it, whatever the method returns (JAX-RS 2.1, 9.3).
            stream = Unknown(reason=Reason("body-is-stream"), origin=self.origin)
            return (self.shapes.whole_response(stream, status or "200", EVENT_STREAM),), True
        content = without_deferral(self.declared)
        found, complete = self.by_declared_type(content, status, content_type, nothing="204")
        if is_optional(content) and is_dropwizard(self.program, self.controller.file.path):
            found = without_null(found)
        return found, complete

    def _own_status(self) -> str | None:
        """What `@ResponseStatus` of RESTEasy Reactive says is sent where the method gives no
        response of its own."""
        for annotation, scope in self.method.annotations():
            if jaxrs(self.program, [annotation], scope, "ResponseStatus") is not None:
                given = argument(annotation, "value")
                value = self.program.evaluate(given, scope) if given is not None else None
                return status_of(self.program, value)
        return None

    def _resumed_responses(
        self, suspended: str, content_type: str, status: str
    ) -> tuple[tuple[Response, ...], bool]:
        """What the method gives the response that it is to resume."""
        value = self.method.value(self.controller)
        later = settled_later(self.program, value, suspended)
        outcomes = [
            outcome
            for one in later.values
            for option in (one.options if isinstance(one, OneOf) else (one,))
            if not _is_raised(self.program, option)
            for outcome in _RESPONSES.read(self.program, option)
        ]
        if not outcomes:
            reason = Reason("asynchronous-response", method=self.method.name)
            unknown = Unknown(reason=reason, origin=self.origin)
            return (self.shapes.whole_response(unknown, status, content_type),), False
        if not later.whole:
            reason = Reason("response-passed-on", method=self.method.name)
            unseen = Unresolved(reason, self.origin.span, self.origin.path)
            statuses = {
                o.status for o in outcomes if o.is_status_known and o.status[:1] in ("", "2")
            }
            outcomes += [BranchResult(one, unseen) for one in sorted(statuses)]
        found, complete = self.shapes.open_responses(outcomes, None, status, content_type)
        return found, complete and later.whole
