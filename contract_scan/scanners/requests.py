"""Comparing what a route takes with its contract: parameters and bodies of requests."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec
from msgspec.structs import replace

from contract_scan.ir.evidence import at_least
from contract_scan.ir.operation import Body
from contract_scan.ir.origin import Origin
from contract_scan.ir.reasons import Reason
from contract_scan.ir.schema import Unknown
from contract_scan.ir.violation import Finding, OperationRef
from contract_scan.scanners.body_uses import needs_body
from contract_scan.scanners.differences.describe import describe
from contract_scan.scanners.direction import Said, Side
from contract_scan.scanners.finding_builder import Subject, undetermined_because
from contract_scan.scanners.form_bodies import as_text, forms, read_form
from contract_scan.scanners.framework_injected import bodies_meant
from contract_scan.scanners.media import content_types, json_bodies
from contract_scan.scanners.parameters import ParameterDrift, compare_parameters

BODY_UNPROVED = Reason("body-need-unchecked")
"""Why it is not known whether requests without a body fail."""


class Requests(Side):
    """What a route takes."""

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
                    predicate=drift.says,
                    origin=drift.code if drift.code.path else self.route.origin,
                    operation=subject.operation,
                    field=drift.name,
                    expected=drift.expected,
                    found=drift.found,
                    evidence=drift.evidence,
                    contract=drift.contract if drift.contract.path else self.contract.origin,
                    reached_from=self.route.origin,
                    help=drift.help,
                )
            else:
                entry = undetermined_because(subject, drift.reason)
                yield msgspec.structs.replace(entry, field=drift.name)

    def request(self) -> Iterator[Said]:
        promised = bodies_meant(self.contract, self.route)
        if self.contract.request and not promised and not self.route.request:
            return
        ours, theirs = json_bodies(promised, self.route.request)
        subject = self._request_subject(
            ours.origin if ours else self.contract.origin,
            theirs.origin if theirs else self.route.origin,
        )
        if not promised:
            if theirs is not None and not isinstance(theirs.schema, Unknown):
                yield from self._needed_body(
                    subject,
                    theirs,
                    self.whole(
                        subject,
                        "shape",
                        "error",
                        "requires a request body; the contract defines none",
                        found=describe(theirs.schema, self.tools.code),
                        help="add the body to the contract, or do without it",
                    ),
                )
        elif ours is None:
            yield from self._form()
        elif theirs is None:
            named = content_types(self.route.request)
            if named and len(forms(self.route.request)) == len(self.route.request):
                yield self._other_type(ours, self.route.request[0])
                return
            if self.route.reads_no_body:
                yield self.whole(
                    subject,
                    "shape",
                    "warning",
                    "does not read the request body, which the contract defines",
                    expected=describe(ours.schema, self.tools.document),
                    help="read the body, or take it out of the contract",
                )
                return
            yield undetermined_because(
                subject,
                Reason("body-type-read", named=named)
                if named
                else Reason("request-body-read-undetermined"),
            )
        else:
            yield from self._compare_read_body(subject, ours, theirs)

    def _compare_read_body(self, subject: Subject, ours: Body, theirs: Body) -> Iterator[Said]:
        """Every difference of a body in the contract from the body that the code reads."""
        if ours.required is False:
            yield from self._needed_body(
                subject,
                theirs,
                self.whole(
                    subject,
                    "required",
                    "error",
                    "requires a request body, which the contract makes optional",
                    expected="optional",
                    found="required",
                    help="do without the body, or require it in the contract",
                ),
            )
        every = self.json_types(bodies_meant(self.contract, self.route), ours)
        yield from self.compare_body(subject, self.tools.request, every, theirs)

    def _needed_body(self, subject: Subject, theirs: Body, finding: Finding) -> Iterator[Said]:
        """The finding that the code needs a body, if that is proved."""
        grade = theirs.evidence.required or "enforced"
        if theirs.uses is not None:
            needed, grade = needs_body(theirs.uses), "enforced"
        else:
            needed = theirs.required if at_least(grade, "checked") else None
        if needed:
            yield replace(finding, evidence=grade)
        elif needed is None and theirs.required:
            yield undetermined_because(subject, BODY_UNPROVED)

    def _form(self) -> Iterator[Said]:
        """The request of a contract that sends no JSON: a form, as far as it is compared."""
        form = forms(self.contract.request)
        read = read_form(self.contract, self.route) if form else None
        if form and read is not None:
            ours = next((b for b in form if b.content_type == read.content_type), form[0])
            tools = self.tools
            any_case = self.route.traits.names_case_insensitive
            text = as_text(ours.schema, read.schema, tools.document, tools.code, any_case=any_case)
            subject = self._request_subject(ours.origin, read.origin)
            yield from self._compare_read_body(subject, ours, replace(read, schema=text))
            return
        _, json = json_bodies((), self.route.request)
        json_only = self.route.traits.json_only
        if form and json is not None and json_only and not isinstance(json.schema, Unknown):
            yield self._other_type(form[0], json)
            return
        subject = self._request_subject(self.contract.request[0].origin, self.route.origin)
        named = content_types(self.contract.request)
        reason = (
            Reason("form-read-undetermined")
            if form
            else Reason("request-format-not-compared", named=named)
        )
        yield undetermined_because(subject, reason)

    def _other_type(self, ours: Body, theirs: Body) -> Finding:
        return self.whole(
            self._request_subject(ours.origin, theirs.origin),
            "shape",
            "error",
            f"reads {theirs.content_type}; the contract defines {ours.content_type}",
            expected=ours.content_type,
            found=theirs.content_type,
            help="read the content type of the contract, or add this one to it",
        )

    def _request_subject(self, contract: Origin, code: Origin) -> Subject:
        return Subject(
            rule=self.rule,
            words=self.name,
            direction="request",
            contract=contract if contract.path else self.contract.origin,
            code=code if code.path else self.route.origin,
            operation=OperationRef(
                method=self.contract.method, path=self.contract.path, direction="request"
            ),
        )
