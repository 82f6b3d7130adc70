"""What the responses of handlers are read from, whatever the framework."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import ClassVar

from msgspec.structs import replace

from contract_scan.ir.operation import Body, Response
from contract_scan.ir.origin import Origin
from contract_scan.ir.reasons import Reason
from contract_scan.ir.schema import (
    Array,
    Field,
    Nothing,
    Object,
    Scalar,
    Schema,
    Union,
    Unknown,
    with_nullable,
)
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.schemas import unite
from contract_scan.parsers.source.analysis.domain.values import (
    BySchema,
    ByType,
    ClassSymbol,
    Scope,
    Value,
)
from contract_scan.parsers.source.analysis.typing.object_shapes import refined_schema
from contract_scan.parsers.source.facts.nodes import NullType, TypeExpr, UnsupportedType
from contract_scan.parsers.source.java.resolution.annotations import type_name
from contract_scan.parsers.source.java.resolution.declared_types import is_vague
from contract_scan.parsers.source.java.serialization.jackson.settings import jackson_settings
from contract_scan.parsers.source.java.web.branch_results import BranchResult, undetermined_status
from contract_scan.parsers.source.java.web.handlers import Method
from contract_scan.parsers.source.java.web.media import JSON, content_type_of_value
from contract_scan.parsers.source.java.web.outcomes import responses_of, returned_outcomes
from contract_scan.parsers.source.java.web.raw_text import (
    RAW,
    RawTextBody,
    is_text,
    text_body,
    text_shape,
)
from contract_scan.parsers.source.java.web.response_builders import WholeResponses, first_argument


class ResponseShapes:
    """One handler, and the shapes of what it sends."""

    def __init__(
        self,
        program: Program,
        scope: Scope,
        origin: Origin,
        name: str,
        variant: str,
        converted: Callable[[Value], Schema | None] | None = None,
    ) -> None:
        """`converted`: what is known of a value that a converter of the project writes."""
        self.program = program
        self.scope = scope
        self.origin = origin
        self.name = name
        """What reasons call the handler."""
        self.variant = variant
        self._converted = converted
        self.noted: tuple[str, ...] = ("2",)
        """How the statuses begin that are sent as they are where there is no body."""
        self.undetermined_status: Origin | None = None
        """Once its outcomes are read: the first place of which the status is undetermined."""
        self.states_type = False
        """Whether the content type is written out, rather than JSON because none is."""

    def schema(self, value: Value | None) -> Schema | None:
        """The shape of a value that is seen to be sent."""
        if value is None:
            return None
        converted = None if self._converted is None else self._converted(value)
        if converted is not None:
            return converted
        inner = self.program.evaluator.unwrap(value)
        return self.program.schema_of(inner, self.variant)

    def body_schema(self, outcome: BranchResult, content_type: str) -> Schema | None:
        """The shape of an outcome's body; text in the place of JSON is sent as it is."""
        schema = self.schema(outcome.body)
        if outcome.body is None or content_type != JSON:
            return schema
        if not isinstance(schema, Scalar) or schema.type != "string":
            return schema
        if is_text(outcome.body) or schema.format in ("byte", "binary"):
            shape = text_shape(self.program, outcome.body, self.variant)
            if not isinstance(shape, Scalar) and self._wraps_roots():
                shape = None  # a mapper that writes root names writes them into the text
            return shape or Unknown(reason=RAW, is_text=True, origin=outcome.origin or self.origin)
        return schema

    def _wraps_roots(self) -> bool:
        return jackson_settings(self.program, self.scope.file.path, self.variant).wrap_root

    def refined_declared_schema(
        self, declared: Schema, outcomes: Callable[[], Iterable[BranchResult]]
    ) -> Schema:
        """A declared shape with what code tells of its members wherever a value of it is
        returned."""
        flat = self.program.types.flat(declared)
        while isinstance(flat, Array):
            flat = self.program.types.flat(flat.items)
        fields = flat.fields if isinstance(flat, Object) else ()
        # Of alternatives, code tells which are sent.
        if not isinstance(flat, Union) and not any(map(self._may_be_refined, fields)):
            return declared
        told = [
            self._refined_schema(declared, each) for each in outcomes() if each.body is not None
        ]
        return declared if not told or any(one is declared for one in told) else unite(told)

    def _may_be_refined(self, field: Field) -> bool:
        """Whether code may tell more of a member than its type: whether it is sent, that it is not
        null, or which of several constants it is."""
        shape = self.program.types.flat(field.schema)
        is_open = field.required is not True or shape.nullable is not False or field.omitted_if_null
        is_open = is_open or shape.null_known == "declared"
        return is_open or (isinstance(shape, Scalar) and bool(shape.values))

    def _refined_schema(self, declared: Schema, outcome: BranchResult) -> Schema:
        if outcome.body is None:
            return declared
        body = self.program.evaluator.unwrap(outcome.body)
        return refined_schema(self.program, declared, body, self.variant)

    # ------------------------------------------------------------------ whole responses

    def text_body(self, outcomes: list[BranchResult], content_type: str) -> RawTextBody:
        """The body of a method that is declared to return text."""
        return text_body(
            self.program, outcomes, content_type, self.variant, is_stated=self.states_type
        )

    def text_response(
        self, outcomes: list[BranchResult], default: str, content_type: str
    ) -> Response:
        """What a method that is declared to return text sends."""
        text = self.text_body(outcomes, content_type)
        body = Body(schema=text.schema, content_type=text.content_type, origin=self.origin)
        return Response(status=default, bodies=(body,), explicit_status=False, origin=self.origin)

    def whole_response(self, schema: Schema | None, default: str, content_type: str) -> Response:
        """A response with the default status and one body; None for no body."""
        outcome = BranchResult("", BySchema(Nothing()))
        (found,) = responses_of([outcome], default, lambda _: schema, content_type, self.origin)
        return found

    def open_responses(
        self,
        outcomes: list[BranchResult],
        declared: Schema | None,
        default: str,
        content_type: str,
        *,
        sends_nothing: bool = False,
    ) -> tuple[tuple[Response, ...], bool]:
        """Responses as the return statements make them, and whether they are all the success
        statuses there can be. `declared` is the declared body of a success, where there is one;
        with `sends_nothing` it is declared that there is none."""

        def schema_of(outcome: BranchResult) -> Schema | None:
            if outcome.body is None:
                return None
            if declared is not None and (outcome.status or default).startswith("2"):
                return self._refined_schema(declared, outcome)
            return self.body_schema(outcome, outcome.content_type or content_type)

        known = [outcome for outcome in outcomes if outcome.is_status_known]
        self.undetermined_status = undetermined_status(outcomes)
        found = responses_of(known, default, schema_of, content_type, self.origin, self.noted)
        complete = bool(outcomes) and len(known) == len(outcomes)
        if any(r.status.startswith("2") for r in found) or (complete and found):
            return found, complete
        if declared is not None or sends_nothing:
            return (*found, self.whole_response(declared, default, content_type)), False
        # Where the status is not known but the body is, it counts for whatever success there is.
        open_bodies = [o for o in outcomes if o.body is not None and not o.is_status_known]
        if open_bodies:
            assumed = (replace(o, status="", is_status_known=True) for o in open_bodies)
            rest = responses_of(assumed, default, schema_of, content_type, self.origin)
            return (*found, *rest), False
        reason = Reason("response-not-shown", sending=self.name)
        unknown = Unknown(reason=reason, origin=self.origin)
        return (*found, self.whole_response(unknown, default, content_type)), False


def without_null(responses: Iterable[Response]) -> tuple[Response, ...]:
    """Responses that are no null: of null, or of an `Optional` that is empty, the library makes a
    404."""
    return tuple(
        replace(
            response,
            bodies=tuple(
                replace(body, schema=with_nullable(body.schema, False)) for body in response.bodies
            ),
        )
        for response in responses
    )


class MethodResponses:
    """One handler method of a class, and the shapes of what it sends."""

    whole: ClassVar[WholeResponses]

    def __init__(
        self, program: Program, controller: ClassSymbol, method: Method, variant: str
    ) -> None:
        function = method.nearest.function
        symbol = f"{controller.qualified_name}.{function.name}"
        self.program = program
        self.variant = variant
        self.scope = method.nearest.scope
        self.origin = Origin(self.scope.file.path, function.name_span, "", symbol)
        self.shapes = ResponseShapes(
            program, self.scope, self.origin, function.name, variant, self.converter_schema
        )
        self.controller = controller
        self.method = method
        self.declared: TypeExpr = function.returns or NullType(absent=True)

    def by_declared_type(
        self, content: TypeExpr, status: str | None, content_type: str, *, nothing: str = "200"
    ) -> tuple[tuple[Response, ...], bool]:
        """The responses of a method that is declared to give a type, and whether they are all the
        success statuses there can be. `status` is what an annotation sets, `nothing` the status
        where there is no body."""
        name = type_name(content)
        if self.program.evaluator.only_throws(self.method.value(self.controller)):
            return self.shapes.open_responses([], None, status or "200", content_type)
        if isinstance(content, NullType) or name == "Void":
            empty = Response(status=status or nothing, origin=self.origin)
            return (replace(empty, explicit_status=status is not None),), True
        is_whole = name in self.whole.types
        inner = first_argument(content) if is_whole else None
        content_type = content_type_of_value(type_name(inner) if is_whole else name, content_type)
        if name in ("String", "CharSequence"):
            found = self.shapes.text_response(self.outcomes(), status or "200", content_type)
        elif is_whole:
            return self._of_whole(inner, status, content_type)
        elif is_vague(self.program, content, self.scope):
            return self.of_vague_type(content, status, content_type)
        else:
            written = self.converter_schema(ByType(content, self.scope))
            schema = written or self.program.schema(content, self.scope, self.variant)
            schema = self.shapes.refined_declared_schema(schema, self.outcomes)
            shape = None if isinstance(schema, Nothing) else schema
            found = self.shapes.whole_response(shape, status or "200", content_type)
        return (replace(found, explicit_status=status is not None),), True

    def outcomes(self) -> list[BranchResult]:
        """What the return statements of the method send."""
        return returned_outcomes(self.program, self.method.value(self.controller), self.whole.read)

    def _of_whole(
        self, inner: TypeExpr | None, status: str | None, content_type: str
    ) -> tuple[tuple[Response, ...], bool]:
        outcomes = self.outcomes()
        declared = self.declared_body(inner)
        if type_name(inner) == "String":
            text = self.shapes.text_body(outcomes, content_type)
            declared, content_type = text.schema, text.content_type
        if status is not None:
            outcomes = [replace(outcome, status=outcome.status or status) for outcome in outcomes]
        nothing = type_name(inner) == "Void"
        return self.shapes.open_responses(
            outcomes, declared, status or "200", content_type, sends_nothing=nothing
        )

    def of_vague_type(
        self, content: TypeExpr, status: str | None, content_type: str
    ) -> tuple[tuple[Response, ...], bool]:
        """The responses of a method whose declared type leaves open what is sent."""
        del content
        return self._of_whole(None, status, content_type)

    def converter_schema(self, value: Value) -> Schema | None:
        """What is known of a value that a converter of the project writes; None: none does."""
        del value
        return None

    def declared_body(self, inner: TypeExpr | None) -> Schema | None:
        """The declared body, where the declaration tells it."""
        if inner is None or isinstance(inner, UnsupportedType) or type_name(inner) == "Void":
            return None
        if is_vague(self.program, inner, self.scope):
            return None
        schema = self.program.schema(inner, self.scope, self.variant)
        # An empty one is seldom sent as null: handlers answer 404 instead.
        return with_nullable(schema, None) if type_name(inner) == "Optional" else schema
