"""What names the path in a handler that tells paths apart itself: `req.url`, `url.pathname`, and
whatever is made of them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Literal, TypeAlias

from contract_scan.parsers.source.analysis.domain.values import FunctionValue
from contract_scan.parsers.source.facts.nodes import (
    Attribute,
    Call,
    Cast,
    Choice,
    Expr,
    Index,
    Name,
    NamedType,
    New,
    ObjectLiteral,
    Text,
    UnsupportedSyntax,
)
from contract_scan.parsers.source.typescript.lowering.params import dotted_name_of
from contract_scan.parsers.source.typescript.web.dispatch_by_method import Subject
from contract_scan.parsers.source.typescript.web.path_tests import REGULAR_EXPRESSION, path_of

if TYPE_CHECKING:
    from contract_scan.parsers.source.analysis.domain.program import Program

_SAME_PATH = frozenset({"replace", "toLowerCase", "trim", "toString", "replaceAll", "normalize"})
_DECODES = frozenset({"decodeURIComponent", "decodeURI", "String"})
_PARSERS = frozenset({"url.parse", "parse", "URL.parse", "parseUrl", "parseurl"})
Kind: TypeAlias = Literal["path", "url"]
"""What a name stands for: the path itself, or an address that holds it."""


class PathSubject(Subject):
    """One handler, and what names the path in it; `given` are names of parameters that its caller
    gave the path or an address."""

    def __init__(
        self, program: Program, handler: FunctionValue, request: int, given: Mapping[str, Kind]
    ) -> None:
        self._paths = {name for name, kind in given.items() if kind == "path"}
        self._urls = {name for name, kind in given.items() if kind == "url"}
        self._keys: set[str] = set()
        self._matches: dict[str, str] = {}
        """Names of what a pattern gives -> the path that the pattern stands for."""
        super().__init__(program, handler, request)

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
        match _without_casts(expr):
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
        match _without_casts(expr):
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
        match _without_casts(expr):
            case Name(id=id):
                return id in self._keys
            case Text(parts=(first, *_, last)):
                return self._is_method(first) and self._is_path(last)
            case _:
                return False

    def _matched_path(self, expr: Expr) -> str | None:
        """The path of the pattern that the path is matched with; empty where undetermined."""
        match _without_casts(expr):
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


def _without_casts(expr: Expr) -> Expr:
    while isinstance(expr, Cast):
        expr = expr.value
    return expr
