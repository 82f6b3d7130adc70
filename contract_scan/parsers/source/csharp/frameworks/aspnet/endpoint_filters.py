"""Endpoint filters of minimal APIs that change what handlers answer.

`AddEndpointFilter(async (context, next) => new Envelope(await next(context)))` on an endpoint or a
group, or a class with `InvokeAsync(context, next)`. What a filter returns without what `next` gave
(a refusal) changes no answer of the handler; what it makes of that does.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import cast

from msgspec import Struct

from contract_scan.ir.origin import Span
from contract_scan.parsers.source.analysis.dataflow import reaching_definitions
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import (
    ByType,
    ClassSymbol,
    FunctionValue,
    Instance,
    Scope,
)
from contract_scan.parsers.source.csharp.web.envelopes import SUCCESSES, Envelope
from contract_scan.parsers.source.csharp.web.filters import Wrapping
from contract_scan.parsers.source.facts.nodes import (
    Argument,
    Assign,
    Attribute,
    Branch,
    Call,
    Cast,
    Choice,
    Expr,
    Function,
    Lambda,
    LiteralExpr,
    Name,
    NamedType,
    New,
    OperationExpr,
    Return,
    Statement,
    TypeExpr,
    TypeValue,
    UnsupportedSyntax,
)
from contract_scan.parsers.source.facts.visitor import nodes_of

ADDING = frozenset({"AddEndpointFilter", "AddEndpointFilterFactory"})
_MARK = b"AddEndpointFilter"
_RESULTS = frozenset({"IValueHttpResult", "IStatusCodeHttpResult", "IResult"})
_SITES = "csharp.endpoint_filters"
_MAX_CHAIN = 60


class FilterSite(Struct, frozen=True):
    """Where a filter is added."""

    path: str
    span: Span


def filter_site(program: Program, call: Call, scope: Scope) -> FilterSite:
    """The place of a call that adds a filter."""
    site = FilterSite(scope.file.path, call.span)
    _sites(program)[site] = (call, scope)
    return site


def added_later(program: Program, name: str, scope: Scope) -> tuple[FilterSite, ...]:
    """The filters that statements of a function add to a group in a variable."""
    if scope.file.path not in program.files_containing(_MARK):
        return ()
    found: list[FilterSite] = []
    for statement in reaching_definitions.nested_statements(scope.statements or ()):
        call = getattr(statement, "value", None)
        if isinstance(statement, Assign | Return) or not isinstance(call, Call):
            continue
        links = list(_links(call))
        root = links[-1].callee.value if isinstance(links[-1].callee, Attribute) else None
        if isinstance(root, Name) and root.id == name and not any(map(_maps, links)):
            adding = (link for link in reversed(links) if _method(link) in ADDING)
            found.extend(filter_site(program, link, scope) for link in adding)
    return tuple(found)


def wrappings(
    program: Program,
    sites: Iterable[FilterSite],
    chained: Iterable[tuple[Call, Scope]],
) -> list[Wrapping]:
    """What the filters of groups, and those that are added to an endpoint itself, do to answers:
    of each that changes them."""
    added = _calls_that_add(program, sites, chained)
    found = (_filter_effect(program, call, scope) for call, scope in added)
    return [one for one in found if one is not None]


def filter_functions(
    program: Program, sites: Iterable[FilterSite], chained: Iterable[tuple[Call, Scope]]
) -> Iterator[FunctionValue]:
    """The functions of these filters."""
    for call, scope in _calls_that_add(program, sites, chained):
        for function, place, _ in _functions(program, call, scope):
            yield FunctionValue(function, place)


def _calls_that_add(
    program: Program, sites: Iterable[FilterSite], chained: Iterable[tuple[Call, Scope]]
) -> list[tuple[Call, Scope]]:
    if not program.files_containing(_MARK):
        return []
    known = _sites(program)
    return [*(known[site] for site in sites), *(c for c in chained if _method(c[0]) in ADDING)]


def _sites(program: Program) -> dict[FilterSite, tuple[Call, Scope]]:
    return cast("dict[FilterSite, tuple[Call, Scope]]", program.memory.setdefault(_SITES, {}))


def _links(call: Call) -> Iterator[Call]:
    """A call and those that it is called on, the last first."""
    current: Expr = call
    for _ in range(_MAX_CHAIN):
        if not isinstance(current, Call):
            return
        yield current
        current = current.callee.value if isinstance(current.callee, Attribute) else current.callee


def _method(call: Call) -> str:
    return call.callee.name if isinstance(call.callee, Attribute) else ""


def _maps(call: Call) -> bool:
    return _method(call).startswith("Map")


def _filter_effect(program: Program, call: Call, scope: Scope) -> Wrapping | None:
    for function, place, name in _functions(program, call, scope):
        inside = program.function_scope(function, place)
        next_name = function.params[1].name if len(function.params) > 1 else ""
        statements = inside.statements or ()
        held = _result_variables(statements, next_name)
        parts = _variables_of(statements, held)
        made = [one for one in _return_values(statements) if _changes(one, held, next_name, parts)]
        if made:
            of_results = _envelope_of_results(made, statements, inside, parts)
            whole = of_results or _envelope(made, statements, inside, held, next_name)
            return Wrapping(name, whole)
    return None


def _functions(program: Program, call: Call, scope: Scope) -> Iterator[tuple[Function, Scope, str]]:
    """The functions that a call adds, each with the name of the filter."""
    classes: list[tuple[ClassSymbol, str]] = []
    types: list[TypeExpr] = list(call.type_args)
    for argument in call.args[:1]:
        given = argument.value
        if isinstance(given, Lambda):
            yield given.function, scope, _method(call)
            continue
        value = program.evaluate(given, scope)
        if isinstance(value, Instance):
            classes.append((value.symbol, value.symbol.decl.name))
        elif isinstance(value, ByType):
            types.append(value.type)
        else:
            function = program.function_value(given, scope)
            if function is not None:
                yield function.function, function.scope, function.function.name
    for type in types:
        symbol = program.names.declared_class(type, scope)
        if symbol is not None:
            classes.append((symbol, symbol.decl.name))
    for symbol, name in classes:
        method = program.find_method(symbol, "InvokeAsync")
        if method is not None:
            yield method.function, method.scope, name


def _result_variables(statements: tuple[Statement, ...], next_name: str) -> frozenset[str]:
    """The variables that hold what `next` gave."""
    return frozenset(
        node.target.id
        for node in nodes_of(statements)
        if isinstance(node, Assign)
        and isinstance(node.target, Name)
        and node.value is not None
        and _is_result(node.value, frozenset(), next_name)
    )


def _variables_of(statements: tuple[Statement, ...], held: frozenset[str]) -> frozenset[str]:
    """The variables that are made of what `next` gave: `result is { Value: var value }`."""
    found: set[str] = set()
    for node in nodes_of(statements):
        match node:
            case Assign(target=Name(id=id), value=value) if value is not None and id not in held:
                names = {each.id for each in nodes_of(value) if isinstance(each, Name)}
                found.update({id} if names & {*held, *found} else ())
            case _:
                pass
    return frozenset(found)


def _return_values(statements: tuple[Statement, ...]) -> Iterator[Expr]:
    for node in nodes_of(statements):
        if isinstance(node, Return) and node.value is not None:
            yield node.value


def _is_result(expr: Expr, held: frozenset[str], next_name: str) -> bool:
    """Whether an expression is what `next` gave, as it is."""
    match expr:
        case Cast(value=inner):
            return _is_result(inner, held, next_name)
        case Call(callee=Name(id="await" | "!"), args=(inner,)):
            return _is_result(inner.value, held, next_name)
        case Call(callee=Attribute(name="ConfigureAwait", value=inner)):
            return _is_result(inner, held, next_name)
        case Call(callee=Name(id=id)):
            return id == next_name
        case Call(callee=Attribute(name="Invoke", value=Name(id=id))):
            return id == next_name
        case Name(id=id):
            return id in held
        case _:
            return False


def _changes(
    expr: Expr, held: frozenset[str], next_name: str, parts: frozenset[str] = frozenset()
) -> bool:
    """Whether what is returned is made of what `next` gave, or of `parts` of it."""
    if _is_result(expr, held, next_name) or isinstance(expr, Lambda):
        return False
    match expr:
        case Choice(options=options):
            return any(_changes(each, held, next_name, parts) for each in options)
        case _:
            return any(
                isinstance(node, Name | Call) and _is_result(node, held | parts, next_name)
                for node in nodes_of(expr)
            )


def _envelope_of_results(
    made: list[Expr], statements: tuple[Statement, ...], scope: Scope, parts: frozenset[str]
) -> Envelope | None:
    """The object that a filter puts around the value in every result that has one, in a result of
    the same status: `result is IValueHttpResult { Value: { } value } ? Results.Json(new
    Envelope(value), statusCode: …) : result`. None where it asks for anything else."""
    options = [o for one in made for o in (one.options if isinstance(one, Choice) else (one,))]
    around = [o for o in options if isinstance(o, Call | New)]
    match around:
        case [
            Call(
                callee=Attribute(value=Name(id="Results" | "TypedResults"), name="Json" | "Ok"),
                args=(Argument(value=New() as new), *others),
            )
        ]:
            pass
        case _:
            return None
    entries = [(entry.key or "", entry.value) for entry in new.entries]
    given = [("", each.value) for each in new.args] + entries
    held = [key for key, value in given if isinstance(value, Name) and value.id in parts]
    tests = [one.given[0] for one in made if isinstance(one, Choice) and one.given]
    tests += [n.condition for n in nodes_of(statements) if isinstance(n, Branch) and n.condition]
    is_known = tests and all(map(_asks_for_values, tests))
    if len(held) != 1 or not is_known:
        return None
    status = "" if any(each.name == "statusCode" for each in others) else "200"
    only = any(isinstance(n, LiteralExpr) and n.value for test in tests for n in nodes_of(test))
    return Envelope(new, scope, held[0], status, of_results=True, only_successes=only)


def _asks_for_values(test: Expr) -> bool:
    """Whether a test holds for every result with a value, or for each of them that succeeds."""
    for node in nodes_of(test):
        match node:
            case TypeValue(type=NamedType(name=name)):
                if name.rpartition(".")[2] not in _RESULTS:
                    return False
            case Attribute(name=name):
                if name not in ("Value", "StatusCode"):
                    return False
            case OperationExpr(operator=sign, operands=(_, LiteralExpr(value=int() as bound))):
                if (sign, bound) not in SUCCESSES:
                    return False
            case Call(callee=Attribute()) | Lambda() | UnsupportedSyntax():
                return False
            case _:
                pass
    return True


def _envelope(
    made: list[Expr],
    statements: tuple[Statement, ...],
    scope: Scope,
    held: frozenset[str],
    next_name: str,
) -> Envelope | None:
    """The object that a filter puts around every value that is none yet; None where it does more,
    or chooses by anything else: `result is Envelope ? result : new Envelope(result)`."""
    options = [o for one in made for o in (one.options if isinstance(one, Choice) else (one,))]
    changing = [option for option in options if _changes(option, held, next_name)]
    if len(changing) != 1:
        return None
    match changing[0]:
        case New(type=NamedType(name=name), args=(argument,), entries=()) as new:
            if not _is_result(argument.value, held, next_name):
                return None
            member = ""
        case New(type=NamedType(name=name), args=(), entries=entries) as new:
            keys = [e.key for e in entries if _is_result(e.value, held, next_name)]
            if len(keys) != 1 or not keys[0]:
                return None
            member = keys[0]
        case _:
            return None
    tested = [
        test.operands[1]
        for test in nodes_of(statements)
        if isinstance(test, OperationExpr)
        and any(_is_result(each, held, next_name) for each in test.operands)
    ]
    known = (name, "IResult")
    if not all(isinstance(t, TypeValue) and getattr(t.type, "name", "") in known for t in tested):
        return None
    is_kept = any(
        _is_result(each, held, next_name) for each in (*options, *_return_values(statements))
    )
    return Envelope(new, scope, member) if tested or not is_kept else None
