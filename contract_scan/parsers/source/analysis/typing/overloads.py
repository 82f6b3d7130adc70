"""Which overload of a method a call means, told by the types of the arguments."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from msgspec import Struct
from msgspec.structs import replace

from contract_scan.ir.schema import Array, LiteralValue, Scalar, Schema
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import (
    BySchema,
    ByType,
    ClassSymbol,
    Constant,
    FunctionValue,
    Instance,
    LibraryResult,
    LibrarySymbol,
    Scope,
    Value,
)
from contract_scan.parsers.source.analysis.syntax.signatures import signature, type_spelling
from contract_scan.parsers.source.analysis.typing.kinds import MAP, kind_of, kind_of_type
from contract_scan.parsers.source.facts.nodes import (
    ArrayType,
    Call,
    Expr,
    Function,
    NamedType,
    NullableType,
    Param,
    TypeExpr,
    UnsupportedType,
)

OMITTED, TYPE_PARAMETER, CONVERTED, UNRELATED = 1, 1_000, 10_000, 1_000_000
"""How badly a parameter fits: a default stands for it, it takes any type, the argument may be
converted to it, it is of a type that the argument does not have."""
_MAX_DEPTH = 4


class OverloadRules(Struct, frozen=True, kw_only=True):
    """How a language chooses among methods of one name."""

    anything: frozenset[str]
    """Types that take every value."""
    telling_nothing: frozenset[str]
    """Return types that do not tell what is returned."""
    function_misfit: Callable[[Program, TypeExpr, Scope, FunctionValue], int]
    """How badly a parameter of a type fits that is given a lambda or a method."""
    of_literal: Callable[[LiteralValue], tuple[str, ...]]
    """The types that a constant may have; empty where it fits everything."""
    of_scalar: Callable[[Scalar], tuple[str, ...]]
    """The types that a value of a shape may have; empty where that is open."""
    of_external: Callable[[str], str]
    """The type of a constant of a library by its qualified name; empty where that is open."""
    conversion: Callable[[str, str], int | None]
    """(type of the argument, type of the parameter) -> how badly it fits, as far as types of the
    language itself are concerned (`anything` among them); None where neither is one."""
    parts: Callable[[Program, ClassSymbol], list[ClassSymbol]]
    """The declarations that make up a class."""
    variadic: int
    """How badly a method fits that takes any number of arguments."""
    inherited: bool
    """Whether inherited methods are chosen among as well, where a class has some of its own."""


def can_take(params: tuple[Param, ...], count: int) -> bool:
    """Whether a function takes so many arguments."""
    required = sum(p.default is None and p.kind == "" for p in params)
    return required <= count and (count <= len(params) or any(p.kind for p in params))


def overload(
    rules: OverloadRules,
    program: Program,
    callee: FunctionValue,
    names: tuple[str, ...],
    value: Callable[[int], Value],
) -> FunctionValue | None:
    """The overload that is called with arguments of these names (empty: by position); None where
    the arguments do not tell which one."""
    named = _overloads(rules, program, callee)
    methods = [method for method in named if can_take(method.function.params, len(names))]
    if not methods:
        return callee
    if len(methods) < 2 or _have_same_return_type(rules, methods):
        return callee if _contains(methods, callee) else methods[0]
    fitting = _best_methods(rules, program, methods, names, value)
    if not fitting or (len(fitting) > 1 and not _have_same_return_type(rules, fitting)):
        return None
    return fitting[0]


def called_overload(
    program: Program,
    callee: FunctionValue,
    call: Call,
    scope: Scope,
    evaluate: Callable[[Expr, Scope], Value],
) -> FunctionValue | None:
    """The function that a call means, of all that have the name of `callee`; None where its
    arguments do not tell which one."""
    names = tuple(argument.name for argument in call.args)
    return meant_overload(
        program, callee, names, lambda index: evaluate(call.args[index].value, scope)
    )


def meant_overload(
    program: Program,
    callee: FunctionValue,
    names: tuple[str, ...],
    value: Callable[[int], Value],
) -> FunctionValue | None:
    """The same for arguments with these names (empty: passed by position) and values."""
    choose = program.language.overload
    if choose is None or callee.owner is None:
        return callee
    return choose(program, callee, names, value)


def may_mean(
    rules: OverloadRules,
    program: Program,
    callee: FunctionValue,
    names: tuple[str, ...],
    value: Callable[[int], Value],
) -> bool:
    """Whether a call with these arguments may mean this very method rather than another one of its
    name."""
    named = _overloads(rules, program, callee)
    methods = [method for method in named if can_take(method.function.params, len(names))]
    if len(methods) < 2 or not _contains(methods, callee):
        return True
    fitting = _best_methods(rules, program, methods, names, value)
    return not fitting or _contains(fitting, callee)


def meant_methods(
    rules: OverloadRules,
    program: Program,
    callee: FunctionValue,
    names: tuple[str, ...],
    value: Callable[[int], Value],
    type_args: int = 0,
) -> list[FunctionValue]:
    """The methods of a name that a call with these arguments, and so many type arguments where it
    writes them, may mean, whatever they return: the callee itself where none fits."""
    methods = [
        method
        for method in _overloads(rules, program, callee)
        if can_take(method.function.params, len(names))
        and type_args in (0, len(method.function.type_params))
    ]
    if len(methods) < 2:
        return methods or [callee]
    return _best_methods(rules, program, methods, names, value) or [callee]


def may_take(
    rules: OverloadRules,
    program: Program,
    callee: FunctionValue,
    names: tuple[str, ...],
    value: Callable[[int], Value],
) -> bool:
    """Whether a method may be given arguments of these types: no other method need be meant."""
    values = [value(index) for index in range(len(names))]
    return _misfit(rules, program, callee, names, values)[0] < UNRELATED


def _contains(methods: list[FunctionValue], callee: FunctionValue) -> bool:
    place = (callee.scope.file.path, callee.function.span)
    return any((m.scope.file.path, m.function.span) == place for m in methods)


def _overloads(
    rules: OverloadRules, program: Program, callee: FunctionValue
) -> list[FunctionValue]:
    """All methods of the name, nearest first; none for a lambda or a local function."""
    owner = callee.owner
    if owner is None:
        return []
    own = [
        replace(callee, function=method)
        for part in rules.parts(program, owner)
        for method in _methods_named(part, callee.function.name)
    ]
    if all(method.function.span != callee.function.span for method in own):
        return []
    if not rules.inherited:
        return own
    found = own
    overridden = {signature(method.function) for method in own}
    for base, bound in program.names.classes.ancestors(owner):
        more = [
            m for m in _methods_named(base, callee.function.name) if signature(m) not in overridden
        ]
        if more:
            inside = program.names.classes.class_scope(base, {**callee.scope.types, **bound})
            found.extend(FunctionValue(m, inside, base, callee.receiver) for m in more)
            overridden.update(map(signature, more))
    return found


def _methods_named(symbol: ClassSymbol, name: str) -> Iterator[Function]:
    for method in symbol.decl.methods:
        if method.name == name and "constructor" not in method.modifiers:
            yield method


def _have_same_return_type(rules: OverloadRules, methods: Sequence[FunctionValue]) -> bool:
    """Whether it does not matter which of the methods is called: all say that they return one
    type, and it tells what is returned."""
    return_types = {type_spelling(method.function.returns) for method in methods}
    return len(return_types) == 1 and not any(
        name in rules.telling_nothing for name in _names(methods[0].function.returns)
    )


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
        case UnsupportedType():
            yield "object"
        case _:
            pass


# --------------------------------------------------------------------------- how well one fits


def _best_methods(
    rules: OverloadRules,
    program: Program,
    methods: list[FunctionValue],
    names: tuple[str, ...],
    value: Callable[[int], Value],
) -> list[FunctionValue]:
    """The methods that fit best, of the nearest class; none where no method fits."""
    values = [value(index) for index in range(len(names))]
    ranked = [(_misfit(rules, program, method, names, values), method) for method in methods]
    best = min(misfit for misfit, _ in ranked)
    if best[0] >= UNRELATED:
        return []
    fitting = [method for misfit, method in ranked if misfit == best]
    nearest = fitting[0].owner
    return [method for method in fitting if method.owner is nearest]


def _misfit(
    rules: OverloadRules,
    program: Program,
    method: FunctionValue,
    names: tuple[str, ...],
    values: list[Value],
) -> tuple[int, int]:
    """How badly a method fits as a whole; where that is the same, how many arguments are of a type
    by another name than the parameter's."""
    params = method.function.params
    total = OMITTED * max(len(params) - len(values), 0)
    differing = 0
    variadic = 0
    for index, (name, value) in enumerate(zip(names, values, strict=True)):
        if name:
            found = next((p for p in params if p.name == name), None)
            if found is None:
                return UNRELATED * (len(values) + 1), 0
        else:
            found = params[min(index, len(params) - 1)] if params else None
        if found is None or found.type is None:
            continue
        if found.kind:
            variadic = rules.variadic  # any number of arguments: the last choice
            continue
        total += _distance(rules, program, found.type, method, value)
        differing += _outer_name(found.type) not in _names_of_value(rules, value)
    return total + variadic, differing


def _outer_name(type: TypeExpr | None) -> str:
    match type:
        case NamedType(name=name):
            return name.rpartition(".")[2]
        case NullableType(item=item):
            return _outer_name(item)
        case ArrayType(item=item):
            return f"{_outer_name(item)}[]"
        case _:
            return ""


def _names_of_value(rules: OverloadRules, value: Value) -> tuple[str, ...]:
    match value:
        case ByType(type=type):
            return (_outer_name(type),)
        case Instance(symbol=symbol):
            return (symbol.decl.name,)
        case LibraryResult(site=site):
            return (_outer_name(getattr(site, "type", None)),)
        case Constant(value=literal):
            return rules.of_literal(literal)
        case BySchema(schema=Scalar() as schema):
            return rules.of_scalar(schema)
        case _:
            return ()


def _distance(
    rules: OverloadRules, program: Program, type: TypeExpr, method: FunctionValue, value: Value
) -> int:
    """How far the type of an argument is from that of a parameter."""
    if isinstance(value, FunctionValue):
        return rules.function_misfit(program, type, method.scope, value)
    own = {parameter.name for parameter in method.function.type_params}
    wanted = kind_of_type(program, type, method.scope, own)
    if wanted is None:
        return 0
    given = _argument_types(rules, program, value)
    if given is None:
        return 0
    lists, alternatives = given
    depth, name = wanted
    if name == "*":
        bound = _type_parameter_bound(program, type, method)
        if bound is not None:
            return min(_type_distance(rules, kinds, bound) for kinds in alternatives) + 1
        return TYPE_PARAMETER if lists >= depth else UNRELATED
    if depth == 0 and lists and name in rules.anything:
        return CONVERTED
    if depth != lists:
        return UNRELATED
    return min(_type_distance(rules, kinds, name) for kinds in alternatives)


def _type_parameter_bound(program: Program, type: TypeExpr, method: FunctionValue) -> str | None:
    """The class of the project that a type parameter is bound to."""
    for parameter in method.function.type_params:
        if isinstance(type, NamedType) and type.name == parameter.name and parameter.bound:
            own = {other.name for other in method.function.type_params}
            found = kind_of_type(program, parameter.bound, method.scope, own)
            return found[1] if found is not None and "#" in found[1] else None
    return None


def _type_distance(rules: OverloadRules, kinds: list[str], name: str) -> int:
    """How far a type, given with those it inherits from, is from another."""
    if name in kinds:
        return kinds.index(name)
    if kinds[0].startswith(MAP) or name.startswith(MAP):
        return _between_maps(rules, kinds, name)
    known = rules.conversion(kinds[0], name)
    if known is not None:
        return known
    return UNRELATED if "#" in name else CONVERTED


def _between_maps(rules: OverloadRules, kinds: list[str], name: str) -> int:
    """How far a map is from another; a map is no list."""
    if not (kinds[0].startswith(MAP) and name.startswith(MAP)):
        return UNRELATED
    if kinds[0] == f"{MAP}*":
        return 0
    inner = [kind.removeprefix(MAP) for kind in kinds]
    return _type_distance(rules, inner, name.removeprefix(MAP))


def _argument_types(
    rules: OverloadRules, program: Program, value: Value
) -> tuple[int, list[list[str]]] | None:
    """The depth of lists around a value, and the types that it may have within."""
    match value:
        case Constant(value=literal):
            lists, names = 0, rules.of_literal(literal)
        case BySchema(schema=schema):
            lists, names = _of_schema(rules, schema)
        case LibrarySymbol(name=qualified):
            known = rules.of_external(qualified)
            lists, names = 0, (known,) if known else ()
        case _:
            kind = kind_of(program, value)
            return None if kind is None else (kind[0], [kind[1]])
    return (lists, [[name] for name in names]) if names else None


def _of_schema(rules: OverloadRules, schema: Schema, depth: int = 0) -> tuple[int, tuple[str, ...]]:
    match schema:
        case Array(items=items) if depth < _MAX_DEPTH:
            lists, names = _of_schema(rules, items, depth + 1)
            return lists + 1, names
        case Scalar():
            return 0, rules.of_scalar(schema)
        case _:
            return 0, ()
