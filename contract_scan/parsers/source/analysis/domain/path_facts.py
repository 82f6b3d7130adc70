"""What is known of the values at paths (`id`, `options.single`) inside a function."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from enum import Enum
from typing import TypeAlias

from msgspec import Struct

from contract_scan.ir.schema import LiteralValue
from contract_scan.parsers.source.facts.nodes import (
    Argument,
    ArrayLiteral,
    Attribute,
    Call,
    Expr,
    Index,
    LiteralExpr,
    Name,
    NamedType,
    OperationExpr,
    TypeValue,
)

_ASKED = ".?"

Path: TypeAlias = str
"""A name and members of it, joined by dots: `options.single`."""


class Kind(Enum):
    """What is known of a value that is not written out."""

    LIST = "list"
    OBJECT = "object"
    MAP = "map"
    """Python's `{"a": 1}`, which is an object and a `dict`."""
    EMPTY = "empty list or map"
    FUNCTION = "function"
    TEXT = "text"
    NONEMPTY_TEXT = "text that is not empty"
    PRESENT = "anything but null"
    TRUTHY = "anything but null, false, zero and what is empty"
    UNDEFINED = "undefined"
    """JavaScript's `undefined`: an argument that is left out, a member that an object lacks."""


class EnumConstant(Struct, frozen=True):
    """A constant of an enum that stands for no literal."""

    enum: str
    """Identity of the enum."""
    name: str


class RequestMethod(Struct, frozen=True):
    """The method of the request, as text or as a constant, whichever a library gives."""

    name: str


class Typed(Struct, frozen=True, eq=False):
    """A value that is not null, of which the declared type is known."""

    value: object
    """The value by its type (see `values`, which stands above this)."""
    name: str
    """What tells it from values of other types."""

    def __repr__(self) -> str:
        return f"Typed({self.name})"


Fact: TypeAlias = LiteralValue | Kind | EnumConstant | RequestMethod | Typed
"""A literal, a constant, or what kind of value it is. None may be null or undefined."""

Facts: TypeAlias = Mapping[Path, Fact]

FactsKey: TypeAlias = frozenset[tuple[Path, str]]
"""Facts as part of a key: `1`, `True` and `"1"` are told apart."""


def facts_key(facts: Facts) -> FactsKey:
    """Facts as part of a key."""
    return frozenset((path, repr(fact)) for path, fact in facts.items())


def is_null_fact(fact: Fact) -> bool:
    """Whether a value is null or undefined."""
    return fact is None or fact is Kind.UNDEFINED


def root_of(path: Path) -> str:
    """The name that a path begins with."""
    return path.partition(".")[0]


def is_below(path: Path, other: Path) -> bool:
    """Whether a path is another one, or a member of it."""
    return path == other or path.startswith(f"{other}.")


def test_path(test: Expr) -> Path:
    """Where the answer stands that a test gives which asks something else of the value at a path:
    `is_open(a)`, `"b" in a`. Empty for any other."""
    match test:
        case Call(callee=callee, args=(only,)) if asked := path_of(only.value):
            called = path_of(callee)
            return f"{asked}{_ASKED}{called}()" if called else ""
        case OperationExpr(operator="in", operands=(LiteralExpr(value=str(key)), of)) if (
            asked := path_of(of)
        ):
            return answer_of_key(asked, key)
        case _ if (asked_class := class_test(test)) is not None and (
            asked := path_of(asked_class[0])
        ):
            classes = "|".join(map(_class_name, asked_class[1]))
            return f"{asked}{_ASKED}of {classes}"
        case _:
            return ""


def answer_of_key(path: Path, key: str) -> Path:
    """Where the answer stands to whether what is at a path has a key: `"b" in a`."""
    return f"{path}{_ASKED}{key} in"


def class_test(test: Expr) -> tuple[Expr, tuple[Expr, ...]] | None:
    """What a test asks of which classes it is an instance, and those that are named: `isinstance(a,
    (Order, Gift))`, `a instanceof Order`, `a is Order`."""
    match test:
        case OperationExpr(
            operator="is" | "instanceof",
            operands=(asked, TypeValue(type=NamedType()) as named),
        ):
            return asked, (named,)
        case Call(callee=Name(id="isinstance"), args=(of, Argument(value=classes))):
            asked = of.value
        case OperationExpr(operator="instanceof", operands=(asked, classes)):
            pass
        case _:
            return None
    match classes:
        case Name() | Attribute():
            return asked, (classes,)
        case ArrayLiteral(items=each) | OperationExpr(operator="|", operands=each):
            return (asked, each) if all(isinstance(e, Name | Attribute) for e in each) else None
        case _:
            return None


def _class_name(expr: Expr) -> str:
    match expr:
        case TypeValue(type=NamedType(name=name)):
            return name
        case _:
            return path_of(expr)


def is_answer(path: Path) -> bool:
    """Whether a path is one of `test_path`: what stands there depends on all of the value."""
    return _ASKED in path


def key_asked_for(path: Path) -> Path:
    """Where the value stands of whose key `test_path` tells whether it is there; empty for other
    answers."""
    of, _, asked = path.partition(_ASKED)
    return f"{of}.{asked[:-3]}" if asked.endswith(" in") else ""


def path_of(expr: Expr) -> Path:
    """The path that an expression reads: `a.b`, `a["b"]`, `a.get("b")`, `a.get("b", None)`,
    `getattr(a, "b", None)`; `a.b()` is one of its own. Empty for any other."""
    parts: list[str] = []
    while True:
        match expr:
            case Name(id=id):
                return ".".join((id, *reversed(parts)))
            case Attribute(value=value, name=name):
                parts.append(name)
            case Index(value=value, index=LiteralExpr(value=str(name))) if "." not in name:
                parts.append(name)
            case Call(callee=Attribute(value=value, name=name), args=()):
                parts.append(f"{name}()")
            case Call(callee=Attribute(value=value, name="get"), args=args) if key := _key(args):
                parts.append(key)
            case Call(callee=Name(id="getattr"), args=(of, *args)) if key := _key(args):
                parts.append(key)
                value = of.value
            case _:
                return ""
        expr = value


def _key(args: Sequence[Argument]) -> str:
    """The key in the arguments of `get("b")` and `get("b", None)`; empty where there is none."""
    match args:
        case [Argument(value=LiteralExpr(value=str(key)))]:
            pass
        case [
            Argument(value=LiteralExpr(value=str(key))),
            Argument(value=LiteralExpr(value=None)),
        ]:
            pass
        case _:
            return ""
    return "" if "." in key else key
