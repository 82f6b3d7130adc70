"""Statuses that travel in an object: `StatusCode(result.Status, result)`, `Problem(statusCode:
GetStatusCode(result.Error.Type))`. What the objects that get to the place were made with says which
statuses are sent."""

from __future__ import annotations

from collections.abc import Iterable

from msgspec import Struct
from msgspec.structs import replace

from contract_scan.ir.schema import Nothing, Schema, with_nullable
from contract_scan.ir.schema import Object as ObjectSchema
from contract_scan.parsers.source.analysis.domain.path_facts import EnumConstant
from contract_scan.parsers.source.analysis.domain.values import (
    FunctionValue,
    Instance,
    Scope,
    Value,
)
from contract_scan.parsers.source.analysis.typing.assigned_members import given_members
from contract_scan.parsers.source.analysis.typing.member_narrowing import with_fields
from contract_scan.parsers.source.csharp.lowering.expressions import DEFAULT_VALUE
from contract_scan.parsers.source.csharp.resolution.abstract_objects import (
    Constructed,
    Given,
    Object,
    Opaque,
    Place,
    Plain,
    is_unfollowed,
)
from contract_scan.parsers.source.csharp.resolution.dispatch import dispatch_of
from contract_scan.parsers.source.csharp.resolution.points_to import points_to
from contract_scan.parsers.source.csharp.serialization.nullability import is_null_by_default
from contract_scan.parsers.source.csharp.web.outcomes import Handler
from contract_scan.parsers.source.csharp.web.statuses import status_named
from contract_scan.parsers.source.facts.nodes import (
    Argument,
    Attribute,
    Branch,
    Call,
    Choice,
    Expr,
    Name,
    NamedType,
    OperationExpr,
    Return,
)
from contract_scan.parsers.source.facts.visitor import nodes_of

_ENUM = "HttpStatusCode"


def place_of(handler: Handler, scope: Scope) -> Place:
    """A place in a function that is followed from a handler."""
    return Place(scope, handler.arguments, handler.this, handler.chosen)


def carried_statuses(handler: Handler, expr: Expr, scope: Scope) -> tuple[tuple[str, ...], bool]:
    """The statuses that an expression may give, and whether these are all."""
    found = points_to(handler.program).objects(expr, place_of(handler, scope))
    statuses = [_status(each) for each in found]
    known = dict.fromkeys(status for status in statuses if status)
    return tuple(known), bool(statuses) and all(statuses)


def _status(value: Object) -> str:
    match value:
        case Plain(value=bool()):
            return ""
        case Plain(value=int() as number) if 100 <= number < 600:
            return str(number)
        case Plain(value=EnumConstant(enum=enum, name=name)) if enum.endswith(_ENUM):
            return status_named(name) or ""
        case _:
            return ""


def with_carried_members(handler: Handler, schema: Schema, body: Expr, scope: Scope) -> Schema:
    """The shape of an object that is made as a body: a member that may be null by its type is given
    what objects carry that get there (`new Envelope(result.Value)`), which says whether it is, or
    `default`."""
    program = handler.program
    flat = program.types.flat(schema)
    made = program.evaluator.unwrap(program.evaluate(body, scope))
    if not isinstance(flat, ObjectSchema) or not isinstance(made, Instance):
        return schema
    given = dict(given_members(program, made))
    inside = program.class_scope(made.symbol, dict(made.types))
    declared = {member.name: member.type for member in made.symbol.decl.members}
    fields = []
    for field in flat.fields:
        name = field.declared_as or field.name
        expr, type = given.get(name), declared.get(name)
        if (
            getattr(expr, "description", "") == DEFAULT_VALUE
            and type is not None
            and is_null_by_default(program, type, inside)
        ):
            field = replace(field, schema=Nothing(nullable=True, origin=field.schema.origin))
        elif isinstance(expr, Attribute) and program.types.flat(field.schema).nullable is True:
            nullable = _may_be_null(handler, expr, scope)
            field = replace(field, schema=with_nullable(field.schema, nullable))
        fields.append(field)
    return with_fields(schema, flat, fields)


def _may_be_null(handler: Handler, expr: Attribute, scope: Scope) -> bool | None:
    """Whether a member that is nullable by its type may be null; None where objects are seen that
    carry it, and not what it is in all of them."""
    found, place = points_to(handler.program), place_of(handler, scope)
    holders = found.objects(expr.value, place)
    if not any(isinstance(each, Constructed) for each in holders):
        return True
    held = found.objects(expr, place)
    if Plain(None) in held:
        return True
    unknown = any(isinstance(each, Opaque) and not each.present for each in held)
    return None if unknown else False


def with_arguments(
    handler: Handler,
    function: FunctionValue,
    args: tuple[Argument, ...],
    scope: Scope,
) -> Handler:
    """The handler inside a function that is called with arguments at a place."""
    given = points_to(handler.program).arguments(
        function.function, function.scope, args, place_of(handler, scope)
    )
    return replace(handler, arguments={**handler.arguments, **given}, chosen={})


def with_receivers(
    handler: Handler, function: FunctionValue, call: Call, scope: Scope
) -> list[Handler]:
    """The handler inside a method that is called, once for each object that it may be called on
    where all of these are seen to be made."""
    callee = call.callee
    if "static" in function.function.modifiers or not isinstance(callee, Attribute):
        is_own = handler.this is not None and function.owner == handler.this.symbol
        return [handler if is_own else replace(handler, this=None)]
    found = points_to(handler.program).objects(callee.value, place_of(handler, scope))
    made = [each for each in found if isinstance(each, Constructed)]
    if not made or len(made) < len(found):
        return [replace(handler, this=None)]
    return [replace(handler, this=each) for each in made]


def with_handed(handler: Handler, function: FunctionValue | None, given: Given | None) -> Handler:
    """The handler inside a function that is given something, as its first argument, by one that it
    is handed to."""
    if function is None or given is None or not function.function.params:
        return handler
    first = id(function.function.params[0])
    arguments = {**handler.arguments, first: given}
    return replace(handler, arguments=arguments, chosen={}, this=None)


def handed_to_delegates(
    handler: Handler, call: Call, scope: Scope
) -> list[tuple[Given | None, Value | None]]:
    """For each argument of a call that is a function, what this is given first, and a value of the
    type that is declared for that."""
    given = points_to(handler.program).handed_to_delegates(call, place_of(handler, scope))
    return [
        (each, _declared_first(handler, call, position, scope))
        for position, each in enumerate(given)
    ]


def _declared_first(handler: Handler, call: Call, position: int, scope: Scope) -> Value | None:
    """A value of the class of the project that a function is declared to take which is handed over:
    `Func<Error, T> onFailure`."""
    found = dispatch_of(handler.program, call, scope)
    at = position + len(found.args) - len(call.args)
    for function in found.functions[:1]:
        params = function.function.params
        type = params[at].type if 0 <= at < len(params) else None
        taken = type.args[0] if isinstance(type, NamedType) and len(type.args) > 1 else None
        if isinstance(taken, NamedType) and not taken.args:
            symbol = handler.program.names.declared_class(taken, function.scope)
            return None if symbol is None else Instance(symbol)
    return None


class Option(Struct, frozen=True):
    """An option of a conditional expression that may be chosen."""

    handler: Handler
    """The handler where it is chosen."""
    is_certain: bool = True
    """False: which of several is chosen, something says that is handed over and not followed."""


def options_reached(handler: Handler, choice: Choice, scope: Scope) -> list[Option | None]:
    """For each option of a conditional expression how it is chosen; None where it never is."""
    if len(choice.given) != len(choice.options) or not _asks_for_members(choice):
        return [Option(handler) for _ in choice.options]
    reached = points_to(handler.program).options(choice, place_of(handler, scope))
    chosen = {id(option): inside.chosen for option, inside in reached.options}
    others = None
    if reached.is_open or not chosen:
        others = Option(handler, is_certain=not is_handed_over(handler, choice, scope))
    return [
        Option(replace(handler, chosen=chosen[id(option)])) if id(option) in chosen else others
        for option in choice.options
    ]


def is_handed_over(handler: Handler, expr: Expr, scope: Scope) -> bool:
    """Whether the tests that choose among values ask about what the function, which is called on
    the way from a handler, is given."""
    if isinstance(expr, Choice):
        return _names_argument(handler, expr.given, scope)
    tests = [b.condition for b in nodes_of(scope.statements or ()) if isinstance(b, Branch)]
    return _names_argument(handler, [test for test in tests if test is not None], scope)


def _names_argument(handler: Handler, tests: Iterable[Expr], scope: Scope) -> bool:
    params = {
        param.name: handler.arguments[id(param)]
        for param in (scope.function.params if scope.function is not None else ())
        if id(param) in handler.arguments
    }
    asked = {
        node.id for test in tests for node in nodes_of((test,)) if isinstance(node, Name)
    } & params.keys()
    return any(is_unfollowed(params[name].objects) for name in asked)


def returns_reached(
    handler: Handler, scope: Scope, returned: list[Return]
) -> list[tuple[Return, bool]]:
    """Of the returns of a function those that are reached with what it is given, and whether that
    is certain: it is not where something says it that is handed over and not followed."""
    if len(returned) < 2:
        return [(one, True) for one in returned]
    reached = points_to(handler.program).returns(place_of(handler, scope))
    kept = {id(one) for one in reached.returns}
    left = [(one, True) for one in returned if id(one) in kept]
    if not reached.is_open and left:
        return left
    tests = [b.condition for b in nodes_of(scope.statements or ()) if isinstance(b, Branch)]
    handed = _names_argument(handler, [test for test in tests if test is not None], scope)
    return [*left, *((one, not handed) for one in returned if id(one) not in kept)]


def _asks_for_members(choice: Choice) -> bool:
    """Whether tests ask for something that objects carry."""
    return any(
        isinstance(node, Attribute | OperationExpr)
        for test in choice.given
        for node in nodes_of((test,))
    )
