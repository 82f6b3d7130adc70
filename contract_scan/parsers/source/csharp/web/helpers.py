"""What helpers and classes of results answer: `Ok(value)`, `new NotFoundResult()`."""

from __future__ import annotations

import re

from msgspec.structs import replace

from contract_scan.ir.origin import Origin
from contract_scan.ir.reasons import Reason
from contract_scan.ir.schema import Scalar, Schema, Unknown, with_nullable
from contract_scan.parsers.source.analysis.domain.memo import memoised
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import ByType, FunctionValue, Scope
from contract_scan.parsers.source.csharp.resolution.calls import called_function
from contract_scan.parsers.source.csharp.resolution.value_sources import without_wrappers
from contract_scan.parsers.source.csharp.serialization.json_texts import (
    UNKNOWN_OPTIONS,
    options_variant,
    written_schema,
)
from contract_scan.parsers.source.csharp.web.called import (
    action_result_type,
    gives_result,
    own_name,
    results_class,
)
from contract_scan.parsers.source.csharp.web.carried_statuses import (
    carried_statuses,
    is_handed_over,
)
from contract_scan.parsers.source.csharp.web.outcomes import (
    BranchResult,
    Handler,
    undetermined_besides,
)
from contract_scan.parsers.source.csharp.web.problems import (
    brings_status,
    helper_outcome,
    may_be_problem,
)
from contract_scan.parsers.source.csharp.web.statuses import (
    RESULT_CLASSES,
    RESULTS_HELPERS,
    TYPED_RESULTS_HELPERS,
    Helper,
    body_argument,
    statuses_of,
)
from contract_scan.parsers.source.facts.nodes import (
    Argument,
    Attribute,
    Call,
    Cast,
    Choice,
    Entry,
    Expr,
    LiteralExpr,
    Name,
    New,
)

_REDIRECTING_SCHEMES = (
    b"AddCookie(",
    b"AddOpenIdConnect(",
    b"AddMicrosoftIdentityWebApp(",
    b"AddMicrosoftIdentityWebAppAuthentication(",
    b"AddIdentity<",
    b"AddDefaultIdentity<",
    b"AddIdentityCookies(",
)
"""Calls that register a scheme which answers a challenge with 302, not 401:
https://learn.microsoft.com/aspnet/core/security/authentication."""
RESULTS = {"Results": RESULTS_HELPERS, "TypedResults": TYPED_RESULTS_HELPERS}
"""The classes of helpers of minimal APIs."""
_NO_OPTIONS = frozenset({"contentType", "statusCode"})
"""Names of arguments that may stand where a serializer's options do."""
_CONTENT_TYPE = re.compile(r"[\w.+-]+/[\w.+*-]+(\s*;.*)?")


def helper_outcomes(
    handler: Handler, helper: Helper, call: Call, scope: Scope
) -> list[BranchResult] | None:
    """The outcomes of a call of a helper (`Ok(value)`); None if its status is undetermined,
    empty if it is some error's."""
    args = call.args
    statuses: tuple[str, ...] | None = (helper.status,)
    if helper.by_scheme and _redirects_to_login(handler.program):
        return None
    written = status_argument(helper, args)
    is_open = False
    if written is not None:
        statuses, is_open = _written_statuses(handler, written, scope)
    if helper.problem and (statuses is None or "" in statuses):
        return []  # some error: of what succeeds, nothing is left undetermined
    if statuses is None or "" in statuses:
        return _without_status(handler, helper, call, scope)
    origin = handler.program.origin(call, scope)
    body = body_argument(helper, args)
    if body is None and helper.body == "last" and len(args) == 1:
        body = _only_argument(handler, args[0].value, scope)
    keeps_status = written is None and not helper.sets_status
    if helper.content_type != "application/json":
        found = text_or_file_results(handler, statuses, helper, call, scope)
        found = [replace(one, keeps_status=keeps_status) for one in found]
        return undetermined_besides(found) if is_open else found
    if helper.problem and written is None and brings_status(handler, args, scope):
        return []
    handler = _with_options(handler, helper, args, scope)
    found = [helper_outcome(handler, s, helper, body, origin, scope, args) for s in statuses]
    found = [replace(one, keeps_status=keeps_status) for one in found]
    return undetermined_besides(found) if is_open and not helper.problem else found


def _written_statuses(
    handler: Handler, written: Expr, scope: Scope
) -> tuple[tuple[str, ...] | None, bool]:
    """The statuses that an argument or a property names, None where none is known, and whether
    there may be others."""
    statuses = statuses_of(handler.program, written, scope)
    is_told = statuses is not None and "" not in statuses
    if is_told and not isinstance(written, Choice | Name):
        return statuses, False
    known, are_all = carried_statuses(handler, written, scope)
    if is_told and not are_all and not is_handed_over(handler, written, scope):
        return statuses, False
    return known or None, not are_all


def _without_status(
    handler: Handler, helper: Helper, call: Call, scope: Scope
) -> list[BranchResult] | None:
    """The answer of which just the body is known: `StatusCode(code, error)`. None where that is
    none of JSON."""
    body = body_argument(helper, call.args)
    if body is None or helper.content_type != "application/json":
        return None
    handler = _with_options(handler, helper, call.args, scope)
    origin = handler.program.origin(call, scope)
    return [helper_outcome(handler, "", helper, body, origin, scope)]


def _with_options(
    handler: Handler, helper: Helper, args: tuple[Argument, ...], scope: Scope
) -> Handler:
    """The handler as it writes with the options of its own that a result is given: `Json(order,
    options)`."""
    options = args[1:2] if helper.takes_options else ()
    if any(isinstance(each.value, LiteralExpr) or each.name in _NO_OPTIONS for each in options):
        return handler
    if not options:
        return handler
    variant = options_variant(handler.program, options, scope)
    return replace(handler, variant=variant if "@" in variant else UNKNOWN_OPTIONS)


@memoised
def _redirects_to_login(program: Program) -> bool:
    """Whether the application has an authentication scheme that redirects whoever is not let in."""
    return program.any_file_contains(*_REDIRECTING_SCHEMES)


def text_or_file_results(
    handler: Handler, statuses: tuple[str, ...], helper: Helper, made: Call | New, scope: Scope
) -> list[BranchResult]:
    """A text or file of the content type that an argument or a property names: `Content(text,
    "application/json")`, `new ContentResult { Content = text, ContentType = "text/csv" }`."""
    kind = helper.content_type
    named = _entry(made.entries, "ContentType") if isinstance(made, New) else None
    for value in (*(argument.value for argument in made.args[1:]), named):
        text = None if value is None else handler.program.text(value, scope)
        if text is not None and _CONTENT_TYPE.fullmatch(text):
            kind = text.partition(";")[0].strip()
    origin = handler.program.origin(made, scope)
    schema: Schema = Scalar(type="string", format="" if kind.startswith("text/") else "binary")
    if kind.endswith(("/json", "+json")):
        schema = _json_text(handler, made, scope, origin)
    return [
        BranchResult(status=status, schema=schema, content_type=kind, origin=origin)
        for status in statuses
    ]


def _json_text(handler: Handler, made: Call | New, scope: Scope, origin: Origin) -> Schema:
    """What JSON text was written of."""
    text = made.args[0].value if made.args else None
    if isinstance(made, New):
        text = text or _entry(made.entries, "Content")
    if text is not None:
        written = written_schema(handler.program, text, scope)
        if written is not None:
            return written
    return Unknown(reason=Reason("json-handwritten"), is_text=True, origin=origin)


def status_argument(helper: Helper, args: tuple[Argument, ...]) -> Expr | None:
    """The argument that gives the status, where there is one."""
    for argument in args:
        if argument.name == helper.status_name:
            return argument.value
    positional = [argument.value for argument in args if not argument.name]
    if 0 <= helper.status_argument < len(positional):
        return positional[helper.status_argument]
    return None


def _only_argument(handler: Handler, expr: Expr, scope: Scope) -> Expr | None:
    """`Accepted(value)` sends its argument, `Accepted("/jobs/1")` names a place."""
    schema = handler.program.infer(expr, scope)
    kind = getattr(schema, "type", "")
    return None if kind == "string" else expr


def result_object_outcomes(
    handler: Handler, helper: Helper, expr: New, scope: Scope
) -> list[BranchResult] | None:
    """`new OkObjectResult(value)`, `new ObjectResult(value) { StatusCode = 201 }`."""
    statuses: tuple[str, ...] | None = (helper.status,)
    if helper.by_scheme and _redirects_to_login(handler.program):
        return None
    written = status_argument(helper, expr.args) or _entry(expr.entries, "StatusCode")
    body = body_argument(helper, expr.args)
    is_open = False
    if written is not None:
        statuses, is_open = _written_statuses(handler, written, scope)
    elif helper is RESULT_CLASSES["ObjectResult"] and may_be_problem(handler, body, scope):
        return None
    if statuses is None or "" in statuses:
        return None
    origin = handler.program.origin(expr, scope)
    if helper.content_type != "application/json":
        found = text_or_file_results(handler, statuses, helper, expr, scope)
    else:
        handler = _with_options(handler, helper, expr.args, scope)
        found = [helper_outcome(handler, s, helper, body, origin, scope) for s in statuses]
    keeps_status = written is None and not helper.sets_status
    found = [replace(one, keeps_status=keeps_status) for one in found]
    return undetermined_besides(found) if is_open else found


def _entry(entries: tuple[Entry, ...], key: str) -> Expr | None:
    return next((entry.value for entry in entries if entry.key == key), None)


def may_be_result(handler: Handler, values: list[Expr | None], scope: Scope) -> bool:
    """Whether one of the values is made by a helper, or by a function that gives a result."""
    for value in values:
        value = value and without_wrappers(value)
        while isinstance(value, Cast):
            value = without_wrappers(value.value)
        if isinstance(value, Call):
            function = called_function(handler.program, value, scope)
            returns = function and function.function.returns
            if function and returns and gives_result(handler.program, returns, function.scope):
                return True
            name = own_name(value.callee)
            callee = value.callee
            on_results = isinstance(callee, Attribute) and results_class(
                handler.program, callee.value, scope
            )
            if on_results or (handler.symbol is not None and handler.helper(name) is not None):
                return True
    return False


def helper_named(handler: Handler, expr: Expr) -> Helper | None:
    """The helper that a branch names without calling it: `Ok`, `Results.Ok`."""
    match expr:
        case Attribute(value=Name(id=holder), name=name) if holder in RESULTS:
            return RESULTS[holder].get(name)
        case _:
            return handler.helper(own_name(expr))


def is_held_result(handler: Handler, expr: Expr, scope: Scope) -> bool:
    """Whether what is returned is a result that is kept somewhere, or given by a caller."""
    program = handler.program
    function = scope.function
    params = function.params if function is not None and isinstance(expr, Name) else ()
    given = [p.type for p in params if isinstance(expr, Name) and p.name == expr.id and p.type]
    if any(gives_result(program, type, scope) for type in given):
        return True
    value = program.evaluate(expr, scope)
    return isinstance(value, ByType) and gives_result(program, value.type, value.scope)


def handler_inside(handler: Handler, function: FunctionValue) -> Handler:
    """The handler as seen from a function with a declared return type that it calls: a plain value
    is an answer in one that gives `ActionResult<T>`."""
    program = handler.program
    typed = None
    if handler.asks_for_null:
        typed = action_result_type(program, function.function.returns, function.scope)
    if typed is None:
        return replace(handler, plain_values=False)
    schema = program.schema(*typed, handler.variant)
    known = not program.types.is_unknown(schema)
    return replace(
        handler,
        plain_values=True,
        declared_schema=with_nullable(schema, False) if known else None,
        declared_type=typed if known else None,
    )
