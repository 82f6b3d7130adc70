"""Handlers that tell requests apart: `if (method.equals("GET") && path.equals("/x"))`."""

from __future__ import annotations

import re
from collections.abc import Callable

from msgspec import Struct

from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import LibraryResult, Scope, Value
from contract_scan.parsers.source.facts.nodes import Attribute, Call, Expr, LiteralExpr
from contract_scan.parsers.source.facts.visitor import nodes_of
from contract_scan.parsers.source.java.web.chains import method
from contract_scan.parsers.source.java.web.routes import join_paths, template
from contract_scan.parsers.source.web.request_dispatch import (
    MAX_NESTING,
    SEVERAL,
    RequestConditions,
    Splitter,
    Subject,
)

_VERBS = frozenset({"GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS"})
_NEUTRAL = frozenset(
    {
        *("toString", "getPath", "getRawPath", "trim", "strip", "toUpperCase", "toLowerCase"),
        *("name", "value", "toExternalForm", "normalize"),
    }
)
"""What is called of a method or path on the way to its comparison."""


_VARIABLE = re.compile(r"(?:\\[dw]|\[[\w\\-]+\])(?:[+*]|\{[\d,]+\})")
_WORD = re.compile(r"(?:[\w-]|\\[.-])+")
_LENGTHS = {
    **dict.fromkeys((("<=", 1), ("<", 2), ("==", 0), ("<", 1), ("==", 1)), True),
    **dict.fromkeys(((">", 1), (">=", 2), (">", 0), ("!=", 0), (">=", 1)), False),
}
_CUTS = frozenset({"substring", "replace", "replaceFirst"})
"""What takes the context path off; anything else that is cut off leaves a part of the path."""
_CONTEXT_PATH = "getContextPath"


class Subjects(Struct, frozen=True, eq=False):
    """How a library's request gives its method and path."""

    methods: frozenset[str]
    paths: frozenset[str]
    rests: frozenset[str] = frozenset()
    """What gives the part of the path below the base alone (`getPathInfo`)."""
    base: str = ""
    ends_are_whole: bool = False
    """Whether a path that is compared by its end is taken to be that end, below a context path."""
    matched: Callable[[Call, Scope], list[RequestConditions]] | None = None
    """What else a call tests (a request matcher)."""


class Dispatch(Splitter):
    """Splits the statements of functions of one library."""

    def __init__(self, program: Program, subjects: Subjects, scope: Scope) -> None:
        super().__init__(program, scope)
        self.subjects = subjects
        self.base = subjects.base

    def kind(self, expr: Expr) -> Subject:
        """Whether an expression is the method or the path of the request."""
        return self._subject(self.program.evaluate(expr, self.scope))

    def word(self, expr: Expr, subject: Subject) -> str:
        """The method or path that it is compared with; empty where that is undetermined."""
        text = self.program.text(expr, self.scope)
        if text is None and subject == "method":
            text = getattr(expr, "name", "") or getattr(expr, "id", "")
            text = text if text in _VERBS else None
        if text is None:
            return ""
        if subject == "rest":
            return template(join_paths(self.subjects.base, text))
        return text.upper() if subject == "method" else template(join_paths(text))

    def is_base(self, operator: str, one: Expr, other: Expr) -> bool | None:
        """Whether a comparison holds where nothing (or a slash) is left of the path:
        `path.length() <= 1`. None: it compares something else."""
        match one, other:
            case Call(callee=Attribute(value=of, name="length")), LiteralExpr(value=int(number)):
                if self.kind(of) == "rest" and (operator, number) in _LENGTHS:
                    return _LENGTHS[operator, number]
            case _:
                pass
        return None

    def test(self, call: Call) -> list[RequestConditions]:
        name = method(call)
        args = [argument.value for argument in call.args]
        if self.subjects.matched is not None and name == "matches":
            found = self.subjects.matched(call, self.scope)
            if found:
                return found
        if not isinstance(call.callee, Attribute):
            return []
        of = call.callee.value
        if name in ("isEmpty", "isBlank") and not args and self.kind(of) == "rest":
            return [RequestConditions(path=self.subjects.base)]
        if not args:
            return []
        if name == "matches":
            return self._pattern(of, args[0])
        if name in ("equals", "equalsIgnoreCase", "contentEquals"):
            if len(args) > 1:
                return self.comparison_facts(args[0], args[1]) or self.comparison_facts(
                    args[1], args[0]
                )
            return self.comparison_facts(of, args[0]) or self.comparison_facts(args[0], of)
        if name in ("startsWith", "endsWith"):
            return self._ending(name, of, args[0])
        if name == "match" and len(args) == 2:
            return self.comparison_facts(args[1], args[0])
        return []

    def comparison_facts(self, one: Expr, other: Expr) -> list[RequestConditions]:
        """As elsewhere; what is left of a path may be null as well."""
        is_null = isinstance(other, LiteralExpr) and other.value is None
        if is_null and self.kind(one) == "rest":
            return [RequestConditions(path=self.subjects.base)]
        return super().comparison_facts(one, other)

    def _pattern(self, subject: Expr, expr: Expr) -> list[RequestConditions]:
        """`path.matches("/orders/\\\\d+")`."""
        kind = self.kind(subject)
        text = self.program.text(expr, self.scope)
        path = _of_pattern(text) if kind in ("path", "rest") and text is not None else ""
        if not path:
            return []
        return [
            RequestConditions(path=join_paths(self.subjects.base if kind == "rest" else "", path))
        ]

    def _ending(self, name: str, subject: Expr, expr: Expr) -> list[RequestConditions]:
        """`path.startsWith("/x")`, `path.endsWith("/x")`."""
        kind = self.kind(subject)
        if kind not in ("path", "rest"):
            return []
        if name == "endsWith" and not self.subjects.ends_are_whole:
            return []
        text = self.program.text(expr, self.scope) or ""
        if not text.startswith("/") or not text.strip("/"):
            return []
        base = self.subjects.base if kind == "rest" else ""
        path = template(join_paths(base, text))
        return [RequestConditions(path=join_paths(path, SEVERAL) if name == "startsWith" else path)]

    def _subject(self, value: Value) -> Subject:
        """Whether a value is the method or the path of the request."""
        for _ in range(MAX_NESTING):
            if not isinstance(value, LibraryResult):
                return ""
            name = value.name.removesuffix("()").rpartition(".")[2]
            if name in self.subjects.methods:
                return "method"
            if name in self.subjects.paths:
                return "path"
            if name in self.subjects.rests:
                return "rest"
            if not (name in _NEUTRAL or (name in _CUTS and _cuts_context(value))):
                return ""
            if value.receiver is None:
                return ""
            value = value.receiver
        return ""


def _of_pattern(text: str) -> str:
    """The path that a regular expression stands for; empty where it is more than words and one
    variable to a segment."""
    found: list[str] = []
    plain = text.removeprefix("^").removesuffix("$").removesuffix("/?")
    segments = plain.replace("[^/]", "\\w").strip("/").split("/")
    for position, segment in enumerate(segments):
        bare = segment
        while bare.startswith("(") and bare.endswith(")") and bare.count("(") == 1:
            bare = bare[1:-1].removeprefix("?:")
        if bare in (".*", ".+") and position == len(segments) - 1:
            found.append(SEVERAL)
        elif _VARIABLE.fullmatch(bare):
            found.append("{id}")
        elif _WORD.fullmatch(bare):
            found.append(bare.replace("\\", ""))
        else:
            return ""
    return join_paths(*found)


def _cuts_context(made: LibraryResult) -> bool:
    """Whether a call takes the context path off."""
    return any(
        isinstance(node, Attribute) and node.name == _CONTEXT_PATH
        for node in nodes_of(made.site.args)
    )
