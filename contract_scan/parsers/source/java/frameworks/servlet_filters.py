"""Servlet filters that answer paths themselves: `if (request.getRequestURI().equals("/x"))`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from msgspec.structs import replace

from contract_scan.ir.operation import Operation
from contract_scan.ir.origin import Origin
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import (
    ClassSymbol,
    FunctionValue,
    Instance,
    Scope,
)
from contract_scan.parsers.source.facts.nodes import (
    Assign,
    Attribute,
    Branch,
    Call,
    Cast,
    Name,
    Statement,
)
from contract_scan.parsers.source.java.frameworks.spring.security.matchers import matched_places
from contract_scan.parsers.source.java.resolution.annotations import type_name
from contract_scan.parsers.source.java.web.chains import method
from contract_scan.parsers.source.java.web.dispatch.conditions import Dispatch, Subjects
from contract_scan.parsers.source.java.web.effects import Effects
from contract_scan.parsers.source.java.web.endpoints import Library, with_handler
from contract_scan.parsers.source.java.web.servlet_api import servlet_library
from contract_scan.parsers.source.java.web.states import Effect
from contract_scan.parsers.source.language import Framework
from contract_scan.parsers.source.web.request_dispatch import RequestBranch, RequestConditions

_BASES = frozenset({"Filter", "HttpFilter", "OncePerRequestFilter", "GenericFilterBean"})
_METHODS = ("doFilterInternal", "doFilter")
_MAX_NESTING = 20
_PATHS = frozenset({"getRequestURI", "getServletPath", "getPathInfo", "getRequestURL"})


def operations(program: Program, framework: Framework) -> Iterator[Operation]:
    """The paths that every filter answers by itself."""
    for file in program.seeds(framework):
        for symbol in program.classes(file):
            if _is_filter(program, symbol):
                yield from _of_filter(program, symbol, framework)


def _is_filter(program: Program, symbol: ClassSymbol) -> bool:
    return symbol.decl.kind == "class" and any(
        type_name(base) in _BASES
        for owner in (symbol, *program.bases(symbol))
        for base in owner.decl.bases
    )


def _of_filter(program: Program, symbol: ClassSymbol, framework: Framework) -> Iterator[Operation]:
    this = Instance(symbol, {})
    for function in symbol.decl.methods:
        if function.name not in _METHODS or len(function.params) != 3:
            continue
        inside = program.class_scope(symbol)
        names = frozenset(param.name for param in function.params)
        plain = _without_casts(program.body(function, symbol.file), names, 0)
        scope = program.function_scope(replace(function, body=plain), inside)

        def by_matcher(call: Call, place: Scope) -> list[RequestConditions]:
            return _by_matcher(program, call, place)

        subjects = Subjects(
            frozenset({"getMethod"}), _PATHS, ends_are_whole=True, matched=by_matcher
        )
        for part in Dispatch(program, subjects, scope).parts(scope.statements or ()):
            if not part.conditions.path or part.conditions.path in ("/{path*}", "/"):
                continue
            value = FunctionValue(replace(function, body=part.statements), inside, symbol, this)
            if _answers(program, value):
                yield _operation(program, symbol, part, value, framework)


def _without_casts(
    statements: tuple[Statement, ...], names: frozenset[str], depth: int
) -> tuple[Statement, ...]:
    """Variables that hold a parameter as what it is cast to, without the cast: it is the same
    object."""
    found: list[Statement] = []
    for statement in statements:
        match statement:
            case Assign(value=Cast(value=Name(id=name) as inner)) if name in names:
                found.append(replace(statement, value=inner, type=None))
            case Branch(blocks=blocks) if depth < _MAX_NESTING:
                deeper = tuple(_without_casts(block, names, depth + 1) for block in blocks)
                found.append(replace(statement, blocks=deeper))
            case _:
                found.append(statement)
    return tuple(found)


def _by_matcher(program: Program, call: Call, scope: Scope) -> list[RequestConditions]:
    """What `matcher.matches(request)` tests."""
    if not isinstance(call.callee, Attribute):
        return []
    places = matched_places(program, call.callee.value, scope)
    if any(place.reason for place in places):
        return []
    return [RequestConditions("" if p.method == "*" else p.method, p.path) for p in places]


def _library(verb: str) -> Library:
    library = servlet_library(verb)

    def effect_of_argument(
        program: Program, call: Call, given: Mapping[int, tuple[str, ...]], scope: Scope
    ) -> Effect | None:
        if method(call) in _METHODS:
            return Effect(passed_on=True)
        return library.handed_of(program, call, given, scope) if library.handed_of else None

    return Library(
        reads=library.reads,
        effect_of=library.effect_of,
        handed_of=effect_of_argument,
        responses=library.responses,
        content_type=library.content_type,
        method_calls=library.method_calls,
    )


def _answers(program: Program, value: FunctionValue) -> bool:
    """Whether some way through a part ends with an answer that is no error."""
    library = _library("*")
    states = Effects(program, library.effect_of, library.handed_of).states(value, (1,))
    return any(
        state.touched and not state.passed_on and state.status[:1] not in ("4", "5")
        for state in states
    )


def _operation(
    program: Program,
    symbol: ClassSymbol,
    part: RequestBranch,
    value: FunctionValue,
    framework: Framework,
) -> Operation:
    verb = part.conditions.method or "*"
    base = Operation(
        method=verb,
        path=part.conditions.path,
        parameters_complete=False,
        origin=Origin(symbol.file.path, value.function.name_span),
        handler=f"{symbol.qualified_name}.{value.function.name}",
        framework=framework.name,
        excluded_from_docs=True,
    )
    read = with_handler(program, base, value, _library(verb))
    return replace(read, excluded_from_docs=True, statuses_complete=False)


FRAMEWORK = Framework(
    name="Servlet filters",
    markers=(b"OncePerRequestFilter", b"GenericFilterBean", b"implements Filter", b"HttpFilter"),
    operations=operations,
)
