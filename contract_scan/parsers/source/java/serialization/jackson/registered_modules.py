"""Serializers, mix-ins and modifiers that code registers with Jackson."""

from __future__ import annotations

from collections.abc import Iterator
from typing import cast

from msgspec import Struct

from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import ClassSymbol, ClassValue, Scope
from contract_scan.parsers.source.analysis.evaluation.call_sites import calls_in
from contract_scan.parsers.source.facts.nodes import (
    Attribute,
    Call,
    Expr,
    FileFacts,
    Name,
    NamedType,
    New,
    TypeValue,
)
from contract_scan.parsers.source.java.resolution.annotations import (
    argument,
    class_argument,
    constant_name,
    find,
    has,
    items,
    type_name,
)
from contract_scan.parsers.source.java.resolution.build import module_of
from contract_scan.parsers.source.java.resolution.dependencies import related_files_containing
from contract_scan.parsers.source.java.serialization.jackson.affected_properties import (
    mentioned_texts,
)
from contract_scan.parsers.source.java.serialization.jackson.serializer_modifiers import (
    SerializerModifier,
    introspector,
    modifier,
)

_REGISTERING = (
    *(b"addSerializer(", b"addMixIn(", b"etMixIn", b"mixIn", b"@JsonComponent", b"@JsonMixin"),
    *(b"BeanSerializerModifier", b"AnnotationIntrospector"),
)


class RegisteredModules(Struct, frozen=True):
    """Serializers and mix-ins of the whole program, by the name of the class they are for."""

    serializers: dict[str, ClassSymbol | None]
    mixins: dict[str, ClassSymbol]
    changers: list[SerializerModifier]
    """Classes that decide at run time which properties are written."""


def registered_modules(program: Program, path: str) -> RegisteredModules:
    """Serializers and mix-ins that code registers in the modules that a file belongs to."""
    known = cast("dict[str, RegisteredModules]", program.memory.setdefault("java.registered", {}))
    unfinished = cast("set[str]", program.memory.setdefault("java.registering", set()))
    module = module_of(program, path)
    if module not in known:
        known[module] = RegisteredModules({}, {}, [])
        unfinished.add(module)
        _find_registered(program, path, known[module])
        unfinished.discard(module)
    elif module in unfinished:
        # What is registered is asked for on the way to a name that is registered: nothing that is
        # told now may be remembered.
        program.evaluator.budget.cuts += 1
    return known[module]


def _find_registered(program: Program, near: str, found: RegisteredModules) -> None:
    for path in related_files_containing(program, near, *_REGISTERING):
        file = program.facts(path)
        for symbol in program.classes(file):
            _register_annotated(program, symbol, found)
        for call, scope in _all_calls(program, file):
            _register_call(program, call, scope, found)
    # Each of several introspectors may serve a mapper of its own, one for another format.
    readers = [changer for changer in found.changers if changer.reads]
    if len(readers) > 1:
        found.changers[:] = [
            changer.of_some_mapper() if changer in readers else changer
            for changer in found.changers
        ]


def _all_calls(program: Program, file: FileFacts) -> Iterator[tuple[Call, Scope]]:
    for symbol in program.classes(file):
        inside = program.class_scope(symbol)
        for method in symbol.decl.methods:
            if method.body is None:
                continue
            scope = program.function_scope(method, inside)
            for call, place in calls_in(program, method.body, scope):
                if isinstance(call, Call):
                    yield call, place


def _register_annotated(program: Program, symbol: ClassSymbol, found: RegisteredModules) -> None:
    scope = program.class_scope(symbol)
    bases = {type_name(base) for base in symbol.decl.bases}
    if any(base.endswith("SerializerModifier") for base in bases):
        found.changers.append(modifier(program, symbol, mentioned_texts(program, symbol)))
    if any(base.endswith("AnnotationIntrospector") for base in bases):
        found.changers.append(introspector(program, symbol))
    if has(symbol.decl.annotations, "JsonComponent"):
        handled = _serialized_type(symbol)
        if handled is not None:
            _register(program, handled, scope, symbol, found)
    mixin = find(symbol.decl.annotations, "JsonMixin")
    for item in items(argument(mixin, "value", "type")):
        target = class_argument(item)
        if target is not None:
            found.mixins[type_key(program, target, scope)] = symbol


def _register_call(program: Program, call: Call, scope: Scope, found: RegisteredModules) -> None:
    name = constant_name(call.callee)
    values = [a.value for a in call.args]
    if name == "addSerializer" and values:
        serializer = adapter_symbol(program, values[-1], scope)
        target = class_argument(values[0])
        if target is not None:
            _register(program, target, scope, serializer, found)
        elif serializer is not None:
            inside = program.class_scope(serializer)
            handled = _serialized_type(serializer)
            if handled is not None:
                _register(program, handled, inside, serializer, found)
    elif name in _MIXING and len(values) == 2:
        target, mixin = class_argument(values[0]), class_argument(values[1])
        if target is None or mixin is None:
            return
        resolved = program.names.declared_class(mixin, scope)
        if resolved is not None:
            found.mixins[type_key(program, target, scope)] = resolved


_MIXING = frozenset({"addMixIn", "mixIn", "addMixInAnnotations", "put"})
"""Calls with two classes that mix one into the other; `put` fills the map that `setMixIns`
takes."""


def adapter_symbol(program: Program, expr: Expr, scope: Scope) -> ClassSymbol | None:
    """The class of the serializer (or adapter) that an expression gives, where it is one of the
    project."""
    type = expr.type if isinstance(expr, New | TypeValue) else None
    if isinstance(expr, New) and expr.members is not None:
        return ClassSymbol(expr.members, scope.file)
    if isinstance(type, NamedType):
        return program.names.declared_class(type, scope)
    if isinstance(expr, Name | Attribute | Call):
        value = program.evaluate(expr, scope)
        symbol = getattr(value, "symbol", None)
        return symbol if isinstance(symbol, ClassSymbol) else None
    return None


def _serialized_type(serializer: ClassSymbol) -> NamedType | None:
    """The class that a serializer is for, by its base `JsonSerializer<T>`."""
    for base in serializer.decl.bases:
        if isinstance(base, NamedType) and base.args and "Serializer" in base.name:
            (target, *_) = base.args
            if isinstance(target, NamedType) and "Deserializer" not in base.name:
                return target
    return None


def _register(
    program: Program,
    target: NamedType,
    scope: Scope,
    serializer: ClassSymbol | None,
    found: RegisteredModules,
) -> None:
    """Note the serializer of a class. One for a list class writes the items as well."""
    if target.name == "Object":
        return
    found.serializers[type_key(program, target, scope)] = serializer
    resolved = program.names.declared_class(target, scope)
    if resolved is not None:
        inside = program.class_scope(resolved)
        for base in resolved.decl.bases:
            if type_name(base) in _LISTS and isinstance(base, NamedType) and base.args:
                (item, *_) = base.args
                if isinstance(item, NamedType):
                    found.serializers.setdefault(type_key(program, item, inside), None)


_LISTS = frozenset({"ArrayList", "LinkedList", "HashSet", "AbstractList"})


def type_key(program: Program, type: NamedType, scope: Scope) -> str:
    """One name for a class wherever it is mentioned: a project class's key, a library class's
    qualified name."""
    found = program.names.lookup_type(type.name, scope)
    if isinstance(found, ClassValue):
        return found.symbol.key
    name = getattr(found, "name", None)
    return name if isinstance(name, str) else type.name
