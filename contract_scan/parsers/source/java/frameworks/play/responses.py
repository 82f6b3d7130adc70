"""What actions of Play send: `ok(Json.toJson(order))`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from contract_scan.ir.reasons import Reason
from contract_scan.parsers.source.analysis.domain.values import (
    ByType,
    Constant,
    LibraryResult,
    Unresolved,
    Value,
)
from contract_scan.parsers.source.java.resolution.annotations import type_name
from contract_scan.parsers.source.java.resolution.declared_types import without_deferral
from contract_scan.parsers.source.java.web.branch_results import BranchResult, status_of
from contract_scan.parsers.source.java.web.outcomes import MAX_RECEIVERS, argument_of

if TYPE_CHECKING:
    from contract_scan.parsers.source.analysis.domain.program import Program

_FIXED = {
    "ok": "200",
    "created": "201",
    "accepted": "202",
    "noContent": "204",
    "movedPermanently": "301",
    "found": "302",
    "redirect": "303",
    "seeOther": "303",
    "notModified": "304",
    "temporaryRedirect": "307",
    "permanentRedirect": "308",
    "badRequest": "400",
    "unauthorized": "401",
    "paymentRequired": "402",
    "forbidden": "403",
    "notFound": "404",
    "notAcceptable": "406",
    "unsupportedMediaType": "415",
    "internalServerError": "500",
}
_WITHOUT_BODY = frozenset({"noContent", "notModified"})
_STREAMED = frozenset(
    {"chunked", "streamed", "sendEntity", "sendFile", "sendPath", "sendBytes", "sendInputStream"}
)
_PAGES = ("views.", "html.")


def read_result(program: Program, value: Value) -> Iterator[BranchResult]:
    """The outcome that returning a result makes."""
    match value:
        case LibraryResult():
            yield _built_outcome(program, value)
        case ByType(type=type) if type_name(without_deferral(type)) == "Result":
            yield BranchResult(body=None, is_status_known=False)
        case Unresolved():
            yield BranchResult(body=value, is_status_known=False)
        case _:
            yield BranchResult(
                body=Unresolved(Reason("returned-result-unsupported")), is_status_known=False
            )


def is_page(value: Value | None) -> bool:
    """Whether a body is a page that a template renders."""
    return isinstance(value, LibraryResult) and value.name.startswith(_PAGES)


def _built_outcome(program: Program, made: LibraryResult) -> BranchResult:
    """`ok(body).as("application/json").withHeader(…)`."""
    root: Value | None = made
    streamed: Value | None = None
    for _ in range(MAX_RECEIVERS):
        if not isinstance(root, LibraryResult):
            break
        method = root.name.rpartition(".")[2]
        if root.receiver is None or not isinstance(root.receiver, LibraryResult):
            if method in _FIXED:
                return BranchResult(_FIXED[method], streamed or _body(program, root, method, 0))
            if method == "status" and root.site.args:
                status = status_of(program, argument_of(program, root, 0))
                return BranchResult(
                    status or "", _body(program, root, method, 1), status is not None
                )
        if method in _STREAMED:
            streamed = Unresolved(Reason("sends-stream-or-file", method=method))
        elif method == "sendJson":
            streamed = _without_to_json(program, argument_of(program, root, 0))
        root = root.receiver
    return BranchResult(
        body=Unresolved(Reason("returned-result-unsupported")), is_status_known=False
    )


def _body(program: Program, made: LibraryResult, method: str, position: int) -> Value | None:
    if method in _WITHOUT_BODY or _FIXED.get(method, "")[:1] == "3":
        return None
    value = argument_of(program, made, position)
    if isinstance(value, Constant) and value.value is None:
        return None
    return _without_to_json(program, value)


def _without_to_json(program: Program, value: Value | None) -> Value | None:
    """`order` of `Json.toJson(order)`."""
    for _ in range(4):
        if not isinstance(value, LibraryResult) or value.name.rpartition(".")[2] != "toJson":
            return value
        inner = argument_of(program, value, 0)
        if inner is None:
            return value
        value = inner
    return value
