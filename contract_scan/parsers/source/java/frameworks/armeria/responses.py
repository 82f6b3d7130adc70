"""What Armeria's handlers send: declared types, `HttpResponse`, `HttpResult`, `ResponseEntity`."""

from __future__ import annotations

from collections.abc import Iterator

from contract_scan.ir.operation import Response
from contract_scan.ir.reasons import Reason
from contract_scan.ir.schema import Scalar
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import (
    BySchema,
    ByType,
    FunctionValue,
    LibraryResult,
    Unresolved,
    Value,
)
from contract_scan.parsers.source.java.resolution.annotations import type_name
from contract_scan.parsers.source.java.resolution.declared_types import is_vague, without_deferral
from contract_scan.parsers.source.java.web.branch_results import BranchResult, status_of
from contract_scan.parsers.source.java.web.outcomes import (
    chain_root,
    returned_outcomes,
    texts_as_such,
)
from contract_scan.parsers.source.java.web.response_builders import WholeResponses
from contract_scan.parsers.source.java.web.responses import MethodResponses, ResponseShapes

_WHOLE = frozenset({"HttpResponse", "AggregatedHttpResponse"})
_WITH_BODY = frozenset({"HttpResult", "ResponseEntity"})
_LATER = frozenset({"from", "delayed", "streaming", "builder", "ofFailure"})


def _whole_outcomes(program: Program, value: LibraryResult) -> Iterator[BranchResult] | None:
    for owner in (*_WHOLE, *_WITH_BODY):
        root = chain_root(value, owner)
        if root is not None:
            return iter((_built_outcome(program, *root),))
    return None


_RESPONSES = WholeResponses(types=_WHOLE | _WITH_BODY, built=_whole_outcomes, null_status="204")


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

    whole = _RESPONSES

    def responses(
        self, content_type: str, declared: str, *, says_type: bool
    ) -> tuple[tuple[Response, ...], bool]:
        """The responses, and whether they are all the success statuses there can be. `declared` is
        the status of `@StatusCode`, `says_type` whether an annotation gives the content type."""
        content = without_deferral(self.declared)
        name = type_name(content)
        if name in ("String", "CharSequence") and not says_type:
            content_type = "text/plain"
        found, complete = self.by_declared_type(
            content, declared or None, content_type, nothing="204"
        )
        is_open = name in _RESPONSES.types or is_vague(self.program, content, self.scope)
        return texts_as_such(found) if is_open and not says_type else found, complete


def function_responses(
    program: Program, handler: FunctionValue, sending: ResponseShapes, content_type: str
) -> tuple[tuple[Response, ...], bool]:
    """What a function sends that returns a response."""
    outcomes = returned_outcomes(program, handler, _RESPONSES.read)
    found, complete = sending.open_responses(outcomes, None, "200", content_type)
    return texts_as_such(found), complete
