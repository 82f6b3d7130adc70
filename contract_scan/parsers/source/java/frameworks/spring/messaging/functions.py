"""Beans that are functions: `@Bean Function<A, B> name()`, and components that implement one."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from msgspec import Struct

from contract_scan.ir.origin import Origin
from contract_scan.parsers.source.analysis.domain.values import ClassSymbol, Scope
from contract_scan.parsers.source.facts.nodes import (
    ArrayType,
    FileFacts,
    Function,
    NamedType,
    TypeExpr,
)
from contract_scan.parsers.source.java.resolution.annotations import (
    argument,
    find,
    items,
    type_name,
)

if TYPE_CHECKING:
    from contract_scan.parsers.source.analysis.domain.program import Program

MARKERS = (b"java.util.function",)
"""A file that declares such a bean holds one of these."""
_METHODS = {
    "Supplier": "get",
    "Function": "apply",
    "Consumer": "accept",
    "BiFunction": "apply",
    "BiConsumer": "accept",
}
_STREAMS = frozenset({"KStream", "KTable", "GlobalKTable"})
_GIVING = frozenset({"Supplier", "Function", "BiFunction"})
_COMPONENTS = ("Component", "Service", "Bean", "Named")
_MAX_CURRIED = 8


class FunctionBean(Struct, frozen=True, eq=False):
    """One bean that takes and gives values."""

    name: str
    inputs: tuple[TypeExpr, ...]
    outputs: tuple[TypeExpr, ...]
    branches: bool
    """Whether the only output stands for any number of them (`KStream<K, V>[]`)."""
    function: Function
    """The method to look into: that which makes the function, or which is it."""
    scope: Scope
    """Around that method."""
    origin: Origin

    @property
    def is_stream(self) -> bool:
        """Whether it works on streams of Kafka, which have serializers of their own."""
        return any(_is_stream(type) for type in (*self.inputs, *self.outputs))


def function_beans(program: Program, file: FileFacts) -> Iterator[FunctionBean]:
    """The beans of a file that are functions, in its order."""
    for symbol in program.classes(file):
        scope = program.class_scope(symbol)
        for method in symbol.decl.methods:
            bean = find(method.annotations, "Bean")
            if bean is None or not isinstance(method.returns, NamedType):
                continue
            named = next(iter(items(argument(bean, "value", "name"))), None)
            name = program.text(named, scope) if named is not None else method.name
            yield from _bean(name or method.name, method.returns, method, symbol, scope)
        if find(symbol.decl.annotations, *_COMPONENTS) is not None:
            yield from _component(program, symbol, scope)


def _component(program: Program, symbol: ClassSymbol, scope: Scope) -> Iterator[FunctionBean]:
    for base in symbol.decl.bases:
        called = _METHODS.get(type_name(base))
        if called is None or not isinstance(base, NamedType):
            continue
        method = next((m for m in symbol.decl.methods if m.name == called), None)
        if method is None:
            continue
        component = find(symbol.decl.annotations, *_COMPONENTS)
        given = program.text(argument(component, "value"), scope)
        name = given or symbol.decl.name[:1].lower() + symbol.decl.name[1:]
        yield from _bean(name, base, method, symbol, scope)


def _bean(
    name: str,
    type: NamedType,
    function: Function,
    symbol: ClassSymbol,
    scope: Scope,
) -> Iterator[FunctionBean]:
    if type_name(type) not in _METHODS:
        return
    inputs, output = _parts(type)
    outputs = tuple(_tuple_items(output)) if output is not None else ()
    whole = f"{symbol.qualified_name}.{function.name}"
    yield FunctionBean(
        name=name,
        inputs=tuple(part for input in inputs for part in _tuple_items(input)),
        outputs=outputs,
        branches=len(outputs) == 1 and isinstance(outputs[0], ArrayType) and _is_stream(outputs[0]),
        function=function,
        scope=scope,
        origin=Origin(symbol.file.path, function.name_span, "", whole),
    )


def _parts(type: NamedType) -> tuple[list[TypeExpr], TypeExpr | None]:
    """What a function takes and gives; one that gives a function takes what that takes as well."""
    inputs: list[TypeExpr] = []
    for _ in range(_MAX_CURRIED):
        kind, args = type_name(type), type.args
        if kind == "Supplier":
            return inputs, args[0] if args else None
        inputs.extend(args[:1])
        # The second value of `BiConsumer<A, Map<String, Object>>` are headers, but for streams.
        if kind in ("BiConsumer", "BiFunction") and len(args) > 1 and _is_stream(args[1]):
            inputs.append(args[1])
        output = args[-1] if kind in _GIVING and len(args) > 1 else None
        if not isinstance(output, NamedType) or type_name(output) not in ("Function", "Consumer"):
            return inputs, output
        type = output
    return inputs, None


def _tuple_items(type: TypeExpr) -> tuple[TypeExpr, ...]:
    """The values of `Tuple2<Flux<A>, Flux<B>>`, each of which has a binding of its own."""
    if isinstance(type, NamedType) and type_name(type).startswith("Tuple"):
        return type.args
    return () if type_name(type) == "Void" else (type,)


def _is_stream(type: TypeExpr) -> bool:
    inner = getattr(type, "item", type)
    return type_name(inner) in _STREAMS
