"""Functions that tell requests apart themselves: `if (method == "GET" && path == "/x")`.

The statements of a function are split by its tests of the request's method and path; each part is
what runs for some methods and paths. How a library's request gives them is for subclasses to say.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Literal, TypeAlias

from msgspec import Struct

from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import Scope
from contract_scan.parsers.source.facts.nodes import (
    ArrayLiteral,
    Branch,
    Call,
    Expr,
    Loop,
    OperationExpr,
    Return,
    Statement,
    Throw,
)

MAX_PARTS = 60
"""How many parts of one function are told apart."""
MAX_NESTING = 20
SEVERAL = "{path*}"
"""The end of a path that stands for all that begin alike."""
Subject: TypeAlias = Literal["method", "path", "rest", ""]


class RequestConditions(Struct, frozen=True):
    """What is known of the requests that get somewhere."""

    method: str = ""
    path: str = ""
    without: frozenset[str] = frozenset()
    """Methods and paths that other parts answer."""

    def conjunction(self, other: RequestConditions) -> RequestConditions | None:
        """Both together; None where no request is like that."""
        if self.method and other.method and self.method != other.method:
            return None
        path = _narrower(self.path, other.path)
        if path is None:
            return None
        found = RequestConditions(self.method or other.method, path, self.without | other.without)
        return None if {found.method, found.path} & found.without else found


def _narrower(one: str, other: str) -> str | None:
    """The path that both take; None where there is none."""
    if not one or not other or one == other:
        return one or other
    for whole, part in ((one, other), (other, one)):
        if whole.endswith(SEVERAL) and part.startswith(whole.removesuffix(SEVERAL)):
            return part
    return None


class RequestBranch(Struct, frozen=True):
    """What runs for some requests."""

    conditions: RequestConditions
    statements: tuple[Statement, ...]


class Splitter:
    """Splits the statements of a function."""

    def __init__(self, program: Program, scope: Scope) -> None:
        self.program = program
        self.scope = scope
        self.count = 0

    # ------------------------------------------------------------------ what a library says

    def kind(self, expr: Expr) -> Subject:
        """Whether an expression is the method or the path of the request."""
        raise NotImplementedError

    def word(self, expr: Expr, subject: Subject) -> str:
        """The method or path that it is compared with; empty where that is undetermined."""
        raise NotImplementedError

    def comparison_facts(self, one: Expr, other: Expr) -> list[RequestConditions]:
        """What is known where the first, if it is a method or path, equals the other one."""
        kind = self.kind(one)
        text = self.word(other, kind) if kind else ""
        return [equal(kind, text)] if text else []

    def test(self, call: Call) -> list[RequestConditions]:
        """What is known where a call gives true."""
        raise NotImplementedError

    def is_base(self, operator: str, one: Expr, other: Expr) -> bool | None:
        """Whether a comparison holds where nothing is left of the path below the base. None: it is
        about something else."""
        return None

    base = ""
    """The path that the library takes off before handlers see it."""

    # ------------------------------------------------------------------ the parts

    def parts(self, statements: tuple[Statement, ...]) -> list[RequestBranch]:
        """The parts in order; one alone where nothing tells requests apart."""
        self.count = 0
        return list(self._parts(statements, RequestConditions(), (), 0))

    # ------------------------------------------------------------------ statements

    def _parts(
        self,
        statements: tuple[Statement, ...],
        conditions: RequestConditions,
        before: tuple[Statement, ...],
        depth: int,
    ) -> Iterator[RequestBranch]:
        for position, statement in enumerate(statements):
            rest = statements[position + 1 :]
            match statement:
                case Return() | Throw():
                    before = (*before, statement)
                    break
                case Branch() if depth < MAX_NESTING and self.count < MAX_PARTS:
                    sides = list(self._branch_conditions(statement))
                    if sides:
                        for side, block in sides:
                            both = conditions.conjunction(side)
                            if both is not None:
                                yield from self._parts((*block, *rest), both, before, depth + 1)
                        return
                case Loop(body=body) if depth < MAX_NESTING and self._has_dispatch(body, 0):
                    # A server answers in a loop.
                    yield from self._parts((*body, *rest), conditions, before, depth + 1)
                    return
                case _:
                    pass
            before = (*before, statement)
        self.count += 1
        yield RequestBranch(conditions, before)

    def _branch_conditions(
        self, branch: Branch
    ) -> Iterator[tuple[RequestConditions, tuple[Statement, ...]]]:
        """What a branch runs for which requests; nothing where it tells none apart."""
        if branch.kind == "try":
            if branch.blocks and self._has_dispatch(branch.blocks[0], 0):
                yield RequestConditions(), branch.blocks[0]
            return
        if branch.kind == "switch":
            yield from self._cases(branch)
            return
        if branch.condition is None or len(branch.blocks) > 2:
            return
        other = branch.blocks[1] if len(branch.blocks) > 1 else ()
        holds = self._alternatives(branch.condition, True, 0)
        fails = self._alternatives(branch.condition, False, 0)
        is_decided = bool(holds or fails)
        if not is_decided and not any(self._has_dispatch(block, 0) for block in branch.blocks):
            return
        for conditions in holds or [RequestConditions()]:
            yield conditions, branch.blocks[0]
        for conditions in fails or [RequestConditions()]:
            yield conditions, other

    def _cases(self, branch: Branch) -> Iterator[tuple[RequestConditions, tuple[Statement, ...]]]:
        subjects = self._switch_subjects(branch)
        if not any(subjects):
            return
        named: set[str] = set()
        otherwise: tuple[Statement, ...] = ()
        for label, block in zip(branch.cases, branch.blocks, strict=False):
            pattern, guards = _split_guard(label)
            found = self._labels(pattern, subjects)
            if not found:
                otherwise = block if not guards else otherwise
            for conditions in found or ([RequestConditions()] if guards else []):
                if not guards and bool(conditions.method) != bool(conditions.path):
                    named.add(conditions.method or conditions.path)
                more = [also for guard in guards for also in self._alternatives(guard, True, 0)]
                for also in more or [RequestConditions()]:
                    both = conditions.conjunction(also)
                    if both is not None and both != RequestConditions():
                        yield both, block
        yield RequestConditions(without=frozenset(named)), otherwise

    def _switch_subjects(self, branch: Branch) -> list[Subject]:
        """What a `switch` is about; several things where it is about a tuple."""
        match branch.condition:
            case None:
                return []
            case ArrayLiteral(items=items):
                return [self.kind(item) for item in items]
            case condition:
                return [self.kind(condition)]

    def _labels(self, label: Expr, subjects: list[Subject]) -> list[RequestConditions]:
        """What is known where one of the cases of a label is taken."""
        if len(subjects) > 1:
            items = label.items if isinstance(label, ArrayLiteral) else ()
            found: RequestConditions | None = RequestConditions()
            for item, subject in zip(items, subjects, strict=False):
                text = self.word(item, subject) if subject else ""
                if found is not None and text:
                    found = found.conjunction(equal(subject, text))
            return (
                [] if found in (None, RequestConditions()) else [found] if found is not None else []
            )
        labels = label.items if isinstance(label, ArrayLiteral) else (label,)
        texts = [self.word(item, subjects[0]) for item in labels]
        return [equal(subjects[0], text) for text in texts if text]

    def _has_dispatch(self, block: Iterable[Statement], depth: int) -> bool:
        """Whether requests are told apart somewhere inside a block."""
        return depth < MAX_NESTING and any(self._tells_alone(each, depth) for each in block)

    def _tells_alone(self, statement: Statement, depth: int) -> bool:
        match statement:
            case Branch(blocks=blocks):
                inside = any(self._has_dispatch(inner, depth + 1) for inner in blocks)
                return inside or self._is_test(statement)
            case Loop(body=body):
                return self._has_dispatch(body, depth + 1)
            case _:
                return False

    def _is_test(self, branch: Branch) -> bool:
        if branch.condition is None:
            return False
        if branch.kind == "switch":
            return any(self._switch_subjects(branch))
        return any(self._alternatives(branch.condition, holds, 0) for holds in (True, False))

    # ------------------------------------------------------------------ conditions

    def _alternatives(self, expr: Expr, holds: bool, depth: int) -> list[RequestConditions]:
        """What requests may be like where a condition holds or fails; nothing: they may be
        anything."""
        if depth > MAX_NESTING:
            return []
        match expr:
            case OperationExpr(operator="!", operands=(inner,)):
                return self._alternatives(inner, not holds, depth + 1)
            case OperationExpr(operator="&&" | "||" as operator, operands=operands):
                sides = [self._alternatives(o, holds, depth + 1) for o in operands]
                return _combinations(sides) if (operator == "&&") is holds else _alternatives(sides)
            case OperationExpr(operator=operator, operands=(one, other)):
                if (is_base := self.is_base(operator, one, other)) is not None:
                    return negate_facts([RequestConditions(path=self.base)], holds is is_base)
                if operator not in ("==", "!="):
                    return []
                found = self.comparison_facts(one, other) or self.comparison_facts(other, one)
                return negate_facts(found, holds is (operator == "=="))
            case Call():
                return negate_facts(self.test(expr), holds)
            case _:
                return []


def _split_guard(label: Expr) -> tuple[Expr, list[Expr]]:
    """A label without its guard (`case "GET" when path == "/x"`), and that one."""
    match label:
        case OperationExpr(operator="when", operands=(pattern, guard)):
            return pattern, [guard]
        case _:
            return label, []


def equal(subject: Subject, text: str) -> RequestConditions:
    """What is known where the method or path is one text."""
    return RequestConditions(method=text) if subject == "method" else RequestConditions(path=text)


def _combinations(sides: list[list[RequestConditions]]) -> list[RequestConditions]:
    """Every combination that can be."""
    found = [RequestConditions()]
    for side in sides:
        if side:
            found = [both for a in found for b in side if (both := a.conjunction(b)) is not None]
    return [] if found == [RequestConditions()] else found[:MAX_PARTS]


def _alternatives(sides: list[list[RequestConditions]]) -> list[RequestConditions]:
    """One of the sides: told only where all are, and where they say what requests are like."""
    found = list(dict.fromkeys(conditions for side in sides for conditions in side))
    says = all(conditions.method or conditions.path for conditions in found)
    return found if all(sides) and (says or len(found) == 1) else []


def negate_facts(found: list[RequestConditions], holds: bool) -> list[RequestConditions]:
    """What is known where a test of one method or path fails."""
    if holds or not found:
        return found
    if len(found) == 1 and bool(found[0].method) != bool(found[0].path):
        return [RequestConditions(without=frozenset({found[0].method or found[0].path}))]
    return []
