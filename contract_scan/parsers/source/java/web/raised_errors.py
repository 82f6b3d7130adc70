"""Errors that a handler sends by throwing an exception that names its status."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from msgspec import Struct

from contract_scan.ir.operation import Response
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import (
    FunctionValue,
    Instance,
    LibraryResult,
    Scope,
    Value,
)
from contract_scan.parsers.source.analysis.evaluation.raised_errors import (
    effects_outside_try,
    sole_errors,
    statements_outside_try,
    thrown_errors,
)
from contract_scan.parsers.source.facts.nodes import Branch, Call, Expr, Lambda
from contract_scan.parsers.source.facts.visitor import nodes_of
from contract_scan.parsers.source.java.frameworks.jaxrs.annotations import PACKAGES
from contract_scan.parsers.source.java.frameworks.spring.annotations import first_merged
from contract_scan.parsers.source.java.resolution.dependencies import is_in_related_files
from contract_scan.parsers.source.java.web.branch_results import status_of
from contract_scan.parsers.source.java.web.chains import function_called, method
from contract_scan.parsers.source.java.web.outcomes import argument_of
from contract_scan.parsers.source.web.status_names import status_named

_MAX_DEPTH = 2
"""How many functions that call one another are looked into for what they throw."""
_HANDLERS = (b"ExceptionHandler", b"ExceptionMapper", b"HandlerExceptionResolver", b"ErrorHandler")


_STATED = (
    *(b"@ResponseStatus", b"StatusException(", b"ApplicationException(", b"ErrorException("),
    *(b"new NotFound", b"new BadRequest", b"new Forbidden", b"new NotAuthorized", b"new Conflict"),
)
"""What a project holds that throws a status: what handlers call is followed for it alone."""


class Exceptions(Struct, frozen=True, eq=False):
    """The exceptions of one library that it turns into responses itself."""

    packages: tuple[str, ...]
    suffix: str = ""
    """What the names of classes end with that are named after their status."""
    fixed_statuses: Mapping[str, str] = {}
    """Others with one status each."""
    assigned_statuses: frozenset[str] = frozenset()
    """Classes (or functions that make one) that are given their status."""
    handlers: tuple[bytes, ...] = _HANDLERS
    """What a project writes that says otherwise."""


_JAXRS = Exceptions(
    packages=PACKAGES,
    suffix="Exception",
    fixed_statuses={
        "NotAuthorizedException": "401",
        "NotAllowedException": "405",
        "NotSupportedException": "415",
    },
    assigned_statuses=frozenset(
        {"WebApplicationException", "ClientErrorException", "ServerErrorException"}
    ),
)
_SPRING = Exceptions(
    packages=("org.springframework.",), assigned_statuses=frozenset({"ResponseStatusException"})
)
_MICRONAUT = Exceptions(
    packages=("io.micronaut.http.exceptions",), assigned_statuses=frozenset({"HttpStatusException"})
)
_JAVALIN = Exceptions(
    packages=("io.javalin.",),
    suffix="Response",
    assigned_statuses=frozenset({"HttpResponseException"}),
    handlers=(b".exception(",),
)
_HELIDON = Exceptions(
    packages=("io.helidon.",),
    suffix="Exception",
    fixed_statuses={"InternalServerException": "500"},
    assigned_statuses=frozenset({"HttpException"}),
    handlers=(b".error(",),
)
_ARMERIA = Exceptions(
    packages=("com.linecorp.armeria.",),
    assigned_statuses=frozenset({"HttpStatusException.of", "HttpResponseException.of"}),
    handlers=(b"ExceptionHandler", b"errorHandler("),
)
_SPARK = Exceptions(
    packages=("spark.",), assigned_statuses=frozenset({"halt"}), handlers=(b"exception(", b"after(")
)
_LIBRARIES = (_JAXRS, _SPRING, _MICRONAUT, _JAVALIN, _HELIDON, _ARMERIA, _SPARK)


def with_raised(
    program: Program,
    handler: FunctionValue,
    answers: tuple[tuple[Response, ...], bool],
    own: Exceptions | None = None,
) -> tuple[tuple[Response, ...], bool]:
    """Responses, and the errors that the handler throws with a status; each with whether every
    status is told. A handler that does nothing but throw sends no success, whatever is declared."""
    responses, complete = answers
    thrown = sole_errors(program, handler)
    if thrown:
        responses = tuple(one for one in responses if not one.status.startswith("2"))
        complete = len(tuple(_thrown_responses(program, handler, own))) == len(thrown)
    found = _with_raised(program, handler, responses, own)
    return found, complete and (bool(found) or not thrown)


def _with_raised(
    program: Program,
    handler: FunctionValue,
    responses: tuple[Response, ...],
    own: Exceptions | None,
) -> tuple[Response, ...]:
    """Responses, and the errors with a status that the handler throws, or what it calls; none of
    these where the modules around it say what becomes of exceptions. `own`: the exceptions of
    a library that states them itself."""
    known = {response.status for response in responses}
    added: dict[str, Response] = {}
    for status, handlers, response in _thrown_responses(program, handler, own, follows=True):
        if status in known or status in added:
            continue
        if not is_in_related_files(program, handler.scope.file.path, *handlers):
            added[status] = response
    if not added:
        return responses
    return (*responses, *(added[status] for status in sorted(added)))


def _thrown_responses(
    program: Program, handler: FunctionValue, own: Exceptions | None, *, follows: bool = False
) -> Iterator[tuple[str, tuple[bytes, ...], Response]]:
    halted = (pair for pair in effects_outside_try(program, handler) if _is_halt(pair[0]))
    follows = follows and program.any_file_contains(*_STATED)
    follows = follows and not is_in_related_files(program, handler.scope.file.path, *_HANDLERS)
    later = _raised_later(program, handler, _MAX_DEPTH) if follows else ()
    for expr, scope in (*thrown_errors(program, handler), *halted, *later):
        value = program.evaluate(expr, scope)
        found: tuple[str | None, tuple[bytes, ...]] = None, ()
        if isinstance(value, Instance):
            found = _annotated_status(program, value), _HANDLERS
        elif isinstance(value, LibraryResult):
            found = _of_library(program, value, own)
        status, handlers = found
        if status is not None and status[0] in "45":
            yield status, handlers, Response(status=status, origin=program.origin(expr, scope))


def _raised_later(
    program: Program, function: FunctionValue, depth: int
) -> Iterator[tuple[Expr, Scope]]:
    """The exceptions that leave what a function calls outside `try`: functions of the project, by
    the arguments that they are given, and `orElseThrow(() -> …)`."""
    statements, scope = statements_outside_try(program, function)
    for statement in statements:
        nodes = tuple(nodes_of(statement))
        if any(isinstance(node, Branch) and node.kind == "try" for node in nodes):
            continue  # of a lambda
        for call in nodes:
            if not isinstance(call, Call):
                continue
            supplier = call.args[0].value if method(call) == "orElseThrow" and call.args else None
            if isinstance(supplier, Lambda):
                made = FunctionValue(supplier.function, scope)
                yield from ((v.value, v.scope) for v in program.function_exits(made) if v.value)
            called = function_called(program, call, scope) if depth else None
            if called is None or called.function.span == function.function.span:
                continue
            specialisations = program.evaluator.specialisations
            facts = specialisations.facts_of_call(called, call, scope)
            called = specialisations.with_facts(called, facts)
            yield from thrown_errors(program, called)
            yield from _raised_later(program, called, depth - 1)


def _is_halt(expr: Expr) -> bool:
    """Whether a statement throws without saying so: `halt(401)` of Spark."""
    return isinstance(expr, Call) and method(expr) == "halt"


def _annotated_status(program: Program, value: Instance) -> str | None:
    """The status of a project's exception with `@ResponseStatus`."""
    for symbol in (value.symbol, *program.bases(value.symbol)):
        inside = program.class_scope(symbol)
        found = first_merged(program, symbol.decl.annotations, inside, "ResponseStatus")
        given = found.get("code", "value") if found is not None else None
        if given is not None:
            return status_of(program, program.evaluate(*given))
    return None


def _of_library(
    program: Program, made: LibraryResult, own: Exceptions | None
) -> tuple[str | None, tuple[bytes, ...]]:
    simple = made.name.rpartition(".")[2]
    owned = ".".join(made.name.split(".")[-2:])
    for library in _LIBRARIES if own is None else (own, *_LIBRARIES):
        names = {simple, owned}
        if not _is_of(made, *library.packages):
            continue
        status = library.fixed_statuses.get(simple)
        if status is None and library.suffix and simple.endswith(library.suffix):
            status = status_named(simple.removesuffix(library.suffix))
        if status is not None:
            return status, library.handlers
        if names & library.assigned_statuses:
            return _argument_status(program, made), library.handlers
    return None, ()


def _argument_status(program: Program, made: LibraryResult) -> str | None:
    """The status among the arguments, whichever it is."""
    for position in range(len(made.site.args)):
        status = _status(program, argument_of(program, made, position))
        if status is not None:
            return status
    return None


def _status(program: Program, value: Value | None) -> str | None:
    """A status, or the one that a response is built with: `Response.status(404).build()`."""
    for _ in range(8):
        if not isinstance(value, LibraryResult):
            break
        if value.name.rpartition(".")[2] == "status" and value.site.args:
            return status_of(program, argument_of(program, value, 0))
        if value.receiver is None:
            break
        value = value.receiver
    found = status_of(program, value)
    return found if found is not None and len(found) == 3 else None


def _is_of(made: LibraryResult, *packages: str) -> bool:
    """Whether a class is of a library, also where only `import a.b.*` can bring it."""
    if "." in made.name and made.name.startswith(packages):
        return True
    modules = (
        f"{entry.module}." for entry in made.scope.file.imports if entry.name in ("*", made.name)
    )
    before = made.name.partition(".")[0]
    is_bare = "." not in made.name or before[:1].isupper()
    return is_bare and any(module.startswith(packages) for module in modules)
