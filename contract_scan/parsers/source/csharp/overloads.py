"""Which overload of a method a call means, told by the types of the arguments."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from msgspec.structs import replace

from contract_scan.ir.schema import Array, Scalar, Schema
from contract_scan.parsers.source.csharp.extensions import kind_of, kind_of_type
from contract_scan.parsers.source.csharp.members import parts
from contract_scan.parsers.source.facts import (
    ArrayType,
    Function,
    NamedType,
    NullableType,
    Param,
    TypeExpr,
)
from contract_scan.parsers.source.link.values import (
    Constant,
    FunctionValue,
    Scope,
    Shaped,
    Value,
)

if TYPE_CHECKING:
    from contract_scan.parsers.source.link.program import Program

_OMITTED, _TYPE_PARAMETER, _CONVERTED, _UNRELATED = 1, 1_000, 10_000, 1_000_000
"""How badly a parameter fits: a default stands for it, it takes any type, the argument may be
converted to it, it is of a type that the argument does not have."""
_NUMBERS = {
    "byte": 0,
    "short": 1,
    "int": 2,
    "uint": 3,
    "long": 4,
    "ulong": 5,
    "float": 6,
    "double": 7,
    "decimal": 8,
}
_FUNCTIONS = frozenset({"Func", "Action", "Expression", "Predicate", "Comparison", "Delegate"})
_ANYTHING = frozenset({"object", "Object", "dynamic"})
_TELLING_NOTHING = frozenset({*_ANYTHING, "IActionResult", "ActionResult", "IResult", "JsonNode"})
_MAX_DEPTH = 4


def takes(params: tuple[Param, ...], count: int) -> bool:
    """Whether a function takes so many arguments."""
    required = sum(p.default is None and p.kind == "" for p in params)
    return required <= count and (count <= len(params) or any(p.kind for p in params))


def overload(
    program: Program,
    callee: FunctionValue,
    names: tuple[str, ...],
    value: Callable[[int], Value],
) -> FunctionValue | None:
    """The overload that is called with arguments of these names (empty: by position); None where
    the arguments do not tell which one."""
    if callee.owner is None:
        return callee
    named = [
        method
        for part in parts(program, callee.owner)
        for method in part.decl.methods
        if method.name == callee.function.name and "constructor" not in method.modifiers
    ]
    if len(named) < 2 or all(method.span != callee.function.span for method in named):
        return callee  # the only one, or a lambda or local function
    methods = [method for method in named if takes(method.params, len(names))]
    if not methods:
        return callee
    if len(methods) < 2 or _alike(methods):
        return callee if callee.function in methods else replace(callee, function=methods[0])
    values = [value(index) for index in range(len(names))]
    ranked = [(_misfit(program, m, callee.scope, names, values), m) for m in methods]
    best = min(misfit for misfit, _ in ranked)
    fitting = [method for misfit, method in ranked if misfit == best]
    if len(fitting) > 1 and not _alike(fitting):
        return None
    return replace(callee, function=fitting[0])


def _alike(methods: list[Function]) -> bool:
    """Whether it does not matter which of the methods is called: all say that they return one
    type, and it tells what is returned."""
    returned = {_written(method.returns) for method in methods}
    return len(returned) == 1 and not any(
        name in _TELLING_NOTHING for name in _names(methods[0].returns)
    )


def _written(type: TypeExpr | None) -> str:
    match type:
        case NamedType(name=name, args=args):
            return f"{name}({', '.join(map(_written, args))})"
        case NullableType(item=item):
            return f"{_written(item)}?"
        case ArrayType(item=item):
            return f"{_written(item)}[]"
        case _:
            return repr(type)


def _names(type: TypeExpr | None) -> Iterator[str]:
    match type:
        case None:
            yield "object"
        case NamedType(name=name, args=args):
            yield name.rpartition(".")[2]
            for argument in args:
                yield from _names(argument)
        case NullableType(item=item) | ArrayType(item=item):
            yield from _names(item)
        case _:
            pass


def _misfit(
    program: Program,
    method: Function,
    scope: Scope,
    names: tuple[str, ...],
    values: list[Value],
) -> int:
    params = method.params
    own = {parameter.name for parameter in method.type_params}
    total = _OMITTED * max(len(params) - len(values), 0)
    for index, (name, value) in enumerate(zip(names, values, strict=True)):
        if name:
            found = next((p for p in params if p.name == name), None)
            if found is None:
                return _UNRELATED * (len(values) + 1)
        else:
            found = params[min(index, len(params) - 1)] if params else None
        if found is None or found.type is None:
            continue
        if found.kind:
            total += _TYPE_PARAMETER  # any number of arguments: the last choice
            continue
        total += _distance(program, found.type, scope, own, value)
    return total


def _distance(program: Program, type: TypeExpr, scope: Scope, own: set[str], value: Value) -> int:
    """How far the type of an argument is from that of a parameter."""
    wanted = kind_of_type(program, type, scope, own)
    if wanted is None:
        return 0
    depth, name = wanted
    if isinstance(value, FunctionValue):
        return 0 if name.partition("`")[0] in _FUNCTIONS else _UNRELATED
    given = _given(program, value)
    if given is None:
        return 0
    if name == "*":
        return _TYPE_PARAMETER if given[0] >= depth else _UNRELATED
    if depth == 0 and name in _ANYTHING:
        return _CONVERTED
    if depth != given[0]:
        return _UNRELATED
    if name in given[1]:
        return given[1].index(name)
    here = given[1][0]
    if here in _NUMBERS and name in _NUMBERS:
        further = _NUMBERS[name] - _NUMBERS[here]
        return further if further > 0 else _UNRELATED
    return _UNRELATED if "#" in name or {here, name} & {*_NUMBERS, "string", "bool"} else _CONVERTED


def _given(program: Program, value: Value) -> tuple[int, list[str]] | None:
    match value:
        case Constant(value=bool()):
            return (0, ["bool"])
        case Constant(value=int()):
            return (0, ["int"])
        case Constant(value=float()):
            return (0, ["double"])
        case Constant(value=str()):
            return (0, ["string"])
        case Shaped(schema=schema):
            return _of_schema(schema)
        case _:
            return kind_of(program, value)


def _of_schema(schema: Schema, depth: int = 0) -> tuple[int, list[str]] | None:
    match schema:
        case Array(items=items) if depth < _MAX_DEPTH:
            inner = _of_schema(items, depth + 1)
            return None if inner is None else (inner[0] + 1, inner[1])
        case Scalar(type="string", format=""):
            return (0, ["string"])
        case Scalar(type="boolean"):
            return (0, ["bool"])
        case Scalar(type="integer", format=format):
            return (0, ["long" if format == "int64" else "int"])
        case _:
            return None
