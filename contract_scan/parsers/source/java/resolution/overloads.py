"""How Java chooses among methods of one name."""

from __future__ import annotations

from functools import partial

from contract_scan.ir.schema import LiteralValue, Scalar
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import (
    FunctionValue,
    Scope,
    Value,
)
from contract_scan.parsers.source.analysis.typing import overloads
from contract_scan.parsers.source.analysis.typing.overloads import (
    CONVERTED,
    UNRELATED,
    OverloadRules,
)
from contract_scan.parsers.source.facts.nodes import NamedType, TypeExpr
from contract_scan.parsers.source.java.resolution.containers import CONTAINERS

_BOXING = 10 * CONVERTED
"""Methods that need no boxing come first, then those that take no variable number of arguments."""
_VARIADIC = 4 * _BOXING
_WIDTHS = {"byte": 0, "short": 1, "int": 2, "long": 3, "float": 4, "double": 5}
_BOXED = {
    "Byte": "byte",
    "Short": "short",
    "Integer": "int",
    "Long": "long",
    "Float": "float",
    "Double": "double",
    "Character": "char",
    "Boolean": "boolean",
}
_PRIMITIVES = frozenset(_BOXED.values())
_WHOLE = ("int", "long", "Integer", "Long", "short", "byte")
_TEXT = frozenset({"CharSequence", "Comparable", "Serializable", "Constable"})
_OF_NUMBERS = frozenset({"Number", "Comparable", "Serializable", "Constable"})
_NO_FUNCTIONS = frozenset({"Object", "String", *_PRIMITIVES, *_BOXED, *CONTAINERS})


def may_mean(program: Program, callee: FunctionValue, values: tuple[Value, ...]) -> bool:
    """Whether a call with these arguments may mean this very method rather than another one of its
    name."""
    return overloads.may_mean(_RULES, program, callee, ("",) * len(values), values.__getitem__)


def meant_methods(
    program: Program, callee: FunctionValue, values: tuple[Value, ...]
) -> list[FunctionValue]:
    """The methods of a name that a call with these arguments may mean."""
    return overloads.meant_methods(_RULES, program, callee, ("",) * len(values), values.__getitem__)


def _function_misfit(program: Program, type: TypeExpr, scope: Scope, given: FunctionValue) -> int:
    """Any interface of one method takes a lambda, and libraries declare many."""
    if not isinstance(type, NamedType):
        return UNRELATED
    found = program.names.declared_class(type, scope)
    if found is not None:
        return 0 if found.decl.kind == "interface" else UNRELATED
    return UNRELATED if type.name.rpartition(".")[2] in _NO_FUNCTIONS else 0


def _of_literal(value: LiteralValue) -> tuple[str, ...]:
    """What a constant is declared as is not known any more, only what it may be."""
    match value:
        case bool():
            return ("boolean", "Boolean")
        case int():
            return _WHOLE
        case float():
            return ("double", "float", "Double", "Float")
        case str() if len(value) == 1:
            return ("String", "char", "Character")
        case str():
            return ("String",)
        case _:
            return ()


def _of_scalar(schema: Scalar) -> tuple[str, ...]:
    match schema:
        case Scalar(type="string", format="", values=None):
            return ("String",)
        case Scalar(type="boolean"):
            return ("boolean", "Boolean")
        case Scalar(type="integer", format="int64"):
            return ("long", "Long")
        case Scalar(type="integer", format="int32"):
            return ("int", "Integer")
        case _:
            return ()


def _of_constant(name: str) -> str:
    """`HttpStatus.OK` is a constant of an enum, which `HttpStatus` is the type of."""
    owner, _, constant = name.rpartition(".")
    simple = owner.rpartition(".")[2]
    return simple if constant.isupper() and simple in _ENUMS else ""


_ENUMS = frozenset({"HttpStatus", "HttpMethod", "RequestMethod", "TimeUnit", "ChronoUnit"})


def _conversion(here: str, name: str) -> int | None:
    if here in _PRIMITIVES:
        return _of_primitive(here, name)
    if name == "Object":
        return CONVERTED
    if here in _BOXED:
        if name in _PRIMITIVES:
            return _BOXING + _widening_distance(_BOXED[here], name)
        return 1 if name in _OF_NUMBERS else UNRELATED
    if here == "String":
        return 1 if name in _TEXT else UNRELATED
    if here == "Object" or name == "String" or name in _PRIMITIVES or name in _BOXED:
        return UNRELATED
    return None


def _of_primitive(here: str, name: str) -> int:
    if name in _PRIMITIVES:
        return _widening_distance(here, name)
    if _BOXED.get(name) == here:
        return _BOXING
    if name == "Object":
        return _BOXING + CONVERTED
    return _BOXING + 1 if name in _OF_NUMBERS else UNRELATED


def _widening_distance(here: str, name: str) -> int:
    if here == name:
        return 0
    if here == "char" and name in ("int", "long", "float", "double"):
        return _WIDTHS[name]
    if here not in _WIDTHS or name not in _WIDTHS or _WIDTHS[name] < _WIDTHS[here]:
        return UNRELATED
    return _WIDTHS[name] - _WIDTHS[here]


_RULES = OverloadRules(
    anything=frozenset({"Object"}),
    telling_nothing=frozenset(
        {
            *("Object", "ResponseEntity", "HttpEntity", "Response", "RestResponse", "JsonNode"),
            *("ObjectNode", "Map", "object"),
        }
    ),
    function_misfit=_function_misfit,
    of_literal=_of_literal,
    of_scalar=_of_scalar,
    of_external=_of_constant,
    conversion=_conversion,
    parts=lambda program, symbol: [symbol],
    variadic=_VARIADIC,
    inherited=True,
)

overload = partial(overloads.overload, _RULES)
"""The overload that is called with some arguments; None where they do not tell which one."""
