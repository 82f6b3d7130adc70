"""The responses of one action or handler: what it returns, and what it announces."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from msgspec.structs import replace

from contract_scan.ir.operation import Answers
from contract_scan.ir.origin import Origin
from contract_scan.ir.reasons import Reason
from contract_scan.ir.schema import (
    Array,
    Nothing,
    Object,
    Scalar,
    Schema,
    Union,
    Unknown,
    with_nullable,
)
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import (
    ClassSymbol,
    FunctionValue,
    LibrarySymbol,
    Scope,
)
from contract_scan.parsers.source.csharp.resolution.annotations import find
from contract_scan.parsers.source.csharp.resolution.source_text import function_text
from contract_scan.parsers.source.csharp.serialization.settings.options import unqualified_name
from contract_scan.parsers.source.csharp.serialization.wire import expression_schema
from contract_scan.parsers.source.csharp.web.assigned_statuses import (
    NOTHING_ASSIGNED,
    assigned_statuses,
)
from contract_scan.parsers.source.csharp.web.envelopes import Envelope, envelope_schema
from contract_scan.parsers.source.csharp.web.filters import Wrapping, wrapping_filters
from contract_scan.parsers.source.csharp.web.formatters import by_formatters
from contract_scan.parsers.source.csharp.web.guarded_ends import may_be_unreached
from contract_scan.parsers.source.csharp.web.manual_writing import (
    WRITERS,
    writes_response,
    written_outcomes,
)
from contract_scan.parsers.source.csharp.web.null_answers import (
    answers_to_null,
    returned_at,
    with_empty_bodies,
)
from contract_scan.parsers.source.csharp.web.nullness import Nullness
from contract_scan.parsers.source.csharp.web.outcomes import (
    BranchResult,
    DeterminedResults,
    Handler,
)
from contract_scan.parsers.source.csharp.web.responses import (
    AnnotatedResponse,
    DeclaredResult,
    announced_by,
    content_types,
    declared_result,
    is_nothing,
    merge_responses,
)
from contract_scan.parsers.source.csharp.web.results import determined_results
from contract_scan.parsers.source.facts.nodes import (
    Annotation,
    NamedType,
    NullableType,
    TypeExpr,
)

_JSON_RESULT = re.compile(rb"\bJson(?:Result)?\b")
_BARE = frozenset({"204", "205"})
"""Successes that never have a body."""


def respond(
    program: Program,
    function: FunctionValue,
    symbol: ClassSymbol | None,
    annotations: tuple[Annotation, ...],
    variant: str,
    extra: tuple[AnnotatedResponse, ...] = (),
    *,
    path: str = "",
    problems: bool = False,
    filters: Sequence[Wrapping] = (),
) -> Answers:
    """What an action (`symbol` is its controller) answers, or a handler of a minimal API, and
    whether these are all the successes there are. `extra` is announced by fluent calls; with
    `problems`, errors without a body are given problem details. `filters` are those of the endpoint
    that change its answers; those of actions may ask for the `path` of the request."""
    scope = function.scope
    changed = wrapping_filters(program, annotations, path) if symbol is not None else [*filters]
    is_changed = bool(changed)
    if len(changed) == 1 and changed[0].variant and not _makes_json_result(program, function):
        variant, changed = changed[0].variant, []
    says = _translated_result(
        program, declared_result(program, function.function.returns, scope), symbol, annotations
    )
    announced = [*announced_by(program, annotations, scope, variant), *extra]
    kinds = tuple(
        kind
        for kind in content_types(program, annotations, scope, "Produces")
        if "json" in kind or "*" in kind
    )
    if says.kind != "nothing" and _always_throws(program, function):
        # What is announced of a handler that never returns is not what it sends.
        announced = [one for one in announced if not _is_success(one.status)]
        return Answers(merge_responses(None, announced, kinds), False)
    told = _action_outcomes(program, function, symbol, says, variant, problems=problems)
    found, complete, undetermined = told.found, told.complete, told.undetermined
    if found is not None and says.kind != "nothing" and not _is_written(program, function, says):
        found, is_complete = _with_assigned_statuses(program, function, found)
        complete = complete and is_complete
    if found is not None and symbol is not None:
        answers = answers_to_null(program, found, is_changed=is_changed)
        found = answers.found
        if answers.undetermined is not None:
            complete = False
            undetermined = undetermined or answers.undetermined
    if found is not None and not is_changed:
        found = with_empty_bodies(found)
    if changed and told.without_status and undetermined is not None:
        found = _with_undetermined(found or [], undetermined)
    if changed:
        announced = [_announced_inside(program, one, changed, variant) for one in announced]
    if changed and found is not None:
        found = [
            _with_envelope(
                program,
                outcome,
                [one for one in changed if _may_be_of(program, outcome.schema, one.bodies)],
                variant,
                of_values=symbol is None,
            )
            for outcome in found
        ]
    responses = merge_responses(found, announced, kinds)
    responses = by_formatters(program, responses) if symbol is not None else responses
    without_status = () if complete or changed else told.without_status
    bare = merge_responses(list(without_status), [], kinds)
    return Answers(responses, complete, undetermined, bare)


def _makes_json_result(program: Program, function: FunctionValue) -> bool:
    """Whether an action may choose the options of the serializer itself."""
    written = function_text(program, function.scope.file.path, function.function)
    return _JSON_RESULT.search(written) is not None


class _Seen(NamedTuple):
    """What the returns of a handler answer."""

    found: list[BranchResult] | None
    """None: nothing is known."""
    complete: bool
    """Whether these are all."""
    undetermined: Origin | None = None
    """Where else the first return stands that is undetermined."""
    without_status: tuple[BranchResult, ...] = ()
    """The others, where of each just the status is undetermined."""


def _always_throws(program: Program, function: FunctionValue) -> bool:
    """Whether every way through a handler ends in an exception."""
    exits = program.function_exits(function)
    return bool(exits) and all(one.thrown for one in exits)


def _is_success(status: str) -> bool:
    return status.startswith("2") or status == "default"


def _translated_result(
    program: Program,
    says: DeclaredResult,
    symbol: ClassSymbol | None,
    annotations: tuple[Annotation, ...],
) -> DeclaredResult:
    """`Result<T>` of Ardalis.Result where `[TranslateResultToActionResult]` translates it: the
    value is the body (https://github.com/ardalis/Result)."""
    owners = [] if symbol is None else [symbol, *program.bases(symbol)]
    all_annotations = (*annotations, *(a for owner in owners for a in owner.decl.annotations))
    type = says.type
    if says.kind != "value" or not isinstance(type, NamedType) or says.scope is None:
        return says
    if (
        find(all_annotations, "TranslateResultToActionResult") is None
        or unqualified_name(type.name) != "Result"
    ):
        return says
    if not isinstance(program.names.lookup_type(type.name, says.scope), LibrarySymbol):
        return says
    if not type.args:
        return DeclaredResult(kind="opaque", scope=says.scope, translated=True)
    return DeclaredResult(kind="result", type=type.args[0], scope=says.scope, translated=True)


def _with_envelope(
    program: Program,
    outcome: BranchResult,
    filters: list[Wrapping],
    variant: str,
    *,
    of_values: bool,
) -> BranchResult:
    """A body that filters put into an envelope, or may put into one. `of_values`: the filters are
    given what the handler returns, a value or a result, before it becomes an answer."""
    if outcome.schema is None or not filters:
        return outcome
    envelope = filters[0].envelope if len(filters) == 1 else None
    is_success = outcome.status.startswith("2")
    if envelope is not None and envelope.only_successes and not is_success:
        return outcome
    if envelope is not None and envelope.of_results:
        if not outcome.explicit_status:
            return outcome
    elif of_values and outcome.explicit_status:
        # Around a result the filter puts the result, not its body.
        unknown = Unknown(reason=filters[0].reason, origin=outcome.schema.origin)
        return replace(outcome, schema=unknown)
    is_object = outcome.content_type in ("application/json", "text/plain")
    spares = filters[0].spares
    is_spared = spares and _may_be_of(program, outcome.schema, spares)
    if envelope is not None and is_object and is_success and not is_spared:
        if (
            of_values
            and not envelope.of_results
            and _is_one(program, outcome.schema, envelope, variant)
        ):
            return outcome
        is_given = not of_values and outcome.nullness is Nullness.NEVER
        schema = envelope_schema(program, envelope, outcome.schema, variant, is_given=is_given)
        if schema is not None:
            kind = "application/json"
            status = envelope.status or outcome.status
            return replace(
                outcome, status=status, schema=schema, content_type=kind, negotiated=False
            )
    return replace(outcome, schema=Unknown(reason=filters[0].reason, origin=outcome.schema.origin))


def _announced_inside(
    program: Program,
    announced: AnnotatedResponse,
    filters: list[Wrapping],
    variant: str,
) -> AnnotatedResponse:
    """What an attribute announces, which says nothing of what is sent where it names what filters
    may change: the body that the action itself gives."""
    body = announced.schema
    if body is None or not _is_success(announced.status):
        return announced
    is_outer = any(f.envelope and _is_one(program, body, f.envelope, variant) for f in filters)
    unknown = Unknown(reason=filters[0].reason, origin=announced.origin)
    return announced if is_outer else replace(announced, schema=unknown)


def _may_be_of(program: Program, body: Schema | None, names: frozenset[str]) -> bool:
    """Whether a body may be of a type of one of these names, if there are any. Problem details go
    by their members: classes of the project may derive from them."""
    if not names or body is None:
        return True
    shape = program.types.flat(body)
    match shape:
        case Object(name=name, fields=fields):
            members = {field.declared_as or field.name for field in fields}
            is_problem = {"title", "status"} <= {member.lower() for member in members}
            return name in names or not name or is_problem or bool(shape.incomplete_reason)
        case Union(options=options):
            return any(_may_be_of(program, option, names) for option in options)
        case Scalar() | Array():
            return False
        case _:
            return True


def _is_one(program: Program, body: Schema, envelope: Envelope, variant: str) -> bool:
    """Whether a body is an envelope already."""
    made = program.types.flat(expression_schema(program, envelope.expr, envelope.scope, variant))
    one = program.types.flat(body)
    if not isinstance(one, Object) or not isinstance(made, Object):
        return False
    return bool(made.name) and one.name == made.name and len(one.fields) == len(made.fields)


def _action_outcomes(
    program: Program,
    function: FunctionValue,
    symbol: ClassSymbol | None,
    says: DeclaredResult,
    variant: str,
    *,
    problems: bool,
) -> _Seen:
    """What an action answers."""
    origin = program.origin(function.function, function.scope)
    if says.kind == "nothing":
        if writes_response(program, function):
            by_hand = written_outcomes(Handler(program=program, variant=variant), function)
            return _Seen(by_hand, by_hand is not None)
        return _Seen([BranchResult(status="200", explicit_status=False, origin=origin)], True)
    if says.alternatives and says.scope is not None:
        named = _declared_outcomes(program, says.alternatives, says.scope, variant, origin)
        return _Seen(named, True)
    plain_values = says.kind != "opaque" or function.function.returns is None
    typed = (
        says.type is not None
        and says.scope is not None
        and not is_nothing(program, says.type, says.scope)
    )
    handler = Handler(
        program=program,
        variant=variant,
        symbol=symbol,
        plain_values=plain_values,
        problems=problems,
        translates=says.translated,
        declared_schema=program.schema(says.type, says.scope, variant)
        if typed and says.type is not None and says.scope is not None
        else None,
        declared_type=(says.type, says.scope)
        if typed and symbol is not None and says.type is not None and says.scope is not None
        else None,
    )
    told = _returned_outcomes(program, function, handler)
    seen, complete, undetermined = told.found, told.complete, told.undetermined
    if not typed or says.type is None or says.scope is None:
        if not complete and says.successes and says.scope is not None:
            named = _declared_outcomes(program, says.successes, says.scope, variant, origin)
            return _Seen(named, True)
        if not complete and not told.without_status:
            seen = _with_undetermined(seen or [], undetermined or origin)
        return told._replace(found=seen)
    if not complete and not any(one.status.startswith("2") for one in seen or ()):
        seen = [*(seen or ()), BranchResult(status="200", explicit_status=False, origin=origin)]
    declared = _with_declared_type(
        program, function, says.type, says.scope, seen or [], variant, minimal=symbol is None
    )
    return _Seen(declared, complete, undetermined, told.without_status)


def _with_undetermined(seen: list[BranchResult], origin: Origin) -> list[BranchResult] | None:
    """Where not all answers are told: bodies of successes may be others as well."""
    successes = {one.status for one in seen if one.status.startswith("2") and not one.typed} - _BARE
    schema = Unknown(reason=Reason("some-responses-undetermined"), origin=origin)
    others = [BranchResult(status=s, schema=schema, origin=origin) for s in sorted(successes)]
    return [*seen, *others] or None


def _declared_outcomes(
    program: Program,
    alternatives: tuple[tuple[str, TypeExpr | None], ...],
    scope: Scope,
    variant: str,
    origin: Origin,
) -> list[BranchResult]:
    """The outcomes that the type of a result lists."""
    return [
        BranchResult(
            status=status,
            schema=None
            if body is None
            else with_nullable(program.schema(body, scope, variant), False),
            origin=origin,
        )
        for status, body in alternatives
    ]


def _returned_outcomes(program: Program, function: FunctionValue, handler: Handler) -> _Seen:
    """The outcomes of the handler's returns."""
    if (
        handler.symbol is None
        and handler.declared_schema is None
        and _has_writer(program, function)
    ):
        return _with_completeness(written_outcomes(handler, function))
    returned = [r for r in program.function_exits(function) if not r.thrown]
    if not returned:
        if writes_response(program, function):
            return _with_completeness(
                written_outcomes(handler, function) if handler.symbol is None else None
            )
        if function.function.returns is None and function.function.body is not None:
            origin = program.origin(function.function, function.scope)
            return _Seen([BranchResult(status="200", explicit_status=False, origin=origin)], True)
        return _Seen(None, False)
    found: list[BranchResult] = []
    without_status: list[BranchResult] = []
    undetermined: Origin | None = None
    bare = False
    for one in returned:
        told = DeterminedResults([], False, [])
        if one.value is not None:
            told = determined_results(handler, one.value, one.scope)
        if len(returned) > 1 and may_be_unreached(program, function, one.span):
            told = DeterminedResults([], False, [])
        known = told.known
        bare = bare or not (told.complete or told.without_status)
        without_status.extend(told.without_status)
        place = replace(program.origin(function.function, one.scope), span=one.span)
        if one.value is not None:
            place = program.origin(one.value, one.scope)
            known = [returned_at(program, function, each, place, one.scope) for each in known]
        found.extend(known)
        undetermined = undetermined or (None if told.complete else place)
    if undetermined is None:
        return _Seen(found, True)
    return _Seen(found or None, False, undetermined, () if bare else tuple(without_status))


def _has_writer(program: Program, function: FunctionValue) -> bool:
    text = function_text(program, function.scope.file.path, function.function)
    return any(word in text for word in WRITERS)


def _is_written(program: Program, function: FunctionValue, says: DeclaredResult) -> bool:
    """Whether a handler whose type says no body writes the response manually, which is followed
    with its statuses."""
    return says.type is None and _has_writer(program, function)


def _with_completeness(
    found: list[BranchResult] | None,
) -> _Seen:
    return _Seen(found, found is not None)


def _with_declared_type(
    program: Program,
    function: FunctionValue,
    type: TypeExpr,
    scope: Scope,
    seen: list[BranchResult],
    variant: str,
    *,
    minimal: bool,
) -> list[BranchResult]:
    """Successes have the declared type, whatever expression gives the value."""
    schema = program.schema(type, scope, variant)
    if isinstance(schema, Nothing):
        schema = Unknown(reason=Reason("declared-type-uninformative"), origin=schema.origin)
    if not minimal:
        # A controller that gives null answers 204 without a body.
        schema = with_nullable(schema, False)
    text = _is_text(type)
    kind = "text/plain" if text else "application/json"
    origin = (
        program.origin(type, scope)
        if type.span.line
        else program.origin(function.function, function.scope)
    )
    result: list[BranchResult] = []
    for outcome in seen:
        if not outcome.status.startswith("2"):
            result.append(outcome)
        elif not outcome.explicit_status:
            told = outcome.schema if outcome.told else None
            result.append(
                BranchResult(
                    status="200",
                    schema=schema if told is None else with_nullable(told, schema.nullable),
                    content_type=kind,
                    explicit_status=False,
                    negotiated=text and not minimal,
                    nullness=outcome.nullness,
                    returned_at=outcome.returned_at,
                    origin=origin,
                )
            )
        elif outcome.schema is not None and isinstance(outcome.schema, Unknown):
            result.append(BranchResult(status=outcome.status, schema=schema, origin=outcome.origin))
        else:
            result.append(outcome)
    return result


def _is_text(type: TypeExpr) -> bool:
    inner = type.item if isinstance(type, NullableType) else type
    return isinstance(inner, NamedType) and inner.name.rsplit(".", 1)[-1] in ("string", "String")


def _with_assigned_statuses(
    program: Program, function: FunctionValue, found: list[BranchResult]
) -> tuple[list[BranchResult], bool]:
    """(answers, whether all are told): those that say no status of their own have the statuses that
    are set on the response."""
    if all(map(_says_status, found)):
        return found, True
    assigned = assigned_statuses(program, function)
    if assigned.anywhere == (NOTHING_ASSIGNED,):
        return found, True
    result: list[BranchResult] = []
    for one in found:
        if _says_status(one):
            result.append(one)
            continue
        for each in assigned.at(one.origin, one.returned_at):
            if each.origin is None:
                result.append(one)
            elif each.status:
                result.append(_with_status(one, each.status, each.origin))
    return result, all(each.status for each in assigned.anywhere)


def _says_status(outcome: BranchResult) -> bool:
    """Whether an answer has its status, whatever was set on the response before."""
    return (outcome.explicit_status and not outcome.keeps_status) or outcome.status != "200"


def _with_status(outcome: BranchResult, status: str, origin: Origin) -> BranchResult:
    """An answer with a status that is set; what goes with an error need not be what the handler's
    type says."""
    schema = outcome.schema
    if status in _BARE:
        schema = None
    elif schema is not None and not status.startswith("2") and not outcome.keeps_status:
        reason = Reason("body-of-set-status-undetermined")
        schema = Unknown(reason=reason, origin=origin)
    return replace(outcome, status=status, explicit_status=True, schema=schema, origin=origin)
