"""Whether a test holds, by what is known of the paths that it asks about.

`not p`, `p is None`, `p == "x"`, `p in ("x", "y")`, `typeof p === "string"`, `Array.isArray(p)`,
`isinstance(p, list)`, `string.IsNullOrEmpty(p)`, and these joined by `and` and `or`. What a test
asks besides is not decided.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from enum import Enum
from operator import ge, gt, le, lt
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from contract_scan.ir.three_valued import all_of, any_of, negate
from contract_scan.parsers.source.analysis.domain.path_facts import (
    EnumConstant,
    Fact,
    Facts,
    Kind,
    RequestMethod,
    Typed,
    is_null_fact,
    path_of,
    test_path,
)
from contract_scan.parsers.source.analysis.refinement.pruning import Body, running_cases
from contract_scan.parsers.source.analysis.syntax.null_checks import (
    BOOLEAN_OPERATORS,
    OTHER,
    SAME,
    conjunction,
    evaluate_boolean,
)
from contract_scan.parsers.source.facts.conditionals import CASE
from contract_scan.parsers.source.facts.dotted_names import dotted_name_of
from contract_scan.parsers.source.facts.nodes import (
    Argument,
    ArrayLiteral,
    Attribute,
    Branch,
    Call,
    Choice,
    Expr,
    LiteralExpr,
    Name,
    NamedType,
    OperationExpr,
    Text,
    TypeValue,
)

OWN_TRUTH: Final = frozenset({"python", "typescript"})
"""Languages where anything may be asked whether it is true."""
_EMPTY_TESTS = frozenset(
    {
        f"{owner}.{name}"
        for owner in ("string", "String", "System.String")
        for name in ("IsNullOrEmpty", "IsNullOrWhiteSpace")
    }
    | {"StringUtils.isEmpty", "StringUtils.isBlank", "Strings.isNullOrEmpty"}
)
_TEXT_TESTS = frozenset({"StringUtils.hasText", "StringUtils.hasLength", "StringUtils.isNotBlank"})
_NULL_TESTS = {"Objects.isNull": True, "Objects.nonNull": False}
_CLASSES: dict[str, tuple[type | Kind, ...]] = {
    "Sequence": (Kind.LIST, str),
    "list": (Kind.LIST,),
    "List": (Kind.LIST,),
    "tuple": (),
    "set": (),
    "dict": (Kind.MAP,),
    "Mapping": (Kind.MAP,),
    "str": (str,),
    "string": (str,),
    "String": (str,),
    "bool": (bool,),
    "Boolean": (bool,),
    "int": (int,),
    "Integer": (int,),
    "float": (float,),
}
"""Classes that a test may ask for, with what literals and kinds are instances of them."""
COMPARING: Final = frozenset({"equals", "Equals", "equalsIgnoreCase", "matches", "includes"})
"""Methods that compare their receiver, or the items of it, with an argument."""
_NAMING = frozenset(
    {"name", "toString", "ToString", "text"}
    | {"toUpperCase", "upper", "ToUpper", "ToUpperInvariant"}
)
"""What is called of a request's method, or of a constant that stands for one, to have it as text.
"""
_LOWER_CASE = frozenset({"toLowerCase", "lower", "ToLower", "ToLowerInvariant"})
_VERBS = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "CONNECT"})
_TYPEOF = {bool: "boolean", str: "string", int: "number", float: "number"}
_TYPEOF_KINDS = {
    Kind.LIST: "object",
    Kind.OBJECT: "object",
    Kind.MAP: "object",
    Kind.FUNCTION: "function",
    Kind.TEXT: "string",
    Kind.NONEMPTY_TEXT: "string",
    Kind.UNDEFINED: "undefined",
}
_TEXTS = (Kind.TEXT, Kind.NONEMPTY_TEXT)


class Unknown(Enum):
    """No fact at all, where None is one."""

    FACT = "unknown"


def _no_constant(expr: Expr) -> Fact | Unknown:
    return Unknown.FACT


def _no_class(value: Typed, written: TypeValue) -> bool | None:
    return None


ORDER: Mapping[str, Callable[[float, float], bool]] = {
    "<": lt,
    "<=": le,
    ">": gt,
    ">=": ge,
}
"""How numbers are compared."""
_TEXT_ENDS: Mapping[str, Callable[[str, str], bool]] = {
    **dict.fromkeys(("startswith", "startsWith", "StartsWith"), str.startswith),
    **dict.fromkeys(("endswith", "endsWith", "EndsWith"), str.endswith),
}
"""Methods of texts that ask how one begins or ends."""
_TEXTS_OF = frozenset({"String", "str", "String.valueOf", "Integer.toString"})
"""Functions that write a value as a text."""


class Env(Struct, frozen=True, eq=False):
    """What is known where a test is asked."""

    facts: Facts
    language: str
    constant: Callable[[Expr], Fact | Unknown] = _no_constant
    """What a name that is no variable stands for, such as a member of an enum."""
    is_of: Callable[[Typed, TypeValue], bool | None] = _no_class
    """Whether a value is of a class."""

    def holds(self, test: Expr) -> bool | None:
        """Whether a test holds; None where that is not known."""
        return evaluate_test(test, self)

    def running_cases(self, branch: Branch) -> Body | Branch:
        """The block of a `switch` that runs, empty where none does; where that is not known, the
        `switch` with the blocks that may."""
        return running_cases(branch, lambda subject, label: _case_holds(subject, label, self))


def evaluate_test(test: Expr, env: Env) -> bool | None:
    """Whether a test holds; None where that is not known."""
    answer = env.facts.get(test_path(test))
    if isinstance(answer, bool):
        return answer
    match test:
        case OperationExpr(operator=operator, operands=operands) if operator in BOOLEAN_OPERATORS:
            return evaluate_boolean(operator, (evaluate_test(each, env) for each in operands))
        case OperationExpr(operator=operator, operands=(left, right)) if operator in SAME | OTHER:
            if isinstance(right, TypeValue):
                same = _is_instance(left, (right,), env)
            else:
                same = _is_same(left, right, env, strict=len(operator) == 3)
            return None if same is None else same is (operator in SAME)
        case OperationExpr(operator=operator, operands=(subject, label)) if operator == CASE:
            return _case_holds(subject, label, env)
        case OperationExpr(operator="instanceof", operands=(left, TypeValue() as right)):
            return _is_instance(left, (right,), env)
        case OperationExpr(operator="in", operands=(one, ArrayLiteral(items=items))):
            return any_of(_is_same(one, item, env, strict=False) for item in items)
        case OperationExpr(operator=operator, operands=(left, right)) if operator in ORDER:
            first, second = _number(left, env), _number(right, env)
            return None if first is None or second is None else ORDER[operator](first, second)
        case OperationExpr(operator="not in"):
            return negate(evaluate_test(replace(test, operator="in"), env))
        case Choice(options=options, given=()):
            both = conjunction(options)
            if not both and any(_is_falsy(option) for option in options):
                return None
            each = (evaluate_test(operand, env) for operand in both or options)
            return all_of(each) if both else any_of(each)
        case Call():
            return _decide_call(test, env)
        case Attribute(value=of, name="HasValue") if path_of(of) in env.facts:
            return not is_null_fact(env.facts[path_of(of)])
        case _:
            path = path_of(test)
            return _truthiness(env.facts[path], env.language) if path in env.facts else None


def _case_holds(subject: Expr, case: Expr, env: Env) -> bool | None:
    if isinstance(subject, LiteralExpr):
        return evaluate_test(case, env) if subject.value is True else None
    match case:
        case ArrayLiteral(items=each) | Choice(options=each):
            return any_of(_case_holds(subject, one, env) for one in each)
        case Name(id=name) if isinstance(
            fact := _fact_of(subject, env), EnumConstant | RequestMethod
        ):
            return fact.name == name  # Java names the constants of the enum alone
        case _:
            return _is_same(subject, case, env, strict=False)


# --------------------------------------------------------------------------- calls


_PREDICATES = (
    _EMPTY_TESTS
    | _TEXT_TESTS
    | _NULL_TESTS.keys()
    | {"isinstance", "Array.isArray", "Boolean", "bool", "Objects.equals"}
)


def is_predicate(callee: Expr) -> bool:
    """Whether a function is one that `evaluate_test` knows, by its name."""
    return dotted_name_of(callee) in _PREDICATES


def _decide_call(test: Call, env: Env) -> bool | None:
    match test:
        case Call(callee=Attribute(value=one, name="equals" | "Equals"), args=(other,)):
            return _is_same(one, other.value, env, strict=False)
        case Call(
            callee=Attribute(value=Name(id="string" | "String"), name="Equals"),
            args=(Argument(value=one), other, *kind),
        ):
            member = Attribute(value=one, name="Equals", span=test.span)
            return _decide_call(replace(test, callee=member, args=(other, *kind)), env)
        case (
            Call(callee=Attribute(value=one, name="equalsIgnoreCase"), args=(other,))
            | Call(
                callee=Attribute(value=one, name="Equals"),
                args=(other, Argument(value=Attribute(name="OrdinalIgnoreCase"))),
            )
        ):
            text, part = _known_text(one, env), _known_text(other.value, env)
            return None if text is None or part is None else text.lower() == part.lower()
        case Call(callee=Attribute(value=one, name="matches"), args=(other,)):
            # Spring's `HttpMethod` compares names; a text is a pattern, plain where it is a verb.
            named = {_known_text(one, env), _known_text(other.value, env)}
            return len(named) == 1 if _VERBS.issuperset(named) else None
        case Call(callee=Attribute(value=ArrayLiteral(items=items), name="includes"), args=(one,)):
            return any_of(_is_same(one.value, item, env, strict=False) for item in items)
        case Call(callee=Attribute(value=one, name=name), args=(other,)) if name in _TEXT_ENDS:
            text, part = _known_text(one, env), _known_text(other.value, env)
            return None if text is None or part is None else _TEXT_ENDS[name](text, part)
        case Call(args=(first, *rest)):
            pass
        case _:
            path = path_of(test)
            return _truthiness(env.facts[path], env.language) if path in env.facts else None
    path = path_of(test)
    if path in env.facts:
        return _truthiness(env.facts[path], env.language)
    name, asked = dotted_name_of(test.callee), path_of(first.value)
    if name == "isinstance" and rest:
        classes = rest[0].value
        listed = classes.items if isinstance(classes, ArrayLiteral) else (classes,)
        return _is_instance(first.value, listed, env)
    if name == "Objects.equals" and rest:
        return _is_same(first.value, rest[0].value, env, strict=False)
    if asked not in env.facts:
        return None
    fact = env.facts[asked]
    if name == "Array.isArray":
        return None if fact in (Kind.PRESENT, Kind.TRUTHY) else fact is Kind.LIST
    if name in ("Boolean", "bool"):
        return _truthiness(fact, env.language)
    if name in _NULL_TESTS:
        return is_null_fact(fact) is _NULL_TESTS[name]
    if name in _EMPTY_TESTS:
        return _is_empty_text(fact)
    if name in _TEXT_TESTS:
        return negate(_is_empty_text(fact))
    return None


def _written_value(expr: Expr) -> Expr | None:
    """What is written as a text: `status` of `String(status)` and `status.toString()`."""
    match expr:
        case Call(callee=callee, args=(one,)) if dotted_name_of(callee) in _TEXTS_OF:
            return one.value
        case Call(callee=Attribute(value=one, name="toString" | "ToString"), args=()):
            return one
        case Text(parts=(one,)):
            return one
        case _:
            return None


def _known_text(expr: Expr, env: Env) -> str | None:
    written = _written_value(expr)
    if written is not None:
        number = _fact_of(written, env)
        if isinstance(number, int) and not isinstance(number, bool):
            return str(number)
    fact = _fact_of(expr, env)
    if fact is Unknown.FACT:
        fact = _constant_fact(expr, env)
    if isinstance(fact, RequestMethod) or (isinstance(fact, EnumConstant) and fact.name in _VERBS):
        return fact.name
    return fact if isinstance(fact, str) else None


def _is_empty_text(fact: Fact) -> bool | None:
    if is_null_fact(fact):
        return True
    if isinstance(fact, str):
        return not fact.strip() if not fact or fact.strip() else None
    return False if fact in (Kind.NONEMPTY_TEXT, Kind.TRUTHY) else None


def _is_instance(expr: Expr, classes: Iterable[Expr], env: Env) -> bool | None:
    """Whether a value is an instance of one of several classes of the language itself."""
    path = path_of(expr)
    if path not in env.facts:
        return None
    fact = env.facts[path]
    if is_null_fact(fact):
        return False
    if isinstance(fact, Typed):
        return any_of(
            env.is_of(fact, each) if isinstance(each, TypeValue) else None for each in classes
        )
    return any_of(_is_of_class(fact, _class_name(each)) for each in classes)


def _class_name(expr: Expr) -> str:
    if isinstance(expr, TypeValue):
        return expr.type.name if isinstance(expr.type, NamedType) else ""
    return expr.id if isinstance(expr, Name) else ""


_OF_ANY_CLASS = (Kind.PRESENT, Kind.TRUTHY, Kind.EMPTY)


def _is_of_class(fact: Fact, name: str) -> bool | None:
    wanted = _CLASSES.get(name)
    if wanted is None or fact in _OF_ANY_CLASS or (fact is Kind.LIST and not wanted):
        return None
    if fact is Kind.OBJECT:  # an object of a class of the project, or a map
        return None if Kind.MAP in wanted else False
    if isinstance(fact, Kind):
        return (str in wanted) if fact in _TEXTS else fact in wanted
    if isinstance(fact, bool):
        return bool in wanted or int in wanted
    return type(fact) in wanted


# --------------------------------------------------------------------------- comparisons


def _truthiness(fact: Fact, language: str) -> bool | None:
    if isinstance(fact, bool):
        return fact
    if language not in OWN_TRUTH:
        return None
    match fact:
        case Kind.UNDEFINED:
            return False
        case Kind.EMPTY:
            return language != "python"
        case EnumConstant() | Typed():
            return None
        case Kind.NONEMPTY_TEXT | Kind.FUNCTION | Kind.TRUTHY:
            return True
        case Kind.LIST | Kind.OBJECT | Kind.MAP:
            return True if language == "typescript" else None  # Python's `[]` counts as false
        case Kind():
            return None
        case _:
            return bool(fact)


def _is_same(left: Expr, right: Expr, env: Env, *, strict: bool) -> bool | None:
    """Whether two expressions of which one is known are the same. To JavaScript's `===`, null and
    undefined are two."""
    one, other = _fact_of(left, env), _fact_of(right, env)
    if isinstance(one, Unknown) and isinstance(other, Unknown):
        return None
    if isinstance(one, Unknown):
        left, right, one, other = right, left, other, one
    if isinstance(other, Unknown):
        other = _constant_fact(right, env)
    if isinstance(one, Unknown) or isinstance(other, Unknown):
        return None
    if is_null_fact(one) and is_null_fact(other):
        return _same_null(one, right, strict=strict)
    if is_null_fact(one) or is_null_fact(other):
        return False
    if isinstance(one, RequestMethod) or isinstance(other, RequestMethod):
        return _is_same_method(one, other)
    if isinstance(one, EnumConstant) and isinstance(other, EnumConstant):
        return one.name == other.name if is_same_enum(one.enum, other.enum) else None
    if isinstance(one, Typed) or isinstance(other, Typed):
        return None
    if isinstance(one, Kind) or isinstance(other, Kind):
        return _same_kind(one, other, strict or env.language == "python")
    return one == other if type(one) is type(other) else None


def _number(expr: Expr, env: Env) -> float | None:
    """The number that an expression is known to be."""
    match expr:
        case Call(callee=Name(id="len"), args=(only,)):
            fact = _fact_of(only.value, env)
            return 0 if fact is Kind.EMPTY else len(fact) if isinstance(fact, str) else None
        case _:
            fact = _fact_of(expr, env)
            fact = _constant_fact(expr, env) if isinstance(fact, Unknown) else fact
            if isinstance(fact, int | float) and not isinstance(fact, bool):
                return fact
            return None


def is_same_enum(one: str, other: str) -> bool:
    """Whether two enums are one; that of a library may be known without its namespace."""
    if "." in one and "." in other:
        return one == other
    return one.rpartition(".")[2] == other.rpartition(".")[2]


def _is_same_method(one: Fact, other: Fact) -> bool | None:
    """Whether the method of the request is a text, or a constant that is called after a method:
    `HttpMethod.GET`, `HttpMethods.Get`."""
    names = [
        each if isinstance(each, str) else getattr(each, "name", "").upper()
        for each in (one, other)
    ]
    is_text = isinstance(one, str) or isinstance(other, str)
    return names[0] == names[1] if is_text or _VERBS.issuperset(names) else None


def _same_null(fact: Fact, written: Expr, *, strict: bool) -> bool | None:
    if not strict:
        return True
    if fact is not Kind.UNDEFINED:
        return None
    if isinstance(written, Name):
        return True if written.id == "undefined" else None
    return False if isinstance(written, LiteralExpr) else None


def _same_kind(one: Fact, other: Fact, strict: bool) -> bool | None:
    kind, literal = (one, other) if isinstance(one, Kind) else (other, one)
    if isinstance(literal, Kind | EnumConstant) or kind is Kind.PRESENT:
        return None
    if kind is Kind.TRUTHY:
        return None if literal else False
    if kind in _TEXTS:
        return False if kind is Kind.NONEMPTY_TEXT and literal == "" else None
    return False if strict else None


def _fact_of(expr: Expr, env: Env) -> Fact | Unknown:
    if isinstance(expr, OperationExpr) and expr.operator == "typeof":
        return _typeof(expr.operands, env)
    path = path_of(expr)
    if path in env.facts:
        return env.facts[path]
    match expr:
        case Call(callee=Attribute(value=of, name=name), args=()) if isinstance(
            fact := _fact_of(of, env), RequestMethod
        ):
            if name in _LOWER_CASE:
                return fact.name.lower()
            return fact if name in _NAMING else Unknown.FACT
        case _:
            return Unknown.FACT


def _typeof(operands: tuple[Expr, ...], env: Env) -> Fact | Unknown:
    path = path_of(operands[0]) if operands else ""
    if path not in env.facts:
        return Unknown.FACT
    fact = env.facts[path]
    found = _TYPEOF_KINDS.get(fact) if isinstance(fact, Kind) else _TYPEOF.get(type(fact))
    return Unknown.FACT if found is None else found


def _constant_fact(expr: Expr, env: Env) -> Fact | Unknown:
    """The fact that an expression without a path stands for."""
    match expr:
        case LiteralExpr(value=value):
            return value
        case Name(id="undefined"):
            return Kind.UNDEFINED
        case Name(id="null" | "None"):
            return None
        case Name() | Attribute():
            return env.constant(expr)
        case Call(callee=Attribute(value=of, name=name), args=()) if name in _NAMING:
            fact = _constant_fact(of, env)
            is_method = isinstance(fact, EnumConstant) and fact.name in _VERBS
            return fact if is_method else Unknown.FACT
        case _:
            return Unknown.FACT


def _is_falsy(option: Expr) -> bool:
    """Whether an option of a choice stands for a value that fails (see `OperationExpr`)."""
    return isinstance(option, OperationExpr) and option.operator == "falsy"
