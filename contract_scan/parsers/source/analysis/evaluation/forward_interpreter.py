"""What a function leaves of the objects that it is handed, statement by statement.

function toWire(row) { row.id = String(row._id); delete row._id; return row; }

Here each name stands for one value at a time: a statement takes the values before it to those after
it, branches that cannot be decided run side by side and meet again, a loop over a known list runs
item by item. What is not followed ends it: then nothing is told.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

from msgspec import Struct
from msgspec.structs import replace

from contract_scan.ir.reasons import Reason
from contract_scan.ir.schema import Nothing, Unknown
from contract_scan.parsers.source.analysis.dataflow.object_mutations import (
    changed_names,
    hands_on,
    is_removal,
    removal_target,
    root_name,
    without_casts,
)
from contract_scan.parsers.source.analysis.dataflow.records import (
    one_of_all,
    to_record,
    with_entry,
    without_entry,
)
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import (
    Constant,
    FunctionValue,
    Items,
    LibrarySymbol,
    OneOf,
    Record,
    RecordEntry,
    Scope,
    Unresolved,
    Value,
    union_of,
)
from contract_scan.parsers.source.analysis.refinement.argument_facts import RECEIVERS
from contract_scan.parsers.source.analysis.refinement.conditions import (
    ConditionContext,
    evaluate_condition,
    is_there,
)
from contract_scan.parsers.source.analysis.syntax.null_checks import null_tested
from contract_scan.parsers.source.facts.nodes import (
    Argument,
    Assign,
    Attribute,
    Branch,
    Call,
    Define,
    Evaluate,
    Expr,
    Function,
    Index,
    Jump,
    Lambda,
    Loop,
    Name,
    Param,
    Return,
    Statement,
    Syntax,
    Throw,
)
from contract_scan.parsers.source.facts.visitor import nodes_of

ABSENT = LibrarySymbol("undefined")
Change: TypeAlias = Callable[[Record], Record]


class NotFollowedError(Exception):
    """Something is done that is not followed here."""


class State(Struct):
    """What each name holds at a place."""

    values: dict[str, Value]
    same: dict[str, str]
    """Names that stand for the object of another name."""

    def copy(self) -> State:
        return State(dict(self.values), dict(self.same))

    def root(self, name: str) -> str:
        return self.same.get(name, name)


class Objects:
    """Objects by the names that hold them."""

    def __init__(self, program: Program, scope: Scope) -> None:
        self.program = program
        self.scope = scope

    def current_scope(self, state: State) -> Scope:
        """The scope in which the names hold their current values."""
        values = {**state.values}
        for name, other in state.same.items():
            values[name] = state.values[other]
        return replace(self.scope, statements=(), bindings={**self.scope.bindings, **values})

    def path(self, expr: Expr, state: State) -> tuple[str, tuple[str, ...]] | None:
        """The name of an object and the keys that lead from it to an expression."""
        keys: list[str] = []
        while True:
            expr = without_casts(expr)
            match expr:
                case Name(id=id):
                    root = state.root(id)
                    return (root, tuple(reversed(keys))) if root in state.values else None
                case Attribute(value=inner, name=key):
                    keys.append(key)
                case Index(value=inner, index=index):
                    text = self.program.text(index, self.current_scope(state))
                    if text is None:
                        if state.root(root_name(expr)) in state.values:
                            raise NotFollowedError
                        return None
                    keys.append(text)
                case _:
                    return None
            expr = inner

    def change(self, name: str, keys: tuple[str, ...], change: Change, state: State) -> None:
        state.values[name] = self._change_at_path(state.values[name], keys, change)

    def _change_at_path(self, value: Value, keys: tuple[str, ...], change: Change) -> Value:
        record = to_record(self.program, value)
        if record is None:
            raise NotFollowedError
        options = record.options if isinstance(record, OneOf) else (record,)
        return union_of(tuple(self._changed_one(option, keys, change) for option in options))

    def _changed_one(self, value: Value, keys: tuple[str, ...], change: Change) -> Value:
        if not isinstance(value, Record):
            return value
        if not keys:
            return change(value)
        entries = tuple(
            replace(e, value=self._change_at_path(e.value, keys[1:], change))
            if e.name == keys[0]
            else e
            for e in value.entries
        )
        return replace(value, entries=entries)

    def join_states(self, states: list[State]) -> State:
        """The state where paths through a function join."""
        first, *others = states
        if not others:
            return first
        same = {n: o for n, o in first.same.items() if all(s.same.get(n) == o for s in others)}
        values: dict[str, Value] = {}
        for name in dict.fromkeys(n for state in states for n in (*state.values, *state.same)):
            if name in same:
                continue
            candidates = [state.values.get(state.root(name), ABSENT) for state in states]
            values[name] = (
                candidates[0]
                if all(v is candidates[0] for v in candidates)
                else self._union_of(candidates)
            )
        return State(values, same)

    def _union_of(self, held: list[Value]) -> Value:
        if any(isinstance(value, Record) for value in held):
            held = [to_record(self.program, value) or value for value in held]
        return one_of_all(held)


_MAX_DEPTH = 6
_MAX_PASSES = 200
_EACH = frozenset({"forEach", "map"})
_EXTENDING = frozenset({"extend", "addAll", "AddRange"})
_ADDING = frozenset({"append", "push", "add", "Add"}) | _EXTENDING
_AS_IT_WAS = Unresolved(Reason("no-effect"))


class CallOutcome(Struct, frozen=True, eq=False):
    """What a call gives and leaves."""

    results: tuple[Value, ...]
    """What each `return` gives, and undefined where the end is reached without one."""
    arguments_after: tuple[Value, ...]
    """The arguments as they are afterwards."""


def interpret(
    program: Program,
    function: FunctionValue,
    args: tuple[Value, ...],
    depth: int = 0,
    statements: tuple[Statement, ...] | None = None,
) -> CallOutcome | None:
    """What calling a function with these arguments returns and leaves of them; None where it
    does something that is unsupported. `statements` are those of the function that run, where
    that is known."""
    if depth >= _MAX_DEPTH:
        return None
    names = {f"<{position}>": value for position, value in enumerate(args)}
    state = State(names, {})
    scope = program.function_scope(function.function, function.scope)
    if function.receiver is not None:
        scope = replace(scope, receiver=function.receiver)
    runner = _FunctionRun(program, scope, depth)
    params = function.function.params
    if function.receiver is not None and params and params[0].name in RECEIVERS:
        params = params[1:]
    for position, (parameter, name) in enumerate(zip(params, names, strict=False)):
        if parameter.kind == "*":
            state.values[parameter.name] = Items(args[position:], is_tuple=True)
            break
        if parameter.pattern is not None:
            bound = program.evaluator.pattern_bindings(parameter.pattern, names[name], scope)
            state.values.update(bound)
        else:
            state.same[parameter.name] = name
    try:
        body = scope.statements if statements is None else statements
        end = runner.block(body or (), state)
    except NotFollowedError:
        return None
    returned = [value for value, _ in runner.ends]
    states = [at for _, at in runner.ends]
    if end is not None:
        returned.append(ABSENT)
        states.append(end)
    if not states:
        return None
    return CallOutcome(
        tuple(returned), tuple(one_of_all([s.values[n] for s in states]) for n in names)
    )


class _FunctionRun:
    """One run of a function."""

    def __init__(self, program: Program, scope: Scope, depth: int) -> None:
        self.program = program
        self.scope = scope
        self.objects = Objects(program, scope)
        self.depth = depth
        self.ends: list[tuple[Value, State]] = []

    # -------------------------------------------------------------- statements

    def block(self, statements: tuple[Statement, ...], state: State) -> State | None:
        """The state after the statements; None where their end is never reached."""
        current: State | None = state
        for statement in statements:
            if current is None:
                break
            current = self._step(statement, current)
        return current

    def _step(self, statement: Statement, state: State) -> State | None:
        match statement:
            case Return(generator=False):
                value = ABSENT if statement.value is None else self.value(statement.value, state)
                self.ends.append((value, state))
                return None
            case Throw():
                return None
            case Assign():
                self._assign(statement, state)
            case Evaluate(value=value):
                self._effect(value, state)
            case Branch():
                return self._branch(statement, state)
            case Loop():
                return self._loop(statement, state)
            case Define(declaration=Function() as function):
                state.values[function.name] = FunctionValue(
                    function, self.objects.current_scope(state)
                )
            case Define() | Return() | Jump():
                raise NotFollowedError
        return state

    def _assign(self, statement: Assign, state: State) -> None:
        target = without_casts(statement.target)
        if isinstance(target, Name):
            source = without_casts(statement.value) if statement.value is not None else None
            if isinstance(source, Name) and state.root(source.id) in state.values:
                state.same[target.id] = state.root(source.id)
                return
            state.same.pop(target.id, None)
            state.values[target.id] = self._assigned_value(statement, None, state)
            return
        if not isinstance(target, Attribute | Index):
            given = ABSENT if statement.value is None else self.value(statement.value, state)
            bound = self.program.evaluator.pattern_bindings(
                target, given, self.objects.current_scope(state)
            )
            for name, value in bound.items():
                state.same.pop(name, None)
                state.values[name] = value
            return
        if isinstance(target, Index) and self._replace_item(target, statement, state):
            return
        path = self.objects.path(target, state)
        if path is None:
            return
        name, keys = path
        before = self.value(target, state)
        value = self._assigned_value(statement, before, state)
        origin = self.program.origin(statement, self.scope)
        entry = RecordEntry(keys[-1], value, origin)
        self.objects.change(name, keys[:-1], lambda record: with_entry(record, entry), state)

    def _replace_item(self, target: Index, statement: Assign, state: State) -> bool:
        """`entries[0] = …` of a list; False where it is none."""
        held = self._list_of(target.value, state)
        if held is None:
            return False
        name, items = held
        at = self.program.evaluate(target.index, self.objects.current_scope(state))
        position = at.value if isinstance(at, Constant) else None
        if not isinstance(position, int) or not 0 <= position < len(items.values):
            raise NotFollowedError
        value = self._assigned_value(statement, items.values[position], state)
        values = (*items.values[:position], value, *items.values[position + 1 :])
        state.values[name] = replace(items, values=values)
        return True

    def _add_to_list(self, call: Call, state: State) -> bool:
        """`entries.append(…)`, `entries.extend(…)`, `entries.push(…, …)`; False where a call adds
        to no list."""
        callee = call.callee
        if not isinstance(callee, Attribute) or callee.name not in _ADDING:
            return False
        if callee.name != "push" and len(call.args) != 1:
            return False
        held = self._list_of(callee.value, state)
        if held is None:
            return False
        name, items = held
        added: list[Value] = []
        for argument in call.args:
            given = self.value(argument.value, state)
            if callee.name not in _EXTENDING and not argument.spread:
                added.append(given)
            elif isinstance(given, Items) and not given.repeated:
                added.extend(given.values)
            else:
                raise NotFollowedError
        state.values[name] = replace(items, values=(*items.values, *added))
        return True

    def _list_of(self, expr: Expr, state: State) -> tuple[str, Items] | None:
        """The name that holds a list of which each item is known."""
        named = without_casts(expr)
        if not isinstance(named, Name):
            return None
        held = state.values.get(state.root(named.id))
        known = isinstance(held, Items) and not held.repeated
        return (state.root(named.id), held) if known and isinstance(held, Items) else None

    def _assigned_value(self, statement: Assign, before: Value | None, state: State) -> Value:
        assigned = ABSENT if statement.value is None else self.value(statement.value, state)
        if not statement.operator or before is None:
            return assigned
        if statement.operator in ("??=", "||="):
            return union_of((before, assigned))
        reason = Reason("computation-not-followed")
        return Unresolved(reason, statement.span, self.scope.file.path)

    def _branch(self, branch: Branch, state: State) -> State | None:
        if branch.kind == "switch":
            left = self._condition_context(state).running_cases(branch)
            if not isinstance(left, Branch):
                return self.block(left, state)
            branch = left
        holds = None
        if branch.kind == "if" and branch.condition is not None:
            holds = evaluate_condition(branch.condition, self._condition_context(state))
            if holds is None:
                holds = self._null_outcome(branch.condition, state)
        if holds is True:
            return self.block(branch.blocks[0], state)
        ends: list[State | None] = []
        for position, block in enumerate(branch.blocks):
            if holds is False and position == 0:
                continue
            ends.append(self.block(block, self._state_at_block_start(branch, position == 0, state)))
        if not branch.exhaustive or (holds is False and len(branch.blocks) == 1):
            ends.append(self._state_at_block_start(branch, False, state))
        if branch.kind == "try" and len(branch.blocks) == 1:
            return ends[0]
        alive = [end for end in ends if end is not None]
        return self.objects.join_states(alive) if alive else None

    def _state_at_block_start(self, branch: Branch, first: bool, state: State) -> State:
        """The state in which a block begins. Where `row.key` is falsy, the key is absent
        or null."""
        state = state.copy()
        if branch.kind != "if" or branch.condition is None:
            return state
        condition = without_casts(branch.condition)
        self._leave_null(condition, first, state)
        if first:
            return state
        path = (
            self.objects.path(condition, state)
            if isinstance(condition, Attribute | Index)
            else None
        )
        if path is None:
            return state
        name, keys = path
        falsy = self._left_of_false(condition, state)
        if falsy is None:
            self.objects.change(
                name, keys[:-1], lambda record: without_entry(record, keys[-1]), state
            )
        elif falsy is not _AS_IT_WAS:
            entry = RecordEntry(keys[-1], falsy, self.program.origin(branch, self.scope))
            self.objects.change(name, keys[:-1], lambda record: with_entry(record, entry), state)
        return state

    def _null_outcome(self, condition: Expr, state: State) -> bool | None:
        """How a test of null ends whose value is known never to be null."""
        tested = null_tested(condition)
        if tested is None:
            return None
        path = self.objects.path(tested[0], state)
        held = state.values[path[0]] if path is not None and len(path[1]) == 1 else None
        entries = held.entries if isinstance(held, Record) and path is not None else ()
        there = any(e.name == path[1][0] and not e.optional for e in entries) if path else False
        types = self.program.types
        shape = types.flat(types.schema_of(self.value(tested[0], state)))
        certain = shape.nullable is False and not isinstance(shape, Unknown | Nothing)
        return (not tested[1]) if there and certain else None

    def _leave_null(self, condition: Expr, first: bool, state: State) -> None:
        """Where a test says that a member of an object is not null, it is another value."""
        tested = null_tested(condition)
        path = self.objects.path(tested[0], state) if tested and tested[1] != first else None
        if tested is None or path is None or not path[1]:
            return
        name, keys = path
        there = self.program.evaluator.without_null(self.value(tested[0], state))

        def change(record: Record) -> Record:
            entries = tuple(
                replace(e, value=there) if e.name == keys[-1] else e for e in record.entries
            )
            return replace(record, entries=entries)

        self.objects.change(name, keys[:-1], change, state)

    def _left_of_false(self, expr: Expr, state: State) -> Value | None:
        """What is sent of a value that counts as false; None: nothing."""
        schema = self.program.types.flat(self.program.types.schema_of(self.value(expr, state)))
        kind = getattr(schema, "type", "")
        if isinstance(schema, Unknown) or kind in ("boolean", "integer", "number", "numeric"):
            return _AS_IT_WAS
        if schema.nullable is None:
            return _AS_IT_WAS
        return Constant(None) if schema.nullable else None

    def _loop(self, loop: Loop, state: State) -> State | None:
        items = None if loop.iterable is None else self.value(loop.iterable, state)
        if (
            isinstance(items, Items)
            and not items.repeated
            and len(items.values) <= _MAX_PASSES
            and loop.variable is not None
        ):
            current: State | None = state
            for item in items.values:
                if current is None:
                    return None
                bound = self.program.evaluator.pattern_bindings(
                    loop.variable, item, self.objects.current_scope(current)
                )
                if isinstance(loop.variable, Name):
                    bound = {loop.variable.id: item}
                current.values.update(bound)
                current = self.block(loop.body, current)
            return current
        if isinstance(loop.variable, Name) and loop.iterable is not None:
            param = Param(name=loop.variable.id, span=loop.variable.span)
            function = Function(name="", params=(param,), body=loop.body, span=loop.span)
            if self._change_each(loop.iterable, function, items, loop, state):
                return state
        roots = frozenset((*state.values, *state.same))
        if changed_names(loop.body) & roots or hands_on(loop.body, roots):
            raise NotFollowedError
        return state

    # -------------------------------------------------------------- expressions

    def value(self, expr: Expr, state: State) -> Value:
        """What an expression gives. A function of the project that it calls may change what it is
        handed."""
        call = without_casts(expr)
        if isinstance(call, Call):
            outcome = self._interpret_call(call, state)
            if outcome is not None:
                return one_of_all(list(outcome.results))
        return self.program.evaluate(expr, self.objects.current_scope(state))

    def _effect(self, expr: Expr, state: State) -> None:
        expr = without_casts(expr)
        if is_removal(expr):
            path = self.objects.path(removal_target(expr), state)
            if path is not None:
                name, keys = path
                self.objects.change(
                    name, keys[:-1], lambda record: without_entry(record, keys[-1]), state
                )
            return
        if not isinstance(expr, Call):
            if any(is_removal(node) for node in nodes_of(expr)):
                raise NotFollowedError
            return
        if self._add_to_list(expr, state):
            return
        if self._apply_object_assign(expr, state) or self._run_for_each(expr, state):
            return
        if self._interpret_call(expr, state) is None and self._is_handed(expr, state):
            raise NotFollowedError

    def _apply_object_assign(self, call: Call, state: State) -> bool:
        """`Object.assign(row, { … })`."""
        match call:
            case Call(
                callee=Attribute(value=Name(id="Object"), name="assign"), args=(first, *others)
            ):
                path = self.objects.path(without_casts(first.value), state)
            case _:
                return False
        if path is None:
            return True
        name, keys = path
        for other in others:
            entries, why = self.program.evaluator.entries_of(self.value(other.value, state))

            def merge(
                record: Record, entries: tuple[RecordEntry, ...] = tuple(entries), why: Reason = why
            ) -> Record:
                for entry in entries:
                    record = with_entry(record, entry)
                return replace(record, partial=record.partial or why)

            self.objects.change(name, keys, merge, state)
        return True

    def _run_for_each(self, call: Call, state: State) -> bool:
        """`row.items.forEach((item) => { delete item._id; })`, `keys.forEach((k) => …)`."""
        match call:
            case Call(
                callee=Attribute(value=receiver, name=name),
                args=(Argument(value=Lambda(function=function)), *_),
            ) if name in _EACH:
                pass
            case _:
                return False
        items = self.value(receiver, state)
        if isinstance(items, Items) and not items.repeated and function.params:
            variable = Name(id=function.params[0].name)
            loop = Loop(function.body or (), variable, receiver, span=call.span)
            self._loop(loop, state)
            return True
        return self._change_each(receiver, function, items, call, state)

    def _change_each(
        self, listed: Expr, function: Function, items: Value | None, place: Syntax, state: State
    ) -> bool:
        """What a function does to each item of a list that an object holds, whose items are not
        told apart; False where it is no such list."""
        path = self.objects.path(without_casts(listed), state)
        if path is None or not path[1]:
            return False
        item = self.program.evaluator.item(items)
        called = FunctionValue(function, self.objects.current_scope(state))
        outcome = interpret(self.program, called, (item,), self.depth + 1)
        if outcome is None:
            raise NotFollowedError
        name, keys = path
        entry = RecordEntry(
            keys[-1], Items(outcome.arguments_after, True), self.program.origin(place, self.scope)
        )
        self.objects.change(name, keys[:-1], lambda record: with_entry(record, entry), state)
        return True

    def _interpret_call(self, call: Call, state: State) -> CallOutcome | None:
        """Interprets a call of a function of the project that gets one of the objects as
        an argument."""
        if not self._is_handed(call, state):
            return None
        inside = self.objects.current_scope(state)
        if is_there(self.program.evaluate(call.callee, inside)) is False:
            return CallOutcome((ABSENT,), ())
        callee = self.program.evaluator.function_called(call, inside)
        if callee is None or any(argument.spread for argument in call.args):
            return None
        args = tuple(self.value(without_casts(argument.value), state) for argument in call.args)
        outcome = interpret(self.program, callee, args, self.depth + 1)
        if outcome is None:
            return None
        for argument, value in zip(call.args, outcome.arguments_after, strict=False):
            expr = without_casts(argument.value)
            if isinstance(expr, Name) and state.root(expr.id) in state.values:
                state.values[state.root(expr.id)] = value
        return outcome

    def _is_handed(self, call: Call, state: State) -> bool:
        handed = (without_casts(argument.value) for argument in call.args)
        return any(isinstance(e, Name) and state.root(e.id) in state.values for e in handed)

    def _condition_context(self, state: State) -> ConditionContext:
        return ConditionContext(self.program, self.objects.current_scope(state))
