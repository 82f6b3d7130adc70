"""Whether a test holds, by the values that its names hold."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

from msgspec import Struct
from msgspec.structs import replace

from contract_scan.ir.schema import Array, Nothing, Object, Scalar
from contract_scan.ir.three_valued import any_of
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import (
    BySchema,
    ByType,
    ClassSymbol,
    ClassValue,
    Constant,
    FunctionValue,
    Instance,
    Items,
    LibraryResult,
    LibrarySymbol,
    OneOf,
    Record,
    Scope,
    Value,
)
from contract_scan.parsers.source.analysis.refinement.path_conditions import ORDER
from contract_scan.parsers.source.analysis.refinement.pruning import Body, running_cases
from contract_scan.parsers.source.analysis.syntax.null_checks import (
    BOOLEAN_OPERATORS,
    NULL_NAMES,
    OTHER,
    SAME,
    evaluate_boolean,
)
from contract_scan.parsers.source.facts.nodes import (
    Argument,
    ArrayLiteral,
    Attribute,
    Branch,
    Call,
    Choice,
    Expr,
    Index,
    LiteralExpr,
    Name,
    NamedType,
    New,
    OperationExpr,
)
from contract_scan.parsers.source.facts.visitor import nodes_of

_IDENTIFIERS = frozenset({"_id", "id"})
_BUILTINS = frozenset(
    {"bool", "dict", "float", "int", "list", "Mapping", "MutableMapping", "str", "tuple"}
)
"""Types of Python by which values are told apart."""
_MAPPING_TYPES = frozenset({"dict", "Mapping", "MutableMapping"})
_SCALAR_TYPES = _MAPPING_TYPES | {"bool", "float", "int", "str"}
_CONTAINER_TYPES = _MAPPING_TYPES | {"list", "tuple"}
"""Types of Python that no list, or nothing but a list or an object, is of."""
_TRUTH_METHODS = frozenset({"__bool__", "__len__"})
_AFFIXES = {"startswith": True, "startsWith": True, "endswith": False, "endsWith": False}
"""Tests of how a text begins (or ends, where False)."""


Known: TypeAlias = Callable[[Expr], Value | None]
"""What is known of an expression from outside (`self.action`)."""


def nothing_known(expr: Expr) -> Value | None:
    """Nothing is known from outside."""
    del expr
    return None


class ConditionContext(Struct, frozen=True, eq=False):
    """Where tests are asked."""

    program: Program
    scope: Scope
    known: Known = nothing_known
    """What is known of expressions from outside."""

    def holds(self, test: Expr) -> bool | None:
        """Whether a test holds; None where that is undetermined."""
        return evaluate_condition(test, self)

    def running_cases(self, branch: Branch) -> Body | Branch:
        """The block of a `switch` that runs, empty where none does; where that is undetermined, the
        `switch` with the blocks that may."""
        return running_cases(branch, lambda subject, label: _is_case(subject, label, self))

    def value(self, expr: Expr) -> Value:
        """What an expression gives; of what just begins with a constant, or is it by default, what
        it may be."""
        if (known := self.known(expr)) is not None:
            return known
        value = self.program.evaluate(expr, self.scope)
        if isinstance(value, Constant) and value.declared_type is not None:
            return value.declared_type
        return value


def evaluate_condition(test: Expr, ways: ConditionContext) -> bool | None:
    """Whether a test holds; None where that is undetermined."""
    match test:
        case OperationExpr(operator=operator, operands=operands) if operator in BOOLEAN_OPERATORS:
            return evaluate_boolean(operator, (evaluate_condition(each, ways) for each in operands))
        case OperationExpr(operator=operator, operands=(left, right)) if operator in SAME | OTHER:
            same = _is_same(left, right, ways)
            return None if same is None else same is (operator in SAME)
        case OperationExpr(operator=operator, operands=(left, right)) if operator in ORDER and (
            isinstance(left, LiteralExpr) or isinstance(right, LiteralExpr)
        ):
            return _in_order(operator, ways.value(left), ways.value(right))
        case OperationExpr(operator="in" | "not in" as operator, operands=(part, whole)):
            inside = _is_inside(part, whole, ways)
            return None if inside is None else inside is (operator == "in")
        case Choice(options=(*_, last)) if conjuncts := _conjuncts(test):
            return evaluate_condition(OperationExpr("&&", (*conjuncts, last), span=test.span), ways)
        case Choice(options=(first, *others), fallback=True):
            held = evaluate_condition(first, ways)
            if held is not False or not others:
                return held
            absent = is_there(ways.value(first)) is False
            rest = evaluate_condition(replace(test, options=tuple(others)), ways)
            return rest if absent or rest is False else None
        case OperationExpr() | Choice():
            return None
        case Attribute() | Index() if _is_missing(test, ways):
            return False
        case Call(callee=Attribute(value=Name(id="Array"), name="isArray"), args=(listed,)):
            return _is_list(ways, ways.value(listed.value))
        case Call(callee=Name(id="isinstance"), args=(of, kinds)):
            return _is_of_builtin(ways, ways.value(of.value), kinds.value)
        case Call(callee=Attribute(value=one, name="equals" | "Equals"), args=(other,)):
            return _is_same(one, other.value, ways)
        case Call(callee=Name(id="hasattr"), args=(of, Argument(value=LiteralExpr(value=name)))):
            return has_attribute(ways.program, ways.value(of.value), name)
        case Call(callee=Attribute(value=whole, name="includes"), args=(part,)):
            return _is_inside(part.value, whole, ways)
        case Call(callee=Attribute(value=text, name=name), args=(part,)) if name in _AFFIXES:
            return _has_affix(ways.value(text), ways.value(part.value), name)
        case _:
            return _truthiness(ways.value(test), ways, _is_identifier(test))


def null_test_outcome(branch: Branch, ways: ConditionContext) -> bool | None:
    """Whether what an `if` asks of null or undefined holds for what the names hold there, as in
    `if (result !== undefined)` of a function that gives nothing; None where that is undetermined,
    and for other tests."""
    test = branch.condition
    if test is None or branch.kind != "if" or len(branch.blocks) > 2:
        return None
    asks = any(
        isinstance(node, OperationExpr)
        and node.operator in SAME | OTHER
        and any(map(_is_null, node.operands))
        for node in nodes_of(test)
    )
    return evaluate_condition(test, ways) if asks else None


def is_there(value: Value) -> bool | None:
    """Whether a value is neither null nor undefined."""
    match value:
        case Constant(value=None) | LibrarySymbol(name="undefined"):
            return False
        case OneOf(options=options):
            each = {is_there(option) for option in options}
            return each.pop() if len(each) == 1 else None
        case Constant() | Record() | Items() | FunctionValue() | ClassValue() | Instance():
            return True
        case BySchema(schema=schema):
            return False if isinstance(schema, Nothing) else None
        case _:
            return None


def _conjuncts(test: Choice) -> tuple[Expr, ...]:
    """`a` and `b` of JavaScript's `a && b && c`, which gives the first of them that is falsy."""
    *before, _ = test.options
    operands = [
        o.operands for o in before if isinstance(o, OperationExpr) and o.operator == "falsy"
    ]
    return tuple(one for each in operands for one in each) if len(operands) == len(before) else ()


def _is_inside(part: Expr, whole: Expr, ways: ConditionContext) -> bool | None:
    """Whether a constant is among the items of a list, or the keys of an object, or in a text;
    None where that is undetermined."""
    asked = ways.value(part)
    if not isinstance(asked, Constant):
        return None
    match ways.value(whole):
        case Items(values=items, repeated=False):
            return any_of(_are_equal(asked, item) for item in items)
        case Record(entries=entries, partial=partial, values=values):
            found = [entry for entry in entries if entry.name == asked.value]
            surely = any(not e.optional and e.undefined is False for e in found)
            is_open = bool(found or partial or values is not None)
            return True if surely else None if is_open else False
        case Constant(value=str(text)) if isinstance(asked.value, str):
            return asked.value in text
        case _:
            return None


def _in_order(operator: str, left: Value, right: Value) -> bool | None:
    """How two numbers compare; None where one is not known."""
    if not (isinstance(left, Constant) and isinstance(right, Constant)):
        return None
    first, second = left.value, right.value
    if not (isinstance(first, int | float) and isinstance(second, int | float)):
        return None
    return ORDER[operator](first, second)


def _is_case(subject: Expr, label: Expr, ways: ConditionContext) -> bool | None:
    """Whether a value has a label of a `switch`."""
    match label:
        case ArrayLiteral(items=each) | Choice(options=each):
            return any_of(_is_case(subject, one, ways) for one in each)
        case _:
            return _is_same(subject, label, ways)


def _are_equal(one: Constant, other: Value) -> bool | None:
    """Whether a value is a constant; None where that is undetermined."""
    if isinstance(other, Constant) and type(one.value) is type(other.value):
        return one.value == other.value
    is_number = isinstance(one.value, int | float)
    if isinstance(other, Constant) and not (is_number and isinstance(other.value, int | float)):
        return False
    return False if isinstance(other, Record | Items) else None


def _has_affix(text: Value, affix: Value, name: str) -> bool | None:
    """Whether a text that is known begins (or ends) with another."""
    if not (isinstance(text, Constant) and isinstance(affix, Constant)):
        return None
    if not (isinstance(text.value, str) and isinstance(affix.value, str)):
        return None
    tests = text.value.startswith if _AFFIXES[name] else text.value.endswith
    return tests(affix.value)


def _is_filled(value: Record | Items) -> bool | None:
    """Whether a list or a map has something in it, which is what Python asks of it."""
    if isinstance(value, Items):
        return None if value.repeated else bool(value.values)
    if any(not entry.optional for entry in value.entries):
        return True
    is_empty = not (value.entries or value.partial or value.values is not None)
    return False if is_empty else None


def _is_list(ways: ConditionContext, value: Value) -> bool | None:
    """Whether a value is a list; None where that is undetermined."""
    match value:
        case OneOf(options=options):
            each = {_is_list(ways, option) for option in options}
            return each.pop() if len(each) == 1 else None
        case BySchema(schema=schema):
            shape = ways.program.types.flat(schema)
            if isinstance(shape, Array):
                return True if shape.nullable is False else None
            return False if isinstance(shape, Object | Scalar) else None
        case Items():
            return True
        case Constant() | Record() | FunctionValue() | ClassValue() | Instance():
            return False
        case _:
            return None


def _is_of_builtin(ways: ConditionContext, value: Value, kinds: Expr) -> bool | None:
    """Whether Python takes a value for an instance of one of its own types; None where that is
    undetermined, or other types are asked for."""
    named = kinds.items if isinstance(kinds, ArrayLiteral) else (kinds,)
    asked = [kind.id for kind in named if isinstance(kind, Name) and kind.id in _BUILTINS]
    own = _builtin_types(value)
    if len(asked) != len(named):
        return None
    if own is None and isinstance(value, BySchema):
        shape = ways.program.types.flat(value.schema)
        apart = _SCALAR_TYPES if isinstance(shape, Array) else _CONTAINER_TYPES
        is_apart = isinstance(shape, Array | Scalar) and apart.issuperset(asked)
        return False if is_apart else None
    return None if own is None else not own.isdisjoint(asked)


def _builtin_types(value: Value) -> frozenset[str] | None:
    """The names of Python's own types that a value is an instance of; None where that is
    undetermined."""
    match value:
        case Record():
            return _MAPPING_TYPES
        case Items(is_tuple=True):
            return frozenset({"tuple"})
        case Constant(value=bool()):
            return frozenset({"bool", "int"})
        case Constant(value=str() | int() | float() as held):
            return frozenset({type(held).__name__})
        case Constant(value=None):
            return frozenset()
        case OneOf(options=options):
            each = {_builtin_types(option) for option in options}
            return each.pop() if len(each) == 1 else None
        case _:
            return None


def has_attribute(program: Program, value: Value, name: object) -> bool | None:
    """Whether Python's `hasattr` finds an attribute; None where that is undetermined."""
    match value:
        case Record():
            return hasattr(dict, str(name))
        case Items(is_tuple=is_tuple):
            return hasattr(tuple if is_tuple else list, str(name))
        case Constant(value=held):
            return hasattr(held, str(name))
        case Instance() | ByType():
            return program.evaluator.member(value, str(name)) is not None or None
        case _:
            return None


def _is_identifier(test: Expr) -> bool:
    return isinstance(test, Attribute) and test.name in _IDENTIFIERS


def _is_missing(expr: Attribute | Index, ways: ConditionContext) -> bool:
    """Whether an object of which all keys are known has none of that name."""
    key: str | None
    key = expr.name if isinstance(expr, Attribute) else ways.program.text(expr.index, ways.scope)
    held = ways.value(expr.value)
    if isinstance(held, Items) and isinstance(expr, Index):
        at = ways.value(expr.index)
        position = at.value if isinstance(at, Constant) else None
        return isinstance(position, int) and not held.repeated and position >= len(held.values)
    if key is None or not isinstance(held, Record) or held.partial or held.values is not None:
        return False
    return all(entry.name != key for entry in held.entries)


def _truthiness(value: Value, ways: ConditionContext, is_identifier: bool) -> bool | None:
    """Whether a value counts as true. What identifies something is never empty."""
    match value:
        case Constant(value=held):
            return bool(held)
        case LibrarySymbol(name="undefined"):
            return False
        case Record() | Items() if ways.scope.file.language == "python":
            return _is_filled(value)
        case Instance(symbol=symbol) if ways.scope.file.language == "python":
            return True if _is_always_true(ways.program, symbol) else None
        case (
            Record()
            | Items()
            | FunctionValue()
            | ClassValue()
            | Instance()
            | LibraryResult(site=New())
        ):
            return True
        case OneOf(options=options):
            each = {_truthiness(option, ways, is_identifier) for option in options}
            return each.pop() if len(each) == 1 else None
        case BySchema():
            schema = ways.program.types.flat(value.schema)
            if isinstance(schema, Nothing):
                return False
            if schema.nullable is not False:
                return None
            if isinstance(schema, Object | Array):
                return None if ways.scope.file.language == "python" else True
            if isinstance(schema, Scalar) and schema.values is not None:
                counting = {bool(v) for v in schema.values}
                return counting.pop() if len(counting) == 1 else None
            is_text = isinstance(schema, Scalar) and schema.type == "string"
            return True if is_text and (is_identifier or _is_date(schema)) else None
        case _:
            return None


def _is_always_true(program: Program, symbol: ClassSymbol) -> bool:
    """Whether objects of a class of Python always count as true: neither it nor a class above it
    says otherwise, which a class of a library may."""
    owners = (symbol, *program.bases(symbol))
    if any(m.name in _TRUTH_METHODS for owner in owners for m in owner.decl.methods):
        return False
    return all(
        isinstance(base, NamedType)
        and program.names.declared_class(base, program.class_scope(owner)) is not None
        for owner in owners
        for base in owner.decl.bases
    )


def _is_date(schema: object) -> bool:
    return isinstance(schema, Scalar) and schema.format in ("date", "date-time")


def _is_same(left: Expr, right: Expr, ways: ConditionContext) -> bool | None:
    """Whether two expressions are the same; of null only whether something is there."""
    if _is_null(left):
        left, right = right, left
    if _is_null(right):
        if isinstance(left, Attribute | Index) and _is_missing(left, ways):
            return True
        value = ways.value(left)
        there = is_there(value)
        if isinstance(value, BySchema) and ways.scope.file.language == "python":
            there = True if value.schema.nullable is False else there
        return None if there is None else not there
    for part, whole in ((left, right), (right, left)):
        if isinstance(part, Attribute | Index) and _is_missing(part, ways):
            return False if is_there(ways.value(whole)) else None
    one, other = _compared(left, ways), _compared(right, ways)
    if isinstance(one, Constant) and isinstance(other, Constant):
        return one.value == other.value if type(one.value) is type(other.value) else None
    return None


def _compared(expr: Expr, ways: ConditionContext) -> Value | None:
    """The value of one side of a comparison; what JavaScript's `typeof` gives as a text."""
    if not isinstance(expr, OperationExpr) or expr.operator != "typeof":
        return ways.value(expr)
    match ways.value(expr.operands[0]):
        case Constant(value=bool()):
            return Constant("boolean")
        case Constant(value=str()):
            return Constant("string")
        case Constant(value=int() | float()):
            return Constant("number")
        case Constant() | Record() | Items():
            return Constant("object")
        case FunctionValue() | ClassValue():
            return Constant("function")
        case LibrarySymbol(name="undefined"):
            return Constant("undefined")
        case _:
            return None


def _is_null(expr: Expr) -> bool:
    if isinstance(expr, LiteralExpr):
        return expr.value is None
    return isinstance(expr, Name) and expr.id in NULL_NAMES
