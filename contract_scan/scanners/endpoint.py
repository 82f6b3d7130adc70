"""Comparing one route with the operation it implements: statuses, bodies and parameters."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TypeAlias

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from contract_scan.ir.document import CodeModel, ContractDocument
from contract_scan.ir.operation import Body, Operation, Response
from contract_scan.ir.origin import Origin
from contract_scan.ir.schema import Nothing, Unknown
from contract_scan.ir.violation import Finding, Kind, OperationRef, RuleId, Severity, Undetermined
from contract_scan.scanners.differences import Comparer
from contract_scan.scanners.differences.describe import describe
from contract_scan.scanners.forms import as_text, forms, read_form, reads_any_case
from contract_scan.scanners.judging import Subject, findings, not_told, undetermined
from contract_scan.scanners.media import (
    content_types,
    covers,
    is_error,
    is_exact,
    is_success,
    json_bodies,
    never_has_body,
    response_for,
)
from contract_scan.scanners.parameters import ParameterDrift, compare_parameters

Said: TypeAlias = Finding | Undetermined

_JSON_ALONE = ("ASP.NET", "FastAPI", "Spring MVC")
"""Frameworks (by the start of their names) that refuse a form where JSON is declared."""


class Comparers(Struct, frozen=True):
    """The comparers of one document and one body of code, by direction."""

    document: ContractDocument
    code: CodeModel
    response: Comparer
    request: Comparer

    lists_errors: bool
    """Whether the document says which errors there are. One that names no error anywhere (a table
    of services, a contract of successes alone) promises nothing of them."""


_WRITTEN_BY_GENERATORS = "422"
"""FastAPI lists it for every operation with parameters, and of other errors what it is told only:
beside it alone, a contract does not say which errors there are."""


def comparers(document: ContractDocument, code: CodeModel) -> Comparers:
    """Make the comparers of a document."""
    return Comparers(
        document,
        code,
        Comparer(contract=document, code=code, direction="response"),
        Comparer(contract=document, code=code, direction="request"),
        lists_errors=any(
            (is_error(response.status) and response.status != _WRITTEN_BY_GENERATORS)
            or response.status == "default"
            for operation in document.operations
            for response in operation.responses
        ),
    )


def compare_endpoint(
    contract: Operation, route: Operation, tools: Comparers, rule: RuleId
) -> Iterator[Said]:
    """Everything on which a route and its contract differ, or that could not be told."""
    endpoint = _Endpoint(contract, route, tools, rule)
    yield from endpoint.parameters()
    yield from endpoint.request()
    yield from endpoint.responses()


class _Endpoint:
    def __init__(
        self, contract: Operation, route: Operation, tools: Comparers, rule: RuleId
    ) -> None:
        self.contract, self.route, self.tools, self.rule = contract, route, tools, rule
        self.name = f"`{contract.method} {contract.path}`"

    # ------------------------------------------------------------------- what it takes

    def parameters(self) -> Iterator[Said]:
        subject = self._request_subject(self.contract.origin, self.route.origin)
        drifts = compare_parameters(self.contract, self.route, self.tools.document, self.tools.code)
        for drift in drifts:
            if isinstance(drift, ParameterDrift):
                yield Finding(
                    rule=self.rule,
                    kind="parameter",
                    severity=drift.severity,
                    message=f"{self.name} {drift.says}",
                    origin=drift.code if drift.code.path else self.route.origin,
                    operation=subject.operation,
                    field=drift.name,
                    expected=drift.expected,
                    found=drift.found,
                    contract=drift.contract if drift.contract.path else self.contract.origin,
                    reached_from=self.route.origin,
                    help=drift.help,
                )
            else:
                entry = not_told(subject, drift.reason)
                yield msgspec.structs.replace(entry, field=drift.name)

    def request(self) -> Iterator[Said]:
        ours, theirs = json_bodies(self.contract.request, self.route.request)
        subject = self._request_subject(
            ours.origin if ours else self.contract.origin,
            theirs.origin if theirs else self.route.origin,
        )
        if not self.contract.request:
            if theirs is not None and theirs.required and not isinstance(theirs.schema, Unknown):
                yield self._whole(
                    subject,
                    "shape",
                    "error",
                    "needs a request body; the contract has none",
                    found=describe(theirs.schema, self.tools.code),
                    help="add the body to the contract, or do without it",
                )
        elif ours is None:
            yield from self._form()
        elif theirs is None:
            named = content_types(self.route.request)
            if named and len(forms(self.route.request)) == len(self.route.request):
                yield self._other_type(ours, self.route.request[0])
                return
            yield not_told(
                subject,
                f"the code reads a body of type {named}"
                if named
                else "the contract has a request body; where the code reads it could not be told",
            )
        else:
            yield from self._read(subject, ours, theirs)

    def _read(self, subject: Subject, ours: Body, theirs: Body) -> Iterator[Said]:
        """Everything on which a body that is sent and the body that is read differ."""
        if ours.required is False and theirs.required:
            yield self._whole(
                subject,
                "required",
                "error",
                "needs a request body, which the contract lets clients leave out",
                expected="optional",
                found="required",
                help="do without the body, or require it in the contract",
            )
        comparison = self.tools.request.compare(contract=ours.schema, code=theirs.schema)
        yield from findings(subject, comparison)
        yield from undetermined(subject, comparison)

    def _form(self) -> Iterator[Said]:
        """The request of a contract that sends no JSON: a form, as far as it is compared."""
        sent = forms(self.contract.request)
        read = read_form(self.contract, self.route) if sent else None
        if sent and read is not None:
            ours = next((b for b in sent if b.content_type == read.content_type), sent[0])
            tools = self.tools
            any_case = reads_any_case(self.route)
            text = as_text(ours.schema, read.schema, tools.document, tools.code, any_case=any_case)
            subject = self._request_subject(ours.origin, read.origin)
            yield from self._read(subject, ours, replace(read, schema=text))
            return
        _, json = json_bodies((), self.route.request)
        takes_json_alone = self.route.framework.startswith(_JSON_ALONE)
        if sent and json is not None and takes_json_alone and not isinstance(json.schema, Unknown):
            yield self._other_type(sent[0], json)
            return
        subject = self._request_subject(self.contract.request[0].origin, self.route.origin)
        named = content_types(self.contract.request)
        reason = (
            "the contract sends a form; where the code reads it could not be told"
            if sent
            else f"only JSON bodies and forms are compared, not {named}"
        )
        yield not_told(subject, reason)

    def _other_type(self, ours: Body, theirs: Body) -> Finding:
        return self._whole(
            self._request_subject(ours.origin, theirs.origin),
            "shape",
            "error",
            f"reads a body of type {theirs.content_type}; the contract sends {ours.content_type}",
            expected=ours.content_type,
            found=theirs.content_type,
            help="read the content type of the contract, or add this one to it",
        )

    def _request_subject(self, contract: Origin, code: Origin) -> Subject:
        return Subject(
            rule=self.rule,
            words=f"{self.name} request",
            direction="request",
            contract=contract if contract.path else self.contract.origin,
            code=code if code.path else self.route.origin,
            operation=OperationRef(
                method=self.contract.method, path=self.contract.path, direction="request"
            ),
        )

    # ------------------------------------------------------------------- what it sends

    def responses(self) -> Iterator[Said]:
        if not self.contract.responses:
            return
        successes = [r for r in self.contract.responses if is_success(r.status)]
        sent = [r for r in self.route.responses if is_success(r.status)]
        if not sent and (successes or response_for(self.contract.responses, "200")):
            subject = self._response_subject(successes[0] if successes else None, None)
            yield not_told(subject, "what the code sends could not be told")
        wrong_status = False
        for response in sent:
            for said in self._success(response, successes):
                wrong_status |= isinstance(said, Finding) and said.kind == "status"
                yield said
        if not wrong_status:
            yield from self._never_sent(successes, sent)
        yield from self._errors()

    def _success(self, sent: Response, successes: Sequence[Response]) -> Iterator[Said]:
        match = response_for(self.contract.responses, sent.status)
        single = successes[0] if len(successes) == 1 else None
        if match is not None and match.status == "default" and successes:
            # `default` next to a success status is for errors, although it covers this one too.
            match = single
            if match is None:
                yield not_told(
                    self._response_subject(None, sent),
                    f"status {sent.status} is covered by `default` alone",
                )
        elif match is None:
            match = single
            if sent.explicit and is_exact(sent.status):
                yield self._status(
                    self._response_subject(None, sent),
                    f"sends status {sent.status}, which the contract does not list",
                    expected=", ".join(r.status for r in successes) or "no success status",
                    found=sent.status,
                )
            elif match is None:
                yield not_told(
                    self._response_subject(None, sent), "which status is sent could not be told"
                )
        if match is not None and not (never_has_body(sent.status) and match.status != sent.status):
            # What is sent with another status, and never has a body, says nothing of this one's.
            yield from self._bodies(match, sent)

    def _never_sent(
        self, successes: Sequence[Response], sent: Sequence[Response]
    ) -> Iterator[Said]:
        if len(successes) != 1 or not is_exact(successes[0].status) or not sent:
            return
        expected = successes[0]
        if any(covers(response.status, expected.status) for response in sent):
            return
        subject = self._response_subject(expected, sent[0])
        found = ", ".join(response.status for response in sent)
        if self.route.statuses_complete:
            yield self._status(
                subject,
                f"never sends status {expected.status}, the contract's only success; "
                f"it sends {found}",
                expected=expected.status,
                found=found,
            )
        else:
            yield not_told(subject, f"whether status {expected.status} is sent could not be told")

    def _errors(self) -> Iterator[Said]:
        """Errors that the handler itself sends. What middleware, validation and handlers of
        exceptions answer is not seen, so a listed error is never called unsent."""
        for sent in self.route.responses:
            if not sent.explicit or not is_error(sent.status):
                continue
            match = response_for(self.contract.responses, sent.status)
            if match is None:
                yield from self._unlisted_error(sent)
                continue
            ours, theirs = json_bodies(match.bodies, sent.bodies)
            if ours is not None and theirs is not None:
                comparison = self.tools.response.compare(contract=ours.schema, code=theirs.schema)
                yield from findings(self._response_subject(match, sent), comparison)

    def _unlisted_error(self, sent: Response) -> Iterator[Finding]:
        if sent.documented or not is_exact(sent.status) or not self.tools.lists_errors:
            return
        listed = [r.status for r in self.contract.responses if not is_success(r.status)]
        yield self._whole(
            self._response_subject(None, sent),
            "status",
            "note",
            f"answers with status {sent.status}, which the contract does not list",
            expected=f"errors: {', '.join(listed)}" if listed else "no error status",
            found=sent.status,
            help="add the status to the contract, or `default` for all errors",
        )

    def _bodies(self, contract: Response, sent: Response) -> Iterator[Said]:
        ours, theirs = json_bodies(contract.bodies, sent.bodies)
        subject = self._response_subject(contract, sent, ours, theirs)
        if not contract.bodies:
            yield from self._body_without_contract(subject, contract, theirs)
        elif ours is None:
            if theirs is not None or not sent.bodies:
                named = content_types(contract.bodies)
                yield not_told(subject, f"only JSON bodies are compared, not {named}")
        elif theirs is None:
            if sent.bodies:
                named = content_types(sent.bodies)
                yield not_told(subject, f"the code sends a body of type {named}")
            else:
                yield self._whole(
                    subject,
                    "shape",
                    "error",
                    "sends no body; the contract has one",
                    expected=describe(ours.schema, self.tools.document),
                    help="send the body, or remove it from the contract",
                )
        else:
            comparison = self.tools.response.compare(contract=ours.schema, code=theirs.schema)
            yield from findings(subject, comparison)
            yield from undetermined(subject, comparison)

    def _body_without_contract(
        self, subject: Subject, contract: Response, theirs: Body | None
    ) -> Iterator[Said]:
        if theirs is None or isinstance(theirs.schema, Nothing) or never_has_body(contract.status):
            return
        if isinstance(theirs.schema, Unknown) and not theirs.schema.is_text:
            yield not_told(subject, theirs.schema.reason)
            return
        yield self._whole(
            subject,
            "shape",
            "warning",
            "sends a body; the contract has none",
            found=describe(theirs.schema, self.tools.code),
            help="add the body to the contract, or send none",
        )

    def _response_subject(
        self,
        contract: Response | None,
        sent: Response | None,
        ours: Body | None = None,
        theirs: Body | None = None,
    ) -> Subject:
        status = contract.status if contract else sent.status if sent else ""
        return Subject(
            rule=self.rule,
            words=f"{self.name} response {status}".rstrip(),
            direction="response",
            contract=_first(ours, contract, self.contract),
            code=_first(theirs, sent, self.route),
            operation=OperationRef(
                method=self.contract.method,
                path=self.contract.path,
                status=status,
                direction="response",
            ),
        )

    def _status(self, subject: Subject, says: str, expected: str, found: str) -> Finding:
        return self._whole(
            subject,
            "status",
            "error",
            says,
            expected=expected,
            found=found,
            help="send the status of the contract, or add this one to it",
        )

    def _whole(
        self,
        subject: Subject,
        kind: Kind,
        severity: Severity,
        says: str,
        *,
        expected: str = "",
        found: str = "",
        help: str = "",
    ) -> Finding:
        """A finding about the operation as a whole rather than one field."""
        return Finding(
            rule=self.rule,
            kind=kind,
            severity=severity,
            message=f"{self.name} {says}",
            origin=subject.code if subject.code.path else subject.contract,
            operation=subject.operation,
            expected=expected,
            found=found,
            contract=subject.contract,
            reached_from=self.route.origin if self.route.origin != subject.code else None,
            help=help,
        )


def _first(*places: Body | Response | Operation | None) -> Origin:
    """The first that stands in a file."""
    origins = [place.origin for place in places if place is not None]
    return next((origin for origin in origins if origin.path), origins[-1])
