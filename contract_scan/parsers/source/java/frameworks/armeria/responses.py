"""What Armeria's handlers send: declared types, `HttpResponse`, `HttpResult`, `ResponseEntity`."""

from __future__ import annotations

from collections.abc import Iterator

from contract_scan.ir.operation import Response
from contract_scan.ir.reasons import Reason
from contract_scan.ir.schema import Nothing, Scalar
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import (
    BySchema,
    ByType,
    Constant,
    FunctionValue,
    LibraryResult,
    Unresolved,
    Value,
)
from contract_scan.parsers.source.facts.nodes import NamedType, New, NullType
from contract_scan.parsers.source.java.resolution.annotations import type_name
from contract_scan.parsers.source.java.resolution.declared_types import is_vague, without_deferral
from contract_scan.parsers.source.java.web.branch_results import BranchResult, status_of
from contract_scan.parsers.source.java.web.media import content_type_of_value
from contract_scan.parsers.source.java.web.outcomes import (
    chain_root,
    returned_outcomes,
    texts_as_such,
)
from contract_scan.parsers.source.java.web.responses import MethodResponses, ResponseShapes

_WHOLE = frozenset({"HttpResponse", "AggregatedHttpResponse"})
_WITH_BODY = frozenset({"HttpResult", "ResponseEntity"})
_LATER = frozenset({"from", "delayed", "streaming", "builder", "ofFailure"})


def read_response(program: Program, value: Value) -> Iterator[BranchResult]:
    """The outcome that returning a value makes: a response taken apart, else a body."""
    match value:
        case LibraryResult():
            for owner in (*_WHOLE, *_WITH_BODY):
                root = chain_root(value, owner)
                if root is not None:
                    yield _built_outcome(program, root[0], root[1])
                    return
            yield BranchResult(body=value, is_status_known=isinstance(value.site, New))
        case ByType(type=type) if type_name(without_deferral(type)) in _WHOLE:
            yield BranchResult(body=None, is_status_known=False)
        case ByType(type=type) if type_name(without_deferral(type)) in _WITH_BODY:
            inner = without_deferral(type)
            args = inner.args if isinstance(inner, NamedType) else ()
            yield BranchResult(
                body=ByType(args[0], value.scope) if args else None, is_status_known=False
            )
        case Unresolved():
            yield BranchResult(body=value, is_status_known=False)
        case Constant(value=None):
            yield BranchResult("204")
        case _:
            yield BranchResult(body=value)


def _built_outcome(program: Program, made: LibraryResult, method: str) -> BranchResult:
    """`HttpResponse.of(HttpStatus.OK, MediaType.JSON, text)`, `HttpResponse.ofJson(order)`."""
    args = [program.evaluate(argument.value, made.scope) for argument in made.site.args]
    if method in _LATER:
        return BranchResult(body=Unresolved(Reason("response-built-later")), is_status_known=False)
    if method == "ofRedirect":
        found = status_of(program, args[0]) if len(args) > 1 else "307"
        return BranchResult(found or "", None, is_status_known=found is not None)
    if method not in ("of", "ofJson") or not args:
        return BranchResult(
            body=Unresolved(Reason("result-not-read", method=method)), is_status_known=False
        )
    status = _status(program, args[0])
    rest = args[1:] if status is not None else args
    if rest and _is_media_type(program, rest[0]) and len(rest) > 1:
        rest = rest[1:]
    if status is None and _is_headers(program, args[0]) and len(args) > 1:
        return BranchResult("", args[-1], is_status_known=False)
    if status is not None and not rest:
        # The library sends the status line as a text where a status has a body at all.
        return BranchResult(status, None if status in _WITHOUT_BODY else _STATUS_TEXT)
    body = rest[-1] if method == "ofJson" and rest else rest[0] if rest else None
    return BranchResult(status or "200", body)


_WITHOUT_BODY = frozenset({"204", "205", "304"})
_STATUS_TEXT = BySchema(Scalar(type="string"))


def _status(program: Program, value: Value) -> str | None:
    """A status, or headers that begin with one."""
    if (
        isinstance(value, LibraryResult)
        and value.name.endswith("ResponseHeaders.of")
        and value.site.args
    ):
        value = program.evaluate(value.site.args[0].value, value.scope)
    found = status_of(program, value)
    return found if found is not None and len(found) == 3 else None


def _is_headers(program: Program, value: Value) -> bool:
    name = type_name(value.type) if isinstance(value, ByType) else ""
    name = name or program.evaluator.qualified_name(value)
    return "Headers" in name


def _is_media_type(program: Program, value: Value) -> bool:
    if isinstance(value, ByType):
        return type_name(value.type) == "MediaType"
    return "MediaType" in program.evaluator.qualified_name(value).split(".")


class HandlerResponses(MethodResponses):
    """The responses of one annotated method."""

    def responses(
        self, content_type: str, declared: str, *, says_type: bool
    ) -> tuple[tuple[Response, ...], bool]:
        """The responses, and whether they are all the success statuses there can be. `declared` is
        the status of `@StatusCode`, `says_type` whether an annotation gives the content type."""
        content = without_deferral(self.declared)
        name = type_name(content)
        if isinstance(content, NullType) or name == "Void":
            status = declared or "204"
            found = Response(status=status, explicit_status=bool(declared), origin=self.origin)
            return (found,), True
        inner = content.args[0] if isinstance(content, NamedType) and content.args else None
        if name in ("String", "CharSequence"):
            kind = content_type if says_type else "text/plain"
            text = self.shapes.text_response(self._outcomes(), declared or "200", kind)
            return (text,), True
        content_type = content_type_of_value(
            type_name(inner) if name in _WITH_BODY else name, content_type
        )
        if name in _WHOLE | _WITH_BODY or is_vague(self.program, content, self.scope):
            body = self.declared_body(inner) if name in _WITH_BODY else None
            several, complete = self.shapes.open_responses(
                self._outcomes(), body, declared or "200", content_type
            )
            return several if says_type else texts_as_such(several), complete
        schema = self.program.schema(content, self.scope, self.variant)
        shape = None if isinstance(schema, Nothing) else schema
        return (self.shapes.whole_response(shape, declared or "200", content_type),), True

    def _outcomes(self) -> list[BranchResult]:
        return returned_outcomes(self.program, self.method.value(self.controller), read_response)


def function_responses(
    program: Program, handler: FunctionValue, sending: ResponseShapes, content_type: str
) -> tuple[tuple[Response, ...], bool]:
    """What a function sends that returns a response."""
    outcomes = returned_outcomes(program, handler, read_response)
    found, complete = sending.open_responses(outcomes, None, "200", content_type)
    return texts_as_such(found), complete
