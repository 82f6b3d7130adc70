"""What JAX-RS resource methods send: declared types, `Response`, statuses."""

from __future__ import annotations

from collections.abc import Iterator

from contract_scan.ir.operation import Response
from contract_scan.ir.origin import Origin
from contract_scan.ir.reasons import Reason
from contract_scan.ir.schema import Schema, Unknown
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import (
    BySchema,
    ByType,
    Constant,
    Instance,
    LibraryResult,
    OneOf,
    Unresolved,
    Value,
)
from contract_scan.parsers.source.facts.nodes import NamedType, New, NullType
from contract_scan.parsers.source.java.frameworks.jaxrs.annotations import jaxrs
from contract_scan.parsers.source.java.frameworks.jaxrs.providers import body_writer
from contract_scan.parsers.source.java.resolution.annotations import argument, has, type_name
from contract_scan.parsers.source.java.resolution.declared_types import is_vague, without_deferral
from contract_scan.parsers.source.java.web.async_results import settled_later
from contract_scan.parsers.source.java.web.branch_results import (
    BranchResult,
    status_of,
    with_statuses,
)
from contract_scan.parsers.source.java.web.media import content_type_of_value, stated_media_type
from contract_scan.parsers.source.java.web.outcomes import (
    argument_of,
    chain_call,
    chain_root,
    content_type_set,
    responses_of,
    returned_outcomes,
)
from contract_scan.parsers.source.java.web.raw_text import is_text
from contract_scan.parsers.source.java.web.responses import MethodResponses
from contract_scan.parsers.source.java.web.servlet_api import set_by
from contract_scan.parsers.source.web.status_names import status_named

_RESPONSES = frozenset({"Response", "RestResponse", "ResponseBuilder", "Object"})


def read_response(program: Program, value: Value) -> Iterator[BranchResult]:
    """The outcome that returning a value makes: a `Response` taken apart, else an entity."""
    match value:
        case LibraryResult():
            root = chain_root(value, "Response") or chain_root(value, "RestResponse")
            root = root or chain_root(value, "ResponseBuilder")
            if root is None:
                # What a library call gives may be a response as a whole.
                yield BranchResult(body=value, is_status_known=isinstance(value.site, New))
            else:
                yield from _built_outcomes(program, value, *root)
        case ByType(type=type) if type_name(without_deferral(type)) in _RESPONSES:
            inner = without_deferral(type)
            if isinstance(inner, NamedType) and inner.args:
                yield BranchResult(
                    body=ByType(inner.args[0], value.scope, value.span), is_status_known=False
                )
            else:
                yield BranchResult(is_status_known=False)
        case Unresolved(span=span, path=path):
            yield BranchResult(
                body=value, is_status_known=False, origin=Origin(path, span) if path else None
            )
        case Constant(value=None):
            yield BranchResult("204")
        case _:
            yield BranchResult(body=value)


def _built_outcomes(
    program: Program, value: LibraryResult, root: LibraryResult, method: str
) -> Iterator[BranchResult]:
    """`Response.status(201).type(…).entity(x).build()`."""
    body: Value | None = None
    if method in ("ok", "accepted") and root.site.args:
        body = argument_of(program, root, 0)
    elif method == "status" and len(root.site.args) > 1:
        body = argument_of(program, root, 1)
        # Of `Response` it is the reason phrase, of `RestResponse` the entity.
        body = None if body is not None and is_text(body) else body
    entity = chain_call(value, "entity")
    if entity is not None:
        body = argument_of(program, entity, 0)
    if isinstance(body, Constant) and body.value is None:
        body = None
    body = _entity(program, body)
    later = chain_call(value, "status") or (root if method in ("status", "create") else None)
    kind = content_type_set(program, value, "type")
    if not kind and method == "ok" and len(root.site.args) > 1:
        kind = stated_media_type(program, root.site.args[1].value, root.scope)
    if later is not None:
        yield from with_statuses(program, argument_of(program, later, 0), body, kind)
    else:
        status = "500" if method == "serverError" else status_named(method)
        yield BranchResult(status or "", body, status is not None, content_type=kind)


def _entity(program: Program, body: Value | None) -> Value | None:
    """What a `GenericEntity` holds, which says so with its type."""
    if not isinstance(body, LibraryResult) or body.name.rpartition(".")[2] != "GenericEntity":
        return body
    type = body.site.type if isinstance(body.site, New) else None
    if (
        isinstance(type, NamedType)
        and type.args
        and not is_vague(program, type.args[0], body.scope)
    ):
        return ByType(type.args[0], body.scope, body.site.span)
    return argument_of(program, body, 0)


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
        content = without_deferral(self.declared)
        name = type_name(content)
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
        if isinstance(content, NullType) or name == "Void":
            response = Response(
                status=status or "204", explicit_status=bool(status), origin=self.origin
            )
            return (response,), True
        status = status or "200"
        content_type = content_type_of_value(name, content_type)
        if name == "String":
            return (self.shapes.text_response(self._outcomes(), status, content_type),), True
        inner = content.args[0] if isinstance(content, NamedType) and content.args else None
        if name == "RestResponse" and inner is not None and type_name(inner) != "Void":
            declared = self.declared_body(inner)
            return self.shapes.open_responses(self._outcomes(), declared, status, content_type)
        if name in _RESPONSES or is_vague(self.program, content, self.scope):
            return self.shapes.open_responses(self._outcomes(), None, status, content_type)
        written = self.converter_schema(ByType(content, self.scope))
        schema = written or self.program.schema(content, self.scope, self.variant)
        schema = self.shapes.declared_as_told(schema, self._outcomes)
        outcome = BranchResult("", BySchema(schema))
        return responses_of([outcome], status, lambda _: schema, content_type, self.origin), True

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
            for outcome in read_response(self.program, option)
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

    def _outcomes(self) -> list[BranchResult]:
        return returned_outcomes(self.program, self.method.value(self.controller), read_response)
