"""Comparing what a route sends with its contract: statuses and bodies of responses."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from msgspec.structs import replace

from contract_scan.ir.evidence import DECLARED
from contract_scan.ir.operation import Body, Operation, Response
from contract_scan.ir.origin import NOWHERE, Origin
from contract_scan.ir.reasons import Reason
from contract_scan.ir.schema import Array, Nothing, Object, Scalar, Unknown
from contract_scan.ir.violation import Finding, OperationRef, Undetermined
from contract_scan.scanners.differences import UndeterminedPart
from contract_scan.scanners.differences.describe import describe
from contract_scan.scanners.differences.disjoint import share_no_object
from contract_scan.scanners.differences.union_members import alternatives
from contract_scan.scanners.direction import Said, Side
from contract_scan.scanners.finding_builder import Subject, undetermined_because
from contract_scan.scanners.media import (
    ANY_TYPE,
    content_types,
    covers,
    is_any_text,
    is_error,
    is_exact,
    is_redirect,
    is_success,
    is_text,
    json_bodies,
    never_has_body,
    response_for,
    share_a_type,
    takes_objects,
    without_texts,
)

_NO_SCHEMA = Reason("contract-body-without-schema")
_WORDS = "text/plain"
"""The content type of the words of a status."""
_UP_TO_HANDLER = Reason("error-handler-decides-error")
_HEADERS = Reason("response-headers-not-compared")


class Responses(Side):
    """What a route sends."""

    def responses(self) -> Iterator[Said]:
        if not self.contract.responses:
            return
        successes = [r for r in self.contract.responses if is_success(r.status)]
        own_successes = [r for r in self.route.responses if is_success(r.status)]
        redirects = [r for r in self.route.responses if r.explicit_status and is_redirect(r.status)]
        promised = successes or [r for r in self.contract.responses if is_redirect(r.status)]
        if not own_successes and redirects and promised and self.route.statuses_complete:
            yield from self._unlisted_redirects(redirects, promised)
        elif not own_successes and successes and self._only_errors():
            yield from self._never_succeeds(successes)
        elif not own_successes and (successes or response_for(self.contract.responses, "200")):
            subject = self._response_subject(successes[0] if successes else None, None)
            yield undetermined_because(subject, Reason("response-undetermined"))
        wrong_status = is_open = False
        for response in own_successes:
            others = [other for other in own_successes if other is not response]
            for said in self._success(response, successes, others):
                wrong_status |= isinstance(said, Finding) and said.kind == "status"
                is_open |= not isinstance(said, Finding) and not said.field
                yield said
        for said in () if wrong_status else self._missing_success(successes, own_successes):
            is_open = True
            yield said
        is_whole = wrong_status or is_open or self._no_other_success_matters(successes)
        if own_successes and not is_whole:
            fitting = self._errors_without_status(successes)
            reason = Reason("other-statuses-undetermined")
            if fitting is not None:
                reason = Reason("error-statuses-undetermined")
            subject = self._response_subject(fitting, own_successes[0])
            yield self._undetermined_status(subject, reason)
        yield from self._required_headers(successes)
        yield from self._errors()
        for response in redirects if own_successes else ():
            if response_for(self.contract.responses, response.status) is None:
                yield from self._unlisted_beside(response)

    def _required_headers(self, successes: Sequence[Response]) -> Iterator[Undetermined]:
        """Headers that successes must have. Code around handlers, servers and proxies set them too,
        and no front end reads which."""
        for response in successes:
            for name in response.required_headers:
                subject = self._response_subject(response, None)
                place = UndeterminedPart(path=name, reason=_HEADERS)
                yield undetermined_because(subject, _HEADERS, place)

    def _no_other_success_matters(self, successes: Sequence[Response]) -> bool:
        """Whether no success beside those that are seen to be sent can break the contract."""
        return self.route.statuses_complete or any(r.status == "2XX" for r in successes)

    def _errors_without_status(self, successes: Sequence[Response]) -> Response | None:
        """An error of the contract whose body is sent with statuses that are undetermined, if
        all that is sent with such is the body of a listed error and cannot be of a success."""
        fitting = None
        others = [r for r in self.contract.responses if r not in successes]
        for sent in self.route.without_status:
            errors = (r for r in others if is_error(r.status) or r.status == "default")
            fitting = next((r for r in errors if self._is_body_of(r, sent)), None)
            if fitting is None or not all(self._is_no_body_of(r, sent) for r in successes):
                return None
        return fitting

    def _is_body_of(self, contract: Response, sent: Response) -> bool:
        """Whether what is sent fits the body of a response, which says what is in it."""
        ours, theirs = json_bodies(contract.bodies, sent.bodies)
        if ours is None or theirs is None or len(sent.bodies) > 1:
            return False
        options = alternatives(ours.schema, self.tools.document).options
        says = bool(options) and all(
            isinstance(one.shape, Object) and any(field.required for field in one.shape.fields)
            for one in options
        )
        comparison = self.tools.response.compare(contract=ours.schema, code=theirs.schema)
        is_compared = all(place.path for place in comparison.undetermined)
        return says and is_compared and not comparison.differences

    def _is_no_body_of(self, contract: Response, sent: Response) -> bool:
        """Whether what is sent is certainly not the body of a response."""
        ours, theirs = json_bodies(contract.bodies, sent.bodies)
        return (
            ours is not None
            and theirs is not None
            and share_no_object(ours.schema, theirs.schema, self.tools.document, self.tools.code)
        )

    def _unlisted_redirects(
        self, redirects: Sequence[Response], promised: Sequence[Response]
    ) -> Iterator[Said]:
        """The findings for a route that redirects its clients and never succeeds itself, where the
        contract promises successes or other redirects."""
        expected = _expected_statuses(promised, ())
        for response in redirects:
            if response_for(self.contract.responses, response.status) is None:
                yield self._status(
                    self._response_subject(None, response),
                    f"returns {response.status}; the contract defines {expected}",
                    expected=expected,
                    found=response.status,
                )

    def _only_errors(self) -> bool:
        """Whether every way through the handler is seen to end in an error that it names."""
        answers = [
            response
            for response in self.route.responses
            if not response.documented and not response.is_uncertain
        ]
        return (
            self.route.statuses_complete
            and bool(answers)
            and all(
                r.explicit_status and is_exact(r.status) and is_error(r.status) for r in answers
            )
        )

    def _never_succeeds(self, successes: Sequence[Response]) -> Iterator[Said]:
        """A route that answers with errors alone: one that is not implemented, say."""
        answers = [response for response in self.route.responses if not response.documented]
        found = ", ".join(response.status for response in answers)
        expected = ", ".join(response.status for response in successes)
        yield self._status(
            self._response_subject(successes[0], answers[0]),
            f"returns only {found}; the contract defines {expected}",
            expected=expected,
            found=found,
        )

    def _success(
        self, response: Response, successes: Sequence[Response], others: Sequence[Response]
    ) -> Iterator[Said]:
        match = response_for(self.contract.responses, response.status)
        single = successes[0] if len(successes) == 1 else None
        if match is not None and match.status == "default" and successes:
            if single is None or any(covers(single.status, other.status) for other in others):
                yield from self._beside_default(match, response, successes, others)
            match = single
        elif match is None:
            if response.is_uncertain and others:
                return
            match = single
            if response.explicit_status and is_exact(response.status):
                yield self._unlisted_success(response, successes, others)
            elif match is None:
                reason = Reason("sent-status-undetermined")
                if is_exact(response.status) and not successes:
                    reason = Reason("contract-without-success", status=response.status)
                yield undetermined_because(self._response_subject(None, response), reason)
        if match is not None and not self._is_of_another(match, response, others):
            yield from self._bodies(match, response)

    def _beside_default(
        self,
        default: Response,
        response: Response,
        successes: Sequence[Response],
        others: Sequence[Response],
    ) -> Iterator[Said]:
        """A success that `default` alone covers. Next to a listed success it is for errors, so that
        a body which is certainly not that of `default` is one of an unlisted status."""
        is_certain = response.explicit_status and is_exact(response.status)
        if is_certain and self._is_no_body_of(default, response):
            yield self._unlisted_success(response, successes, others)
        elif len(successes) == 1 and not (is_certain and default.bodies):
            return
        elif not self._is_body_of(default, response):
            yield undetermined_because(
                self._response_subject(None, response),
                Reason("status-covered-by-default", status=response.status),
            )

    def _unlisted_success(
        self, response: Response, successes: Sequence[Response], others: Sequence[Response]
    ) -> Finding:
        expected = _expected_statuses(successes, others)
        return self._status(
            self._response_subject(None, response),
            f"returns {response.status}; the contract defines {expected}",
            expected=expected,
            found=response.status,
        )

    def _is_of_another(
        self, contract: Response, response: Response, others: Sequence[Response]
    ) -> bool:
        """Whether what is sent with a status says nothing of the contracted one's body: it never
        has a body, or the code sends the contracted status as well."""
        if covers(contract.status, response.status) or not is_exact(response.status):
            return False
        return never_has_body(response.status) or any(
            covers(contract.status, other.status) for other in others
        )

    def _missing_success(
        self, successes: Sequence[Response], answers: Sequence[Response]
    ) -> Iterator[Said]:
        if len(successes) != 1 or not is_exact(successes[0].status) or not answers:
            return
        expected = successes[0]
        if any(covers(response.status, expected.status) for response in answers):
            return
        subject = self._response_subject(expected, answers[0])
        found = ", ".join(response.status for response in answers)
        if self.route.statuses_complete and not any(r.is_uncertain for r in answers):
            yield self._status(
                subject,
                f"returns {found}; the contract defines {expected.status}",
                expected=expected.status,
                found=found,
            )
        else:
            reason = Reason("status-undetermined", status=expected.status)
            yield self._undetermined_status(subject, reason)

    def _errors(self) -> Iterator[Said]:
        """Errors that the handler itself sends. What middleware, validation and handlers of
        exceptions answer is not seen, so a listed error is never called unsent."""
        for response in self.route.responses:
            if not response.explicit_status or not is_error(response.status):
                continue
            match = response_for(self.contract.responses, response.status)
            if match is None:
                yield from self._unlisted_beside(response)
                continue
            ours, theirs = _graded_bodies(match, response)
            if ours is not None and theirs is not None and not _is_up_to_handler(theirs):
                subject = self._response_subject(match, response, ours, theirs)
                said: list[Said] = [
                    *self.compare_body(subject, self.tools.response, [ours], theirs),
                    *self._sometimes_without_body(subject, ours, theirs, response),
                    *self._sometimes_words(subject, match, ours, response),
                ]
                if response.is_uncertain and any(isinstance(one, Finding) for one in said):
                    reason = Reason("status-undetermined", status=match.status)
                    said = [undetermined_because(subject, reason)]
                yield from said
            elif ours is not None and response.empty_at is not None and not response.bodies:
                subject = self._response_subject(match, response, ours)
                returned = f"{response.status} without a body"
                yield from self._without_body(subject, ours, returned)

    def _unlisted_beside(self, response: Response) -> Iterator[Finding]:
        """A status that is sent beside successes: an error, or a redirect."""
        if response.documented or response.for_unseen_error or response.is_uncertain:
            return
        if not is_exact(response.status):
            return
        if is_error(response.status) and not self.tools.lists_errors:
            return
        listed = [r.status for r in self.contract.responses if not is_success(r.status)]
        expected = f"errors: {', '.join(listed)}" if listed else "no error status"
        or_default = ", or `default` for all errors"
        if not is_error(response.status):
            expected, or_default = ", ".join(r.status for r in self.contract.responses), ""
        yield self.whole(
            self._response_subject(None, response),
            "status",
            "note",
            f"returns {response.status}, which the contract does not define",
            expected=expected,
            found=response.status,
            help=f"add the status to the contract{or_default}",
        )

    def _bodies(self, contract: Response, response: Response) -> Iterator[Said]:
        if never_has_body(contract.status):
            return  # HTTP drops it, whatever either side says
        ours, theirs = _graded_bodies(contract, response)
        subject = self._response_subject(contract, response, ours, theirs)
        if _is_sent_for_another(contract, response):
            promised = f"{response.status} ({contract.status} in the contract)"
            subject = replace(subject, words=f"{self.name} response {promised}")
        if not contract.bodies:
            sent = theirs or next(iter(response.bodies), None)
            yield from self._body_without_contract(subject, contract, sent)
        elif ours is None:
            yield from self._without_json(subject, contract, response, theirs)
        elif theirs is None:
            if response.bodies:
                if not (is_text(ours) and share_a_type(contract.bodies, response.bodies)):
                    named = content_types(response.bodies)
                    yield undetermined_because(subject, Reason("body-type-sent", named=named))
            elif response.documented:
                # An annotation that names a status alone does not say that nothing is sent with it.
                yield undetermined_because(subject, Reason("status-listed-without-body"))
            else:
                yield from self._without_body(subject, ours)
        elif not is_any_text(ours, theirs):
            every = self.json_types(contract.bodies, ours)
            yield from self.compare_body(subject, self.tools.response, every, theirs)
            yield from self._sometimes_without_body(subject, ours, theirs, response)
            yield from self._sometimes_words(subject, contract, ours, response)

    def _without_body(
        self, subject: Subject, ours: Body, returned: str = "no body"
    ) -> Iterator[Finding]:
        if isinstance(ours.schema, Unknown) and ours.schema.reason == _NO_SCHEMA:
            return  # OpenAPI lists potential payloads, of which nothing more is said here
        yield self.whole(
            subject,
            "shape",
            "error",
            f"returns {returned}; the contract defines one",
            expected=describe(ours.schema, self.tools.document),
            help="send the body, or remove it from the contract",
        )

    def _sometimes_without_body(
        self, subject: Subject, ours: Body, theirs: Body, response: Response
    ) -> Iterator[Said]:
        """A response that is sent with the body of the contract on some ways, and without on
        others."""
        if isinstance(ours.schema, Unknown):
            return
        if response.empty_at is None:
            if theirs.may_be_missing:
                yield undetermined_because(subject, Reason("may-send-nothing"))
            return
        yield self.whole(
            replace(subject, code=response.empty_at),
            "shape",
            "error",
            f"returns {response.status} with and without a body; the contract defines one",
            expected=describe(ours.schema, self.tools.document),
            help="send the body in all cases",
        )

    def _sometimes_words(
        self, subject: Subject, contract: Response, ours: Body, response: Response
    ) -> Iterator[Finding]:
        """A response that is sent with the body of the contract on some ways, and with the words of
        the status on others."""
        words = [body for body in response.bodies if body.content_type == _WORDS]
        if response.words_at is None or isinstance(ours.schema, Unknown):
            return
        if share_a_type(contract.bodies, words):
            return
        yield self.whole(
            replace(subject, code=response.words_at),
            "shape",
            "error",
            f"returns {response.status} with the words of the status as {_WORDS} at some places; "
            f"the contract defines {content_types([ours])}",
            expected=describe(ours.schema, self.tools.document),
            found=_WORDS,
            help="send the body of the contract in all cases",
        )

    def _without_json(
        self, subject: Subject, contract: Response, response: Response, theirs: Body | None
    ) -> Iterator[Said]:
        """A response in which the contract promises no JSON."""
        named = content_types(contract.bodies)
        certain = theirs is not None and not response.documented and self._is_json(theirs)
        if theirs is not None and certain and not takes_objects(contract.bodies):
            yield self.whole(
                subject,
                "shape",
                "error",
                f"returns {content_types([theirs])}; the contract defines {named}",
                expected=named,
                found=content_types([theirs]),
                help="send the content type of the contract, or add this one to it",
            )
        elif share_a_type(contract.bodies, response.bodies):
            return  # what is in it is not compared
        elif theirs is not None or not response.bodies:
            yield undetermined_because(subject, Reason("response-format-not-compared", named=named))
        else:
            found = content_types(response.bodies)
            yield undetermined_because(
                subject, Reason("body-type-sent-differs", found=found, named=named)
            )

    def _is_json(self, body: Body) -> bool:
        """Whether a body is certainly written as JSON: an object or list of known shape."""
        if body.content_type == ANY_TYPE:
            return False
        options = alternatives(body.schema, self.tools.code).options
        return bool(options) and all(isinstance(o.shape, Object | Array) for o in options)

    def _body_without_contract(
        self, subject: Subject, contract: Response, theirs: Body | None
    ) -> Iterator[Said]:
        if theirs is None or isinstance(theirs.schema, Nothing):
            return
        if contract.status == "default":
            return  # it stands for whatever is not listed, so that no content says nothing
        if isinstance(theirs.schema, Unknown) and not theirs.schema.is_text:
            yield undetermined_because(subject, theirs.schema.reason)
            return
        yield self.whole(
            subject,
            "shape",
            "warning",
            "returns a body; the contract defines none",
            found=content_types([theirs])
            if _is_file(theirs)
            else describe(theirs.schema, self.tools.code),
            help="add the body to the contract, or send none",
        )

    def _response_subject(
        self,
        contract: Response | None,
        response: Response | None,
        ours: Body | None = None,
        theirs: Body | None = None,
    ) -> Subject:
        status = contract.status if contract else response.status if response else ""
        promised = _first_origin(ours, contract, self.contract)
        return Subject(
            rule=self.rule,
            words=f"{self.name} response {status}".rstrip(),
            direction="response",
            contract=promised,
            code=_first_origin(theirs, response, self.route, beside=promised),
            operation=OperationRef(
                method=self.contract.method,
                path=self.contract.path,
                status=status,
                direction="response",
            ),
        )

    def _undetermined_status(self, subject: Subject, reason: Reason) -> Undetermined:
        """An entry that stands where the code sends what could not be followed, if that is one
        place."""
        code = self.route.undetermined_status or subject.code
        return undetermined_because(replace(subject, code=code), reason)

    def _status(self, subject: Subject, says: str, expected: str, found: str) -> Finding:
        return self.whole(
            subject,
            "status",
            "error",
            says,
            expected=expected,
            found=found,
            help="send the status of the contract, or add this one to it",
        )


def _is_sent_for_another(contract: Response, response: Response) -> bool:
    """Whether a success is sent with a status of its own that the contract does not list, in the
    place of the only one that it does."""
    is_certain = response.explicit_status and is_exact(response.status)
    return is_certain and is_exact(contract.status) and contract.status != response.status


def _is_up_to_handler(body: Body) -> bool:
    """Whether what is sent is the matter of what handles the errors of the whole project."""
    return isinstance(body.schema, Unknown) and body.schema.reason == _UP_TO_HANDLER


def _is_file(body: Body) -> bool:
    """Whether a body is certainly sent as it is, and is no text and no JSON."""
    return isinstance(body.schema, Scalar) and body.schema.format == "binary"


def _graded_bodies(contract: Response, response: Response) -> tuple[Body | None, Body | None]:
    """The JSON bodies to compare. What only an annotation beside the handler lists is declared:
    nothing holds the handler to it."""
    ours, theirs = json_bodies(contract.bodies, response.bodies)
    if theirs is not None and response.documented:
        theirs = replace(theirs, evidence=DECLARED)
    return ours, None if theirs is None else without_texts(theirs, contract.bodies)


def _expected_statuses(successes: Sequence[Response], others: Sequence[Response]) -> str:
    """The statuses that the contract expects; `only` them if the route sends one of them as
    well."""
    listed = ", ".join(response.status for response in successes) or "no success status"
    is_covered = any(covers(each.status, other.status) for each in successes for other in others)
    return f"only {listed}" if is_covered else listed


def _first_origin(*places: Body | Response | Operation | None, beside: Origin = NOWHERE) -> Origin:
    """The first that stands in a file; of places in the code, none in the document of the contract
    that it stands beside."""
    origins = [place.origin for place in places if place is not None]
    found = (o for o in origins if o.path and not o.is_in_document_of(beside))
    return next(found, origins[-1])
