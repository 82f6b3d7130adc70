"""What a handler's return statements say: a status and a body each."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, TypeAlias

from msgspec.structs import replace

from contract_scan.ir.operation import Body, Response
from contract_scan.ir.origin import Origin, Span
from contract_scan.ir.reasons import Reason
from contract_scan.ir.schema import Nothing, Scalar, Schema
from contract_scan.parsers.source.analysis.dataflow import reaching_definitions
from contract_scan.parsers.source.analysis.dataflow.reaching_definitions import nested_statements
from contract_scan.parsers.source.analysis.domain.schemas import unite
from contract_scan.parsers.source.analysis.domain.values import (
    ByType,
    FunctionValue,
    LibraryResult,
    OneOf,
    Scope,
    Unresolved,
    Value,
)
from contract_scan.parsers.source.facts.nodes import (
    Assign,
    Branch,
    Call,
    Evaluate,
    Expr,
    LiteralExpr,
    OperationExpr,
    Return,
    Statement,
)
from contract_scan.parsers.source.java.resolution.annotations import type_name
from contract_scan.parsers.source.java.resolution.value_producers import producing_method
from contract_scan.parsers.source.java.web.async_results import settled_result
from contract_scan.parsers.source.java.web.branch_results import BranchResult
from contract_scan.parsers.source.java.web.built_responses import built_in_variable
from contract_scan.parsers.source.java.web.chains import function_called
from contract_scan.parsers.source.java.web.media import stated_media_type
from contract_scan.parsers.source.java.web.walker import arguments

if TYPE_CHECKING:
    from contract_scan.parsers.source.analysis.domain.program import Program

ANY_TYPE = "*/*"
"""The content type of texts that are sent as they are."""
MAX_RECEIVERS = 100
"""How long a chain of builder calls may be."""


_EMPTY = "java.util.Optional.empty"
_WHOLE = frozenset({"ResponseEntity", "HttpEntity", "Response", "RestResponse"})
"""Types of whole responses: a function that gives one tells its status as well."""
_MAX_FOLLOWED = 3
"""How many functions that return each other's responses are looked into."""

Reading: TypeAlias = "Callable[[Program, Value], Iterator[BranchResult]]"
"""How a library's response objects are read."""


def returned_outcomes(
    program: Program, handler: FunctionValue, read: Reading
) -> list[BranchResult]:
    """The outcomes of every return of a handler, in order."""
    found: list[BranchResult] = []
    for returned in program.function_exits(handler):
        if returned.thrown or _follows_throw(program, returned.value, returned.scope):
            continue
        place = Origin(handler.scope.file.path, returned.span)
        if returned.value is None:
            found.append(BranchResult(origin=place))
            continue
        by_type = _by_type(program, returned.value, returned.scope)
        handles_failure = returned.span in _returned_on_failure(returned.scope.statements or ())
        for outcome in _outcomes_of_return(program, returned.value, returned.scope, read):
            if handles_failure and not outcome.is_status_known:
                continue  # the error that a failure becomes, as if it were thrown
            body = outcome.body if by_type is None or outcome.body is None else by_type
            found.append(replace(outcome, body=body, origin=outcome.origin or place))
    return found


def _follows_throw(program: Program, returned: Expr | None, scope: Scope) -> bool:
    """Whether `return null;` stands behind a call of a function that does nothing but throw, for
    the compiler alone: `notSupported(); return null;`."""
    if not isinstance(returned, LiteralExpr) or returned.value is not None:
        return False
    pending = [scope.statements or ()]
    while pending:
        block = pending.pop()
        for before, statement in zip((None, *block), block, strict=False):
            if isinstance(statement, Branch):
                pending.extend(statement.blocks)
            elif isinstance(statement, Return) and statement.value is returned:
                call = before.value if isinstance(before, Evaluate) else None
                called = function_called(program, call, scope) if isinstance(call, Call) else None
                return called is not None and program.evaluator.only_throws(called)
    return False


def _returned_on_failure(statements: tuple[Statement, ...]) -> set[Span]:
    """The places of the return statements that handle an exception."""
    handlers = (
        block
        for statement in nested_statements(statements)
        if isinstance(statement, Branch) and statement.kind == "try"
        for block in statement.blocks[1:]
    )
    return {
        inner.span
        for block in handlers
        for inner in nested_statements(block)
        if isinstance(inner, Return)
    }


def _outcomes_of_return(
    program: Program, returned: Expr, scope: Scope, read: Reading, depth: int = 0
) -> Iterator[BranchResult]:
    """The outcomes of a returned expression, immediate or asynchronous."""
    built = _built(program, returned, scope, read, depth)
    if built is None:
        built = _of_called(program, returned, scope, read, depth)
    if built is not None:
        yield from built
        return
    value = program.evaluate(returned, scope)
    later = settled_result(program, returned, scope)
    if later is None:
        yield from _outcomes_of_value(program, value, read, depth)
        return
    for one in later.values:
        yield from _outcomes_of_value(program, one, read, depth)
    if not later.whole:
        yield BranchResult(body=value, is_status_known=False)


def _of_called(
    program: Program, returned: Expr, scope: Scope, read: Reading, depth: int
) -> list[BranchResult] | None:
    """What a method of the project that gives a whole response makes of what it is handed here;
    None where not every status of it is told."""
    if not isinstance(returned, Call) or not returned.args or depth >= _MAX_FOLLOWED:
        return None
    function = function_called(program, returned, scope)
    if function is None or type_name(function.function.returns) not in _WHOLE:
        return None
    # The one that runs: what is called may be declared in an interface.
    function = producing_method(program, program.evaluate(returned, scope), _WHOLE)
    if function is None:
        return None
    given = arguments(program, function, returned, scope)
    inside = program.function_scope(function.function, function.scope, given)
    found = [
        outcome
        for statement in reaching_definitions.returns(inside.statements or ())
        if isinstance(statement, Return) and statement.value is not None
        for outcome in _outcomes_of_return(program, statement.value, inside, read, depth + 1)
    ]
    return found if found and all(outcome.is_status_known for outcome in found) else None


def _built(
    program: Program, expr: Expr, scope: Scope, read: Reading, depth: int
) -> list[BranchResult] | None:
    """What an expression gives that begins with a variable in which a response is built."""

    def outcomes_of(expr: Expr, place: Scope) -> Iterator[BranchResult]:
        return _outcomes_of_return(program, expr, place, read, depth + 1)

    if depth >= _MAX_FOLLOWED:
        return None
    return built_in_variable(program, expr, scope, outcomes_of)


def _outcomes_of_value(
    program: Program, value: Value, read: Reading, depth: int = 0
) -> Iterator[BranchResult]:
    if isinstance(value, OneOf):
        for option in value.options:
            if isinstance(option, LibraryResult) and option.name.startswith(_EMPTY):
                continue  # what asks it for its value throws, or has seen that there is one
            yield from _outcomes_of_value(program, option, read, depth)
        return
    function = producing_method(program, value, _WHOLE) if depth < _MAX_FOLLOWED else None
    if function is None:
        made = _first_value(program, value) or value
        built = None
        if isinstance(made, LibraryResult) and isinstance(made.site, Call):
            built = _built(program, made.site, made.scope, read, depth)
        yield from read(program, made) if built is None else built
        return
    found = [
        outcome
        for returned in program.function_exits(function)
        if returned.value is not None and not returned.thrown
        for outcome in _outcomes_of_return(program, returned.value, returned.scope, read, depth + 1)
    ]
    yield from (outcome for outcome in found if outcome.is_status_known)
    if not found or not all(outcome.is_status_known for outcome in found):
        yield from read(program, value)


def _by_type(program: Program, returned: Expr, scope: Scope) -> Unresolved | None:
    """What is known of a call of a function that returns one thing or another by the type of what
    it is given: nothing, since no call shows which."""
    if not isinstance(returned, Call) or not returned.args:
        return None
    called = program.function_value(returned.callee, scope)
    if called is None:
        return None
    path = called.scope.file.path
    branches = [
        statement
        for statement in nested_statements(program.body(called.function, called.scope.file))
        if isinstance(statement, Branch) and _tests_a_type(statement.condition)
    ]
    if any(isinstance(inner, Return) for b in branches for inner in nested_statements(b.blocks[0])):
        reason = Reason("result-depends-on-argument", function=called.function.name)
        return Unresolved(reason, called.function.span, path)
    return None


def _tests_a_type(test: Expr | None) -> bool:
    pending = [test]
    while pending:
        expr = pending.pop()
        if isinstance(expr, OperationExpr):
            if expr.operator == "instanceof":
                return True
            pending.extend(expr.operands)
    return False


def _first_value(program: Program, value: Value) -> Value | None:
    """The response that a variable of such a type is made with: `ResponseEntity<Order> r = …`."""
    if not isinstance(value, ByType) or type_name(value.type) not in _WHOLE:
        return None
    for statement in nested_statements(value.scope.statements or ()):
        if isinstance(statement, Assign) and statement.type is value.type and statement.value:
            found = program.evaluate(statement.value, value.scope)
            return found if isinstance(found, LibraryResult) else None
    return None


def chain_root(made: LibraryResult, owner: str) -> tuple[LibraryResult, str] | None:
    """The first call of a builder chain (`ResponseEntity.status(…)`) and its method's name."""
    value: Value | None = made
    for _ in range(MAX_RECEIVERS):
        if not isinstance(value, LibraryResult):
            return None
        before, _, method = value.name.rpartition(".")
        if before.rpartition(".")[2] == owner or (not before and _is_starred(value, owner)):
            return value, method
        value = value.receiver
    return None


def _is_starred(made: LibraryResult, owner: str) -> bool:
    """Whether `import static a.b.Owner.*` may bring a function that is called by its name alone."""
    return any(
        entry.name == "*" and entry.module.rpartition(".")[2] == owner
        for entry in made.scope.file.imports
    )


def chain_call(made: LibraryResult, method: str) -> LibraryResult | None:
    """The last call of a method in a builder chain."""
    value: Value | None = made
    for _ in range(MAX_RECEIVERS):
        if not isinstance(value, LibraryResult):
            return None
        if value.name.rpartition(".")[2] == method:
            return value
        value = value.receiver
    return None


def content_type_set(program: Program, made: LibraryResult, method: str) -> str:
    """The content type that a method of a builder chain is given; empty: none, or it is
    undetermined."""
    typed = chain_call(made, method)
    if typed is None or not typed.site.args:
        return ""
    return stated_media_type(program, typed.site.args[0].value, typed.scope)


def argument_of(program: Program, made: LibraryResult, position: int) -> Value | None:
    """What is passed to a library call at a position."""
    args = made.site.args
    if position >= len(args):
        return None
    return program.evaluate(args[position].value, made.scope)


# --------------------------------------------------------------------------- responses


def responses_of(
    outcomes: Iterable[BranchResult],
    default: str,
    schema_of: Callable[[BranchResult], Schema | None],
    content_type: str,
    origin: Origin,
) -> tuple[Response, ...]:
    """One response for each status, bodies of one status and content type united. `schema_of`
    gives the shape of an outcome's body, None for no body."""
    shapes: dict[str, dict[str, list[Schema]]] = {}
    places: dict[str, Origin] = {}
    explicit: dict[str, bool] = {}
    for outcome in outcomes:
        if not outcome.is_status_known:
            continue
        status = outcome.status or default
        places.setdefault(status, outcome.origin or origin)
        explicit[status] = explicit.get(status, False) or bool(outcome.status)
        schema = schema_of(outcome)
        by_type = shapes.setdefault(status, {})
        if schema is not None and not isinstance(schema, Nothing):
            by_type.setdefault(outcome.content_type or content_type, []).append(schema)
    return tuple(
        Response(
            status=status,
            bodies=tuple(
                body
                for kind, schemas in found.items()
                for body in _bodies(schemas, kind, places[status])
            ),
            explicit_status=explicit[status],
            origin=places[status],
        )
        for status, found in sorted(shapes.items(), key=lambda item: item[0])
    )


def _bodies(shapes: list[Schema], content_type: str, origin: Origin) -> tuple[Body, ...]:
    if not shapes:
        return ()
    whole = unite(shapes)
    if isinstance(whole, Nothing):
        return ()
    place = whole.origin if whole.origin.path else origin
    return (Body(schema=whole, content_type=content_type, origin=place),)


def texts_as_such(responses: tuple[Response, ...]) -> tuple[Response, ...]:
    """Responses whose texts are no JSON: they are sent as they are, in a type of their own."""
    return tuple(
        replace(
            response,
            bodies=tuple(
                replace(body, content_type=ANY_TYPE) if _is_text(body) else body
                for body in response.bodies
            ),
        )
        for response in responses
    )


def _is_text(body: Body) -> bool:
    return isinstance(body.schema, Scalar) and body.schema.type == "string"
