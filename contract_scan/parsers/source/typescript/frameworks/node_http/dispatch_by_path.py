"""Handlers of plain HTTP servers that tell paths apart themselves: `if (req.url === "/x")`,
`switch (url.pathname)`, ``switch (`${req.method} ${path}`)``, `pathname.match(/^\\/x\\/([^/]+)$/)`.

For each path that a test names, the handler as it runs for that path (and method).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Literal, TypeAlias

from msgspec import Struct

from contract_scan.ir.origin import Span
from contract_scan.ir.reasons import NO_REASON, Reason
from contract_scan.parsers.source.analysis.dataflow.object_mutations import without_casts
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import FunctionValue, Record
from contract_scan.parsers.source.facts.nodes import (
    ArrayLiteral,
    Attribute,
    Branch,
    Call,
    Choice,
    Expr,
    Index,
    Name,
    NamedType,
    New,
    ObjectLiteral,
    OperationExpr,
    Statement,
    Syntax,
    Text,
    UnsupportedSyntax,
)
from contract_scan.parsers.source.typescript.lowering.params import dotted_name_of
from contract_scan.parsers.source.typescript.resolution.walker import nested_nodes
from contract_scan.parsers.source.typescript.web import dispatch_by_method as by_method
from contract_scan.parsers.source.typescript.web.dispatch_by_method import (
    DIFFERENT,
    OTHER,
    SAME,
    Subject,
)
from contract_scan.parsers.source.typescript.web.handlers import read_handler
from contract_scan.parsers.source.typescript.web.path_tests import (
    REGULAR_EXPRESSION,
    covers,
    path_of,
    split_method,
)
from contract_scan.parsers.source.typescript.web.paths import DYNAMIC_PREFIX

_SAME_PATH = frozenset({"replace", "toLowerCase", "trim", "toString", "replaceAll", "normalize"})
_DECODES = frozenset({"decodeURIComponent", "decodeURI", "String"})
_PARSERS = frozenset({"url.parse", "parse", "URL.parse", "parseUrl", "parseurl"})
Kind: TypeAlias = Literal["path", "url"]
"""What a name stands for: the path itself, or an address that holds it."""
MAX_PATHS = 200


class PathHandler(Struct, frozen=True):
    """One path (pattern as Express writes it) and what answers it."""

    method: str
    path: str
    handler: FunctionValue
    request: int
    response: int | None
    span: Span
    unresolved: Reason = NO_REASON


class _Test(Struct, frozen=True):
    """What one test compares the path (and method) with."""

    paths: tuple[str, ...]
    same: bool = True
    method: str = ""


def routes(program: Program, handler: FunctionValue) -> Iterator[PathHandler]:
    """The routes that a handler `(request, response)` tells apart, itself or in functions that it
    gives its request to."""
    yield from _routes(program, handler, 0, 1, {}, set())


def _routes(
    program: Program,
    handler: FunctionValue,
    request: int,
    response: int | None,
    given: Mapping[str, Kind],
    seen: set[tuple[str, Span]],
) -> Iterator[PathHandler]:
    key = (handler.scope.file.path, handler.function.span)
    if key in seen or len(seen) > 40:
        return
    seen.add(key)
    dispatch = _Dispatch(program, handler, request, given)
    for path, span in list(dispatch.paths().items())[:MAX_PATHS]:
        for method, function in _of_path(program, dispatch, handler, path, request, response):
            yield PathHandler(method, path, function, request, response, span)
    for path, function, span in dispatch.path_table():
        verb, path = split_method(path)
        yield PathHandler(verb or "*", path, function, 0, 1, span)
    for prefix, reason, span in dispatch.unclear():
        yield PathHandler(
            "*", f"{prefix}{DYNAMIC_PREFIX}+", handler, request, response, span, reason
        )
    for function, at, answer, names in dispatch.delegated_handlers(response):
        yield from _routes(program, function, at, answer, names, seen)


def _of_path(
    program: Program,
    dispatch: _Dispatch,
    handler: FunctionValue,
    path: str,
    request: int,
    response: int | None,
) -> Iterator[tuple[str, FunctionValue]]:
    """(method, the handler as it runs for a path)."""
    other, is_decided = dispatch.specialise(handler, path, OTHER)
    for method in dispatch.methods_for(path):
        function, of_method = dispatch.specialise(handler, path, method)
        if of_method and (not is_decided or function.function.body != other.function.body):
            yield method, function
    if not is_decided:
        return
    if request != 0:
        yield "*", other
        return
    for method, function in by_method.handlers(program, other):
        responses = read_handler(program, function, request=request, response=response).responses
        if method != "*" or not responses or any(r.status < "400" for r in responses):
            yield method, function


class _Dispatch(Subject):
    """One handler, what names the path in it, and what it does by the path; `given` are names of
    parameters that its caller gave the path or an address."""

    def __init__(
        self, program: Program, handler: FunctionValue, request: int, given: Mapping[str, Kind]
    ) -> None:
        self._path = ""
        self._touched = ""
        self._taken = False
        self._paths = {name for name, kind in given.items() if kind == "path"}
        self._urls = {name for name, kind in given.items() if kind == "url"}
        self._keys: set[str] = set()
        self._matches: dict[str, str] = {}
        """Names of what a pattern gives -> the path that the pattern stands for."""
        super().__init__(program, handler, request)

    # ------------------------------------------------------------------ what names the path

    def _note_assignment(self, target: Expr, value: Expr) -> None:
        super()._note_assignment(target, value)
        if isinstance(target, Name):
            pattern = self._matched_path(value)
            if self._is_path(value):
                self._paths.add(target.id)
            elif self._is_url(value):
                self._urls.add(target.id)
            elif self._is_key(value):
                self._keys.add(target.id)
            elif pattern is not None:
                self._matches[target.id] = pattern
        elif isinstance(target, ObjectLiteral):
            wanted = "pathname" if self._is_url(value) else "url" if self._is_request(value) else ""
            for entry in target.entries:
                if entry.key == wanted and isinstance(entry.value, Name):
                    self._paths.add(entry.value.id)

    def _is_url(self, expr: Expr) -> bool:
        """`new URL(req.url, base)`, `url.parse(req.url)`."""
        match without_casts(expr):
            case Name(id=id):
                return id in self._urls
            case New(type=NamedType(name="URL"), args=(first, *_)):
                return self._holds_path(first.value)
            case Call(callee=callee, args=(first, *_)):
                return dotted_name_of(callee) in _PARSERS and self._is_path(first.value)
            case _:
                return False

    def _holds_path(self, expr: Expr) -> bool:
        return self._is_path(expr) or (
            isinstance(expr, Text) and any(map(self._is_path, expr.parts))
        )

    def _is_path(self, expr: Expr) -> bool:
        match without_casts(expr):
            case Name(id=id):
                return id in self._paths
            case Attribute(value=value, name="url"):
                return self._is_request(value)
            case Attribute(value=value, name="pathname"):
                return self._is_url(value)
            case Choice(options=(first, *_), fallback=True):
                return self._is_path(first)
            case Index(value=Call(callee=Attribute(value=value, name="split"))):
                return self._is_path(value)
            case Call(callee=Attribute(value=value, name=name)) if name in _SAME_PATH:
                return self._is_path(value)
            case Call(callee=Name(id=id), args=(first, *_)) if id in _DECODES:
                return self._is_path(first.value)
            case _:
                return False

    def _is_key(self, expr: Expr) -> bool:
        """`${req.method} ${path}`."""
        match without_casts(expr):
            case Name(id=id):
                return id in self._keys
            case Text(parts=(first, *_, last)):
                return self._is_method(first) and self._is_path(last)
            case _:
                return False

    def _matched_path(self, expr: Expr) -> str | None:
        """The path of the pattern that the path is matched with; empty where undetermined."""
        match without_casts(expr):
            case Call(callee=Attribute(value=value, name="match"), args=(first, *_)):
                if self._is_path(value):
                    return self._pattern(first.value)
            case Call(callee=Attribute(value=value, name="test" | "exec"), args=(first, *_)):
                if self._is_path(first.value):
                    return self._pattern(value)
            case Name(id=id):
                return self._matches.get(id)
            case _:
                pass
        return None

    def _pattern(self, expr: Expr) -> str:
        if isinstance(expr, Name):
            found = self._program.names.modules.variable(self._scope.file, expr.id)
            reason = getattr(found, "reason", "")
            match = REGULAR_EXPRESSION.search(reason)
            return path_of(match[1]) if match is not None else ""
        match = (
            REGULAR_EXPRESSION.fullmatch(expr.description)
            if isinstance(expr, UnsupportedSyntax)
            else None
        )
        return path_of(match[1]) if match is not None else ""

    # ------------------------------------------------------------------ tests

    def _test(self, test: object) -> _Test | None:
        """What a test of the path compares it with; None where it is about something else."""
        match test:
            case OperationExpr(operator=operator, operands=(left, right)) if operator in (
                SAME | DIFFERENT
            ):
                same = operator in SAME
                for one, other in ((left, right), (right, left)):
                    if self._is_path(one):
                        return _Test(self._texts(other), same)
                    if self._is_key(one):
                        verb, path = split_method(self._program.text(other, self._scope) or "")
                        return _Test((path,) if path else (), same, verb)
            case Call(callee=Attribute(value=value, name="includes" | "has"), args=(first,)):
                if self._is_path(first.value):
                    items = value.items if isinstance(value, ArrayLiteral) else ()
                    texts = [self._program.text(item, self._scope) for item in items]
                    texts = texts or list(self._program.texts(value, self._scope))
                    return _Test(tuple(text for text in texts if text))
            case _:
                pass
        if isinstance(test, Call | Name):
            pattern = self._matched_path(test)
            if pattern is not None:
                return _Test((pattern,) if pattern else ())
        return None

    def _texts(self, expr: Expr) -> tuple[str, ...]:
        text = self._program.text(expr, self._scope)
        return (text,) if text is not None and text.startswith("/") else ()

    def paths(self) -> dict[str, Span]:
        """The paths that tests name, each with the place of the first."""
        found: dict[str, Span] = {}
        for node in nested_nodes(self.statements):
            for case in self._cases(node):
                _, path = split_method(self._program.text(case, self._scope) or "")
                if path:
                    found.setdefault(path, case.span)
            test = self._test(node) if isinstance(node, OperationExpr | Call | Name) else None
            for path in test.paths if test is not None else ():
                found.setdefault(path, node.span if isinstance(node, Syntax) else Span(0, 0, 0, 0))
        return found

    def methods_for(self, path: str) -> list[str]:
        """The methods that tests compare with, alone or together with the path."""
        found = dict.fromkeys(self.methods())
        for node in nested_nodes(self.statements):
            if isinstance(node, OperationExpr):
                test = self._test(node)
                if test is not None and test.method and path in test.paths:
                    found[test.method] = None
            keys = [
                split_method(self._program.text(c, self._scope) or "") for c in self._cases(node)
            ]
            found.update(dict.fromkeys(verb for verb, own in keys if own == path and verb))
        return list(found)

    def _cases(self, node: object) -> tuple[Expr, ...]:
        """The cases of a `switch` that is about the path."""
        if not isinstance(node, Branch) or node.kind != "switch" or node.condition is None:
            return ()
        about = self._is_path(node.condition) or self._is_key(node.condition)
        return node.cases if about else ()

    def path_table(self) -> Iterator[tuple[str, FunctionValue, Span]]:
        """`handlers[req.url](req, res)`, also by method and path."""
        for node in nested_nodes(self.statements):
            if not isinstance(node, Index):
                continue
            if self._is_path(node.index) or self._is_key(node.index):
                value = self._program.evaluate(node.value, self._scope)
                for entry in value.entries if isinstance(value, Record) else ():
                    if isinstance(entry.value, FunctionValue) and split_method(entry.name)[1]:
                        yield entry.name, entry.value, entry.origin.span

    def unclear(self) -> Iterator[tuple[str, Reason, Span]]:
        """(known beginning, why the paths are undetermined, place) of tests that are not clear."""
        seen: set[str] = set()
        for node in nested_nodes(self.statements):
            if not isinstance(node, Call) or not isinstance(node.callee, Attribute):
                continue
            prefix = ""
            if node.callee.name == "startsWith" and self._is_path(node.callee.value) and node.args:
                prefix = self._program.text(node.args[0].value, self._scope) or ""
                reason = Reason("paths-dispatched-by-prefix")
            elif self._matched_path(node) == "":
                reason = Reason("paths-dispatched-by-pattern")
            else:
                continue
            if prefix not in seen:
                seen.add(prefix)
                yield prefix.rstrip("/"), reason, node.span

    def delegated_handlers(
        self, response: int | None
    ) -> Iterator[tuple[FunctionValue, int, int | None, dict[str, Kind]]]:
        """The functions of the project that get the request as an argument, with the
        positions of request and response and the names of parameters that get the path."""
        params = self._scope.function.params if self._scope.function is not None else ()
        sender = params[response].name if response is not None and response < len(params) else ""
        for node in nested_nodes(self.statements):
            if not isinstance(node, Call) or any(argument.spread for argument in node.args):
                continue
            args = [argument.value for argument in node.args]
            at = next((i for i, arg in enumerate(args) if self._is_request(arg)), None)
            if at is None:
                continue
            function = self._program.evaluate(node.callee, self._scope)
            if not isinstance(function, FunctionValue):
                continue
            answer = next(
                (i for i, a in enumerate(args) if isinstance(a, Name) and a.id == sender), None
            )
            names: dict[str, Kind] = {}
            for parameter, argument in zip(function.function.params, args, strict=False):
                if self._is_path(argument):
                    names[parameter.name] = "path"
                elif self._is_url(argument):
                    names[parameter.name] = "url"
            yield function, at, answer, names

    # ------------------------------------------------------------------ what runs

    def specialise(
        self, handler: FunctionValue, path: str, method: str
    ) -> tuple[FunctionValue, bool]:
        """The handler as it runs for a path and method, and whether a test of the path
        leads to what it does."""
        self._path, self._taken = path, False
        body = self.running_statements(method)
        is_taken = self._taken
        return self.handler_of(handler, body), is_taken

    def holds(self, test: Expr) -> bool | None:
        """Whether a test holds for the path and the method; None where that depends on more."""
        self._touched = ""
        held = self._test_outcome(test)
        if (self._touched == "same" and held is not False) or (
            self._touched == "different" and held is False
        ):
            self._taken = True
        return held

    def running_cases(self, branch: Branch) -> tuple[Statement, ...] | Branch:
        """The block of a `switch` about the path or the method that runs; any other as it is."""
        condition = branch.condition
        if condition is None or not (self._is_path(condition) or self._is_key(condition)):
            return super().running_cases(branch)
        for case, block in zip(branch.cases, branch.blocks, strict=False):
            verb, path = split_method(self._program.text(case, self._scope) or "")
            if path == self._path and verb in ("", self.method):
                self._taken = True
                return block
        return branch.blocks[-1] if branch.exhaustive and branch.blocks else ()

    def _test_outcome(self, test: Expr) -> bool | None:
        match test:
            case Call(callee=Attribute(value=value, name="startsWith"), args=(first,)):
                beginning = self._program.text(first.value, self._scope)
                if beginning is not None and self._is_path(value):
                    return self._path.startswith(beginning)
            case _:
                pass
        found = self._test(test)
        if found is None:
            return super()._test_outcome(test)
        if not found.paths:
            # A pattern that is undetermined is not meant for a path that another test names.
            return not found.same
        same = any(covers(path, self._path) for path in found.paths)
        same = same and found.method in ("", self.method)
        if same:
            self._touched = "same" if found.same else "different"
        return same == found.same
