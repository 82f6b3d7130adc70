"""Envelopes that a filter puts around what controllers answer, where the filter shows them.

`objectResult.Value = new { data = objectResult.Value, success = true }`, or a new result around
such an object. Told is only what a filter does to every success: its tests may ask for the kind of
the result, for any success and for what was thrown, and it sets one result.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from msgspec import Struct
from msgspec.structs import replace

from contract_scan.ir.schema import Anything, Object, Reference, Schema, Unknown
from contract_scan.parsers.source.analysis.dataflow import reaching_definitions
from contract_scan.parsers.source.analysis.dataflow.reaching_definitions import assigned_values
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import ClassSymbol, Scope
from contract_scan.parsers.source.csharp.resolution.value_sources import without_wrappers
from contract_scan.parsers.source.csharp.serialization.settings.options import unqualified_name
from contract_scan.parsers.source.csharp.serialization.wire import expression_schema
from contract_scan.parsers.source.facts.nodes import (
    Assign,
    Attribute,
    Branch,
    Call,
    Cast,
    Choice,
    Entry,
    Expr,
    Function,
    Lambda,
    LiteralExpr,
    Loop,
    Name,
    NamedType,
    New,
    ObjectLiteral,
    OperationExpr,
    Statement,
    Throw,
    TypeValue,
    UnsupportedSyntax,
)
from contract_scan.parsers.source.facts.visitor import nodes_of

_ASKED = frozenset({"Result", "StatusCode", "Exception", "Canceled", "Response", "HttpContext"})
"""What tests of a filter may look at."""
_KINDS = frozenset({"ObjectResult", "OkObjectResult", "IActionResult"})
_MAKING = frozenset({"ObjectResult", "OkObjectResult", "JsonResult"})
SUCCESSES = frozenset({(">=", 200), (">", 199), ("<", 300), ("<=", 299), ("<", 400)})
"""What tests of a status compare it with so that all successes are alike."""
_MAX_NAMES = 4


class Envelope(Struct, frozen=True):
    """An object with what an action answered in it."""

    expr: Expr
    scope: Scope
    """Inside the filter."""
    member: str
    """The member that holds the answer; empty: the only one that may hold anything."""
    status: str = ""
    """The status of the new result, where it does not take over that of the old one."""
    of_results: bool = False
    """Whether the filter looks for results, and puts it around what is in them."""
    only_successes: bool = False
    """Whether it leaves results of errors alone for certain."""


def envelope_in(
    program: Program,
    symbol: ClassSymbol,
    method: Function,
    untouched: str,
    decided: Sequence[Expr],
) -> Envelope | None:
    """The envelope that a method of a filter puts around every object; None where that is not
    told. What is set in the parameter `untouched` changes no answer; `decided` are tests that may
    be about anything."""
    scope = program.function_scope(method, program.class_scope(symbol))
    statements = tuple(reaching_definitions.nested_statements(scope.statements or ()))
    if not all(_is_plain(statement, decided) for statement in statements):
        return None
    made = [body for s in statements if (body := result_assignment(s, untouched)) is not None]
    if len(made) != 1 or not _asks_for_objects(statements):
        return None
    expr, status = itself(made[0][0], scope), made[0][1]
    match expr:
        case ObjectLiteral(entries=entries) | New(entries=entries) if entries:
            held = [e.key or "" for e in entries if is_answer(e.value, scope)]
            return Envelope(expr, scope, held[0], status) if len(held) == 1 and held[0] else None
        case New(args=args) | Call(args=args):
            held = ["" for argument in args if is_answer(argument.value, scope)]
            return Envelope(expr, scope, "", status) if len(held) == 1 else None
        case _:
            return None


def envelope_schema(
    program: Program, envelope: Envelope, body: Schema, variant: str, *, is_given: bool
) -> Schema | None:
    """The shape of the envelope around a body, which is certainly not null where `is_given`; None
    where the place of the body is undetermined."""
    shape = expression_schema(program, envelope.expr, envelope.scope, variant)
    if isinstance(shape, Reference):
        shape = program.resolve(shape)
    if not isinstance(shape, Object):
        return None
    places = [
        position
        for position, field in enumerate(shape.fields)
        if (field.declared_as or field.name) == envelope.member
        or (not envelope.member and isinstance(field.schema, Unknown | Anything))
    ]
    if len(places) != 1:
        return None
    fields = list(shape.fields)
    place = places[0]
    held = fields[place]
    required = True if held.required is None and is_given else held.required
    fields[place] = replace(held, schema=body, required=required)
    return replace(shape, fields=tuple(fields))


# --------------------------------------------------------------------------- statements


def _is_plain(statement: Statement, decided: Sequence[Expr]) -> bool:
    """Whether a statement does not choose by anything that differs from object to object."""
    match statement:
        case Branch(kind="if", condition=test):
            return test is not None and all(
                is_about_results(part) or any(part is one for one in decided)
                for part in _parts(test)
            )
        case Branch() | Loop() | Throw():
            return False
        case _:
            return True


def _parts(test: Expr) -> Iterator[Expr]:
    """The tests that a test is put together of."""
    match test:
        case OperationExpr(operator="!" | "&&" | "||", operands=operands):
            for operand in operands:
                yield from _parts(operand)
        case _:
            yield test


def is_about_results(test: Expr) -> bool:
    """Whether a test holds for all successes, or for none."""
    bounds = 0
    numbers = 0
    for node in nodes_of(test):
        match node:
            case Attribute(name=name):
                if name not in _ASKED:
                    return False
            case TypeValue(type=NamedType(name=name)):
                if unqualified_name(name) not in _KINDS:
                    return False
            case OperationExpr(operator=sign, operands=(_, LiteralExpr(value=int() as bound))):
                bounds += (sign, bound) in SUCCESSES
            case LiteralExpr(value=int() as number) if not isinstance(number, bool):
                numbers += 1
            case Choice(options=(_, LiteralExpr(value=200))):
                bounds += 1  # a result without a status
            case Call(callee=Name(id="!")):
                pass
            case Call() | Lambda() | UnsupportedSyntax():
                return False
            case _:
                pass
    return numbers == bounds


def _asks_for_objects(statements: tuple[Statement, ...]) -> bool:
    """Whether the filter looks for objects of every status: `context.Result is ObjectResult`."""
    tests = [s.condition for s in statements if isinstance(s, Branch) and s.condition is not None]
    values = [s.value for s in statements if isinstance(s, Assign) and s.value is not None]
    return any(
        isinstance(node, TypeValue | Cast)
        and isinstance(node.type, NamedType)
        and unqualified_name(node.type.name) == "ObjectResult"
        for expr in (*tests, *values)
        for node in nodes_of(expr)
    )


def result_assignment(statement: Statement, untouched: str) -> tuple[Expr, str] | None:
    """The response that a statement sets: the object in the result, and the result's own status
    (empty: that of the result before)."""
    match statement:
        case Assign(target=Attribute(name="Result", value=Name(id=id))) if id == untouched:
            return None
        case Assign(target=Attribute(name="Value"), value=value) if value is not None:
            return value, ""
        case Assign(target=Attribute(name="Result"), value=New(type=NamedType(name=name)) as made):
            body = made.args[0].value if made.args and unqualified_name(name) in _MAKING else made
            return body, next((_status(e) for e in made.entries if e.key == "StatusCode"), "200")
        case Assign(target=Attribute(name="Result"), value=value) if value is not None:
            return value, "200"
        case _:
            return None


def _status(entry: Entry) -> str:
    """The status of a new result: a number, or that of the result before."""
    number = entry.value.value if isinstance(entry.value, LiteralExpr) else None
    return str(number) if isinstance(number, int) else ""


def itself(expr: Expr, scope: Scope) -> Expr:
    """What a local variable holds."""
    for _ in range(_MAX_NAMES):
        if not isinstance(expr, Name):
            return expr
        values = assigned_values(expr, scope)
        if len(values) != 1 or values[0] is None:
            return expr
        expr = values[0]
    return expr


def is_answer(expr: Expr, scope: Scope) -> bool:
    """`objectResult.Value`, or a variable that holds it."""
    expr = without_wrappers(itself(without_wrappers(expr), scope))
    if not isinstance(expr, Attribute) or expr.name != "Value":
        return False
    holder = itself(expr.value, scope)
    while isinstance(holder, Cast | OperationExpr):
        inner = holder.value if isinstance(holder, Cast) else holder.operands[0]
        holder = without_wrappers(inner)
    return isinstance(holder, Attribute) and holder.name == "Result"
