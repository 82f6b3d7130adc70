"""Advice on bodies (`ResponseBodyAdvice`): which handlers it is for, and what it makes of what they
send."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from msgspec import Struct
from msgspec.structs import replace

from contract_scan.ir.operation import Body, Response
from contract_scan.ir.reasons import Reason
from contract_scan.ir.schema import Nothing, Schema, Unknown
from contract_scan.parsers.source.analysis.dataflow.reaching_definitions import nested_statements
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import (
    BySchema,
    ClassSymbol,
    FunctionValue,
    Scope,
    Value,
)
from contract_scan.parsers.source.facts.nodes import (
    Branch,
    Call,
    Choice,
    Expr,
    Function,
    Loop,
    Name,
    Return,
    Statement,
    Throw,
)
from contract_scan.parsers.source.facts.visitor import nodes_of
from contract_scan.parsers.source.java.frameworks.spring.annotations import first_merged
from contract_scan.parsers.source.java.frameworks.spring.mvc.advice_conditions import (
    AdvisedResponse,
    Conditions,
)
from contract_scan.parsers.source.java.resolution.annotations import (
    argument,
    class_argument,
    find,
    items,
    type_name,
)
from contract_scan.parsers.source.java.resolution.dependencies import related_files_containing
from contract_scan.parsers.source.java.web.chains import method
from contract_scan.parsers.source.java.web.media import JSON
from contract_scan.parsers.source.java.web.raw_text import written_shape

_BASE = "ResponseBodyAdvice"
_SUPPORTS = ("return", "converter")
_WRITES = ("body", "return", "media", "converter", "request", "response")
_STATUS_SETTERS = frozenset({"setStatusCode", "setRawStatusCode", "setStatus", "sendError"})
_NO_BODY = ("1", "204", "304")
"""How statuses begin of responses that have no body whatever is written."""


class UndecidedError(Exception):
    """Which statements run is undetermined."""


class Advice(Struct, frozen=True, eq=False):
    """One class that is asked about every body."""

    symbol: ClassSymbol
    writes: Function
    supports: Function | None
    keeps_body: bool
    """Whether it gives back the body that it is given, and nothing else."""


def advices(program: Program, controller: ClassSymbol) -> tuple[Advice, ...]:
    """The advice that is for a controller's bodies."""
    known = program.memory.setdefault("java.advice", {})
    assert isinstance(known, dict)
    path = controller.file.path
    if path not in known:
        known[path] = tuple(_declared_advice(program, path))
    return tuple(advice for advice in known[path] if _is_for(program, advice, controller))


def _declared_advice(program: Program, near: str) -> Iterator[Advice]:
    for path in related_files_containing(program, near, _BASE.encode()):
        for symbol in program.classes(program.facts(path)):
            if "abstract" in symbol.decl.modifiers or symbol.decl.kind != "class":
                continue
            classes = (symbol, *program.bases(symbol))
            if not any(_BASE in map(type_name, each.decl.bases) for each in classes):
                continue
            methods = [method for each in classes for method in each.decl.methods]
            writes = next((m for m in methods if m.name == "beforeBodyWrite"), None)
            supports = next((m for m in methods if m.name == "supports"), None)
            if writes is None:
                continue
            keeps_body = _returns_body(program, writes, symbol)
            if not keeps_body or _sets_status(program.body(writes, symbol.file)):
                yield Advice(symbol, writes, supports, keeps_body)


def _returns_body(program: Program, method: Function, symbol: ClassSymbol) -> bool:
    """Whether an advice gives back the body that it is given, and nothing else."""
    body = method.params[0].name if method.params else ""
    value = FunctionValue(method, program.class_scope(symbol), symbol)
    returned = [r.value for r in program.function_exits(value) if not r.thrown]
    return all(isinstance(expr, Name) and expr.id == body for expr in returned)


# --------------------------------------------------------------------------- for whom


def _is_for(program: Program, advice: Advice, controller: ClassSymbol) -> bool:
    """Whether the selectors of `@ControllerAdvice` let a controller through; one is enough."""
    scope = program.class_scope(advice.symbol)
    written = advice.symbol.decl.annotations
    marked = find(written, "ControllerAdvice", "RestControllerAdvice")
    if marked is None:
        # Only classes with the annotation are asked; one of the project's own may stand for it.
        return (
            first_merged(program, written, scope, "ControllerAdvice", "RestControllerAdvice")
            is not None
        )
    packages = [
        program.text(item, scope)
        for name in ("value", "basePackages")
        for item in items(argument(marked, name))
    ]
    packages += [
        _package_of(program, t, scope) for t in items(argument(marked, "basePackageClasses"))
    ]
    types = items(argument(marked, "assignableTypes"))
    annotations = items(argument(marked, "annotations"))
    if not packages and not types and not annotations:
        return True
    own = controller.file.package
    if any(p is None or own == p or own.startswith(f"{p}.") for p in packages):
        return True
    chain = program.types.chain(controller, program.class_scope(controller))
    names = {symbol.decl.name for symbol, _ in chain}
    names |= {type_name(base) for symbol, _ in chain for base in symbol.decl.bases}
    if any(type_name(class_argument(item)) in names for item in types):
        return True
    wanted = [type_name(class_argument(item)) for item in annotations]
    return any(
        find(symbol.decl.annotations, *wanted) is not None
        or first_merged(program, symbol.decl.annotations, inside, *wanted) is not None
        for symbol, inside in chain
    )


def _package_of(program: Program, expr: Expr, scope: Scope) -> str | None:
    type = class_argument(expr)
    found = program.names.declared_class(type, scope)
    return found.file.package if found is not None else None


# --------------------------------------------------------------------------- what becomes of bodies


def apply_advice(
    program: Program,
    advice: tuple[Advice, ...],
    handled: AdvisedResponse,
    response: Response,
    variant: str,
) -> Response:
    """The response after the advice."""
    changing = tuple(each for each in advice if not each.keeps_body)
    return (
        _with_bodies_after(program, changing, handled, response, variant) if changing else response
    )


def may_set_status(
    program: Program, advice: tuple[Advice, ...], handled: AdvisedResponse, response: Response
) -> bool:
    """Whether an advice may send a response with another status."""
    shape = response.bodies[0].schema if response.bodies else None
    given = replace(
        handled, status=response.status, shape=None if isinstance(shape, Nothing) else shape
    )
    return any(_runs_status_setter(program, each, given) for each in advice)


def _runs_status_setter(program: Program, advice: Advice, handled: AdvisedResponse) -> bool:
    if not _sets_status(program.body(advice.writes, advice.symbol.file)):
        return False
    try:
        if not _supports(program, advice, handled):
            return False
    except UndecidedError:
        pass
    scope, conditions = _conditions_of(program, advice, advice.writes, handled, _WRITES)
    return _sets_status(_may_run(conditions, scope.statements or ()))


def _may_run(conditions: Conditions, statements: tuple[Statement, ...]) -> list[Statement]:
    """The statements without blocks that do not run."""
    found: list[Statement] = []
    for statement in statements:
        match statement:
            case Branch(kind="if", condition=test) if conditions.holds(test) is not None:
                found.extend(_may_run(conditions, _block(conditions, statement)))
                if found and isinstance(found[-1], Return | Throw):
                    break
            case _:
                found.append(statement)
    return found


def _sets_status(statements: Iterable[Statement]) -> bool:
    return any(
        isinstance(node, Call) and method(node) in _STATUS_SETTERS
        for node in nodes_of(tuple(statements))
    )


def _with_bodies_after(
    program: Program,
    advice: tuple[Advice, ...],
    handled: AdvisedResponse,
    response: Response,
    variant: str,
) -> Response:
    if response.status.startswith(_NO_BODY):
        return response
    try:
        active = [each for each in advice if _supports(program, each, handled)]
        if not active:
            return response
        if len(active) > 1:
            raise UndecidedError
        bodies = response.bodies or (_empty_body(response),)
        return replace(
            response,
            empty_at=None,
            bodies=tuple(
                _apply_before_body_write(program, active[0], handled, b, variant) for b in bodies
            ),
        )
    except UndecidedError:
        names = ", ".join(f"`{each.symbol.decl.name}`" for each in advice)
        reason = Reason("body-wrapper-undetermined", names=names)
        bodies = response.bodies or (_empty_body(response),)
        return replace(
            response,
            empty_at=None,
            bodies=tuple(
                replace(body, schema=Unknown(reason=reason, origin=body.origin)) for body in bodies
            ),
        )


def _empty_body(response: Response) -> Body:
    return Body(schema=Nothing(), content_type=JSON, origin=response.origin)


def _supports(program: Program, advice: Advice, handled: AdvisedResponse) -> bool:
    if advice.supports is None:
        raise UndecidedError
    scope, conditions = _conditions_of(program, advice, advice.supports, handled, _SUPPORTS)
    returned, _ = _executed_statements(conditions, scope.statements or ())
    answer = conditions.holds(returned.value) if returned is not None else None
    if answer is None:
        raise UndecidedError
    return answer


def _conditions_of(
    program: Program,
    advice: Advice,
    function: Function,
    handled: AdvisedResponse,
    roles: tuple[str, ...],
    bindings: dict[str, Value] | None = None,
) -> tuple[Scope, Conditions]:
    inside = program.class_scope(advice.symbol)
    scope = program.function_scope(function, inside, bindings)
    named = {param.name: role for param, role in zip(function.params, roles, strict=False)}
    return scope, Conditions(program, handled, scope, named)


def _apply_before_body_write(
    program: Program, advice: Advice, handled: AdvisedResponse, body: Body, variant: str
) -> Body:
    """The body that `beforeBodyWrite` returns."""
    absent = isinstance(body.schema, Nothing)
    handled = replace(handled, shape=None if absent else body.schema)
    nothing = Unknown(reason=Reason("envelope-empty"), nullable=True)
    value = BySchema(nothing if absent else body.schema)
    parameter = advice.writes.params[0].name
    scope, conditions = _conditions_of(
        program, advice, advice.writes, handled, _WRITES, {parameter: value}
    )
    returned, ran = _executed_statements(conditions, scope.statements or ())
    if returned is None or returned.value is None:
        raise UndecidedError
    chosen = _chosen_option(conditions, returned.value)
    if conditions.subject(chosen) == "body":
        return body
    scope = replace(scope, statements=ran)
    schema = _shape(program, program.evaluate(chosen, scope), variant)
    return replace(body, schema=schema, content_type=JSON)


def _shape(program: Program, value: Value, variant: str) -> Schema:
    text = written_shape(program, value, variant)
    if text is not None:
        return text
    return program.schema_of(program.evaluator.unwrap(value), variant)


def _chosen_option(conditions: Conditions, expr: Expr) -> Expr:
    """The option of a conditional expression whose test holds."""
    while isinstance(expr, Choice):
        if not expr.given:
            raise UndecidedError
        answers = [conditions.holds(test) for test in expr.given]
        if True not in answers or None in answers[: answers.index(True)]:
            raise UndecidedError
        expr = expr.options[answers.index(True)]
    return expr


def _executed_statements(
    conditions: Conditions, statements: tuple[Statement, ...]
) -> tuple[Return | None, tuple[Statement, ...]]:
    """The return that ends the statements, if one does, and what runs until then."""
    ran: list[Statement] = []
    for statement in statements:
        match statement:
            case Return():
                return statement, (*ran, statement)
            case Throw():
                raise UndecidedError
            case Branch() if not any(
                isinstance(s, Return) for s in nested_statements((statement,))
            ):
                ran.append(statement)
            case Branch():
                block = _block(conditions, statement)
                returned, inner = _executed_statements(conditions, block)
                ran.extend(inner)
                if returned is not None:
                    return returned, tuple(ran)
            case Loop(body=body) if any(isinstance(s, Return) for s in nested_statements(body)):
                raise UndecidedError
            case _:
                ran.append(statement)
    return None, tuple(ran)


def _block(conditions: Conditions, branch: Branch) -> tuple[Statement, ...]:
    """The block that runs."""
    if branch.kind == "try":
        return branch.blocks[0]  # what is caught is the exception
    holds = conditions.holds(branch.condition) if branch.kind == "if" else None
    if holds is None:
        raise UndecidedError
    if holds:
        return branch.blocks[0]
    return branch.blocks[1] if len(branch.blocks) > 1 else ()
