"""Filters of the application that may change what controllers answer."""

from __future__ import annotations

import re
from collections.abc import Iterator

from msgspec import Struct

from contract_scan.ir.reasons import Reason
from contract_scan.parsers.source.analysis.domain.memo import memoised
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import ClassSymbol, ClassValue, Scope
from contract_scan.parsers.source.analysis.syntax.exclusive_paths import ends_block
from contract_scan.parsers.source.csharp.resolution.source_text import function_text
from contract_scan.parsers.source.csharp.serialization.settings.options import unqualified_name
from contract_scan.parsers.source.csharp.web.envelopes import Envelope, envelope_in
from contract_scan.parsers.source.facts.nodes import (
    Annotation,
    Assign,
    Attribute,
    Branch,
    Expr,
    FileFacts,
    Function,
    LiteralExpr,
    Loop,
    Name,
    NamedType,
    OperationExpr,
    Statement,
    TypeValue,
)

_FILTERS = frozenset(
    {
        "IResultFilter",
        "IAsyncResultFilter",
        "IAlwaysRunResultFilter",
        "ResultFilterAttribute",
        "IActionFilter",
        "IAsyncActionFilter",
        "ActionFilterAttribute",
    }
)
_AFTER = frozenset({"OnResultExecuting", "OnResultExecutionAsync", "OnActionExecuted"})
"""Methods that run when the action has answered."""
_AROUND = "OnActionExecutionAsync"
"""The method that runs the action itself. What it sets in its own context keeps the action from
running; what the action answered is in what `await next()` gives."""
_NAMED = frozenset({"ServiceFilter", "TypeFilter"})
"""Attributes that name a filter."""
_CHANGE = re.compile(rb"\.(?:Result|Value)\s*=[^=]")
_CHANGED = frozenset({"Result", "Value"})
_PROBLEMS = ("ProblemDetails", "ValidationProblemDetails", "HttpValidationProblemDetails")
"""Errors of ASP.NET Core, each derived from those before it by whose names its own ends."""
_MAX_DEPTH = 40


class Wrapping(Struct, frozen=True):
    """What a filter does to the answers of actions."""

    name: str
    envelope: Envelope | None = None
    """The object that it puts around each answer, where it shows one."""
    bodies: frozenset[str] = frozenset()
    """The names of the types of the bodies that it changes; empty: any."""

    @property
    def reason(self) -> Reason:
        """Why answers are undetermined."""
        return Reason("filter-may-change-response", name=self.name)


def wrapping_filters(program: Program, annotations: tuple[Annotation, ...]) -> list[Wrapping]:
    """The filters that change the bodies which an action gives: those that are added for all
    controllers, and those among the attributes of the action and its controller."""
    every = _filters(program)
    if not every:
        return []
    named = {name.removesuffix("Attribute") for name in filter_names(annotations)}
    return [
        one for one, is_global in every if is_global or one.name.removesuffix("Attribute") in named
    ]


@memoised
def _filters(program: Program) -> list[tuple[Wrapping, bool]]:
    """Every filter that changes answers, and whether it is added for all controllers."""
    found: list[tuple[Wrapping, bool]] = []
    for path in program.files_containing(*(name.encode() for name in sorted(_FILTERS))):
        file = program.facts(path)
        for symbol in program.classes(file):
            methods = _changing_methods(program, file, symbol)
            if methods:
                envelope = None
                if len(methods) == 1:
                    envelope = envelope_in(
                        program, symbol, methods[0], _neutral_parameter(methods[0])
                    )
                bodies = _changed_bodies(program, symbol, methods)
                one = Wrapping(unqualified_name(symbol.decl.name), envelope, bodies)
                found.append((one, _is_global(program, symbol.decl.name)))
    return found


def filter_names(annotations: tuple[Annotation, ...]) -> Iterator[str]:
    """Names of the filters that attributes are: `[Validate]`, `[ServiceFilter(typeof(X))]`."""
    for annotation in annotations:
        name = annotation.name.rsplit(".", 1)[-1]
        yield name
        if name.removesuffix("Attribute") in _NAMED:
            named = [argument.value for argument in annotation.args[:1]]
            types = [*annotation.type_args, *(v.type for v in named if isinstance(v, TypeValue))]
            yield from (t.name.rsplit(".", 1)[-1] for t in types if isinstance(t, NamedType))


def _changing_methods(program: Program, file: FileFacts, symbol: ClassSymbol) -> list[Function]:
    """The methods of a filter that change answers; none of a class that is no filter."""
    if not any(
        isinstance(base, NamedType) and unqualified_name(base.name) in _FILTERS
        for base in symbol.decl.bases
    ):
        return []
    return [
        method
        for method in symbol.decl.methods
        if (method.name in _AFTER or method.name == _AROUND)
        and _CHANGE.search(function_text(program, file.path, method))
        and _changes(program.body(method, file), _neutral_parameter(method), 0)
    ]


def _neutral_parameter(method: Function) -> str:
    """The parameter in which a method sets nothing that changes what the action answered."""
    return method.params[0].name if method.name == _AROUND and method.params else ""


def _changes(statements: tuple[Statement, ...], untouched: str, depth: int) -> bool:
    """Whether statements set another result where the action has thrown nothing."""
    for statement in statements if depth < _MAX_DEPTH else ():
        match statement:
            case Assign(target=Attribute(name=name, value=holder)) if name in _CHANGED:
                if not (isinstance(holder, Name) and holder.id == untouched):
                    return True
            case Branch(condition=Attribute(name="Exception"), kind="switch"):
                pass
            case Branch(condition=test, blocks=blocks, kind="if"):
                if any(
                    _changes(block, untouched, depth + 1)
                    for block, holds in zip(blocks, (True, False), strict=False)
                    if not _has_thrown(test, holds)
                ):
                    return True
                if ends_block(blocks[0]) and _has_thrown(test, False):
                    return False
            case Branch(blocks=blocks):
                if any(_changes(block, untouched, depth + 1) for block in blocks):
                    return True
            case Loop(body=body):
                if _changes(body, untouched, depth + 1):
                    return True
            case _:
                pass
    return False


def _changed_bodies(
    program: Program, symbol: ClassSymbol, methods: list[Function]
) -> frozenset[str]:
    """The names of the types of which a body has to be that a filter changes: those that it asks
    for (`context.Result is ObjectResult { Value: ProblemDetails }`) and those that derive from
    them; none where it asks for no such type around a change."""
    scope = program.class_scope(symbol)
    found: set[str] = set()
    for method in methods:
        for tests in _tests_of_changes(program.body(method, symbol.file), (), 0):
            types = [type for test in tests for type in _asked_types(test)]
            names = [name for type in types for name in _names_below(program, type, scope)]
            if not names:
                return frozenset()
            found.update(names)
    return frozenset(found)


def _tests_of_changes(
    statements: tuple[Statement, ...], tests: tuple[Expr, ...], depth: int
) -> Iterator[tuple[Expr, ...]]:
    """The tests that hold around each place where another result is set."""
    for statement in statements if depth < _MAX_DEPTH else ():
        match statement:
            case Assign(target=Attribute(name=name)) if name in _CHANGED:
                yield tests
            case Branch(blocks=blocks, condition=condition, kind=kind):
                for position, block in enumerate(blocks):
                    holds = kind == "if" and condition is not None and position == 0
                    inside = (*tests, condition) if holds and condition else tests
                    yield from _tests_of_changes(block, inside, depth + 1)
            case Loop(body=body):
                yield from _tests_of_changes(body, tests, depth + 1)
            case _:
                pass


def _asked_types(test: Expr) -> Iterator[NamedType]:
    """The types that the body is of where a test holds."""
    match test:
        case OperationExpr(
            operator="is", operands=(Attribute(name="Value"), TypeValue(type=NamedType() as type))
        ):
            yield type
        case OperationExpr(operator="&&", operands=operands):
            for operand in operands:
                yield from _asked_types(operand)
        case _:
            pass


def _names_below(program: Program, type: NamedType, scope: Scope) -> tuple[str, ...]:
    """The names of a type and of those that derive from it; none of a library's type of which
    that is not known."""
    found = program.names.lookup_type(type.name, scope)
    if isinstance(found, ClassValue):
        derived = program.names.classes.implementations(found.symbol)
        return tuple(symbol.decl.name for symbol in (found.symbol, *derived))
    name = unqualified_name(type.name)
    return tuple(n for n in _PROBLEMS if n.endswith(name)) if name in _PROBLEMS else ()


def _has_thrown(test: Expr | None, holds: bool) -> bool:
    """Whether the action has certainly thrown where a test holds (or does not hold):
    `context.Exception is NotFoundException`, `context.Exception != null`."""
    match test:
        case OperationExpr(operator="!", operands=(operand,)):
            return _has_thrown(operand, not holds)
        case OperationExpr(operator="is", operands=(Attribute(name="Exception"), _)):
            return holds
        case OperationExpr(operator="==" | "!=" as operator, operands=(one, other)):
            asked = isinstance(one, Attribute) and one.name == "Exception"
            null = isinstance(other, LiteralExpr) and other.value is None
            return asked and null and holds is (operator == "!=")
        case OperationExpr(operator="&&", operands=operands):
            return (any if holds else all)(_has_thrown(o, holds) for o in operands)
        case OperationExpr(operator="||", operands=operands):
            return (all if holds else any)(_has_thrown(o, holds) for o in operands)
        case _:
            return False


def _is_global(program: Program, name: str) -> bool:
    """Whether start-up code adds the filter for all controllers."""
    added = (f"Filters.Add<{name}>", f"Filters.Add(new {name}", f"Filters.Add(typeof({name})")
    return program.any_file_contains(*(text.encode() for text in added))
