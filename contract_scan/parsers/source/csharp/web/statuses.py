"""Which helper of ASP.NET Core answers with which status, and which argument is the body."""

from __future__ import annotations

from typing import Literal, TypeAlias

from msgspec import Struct

from contract_scan.parsers.source.analysis.dataflow.reaching_definitions import possible_values
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import Constant, LibrarySymbol, Scope
from contract_scan.parsers.source.csharp.library_calls.properties import status_in_name
from contract_scan.parsers.source.facts.nodes import (
    Argument,
    Attribute,
    Cast,
    Choice,
    Expr,
    LiteralExpr,
    Name,
)
from contract_scan.parsers.source.web import status_names as names

_MAX_DEPTH = 10
BodyPlace: TypeAlias = int | Literal["last", "none"]
"""Position of the argument that is the body; `last` where an overload has a single one only when
it is no body."""


class Helper(Struct, frozen=True):
    """What a helper answers."""

    status: str
    """Empty: an argument says."""
    body: BodyPlace = "none"
    content_type: str = "application/json"
    status_argument: int = -1
    status_name: str = "statusCode"
    names: tuple[str, ...] = ("value", "error", "data", "modelState", "errorMessage")
    """Names that the argument of the body has."""
    problem: str = ""
    """The kind of problem details that it answers with; it then fails, whatever its status."""
    problem_members: tuple[str, ...] = ()
    """The names of its positional parameters, where they are members of the problem details."""
    bare: bool = False
    """Whether nothing is ever put into a body that it does not give."""
    by_scheme: bool = False
    """Whether the handler of an authentication scheme answers: bearer tokens 401 and 403, cookies
    and OpenID Connect redirect."""
    takes_options: bool = False
    """Whether the argument behind the body is the options of the serializer."""
    sets_status: bool = True
    """Whether it sets its status where no argument gives one; else the response keeps the status
    that was set before (executors of ASP.NET Core's results whose `StatusCode` is null)."""


_PROBLEM = ("detail", "instance", "statusCode", "title", "type", "extensions")
_VALIDATION_PROBLEM = ("errors", *_PROBLEM)
_BINARY = "application/octet-stream"
_TEXT = "text/plain"
_HTML = "text/html"

_COMMON: dict[str, Helper] = {
    "Ok": Helper("200", 0),
    "Created": Helper("201", "last"),
    "Accepted": Helper("202", "last"),
    "NoContent": Helper("204"),
    "BadRequest": Helper("400", 0),
    "Unauthorized": Helper("401", 0),
    "NotFound": Helper("404", 0),
    "Conflict": Helper("409", 0),
    "UnprocessableEntity": Helper("422", 0),
    "StatusCode": Helper("", 1, status_argument=0),
    "Json": Helper("200", 0, status_argument=3, takes_options=True, sets_status=False),
    "Forbid": Helper("403", bare=True, by_scheme=True),
    "Challenge": Helper("401", bare=True, by_scheme=True),
    "Content": Helper("200", "none", _TEXT, status_argument=3, sets_status=False),
    "File": Helper("200", "none", _BINARY, sets_status=False),
    "PhysicalFile": Helper("200", "none", _BINARY, sets_status=False),
    "VirtualFile": Helper("200", "none", _BINARY, sets_status=False),
    "Redirect": Helper("302"),
    "LocalRedirect": Helper("302"),
    "RedirectToRoute": Helper("302"),
}

CONTROLLER_HELPERS: dict[str, Helper] = {
    **_COMMON,
    "CreatedAtAction": Helper("201", "last"),
    "CreatedAtRoute": Helper("201", "last"),
    "AcceptedAtAction": Helper("202", "last"),
    "AcceptedAtRoute": Helper("202", "last"),
    "ValidationProblem": Helper("400", problem="ValidationProblemDetails"),
    "Problem": Helper("500", status_argument=2, problem="ProblemDetails", problem_members=_PROBLEM),
    "RedirectToAction": Helper("302"),
    "RedirectToPage": Helper("302"),
    "RedirectPermanent": Helper("301"),
    "RedirectPreserveMethod": Helper("307"),
    "RedirectPermanentPreserveMethod": Helper("308"),
    "LocalRedirectPermanent": Helper("301"),
    "RedirectToActionPermanent": Helper("301"),
    "View": Helper("200", "none", _HTML, sets_status=False),
    "PartialView": Helper("200", "none", _HTML, sets_status=False),
    "ViewComponent": Helper("200", "none", _HTML, sets_status=False),
    "Page": Helper("200", "none", _HTML, sets_status=False),
}

RESULT_CLASSES: dict[str, Helper] = {
    "OkObjectResult": Helper("200", 0),
    "OkResult": Helper("200"),
    "EmptyResult": Helper("200", sets_status=False),
    "CreatedResult": Helper("201", "last"),
    "CreatedAtActionResult": Helper("201", "last"),
    "CreatedAtRouteResult": Helper("201", "last"),
    "AcceptedResult": Helper("202", "last"),
    "AcceptedAtActionResult": Helper("202", "last"),
    "NoContentResult": Helper("204"),
    "BadRequestObjectResult": Helper("400", 0),
    "BadRequestResult": Helper("400"),
    "UnauthorizedObjectResult": Helper("401", 0),
    "UnauthorizedResult": Helper("401"),
    "ForbidResult": Helper("403", bare=True, by_scheme=True),
    "ChallengeResult": Helper("401", bare=True, by_scheme=True),
    "NotFoundObjectResult": Helper("404", 0),
    "NotFoundResult": Helper("404"),
    "ConflictObjectResult": Helper("409", 0),
    "ConflictResult": Helper("409"),
    "UnprocessableEntityObjectResult": Helper("422", 0),
    "UnprocessableEntityResult": Helper("422"),
    "StatusCodeResult": Helper("", "none", status_argument=0),
    "ObjectResult": Helper("200", 0, status_name="StatusCode", sets_status=False),
    "JsonResult": Helper("200", 0, status_name="StatusCode", takes_options=True, sets_status=False),
    "ContentResult": Helper("200", "none", _TEXT, status_name="StatusCode", sets_status=False),
    "FileStreamResult": Helper("200", "none", _BINARY, sets_status=False),
    "FileContentResult": Helper("200", "none", _BINARY, sets_status=False),
    "PhysicalFileResult": Helper("200", "none", _BINARY, sets_status=False),
    "VirtualFileResult": Helper("200", "none", _BINARY, sets_status=False),
    "RedirectResult": Helper("302"),
    "RedirectToActionResult": Helper("302"),
}

_MINIMAL_COMMON: dict[str, Helper] = {
    **_COMMON,
    "InternalServerError": Helper("500", 0),
    "Problem": Helper("500", status_argument=2, problem="ProblemDetails", problem_members=_PROBLEM),
    "ValidationProblem": Helper(
        "400",
        status_argument=3,
        problem="HttpValidationProblemDetails",
        problem_members=_VALIDATION_PROBLEM,
    ),
    "Text": Helper("200", "none", _TEXT, status_argument=3, sets_status=False),
    "Bytes": Helper("200", "none", _BINARY, sets_status=False),
    "Stream": Helper("200", "none", _BINARY, sets_status=False),
    "Empty": Helper("200", sets_status=False),
    "SignOut": Helper("200"),
    "ServerSentEvents": Helper("200", "none", "text/event-stream"),
}
RESULTS_HELPERS: dict[str, Helper] = {
    **_MINIMAL_COMMON,
    "CreatedAtRoute": Helper("201", 2),
    "AcceptedAtRoute": Helper("202", 2),
}
TYPED_RESULTS_HELPERS: dict[str, Helper] = {
    **_MINIMAL_COMMON,
    "CreatedAtRoute": Helper("201", 0),
    "AcceptedAtRoute": Helper("202", 0),
}

WEB_API_HELPERS: dict[str, Helper] = {
    "Ok": Helper("200", 0),
    "Created": Helper("201", "last"),
    "CreatedAtRoute": Helper("201", "last"),
    "BadRequest": Helper("400"),
    "Unauthorized": Helper("401"),
    "NotFound": Helper("404"),
    "Conflict": Helper("409"),
    "InternalServerError": Helper("500"),
    "StatusCode": Helper("", status_argument=0),
    "Content": Helper("", 1, status_argument=0),
    "Json": Helper("200", 0, takes_options=True),
    "Redirect": Helper("302"),
    "RedirectToRoute": Helper("302"),
}
"""Helpers of `ApiController` of Web API 2."""

RESULT_TYPES: dict[str, str] = {
    "Ok": "200",
    "Created": "201",
    "CreatedAtRoute": "201",
    "Accepted": "202",
    "AcceptedAtRoute": "202",
    "NoContent": "204",
    "BadRequest": "400",
    "UnauthorizedHttpResult": "401",
    "ChallengeHttpResult": "401",
    "ForbidHttpResult": "403",
    "RedirectHttpResult": "302",
    "RedirectToRouteHttpResult": "302",
    "NotFound": "404",
    "Conflict": "409",
    "UnprocessableEntity": "422",
    "ValidationProblem": "400",
    "InternalServerError": "500",
    "JsonHttpResult": "200",
}
"""Types of `TypedResults` (without number of type parameters) -> status."""

OPAQUE_RESULTS = frozenset(
    {
        "IActionResult",
        "ActionResult",
        "IResult",
        "IConvertToActionResult",
        "ObjectResult",
        "StatusCodeResult",
        "ContentHttpResult",
        "ProblemHttpResult",
        "FileContentHttpResult",
        "FileStreamHttpResult",
        "PhysicalFileHttpResult",
        "RedirectHttpResult",
        "StatusCodeHttpResult",
        "EmptyHttpResult",
        "ViewResult",
        "FileResult",
        "HttpResponseMessage",
        "IHttpActionResult",
        "JsonResult",
        *RESULT_CLASSES,
    }
)
"""Declared types that tell neither status nor body."""


def status_of(program: Program, expr: Expr | None, scope: Scope) -> str | None:
    """The status an expression names: `201`, `StatusCodes.Status201Created`,
    `(int)HttpStatusCode.Created`; None where it is undetermined."""
    match expr:
        case None:
            return None
        case Cast(value=value):
            return status_of(program, value, scope)
        case Attribute(name=name) | Name(id=name) if (named := status_in_name(name)) is not None:
            return named  # of a Name: by `using static …StatusCodes`
        case Attribute(name=name, value=holder) if status_named(name) and (
            getattr(holder, "id", getattr(holder, "name", "")) == "HttpStatusCode"
        ):
            return status_named(name)
        case LiteralExpr(value=int() as number):
            return str(number)
        case _:
            given = program.evaluate(expr, scope)
            if isinstance(given, LibrarySymbol):  # handed over by a caller
                return _of_library(given.name)
            known = given.value if isinstance(given, Constant) and not given.is_default else None
            return str(known) if isinstance(known, int) and 100 <= known < 600 else None


def status_named(word: str) -> str | None:
    """The status that a name of `HttpStatusCode` stands for."""
    return "302" if word == "Redirect" else names.status_named(word)


def _of_library(name: str) -> str | None:
    """The status of a constant of the library: `HttpStatusCode.Created`."""
    holder, _, word = name.rpartition(".")
    return status_named(word) if holder.rpartition(".")[2] == "HttpStatusCode" else None


def statuses_of(
    program: Program, expr: Expr, scope: Scope, depth: int = 0
) -> tuple[str, ...] | None:
    """The statuses that an expression may name, one for each arm of a `switch`; None where one of
    them is undetermined."""
    match expr:
        case _ if depth > _MAX_DEPTH:
            return None
        case Cast(value=value):
            return statuses_of(program, value, scope, depth + 1)
        case Choice():
            options = program.evaluator.choices(expr, scope)
        case Name() if values := possible_values(expr, scope):
            options = [(value, scope) for value in values]
        case _:
            status = status_of(program, expr, scope)
            return None if status is None else (status,)
    found: dict[str, None] = {}
    for option, inside in options:
        statuses = statuses_of(program, option, inside, depth + 1)
        if statuses is None:
            return None
        found |= dict.fromkeys(statuses)
    return tuple(found)


def body_argument(helper: Helper, args: tuple[Argument, ...]) -> Expr | None:
    """The expression that is the body; None where none is sent."""
    for argument in args:
        if argument.name and argument.name in helper.names:
            return argument.value
    positional = [argument.value for argument in args if not argument.name]
    if helper.body == "none":
        return None
    if helper.body == "last":
        if len(positional) >= 2:
            return positional[-1]
        return None
    return positional[helper.body] if helper.body < len(positional) else None
