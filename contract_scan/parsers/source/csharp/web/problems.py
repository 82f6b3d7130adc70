"""Problem details: what ASP.NET Core writes for errors to which the code gives no body.

`Problem()`, `ValidationProblem()`, and for `[ApiController]` every result of an error alone
(https://github.com/dotnet/aspnetcore: src/Mvc/Mvc.Core/src/Infrastructure/ClientErrorResultFilter).
"""

from __future__ import annotations

from msgspec.structs import replace

from contract_scan.ir.origin import Origin
from contract_scan.ir.reasons import Reason
from contract_scan.ir.schema import Object, Reference, Schema, Unknown
from contract_scan.parsers.source.analysis.domain.memo import memoised
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import ByType, LibraryResult, Scope
from contract_scan.parsers.source.csharp.serialization.library_types import problem_details
from contract_scan.parsers.source.csharp.web.null_bodies import body_nullness
from contract_scan.parsers.source.csharp.web.outcomes import (
    BranchResult,
    Handler,
    is_opaque,
    outcome,
)
from contract_scan.parsers.source.csharp.web.statuses import Helper
from contract_scan.parsers.source.facts.nodes import Argument, Expr, NamedType, New

_JSON = "application/problem+json"


def helper_outcome(
    handler: Handler, status: str, helper: Helper, body: Expr | None, origin: Origin, scope: Scope
) -> BranchResult:
    """The outcome of a helper with a status and, where the code sets one, a body."""
    if helper.problem:
        schema = _problem_schema(handler, helper.problem, origin)
        return BranchResult(status=status, schema=schema, content_type=_JSON, origin=origin)
    without = body is None and not helper.bare and status.startswith(("4", "5"))
    if without and handler.problems and maps_errors(handler.program):
        schema = _problem_schema(handler, "ProblemDetails", origin)
        return BranchResult(status=status, schema=schema, content_type=_JSON, origin=origin)
    found = outcome(handler, status, body, origin, scope)
    if body is None or status != "200" or not handler.asks_for_null or helper.takes_options:
        return found
    return replace(found, nullness=body_nullness(handler.program, body, scope))


def _problem_schema(handler: Handler, name: str, origin: Origin) -> Schema:
    if handler.symbol is not None and handler.program.any_file_contains(b"ProblemDetailsFactory"):
        return Unknown(reason=Reason("application-problem-details"), origin=origin)
    return problem_details(name, origin)


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
