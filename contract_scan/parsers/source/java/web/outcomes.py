"""What a handler's return statements say: a status and a body each."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import TypeAlias

from msgspec import Struct
from msgspec.structs import replace

from contract_scan.ir.operation import Body, Response
from contract_scan.ir.origin import Origin, Span
from contract_scan.ir.reasons import Reason
from contract_scan.ir.schema import Nothing, Object, Scalar, Schema
from contract_scan.parsers.source.analysis.dataflow import reaching_definitions
from contract_scan.parsers.source.analysis.dataflow.reaching_definitions import nested_statements
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.schemas import unite
from contract_scan.parsers.source.analysis.domain.values import (
    BySchema,
    ByType,
    Constant,
    FunctionValue,
    Instance,
    LibraryResult,
    OneOf,
    Scope,
    Unresolved,
    Value,
)
from contract_scan.parsers.source.analysis.refinement.pruning import reachable_exits
from contract_scan.parsers.source.analysis.syntax.null_checks import (
    BOOLEAN_OPERATORS,
    evaluate_boolean,
    null_tested,
)
from contract_scan.parsers.source.analysis.typing.object_shapes import is_never_null
from contract_scan.parsers.source.facts.nodes import (
    Assign,
    Attribute,
    Branch,
    Call,
    Evaluate,
    Expr,
    LiteralExpr,
    Loop,
    Name,
    NamedType,
    OperationExpr,
    Return,
    Statement,
    Throw,
    TypeExpr,
)
from contract_scan.parsers.source.java.resolution.annotations import type_name
from contract_scan.parsers.source.java.resolution.value_producers import producing_method
from contract_scan.parsers.source.java.web.async_results import settled_result
from contract_scan.parsers.source.java.web.branch_results import BranchResult, statuses_of
from contract_scan.parsers.source.java.web.chains import chain, function_called, method
from contract_scan.parsers.source.java.web.made_objects import scope_of_call
from contract_scan.parsers.source.java.web.media import stated_media_type

ANY_TYPE = "*/*"
"""The content type of texts that are sent as they are."""
MAX_RECEIVERS = 100
"""How long a chain of builder calls may be."""


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
    exits = program.function_exits(handler)
    places = {
        one.span
        for each in exits[:1]
        for one in reachable_exits(each.scope.statements or (), _NullTests(program, each.scope))
    }
    for returned in exits:
        if returned.span not in places:
            continue
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


class _NullTests(Struct, frozen=True, eq=False):
    """Tests of a function that ask whether something is null which never is."""

    program: Program
    scope: Scope

    def holds(self, test: Expr) -> bool | None:
        """Whether a test holds; None where that is undetermined."""
        match test:
            case OperationExpr(operator=operator, operands=operands) if (
                operator in BOOLEAN_OPERATORS
            ):
                return evaluate_boolean(operator, map(self.holds, operands))
            case _:
                asked = null_tested(test)
        if asked is None or not is_never_null(
            self.program, self.program.evaluate(asked[0], self.scope)
        ):
            return None
        return not asked[1]

    def running_cases(self, branch: Branch) -> Branch:
        """The `switch` as it is."""
        return branch


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
    """What a method of the project that gives a whole response makes of what it is handed here, and
    of the object that it is called on; None where not every status of it is told."""
    if not isinstance(returned, Call) or depth >= _MAX_FOLLOWED:
        return None
    if not returned.args and not isinstance(returned.callee, Attribute):
        return None
    function = function_called(program, returned, scope)
    if function is None or type_name(_given_later(program, function)) not in _WHOLE:
        return None
    # The one that runs: what is called may be declared in an interface.
    function = producing_method(program, program.evaluate(returned, scope), _WHOLE)
    if function is None:
        return None
    inside = scope_of_call(program, returned, function, scope)
    is_made = isinstance(inside.receiver, Instance) and inside.receiver.site is not None
    if not returned.args and not is_made:
        return None
    found = [
        outcome
        for statement in reaching_definitions.returns(inside.statements or ())
        if isinstance(statement, Return) and statement.value is not None
        for outcome in _outcomes_of_return(program, statement.value, inside, read, depth + 1)
    ]
    return found if found and all(outcome.is_status_known for outcome in found) else None


def _given_later(program: Program, function: FunctionValue) -> TypeExpr | None:
    """The type that a function is declared to give, or to give later."""
    type = function.function.returns
    while isinstance(type, NamedType) and len(type.args) == 1 and type_name(type) not in _WHOLE:
        if type_name(type) not in program.language.transparent:
            break
        (type,) = type.args
    return type


def _built(
    program: Program, expr: Expr, scope: Scope, read: Reading, depth: int
) -> list[BranchResult] | None:
    """What an expression gives that begins with a variable in which a response is built."""

    def outcomes_of(expr: Expr, place: Scope) -> Iterator[BranchResult]:
        return _outcomes_of_return(program, expr, place, read, depth + 1)

    if depth >= _MAX_FOLLOWED:
        return None
    return _built_in_variable(program, expr, scope, outcomes_of)


def _outcomes_of_value(
    program: Program, value: Value, read: Reading, depth: int = 0
) -> Iterator[BranchResult]:
    if isinstance(value, OneOf):
        for option in value.options:
            if isinstance(option, BySchema) and isinstance(option.schema, Nothing):
                continue  # what asks an empty Optional for its value throws, or has seen one
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
    noted: tuple[str, ...] = (),
) -> tuple[Response, ...]:
    """One response for each status, bodies of one status and content type united. `schema_of`
    gives the shape of an outcome's body, None for no body. `noted`: how the statuses begin of which
    it is noted that they are sent without one."""
    shapes: dict[str, dict[str, list[Schema]]] = {}
    places: dict[str, Origin] = {}
    explicit: dict[str, bool] = {}
    empty: dict[str, Origin] = {}
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
        elif outcome.body is None and not outcome.null_given and status.startswith(noted):
            empty.setdefault(status, outcome.origin or origin)
    return tuple(
        Response(
            status=status,
            bodies=tuple(
                body
                for kind, schemas in found.items()
                for body in _bodies(schemas, kind, places[status])
            ),
            explicit_status=explicit[status],
            empty_at=empty.get(status),
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
    is_class = isinstance(whole, Object) and bool(whole.name)  # which stands somewhere else
    place = whole.origin if whole.origin.path and not is_class else origin
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


# -------------------------------------------------------------------- responses built in a variable
# The statements of a function are followed along every path: what a builder is given on one path is
# no part of what is returned on another.


_SET_STATUS = frozenset({"status", "setStatus"})
_SET_BODY = frozenset({"entity", "body"})
_SETTERS = _SET_STATUS | _SET_BODY
_MAX_OUTCOMES = 24
"""How many ways to build a response are told apart."""

_Outcomes: TypeAlias = "tuple[BranchResult, ...]"
_Held: TypeAlias = "dict[str, Expr | _Outcomes]"
"""Variable -> what it is assigned, or what has been built in it."""
_OutcomesOf: TypeAlias = "Callable[[Expr, Scope], Iterator[BranchResult]]"


def _built_in_variable(
    program: Program, built: Expr, scope: Scope, outcomes_of: _OutcomesOf
) -> list[BranchResult] | None:
    """What an expression of a function gives that begins with a variable in which statements of
    the function build a response; None where it is none. `outcomes_of` reads a response that is
    made by an expression."""
    variable = _variable_of(built)
    statements = scope.statements or ()
    if not variable or not any(map(_sets_something, nested_statements(statements))):
        return None
    targets = (s.target for s in nested_statements(statements) if isinstance(s, Assign))
    if not any(isinstance(target, Name) and target.id == variable for target in targets):
        return None
    follower = _Follower(program, scope, built, outcomes_of)
    follower.block(statements, {})
    return list(follower.found) if follower.is_built else None


def _variable_of(expr: Expr) -> str:
    """The variable that a chain of calls begins with."""
    base = chain(expr).base if isinstance(expr, Call) else expr
    return base.id if isinstance(base, Name) and base.id != "this" else ""


def _sets_something(statement: Statement) -> bool:
    """Whether a statement gives a builder a status or a body and is done."""
    if not isinstance(statement, Evaluate) or not _variable_of(statement.value):
        return False
    return any(name in _SETTERS for name in chain(statement.value).names)


class _Follower:
    def __init__(
        self, program: Program, scope: Scope, wanted: Expr, outcomes_of: _OutcomesOf
    ) -> None:
        self._program = program
        self._scope = scope
        self._wanted = wanted
        self._outcomes_of = outcomes_of
        self.found: _Outcomes = ()
        self.is_built = False
        """Whether a statement sets something of what is wanted."""

    def block(self, statements: tuple[Statement, ...], held: _Held) -> _Held | None:
        """What variables hold behind a block; None where nothing gets there."""
        for statement in statements:
            match statement:
                case Assign(target=Name(id=name), value=value) if value is not None:
                    self._look_at(value, held)
                    built = self._with_calls(value, held)
                    held = {**held, name: value if built is None else built}
                case Evaluate(value=value):
                    self._look_at(value, held)
                    variable = _variable_of(value)
                    if _sets_something(statement) and variable in held:
                        built = self._with_calls(value, held)
                        held = {**held, variable: value if built is None else built}
                    held = self._handed_on(value, held)
                case Return(value=value):
                    if value is not None:
                        self._look_at(value, held)
                    return None
                case Throw():
                    return None
                case Branch(blocks=blocks, exhaustive=exhaustive, kind=kind):
                    after = [] if exhaustive or kind == "try" else [held]
                    for position, inner in enumerate(blocks):
                        before = (
                            self._state_where_ways_meet([held, *after])
                            if kind == "try" and position
                            else held
                        )
                        behind = self.block(inner, before or held)
                        after += [] if behind is None else [behind]
                    joined = self._state_where_ways_meet(after)
                    if joined is None:
                        return None
                    held = joined
                case Loop(body=body):
                    behind = self.block(body, held)
                    held = (
                        held
                        if behind is None
                        else self._state_where_ways_meet([held, behind]) or held
                    )
                case _:
                    pass
        return held

    def _look_at(self, expr: Expr, held: _Held) -> None:
        if expr is not self._wanted and (expr.span != self._wanted.span or not expr.span.line):
            return
        variable = _variable_of(expr)
        self.is_built = self.is_built or isinstance(held.get(variable), tuple)
        self.found = _united(self.found, self._with_calls(expr, held) or ())

    def _with_calls(self, expr: Expr, held: _Held) -> _Outcomes | None:
        """What a chain of calls makes of what its variable holds; None: it holds nothing known."""
        before = held.get(_variable_of(expr))
        if before is None:
            return None
        if not isinstance(before, tuple):
            before = tuple(self._outcomes_of(before, self._scope))
        for call in chain(expr).calls if isinstance(expr, Call) else ():
            before = self._with_call(call, before)
        return before

    def _with_call(self, call: Call, before: _Outcomes) -> _Outcomes:
        name = method(call)
        if name not in _SETTERS or not call.args:
            return before
        given = self._program.evaluate(call.args[0].value, self._scope)
        if name in _SET_BODY:
            body = None if isinstance(given, Constant) and given.value is None else given
            return tuple(replace(one, body=body) for one in before)
        place = self._program.origin(call.args[0].value, self._scope)
        return tuple(
            replace(one, status=status, is_status_known=bool(status), origin=place)
            for one in before
            for status in statuses_of(self._program, given)
        )[:_MAX_OUTCOMES]

    def _handed_on(self, expr: Expr, held: _Held) -> _Held:
        """What is known once a function is given a variable: it may set another status."""
        given = [a.value for a in expr.args] if isinstance(expr, Call) else []
        names = [one.id for one in given if isinstance(one, Name) and one.id in held]
        for name in names:
            before = held[name]
            if isinstance(before, tuple):
                open_ones = tuple(replace(one, is_status_known=False) for one in before)
                held = {**held, name: open_ones}
        return held

    def _state_where_ways_meet(self, ways: list[_Held]) -> _Held | None:
        """What variables hold where several ways meet; None where there is no way."""
        if not ways:
            return None
        joined = ways[0]
        for way in ways[1:]:
            names = [*joined, *(name for name in way if name not in joined)]
            joined = {name: self._either(joined.get(name), way.get(name)) for name in names}
        return joined

    def _either(
        self, one: Expr | _Outcomes | None, other: Expr | _Outcomes | None
    ) -> Expr | _Outcomes:
        if one is other or other is None:
            assert one is not None
            return one
        if one is None:
            return other
        return _united(
            *(
                value if isinstance(value, tuple) else tuple(self._outcomes_of(value, self._scope))
                for value in (one, other)
            )
        )


def _united(one: _Outcomes, other: _Outcomes) -> _Outcomes:
    return tuple({id(outcome): outcome for outcome in (*one, *other)}.values())[:_MAX_OUTCOMES]
