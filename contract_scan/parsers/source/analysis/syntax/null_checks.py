"""What a test says of a name: whether it cannot be null where the test holds or fails."""

from __future__ import annotations

from collections.abc import Iterable

from contract_scan.ir.three_valued import all_of, any_of, negate
from contract_scan.parsers.source.facts.dotted_names import dotted_name_of, is_name
from contract_scan.parsers.source.facts.nodes import (
    Attribute,
    Call,
    Cast,
    Choice,
    Expr,
    Index,
    LiteralExpr,
    Name,
    OperationExpr,
    TypeValue,
)

NOT = frozenset({"!", "not"})
SAME = frozenset({"==", "===", "is"})
OTHER = frozenset({"!=", "!==", "is not"})
ALL = frozenset({"&&", "and"})
ANY = frozenset({"||", "or"})
BOOLEAN_OPERATORS = NOT | ALL | ANY
NULL_PREDICATES = {
    **dict.fromkeys(("IsNullOrEmpty", "IsNullOrWhiteSpace", "isNullOrEmpty"), True),
    **dict.fromkeys(("isBlank", "isEmpty", "isNull", "IsNull"), True),
    **dict.fromkeys(("isNotBlank", "isNotEmpty", "nonNull", "hasText", "hasLength"), False),
    **dict.fromkeys(("equals", "equalsIgnoreCase"), False),
}
"""Functions that tell null from other arguments: what they give for null. They are those of C#'s
`string`, and in Java of `Object`, `Objects`, Commons Lang, Guava and Spring."""
REFUSES_NULL = frozenset(
    {
        *("Objects.requireNonNull", "Preconditions.checkNotNull", "Validate.notNull"),
        *("Assert.notNull", "Assert.hasText", "Assert.hasLength", "Validate.notBlank"),
        *("ArgumentNullException.ThrowIfNull", "ArgumentException.ThrowIfNullOrEmpty"),
        *("ArgumentException.ThrowIfNullOrWhiteSpace", "Guard.Against.Null"),
    }
)
"""Functions that throw where their first argument is null: of Java with Guava, Commons Lang and
Spring, of C# with Ardalis' guard clauses."""
_REFUSING = tuple(f".{name}" for name in REFUSES_NULL)
NULL_NAMES = frozenset({"undefined", "null", "None"})


def is_not_null(test: Expr | None, name: str, holds: bool) -> bool:
    """Whether the name is certainly not null where the test holds (or, with `holds` False, where it
    does not). A wrong guess would hide a null, so only plain tests count."""
    match test:
        case Name(id=id):
            return holds and id == name
        case OperationExpr(operator=operator, operands=(operand,)) if operator in NOT:
            return is_not_null(operand, name, not holds)
        case OperationExpr(operator="==" | "is", operands=(Attribute() as left, right)) if (
            not holds and is_null_literal(right)
        ):
            return _is_asked(left, name)
        case OperationExpr(operator=operator, operands=(left, right)) if operator in SAME:
            return _is_non_null_comparison(left, right, name, holds) or _is_non_null_comparison(
                right, left, name, holds
            )
        case OperationExpr(operator="!=" | "is not", operands=(Attribute() as left, right)) if (
            holds and is_null_literal(right)
        ):
            return _is_asked(left, name)
        case OperationExpr(operator=operator, operands=(left, right)) if operator in OTHER:
            return _is_non_null_comparison(left, right, name, not holds) or _is_non_null_comparison(
                right, left, name, not holds
            )
        case OperationExpr(operator="instanceof", operands=(Name(id=id), _)):
            return holds and id == name
        case OperationExpr(operator=operator, operands=operands) if operator in ALL:
            return _is_non_null_by_operands(operands, name, holds, all_hold=holds)
        case OperationExpr(operator=operator, operands=operands) if operator in ANY:
            return _is_non_null_by_operands(operands, name, holds, all_hold=not holds)
        case Choice(options=options):
            return _is_non_null_choice(options, name, holds)
        case Call(callee=Name(id="isinstance" | "hasattr"), args=args) if args:
            return holds and is_name(args[0].value, name)
        case Call(callee=Attribute(name=asked), args=(only,)) if asked in NULL_PREDICATES:
            return NULL_PREDICATES[asked] is not holds and is_name(only.value, name)
        case Attribute(value=inner):
            return holds and _is_asked(test, name) and not isinstance(inner, Call)
        case _:
            return False


def _is_asked(expr: Expr, name: str) -> bool:
    """Whether an expression is a member of what a name holds that is none where this is null:
    `order?.buyer.name`, `order?.code.trim()`."""
    while isinstance(expr, Attribute | Index | Call):
        if isinstance(expr, Attribute) and expr.optional and is_name(expr.value, name):
            return True
        expr = expr.callee if isinstance(expr, Call) else expr.value
    return False


def refused_null(call: Call) -> Expr | None:
    """What is not null once a call has come back, since that throws where it is."""
    dotted = f".{dotted_name_of(call.callee)}"
    is_refusing = bool(call.args) and dotted.endswith(_REFUSING)
    return call.args[0].value if is_refusing else None


def is_truthy(test: Expr | None, name: str, holds: bool) -> bool:
    """Whether what the name holds certainly counts as true where the test holds (or, with `holds`
    False, where it does not): `x`, `x && y`."""
    match test:
        case Name(id=id):
            return holds and id == name
        case OperationExpr(operator=operator, operands=(operand,)) if operator in NOT:
            return is_truthy(operand, name, not holds)
        case OperationExpr(operator=operator, operands=operands) if operator in ALL | ANY:
            decisive = holds is (operator in ALL)
        case Choice(options=options, given=()):
            both = conjunction(options)
            operands, decisive = both or options, holds is bool(both)
        case _:
            return False
    return decisive and any(is_truthy(operand, name, holds) for operand in operands)


def is_null_or_falsy(test: Expr | None, name: str, holds: bool) -> bool:
    """Whether nothing is left of what the name may hold but null, or what counts as false, where
    the test holds (or, with `holds` False, where it does not): `x is None`, `not x`."""
    match test:
        case Name(id=id):
            return not holds and id == name
        case OperationExpr(operator=operator, operands=(operand,)) if operator in NOT:
            return is_null_or_falsy(operand, name, not holds)
        case OperationExpr(operator=operator, operands=(left, right)) if operator in SAME | OTHER:
            same = holds if operator in SAME else not holds
            return same and (_are_null(left, right, name) or _are_null(right, left, name))
        case OperationExpr(operator=operator, operands=operands) if operator in (
            ALL if holds else ANY
        ):
            return any(is_null_or_falsy(operand, name, holds) for operand in operands)
        case Choice(options=options):
            both = conjunction(options)
            if bool(both) is not holds:
                return False
            return any(is_null_or_falsy(option, name, holds) for option in both or options)
        case _:
            return False


def null_tested(test: Expr) -> tuple[Expr, bool] | None:
    """What a test asks whether it is null, and whether it holds where it is: `row[key] == null`,
    `row.a === null || row.a === undefined`; None for other tests."""
    match test:
        case Cast(value=inner):
            return null_tested(inner)
        case OperationExpr(operator=operator, operands=(left, right)) if (
            operator in SAME | OTHER and is_null_literal(right)
        ):
            return left, operator in SAME
        case Choice(options=(one, OperationExpr(operator, (again, Name("undefined")))), given=()):
            found = null_tested(one) if operator in SAME else None
            same = found is not None and found[1] and tests(again, found[0])
            return found if same else None
        case _:
            return None


def is_null_key(test: Expr | None, key: str) -> bool:
    """Whether a test holds wherever a key of an object is null, or what is named like it is:
    `data["a"] is None`, `not data.get("a")`, `a is None`."""
    match test:
        case OperationExpr(operator=operator, operands=(operand,)) if operator in NOT:
            return has_key(operand, key) or is_name(operand, key)
        case OperationExpr(operator=operator, operands=(left, right)) if operator in SAME:
            return (_reads_key(left, key) or is_name(left, key)) and is_null_literal(right)
        case Choice(options=options, fallback=True) | OperationExpr("||" | "or", options):
            # `row.a === null || row.a === undefined`
            others = [one for one in options if not is_null_key(one, key)]
            return len(others) < len(options) and all(_is_absent_key(one, key) for one in others)
        case _:
            return False


def _is_absent_key(test: Expr, key: str) -> bool:
    """`data.a === undefined`."""
    match test:
        case OperationExpr(operator=operator, operands=(left, Name(id="undefined"))):
            return operator in SAME and _reads_key(left, key)
        case _:
            return False


def has_key(test: Expr | None, key: str) -> bool:
    """Whether a test asks just whether a key of an object holds something: `data.a`,
    `data.a !== null`."""
    match test:
        case OperationExpr(operator=operator, operands=(left, right)) if operator in OTHER:
            return _reads_key(left, key) and (
                is_null_literal(right) or (isinstance(right, Name) and right.id in NULL_NAMES)
            )
        case None:
            return False
        case _:
            return _reads_key(test, key)


def key_asked_for(test: Expr, name: str) -> Expr | None:
    """The key of which a test asks just whether the object that a name holds has it, whatever is
    under it: `"a" in data`, `"a" in data.keys()`."""
    match test:
        case OperationExpr(
            operator="in",
            operands=(
                key,
                Name(id=id) | Call(callee=Attribute(value=Name(id=id), name="keys"), args=()),
            ),
        ) if id == name:
            return key
        case _:
            return None


def _reads_key(expr: Expr, key: str) -> bool:
    match expr:
        case Index(value=Name(), index=LiteralExpr(value=value)):
            return value == key
        case Attribute(value=Name(), name=name):
            return name == key
        case Call(callee=Attribute(value=Name(), name="get"), args=(first,)):
            return isinstance(first.value, LiteralExpr) and first.value.value == key
        case _:
            return False


def is_null_literal(expr: Expr) -> bool:
    """Whether an expression is written as null."""
    return isinstance(expr, LiteralExpr) and expr.value is None


def is_about(test: Expr | None, name: str) -> bool:
    """Whether a test asks just whether a name holds something: `data`, `data !== null`,
    `data is not None`."""
    match test:
        case Name(id=id):
            return bool(name) and id == name
        case OperationExpr(operator=operator, operands=(left, right)) if operator in OTHER:
            return bool(name) and _are_null(left, right, name)
        case _:
            return False


def is_kind_question(test: Expr) -> bool:
    """Whether an expression asks just whether something is null, or of what kind it is."""
    match test:
        case OperationExpr(operator=operator, operands=(operand,)) if operator in NOT:
            return is_kind_question(operand)
        case OperationExpr(operator=operator, operands=(_, right)) if operator in SAME | OTHER:
            return is_null_literal(right) or (isinstance(right, Name) and right.id in NULL_NAMES)
        case OperationExpr(operator="instanceof"):
            return True
        case Call(callee=Name(id="isinstance")):
            return True
        case _:
            return False


def is_kind_test(test: Expr | None, name: str) -> bool:
    """Whether a test asks something of what a name holds that could tell kinds of values apart."""
    pending = [] if test is None else [test]
    while pending:
        match pending.pop():
            case Attribute() | Index() as read if member_read(read, name) is not None:
                return True
            case OperationExpr(operator="instanceof" | "in" | "typeof", operands=operands):
                if any(isinstance(operand, Name) and operand.id == name for operand in operands):
                    return True
                pending.extend(operands)
            case OperationExpr(
                operator=operator, operands=(Name(id=id), LiteralExpr(value=value))
            ) if operator in SAME | OTHER and id == name and value is not None:
                return True  # of a name that holds one of several constants
            case OperationExpr(operands=operands):
                pending.extend(operands)
            case Choice(options=options, given=()):
                pending.extend(options)
            case Call(
                callee=Attribute(value=Name(id="Array"), name="isArray")
                | Name(id="isinstance" | "hasattr"),
                args=args,
            ) if args:
                first = args[0].value
                if isinstance(first, Name) and first.id == name:
                    return True
            case Call() as call if predicate_on(call, name) or _asks_of_member(call, name):
                return True
            case _:
                continue
    return False


def _asks_of_member(call: Call, name: str) -> bool:
    """Whether a call reads a member of what a name holds, or is handed one."""
    return any(
        member_read(expr, name) is not None for expr in (call, *(a.value for a in call.args))
    )


def member_read(expr: Expr, name: str) -> str | None:
    """The member of what a name holds that an expression reads: `x.ok`, `x["ok"]`, and by an
    accessor `x.getOk()`, `x.isOk()`, `x.ok()`. Of a member of a member, the names that lead to it:
    `owner.name` of `x.owner.name`."""
    path: list[str] = []
    while not isinstance(expr, Name):
        match expr:
            case Attribute(value=inner, name=member):
                path.append(member)
            case Index(value=inner, index=LiteralExpr(value=str(member))):
                path.append(member)
            case Call(callee=Attribute(value=inner, name=method), args=()):
                path.append(property_of(method, "get", "is"))
            case _:
                return None
        expr = inner
    return ".".join(reversed(path)) if path and expr.id == name else None


def property_of(accessor: str, *prefixes: str) -> str:
    """The property that an accessor is called after: `note` of `getNote`; of a name without such a
    beginning, the name itself."""
    for prefix in prefixes:
        rest = accessor.removeprefix(prefix)
        if rest != accessor and rest[:1].isupper():
            return rest if rest[:2].isupper() else rest[0].lower() + rest[1:]
    return accessor


def predicate_on(test: Expr, name: str) -> bool:
    """Whether a test is a call that is handed what a name holds and could ask anything of it."""
    match test:
        case Call(callee=Name(id=callee), args=args):
            known = callee in _NO_PREDICATES
        case Call(callee=Attribute(value=Name()), args=args):
            known = False
        case _:
            return False
    return not known and any(isinstance(a.value, Name) and a.value.id == name for a in args)


_NO_PREDICATES = frozenset({"isinstance", "len", "bool", "callable", "hasattr", "Boolean", "str"})
"""Functions of the languages themselves, which other tests know."""


def guarding_predicate(test: Expr, name: str, holds: bool) -> Call | None:
    """The predicate on what a name holds that has to give true where a test holds (or fails)."""
    match test:
        case Call():
            return test if holds and predicate_on(test, name) else None
        case OperationExpr(operator=operator, operands=(inner,)) if operator in NOT:
            return guarding_predicate(inner, name, not holds)
        case OperationExpr(operator=operator, operands=operands) if operator in (
            ALL if holds else ANY
        ):
            return _first_predicate(operands, name, holds)
        case Choice(options=options, given=()):
            both = conjunction(options)
            return _first_predicate(both or options, name, holds) if bool(both) is holds else None
        case _:
            return None


def _first_predicate(tests: tuple[Expr, ...], name: str, holds: bool) -> Call | None:
    found = (guarding_predicate(test, name, holds) for test in tests)
    return next((call for call in found if call is not None), None)


def names(test: Expr) -> frozenset[str]:
    """The names that a test compares or looks at."""
    found: set[str] = set()
    pending = [test]
    while pending:
        match pending.pop():
            case Name(id=id):
                found.add(id)
            case Attribute(value=inner) | Index(value=inner):
                pending.append(inner)
            case OperationExpr(operands=operands):
                pending.extend(operands)
            case Choice(options=options):
                pending.extend(options)
            case Call(callee=Attribute(value=inner), args=()):  # an accessor
                pending.append(inner)
            case Call(args=args):
                pending.extend(argument.value for argument in args)
            case _:
                pass
    return frozenset(found)


def tests(test: Expr, expr: Expr) -> bool:
    """Whether a test says outright that a name or an attribute of it (`row.number`) is there, alone
    or along with more: `row.number`, `row.number is not None and …`."""
    match test:
        case OperationExpr(operator=operator, operands=operands) if operator in ALL:
            return any(tests(operand, expr) for operand in operands)
        case OperationExpr(operator=operator, operands=(left, right)) if operator in OTHER:
            is_null = is_null_literal(right) or (isinstance(right, Name) and right.id in NULL_NAMES)
            return is_null and _is_same_path(left, expr)
        case _:
            return _is_same_path(test, expr)


def _is_same_path(one: Expr, other: Expr) -> bool:
    """Whether two expressions are the same name, or the same attribute of the same name."""
    while isinstance(one, Attribute) and isinstance(other, Attribute) and one.name == other.name:
        one, other = one.value, other.value
    return isinstance(one, Name) and isinstance(other, Name) and one.id == other.id


def _are_null(left: Expr, right: Expr, name: str) -> bool:
    """Whether the two sides of a comparison are the name and null."""
    null = (isinstance(right, LiteralExpr) and right.value is None) or (
        isinstance(right, Name) and right.id in NULL_NAMES
    )
    return null and is_name(left, name)


def _is_non_null_comparison(left: Expr, right: Expr, name: str, same: bool) -> bool:
    """`left == right` where the two are (or are not) the same: `typeof x === "string"`, too."""
    match left, right:
        case (
            OperationExpr(operator="typeof", operands=(asked,)),
            LiteralExpr(value=str(kind)),
        ) if kind not in ("object", "undefined"):
            return same and is_name(asked, name)
        case _:
            pass
    if not is_name(left, name):  # `order?.state === "paid"`
        is_literal = isinstance(right, LiteralExpr) and not is_null_literal(right)
        return same and is_literal and _is_asked(left, name)
    match right:
        case LiteralExpr(value=None):
            return not same
        case Name(id=id) if id in NULL_NAMES:
            return not same
        case LiteralExpr() | TypeValue():
            return same
        case _:
            return False


def _is_non_null_by_operands(
    operands: tuple[Expr, ...], name: str, holds: bool, *, all_hold: bool
) -> bool:
    """`a && b` that holds, `a || b` that does not: every operand does the same. Else one of them
    does, and it is not known which."""
    each = (is_not_null(operand, name, holds) for operand in operands)
    return any(each) if all_hold else all(each)


def _is_non_null_choice(options: tuple[Expr, ...], name: str, holds: bool) -> bool:
    """`a || b` and `a && b` as a choice of their operands."""
    both = conjunction(options)
    if both:
        return _is_non_null_by_operands(both, name, holds, all_hold=holds)
    return _is_non_null_by_operands(options, name, holds, all_hold=not holds)


def evaluate_boolean(operator: str, answers: Iterable[bool | None]) -> bool | None:
    """What `not`, `and` or `or` makes of the answers to its operands."""
    if operator in ANY:
        return any_of(answers)
    held = all_of(answers)
    return negate(held) if operator in NOT else held


def conjunction(options: tuple[Expr, ...]) -> tuple[Expr, ...]:
    """The operands of `a && b` as a choice (see `OperationExpr`'s `falsy`); none of `a || b`."""
    first = tuple(
        option.operands[0]
        for option in options[:-1]
        if isinstance(option, OperationExpr) and option.operator == "falsy"
    )
    return (*first, options[-1]) if first and len(first) == len(options) - 1 else ()
