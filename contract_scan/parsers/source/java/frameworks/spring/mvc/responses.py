"""What Spring handlers send: declared types, `ResponseEntity`, statuses."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property

from msgspec.structs import replace

from contract_scan.ir.operation import Body, Response
from contract_scan.ir.reasons import Reason
from contract_scan.ir.schema import Scalar, Schema, Unknown
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import (
    BySchema,
    ByType,
    ClassSymbol,
    LibraryResult,
    Value,
)
from contract_scan.parsers.source.facts.nodes import (
    NamedType,
    New,
    NullType,
    TypeExpr,
    UnsupportedType,
)
from contract_scan.parsers.source.java.frameworks.spring.annotations import (
    first_merged,
    merged_annotations,
)
from contract_scan.parsers.source.java.resolution.annotations import type_name
from contract_scan.parsers.source.java.resolution.declared_types import without_deferral
from contract_scan.parsers.source.java.web.branch_results import (
    BranchResult,
    status_of,
    with_statuses,
)
from contract_scan.parsers.source.java.web.handlers import Method
from contract_scan.parsers.source.java.web.outcomes import argument_of, responses_of
from contract_scan.parsers.source.java.web.response_builders import Builder, WholeResponses
from contract_scan.parsers.source.java.web.responses import MethodResponses
from contract_scan.parsers.source.java.web.servlet_api import ResponseUse, set_by

_ENTITIES = frozenset({"ResponseEntity", "HttpEntity"})
_WRITERS = frozenset(
    {"HttpServletResponse", "ServletResponse", "ServerHttpResponse", "ServerWebExchange"}
)
_VIEWS = frozenset({"ModelAndView", "View", "RedirectView", "Rendering"})
_HEADERS = frozenset({"HttpHeaders", "MultiValueMap", "LinkedMultiValueMap"})


def _constructed_outcomes(program: Program, value: LibraryResult) -> Iterator[BranchResult]:
    """`new ResponseEntity<>(body, headers, status)`."""
    count = len(value.site.args)
    if type_name(getattr(value.site, "type", None)) == "HttpEntity":  # which has no status
        body = argument_of(program, value, 0)
        yield BranchResult(body=None if _is_headers(program, body) else body)
        return
    status = argument_of(program, value, count - 1)
    body = argument_of(program, value, 0) if count > 1 else None
    if count == 2 and _is_headers(program, body):
        body = None
    yield from with_statuses(program, status, body)


def _is_headers(program: Program, value: Value | None) -> bool:
    match value:
        case ByType(type=type):
            return type_name(type) in _HEADERS
        case LibraryResult(name=name):
            return name.rpartition(".")[2] in _HEADERS
        case _:
            del program
            return False


_BUILDER = Builder(
    owners=("ResponseEntity",),
    body_at={"ok": 0},
    body="body",
    content_type="contentType",
    or_missing=frozenset({"of", "ofNullable"}),
)


def _entity_outcomes(program: Program, value: LibraryResult) -> Iterator[BranchResult] | None:
    if isinstance(value.site, New) and type_name(value.site.type) in _ENTITIES:
        return _constructed_outcomes(program, value)
    return _BUILDER.outcomes(program, value)


_RESPONSES = WholeResponses(types=_ENTITIES, built=_entity_outcomes)


# --------------------------------------------------------------------------- a handler's responses


class HandlerResponses(MethodResponses):
    """The responses of one handler method."""

    whole = _RESPONSES

    def __init__(
        self, program: Program, controller: ClassSymbol, method: Method, variant: str
    ) -> None:
        super().__init__(program, controller, method, variant)
        # Other libraries give errors without a body that of an error page.
        self.shapes.noted = ("2", "4", "5")

    def responses(self, content_type: str, *, is_body: bool) -> tuple[tuple[Response, ...], bool]:
        """The responses, and whether they are all the success statuses there can be."""
        found, complete = self._responses(content_type, is_body=is_body)
        return self._with_set_statuses(found), complete and not self._writes

    def _with_set_statuses(self, found: tuple[Response, ...]) -> tuple[Response, ...]:
        """The responses with the statuses that the handler sets on the response where neither what
        it returns nor `@ResponseStatus` says one: both count for more."""
        statuses = self._response_use.statuses
        if not statuses:
            return found
        by_status = {one.status: one for one in found if one.explicit_status}
        for one in found:
            for status in statuses if not one.explicit_status else ():
                made = self._with_status(one, status) if status else one
                by_status.setdefault(made.status, made)
        return tuple(by_status[status] for status in sorted(by_status))

    def _with_status(self, response: Response, status: str) -> Response:
        """A response with a status that is set; what goes with an error need not be what the
        handler's type says."""
        origin = self._response_use.origin or self.origin
        bodies = () if status in ("204", "205") else response.bodies
        if not status.startswith("2"):
            reason = Reason("body-of-set-status-undetermined")
            unknown = Unknown(reason=reason, origin=origin)
            bodies = tuple(replace(body, schema=unknown) for body in bodies)
        response = replace(response, status=status, bodies=bodies, empty_at=None)
        return replace(response, explicit_status=True, origin=origin)

    @property
    def _writes(self) -> bool:
        """Whether the handler holds the response itself and may set any status."""
        return bool(self._response_parameters) and not self._response_use.whole

    @property
    def _response_parameters(self) -> frozenset[str]:
        """The classes of responses among the parameters."""
        return _WRITERS.intersection(
            type_name(param.type) for param in self.method.nearest.function.params
        )

    @cached_property
    def _response_use(self) -> ResponseUse:
        """What the handler does to the response among its parameters."""
        found = set_by(self.program, self.method.value(self.controller))
        return found or ResponseUse(whole=not self._response_parameters)

    def _responses(self, content_type: str, *, is_body: bool) -> tuple[tuple[Response, ...], bool]:
        content = without_deferral(self.declared)
        if self._is_nothing(content) and self._writes:
            return (), False
        own = self.program.names.declared_class(content, self.scope)
        renders = type_name(content) in _VIEWS and own is None
        if renders or (not is_body and not self._is_entity(content)):
            return (self._view(),), False
        return self.by_declared_type(content, self._status(), content_type)

    @property
    def is_view(self) -> bool:
        """Whether the handler renders a page unless it is told to write what it returns."""
        content = without_deferral(self.declared)
        writes_itself = self._is_nothing(content) and bool(self._response_parameters)
        return not self._is_entity(content) and not writes_itself

    def _view(self) -> Response:
        page = Scalar(type="string", origin=self.origin)
        body = Body(schema=page, content_type="text/html", origin=self.origin)
        return Response(status="200", bodies=(body,), explicit_status=False, origin=self.origin)

    def _is_entity(self, content: TypeExpr) -> bool:
        return type_name(content) in _ENTITIES

    def _is_nothing(self, content: TypeExpr) -> bool:
        return isinstance(content, NullType) or type_name(content) == "Void"

    def _status(self) -> str | None:
        """The status that `@ResponseStatus` says."""
        wanted = frozenset({"ResponseStatus"})
        for annotation, scope in self.method.annotations():
            for found in merged_annotations(self.program, [annotation], scope, wanted):
                given = found.get("code", "value")
                if given is not None:
                    return status_of(self.program, self.program.evaluate(*given))
        inside = self.program.class_scope(self.controller)
        own = first_merged(self.program, self.controller.decl.annotations, inside, "ResponseStatus")
        given = own.get("code", "value") if own is not None else None
        return status_of(self.program, self.program.evaluate(*given)) if given else None

    @property
    def sends(self) -> TypeExpr:
        """The declared type of the body; `NullType` for none."""
        content = without_deferral(self.declared)
        if self._is_entity(content):
            inner = content.args[0] if isinstance(content, NamedType) and content.args else None
            content = UnsupportedType(description="a raw entity") if inner is None else inner
        return NullType(absent=True) if self._is_nothing(content) else content

    def _better(self, seen: Schema | None, declared: Schema) -> Schema | None:
        """What is seen of a body; the declared shape, where that says more than nothing seen."""
        return declared if isinstance(seen, Unknown) and not isinstance(declared, Unknown) else seen

    def of_vague_type(
        self, content: TypeExpr, status: str | None, content_type: str
    ) -> tuple[tuple[Response, ...], bool]:
        """The responses of a method whose declared type leaves open what is sent."""
        outcomes = [one for one in self.outcomes() if one.body is not None or one.status]
        declared = self.program.schema(content, self.scope, self.variant)
        if not outcomes:
            outcomes = [BranchResult(body=BySchema(declared))]
        found = responses_of(
            (replace(o, is_status_known=True) for o in outcomes),
            status or "200",
            lambda o: self._better(self.shapes.schema(o.body), declared),
            content_type,
            self.origin,
            self.shapes.noted,
        )
        # Spring's converter of texts writes them as they are.
        raw = (
            replace(r, bodies=tuple(replace(b, has_raw_texts=True) for b in r.bodies))
            for r in found
        )
        return tuple(raw), all(o.is_status_known for o in outcomes)
