"""The calls of a file, and which declarations of the project each of them means.

A call counts as resolved only where evaluation says what is called; a name alone claims nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, TypeAlias

from contract_scan.code_index.declarations import DeclaredSymbols, plain_name
from contract_scan.code_index.records import Call as CallRecord
from contract_scan.ir.origin import Span
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import (
    ByType,
    ClassSymbol,
    ClassValue,
    FunctionValue,
    Instance,
    LibraryResult,
    LibrarySymbol,
    ModuleValue,
    OneOf,
    Scope,
    Unresolved,
    Value,
)
from contract_scan.parsers.source.facts.nodes import (
    Annotation,
    Attribute,
    Call,
    ClassDecl,
    Define,
    Expr,
    FileFacts,
    Function,
    Lambda,
    Member,
    Name,
    NamedType,
    New,
    Param,
)
from contract_scan.parsers.source.facts.visitor import parts

Target: TypeAlias = tuple[str, str]
"""Path and qualified name of a declaration."""
DeclaredIn: TypeAlias = Callable[[str], DeclaredSymbols]
"""The symbols of a file, by its path."""

_MOST_TARGETS = 8
"""Declarations that one call is said to mean; with more, it is not known which."""


def calls_of(program: Program, file: FileFacts, declared_in: DeclaredIn) -> Iterator[CallRecord]:
    """Every call of a file, in no particular order."""
    declared = declared_in(file.path)
    resolver = _Resolver(program, declared_in)
    seen: set[tuple[Span, str]] = set()
    for call, scope in _call_sites(program, file):
        name, place = _name_and_place(call)
        if not name or (place, name) in seen:
            continue
        seen.add((place, name))
        targets, external = resolver.targets(call, scope)
        yield CallRecord(
            name=name,
            line=place.end_line,
            column=max(1, place.end_column - len(name)),
            caller=declared.enclosing_function(call.span),
            targets=targets,
            external=external,
        )


class _Resolver:
    """Finds out what calls mean."""

    def __init__(self, program: Program, declared_in: DeclaredIn) -> None:
        self._program = program
        self._declared_in = declared_in

    def targets(self, call: Call | New, scope: Scope) -> tuple[tuple[Target, ...], bool]:
        """The declarations that a call may mean, and whether it calls a library."""
        found: list[Target] = []
        external = unknown = False
        for value in self._callees(call, scope):
            target = value if isinstance(value, tuple) else self._target(value)
            if target is not None:
                found.append(target)
            elif isinstance(value, LibrarySymbol | LibraryResult):
                external = True
            else:
                unknown = True
        unique = tuple(dict.fromkeys(found))
        if unknown or len(unique) > _MOST_TARGETS:
            return (unique if len(unique) <= _MOST_TARGETS else ()), False
        return unique, external and not unique

    def _callees(self, call: Call | New, scope: Scope) -> Iterator[Value | Target]:
        evaluator = self._program.evaluator
        if isinstance(call, New):
            if call.type is not None:
                found = evaluator.type_value(call.type, scope, call.span)
                yield from _options(found)
            return
        callee = call.callee
        if not isinstance(callee, Attribute):
            for value in _options(self._program.evaluate(callee, scope)):
                yield self._overload(value, call, scope)
            return
        arity = len(call.args)
        for receiver in _options(self._program.evaluate(callee.value, scope)):
            for inner in _options(evaluator.unwrap(receiver)):
                yield from self._methods(inner, callee, call, scope, arity)

    def _methods(
        self, receiver: Value, callee: Attribute, call: Call, scope: Scope, arity: int
    ) -> Iterator[Value | Target]:
        evaluator = self._program.evaluator
        plain = (
            receiver if isinstance(receiver, LibrarySymbol | LibraryResult | ModuleValue) else None
        )
        member = None if plain else evaluator.member(receiver, callee.name, arity)
        if member is None:
            member = evaluator.attribute(receiver, callee.name, scope, call.span, arity=arity)
        for value in _options(member):
            if isinstance(value, FunctionValue | ClassValue):
                yield self._overload(value, call, scope)
                continue
            declared = self._member_declared(receiver, callee.name)
            if declared is not None:
                yield declared
            else:
                yield self._extension(receiver, callee.name, arity, scope) or value

    def _extension(
        self, receiver: Value, name: str, arity: int, scope: Scope
    ) -> FunctionValue | None:
        find = self._program.language.extension
        return None if find is None else find(self._program, name, receiver, arity, scope.file)

    def _overload(self, value: Value, call: Call, scope: Scope) -> Value:
        choose = self._program.language.overload
        if choose is None or not isinstance(value, FunctionValue) or value.owner is None:
            return value
        names = tuple(argument.name for argument in call.args)

        def argument(index: int) -> Value:
            return self._program.evaluate(call.args[index].value, scope)

        return choose(self._program, value, names, argument) or value

    def _member_declared(self, receiver: Value, name: str) -> Target | None:
        """The member of a class or interface that is called where it holds a function."""
        symbol = self._class_of(receiver)
        if symbol is None:
            return None
        for owner in (symbol, *self._program.bases(symbol)):
            for member in owner.decl.members:
                if member.name == name:
                    qualified = self._declared_in(owner.file.path).by_span.get(member.span)
                    return None if qualified is None else (owner.file.path, qualified)
        return None

    def _class_of(self, value: Value) -> ClassSymbol | None:
        match value:
            case Instance(symbol=symbol) | ClassValue(symbol=symbol):
                return symbol
            case ByType(type=NamedType() as type, scope=scope):
                found = self._program.evaluator.type_value(type, scope, type.span)
                return found.symbol if isinstance(found, ClassValue) else None
            case _:
                return None

    def _target(self, value: Value) -> Target | None:
        match value:
            case FunctionValue(function=function, scope=scope):
                return self._target_at(scope.file.path, function.span)
            case ClassValue(symbol=symbol) | Instance(symbol=symbol):
                return self._target_at(symbol.file.path, symbol.decl.span)
            case _:
                return None

    def _target_at(self, path: str, span: Span) -> Target | None:
        if path.startswith("../"):
            return None
        qualified = self._declared_in(path).by_span.get(span)
        return None if qualified is None else (path, qualified)


def _options(value: Value) -> tuple[Value, ...]:
    return value.options if isinstance(value, OneOf) else (value,)


def _name_and_place(call: Call | New) -> tuple[str, Span]:
    """The last part of the name of what is called, and a span that ends where the name ends."""
    if isinstance(call, New):
        if isinstance(call.type, NamedType):
            written = plain_name(call.type.name)
            name = written.rpartition(".")[2]
            span = call.type.span
            end = span.column + len(written)
            return name, Span(span.line, span.column, span.line, end)
        return "", call.span
    match call.callee:
        case Name(id=name, span=span) | Attribute(name=name, span=span):
            return name, span
        case _:
            return "", call.span


# ------------------------------------------------------------------ walking


def _call_sites(program: Program, file: FileFacts) -> Iterator[tuple[Call | New, Scope]]:
    module = program.module_scope(file)
    exported = tuple(export.value for export in file.exports if export.value is not None)
    yield from _calls_within(program, (*file.statements, *exported), module)
    for function in file.functions:
        yield from _of_function(program, function, module)
    for declared in file.classes:
        yield from _of_class(program, declared, file, (), module)


def _of_class(
    program: Program, declared: ClassDecl, file: FileFacts, outer: tuple[str, ...], around: Scope
) -> Iterator[tuple[Call | New, Scope]]:
    yield from _calls_within(program, _decorator_calls(declared.annotations), around)
    symbol = next(
        (each for each in program.classes(file) if each.decl is declared),
        ClassSymbol(declared, file, outer),
    )
    inside = program.class_scope(symbol)
    for member in declared.members:
        values = [member.value] if member.value is not None else []
        yield from _calls_within(program, (*values, *_decorator_calls(member.annotations)), inside)
        if member.args:
            yield from _calls_within(program, (_made_constant(declared, member),), inside)
        for accessor in member.accessors:
            yield from _of_function(program, accessor, inside)
    for method in declared.methods:
        yield from _of_function(program, method, inside)
    for inner in declared.classes:
        yield from _of_class(program, inner, file, (*outer, declared.name), inside)


def _made_constant(declared: ClassDecl, member: Member) -> New:
    """A constant of a Java enum with arguments, as the call of the enum's constructor that it
    is."""
    type = NamedType(span=member.name_span, name=declared.name)
    return New(span=member.span, type=type, args=member.args)


def _of_function(
    program: Program, function: Function, within: Scope
) -> Iterator[tuple[Call | New, Scope]]:
    yield from _calls_within(program, _heading(function), within)
    body = program.body(function, within.file)
    if body:
        yield from _calls_within(program, body, program.function_scope(function, within))


def _heading(function: Function) -> tuple[Expr, ...]:
    """What stands at a function outside of its body: decorators, defaults of parameters."""
    return (*_decorator_calls(function.annotations), *_of_parameters(function.params))


def _of_parameters(params: tuple[Param, ...]) -> tuple[Expr, ...]:
    defaults = tuple(param.default for param in params if param.default is not None)
    return (*defaults, *(expr for param in params for expr in _decorator_calls(param.annotations)))


def _decorator_calls(annotations: tuple[Annotation, ...]) -> tuple[Expr, ...]:
    """Decorators as the calls that they are."""
    found: list[Expr] = []
    for annotation in annotations:
        if annotation.callee is not None and annotation.has_parentheses:
            called = Call(callee=annotation.callee, args=annotation.args, span=annotation.span)
            found.append(called)
        else:
            found.extend(argument.value for argument in annotation.args)
    return tuple(found)


def _calls_within(
    program: Program, nodes: tuple[Any, ...], scope: Scope
) -> Iterator[tuple[Call | New, Scope]]:
    """Calls among statements and expressions, those in inner functions and classes with their
    scopes. An explicit stack, since expressions may nest as deep as they like."""
    place = scope
    handed: dict[int, Mapping[str, Value]] = {}
    pending: list[Any] = [*reversed(nodes)]
    while pending:
        node = pending.pop()
        kind = type(node)
        if kind is tuple:
            pending.extend(reversed(node))
        elif kind is Scope:
            place = node
        elif kind is Lambda:
            function = node.function
            body = program.body(function, place.file)
            inside = program.function_scope(function, place, handed.pop(id(node), None))
            pending.extend((place, body, inside, _heading(function)))
        elif kind is Define:
            if isinstance(node.declaration, ClassDecl):
                yield from _of_class(program, node.declaration, place.file, (), place)
            else:
                yield from _of_function(program, node.declaration, place)
        else:
            if kind is Call or kind is New:
                yield node, place
            if kind is Call:
                handed.update(_handed_items(program, node, place))
            if kind is New and node.members is not None:
                yield from _of_class(program, node.members, place.file, (), place)
            pending.extend(reversed(parts(kind)(node)))


_OF_ITEMS = frozenset(
    {"every", "filter", "find", "findIndex", "findLast", "flatMap", "forEach", "map", "some"}
    | {"allMatch", "anyMatch", "ifPresent", "noneMatch", "peek", "removeIf"}
    | {"All", "Any", "Count", "First", "FirstOrDefault", "ForEach", "GroupBy", "Last", "Max"}
    | {"LastOrDefault", "Min", "OrderBy", "OrderByDescending", "Select", "SelectMany", "Single"}
    | {"SingleOrDefault", "Sum", "ThenBy", "ToDictionary", "Where"}
)
"""Methods of lists, streams and optional values that call a function with an item first."""


def _handed_items(
    program: Program, call: Call, scope: Scope
) -> Iterator[tuple[int, Mapping[str, Value]]]:
    """What the first parameter of a function is that a method of a list calls with its items, where
    no type says it; by the identity of the function's expression."""
    if not isinstance(call.callee, Attribute) or call.callee.name not in _OF_ITEMS:
        return
    for argument in call.args[:1]:
        value = argument.value
        if not isinstance(value, Lambda) or not value.function.params:
            continue
        parameter = value.function.params[0]
        if parameter.type is not None:
            continue
        evaluator = program.evaluator
        receiver = evaluator.unwrap(program.evaluate(call.callee.value, scope))
        item = evaluator.item(receiver)
        if isinstance(item, Unresolved):
            continue
        if parameter.pattern is not None:
            yield id(value), evaluator.pattern_bindings(parameter.pattern, item, scope)
        else:
            yield id(value), {parameter.name: item}
