"""Servlet filters that hand a request on under which parameters have other names:
`chain.doFilter(new HttpServletRequestWrapper(request) { getParameterMap() … })`."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct
from msgspec.structs import replace

from contract_scan.ir.operation import Operation
from contract_scan.ir.reasons import Reason
from contract_scan.ir.schema import Unknown
from contract_scan.parsers.source.analysis.domain.memo import memoised
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import ClassSymbol
from contract_scan.parsers.source.discovery.test_code import is_test
from contract_scan.parsers.source.facts.nodes import Call, ClassDecl, FileFacts, New
from contract_scan.parsers.source.facts.visitor import nodes_of
from contract_scan.parsers.source.java.resolution.annotations import (
    argument,
    find,
    items,
    type_name,
)
from contract_scan.parsers.source.java.resolution.dependencies import everywhere
from contract_scan.parsers.source.java.web.chains import method

_BASE = "HttpServletRequestWrapper"
_GIVING_NAMES = frozenset({"getParameterMap", "getParameterNames"})
_CHANGING_TEXT = frozenset({"replace", "replaceAll", "replaceFirst", "toLowerCase", "toUpperCase"})
_PATTERNS = frozenset({"addUrlPatterns", "setUrlPatterns", "addMappingForUrlPatterns"})


class RenamingFilter(Struct, frozen=True):
    """A filter, and the URL patterns that it runs for."""

    name: str
    patterns: tuple[str, ...]
    """Empty: it runs for every request."""

    def runs_for(self, path: str) -> bool:
        """Whether a request of a path goes through the filter."""
        return not self.patterns or any(_matches(pattern, path) for pattern in self.patterns)


def with_renamed_parameters(program: Program, operation: Operation) -> Operation:
    """An operation behind such a filter: which parameters and fields of forms it reads is open."""
    if not any(each.runs_for(operation.path) for each in _renaming_filters(program)):
        return operation
    reason = Reason("middleware-rewrites-body")
    return replace(
        operation,
        parameters=tuple(p for p in operation.parameters if p.location != "query"),
        parameters_complete=False,
        request=tuple(
            replace(body, schema=Unknown(reason=reason, origin=body.origin))
            if "form" in body.content_type
            else body
            for body in operation.request
        ),
    )


@memoised
def _renaming_filters(program: Program) -> tuple[RenamingFilter, ...]:
    wrappers = {
        symbol.decl.name
        for path in everywhere(program, _BASE.encode())
        for symbol in program.classes(program.facts(path))
        if _is_wrapper(program, symbol.decl, symbol.file)
    }
    made = [f"new {name}(".encode() for name in sorted({*wrappers, _BASE})]
    return tuple(
        RenamingFilter(symbol.decl.name, tuple(_url_patterns(program, symbol)))
        for path in everywhere(program, *made)
        if not is_test(path)
        for symbol in program.classes(program.facts(path))
        if _makes_wrapper(program, symbol, wrappers)
    )


def _is_wrapper(program: Program, decl: ClassDecl, file: FileFacts) -> bool:
    return any(type_name(base) == _BASE for base in decl.bases) and _renames(program, decl, file)


def _renames(program: Program, decl: ClassDecl, file: FileFacts) -> bool:
    """Whether the names of parameters that a class gives are not those that it was given."""
    return any(
        isinstance(node, Call) and method(node) in _CHANGING_TEXT
        for function in decl.methods
        if function.name in _GIVING_NAMES
        for node in nodes_of(program.body(function, file))
    )


def _makes_wrapper(program: Program, symbol: ClassSymbol, wrappers: set[str]) -> bool:
    return any(
        isinstance(node, New)
        and (
            type_name(node.type) in wrappers
            or (
                type_name(node.type) == _BASE
                and node.members is not None
                and _renames(program, node.members, symbol.file)
            )
        )
        for function in symbol.decl.methods
        for node in nodes_of(program.body(function, symbol.file))
    )


def _url_patterns(program: Program, symbol: ClassSymbol) -> Iterator[str]:
    """The patterns of `@WebFilter`, and those of the functions that register the filter."""
    scope = program.class_scope(symbol)
    marked = find(symbol.decl.annotations, "WebFilter")
    if marked is not None:
        for item in items(argument(marked, "value", "urlPatterns")):
            yield program.text(item, scope) or "/*"
    for path in everywhere(program, f"new {symbol.decl.name}(".encode()):
        for owner in program.classes(program.facts(path)):
            inside = program.class_scope(owner)
            for function in owner.decl.methods:
                nodes = [*nodes_of(program.body(function, owner.file))]
                if not any(
                    isinstance(n, New) and type_name(n.type) == symbol.decl.name for n in nodes
                ):
                    continue
                place = program.function_scope(function, inside)
                for node in nodes:
                    if isinstance(node, Call) and method(node) in _PATTERNS:
                        yield from (program.text(a.value, place) or "/*" for a in node.args)


def _matches(pattern: str, path: str) -> bool:
    if pattern.endswith("/*"):
        return f"{path}/".startswith(pattern[:-1])
    return pattern == path or pattern.startswith("*")
