"""Status and body that are members of one object: which goes with which.

    const answer: any = {};
    try { answer.body = await run(); answer.status = 200; }
    catch (error) { answer.body = { error }; answer.status = 400; }

What such an object holds under a key is one of several values, and which of them were set together
is not told: each status with each body would be more than is ever sent.

    const result = await run();
    response.status(result.complete ? 200 : 207).json(result);

Here one member decides, and what the others hold may go with it: of members that differ from one
object that `run` makes to another, nothing is certain where a status is sent by such a test alone.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from msgspec.structs import replace

from contract_scan.ir.origin import Span
from contract_scan.ir.reasons import NO_REASON, Reason
from contract_scan.ir.schema import Field, Object, Schema, Union, Unknown, with_nullable
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.span_order import contains, ends_before, spans
from contract_scan.parsers.source.analysis.domain.values import Constant, OneOf, Record, Scope
from contract_scan.parsers.source.analysis.syntax.defining import nested_statements
from contract_scan.parsers.source.analysis.syntax.exclusive_paths import ends_block
from contract_scan.parsers.source.analysis.syntax.null_checks import NOT, conjunction
from contract_scan.parsers.source.facts.nodes import (
    Assign,
    Attribute,
    Branch,
    Choice,
    Expr,
    Name,
    OperationExpr,
    Statement,
)
from contract_scan.parsers.source.facts.visitor import nodes_of
from contract_scan.parsers.source.typescript.web.statuses import statuses

UNPAIRED = Unknown(reason=Reason("content-of-status-undetermined"))
_DEEPEST = 4
"""How deep objects are looked into."""
_Test = tuple[Expr, bool]
"""A condition, and whether it holds."""


def are_unpaired(program: Program, one: Expr, other: Expr, scope: Scope) -> bool:
    """Whether two expressions read members of one object which are each one of several values."""
    match one, other:
        case Attribute(value=Name(id=left)), Attribute(value=Name(id=right)) if left == right:
            values = [program.evaluate(expr, scope) for expr in (one, other)]
            return all(isinstance(value, OneOf) for value in values)
        case _:
            return False


def chosen_by_body(
    program: Program, status: Expr | None, body: Expr, scope: Scope
) -> frozenset[int]:
    """The statuses that are sent only where a test of a member of an object says so which the body
    is made of; `status` is None, or one that is read of a name or a choice. Only objects count of
    which all is written out in the code and that differ in the member."""
    statements = scope.statements or ()
    here = list(_tests_at(statements, body.span))
    ways: dict[int, list[list[_Test]]] = {}
    for value, tests in _ways(statements, status, here):
        for code in statuses(program, value, scope):
            ways.setdefault(code, []).append([*here, *tests])
    names = {node.id for node in nodes_of(body) if isinstance(node, Name)}
    return frozenset(
        code
        for code, each in ways.items()
        if all(any(_asks_of(program, test, names, scope) for test in _parts(way)) for way in each)
    )


def with_open_members(program: Program, schema: Schema, depth: int = _DEEPEST) -> Schema:
    """A body of whose members it is open which are there and which are null."""
    flat = program.types.flat(schema)
    if not depth:
        return schema
    match flat:
        case Object(fields=fields):
            return replace(flat, fields=tuple(_open_field(program, each, depth) for each in fields))
        case Union(options=options):
            each = [with_open_members(program, option, depth - 1) for option in options]
            objects = [option for option in each if isinstance(option, Object)]
            known = {field.name: field for option in objects for field in option.fields}
            why = UNPAIRED.reason if any(map(program.types.is_unknown, each)) else NO_REASON
            return replace(flat, options=tuple(_with_fields(one, known, why) for one in each))
        case _:
            return schema


def _with_fields(option: Schema, known: Mapping[str, Field], why: Reason) -> Schema:
    """One of several alternatives, which may have the members of the others; `why` these are not
    all known."""
    if not isinstance(option, Object):
        return option
    own = {field.name for field in option.fields}
    others = (replace(field, required=None) for name, field in known.items() if name not in own)
    why = option.incomplete_reason or why
    return replace(option, fields=(*option.fields, *others), incomplete_reason=why)


def _open_field(program: Program, field: Field, depth: int) -> Field:
    inner = with_open_members(program, field.schema, depth - 1)
    if program.types.flat(field.schema).nullable:
        inner = with_nullable(inner, None)
    return replace(field, schema=inner, required=field.required or None)


def _ways(
    statements: tuple[Statement, ...], status: Expr | None, here: list[_Test]
) -> Iterator[tuple[Expr, list[_Test]]]:
    """What a status may be, each with the tests that lead to it beside those of the place."""
    match status:
        case Choice(options=options, given=given) if given:
            for option, test in zip(options, given, strict=True):
                yield option, [(test, True)]
        case Name(id=name):
            assigned = [
                each
                for each in nested_statements(statements)
                if isinstance(each, Assign)
                and isinstance(each.target, Name)
                and each.target.id == name
            ]
            decided = {id(test) for test, _ in here}
            tests = [
                [test for test in _tests_at(statements, each.span) if id(test[0]) not in decided]
                for each in assigned
            ]
            for each, own in zip(assigned, tests, strict=True):
                later = [one[-1] for one in tests if one and not own]
                if isinstance(each.value, Choice):
                    yield from _ways(statements, each.value, here)
                elif each.value is not None:
                    yield each.value, own or [(test, not holds) for test, holds in later]
        case None:
            pass
        case _:
            yield status, []


def _tests_at(statements: tuple[Statement, ...], place: Span) -> Iterator[_Test]:
    """The tests that have decided where a place is reached."""
    for statement in statements:
        if contains(statement, place):
            for position, block in enumerate(getattr(statement, "blocks", ())):
                if block and spans(block, place):
                    if isinstance(statement, Branch) and statement.condition is not None:
                        yield statement.condition, position == 0
                    yield from _tests_at(block, place)
            return
        match statement:
            case Branch(kind="if", condition=condition, blocks=(block,)) if (
                condition is not None and ends_before(statement, place) and ends_block(block)
            ):
                yield condition, False
            case _:
                pass


def _parts(tests: list[_Test]) -> Iterator[Expr]:
    """The parts of tests of which each is decided by itself."""
    pending = list(tests)
    while pending:
        test, holds = pending.pop()
        match test:
            case OperationExpr(operator=operator, operands=operands) if operator in NOT:
                pending.extend((each, not holds) for each in operands)
            case OperationExpr(operator="&&", operands=operands) if holds:
                pending.extend((each, holds) for each in operands)
            case Choice(options=options, given=()):  # `a && b`, `a || b`
                all_of = conjunction(options)
                if bool(all_of) is holds:
                    pending.extend((each, holds) for each in all_of or options)
            case _:
                yield test


def _asks_of(program: Program, test: Expr, names: set[str], scope: Scope) -> bool:
    """Whether a test asks for a member of an object of several that are written out, which is not
    one constant in each."""
    for node in nodes_of(test):
        if not isinstance(node, Attribute) or not isinstance(node.value, Name):
            continue
        held = program.evaluator.unwrap(program.evaluate(node.value, scope))
        options = held.options if isinstance(held, OneOf) else (held,)
        if node.value.id in names and all(isinstance(each, Record) for each in options):
            return not isinstance(program.evaluate(node, scope), Constant)
    return False
