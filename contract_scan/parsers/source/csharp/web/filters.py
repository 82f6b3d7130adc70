"""Filters of the application that may change what controllers answer."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import TypeAlias

from msgspec import Struct
from msgspec.structs import replace

from contract_scan.ir.reasons import Reason
from contract_scan.parsers.source.analysis.domain.memo import memoised
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import ClassSymbol, ClassValue, Scope
from contract_scan.parsers.source.analysis.syntax.exclusive_paths import ends_block
from contract_scan.parsers.source.csharp.resolution.source_text import function_text
from contract_scan.parsers.source.csharp.serialization.json_texts import options_variant
from contract_scan.parsers.source.csharp.serialization.settings.options import unqualified_name
from contract_scan.parsers.source.csharp.web.envelopes import (
    SUCCESSES,
    Envelope,
    envelope_in,
    is_about_results,
    is_answer,
    itself,
    result_assignment,
)
from contract_scan.parsers.source.facts.nodes import (
    Annotation,
    Argument,
    Assign,
    Attribute,
    Branch,
    Call,
    Choice,
    Expr,
    FileFacts,
    Function,
    LiteralExpr,
    Loop,
    Name,
    NamedType,
    New,
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
_BEGINS_WITH_SEGMENTS = "StartsWithSegments"
_BEGINS = frozenset({"StartsWith", _BEGINS_WITH_SEGMENTS})
_Test: TypeAlias = tuple[Expr, bool]
"""A test, and whether it holds."""


class Wrapping(Struct, frozen=True):
    """What a filter does to the answers of actions."""

    name: str
    envelope: Envelope | None = None
    """The object that it puts around each answer, where it shows one."""
    bodies: frozenset[str] = frozenset()
    """The names of the types of the bodies that it changes; empty: any."""
    below: frozenset[str] = frozenset()
    """How the paths begin, in small letters, for which alone it changes anything; empty: any."""
    unless: frozenset[str] = frozenset()
    """The attributes of actions that keep it from changing anything."""
    spares: frozenset[str] = frozenset()
    """The names of the types of the bodies that it leaves alone."""
    variant: str = ""
    """The variant of the serializer options with which alone it has every object written; empty: it
    changes more."""

    def at(self, path: str) -> Wrapping | None:
        """What it does to answers at a path; None: nothing."""
        fixed, variable, _ = f"{path.lower()}/".partition("{")
        if not self.below or any(map(fixed.startswith, self.below)):
            return self
        may_begin = not path or (variable and any(b.startswith(fixed) for b in self.below))
        return replace(self, variant="") if may_begin else None

    @property
    def reason(self) -> Reason:
        """Why answers are undetermined."""
        return Reason("filter-may-change-response", name=self.name)


def wrapping_filters(
    program: Program, annotations: tuple[Annotation, ...], path: str
) -> list[Wrapping]:
    """The filters that change the bodies which an action gives at a path (empty: any): those that
    are added for all controllers, and those among the attributes of the action and its
    controller."""
    every = _filters(program)
    if not every:
        return []
    named = {name.removesuffix("Attribute") for name in filter_names(annotations)}
    acting = (
        one.at(path)
        for one, is_global in every
        if (is_global or one.name.removesuffix("Attribute") in named) and not one.unless & named
    )
    return [one for one in acting if one is not None]


@memoised
def _filters(program: Program) -> list[tuple[Wrapping, bool]]:
    """Every filter that changes answers, and whether it is added for all controllers."""
    found: list[tuple[Wrapping, bool]] = []
    for path in program.files_containing(*(name.encode() for name in sorted(_FILTERS))):
        file = program.facts(path)
        for symbol in program.classes(file):
            methods = _changing_methods(program, file, symbol)
            if methods:
                one = _effect(program, symbol, methods)
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


def _effect(program: Program, symbol: ClassSymbol, methods: list[Function]) -> Wrapping:
    """What the methods of a filter do to answers."""
    scope = program.class_scope(symbol)

    def type_names(tests: Iterable[Expr]) -> frozenset[str]:
        types = (type for test in tests for type in _asked_types(test))
        return frozenset(name for type in types for name in _names_below(program, type, scope))

    bodies: list[frozenset[str]] = []
    paths: list[frozenset[str]] = []
    parts: list[_Test] = []
    for method in methods:
        inside = program.function_scope(method, scope)
        for _, tests in _changes_tested(inside.statements or (), (), 0):
            bodies.append(type_names(test for test, holds in tests if holds))
            below = (_begins(test, holds, inside) for test, holds in tests)
            paths.append(next((each for each in below if each), frozenset()))
            parts = [part for test in tests for part in _conjuncts(*test, inside)]
    is_one = len(bodies) == 1  # of `a && b` it is not told which of them fails
    failing = [part for part, holds in parts if is_one and not holds and not _is_joined(part)]
    envelope, variant = None, ""
    if len(methods) == 1:
        untouched = _neutral_parameter(methods[0])
        decided = [part for part in failing if type_names([part]) or [*_asked_attributes(part)]]
        envelope = envelope_in(program, symbol, methods[0], untouched, decided)
        variant = _written_with(program, program.function_scope(methods[0], scope), untouched)
    if envelope is not None and any(holds and _asks_for_success(part) for part, holds in parts):
        envelope = replace(envelope, only_successes=True)
    return Wrapping(
        name=unqualified_name(symbol.decl.name),
        envelope=envelope,
        bodies=_of_all(bodies),
        below=_of_all(paths),
        unless=frozenset(name for part in failing for name in _asked_attributes(part)),
        spares=type_names(failing),
        variant=variant,
    )


def _is_joined(test: Expr) -> bool:
    return isinstance(test, OperationExpr) and test.operator in ("&&", "||")


def _asks_for_success(test: Expr) -> bool:
    match test:
        case OperationExpr(
            operator="<" | "<=" as sign, operands=(_, LiteralExpr(value=int(bound)))
        ):
            return (sign, bound) in SUCCESSES
        case _:
            return False


def _asked_attributes(test: Expr) -> Iterator[str]:
    """The attribute that the action has where a test holds:
    `EndpointMetadata.OfType<RawAttribute>().Any()`, `GetMetadata<RawAttribute>() != null`."""
    match test:
        case Call(callee=Attribute(name="Any", value=asked), args=()):
            pass
        case OperationExpr(operator="!=", operands=(asked, LiteralExpr(value=None))):
            pass
        case _:
            return
    match asked:
        case Call(
            callee=Attribute(name="OfType" | "GetMetadata" | "GetCustomAttribute"),
            type_args=(NamedType(name=name),),
        ):
            yield unqualified_name(name).removesuffix("Attribute")
        case _:
            pass


def _of_all(found: list[frozenset[str]]) -> frozenset[str]:
    """What is asked for at one of the places, where something is asked for at each."""
    return frozenset().union(*found) if all(found) else frozenset()


def _written_with(program: Program, scope: Scope, untouched: str) -> str:
    """The variant of the options with which a filter has every object written as it is, below
    the paths that it asks for: `context.Result = new JsonResult(result.Value, options) {
    StatusCode = result.StatusCode }`. Empty where it does more."""
    made = [
        (place.value, assigned[1], tests)
        for place, tests in _changes_tested(scope.statements or (), (), 0)
        if (assigned := result_assignment(place, untouched)) is not None
    ]
    match made:
        case [(New(type=NamedType(name=name), args=(value, options)), "", tests)]:
            asked = [
                part
                for test, holds in tests
                for part in _conjuncts(test, holds, scope)
                if not _begins(*part, scope)
            ]
            is_every = asked and all(holds and is_about_results(test) for test, holds in asked)
            is_json = unqualified_name(name) == "JsonResult" and is_answer(value.value, scope)
            return options_variant(program, (options,), scope) if is_every and is_json else ""
        case _:
            return ""


def _changes_tested(
    statements: tuple[Statement, ...], tests: tuple[_Test, ...], depth: int
) -> Iterator[tuple[Assign, tuple[_Test, ...]]]:
    """Each place where another result is set, with the tests around it and before it."""
    for statement in statements if depth < _MAX_DEPTH else ():
        match statement:
            case Assign(target=Attribute(name=name)) if name in _CHANGED:
                yield statement, tests
            case Branch(blocks=blocks, condition=test, kind="if") if test is not None:
                for block, holds in zip(blocks, (True, False), strict=False):
                    yield from _changes_tested(block, (*tests, (test, holds)), depth + 1)
                if ends_block(blocks[0]):
                    tests = (*tests, (test, False))
            case Branch(blocks=blocks):
                for block in blocks:
                    yield from _changes_tested(block, tests, depth + 1)
            case Loop(body=body):
                yield from _changes_tested(body, tests, depth + 1)
            case _:
                pass


def _conjuncts(test: Expr, holds: bool, scope: Scope) -> Iterator[_Test]:
    """The parts of a test that all hold (or all fail) where it does."""
    match itself(test, scope):
        case OperationExpr(operator="!", operands=(operand,)):
            yield from _conjuncts(operand, not holds, scope)
        case OperationExpr(operator="&&" | "||" as operator, operands=operands) if holds is (
            operator == "&&"
        ):
            for operand in operands:
                yield from _conjuncts(operand, holds, scope)
        case part:
            yield part, holds


def _begins(test: Expr, holds: bool, scope: Scope) -> frozenset[str]:
    """How the path of the request begins, in small letters, wherever a test holds (or does not
    hold); empty where it may begin with anything."""
    match itself(test, scope):
        case OperationExpr(operator="!", operands=(operand,)):
            return _begins(operand, not holds, scope)
        case OperationExpr(operator="&&" | "||" as operator, operands=operands):
            each = [_begins(operand, holds, scope) for operand in operands]
            if holds is (operator == "&&"):
                return next((one for one in each if one), frozenset())
            return _of_all(each)
        case Call(callee=Attribute(name=name, value=asked), args=(given, *_)) if (
            holds and name in _BEGINS and _is_path(asked, scope, 0)
        ):
            text = given.value.value if isinstance(given.value, LiteralExpr) else None
            if not isinstance(text, str):
                return frozenset()
            return frozenset({text.lower() + ("/" if name == _BEGINS_WITH_SEGMENTS else "")})
        case _:
            return frozenset()


def _is_path(expr: Expr, scope: Scope, depth: int) -> bool:
    """Whether an expression is the path of the request, in any letter case."""
    match itself(expr, scope):
        case Attribute(name="Path", value=Attribute(name="Request") | Name(id="request")):
            return True
        case (
            Attribute(value=inner)
            | Call(callee=Attribute(value=inner))
            | Call(callee=Name(id="!"), args=(Argument(value=inner),))
            | Choice(options=(inner, LiteralExpr(value="")))
        ) if depth < _MAX_DEPTH:
            return _is_path(inner, scope, depth + 1)
        case _:
            return False


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
