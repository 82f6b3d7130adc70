"""From what a handler answers and declares to the responses of its operation."""

from __future__ import annotations

from collections.abc import Iterable

from msgspec import Struct

from contract_scan.ir.operation import Body, Response
from contract_scan.ir.origin import Origin
from contract_scan.ir.schema import Nothing, Scalar, Schema, Unknown
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.schemas import unite
from contract_scan.parsers.source.analysis.domain.values import BoundType, ClassValue, Scope
from contract_scan.parsers.source.csharp.resolution.annotations import argument, find_all
from contract_scan.parsers.source.csharp.serialization.settings.options import unqualified_name
from contract_scan.parsers.source.csharp.web.outcomes import BranchResult
from contract_scan.parsers.source.csharp.web.statuses import OPAQUE_RESULTS, RESULT_TYPES, status_of
from contract_scan.parsers.source.facts.nodes import (
    Annotation,
    Argument,
    NamedType,
    NullableType,
    NullType,
    TypeExpr,
    TypeValue,
)

_TYPED = (
    "ProducesResponseType",
    "SwaggerResponse",
    "ProducesDefaultResponseType",
    "Produces",
)


_NEGOTIATED: tuple[str, ...] = ("text/plain", "application/json")


class DeclaredResult(Struct, frozen=True, kw_only=True):
    """What a declared return type says."""

    kind: str
    """`nothing`, `value` (the type itself is sent), `result` (a result of which the body has a
    type) or `opaque` (a result that tells nothing)."""
    type: TypeExpr | None = None
    scope: Scope | None = None
    alternatives: tuple[tuple[str, TypeExpr | None], ...] = ()
    """`Results<Ok<T>, NotFound>`: each status with the type of its body."""
    successes: tuple[tuple[str, TypeExpr | None], ...] = ()
    """Instead of `alternatives`, where failures bear any status: what else is answered."""
    translated: bool = False
    """Whether it is the result of a library, which a filter makes an answer of."""


def declared_result(program: Program, type: TypeExpr | None, scope: Scope) -> DeclaredResult:
    """What the declared return type of a handler states; tasks are unwrapped."""
    for _ in range(6):
        if type is None:
            return DeclaredResult(kind="opaque")
        if isinstance(type, NullType):
            return DeclaredResult(kind="nothing")
        if not isinstance(type, NamedType):
            return DeclaredResult(kind="value", type=type, scope=scope)
        found = program.names.lookup_type(type.name, scope)
        if isinstance(found, BoundType):
            type, scope = found.type, found.scope
            continue
        if isinstance(found, ClassValue):
            if any(
                isinstance(base, NamedType) and unqualified_name(base.name) in OPAQUE_RESULTS
                for base in found.symbol.decl.bases
            ):
                return DeclaredResult(kind="opaque")
            return DeclaredResult(kind="value", type=type, scope=scope)
        name = unqualified_name(type.name)
        if name in ("Task", "ValueTask"):
            if not type.args:
                return DeclaredResult(kind="nothing")
            type = type.args[0]
            continue
        if name == "ActionResult" and type.args:
            return DeclaredResult(kind="result", type=type.args[0], scope=scope)
        if name == "Results" and type.args:
            pairs = tuple(_alternative(item) for item in type.args)
            known = tuple(pair for pair in pairs if pair is not None)
            if len(known) == len(pairs):
                return DeclaredResult(kind="opaque", scope=scope, alternatives=known)
            rest = (item for item in type.args if _alternative(item) is None)
            is_failure = all(
                isinstance(item, NamedType) and unqualified_name(item.name) == "ProblemHttpResult"
                for item in rest
            )
            return DeclaredResult(kind="opaque", scope=scope, successes=known if is_failure else ())
        single = _alternative(type)
        if single is not None:
            return DeclaredResult(kind="opaque", scope=scope, alternatives=(single,))
        if name in OPAQUE_RESULTS:
            return DeclaredResult(kind="opaque")
        return DeclaredResult(kind="value", type=type, scope=scope)
    return DeclaredResult(kind="opaque")


def _alternative(type: TypeExpr) -> tuple[str, TypeExpr | None] | None:
    if not isinstance(type, NamedType):
        return None
    status = RESULT_TYPES.get(unqualified_name(type.name))
    return None if status is None else (status, type.args[0] if type.args else None)


def is_nothing(program: Program, type: TypeExpr, scope: Scope) -> bool:
    """Whether a declared type tells nothing about the body (`object`, `dynamic`)."""
    inner = type.item if isinstance(type, NullableType) else type
    return program.types.is_unknown(program.schema(inner, scope))


_FILES = frozenset(
    {
        *("FileResult", "FileContentResult", "FileStreamResult", "PhysicalFileResult"),
        *("VirtualFileResult", "FileContentHttpResult", "FileStreamHttpResult"),
        *("PhysicalFileHttpResult", "VirtualFileHttpResult"),
    }
)


class AnnotatedResponse(Struct, frozen=True, kw_only=True):
    """A response that an attribute or a fluent call announces."""

    status: str
    schema: Schema | None
    content_type: str
    origin: Origin


def announced_by(
    program: Program, annotations: Iterable[Annotation], scope: Scope, variant: str
) -> list[AnnotatedResponse]:
    """Responses that `[ProducesResponseType]` and its kin announce."""
    found: list[AnnotatedResponse] = []
    for annotation in find_all(annotations, *_TYPED):
        status = _announced_status(program, annotation, scope)
        type = _announced_type(annotation)
        if status is None or (annotation.name.startswith("Produces") and _only_kinds(annotation)):
            continue
        origin = program.origin(annotation, scope)
        found.append(announced_body(program, status, type, scope, variant, origin))
    return found


def announced_body(
    program: Program,
    status: str,
    type: TypeExpr | None,
    scope: Scope,
    variant: str,
    origin: Origin,
    kind: str = "application/json",
) -> AnnotatedResponse:
    """What is announced with a type: a body of it, or a file where the type is that of a result
    that sends one."""
    schema = None if type is None else program.schema(type, scope, variant)
    if isinstance(type, NamedType) and unqualified_name(type.name) in _FILES:
        schema = Scalar(type="string", format="binary")
        kind = "application/octet-stream" if kind == "application/json" else kind
    return AnnotatedResponse(status=status, schema=schema, content_type=kind, origin=origin)


def _only_kinds(annotation: Annotation) -> bool:
    """`[Produces("application/json")]` announces content types only."""
    name = annotation.name.rsplit(".", 1)[-1].removesuffix("Attribute")
    return name == "Produces" and _announced_type(annotation) is None


def _announced_status(program: Program, annotation: Annotation, scope: Scope) -> str | None:
    name = annotation.name.rsplit(".", 1)[-1].removesuffix("Attribute")
    if name == "ProducesDefaultResponseType":
        return "default"
    if name == "Produces":
        return "200"
    for given in annotation.args:
        if given.name in ("statusCode", "StatusCode") or (
            not given.name and not isinstance(given.value, TypeValue)
        ):
            status = status_of(program, given.value, scope)
            if status is not None:
                return status
    return None


def _announced_type(annotation: Annotation) -> TypeExpr | None:
    if annotation.type_args:
        return annotation.type_args[0]
    written = argument(annotation, -1, "Type", "type")
    if isinstance(written, TypeValue):
        return written.type
    for given in annotation.args:
        if not given.name and isinstance(given.value, TypeValue):
            return given.value.type
    return None


def content_types(
    program: Program, annotations: Iterable[Annotation], scope: Scope, name: str
) -> tuple[str, ...]:
    """Content types that `[Produces("…")]` or `[Consumes("…")]` names."""
    found: list[str] = []
    for annotation in find_all(annotations, name):
        found.extend(_texts(program, annotation.args, scope))
    return tuple(dict.fromkeys(found))


def _texts(program: Program, args: tuple[Argument, ...], scope: Scope) -> list[str]:
    texts: list[str] = []
    for given in args:
        if not given.name and not isinstance(given.value, TypeValue):
            text = program.text(given.value, scope)
            if text and "/" in text:
                texts.append(text)
    return texts


# --------------------------------------------------------------------------- putting together


def merge_responses(
    found: list[BranchResult] | None, announced: list[AnnotatedResponse], kinds: tuple[str, ...]
) -> tuple[Response, ...]:
    """The responses of both: what the code does takes precedence over the declared responses,
    which complete it."""
    by_status: dict[str, list[BranchResult]] = {}
    for outcome in found or ():
        by_status.setdefault(outcome.status, []).append(outcome)
    responses = {
        status: _response(status, group, announced, kinds) for status, group in by_status.items()
    }
    seen_success = any(status.startswith("2") for status in by_status)
    for one in announced:
        if one.status in responses:
            continue
        success = one.status.startswith("2") or one.status == "default"
        if found is not None and success and seen_success:
            continue
        responses[one.status] = _announced_response(one, kinds)
    return tuple(responses[status] for status in sorted(responses))


def _response(
    status: str,
    group: list[BranchResult],
    announced: list[AnnotatedResponse],
    kinds: tuple[str, ...],
) -> Response:
    group = [one for one in group if not one.is_uncertain] or group
    origin = group[0].origin
    explicit = any(outcome.explicit_status for outcome in group)
    with_body = [outcome for outcome in group if outcome.schema is not None]
    if not with_body:
        return Response(
            status=status,
            explicit_status=explicit,
            is_uncertain=group[0].is_uncertain,
            origin=origin,
        )
    empty = next((outcome for outcome in group if outcome.schema is None), None)
    bodies: dict[str, list[Schema]] = {}
    for outcome in with_body:
        schema = outcome.schema
        if schema is None or isinstance(schema, Nothing):
            continue
        if isinstance(schema, Unknown):
            known = next(
                (a.schema for a in announced if a.status == status and a.schema is not None), None
            )
            schema = known or schema
        written: tuple[str, ...] = (outcome.content_type,)
        if outcome.negotiated:
            # `[Produces("application/json")]` leaves no choice.
            written = (_NEGOTIATED[1],) if kinds else _NEGOTIATED
        for kind in written:
            bodies.setdefault(kind, []).append(schema)
    listed: list[Body] = []
    for kind, schemas in bodies.items():
        # Which of several shapes is sent may not be told; one that is known is worth saying.
        shape = unite(schemas)
        named = kinds if kinds and kind == "application/json" else (kind,)
        place = next(o.origin for o in with_body if o.content_type == kind or o.negotiated)
        listed.extend(Body(schema=shape, content_type=name, origin=place) for name in named)
    return Response(
        status=status,
        bodies=tuple(listed),
        explicit_status=explicit,
        is_uncertain=group[0].is_uncertain,
        empty_at=None if empty is None else empty.origin,
        origin=origin,
    )


def _announced_response(one: AnnotatedResponse, kinds: tuple[str, ...]) -> Response:
    if one.schema is None or isinstance(one.schema, Nothing):
        return Response(status=one.status, documented=True, origin=one.origin)
    named = kinds or (one.content_type,)
    bodies = tuple(Body(schema=one.schema, content_type=k, origin=one.origin) for k in named)
    return Response(status=one.status, bodies=bodies, documented=True, origin=one.origin)
