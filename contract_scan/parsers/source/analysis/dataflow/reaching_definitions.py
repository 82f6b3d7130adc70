"""Which assignments of a local name reach a place in a function.

A small reaching-definitions walk over the neutral statements: later assignments hide earlier ones,
branches join, a branch that returns or throws joins nothing. Mutations of a local object
(`x.a = v`, `x["a"] = v`, `x.push(v)`) travel with the definition they change, and so does what a
test has said of it: after `if (x === null) return`, `x` is not null.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from functools import partial
from operator import le

from msgspec.structs import replace

from contract_scan.ir.origin import NO_SPAN, Span
from contract_scan.parsers.source.analysis.dataflow.unconditional import (
    dereferenced_names,
    unwrapped_members,
)
from contract_scan.parsers.source.analysis.domain.effects import EVERY_ITEM, Mutation
from contract_scan.parsers.source.analysis.domain.effects import Definition as Definition
from contract_scan.parsers.source.analysis.domain.span_order import contains, is_before, spans
from contract_scan.parsers.source.analysis.domain.values import Scope
from contract_scan.parsers.source.analysis.syntax.builder_calls import with_builder_calls
from contract_scan.parsers.source.analysis.syntax.callback_effects import called_back, item_changes
from contract_scan.parsers.source.analysis.syntax.captured_variables import mentioned_names
from contract_scan.parsers.source.analysis.syntax.defining import bound_names as bound_names
from contract_scan.parsers.source.analysis.syntax.defining import defines as defines
from contract_scan.parsers.source.analysis.syntax.defining import (
    nested_statements as nested_statements,
)
from contract_scan.parsers.source.analysis.syntax.defining import pattern_binds as pattern_binds
from contract_scan.parsers.source.analysis.syntax.definitions import (
    State,
    common_prefix_length,
    gives_null,
    join,
    with_counted_items,
    with_mutations,
    with_walked_entries,
)
from contract_scan.parsers.source.analysis.syntax.null_checks import (
    is_kind_test,
    is_not_null,
    is_null_or_falsy,
    is_truthy,
    key_asked_for,
)
from contract_scan.parsers.source.analysis.syntax.side_effects import (
    assignment_mutations,
    call_mutations,
    changes_by_value,
    in_place_of_all,
    index_of,
    is_of_item,
    item_of,
    walked_entry,
)
from contract_scan.parsers.source.facts.nodes import (
    Assign,
    Branch,
    ClassDecl,
    Define,
    Evaluate,
    Expr,
    Function,
    Jump,
    Loop,
    Name,
    OperationExpr,
    Return,
    Statement,
    Throw,
)


def reaching_definitions(statements: tuple[Statement, ...], name: str, use: Span) -> State:
    """The definitions of `name` that may hold at the place `use`.

    `use` = NO_SPAN stands for the end of the statements. An empty result means the name is not
    assigned there.
    """
    state, _ = _walk(statements, name, use, ())
    return state or ()


def definitions_of(name: Name, scope: Scope) -> State:
    """The definitions of a local name that may hold where it stands."""
    return reaching_definitions(scope.statements or (), name.id, name.span)


def assigned_values(name: Name, scope: Scope) -> list[Expr | None]:
    """What the assignments among these definitions assign."""
    found = [definition.statement for definition in definitions_of(name, scope)]
    return [statement.value for statement in found if isinstance(statement, Assign)]


def possible_values(name: Name, scope: Scope) -> list[Expr]:
    """Every value that a local name may hold where it stands; empty where not all are written."""
    values = assigned_values(name, scope)
    known = [value for value in values if value is not None]
    return known if len(known) == len(definitions_of(name, scope)) else []


class Body:
    """The statements of one body, and which of them can change what holds of a name."""

    def __init__(self, statements: tuple[Statement, ...]) -> None:
        self.statements = statements
        self.ends = [(s.span.end_line, s.span.end_column) for s in statements]
        self.in_order = all(map(le, self.ends, self.ends[1:]))
        self._always: list[int] = []
        """Positions of statements that may leave the body."""
        self._mentions: dict[str, list[int]] | None = None

    def positions_changing(self, name: str) -> Sequence[int]:
        """Positions, in order, of all statements that may change what holds of a name. A name that
        a statement does not mention holds after it what it held before."""
        if len(self.statements) <= _SHORT:
            return range(len(self.statements))
        if self._mentions is None:
            self._mentions = self._mention_positions()
        return sorted({*self._always, *self._mentions.get(name, ())})

    def _mention_positions(self) -> dict[str, list[int]]:
        found: dict[str, list[int]] = {}
        for position, statement in enumerate(self.statements):
            if any(
                isinstance(each, Return | Throw | Jump) for each in nested_statements((statement,))
            ):
                self._always.append(position)
            else:
                for name in mentioned_names(statement):
                    found.setdefault(name, []).append(position)
        return found


_SHORT = 32
"""Statements of a body that are gone through faster than they are listed by name."""


class ReachingDefinitions:
    """The definitions of one name that hold at places in one body, or in a block of it. What
    statement after statement leaves is found out once: a file may use a name of its top level at
    thousands of places."""

    def __init__(self, body: Body, name: str, entered: State = ()) -> None:
        self._body = body
        self._name = name
        self._entered = entered
        self._touching = body.positions_changing(name)
        self._states: list[State | None] = [entered]
        """What holds before each statement that may change it, as far as was asked; None where it
        is never reached."""
        self._in_blocks: dict[tuple[int, int], ReachingDefinitions] = {}
        """The same for the blocks of branches, by positions of statement and block."""

    def state_at(self, use: Span) -> State:
        """As `reaching_definitions`, of a body that is entered with a state."""
        return self._state_at(use) or ()

    def _state_at(self, use: Span) -> State | None:
        statements, ends = self._body.statements, self._body.ends
        if not self._body.in_order:
            return _walk(statements, self._name, use, self._entered)[0]
        position = len(statements)
        if use != NO_SPAN:
            position = bisect_right(ends, (use.line, use.column))
        state = self._state_before(bisect_left(self._touching, position))
        if position < len(statements) and contains(statements[position], use):
            return self._state_inside(position, self._entered if state is None else state, use)
        return state

    def _state_inside(self, position: int, state: State, use: Span) -> State:
        """The state at a place inside a statement."""
        around = self._body.statements[position]
        index = _block_around(around, use)
        if index is None:
            return _state_beside_blocks(around, self._name, use, state)
        inside = self._in_blocks.get((position, index))
        if inside is None:
            entered = _state_entering(around, self._name, state, index)
            inside = ReachingDefinitions(Body(_blocks(around)[index]), self._name, entered)
            self._in_blocks[position, index] = inside
        inner = inside._state_at(use)
        return inside._entered if inner is None else inner

    def _state_before(self, count: int) -> State | None:
        """What holds after so many of the statements that may change it."""
        while len(self._states) <= count:
            state = self._states[-1]
            statement = self._body.statements[self._touching[len(self._states) - 1]]
            if state is not None:
                back = called_back(statement, self._name, state)
                state = _state_after(statement, self._name, back, None)
            self._states.append(state)
        return self._states[count]


def all_definitions(
    statements: tuple[Statement, ...], name: str, use: Span = NO_SPAN
) -> tuple[Definition, ...]:
    """Every definition of `name`, for a place that runs at an undetermined time. What a block
    declares for itself alone is not seen at a place outside of it."""
    found = (
        defines(statement, name)
        for statement in _seen_at(statements, name, use)
        if isinstance(statement, Assign | Loop | Define)
    )
    return tuple(definition for definition in found if definition is not None)


def _seen_at(statements: tuple[Statement, ...], name: str, use: Span) -> Iterator[Statement]:
    """Statements and those in their blocks, without blocks that have a variable of their own of
    that name and that the place lies outside of."""
    pending: list[Statement] = list(reversed(statements))
    while pending:
        statement = pending.pop()
        yield statement
        for block in reversed(_blocks(statement)):
            if use == NO_SPAN or not _has_own(block, name) or spans(block, use):
                pending.extend(reversed(block))


def _blocks(statement: Statement) -> tuple[tuple[Statement, ...], ...]:
    match statement:
        case Branch(blocks=blocks):
            return blocks
        case Loop(body=body):
            return (body,)
        case _:
            return ()


def _has_own(block: tuple[Statement, ...], name: str) -> bool:
    """Whether a block declares a variable of its own of a name, which ends with it."""
    return any(
        isinstance(statement, Assign) and statement.scoped and defines(statement, name) is not None
        for statement in block
    )


def _walk(
    statements: tuple[Statement, ...],
    name: str,
    use: Span,
    state: State,
    jumps: list[State] | None = None,
) -> tuple[State | None, bool]:
    """(state after the statements or at the use, whether the use was met). State None: the end is
    never reached. `jumps` takes the states that leave the pass of a loop early."""
    current: State | None = state
    for statement in statements:
        if current is None:
            if contains(statement, use):
                current = state
            else:
                continue
        if contains(statement, use):
            return _state_inside(statement, name, use, current, jumps), True
        if not is_before(statement, use):
            return current, True
        current = _state_after(statement, name, called_back(statement, name, current), jumps)
    return current, False


def _state_inside(
    statement: Statement, name: str, use: Span, state: State, jumps: list[State] | None
) -> State:
    """The state at a place inside a statement."""
    index = _block_around(statement, use)
    if index is None:
        return _state_beside_blocks(statement, name, use, state)
    entered = _state_entering(statement, name, state, index)
    out_of_block = None if isinstance(statement, Loop) else jumps
    inner, _ = _walk(_blocks(statement)[index], name, use, entered, out_of_block)
    return entered if inner is None else inner


def _block_around(statement: Statement, use: Span) -> int | None:
    """The position of the block of a statement that a place inside of it lies in."""
    if isinstance(statement, Loop):
        return 0
    blocks = enumerate(_blocks(statement))
    return next((index for index, block in blocks if block and spans(block, use)), None)


def _state_entering(statement: Statement, name: str, state: State, index: int) -> State:
    """The state in which a block of a statement begins."""
    state = _after_dereference(state, statement, name)
    match statement:
        case Branch():
            return _state_at_block_start(state, statement, name, index)
        case Loop(body=body):
            defined = defines(statement, name)
            if defined is not None:
                return (defined,)
            passed = _state_after_pass(body, name, state)
            entry = walked_entry(statement, name)
            counter = entry.key if entry and entry.is_own else index_of(statement, name)
            return join([state, _to_come(passed, counter)])
        case _:
            return state


def _state_beside_blocks(statement: Statement, name: str, use: Span, state: State) -> State:
    """The state at a place inside a statement that lies in none of its blocks."""
    if isinstance(statement, Branch | Define):
        return state
    return called_back(statement, name, state, use)


def _state_after_pass(body: tuple[Statement, ...], name: str, state: State) -> State:
    """The state after a pass of a loop, whichever way it ends."""
    if _has_own(body, name):
        return state
    jumps: list[State] = []
    end, _ = _walk(body, name, NO_SPAN, state, jumps)
    return join([end or (), *jumps])


def _state_after(
    statement: Statement, name: str, state: State, jumps: list[State] | None
) -> State | None:
    match statement:
        case Jump():
            if jumps is not None:
                jumps.append(state)
            return None
        case Return() | Throw():
            return state if isinstance(statement, Return) and statement.generator else None
        case Assign():
            found = defines(statement, name)
            if found is not None:
                return (*state, found) if statement.operator else (found,)
            changed = with_mutations(
                state,
                (
                    *changes_by_value(statement, name),
                    *item_changes(statement, name, changes),
                    *assignment_mutations(statement, name),
                ),
            )
            return _with_unwrapped(with_builder_calls(changed, statement, name), statement, name)
        case Define():
            found = defines(statement, name)
            return (found,) if found else state
        case Evaluate(value=value):
            inside = item_changes(statement, name, changes)
            changed = with_mutations(state, (*call_mutations(value, name), *inside))
            return _with_unwrapped(with_builder_calls(changed, statement, name), statement, name)
        case Loop(body=body):
            state = _after_dereference(state, statement, name)
            passed = _state_after_pass(body, name, state)
            state = with_counted_items(join([state, passed]), passed)
            state = _with_walked_entries(state, passed, statement, name)
            return with_mutations(
                _with_items_replaced(state, statement, name), _changes_of_items(statement, name)
            )
        case Branch(blocks=blocks, exhaustive=exhaustive, kind=kind):
            state = _after_dereference(state, statement, name)
            ends = [
                _state_after_block(
                    block, name, _state_at_block_start(state, statement, name, position), jumps
                )
                for position, block in enumerate(blocks)
            ]
            if kind == "if" and len(blocks) <= 2 and statement.condition is not None and ends[0]:
                ends[0] = _with_guard(ends[0], state, statement.condition, name)
            if kind == "if" and len(blocks) == 2 and statement.condition is not None and ends[1]:
                fails = OperationExpr("!", (statement.condition,), span=statement.condition.span)
                ends[1] = _with_guard(ends[1], state, fails, name)
            if not exhaustive and kind != "try":
                ends.insert(0, _state_after_test(state, statement, name, False))
            alive = [end for end in ends if end is not None]
            return join(alive) if alive else None


def _after_dereference(state: State, statement: Statement, name: str) -> State:
    """The state after what a statement evaluates first: a variable of which it reads a member does
    not hold null any more."""
    if name not in dereferenced_names(statement):
        return state
    left = tuple(
        d if d.statement is HANDED else replace(d, present=True, absent=False)
        for d in state
        if not gives_null(d)
    )
    return left or state


def _with_walked_entries(state: State, passed: State, loop: Loop, name: str) -> State:
    """The state after a loop that may go through all entries of an object."""
    entry = walked_entry(loop, name)
    if entry is None or not any(is_of_item(m, entry.key) for d in passed for m in d.mutations):
        return state
    constants = tuple(
        (one.target.id, one.value)
        for position, one in enumerate(loop.body)
        if isinstance(one, Assign) and isinstance(one.target, Name) and one.value is not None
        if not any(one.target.id in bound_names((s,)) for s in loop.body if s is not one)
        and all(m.kind == "pass" for m in changes(loop.body[position + 1 :], one.target.id))
    )
    return with_walked_entries(state, passed, replace(entry, constants=constants))


def _with_unwrapped(state: State, statement: Statement, name: str) -> State:
    """The state with what a statement proves of a name and its members noted, by reading them."""
    state = _after_dereference(state, statement, name)
    tests = tuple((test, True) for of, test in unwrapped_members(statement) if of == name)
    return tuple(replace(d, tests=(*d.tests, *tests)) for d in state) if tests else state


def _state_after_block(
    block: tuple[Statement, ...], name: str, entered: State, jumps: list[State] | None
) -> State | None:
    """The state after a block; None where its end is never reached."""
    if not _has_own(block, name):
        return _walk(block, name, NO_SPAN, entered, jumps)[0]
    inner_jumps: list[State] = []
    end, _ = _walk(block, name, NO_SPAN, entered, inner_jumps)
    if inner_jumps and jumps is not None:
        jumps.append(entered)
    return None if end is None else entered


def _with_items_replaced(state: State, loop: Loop, name: str) -> State:
    """The state after a loop, with what it puts in the place of every item of the list noted:
    `for i, item in enumerate(rows): rows[i] = …`."""
    index = index_of(loop, name)
    return tuple(
        replace(d, mutations=tuple(in_place_of_all(m, index) for m in d.mutations)) for d in state
    )


def _changes_of_items(loop: Loop, name: str) -> tuple[Mutation, ...]:
    """What a loop over a list does to each of its items: `for row in rows: row["a"] = …`."""
    item, path = item_of(loop, name)
    definition = defines(loop, item) if item else None
    if definition is None:
        return ()
    left = _state_after_pass(loop.body, item, (definition,))
    if len(left) != 1 or left[0].statement is not loop:
        return ()  # another value is given to the variable
    return tuple(replace(m, path=(*path, EVERY_ITEM, *m.path)) for m in left[0].mutations)


def _to_come(state: State, index: str) -> State:
    """The state in which a further pass of a loop begins that puts something in the place of every
    item: the item that is counted now is still what it was."""
    return tuple(
        replace(
            d,
            mutations=tuple(
                m for m in d.mutations if m.path[:1] != (None,) and not is_of_item(m, index)
            ),
        )
        for d in state
    )


def _with_guard(after: State, before: State, test: Expr, name: str) -> State:
    """The state with the test noted where the block that it guards has changed an object."""
    noted = []
    asked = key_asked_for(test, name)
    for definition in after:
        # Most of what a long body has changed stood there before.
        same = max(
            (common_prefix_length(definition.mutations, d.mutations) for d in before), default=0
        )
        later = definition.mutations[same:]
        if later:
            earlier = {
                id(m)
                for d in before
                for m in d.mutations[common_prefix_length(definition.mutations, d.mutations) :]
            }
            told = partial(replace, condition=test, if_present=asked)
            later = tuple(m if id(m) in earlier or m.conditional else told(m) for m in later)
            guarded = (*definition.mutations[:same], *later)
            definition = replace(definition, mutations=guarded)
        noted.append(definition)
    return tuple(noted)


def _state_at_block_start(state: State, branch: Branch, name: str, position: int) -> State:
    """The state in which a block of a branch begins."""
    if branch.kind == "try" and position > 0:
        return _state_after_interruption(branch.blocks[0], name, state)
    return _state_after_test(state, branch, name, position == 0)


def _state_after_interruption(body: tuple[Statement, ...], name: str, state: State) -> State:
    """What a name may hold after an error has left a body: what it held before, or what some
    statement has assigned before another one failed. In most languages a name that the body
    declares is not visible outside of it."""
    if _has_own(body, name):
        return state
    assigned: list[State] = []
    changed = state
    for statement in nested_statements(_without_last_assignment(body)):
        match statement:
            case Assign() | Loop() | Define():
                found = defines(statement, name)
                if found is not None:
                    assigned.append((found,))
                elif isinstance(statement, Assign):
                    changed = with_mutations(changed, assignment_mutations(statement, name))
            case Evaluate(value=value):
                changed = with_mutations(changed, call_mutations(value, name))
                changed = with_builder_calls(changed, statement, name)
            case _:
                pass
    return join([state, changed, *assigned])


def _without_last_assignment(body: tuple[Statement, ...]) -> tuple[Statement, ...]:
    """The statements after which another one may fail: what is assigned last, nothing follows."""
    match body:
        case (*before, Assign()):
            return tuple(before)
        case (*before, Return(value=None)):
            return _without_last_assignment(tuple(before))
        case (*before, Branch(kind="if" | "switch", blocks=blocks) as last):
            inner = tuple(map(_without_last_assignment, blocks))
            return (*before, replace(last, blocks=inner))
        case _:
            return body


def _state_after_test(state: State, branch: Branch, name: str, holds: bool) -> State:
    """The state in the first block of an `if` (its test holds), or in a later one or after it."""
    test = branch.condition
    if branch.kind != "if" or test is None:
        return state
    if is_kind_test(test, name):
        state = tuple(replace(d, tests=(*d.tests, (test, holds))) for d in state)
    if is_not_null(test, name, holds):
        truthy = is_truthy(test, name, holds)
        return (
            tuple(
                replace(d, present=True, absent=False, truthy=d.truthy or truthy)
                for d in state
                if not gives_null(d)
            )
            or state
        )
    if is_null_or_falsy(test, name, holds):
        return tuple(replace(d, absent=True) for d in state if not d.present) or state
    return state


def changes(statements: tuple[Statement, ...], parameter: str) -> tuple[Mutation, ...]:
    """What a body does to the object that it is handed as a parameter."""
    if not statements:
        return ()
    last = statements[-1]
    use = last.span if isinstance(last, Return | Throw) else NO_SPAN
    return tuple(
        mutation
        for definition in parameter_state(statements, parameter, use)
        if definition.statement is HANDED
        for mutation in definition.mutations
    )


HANDED = Assign(target=Name(id=""), value=None)
"""Stands for the statement that gives a parameter its argument."""
PARAMETER: State = (Definition(HANDED),)
"""What a parameter holds where a function begins."""


def parameter_state(statements: tuple[Statement, ...], parameter: str, use: Span) -> State:
    """What a parameter may hold at a place: its argument (`HANDED`), or what replaces that."""
    state, _ = _walk(statements, parameter, use, PARAMETER)
    return state or ()


def with_later_mutations(
    statements: tuple[Statement, ...], name: str, definition: Definition, use: Span
) -> Definition:
    """A definition that reaches a place, with what happens to its object from there on."""
    for rest in reversed(list(_following_statements(statements, use))):
        last = rest[-1]
        leaves = isinstance(last, Return | Throw | Jump)
        state, _ = _walk(rest, name, last.span if leaves else NO_SPAN, (definition,))
        same = [d for d in state or () if d.statement is definition.statement]
        if same:
            definition = same[0]
        if isinstance(last, Return | Throw) or not same:
            break
    return definition


def _following_statements(
    statements: tuple[Statement, ...], use: Span
) -> Iterator[tuple[Statement, ...]]:
    """The rest of each block around a place, outermost first: the innermost from the statement that
    the place lies in."""
    while statements:
        position = next((i for i, s in enumerate(statements) if contains(s, use)), None)
        if position is None:
            return
        around = statements[position]
        inner: tuple[tuple[Statement, ...], ...] = ()
        if isinstance(around, Branch):
            inner = around.blocks
        elif isinstance(around, Loop):
            inner = (around.body,)
        block = next((b for b in inner if b and spans(b, use)), None)
        rest = statements[position:] if block is None else statements[position + 1 :]
        if rest:
            yield rest
        statements = block or ()


def returns(statements: tuple[Statement, ...]) -> list[Return | Throw]:
    """Every return and throw of a body, in order, those of nested functions left out."""
    return [s for s in nested_statements(statements) if isinstance(s, Return | Throw)]


def declarations(statements: tuple[Statement, ...]) -> list[Function | ClassDecl]:
    """Functions and classes declared anywhere in a body, in order."""
    return [s.declaration for s in nested_statements(statements) if isinstance(s, Define)]
