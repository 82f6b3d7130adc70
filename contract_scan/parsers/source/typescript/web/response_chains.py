"""What chains of calls on a response object send: `res.status(201).json(x)`."""

from __future__ import annotations

from msgspec.structs import replace

from contract_scan.ir.operation import Body, Response
from contract_scan.ir.origin import Origin
from contract_scan.ir.reasons import Reason
from contract_scan.ir.schema import Nothing, Scalar, Schema, Union, Unknown, with_nullable
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.schemas import unite
from contract_scan.parsers.source.analysis.domain.values import Constant, Scope, is_undefined
from contract_scan.parsers.source.analysis.refinement.correlated_destructuring import alternatives
from contract_scan.parsers.source.facts.nodes import Attribute, Call, Expr, LiteralExpr
from contract_scan.parsers.source.typescript.web import statuses
from contract_scan.parsers.source.typescript.web.error_kinds import ErrorKinds
from contract_scan.parsers.source.typescript.web.paired_members import (
    UNPAIRED,
    are_unpaired,
    chosen_by_body,
    with_open_members,
)
from contract_scan.parsers.source.typescript.web.response_calls import (
    ResponseFunction,
    stringified_value,
)
from contract_scan.parsers.source.typescript.web.response_heads import (
    ANY,
    JSON,
    Head,
    StatusSet,
    after_call,
    content_type_argument,
)
from contract_scan.parsers.source.typescript.web.returned_responses import (
    WORDS_OF_STATUS,
    ResponseSite,
    merge_by_status,
)

_SENDS = frozenset({"json", "send", "jsonp", "end", "sendStatus"})
_NOT_JSON = frozenset({"sendFile", "sendfile", "download", "render", "pipe", "attachment"})
_PIECES = Unknown(reason=Reason("body-written-piecewise"))


class ResponseChains:
    """Notes what is sent, chain after chain. With `status_first`, what is sent first may be the
    status (Restify)."""

    def __init__(
        self, program: Program, default_status: str, *, status_first: bool = False
    ) -> None:
        self._program = program
        self._status_first = status_first
        self._default = default_status
        self._written = False
        self.sites: list[ResponseSite] = []
        self.undetermined_at: Origin | None = None
        """The first place that sends a status that could not be told."""
        self.without_status: list[ResponseSite] = []
        """What is sent with such statuses."""
        self._unseen_bodies = False
        self.kinds: ErrorKinds | None = None
        """What is for one kind of caught error alone."""

    def by_chain(
        self, chain: list[Call], scope: Scope, head: Head, errors: frozenset[str] = frozenset()
    ) -> Head | None:
        """Note what `res.status(201).json(x)` sends; gives the head where nothing is sent.
        `errors`: names of caught errors, and of what is read of them."""
        before = len(self.sites)
        left = self._by_chain(chain, scope, head, errors)
        if head.of_one_kind:
            self.sites[before:] = [replace(s, of_one_kind=True) for s in self.sites[before:]]
        if scope.depth and scope.function is not None:
            function = scope.function.span
            self.sites[before:] = [replace(s, of_function=function) for s in self.sites[before:]]
        return left

    def _by_chain(
        self, chain: list[Call], scope: Scope, head: Head, errors: frozenset[str]
    ) -> Head | None:
        for call in chain:
            name = call.callee.name if isinstance(call.callee, Attribute) else ""
            head = after_call(self._program, head, call, scope, errors)
            first = call.args[0].value if call.args else None
            if name in _SENDS:
                for place, sent in self.alternatives(first, scope, head):
                    self._send(name, call, place, sent)
                return None
            self._written = self._written or name == "write"
            if name in _NOT_JSON:
                self.note_piped(head, scope, call)
                return None
            if name == "redirect":
                code = first if first is not None and call.args[1:] else LiteralExpr(value=302)
                self.note(StatusSet(code, scope), None, scope, call)
                return None
        return head

    def note_piped(self, head: Head, scope: Scope, call: Call) -> None:
        """Note that a file or a stream is sent."""
        body = Body(schema=Unknown(reason=Reason("no-json-sent")), content_type=ANY)
        self.note(head.status, body, scope, call)

    def alternatives(self, body: Expr | None, scope: Scope, head: Head) -> list[tuple[Scope, Head]]:
        """Where a status and a body are sent that stem from one value, which may be one of several:
        each by itself, with the status that goes with it.

        `const { status, body } = await run(request); response.status(status).json(body)`"""
        status = head.status
        if status is None or status.scope.statements is not scope.statements or body is None:
            return [(scope, head)]
        read = (status.expr, body)
        return [
            (place, replace(head, status=StatusSet(status.expr, place, status.errors)))
            for place in alternatives(self._program, read, scope)
        ]

    def by_function(self, call: Call, function: ResponseFunction, scope: Scope) -> None:
        """Note what `send(res, 201, x)` sends."""
        code, body = (
            call.args[position].value if position < len(call.args) else None
            for position in (function.status, function.body)
        )
        status = None if code is None else StatusSet(code, scope)
        head = Head(status, content_type_argument(self._program, call, scope) or "")
        if body is None:
            self.note(status, Body(schema=WORDS_OF_STATUS, content_type="text/plain"), scope, call)
        else:
            self._send_body(body, call, scope, head, as_text=True, text_type="text/plain")

    def _send(self, name: str, call: Call, scope: Scope, head: Head) -> None:
        status, content_type = head.status, head.content_type
        first = call.args[0].value if call.args else None
        if name == "sendStatus":
            # The words of the status are the body; `note` drops it where there can be none.
            status = None if first is None else StatusSet(first, scope)
            self.note(status, Body(schema=WORDS_OF_STATUS, content_type="text/plain"), scope, call)
            return
        if first is not None and self._status_first and self._is_status(first, scope):
            status = StatusSet(first, scope)
            first = call.args[1].value if len(call.args) > 1 else None
        if first is None:
            pieces = Body(schema=_PIECES, content_type=content_type or ANY)
            self.note(status, pieces if self._written else None, scope, call)
            return
        if len(call.args) > 1 and name == "send" and not self._status_first:
            flat = self._program.types.flat(self._program.infer(first, scope))
            if isinstance(flat, Scalar) and flat.type == "integer":
                self._note_undetermined(first, scope)  # Express 3's `send(status, body)`
                self._unseen_bodies = True
                return
        as_text = name == "end" or (name == "send" and not self._status_first)
        self._send_body(first, call, scope, replace(head, status=status), as_text=as_text)

    def _send_body(
        self,
        first: Expr,
        call: Call,
        scope: Scope,
        head: Head,
        *,
        as_text: bool,
        text_type: str = "text/html",
    ) -> None:
        """Note a body; `as_text`: a text is sent as it is, not as JSON."""
        content_type = head.content_type
        inner = stringified_value(self._program, first, scope) if as_text else None
        schema = self._program.infer(*(inner or (first, scope)))
        flat = self._program.types.flat(schema)
        place = Origin(scope.file.path, first.span)
        is_told = inner is None and isinstance(flat, Nothing) and not flat.nullable
        if is_told and is_undefined(self._program.evaluate(first, scope)):
            self.note(head.status, None, scope, call)  # `res.json(undefined)` sends no body
            return
        if as_text and inner is None and isinstance(flat, Nothing):
            # Null and undefined are sent as an empty body (express: lib/response.js, `res.send`).
            empty = Unknown(reason=Reason("sent-as-empty-body"), origin=place)
            self.note(head.status, Body(schema=empty, origin=place), scope, call)
            return
        if as_text and inner is None and isinstance(flat, Union) and not content_type:
            texts = [option for option in flat.options if self._is_text(option)]
            if 0 < len(texts) < len(flat.options):
                # A text is sent as it is, and whatever else it may be as JSON.
                body = Body(schema=unite(texts), content_type=text_type, origin=place)
                self.note(head.status, body, scope, call)
                others = unite(option for option in flat.options if not self._is_text(option))
                schema = flat = with_nullable(others, flat.nullable)
        if inner is not None and content_type == ANY:
            content_type = JSON
        if as_text and inner is None and isinstance(flat, Scalar) and flat.type != "boolean":
            content_type = content_type or text_type  # a boolean is sent as JSON
        if content_type and "json" not in content_type:
            body = Body(schema=schema, content_type=content_type)
        elif as_text and inner is None and isinstance(flat, Scalar) and flat.type == "string":
            # A text is sent as it is, whatever type it is said to be of.
            text = Unknown(reason=Reason("json-handwritten"))
            body = Body(schema=text, content_type=content_type)
        else:
            body = Body(schema=schema, content_type=content_type or JSON)
        read = head.status.expr if head.status and head.status.scope is scope else None
        if read is not None and are_unpaired(self._program, read, first, scope):
            body = replace(body, schema=UNPAIRED)
        missing = self.may_be_nothing(*(inner or (first, scope)))
        body = replace(body, may_be_missing=missing, origin=place)
        self.note(head.status, body, scope, call, sent=first)

    def may_be_nothing(self, sent: Expr, scope: Scope) -> bool:
        """Whether what is sent may be `undefined`, as far as is known."""
        value = self._program.evaluate(sent, scope)
        return self._program.evaluator.may_be_nothing(value, sent, scope)

    def _is_text(self, option: Schema) -> bool:
        flat = self._program.types.flat(option)
        return isinstance(flat, Scalar) and flat.type == "string"

    @property
    def complete(self) -> bool:
        """Whether every status that is sent could be told."""
        return self.undetermined_at is None

    def responses_without_status(self) -> tuple[Response, ...]:
        """All that is sent with statuses that could not be told; none where that is not all."""
        return () if self._unseen_bodies else tuple(merge_by_status(self.without_status))

    def _note_undetermined(self, place: Expr, scope: Scope) -> None:
        self.undetermined_at = self.undetermined_at or self._program.origin(place, scope)

    def _is_status(self, expr: Expr, scope: Scope) -> bool:
        value = self._program.evaluate(expr, scope)
        text = isinstance(value, Constant) and isinstance(value.value, str)
        return not text and any(statuses.of_value(value))

    def note(
        self,
        status: StatusSet | None,
        body: Body | None,
        scope: Scope,
        place: Expr,
        *,
        of_one_kind: bool = False,
        sent: Expr | None = None,
    ) -> None:
        """Note that a response is sent; without a status, that of the framework. `of_one_kind`: for
        one kind of caught error alone, that nothing is seen to throw; `sent`: what the body is made
        of."""
        origin = self._program.origin(place, scope)
        if status is None:
            self.sites.append(ResponseSite(self._default, False, body, origin))
            return
        found = statuses.find_statuses(self._program, status.expr, status.scope)
        if found is None:
            self._note_undetermined(status.expr, status.scope)
            self._unseen_bodies = self._unseen_bodies or body is None
            self.without_status.append(ResponseSite("", True, body, origin))
        alone: frozenset[int] = frozenset()
        if self.kinds is not None and any(code >= 400 for code in found or ()):
            alone = self.kinds.of_status(status.expr, status.errors, status.scope)
        chosen: frozenset[int] = frozenset()
        if sent is not None and status.scope.statements is scope.statements:
            chosen = chosen_by_body(self._program, status.expr, sent, scope)
        for code in found or ():
            empty = body is None or code in (204, 205, 304)
            of_kind = of_one_kind or (code >= 400 and code in alone)
            of_code = body
            if body is not None and code in chosen:
                of_code = replace(body, schema=with_open_members(self._program, body.schema))
            self.sites.append(
                ResponseSite(str(code), True, None if empty else of_code, origin, of_kind)
            )
