"""What the bodies of functions give, with what a call hands them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Final, TypeVar

from msgspec import Struct
from msgspec.structs import replace

from contract_scan.ir.origin import Origin, Span
from contract_scan.ir.reasons import Reason
from contract_scan.parsers.source.analysis.dataflow import reaching_definitions
from contract_scan.parsers.source.analysis.dataflow.object_mutations import (
    changed_names,
    removes_by_key,
)
from contract_scan.parsers.source.analysis.domain.arguments import Arguments
from contract_scan.parsers.source.analysis.domain.memo import memoised
from contract_scan.parsers.source.analysis.domain.path_facts import FactsKey, facts_key
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import (
    AssignedMember,
    BoundType,
    BySchema,
    ByType,
    ClassValue,
    Constant,
    FunctionValue,
    Instance,
    Items,
    LibraryResult,
    LibrarySymbol,
    ModuleValue,
    OneOf,
    Record,
    RecordEntry,
    Refinement,
    ReturnedValue,
    Scope,
    Template,
    Unresolved,
    Value,
    is_null,
    union_of,
)
from contract_scan.parsers.source.analysis.evaluation.context import Context
from contract_scan.parsers.source.analysis.evaluation.forward_interpreter import (
    CallOutcome,
    interpret,
)
from contract_scan.parsers.source.analysis.evaluation.nullness import Nulls
from contract_scan.parsers.source.analysis.refinement.kind_dispatch import (
    depends_on_kind,
    undetermined_kind,
)
from contract_scan.parsers.source.analysis.refinement.specialisation import Specialisations
from contract_scan.parsers.source.analysis.syntax.exclusive_paths import ends_function
from contract_scan.parsers.source.analysis.typing.overloads import called_overload
from contract_scan.parsers.source.facts.nodes import (
    Attribute,
    Branch,
    Call,
    Expr,
    Loop,
    Name,
    Return,
    Statement,
    Throw,
)

T = TypeVar("T")
MAX_CALL_DEPTH = 6
"""How many calls deep a value is followed through project functions."""
_MAX_PLAIN_CALL_DEPTH = 2 * MAX_CALL_DEPTH
"""The same for a function that does nothing but give the value of an expression: functions that
make schemas are made of others."""
_MOST_SUMMARIES = 16
"""How many answers of one function are remembered."""
_MADE_OF_PARTS: Final = frozenset(
    {
        *(BoundType, Refinement, AssignedMember, RecordEntry),
        *(Constant, Template, ByType, Instance, BySchema, Record, Items, FunctionValue),
        *(ClassValue, ModuleValue, LibrarySymbol, LibraryResult, OneOf, Unresolved),
    }
)
_PLAIN: Final = frozenset({str, int, float, bool, Span, Origin, Reason})
_MOST_PARTS = 200
"""How many parts of a value are looked at to compare it, or to see whether it holds a place."""


class Bodies:
    """The part of the evaluator that looks into the bodies of functions."""

    def __init__(self, context: Context, specialisations: Specialisations, nulls: Nulls) -> None:
        self._program = context.program
        self._budget = context.budget
        self._evaluate = context.evaluate
        self._specialisations = specialisations
        self._nulls = nulls
        self.active_calls: set[tuple[str, Span, FactsKey]] = set()
        """The calls that are being followed now."""
        self._summaries = _Summaries()

    def later(self, value: Callable[[], T]) -> Callable[[], T]:
        """Evaluates something when it is asked for. What is being evaluated now counts, not
        what is then."""
        calls = frozenset(self.active_calls)
        names = self._program.names.locals.pause()

        def evaluate() -> T:
            running, self.active_calls = self.active_calls, set(calls)
            resumed = self._program.names.locals.resume(names)
            try:
                with self._budget.count_parts_anew():
                    return value()
            finally:
                self.active_calls = running
                self._program.names.locals.resume(resumed)

        return evaluate

    def body_value(
        self,
        callee: FunctionValue,
        bindings: Mapping[str, Value],
        caller: Scope,
        types: dict[str, BoundType],
        call: Call | None = None,
    ) -> Value:
        function = callee.function
        name = function.name or "the function"
        facts = self._specialisations.facts_of_call(callee, call, caller) if call else {}
        key = (callee.scope.file.path, function.span, facts_key(facts))
        is_ring = key in self.active_calls
        is_deep = caller.depth >= MAX_CALL_DEPTH and (
            caller.depth >= _MAX_PLAIN_CALL_DEPTH or not self._is_plain(callee)
        )
        if is_ring or is_deep:
            if is_ring:
                self._budget.cut_ring(key)
            else:
                self._budget.cut_deep()
            return Unresolved(Reason("call-too-deep", name=name), function.span, key[0])
        question = _Question(callee, bindings, types, key[2], caller.depth)
        known = self._summaries.find(question)
        if known is not None:
            if known.deep:
                self._budget.cut_deep()
            return known.value
        before = self._budget.cuts_so_far
        value = self._exits_value(question, caller, call, key)
        cuts = self._budget.cuts_so_far
        deep = cuts.deep - before.deep
        if cuts.all - before.all == deep:
            self._summaries.keep(question, value, bool(deep))
        return value

    def _is_plain(self, callee: FunctionValue) -> bool:
        """Whether a function does nothing but give the value of an expression."""
        body = self._program.body(callee.function, callee.scope.file)
        return len(body) == 1 and isinstance(body[0], Return)

    def _exits_value(
        self,
        question: _Question,
        caller: Scope,
        call: Call | None,
        key: tuple[str, Span, FactsKey],
    ) -> Value:
        """What a body gives, looked at now."""
        callee, bindings, types = question.callee, question.bindings, question.types
        function = callee.function
        name = function.name or "the function"
        with self._budget.follow(key, self.active_calls):
            scope = self._call_scope(callee, bindings, types, caller.depth + 1)
            if call is not None:
                scope = self.as_called(scope, callee, call, caller)
            outcome = _outcome_for_rows(self._program, callee, bindings, scope)
            exits = self._results(scope) if outcome is None else [(r, r) for r in outcome.results]
        results = [result for result, _ in exits]
        if not results:
            if "abstract" in function.modifiers:
                return Unresolved(Reason("no-function-body", name=name), function.span, key[0])
            if any(map(ends_function, scope.statements or ())):  # nothing is given at its exits
                return Unresolved(Reason("function-only-throws", name=name), function.span, key[0])
            return Constant(None, function.span, key[0])
        if function.params and depends_on_kind(results, scope):
            reason = Reason("list-or-object-by-argument", name=name)
            return Unresolved(reason, function.span, key[0])
        return union_of(tuple(known for _, known in exits))

    def _results(self, scope: Scope) -> list[tuple[Value, Value]]:
        """What a function gives at each exit, and what is known of that: nothing, where it gives it
        for one kind of an argument of which nothing is known."""
        results: list[tuple[Value, Value]] = []
        guards = dict(_guards(scope.statements or ()))
        for statement in reaching_definitions.returns(scope.statements or ()):
            if isinstance(statement, Throw) or self._only_throws(statement.value, scope):
                continue  # a throw ends the call
            value = statement.value
            evaluated = Constant(None) if value is None else self._evaluate(value, scope)
            tests = guards.get(id(statement), ())
            if tests and is_null(evaluated):
                under_guard = self._nulls.null_where(*tests[-1], evaluated, scope)
                if under_guard is None:
                    continue
                evaluated = under_guard
            if statement.generator:
                evaluated = Items((evaluated,), True)
            argument = undetermined_kind(self._program, tests, scope)
            if argument is None or is_null(evaluated):
                argument = evaluated
            results.append((evaluated, argument))
        return results

    def _only_throws(self, returned: Expr | None, scope: Scope) -> bool:
        """Whether what is returned is a call of a function that can only throw and that no
        subclass replaces."""
        if not isinstance(returned, Call) or not isinstance(returned.callee, Name | Attribute):
            return False
        found = self._evaluate(returned.callee, scope)
        if not isinstance(found, FunctionValue):
            return False
        called = called_overload(self._program, found, returned, scope, self._evaluate)
        if called is None or not self._program.evaluator.only_throws(called):
            return False
        return (
            called.owner is None
            or "static" in called.function.modifiers
            or not self._program.names.classes.implementations(called.owner)
        )

    def _call_scope(
        self,
        callee: FunctionValue,
        bindings: Mapping[str, Value],
        types: Mapping[str, BoundType],
        depth: int,
    ) -> Scope:
        scope = self._program.function_scope(callee.function, callee.scope, bindings)
        receiver = callee.receiver or scope.receiver
        return replace(
            scope,
            receiver=receiver,
            owner=callee.owner or scope.owner,
            types={**scope.types, **types},
            depth=depth,
        )

    def as_called(self, scope: Scope, callee: FunctionValue, call: Call, caller: Scope) -> Scope:
        """The scope of a function, without what does not run as a call calls it."""
        return self._specialisations.scope_of_call(scope, callee, call, caller)

    def function_exits(self, callee: FunctionValue) -> list[ReturnedValue]:
        """Returns and throws of a function, with the scope to evaluate them in."""
        scope = self._call_scope(callee, {}, {}, callee.scope.depth)
        return [
            ReturnedValue(
                statement.value,
                scope,
                statement.span,
                thrown=isinstance(statement, Throw) or self._only_throws(statement.value, scope),
                generator=isinstance(statement, Return) and statement.generator,
            )
            for statement in reaching_definitions.returns(scope.statements or ())
        ]


class _Question(Struct, frozen=True, eq=False):
    """What a body is evaluated with."""

    callee: FunctionValue
    bindings: Mapping[str, Value]
    types: Mapping[str, BoundType]
    facts: FactsKey
    depth: int
    """That of the caller."""

    @property
    def names(self) -> frozenset[str]:
        """The parameters that are given something."""
        given = self.bindings
        return given.names if isinstance(given, Arguments) else frozenset(given)

    @property
    def key(self) -> object:
        """What all calls that may get the same answer have in common."""
        callee = self.callee
        owner = callee.owner.key if callee.owner is not None else ""
        place = (id(callee.function), id(callee.scope), owner)
        return (*place, self.facts, self.depth, self.names, *self.types)


class _Summary(Struct, frozen=True, eq=False):
    """What the body of a function gives, whoever hands it the same."""

    question: _Question
    asked: tuple[tuple[str, Value | None], ...]
    """What the body asked of its arguments, in order."""
    value: Value
    deep: bool
    """Whether calls that are too deep cut it short."""


class _Summaries:
    """What bodies give, by what they ask of their arguments: most callers of a function hand it
    what it does not look at, or what is the same for all of them (a request, what is declared)."""

    def __init__(self) -> None:
        self._known: dict[object, list[_Summary]] = {}

    def find(self, question: _Question) -> _Summary | None:
        """The summary that answers a question."""
        for summary in self._known.get(question.key, ()):
            before = summary.question
            if (
                _is_same(question.callee.receiver, before.callee.receiver)
                and _is_same(question.types, before.types)
                and all(_is_same(question.bindings.get(n), v) for n, v in summary.asked)
            ):
                return summary
        return None

    def keep(self, question: _Question, value: Value, deep: bool) -> None:
        """Remember an answer, unless it holds a place in the function and there are arguments that
        were not looked at: what is asked of such a place later may depend on them."""
        bindings = question.bindings
        asked = bindings.asked if isinstance(bindings, Arguments) else bindings
        if isinstance(bindings, Arguments) and bindings.is_caller_read:
            return
        if _makes_of_library(value, question.depth):
            return  # each call makes another router, client or query
        if question.names <= asked.keys() or _is_from_outside(value, question.depth):
            summaries = self._known.setdefault(question.key, [])
            summaries.insert(0, _Summary(question, tuple(asked.items()), value, deep))
            del summaries[_MOST_SUMMARIES:]


def _is_same(one: object, other: object) -> bool:
    """Whether two values, or parts of values, are equal in everything that can be asked of them;
    not where that takes long to tell."""
    seen: set[tuple[int, int]] = set()
    pending = [(one, other)]
    while pending:
        here, there = pending.pop()
        if here is there or (id(here), id(there)) in seen:
            continue
        kind = type(here)
        if kind is not type(there):
            return False
        if kind in _PLAIN:
            if here != there:
                return False
            continue
        seen.add((id(here), id(there)))
        if len(seen) > _MOST_PARTS:
            return False
        if kind in _MADE_OF_PARTS:
            assert isinstance(here, Struct)
            pending += ((getattr(here, f), getattr(there, f)) for f in here.__struct_fields__)
        elif isinstance(here, tuple) and isinstance(there, tuple) and len(here) == len(there):
            pending += zip(here, there, strict=True)
        elif isinstance(here, dict) and isinstance(there, dict) and here.keys() == there.keys():
            pending += ((here[key], there[key]) for key in here)
        else:
            return False
    return True


def _makes_of_library(value: object, depth: int) -> bool:
    """Whether a value is, or holds, what a library's call gave in a call that is deeper than this:
    such things are told apart by their places."""
    pending, seen = [value], 0
    while pending:
        part = pending.pop()
        seen += 1
        if seen > _MOST_PARTS:
            return True
        match part:
            case LibraryResult(scope=scope) if scope.depth > depth:
                return True
            case OneOf(options=parts) | Items(values=parts):
                pending += parts
            case Record(entries=entries, values=values):
                pending += (entry.value for entry in entries)
                pending.append(values)
            case _:
                pass
    return False


def _is_from_outside(value: object, depth: int) -> bool:
    """Whether nothing of a value is a place in a call that is deeper than this, or was put off
    there to be evaluated later."""
    seen: set[int] = set()
    pending = [value]
    while pending:
        part = pending.pop()
        kind = type(part)
        if part is None or kind in _PLAIN or id(part) in seen:
            continue
        seen.add(id(part))
        if kind is AssignedMember or len(seen) > _MOST_PARTS:
            return False
        if isinstance(part, Scope):
            if part.depth > depth:
                return False
            pending += (part.parent, part.receiver, part.types)
            pending += part.bindings.values() if isinstance(part.bindings, dict) else ()
        elif kind in _MADE_OF_PARTS:
            assert isinstance(part, Struct)
            pending += (getattr(part, field) for field in part.__struct_fields__)
        elif isinstance(part, Iterable) and not isinstance(part, Struct):
            pending += part.values() if isinstance(part, Mapping) else part
    return True


_Tests = tuple[tuple[Expr, bool], ...]


def _guards(statements: tuple[Statement, ...]) -> Iterator[tuple[int, _Tests]]:
    """Returns that end a block of an `if`, by identity; the tests of that and of those around it,
    outermost first, and whether each holds there."""
    pending: list[tuple[Statement, _Tests]] = [(statement, ()) for statement in statements]
    while pending:
        statement, outer = pending.pop()
        if isinstance(statement, Loop):
            pending.extend((inner, outer) for inner in statement.body)
        elif isinstance(statement, Branch):
            is_tested = statement.kind == "if" and statement.condition is not None
            for position, block in enumerate(statement.blocks):
                tests = outer
                if is_tested and position < 2 and statement.condition is not None:
                    tests = (*outer, (statement.condition, not position))
                    if block and isinstance(block[-1], Return):
                        yield id(block[-1]), tests
                pending.extend((inner, tests) for inner in block)


def _outcome_for_rows(
    program: Program, callee: FunctionValue, bindings: Mapping[str, Value], scope: Scope
) -> CallOutcome | None:
    """What a call gives whose function changes a row of a query that it is handed; None for other
    calls. Only JavaScript's rows are plain objects, to which anything can be added."""
    params = callee.function.params
    if scope.file.language != "typescript" or not params:
        return None
    names = frozenset(p.name for p in params if p.pattern is None)
    statements = scope.statements or ()
    known = _mutated_names_cache(program)
    if id(statements) not in known:
        known[id(statements)] = (statements, changed_names(statements))
    if not known[id(statements)][1] & names:
        return None
    given = tuple(
        bindings[p.name]
        if p.name in bindings
        else program.evaluator.parameter(p, replace(scope, bindings={}))
        for p in params
    )
    by_key = removes_by_key(statements)
    if not any(_is_row(value, by_key) for value in given):
        return None
    return interpret(program, callee, given, statements=statements)


@memoised
def _mutated_names_cache(
    program: Program,
) -> dict[int, tuple[tuple[Statement, ...], frozenset[str]]]:
    """The names that bodies mutate, each computed once. The bodies are kept too, so that their
    identity stays."""
    del program
    return {}


def _is_row(value: Value, by_key: bool) -> bool:
    match value:
        case OneOf(options=options):
            return any(_is_row(option, by_key) for option in options)
        case Record():
            return by_key
        case _:
            return isinstance(value, BySchema)
