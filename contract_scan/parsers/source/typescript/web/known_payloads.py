"""What is left of a function once it is known what it is given: `'data' in value ? … : …`.

Interceptors and hooks often hand on what has the right shape already, and put the rest into an
envelope. The tests they ask are decided by the shape of what a handler gives; what cannot be
decided is left.
"""

from __future__ import annotations

from collections.abc import Iterable
from operator import ge, gt, le, lt

from msgspec import Struct
from msgspec.structs import replace

from contract_scan.ir.reasons import Reason
from contract_scan.ir.schema import (
    Array,
    Field,
    Nothing,
    Object,
    Scalar,
    Schema,
    Union,
    Unknown,
    with_nullable,
)
from contract_scan.ir.three_valued import all_of, any_of, negate
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.schemas import describe, says_nothing, unite
from contract_scan.parsers.source.analysis.domain.values import (
    BySchema,
    ClassValue,
    FunctionValue,
    Instance,
    LibrarySymbol,
    Scope,
)
from contract_scan.parsers.source.analysis.syntax.null_checks import (
    BOOLEAN_OPERATORS,
    evaluate_boolean,
)
from contract_scan.parsers.source.facts.nodes import (
    Assign,
    Attribute,
    Branch,
    Call,
    Cast,
    Choice,
    Expr,
    LiteralExpr,
    Name,
    ObjectLiteral,
    OperationExpr,
    Return,
    Statement,
    Throw,
)

MAX_NESTING = 40
_ADDRESSES = frozenset({"url", "originalUrl", "path"})
"""Properties of a request that hold its address."""
_OF_PLAIN = frozenset({"length", "constructor", "toString", "valueOf"})
"""What texts and numbers have."""
_ORDERED = {"<": lt, "<=": le, ">": gt, ">=": ge}
_SAME = frozenset({"==", "==="})
_OTHER = frozenset({"!=", "!=="})


class BranchFacts(Struct, frozen=True, eq=False):
    """What is known where a function runs."""

    program: Program
    name: str
    """Of its parameter."""
    schema: Schema
    """What it is given."""
    address: str | None = None
    """The path of the route; None where it is undetermined."""
    addresses: frozenset[str] = frozenset()
    """Variables that hold it."""
    scope: Scope | None = None
    """Where the names of functions that tests call are looked up; None: no test is followed."""


def transformed_schema(
    program: Program,
    function: FunctionValue,
    schema: Schema,
    position: int = 0,
    address: str | None = None,
    held: frozenset[str] = frozenset(),
) -> Schema | None:
    """The shape that a function makes of data, which is its argument at a position; None where it
    depends on the data. Of data of several shapes it is told of each. `address` and `held`: the
    path of the route, and variables that hold it."""
    each = _alternatives(program.types.flat(schema))
    made = [_shape_after(program, function, one, position, address, held) for one in each]
    known = [one for one in made if one is not None]
    if len(each) > 1 and len(known) == len(each):
        return unite(known)
    return (
        made[0]
        if len(each) == 1
        else _shape_after(program, function, schema, position, address, held)
    )


def _alternatives(shape: Schema) -> tuple[Schema, ...]:
    """The shapes that data may be of, null for itself."""
    options = shape.options if isinstance(shape, Union) else (shape,)
    if shape.nullable is not True or isinstance(shape, Nothing):
        return options
    return (*(with_nullable(one, False) for one in options), Nothing(nullable=True))


def _shape_after(
    program: Program,
    function: FunctionValue,
    schema: Schema,
    position: int,
    address: str | None,
    held: frozenset[str],
) -> Schema | None:
    decl = function.function
    if len(decl.params) > position and decl.params[position].name:
        name = decl.params[position].name
        given = BranchFacts(program, name, schema, address, held, function.scope)
        body = prune_statements(program.body(decl, function.scope.file), given)
        function = replace(function, function=replace(decl, body=body))
    nothing = Unknown(reason=Reason("after-hook-may-change-response"))
    args = (*(BySchema(nothing) for _ in range(position)), BySchema(schema))
    result = program.evaluator.apply(function, args, function.scope)
    return _intercepted_schema(program, program.schema_of(program.evaluator.unwrap(result)), schema)


def _intercepted_schema(program: Program, given: Schema, before: Schema) -> Schema | None:
    """The shape that a function makes of the data; None where it depends on the data. A
    function that traverses any data and returns it unchanged gives the same shape, among
    options that carry no information."""
    flat = program.types.flat(given)
    if isinstance(flat, Unknown):
        return None
    if not isinstance(flat, Union):
        return given
    saying = [option for option in flat.options if not says_nothing(option)]
    plain = describe(with_nullable(before, False))
    same = [option for option in saying if describe(with_nullable(option, False)) == plain]
    return before if saying and len(same) == len(saying) else None


def addresses(statements: Iterable[Statement]) -> frozenset[str]:
    """Variables that hold the address of the request: `const path = request.url`."""
    return frozenset(
        node.target.id
        for node in statements
        if isinstance(node, Assign)
        and isinstance(node.target, Name)
        and isinstance(node.value, Attribute)
        and node.value.name in _ADDRESSES
    )


def prune_statements(
    statements: tuple[Statement, ...], given: BranchFacts, depth: int = 0
) -> tuple[Statement, ...]:
    """The statements that may run, without the branches that a decided test rules out."""
    remaining: list[Statement] = []
    for node in statements:
        if isinstance(node, Branch) and node.kind == "if" and depth < MAX_NESTING:
            outcome = test_outcome(node.condition, given)
            if outcome is None:
                blocks = tuple(prune_statements(block, given, depth + 1) for block in node.blocks)
                remaining.append(replace(node, blocks=blocks))
                continue
            chosen = node.blocks[:1] if outcome else node.blocks[1:]
            inner = prune_statements(chosen[0], given, depth + 1) if chosen else ()
            remaining.extend(inner)
            if inner and isinstance(inner[-1], Return | Throw):
                break
        elif isinstance(node, Return | Assign) and node.value is not None:
            remaining.append(replace(node, value=prune_choices(node.value, given)))
        else:
            remaining.append(node)
    return tuple(remaining)


def prune_choices(expr: Expr, given: BranchFacts, depth: int = 0) -> Expr:
    """An expression without the options that are never chosen."""
    if depth > MAX_NESTING:
        return expr
    match expr:
        case Choice(options=(first, second), given=(test, _)):
            held = test_outcome(test, given)
            if held is not None:
                return prune_choices(first if held else second, given, depth + 1)
            options = (
                prune_choices(first, given, depth + 1),
                prune_choices(second, given, depth + 1),
            )
            return replace(expr, options=options)
        case Choice(options=(first, second), fallback=True):
            held = _truthiness(first, given)
            if held is not None:
                return prune_choices(first if held else second, given, depth + 1)
            return expr
        case ObjectLiteral(entries=entries):
            return replace(
                expr,
                entries=tuple(
                    replace(e, value=prune_choices(e.value, given, depth + 1)) for e in entries
                ),
            )
        case Cast(value=value):
            return replace(expr, value=prune_choices(value, given, depth + 1))
        case _:
            return expr


# ------------------------------------------------------------------ tests


def test_outcome(test: Expr | None, given: BranchFacts, depth: int = 0) -> bool | None:
    """Whether a test holds; None where that is not known."""
    if depth > MAX_NESTING:
        return None
    match test:
        case Choice(options=options, fallback=True):
            return any_of(test_outcome(option, given, depth + 1) for option in options)
        case Choice(options=options, given=()):
            operands = [
                o.operands[0] if isinstance(o, OperationExpr) and o.operator == "falsy" else o
                for o in options
            ]
            return all_of(test_outcome(operand, given, depth + 1) for operand in operands)
        case OperationExpr(operator=operator, operands=each) if operator in BOOLEAN_OPERATORS:
            return evaluate_boolean(operator, (test_outcome(o, given, depth + 1) for o in each))
        case OperationExpr(operator=operator, operands=(left, LiteralExpr(value=int(limit)))) if (
            operator in _ORDERED
        ):
            return _common_outcome(
                _ORDERED[operator](value, limit) for value in _numbers(left, given)
            )
        case OperationExpr(operator="in", operands=(LiteralExpr(value=str(key)), owner)):
            return _has(owner, key, given)
        case OperationExpr(operator="instanceof", operands=(left, right)):
            return _is_instance(left, right, given)
        case OperationExpr(operator=operator, operands=(left, right)) if operator in _SAME:
            return _equal(left, right, given, strict=operator == "===")
        case OperationExpr(operator=operator, operands=(left, right)) if operator in _OTHER:
            return negate(_equal(left, right, given, strict=operator == "!=="))
        case Call(callee=Attribute(value=Name(id="Array"), name="isArray"), args=(argument,)):
            shape = _shape(argument.value, given)
            return None if shape is None else isinstance(shape, Array)
        case Call(callee=Attribute(value=owner, name="includes"), args=(argument,)):
            return _in_address(owner, argument.value, given)
        case Call(callee=Attribute(value=owner, name="hasOwnProperty"), args=(argument,)):
            name = argument.value.value if isinstance(argument.value, LiteralExpr) else None
            return _has(owner, name, given) if isinstance(name, str) else None
        case Call(callee=Name() as callee, args=(argument,)) if given.scope is not None:
            return _answer(given.program.function_value(callee, given.scope), argument.value, given)
        case None:
            return None
        case _:
            return _truthiness(test, given)


def _answer(asked: FunctionValue | None, argument: Expr, given: BranchFacts) -> bool | None:
    """What a function of the project that only asks something of what it is given says:
    `isEnveloped(value)`."""
    shape = _shape(argument, given)
    if asked is None or shape is None or len(asked.function.params) != 1:
        return None
    body = given.program.body(asked.function, asked.scope.file)
    if len(body) != 1 or not isinstance(body[0], Return):
        return None
    inside = BranchFacts(given.program, asked.function.params[0].name, shape, scope=asked.scope)
    return test_outcome(body[0].value, inside) if inside.name else None


def _numbers(expr: Expr, given: BranchFacts) -> tuple[int | float, ...]:
    """The numbers that a value may be; none where it may be any."""
    shape = _shape(expr, given)
    values = shape.values if isinstance(shape, Scalar) and shape.values is not None else ()
    return tuple(value for value in values if isinstance(value, int | float))


def _common_outcome(outcomes: Iterable[bool]) -> bool | None:
    """The outcome that all have; None where they differ, or there is none."""
    found = set(outcomes)
    return found.pop() if len(found) == 1 else None


def _shape(expr: Expr, given: BranchFacts) -> Object | Array | Scalar | Nothing | None:
    """The one shape that the parameter, or a property of it, certainly has."""
    flat = given.program.types.flat
    if isinstance(expr, Name) and expr.id == given.name:
        schema = flat(given.schema)
    elif isinstance(expr, Attribute):
        field = _field(expr, given)
        if field is None or field.required is not True:
            return None
        schema = flat(field.schema)
    else:
        return None
    if isinstance(schema, Nothing):
        return schema
    known = isinstance(schema, Object | Array | Scalar) and schema.nullable is False
    return schema if known and isinstance(schema, Object | Array | Scalar) else None


def _field(expr: Attribute, given: BranchFacts) -> Field | None:
    owner = _shape(expr.value, given)
    fields = owner.fields if isinstance(owner, Object) else ()
    return next((field for field in fields if field.name == expr.name), None)


def _has(owner: Expr, key: str, given: BranchFacts) -> bool | None:
    """Whether an object has a property."""
    shape = _shape(owner, given)
    if not isinstance(shape, Object):
        return False if isinstance(shape, Array) else None
    field = next((f for f in shape.fields if f.name == key), None)
    if field is None:
        return False if not shape.incomplete_reason and shape.additional is None else None
    return True if field.required is True else None


def _truthiness(expr: Expr, given: BranchFacts) -> bool | None:
    """Whether a value counts as true."""
    shape = _shape(expr, given)
    if isinstance(shape, Object | Array):
        return True
    if isinstance(shape, Nothing):
        return False
    if isinstance(shape, Scalar) and shape.values is not None:
        truths = {bool(value) for value in shape.values}
        return truths.pop() if len(truths) == 1 else None
    if isinstance(expr, Attribute):
        missing = _has(expr.value, expr.name, given) is False
        of_plain = isinstance(_shape(expr.value, given), Scalar) and expr.name not in _OF_PLAIN
        return False if missing or of_plain else None
    return None


def _equal(left: Expr, right: Expr, given: BranchFacts, *, strict: bool) -> bool | None:
    if isinstance(left, LiteralExpr):
        left, right = right, left
    match left, right:
        case OperationExpr(operator="typeof", operands=(operand,)), LiteralExpr(value=str(kind)):
            shape = _shape(operand, given)
            return None if shape is None else kind in _kinds(shape)
        case _, LiteralExpr(value=None) | Name(id="undefined" | "null"):
            if isinstance(left, Attribute) and _has(left.value, left.name, given) is False:
                return isinstance(right, Name) or None
            shape = _shape(left, given)
            if not isinstance(shape, Nothing):
                return None if shape is None else False
            is_null = shape.nullable is True  # what returns nothing gives `undefined`
            return not strict or is_null is not isinstance(right, Name)
        case _, LiteralExpr(value=int(number)):
            return _common_outcome(value == number for value in _numbers(left, given))
        case _:
            return None


def _is_instance(left: Expr, right: Expr, given: BranchFacts) -> bool | None:
    """`value instanceof Page`: of a class that gives the shape, and not of one that has fields
    which the shape lacks."""
    shape = _shape(left, given)
    if shape is None or given.scope is None:
        return None
    named = given.program.evaluate(right, given.scope)
    match shape, named:
        case Nothing(), _:
            return False
        case _, ClassValue(symbol=symbol):
            own = given.program.types.flat(given.program.schema_of(Instance(symbol)))
            if not isinstance(own, Object) or not isinstance(shape, Object):
                return False if isinstance(own, Object) else None
            if shape.incomplete_reason or shape.additional is not None:
                return None
            names = {name for field in shape.fields for name in (field.name, field.declared_as)}
            lacks = any(field.required and field.name not in names for field in own.fields)
            return True if own.origin == shape.origin else (False if lacks else None)
        case Array(), LibrarySymbol(name=name):
            return name in ("Array", "Object")
        case Object(incomplete_reason="", additional=None), LibrarySymbol(name=name):
            return name == "Object"
        case Scalar(type=type, format=form), LibrarySymbol() if type != "string" or not form:
            return False
        case _:
            return None


def _kinds(shape: Schema) -> frozenset[str]:
    if isinstance(shape, Scalar):
        name = "string" if shape.type == "string" else "number"
        return frozenset({"boolean" if shape.type == "boolean" else name})
    return frozenset({"object", "undefined"} if isinstance(shape, Nothing) else {"object"})


def _in_address(owner: Expr, part: Expr, given: BranchFacts) -> bool | None:
    """`request.url.includes("/login")`."""
    is_address = (isinstance(owner, Attribute) and owner.name in _ADDRESSES) or (
        isinstance(owner, Name) and owner.id in given.addresses
    )
    text = part.value if isinstance(part, LiteralExpr) else None
    if not is_address or given.address is None or not isinstance(text, str):
        return None
    return text in given.address
