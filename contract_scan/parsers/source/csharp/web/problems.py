"""Problem details: what ASP.NET Core writes for errors to which the code gives no body.

`Problem()`, `ValidationProblem()`, and for `[ApiController]` every result of an error alone
(https://github.com/dotnet/aspnetcore: src/Mvc/Mvc.Core/src/Infrastructure/ClientErrorResultFilter).
"""

from __future__ import annotations

from collections.abc import Mapping

from msgspec.structs import replace

from contract_scan.ir.origin import Origin
from contract_scan.ir.reasons import Reason
from contract_scan.ir.schema import (
    Nothing,
    Object,
    Reference,
    Scalar,
    Schema,
    Unknown,
    with_nullable,
)
from contract_scan.parsers.source.analysis.domain.memo import memoised
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import ByType, LibraryResult, Scope
from contract_scan.parsers.source.csharp.serialization.library_types import problem_details
from contract_scan.parsers.source.csharp.serialization.wire import expression_schema
from contract_scan.parsers.source.csharp.web.carried_statuses import with_carried_members
from contract_scan.parsers.source.csharp.web.null_bodies import body_nullness
from contract_scan.parsers.source.csharp.web.nullness import PROVED, answers_null_without_content
from contract_scan.parsers.source.csharp.web.outcomes import (
    BranchResult,
    Handler,
    is_opaque,
    outcome,
)
from contract_scan.parsers.source.csharp.web.statuses import Helper
from contract_scan.parsers.source.facts.nodes import Argument, Expr, NamedType, New

_JSON = "application/problem+json"
_TITLED = frozenset({"400", "401", "403", "404", "406", "409", "415", "422", "500"})
"""Statuses for which every version of ASP.NET Core has a type and a title
(src/Shared/ProblemDetails/ProblemDetailsDefaults.cs)."""


def helper_outcome(
    handler: Handler,
    status: str,
    helper: Helper,
    body: Expr | None,
    origin: Origin,
    scope: Scope,
    args: tuple[Argument, ...] = (),
) -> BranchResult:
    """The outcome of a helper with a status and, where the code sets one, a body; `args` are what
    one of problem details is given."""
    if helper.problem:
        given = {a.name: a.value for a in args if a.name}
        positional = [a.value for a in args if not a.name]
        given.update(zip(helper.problem_members, positional, strict=False))
        is_told = len(positional) <= len(helper.problem_members)
        schema = _problem_schema(
            handler, helper.problem, origin, status, given if is_told else None, scope
        )
        return BranchResult(status=status, schema=schema, content_type=_JSON, origin=origin)
    without = body is None and not helper.bare and status.startswith(("4", "5"))
    if without and handler.problems and maps_errors(handler.program):
        schema = _problem_schema(handler, "ProblemDetails", origin, status, {}, scope)
        return BranchResult(status=status, schema=schema, content_type=_JSON, origin=origin)
    found = outcome(handler, status, body, origin, scope)
    if isinstance(body, New) and found.schema is not None:
        found = replace(found, schema=with_carried_members(handler, found.schema, body, scope))
    is_asked = handler.of_results or handler.asks_for_null
    if body is None or not is_asked or not status.startswith("2"):
        return found
    nullness = body_nullness(handler.program, body, scope)
    if not handler.of_results and helper.takes_options:
        # `Json(order)` writes null as JSON.
        if found.schema is None or nullness not in PROVED:
            return found
        return replace(found, schema=with_nullable(found.schema, True))
    is_kept = handler.of_results or (
        status != "200" and answers_null_without_content(handler.program)
    )
    return replace(found, nullness=nullness, keeps_status_of_null=is_kept)


def _problem_schema(
    handler: Handler,
    name: str,
    origin: Origin,
    status: str,
    given: Mapping[str, Expr] | None,
    scope: Scope,
) -> Schema:
    """Problem details of a status that are made of what is `given` (None: of what is undetermined).
    What is null is left out: a detail or an instance that nothing gives."""
    program = handler.program
    if handler.symbol is not None and program.any_file_contains(b"ProblemDetailsFactory"):
        return Unknown(reason=Reason("application-problem-details"), origin=origin)
    schema = problem_details(name, origin)
    if given is not None and _changes_details(program):
        without = "instance" not in given and not _sets_instances(program)
        kept = (f for f in schema.fields if f.name != "instance" or not without)
        return replace(schema, fields=tuple(kept))
    if given is None:
        return schema
    fields, is_told = [], True
    for field in schema.fields:
        expr = given.get(field.name)
        shape = None if expr is None else program.types.flat(program.infer(expr, scope))
        is_text = isinstance(shape, Scalar) and shape.nullable is False
        if field.name == "status" or (field.name in ("type", "title") and status in _TITLED):
            field = replace(field, required=True)
        elif field.name in ("detail", "instance") and (expr is None or isinstance(shape, Nothing)):
            continue
        elif is_text:
            field = replace(field, required=True)
        fields.append(field)
    if "extensions" in given:
        more = program.types.flat(
            expression_schema(program, given["extensions"], scope, handler.variant)
        )
        fields += more.fields if isinstance(more, Object) else ()
        is_told = isinstance(more, Object) and not more.incomplete_reason
    trace: Schema | None = Scalar(type="string", origin=origin)  # an ID for logs, if any
    if handler.symbol is None and not program.any_file_contains(b"AddProblemDetails"):
        trace = None
    further = trace if is_told else schema.additional
    return replace(schema, fields=tuple(fields), additional=further)


@memoised
def _changes_details(program: Program) -> bool:
    """Whether the application may put more into problem details, or change what they say."""
    return program.any_file_contains(
        *(b"CustomizeProblemDetails", b"IProblemDetailsService", b"IProblemDetailsWriter"),
        *(b"ClientErrorMapping", b"ProblemDetailsFactory", b".Instance =", b".Instance="),
    )


@memoised
def _sets_instances(program: Program) -> bool:
    """Whether code that changes problem details may give them an instance."""
    return program.any_file_contains(
        *(b"IProblemDetailsWriter", b"ProblemDetailsFactory", b"Instance =", b"Instance="),
    )


@memoised
def maps_errors(program: Program) -> bool:
    """Whether nothing keeps ASP.NET Core from giving errors problem details."""
    return not program.any_file_contains(b"SuppressMapClientErrors", b"IClientErrorFactory")


def brings_status(handler: Handler, args: tuple[Argument, ...], scope: Scope) -> bool:
    """Whether `Problem(details)` is given problem details, which bring their status along; a
    dictionary of errors does not."""
    if len(args) != 1:
        return False
    schema = handler.program.infer(args[0].value, scope)
    if isinstance(schema, Reference):
        schema = handler.program.resolve(schema)
    return isinstance(schema, Object) and any(f.name.lower() == "status" for f in schema.fields)


def may_be_problem(handler: Handler, body: Expr | None, scope: Scope) -> bool:
    """Whether a body may be problem details, which bring the status of the answer along."""
    if body is None:
        return False
    value = handler.program.evaluator.unwrap(handler.program.evaluate(body, scope))
    if is_opaque(handler.program, value):
        return True
    name = handler.program.evaluator.qualified_name(value) if isinstance(value, ByType) else ""
    made = (
        value.site.type
        if isinstance(value, LibraryResult) and isinstance(value.site, New)
        else None
    )
    written = made.name if isinstance(made, NamedType) else name
    return written.endswith(("ProblemDetails", "object", "Object"))
