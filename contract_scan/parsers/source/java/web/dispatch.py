"""Handlers that tell requests apart themselves: `if (method.equals("GET") && path.equals("/x"))`.

The statements of a function are split by its tests of the request's method and path; each part is
what runs for some methods and paths.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, Literal, TypeAlias

from msgspec import Struct

from contract_scan.parsers.source.facts import (
    ArrayLiteral,
    Attribute,
    Branch,
    Call,
    Expr,
    LiteralExpr,
    OperationExpr,
    Return,
    Statement,
    Throw,
)
from contract_scan.parsers.source.java.routes import joined, template
from contract_scan.parsers.source.java.web.chains import method
from contract_scan.parsers.source.link.values import Made, Scope, Value
from contract_scan.parsers.source.link.walk import children

if TYPE_CHECKING:
    from contract_scan.parsers.source.link.program import Program

MAX_PARTS = 60
"""How many parts of one function are told apart."""
MAX_NESTING = 20
_VERBS = frozenset({"GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS"})
SEVERAL = "{path*}"
Subject: TypeAlias = Literal["method", "path", "rest", ""]
_NEUTRAL = frozenset(
    {
        *("toString", "getPath", "getRawPath", "trim", "strip", "toUpperCase", "toLowerCase"),
        *("name", "value", "toExternalForm", "normalize"),
    }
)
"""What is called of a method or path on the way to its comparison."""


class Told(Struct, frozen=True):
    """What is known of the requests that get somewhere."""

    method: str = ""
    path: str = ""
    without: frozenset[str] = frozenset()
    """Methods and paths that other parts answer."""

    def joined(self, other: Told) -> Told | None:
        """Both together; None where no request is like that."""
        if self.method and other.method and self.method != other.method:
            return None
        path = _narrower(self.path, other.path)
        if path is None:
            return None
        found = Told(self.method or other.method, path, self.without | other.without)
        return None if {found.method, found.path} & found.without else found


def _narrower(one: str, other: str) -> str | None:
    """The path that both take; None where there is none."""
    if not one or not other or one == other:
        return one or other
    for whole, part in ((one, other), (other, one)):
        if whole.endswith(SEVERAL) and part.startswith(whole.removesuffix(SEVERAL)):
            return part
    return None


class Part(Struct, frozen=True):
    """What runs for some requests."""

    told: Told
    statements: tuple[Statement, ...]


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
    matched: Callable[[Call, Scope], list[Told]] | None = None
    """What else a call tests (a request matcher)."""


class Dispatch:
    """Splits the statements of functions of one library."""

    def __init__(self, program: Program, subjects: Subjects, scope: Scope) -> None:
        self.program = program
        self.subjects = subjects
        self.scope = scope
        self.count = 0

    def parts(self, statements: tuple[Statement, ...]) -> list[Part]:
        """The parts in order; one alone where nothing tells requests apart."""
        self.count = 0
        return list(self._split(statements, Told(), (), 0))

    # ------------------------------------------------------------------ statements

    def _split(
        self,
        statements: tuple[Statement, ...],
        told: Told,
        before: tuple[Statement, ...],
        depth: int,
    ) -> Iterator[Part]:
        for position, statement in enumerate(statements):
            rest = statements[position + 1 :]
            match statement:
                case Return() | Throw():
                    before = (*before, statement)
                    break
                case Branch() if depth < MAX_NESTING and self.count < MAX_PARTS:
                    sides = list(self._sides(statement))
                    if sides:
                        for side, block in sides:
                            both = told.joined(side)
                            if both is not None:
                                yield from self._split((*block, *rest), both, before, depth + 1)
                        return
                case _:
                    pass
            before = (*before, statement)
        self.count += 1
        yield Part(told, before)

    def _sides(self, branch: Branch) -> Iterator[tuple[Told, tuple[Statement, ...]]]:
        """What a branch runs for which requests; nothing where it tells none apart."""
        if branch.kind == "try":
            if branch.blocks and self._tells(branch.blocks[0], 0):
                yield Told(), branch.blocks[0]
            return
        if branch.kind == "switch":
            yield from self._cases(branch)
            return
        if branch.condition is None or len(branch.blocks) > 2:
            return
        other = branch.blocks[1] if len(branch.blocks) > 1 else ()
        holds = self._alternatives(branch.condition, True, 0)
        fails = self._alternatives(branch.condition, False, 0)
        is_told = bool(holds or fails)
        if not is_told and not any(self._tells(block, 0) for block in branch.blocks):
            return
        for told in holds or [Told()]:
            yield told, branch.blocks[0]
        for told in fails or [Told()]:
            yield told, other

    def _cases(self, branch: Branch) -> Iterator[tuple[Told, tuple[Statement, ...]]]:
        if branch.condition is None:
            return
        subject = self._subject(self.program.evaluate(branch.condition, self.scope))
        if not subject:
            return
        named: set[str] = set()
        otherwise: tuple[Statement, ...] = ()
        for label, block in zip(branch.cases, branch.blocks, strict=False):
            labels = label.items if isinstance(label, ArrayLiteral) else (label,)
            texts = [self._word(item, subject) for item in labels]
            if any(not text for text in texts):
                otherwise = block
            for text in texts:
                if text:
                    named.add(text)
                    yield _equal(subject, text), block
        yield Told(without=frozenset(named)), otherwise

    def _word(self, expr: Expr, subject: Subject) -> str:
        text = self.program.text(expr, self.scope)
        if text is None and subject == "method":
            text = getattr(expr, "name", "") or getattr(expr, "id", "")
            text = text if text in _VERBS else None
        if text is None:
            return ""
        if subject == "rest":
            return template(joined(self.subjects.base, text))
        return text.upper() if subject == "method" else template(joined(text))

    def _tells(self, block: Iterable[Statement], depth: int) -> bool:
        """Whether requests are told apart somewhere inside a block."""
        return depth < MAX_NESTING and any(
            isinstance(statement, Branch)
            and (
                self._is_test(statement)
                or any(self._tells(inner, depth + 1) for inner in statement.blocks)
            )
            for statement in block
        )

    def _is_test(self, branch: Branch) -> bool:
        if branch.condition is None:
            return False
        if branch.kind == "switch":
            return bool(self._subject(self.program.evaluate(branch.condition, self.scope)))
        return any(self._alternatives(branch.condition, holds, 0) for holds in (True, False))

    # ------------------------------------------------------------------ conditions

    def _alternatives(self, expr: Expr, holds: bool, depth: int) -> list[Told]:
        """What requests may be like where a condition holds or fails; nothing: they may be
        anything."""
        if depth > MAX_NESTING:
            return []
        match expr:
            case OperationExpr(operator="!", operands=(inner,)):
                return self._alternatives(inner, not holds, depth + 1)
            case OperationExpr(operator="&&" | "||" as operator, operands=operands):
                sides = [self._alternatives(o, holds, depth + 1) for o in operands]
                return _all(sides) if (operator == "&&") is holds else _either(sides)
            case OperationExpr(operator=operator, operands=(one, other)):
                if (is_empty := self._is_empty(operator, one, other)) is not None:
                    return _negated([Told(path=self.subjects.base)], holds is is_empty)
                if operator not in ("==", "!="):
                    return []
                found = self._compared(one, other) or self._compared(other, one)
                return _negated(found, holds is (operator == "=="))
            case Call():
                return _negated(self._test(expr), holds)
            case _:
                return []

    def _is_empty(self, operator: str, one: Expr, other: Expr) -> bool | None:
        """Whether a comparison holds where nothing (or a slash) is left of the path:
        `path.length() <= 1`. None: it compares something else."""
        match one, other:
            case Call(callee=Attribute(value=of, name="length")), LiteralExpr(value=int(number)):
                if self._kind(of) == "rest" and (operator, number) in _LENGTHS:
                    return _LENGTHS[operator, number]
            case _:
                pass
        return None

    def _test(self, call: Call) -> list[Told]:
        name = method(call)
        args = [argument.value for argument in call.args]
        if self.subjects.matched is not None and name == "matches":
            found = self.subjects.matched(call, self.scope)
            if found:
                return found
        if not isinstance(call.callee, Attribute):
            return []
        of = call.callee.value
        if name in ("isEmpty", "isBlank") and not args and self._kind(of) == "rest":
            return [Told(path=self.subjects.base)]
        if not args:
            return []
        if name == "matches":
            return self._pattern(of, args[0])
        if name in ("equals", "equalsIgnoreCase", "contentEquals"):
            if len(args) > 1:
                return self._compared(args[0], args[1]) or self._compared(args[1], args[0])
            return self._compared(of, args[0]) or self._compared(args[0], of)
        if name in ("startsWith", "endsWith"):
            return self._ending(name, of, args[0])
        if name == "match" and len(args) == 2:
            return self._compared(args[1], args[0])
        return []

    def _compared(self, subject: Expr, expr: Expr) -> list[Told]:
        kind = self._kind(subject)
        if kind == "rest" and isinstance(expr, LiteralExpr) and expr.value is None:
            return [Told(path=self.subjects.base)]
        text = self._word(expr, kind) if kind else ""
        return [_equal(kind, text)] if text else []

    def _pattern(self, subject: Expr, expr: Expr) -> list[Told]:
        """`path.matches("/orders/\\\\d+")`."""
        kind = self._kind(subject)
        text = self.program.text(expr, self.scope)
        path = _of_pattern(text) if kind in ("path", "rest") and text is not None else ""
        if not path:
            return []
        return [Told(path=joined(self.subjects.base if kind == "rest" else "", path))]

    def _ending(self, name: str, subject: Expr, expr: Expr) -> list[Told]:
        """`path.startsWith("/x")`, `path.endsWith("/x")`."""
        kind = self._kind(subject)
        if kind not in ("path", "rest"):
            return []
        if name == "endsWith" and not self.subjects.ends_are_whole:
            return []
        text = self.program.text(expr, self.scope) or ""
        if not text.startswith("/") or not text.strip("/"):
            return []
        base = self.subjects.base if kind == "rest" else ""
        path = template(joined(base, text))
        return [Told(path=joined(path, SEVERAL) if name == "startsWith" else path)]

    def _kind(self, expr: Expr) -> Subject:
        return self._subject(self.program.evaluate(expr, self.scope))

    def _subject(self, value: Value) -> Subject:
        """Whether a value is the method or the path of the request."""
        for _ in range(MAX_NESTING):
            if not isinstance(value, Made):
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
    return joined(*found)


def _cuts_context(made: Made) -> bool:
    """Whether a call takes the context path off."""
    pending: list[object] = [argument.value for argument in made.site.args]
    while pending:
        node = pending.pop()
        if isinstance(node, Attribute) and node.name == _CONTEXT_PATH:
            return True
        if isinstance(node, tuple):
            pending.extend(node)
        elif isinstance(node, Struct):
            pending.extend(children(node))
    return False


def _equal(subject: Subject, text: str) -> Told:
    return Told(method=text) if subject == "method" else Told(path=text)


def _all(sides: list[list[Told]]) -> list[Told]:
    """Every combination that can be."""
    found = [Told()]
    for side in sides:
        if side:
            found = [both for a in found for b in side if (both := a.joined(b)) is not None]
    return [] if found == [Told()] else found[:MAX_PARTS]


def _either(sides: list[list[Told]]) -> list[Told]:
    """One of the sides: told only where all are, and where they say what requests are like."""
    found = list(dict.fromkeys(told for side in sides for told in side))
    says = all(told.method or told.path for told in found)
    return found if all(sides) and (says or len(found) == 1) else []


def _negated(found: list[Told], holds: bool) -> list[Told]:
    """What is known where a test of one method or path fails."""
    if holds or not found:
        return found
    if len(found) == 1 and bool(found[0].method) != bool(found[0].path):
        return [Told(without=frozenset({found[0].method or found[0].path}))]
    return []
