"""What a receiver takes a message for: the type that parsed text is declared or cast to."""

from __future__ import annotations

from collections.abc import Iterator

from contract_scan.ir.reasons import Reason
from contract_scan.ir.schema import Scalar, Schema, Unknown
from contract_scan.parsers.source.analysis.dataflow.object_mutations import root_name, without_casts
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.schemas import unite, with_enforced_needs
from contract_scan.parsers.source.analysis.domain.values import FunctionValue, LibraryResult, Scope
from contract_scan.parsers.source.facts.nodes import (
    Assign,
    Attribute,
    Call,
    Cast,
    Choice,
    Expr,
    Name,
    ObjectLiteral,
    Param,
    Statement,
)
from contract_scan.parsers.source.facts.visitor import nodes_of
from contract_scan.parsers.source.typescript.messaging.reads import keys_read, keys_read_of_part
from contract_scan.parsers.source.typescript.serialization.zod import schemas as zod
from contract_scan.parsers.source.typescript.web.function_scope import scope_of

_VALIDATES = frozenset({"parse", "safeParse", "parseAsync", "safeParseAsync"})
_REFUSES = frozenset({"parse", "parseAsync"})
"""Those that throw where a message does not fit."""
_DEEPEST_NEED = 5
"""How deep in a message it is told which fields are needed."""
MAX_FOLLOWED = 3
"""How many functions deep a message is followed to where it is parsed."""


def handler_of(program: Program, expr: Expr, scope: Scope) -> FunctionValue | None:
    """The function that is given messages, also where it is written `this.take.bind(this)`."""
    if isinstance(expr, Call) and isinstance(expr.callee, Attribute) and expr.callee.name == "bind":
        return program.function_value(expr.callee.value, scope)
    return program.function_value(expr, scope)


def received_shape(program: Program, handler: FunctionValue) -> Schema:
    """The shape a handler declares for the JSON it parses, else the keys that it reads of it;
    Unknown where there is neither."""
    scope = scope_of(program, handler)
    shapes = list(_handler_schemas(program, handler, 0))
    determined = [shape for shape in shapes if not program.types.is_unknown(shape)]
    if determined:
        return unite(determined)
    read = keys_read(program, handler)
    if read is not None:
        return read
    reason = Reason("parsed-message-untyped")
    return Unknown(reason=reason, origin=program.origin(handler.function, scope))


def received_alone(program: Program, handler: FunctionValue) -> Schema | None:
    """The one shape that a handler takes the JSON for which it parses; None where it takes it for
    several, or for none that is known."""
    found = dict.fromkeys(_handler_schemas(program, handler, 0))
    shapes = [shape for shape in found if not program.types.is_unknown(shape)]
    if shapes:
        return shapes[0] if len(shapes) == 1 else None
    return keys_read(program, handler)


def received_in(
    program: Program, statements: tuple[Statement, ...], scope: Scope
) -> Iterator[Schema]:
    """The shapes that statements take parsed text for."""
    yield from _shapes(program, statements, scope)


def received_around(program: Program, scope: Scope) -> Schema | None:
    """What the function around a place takes the text that it parses for, or a function that it
    hands a `Body`; None where nothing says it, or several things are said."""
    while scope.parent is not None and scope.parent.function is not None:
        scope = scope.parent
    statements = scope.statements or ()
    found = list(_shapes(program, statements, scope))
    for node in nodes_of(statements) if not found else ():
        if isinstance(node, Call) and any(_holds_body(a.value) for a in node.args):
            callee = program.evaluate(node.callee, scope)
            if isinstance(callee, FunctionValue):
                found.extend(_handler_schemas(program, callee, 1))
    determined = [shape for shape in found if not program.types.is_unknown(shape)]
    return determined[0] if len(determined) == 1 else None


def _holds_body(expr: Expr) -> bool:
    return isinstance(expr, Attribute) and expr.name == "Body"


def part_shape(program: Program, handler: FunctionValue, part: str) -> Schema | None:
    """What a handler takes `message.part` for, where that is no text: the type it is declared, cast
    or passed on as, the schema that checks it, else the keys that are read of it. None where
    nothing says it."""
    if not handler.function.params:
        return None
    scope = scope_of(program, handler)
    message = handler.function.params[0].name
    found: list[Schema] = []
    for node in nodes_of(scope.statements or ()):
        if isinstance(node, Assign | Cast) and node.type is not None:
            if _is_part(node.value, message, part):
                found.append(program.schema(node.type, scope))
        elif isinstance(node, Call):
            for position, argument in enumerate(node.args):
                if _is_part(argument.value, message, part):
                    found.extend(_validator_schemas(program, node, scope))
                    found.extend(_parameter(program, node, position, scope))
    determined = [shape for shape in found if not program.types.is_unknown(shape)]
    return unite(determined) if determined else keys_read_of_part(program, handler, part)


def _is_part(expr: Expr | None, message: str, part: str) -> bool:
    """`message.part`."""
    return (
        isinstance(expr, Attribute)
        and expr.name == part
        and isinstance(expr.value, Name)
        and expr.value.id == message
    )


def validated_as(program: Program, handler: FunctionValue, param: Param) -> Schema | None:
    """The shape of the schema that a handler checks a parameter with; None where it checks it with
    none."""
    scope = scope_of(program, handler)
    for node in nodes_of(scope.statements or ()):
        if isinstance(node, Call) and any(
            isinstance(a.value, Name) and a.value.id == param.name for a in node.args
        ):
            for schema in _validator_schemas(program, node, scope):
                return schema
    return None


def _handler_schemas(program: Program, handler: FunctionValue, depth: int) -> Iterator[Schema]:
    scope = scope_of(program, handler)
    statements = scope.statements or ()
    yield from _shapes(program, statements, scope)
    names = _param_names(handler)
    if depth >= MAX_FOLLOWED:
        return
    for node in nodes_of(statements):
        if isinstance(node, Call) and any(
            root_name(a.value) in names or _parses(a.value) for a in node.args
        ):
            callee = program.evaluate(node.callee, scope)
            if isinstance(callee, FunctionValue) and callee.function is not handler.function:
                facts = program.evaluator.specialisations.facts_of_call(callee, node, scope)
                running = program.evaluator.specialisations.with_facts(callee, facts)
                yield from _handler_schemas(program, running, depth + 1)


def _param_names(handler: FunctionValue) -> frozenset[str]:
    """Names of a function's parameters, those taken apart included."""
    names = {param.name for param in handler.function.params}
    for param in handler.function.params:
        if isinstance(param.pattern, ObjectLiteral):
            names.update(e.value.id for e in param.pattern.entries if isinstance(e.value, Name))
    return frozenset(names - {""})


def _shapes(program: Program, statements: tuple[Statement, ...], scope: Scope) -> Iterator[Schema]:
    for node in nodes_of(statements):
        if isinstance(node, Assign) and node.value is not None:
            if not _gives_parsed(program, node.value, scope):
                continue
            if node.type is not None:
                yield program.schema(node.type, scope)
            elif isinstance(node.target, Name):
                yield from _argument_schemas(program, statements, node.target.id, scope)
        elif isinstance(node, Cast) and _gives_parsed(program, node.value, scope):
            yield program.schema(node.type, scope)
        elif isinstance(node, Call):
            yield from _validator_schemas(program, node, scope)
            yield from _given_parsed(program, node, scope)


def _argument_schemas(
    program: Program, statements: tuple[Statement, ...], name: str, scope: Scope
) -> Iterator[Schema]:
    """`const data = JSON.parse(…); handle(data)`: the type of the parameter it is passed to."""
    for node in nodes_of(statements):
        if isinstance(node, Cast) and isinstance(node.value, Name) and node.value.id == name:
            yield program.schema(node.type, scope)
        if not isinstance(node, Call):
            continue
        for position, argument in enumerate(node.args):
            given = without_casts(argument.value)
            if isinstance(given, Name) and given.id == name:
                yield from _parameter(program, node, position, scope)


def _given_parsed(program: Program, call: Call, scope: Scope) -> Iterator[Schema]:
    """`handle(JSON.parse(…))`."""
    for position, argument in enumerate(call.args):
        if _gives_parsed(program, argument.value, scope):
            yield from _parameter(program, call, position, scope)


def _parameter(program: Program, call: Call, position: int, scope: Scope) -> Iterator[Schema]:
    callee = program.evaluate(call.callee, scope)
    if isinstance(callee, FunctionValue) and position < len(callee.function.params):
        declared = callee.function.params[position].type
        if declared is not None:
            yield program.schema(declared, callee.scope)


def _validator_schemas(program: Program, call: Call, scope: Scope) -> Iterator[Schema]:
    """`schema.parse(JSON.parse(…))`."""
    if not isinstance(call.callee, Attribute) or call.callee.name not in _VALIDATES:
        return
    value = program.evaluate(call.callee.value, scope)
    if isinstance(value, LibraryResult) and zod.is_zod(value.name):
        if call.callee.name not in _REFUSES:
            yield program.schema_of(value)
            return
        taken = program.schema_of(value, zod.INPUT)
        if (
            isinstance(taken, Scalar)
            and taken.type == "string"
            and program.schema_of(value) != taken
        ):
            return  # the text of the message, which the schema parses
        yield with_enforced_needs(taken, program.types.flat, _DEEPEST_NEED)


def _parses(expr: Expr) -> bool:
    """`JSON.parse(…)`, through casts."""
    expr = without_casts(expr)
    if not isinstance(expr, Call) or not isinstance(expr.callee, Attribute):
        return False
    callee = expr.callee
    return callee.name == "parse" and isinstance(callee.value, Name) and callee.value.id == "JSON"


def _gives_parsed(program: Program, expr: Expr, scope: Scope) -> bool:
    """`JSON.parse(…)`, or a call of a function of the project that gives what it gives."""
    if _parses(expr):
        return True
    call = without_casts(expr)
    if not isinstance(call, Call) or not call.args:
        return False
    function = program.evaluate(call.callee, scope)
    if not isinstance(function, FunctionValue) or not _holds_parse(program, function):
        return False
    given = [
        r.value for r in program.function_exits(function) if r.value is not None and not r.thrown
    ]
    return bool(given) and all(
        any(map(_parses, one.options)) if isinstance(one, Choice) else _parses(one) for one in given
    )


def _holds_parse(program: Program, function: FunctionValue) -> bool:
    return any(
        isinstance(node, Call) and _parses(node)
        for node in nodes_of(program.body(function.function, function.scope.file))
    )
