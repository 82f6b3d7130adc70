"""Classes of the project that are results of ASP.NET Core by their base class:
`class CreatedOrder(string path, Order order) : CreatedResult(path, order);`."""

from __future__ import annotations

from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import (
    ClassSymbol,
    ClassValue,
    FunctionValue,
    LibrarySymbol,
    Scope,
    named_function_scope,
)
from contract_scan.parsers.source.csharp.resolution.calls import called_function
from contract_scan.parsers.source.csharp.resolution.overloads import can_take
from contract_scan.parsers.source.csharp.resolution.value_sources import sources, without_wrappers
from contract_scan.parsers.source.csharp.serialization.settings.options import unqualified_name
from contract_scan.parsers.source.csharp.web.called import action_result_type
from contract_scan.parsers.source.csharp.web.statuses import OPAQUE_RESULTS, RESULT_CLASSES
from contract_scan.parsers.source.facts.nodes import (
    Argument,
    Assign,
    Attribute,
    Call,
    Choice,
    Entry,
    Evaluate,
    Name,
    NamedType,
    New,
    Statement,
)
from contract_scan.parsers.source.facts.visitor import nodes_of

_EXECUTING = frozenset({"ExecuteResult", "ExecuteResultAsync", "OnFormatting"})
"""Methods of results that write the answer."""
_STATUS = "StatusCode"
_ANSWERING = frozenset({"Value", "ContentTypes", "Content", "ContentType", "Formatters"})
"""Members of results that say what is sent."""


def is_result_class(program: Program, symbol: ClassSymbol) -> bool:
    """Whether objects of a class of the project are results of ASP.NET Core."""
    return any(
        isinstance(base, NamedType)
        and unqualified_name(base.name) in OPAQUE_RESULTS
        and isinstance(
            program.names.lookup_type(base.name, program.class_scope(owner)), LibrarySymbol
        )
        for owner in (symbol, *program.bases(symbol))
        for base in owner.decl.bases
    )


def as_library_result(
    program: Program, made: ClassValue, expr: New, scope: Scope
) -> tuple[New, Scope] | None:
    """The construction of the base class that an object of a class of results is, with the scope to
    evaluate its arguments in. None where the class answers in its own way, or its constructor does
    more than hand on and set a status."""
    symbol = made.symbol
    base = _base_class(program, symbol)
    if base is None or any(m.name in _EXECUTING for m in symbol.decl.methods):
        return None
    constructors = [m for m in symbol.decl.methods if "constructor" in m.modifiers]
    inside = program.names.classes.class_scope(symbol, made.types)
    if not constructors:
        whole = New(span=expr.span, type=base, entries=expr.entries)
        return None if expr.args else (whole, inside)
    fitting = [one for one in constructors if can_take(one.params, len(expr.args))]
    if len(fitting) != 1 or expr.entries:
        return None
    [constructor] = fitting
    call = Call(callee=Name(id=symbol.decl.name), args=expr.args, span=expr.span)
    called = FunctionValue(constructor, inside, symbol)
    bindings = program.evaluator.arguments_with_defaults(called, call, scope)
    place = program.function_scope(constructor, inside, bindings)
    if "primary" in constructor.modifiers:
        return New(span=expr.span, type=base, args=symbol.decl.base_args), place
    handed = _as_constructed(expr, base, place.statements or ())
    return None if handed is None else (handed, place)


def _base_class(program: Program, symbol: ClassSymbol) -> NamedType | None:
    """The result class that a class derives from directly."""
    inside = program.class_scope(symbol)
    for base in symbol.decl.bases:
        if not isinstance(base, NamedType):
            continue
        found = program.names.lookup_type(base.name, inside)
        if isinstance(found, ClassValue) and is_result_class(program, found.symbol):
            return base
        if isinstance(found, LibrarySymbol) and unqualified_name(base.name) in RESULT_CLASSES:
            return base
    return None


def _as_constructed(expr: New, base: NamedType, statements: tuple[Statement, ...]) -> New | None:
    """The construction of the base class with what a constructor hands on and sets; None where it
    does more."""
    args: tuple[Argument, ...] = ()
    entries: list[Entry] = []
    for statement in statements:
        match statement:
            case Evaluate(value=Call(callee=Name(id="super"), args=given)):
                args = given
            case Assign(target=Name(id=name) | Attribute(value=Name(id="this"), name=name)):
                if name == _STATUS and statement.value is not None:
                    entries.append(Entry(key=name, value=statement.value, span=statement.span))
                elif name in _ANSWERING:
                    return None
            case _:
                return None
    return New(span=expr.span, type=base, args=args, entries=tuple(entries))


def holds_action_result(program: Program, name: Name, scope: Scope) -> bool:
    """Whether a local variable holds what functions of the project give as `ActionResult<T>`."""
    values = [(without_wrappers(value), place) for value, place in sources(program, name, scope)]
    return bool(values) and all(
        isinstance(value, Call) and _gives_action_result(program, value, place)
        for value, place in values
    )


def _gives_action_result(program: Program, call: Call, scope: Scope) -> bool:
    function = called_function(program, call, scope)
    if function is None:
        return False
    return action_result_type(program, function.function.returns, function.scope) is not None


def is_asked_about(name: Name, scope: Scope) -> bool:
    """Whether some test in a function mentions a name."""
    around = named_function_scope(scope) or scope
    tests = [
        test
        for node in nodes_of(around.statements or ())
        for test in (node.given if isinstance(node, Choice) else [getattr(node, "condition", None)])
        if test is not None
    ]
    return any(isinstance(n, Name) and n.id == name.id for t in tests for n in nodes_of((t,)))
