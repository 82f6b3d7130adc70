"""Servlet filters that hand on a request under which parameters have other names,
`chain.doFilter(new HttpServletRequestWrapper(request) { getParameterMap() … })`, or a response of
their own, `chain.doFilter(request, new ContentCachingResponseWrapper(response))`, of which they
send what they make of what is in it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator

from msgspec import Struct
from msgspec.structs import replace

from contract_scan.ir.operation import Operation
from contract_scan.ir.reasons import Reason
from contract_scan.ir.schema import Unknown
from contract_scan.parsers.source.analysis.domain.memo import memoised
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import ClassSymbol
from contract_scan.parsers.source.discovery.test_code import is_test
from contract_scan.parsers.source.facts.nodes import (
    Assign,
    Attribute,
    Call,
    ClassDecl,
    Expr,
    FileFacts,
    Function,
    Name,
    New,
    Statement,
)
from contract_scan.parsers.source.facts.visitor import nodes_of
from contract_scan.parsers.source.java.resolution.annotations import (
    argument,
    find,
    items,
    type_name,
)
from contract_scan.parsers.source.java.resolution.dependencies import everywhere
from contract_scan.parsers.source.java.web.chains import method
from contract_scan.parsers.source.web.response_rewriters import (
    makes_other_body,
    with_rewritten_bodies,
)

_BASE = "HttpServletRequestWrapper"
_RESPONSES = frozenset({"HttpServletResponseWrapper", "ContentCachingResponseWrapper"})
_WRITES = frozenset({"write", "print", "println", "append", "writeValue", "copy"})
_GIVING_NAMES = frozenset({"getParameterMap", "getParameterNames"})
_CHANGING_TEXT = frozenset({"replace", "replaceAll", "replaceFirst", "toLowerCase", "toUpperCase"})
_PATTERNS = frozenset({"addUrlPatterns", "setUrlPatterns", "addMappingForUrlPatterns"})


class _Filter(Struct, frozen=True):
    """A filter, and the URL patterns that it runs for."""

    name: str
    patterns: tuple[str, ...]
    """Empty: it runs for every request."""

    def runs_for(self, path: str) -> bool:
        """Whether a request of a path goes through the filter."""
        return not self.patterns or any(_matches(pattern, path) for pattern in self.patterns)


def behind_filters(program: Program, operation: Operation) -> Operation:
    """An operation behind such filters: which parameters and fields of forms it reads is open, or
    what is sent."""
    for each in _rewriting_filters(program):
        if each.runs_for(operation.path):
            operation = with_rewritten_bodies(operation, each.name)
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
def _renaming_filters(program: Program) -> tuple[_Filter, ...]:
    wrappers = {
        symbol.decl.name
        for symbol in _classes(program, _BASE)
        if _is_wrapper(program, symbol.decl, symbol.file)
    }
    return _filters(
        program, {*wrappers, _BASE}, lambda symbol: _makes_wrapper(program, symbol, wrappers)
    )


@memoised
def _rewriting_filters(program: Program) -> tuple[_Filter, ...]:
    own = {
        symbol.decl.name
        for symbol in _classes(program, *sorted(_RESPONSES))
        if any(type_name(base) in _RESPONSES for base in symbol.decl.bases)
    }
    wrappers = _RESPONSES | own
    return _filters(
        program,
        wrappers,
        lambda symbol: any(
            _sends_other_body(function, program.body(function, symbol.file), wrappers)
            for function in symbol.decl.methods
        ),
    )


def _classes(program: Program, *names: str) -> Iterator[ClassSymbol]:
    for path in everywhere(program, *(name.encode() for name in names)):
        yield from program.classes(program.facts(path))


def _filters(
    program: Program, made: Iterable[str], is_one: Callable[[ClassSymbol], bool]
) -> tuple[_Filter, ...]:
    """The filters among the classes that make one of some objects."""
    return tuple(
        _Filter(symbol.decl.name, tuple(_url_patterns(program, symbol)))
        for path in everywhere(program, *(f"new {name}(".encode() for name in sorted(made)))
        if not is_test(path)
        for symbol in program.classes(program.facts(path))
        if is_one(symbol)
    )


def _sends_other_body(
    function: Function, body: tuple[Statement, ...], wrappers: Collection[str]
) -> bool:
    """Whether a method writes what it makes of what handlers have written into a response that it
    has put in place of the real one."""
    kept = {p.name for p in function.params if p.type is not None and type_name(p.type) in wrappers}
    assigned: dict[str, list[Expr]] = defaultdict(list)
    written: list[Expr] = []
    for node in nodes_of(body):
        match node:
            case Assign(target=Name(id=id), value=New(type=type)) if type_name(type) in wrappers:
                kept.add(id)
            case Assign(target=Name(id=id), value=value) if value is not None:
                assigned[id].append(value)
            case Call(callee=Attribute(name=name), args=args) if name in _WRITES:
                written.extend(argument.value for argument in args[:2])
            case _:
                pass
    return bool(kept) and makes_other_body(written, kept, assigned, lambda _: False)


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
