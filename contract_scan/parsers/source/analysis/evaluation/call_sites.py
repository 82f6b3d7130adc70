"""Every call of a file with the scope it stands in, without recursion over hostile nesting."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any, TypeAlias

from msgspec import Struct
from msgspec.structs import replace

from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.span_order import contains
from contract_scan.parsers.source.analysis.domain.values import (
    Constant,
    Instance,
    Items,
    LibraryResult,
    ModuleValue,
    OneOf,
    Record,
    RecordEntry,
    Scope,
    Value,
)
from contract_scan.parsers.source.analysis.evaluation.loop_turns import turns_bound
from contract_scan.parsers.source.analysis.refinement.path_conditions import Env
from contract_scan.parsers.source.analysis.refinement.pruning import running_statements
from contract_scan.parsers.source.analysis.syntax.defining import nested_statements
from contract_scan.parsers.source.analysis.typing.object_shapes import as_listed
from contract_scan.parsers.source.facts.nodes import (
    ArrayLiteral,
    Assign,
    Attribute,
    Call,
    Define,
    Expr,
    FileFacts,
    Function,
    Lambda,
    Loop,
    Name,
    New,
    OperationExpr,
    Statement,
    TypeValue,
)
from contract_scan.parsers.source.facts.visitor import nodes_of, parts

Wanted: TypeAlias = Callable[[Call | New, Scope], bool]
"""Whether a call is asked for, as far as the scope around a loop tells."""
_MOST_ROWS = 200
"""How many rows of a table are told apart."""


def calls(program: Program, file: FileFacts) -> Iterator[tuple[Call | New, Scope]]:
    """Calls and constructions at the top level and in all lowered functions of a file."""
    module = program.module_scope(file)
    exported = tuple(export.value for export in file.exports if export.value is not None)
    yield from calls_in(program, (*file.statements, *exported), module, tables=True)
    for function in file.functions:
        yield from function_calls(program, function, module)
    for symbol in program.classes(file):
        inside = program.class_scope(symbol)
        for member in symbol.decl.members:
            if member.value is not None:
                yield from calls_in(program, (member.value,), inside)
        for method in symbol.decl.methods:
            yield from function_calls(program, method, inside)


def function_calls(
    program: Program, function: Function, within: Scope
) -> Iterator[tuple[Call | New, Scope]]:
    """Calls in one function, if its statements were lowered with the declarations."""
    if function.body is not None:
        scope = program.function_scope(function, within)
        yield from calls_in(program, function.body, scope, tables=True)


def calls_in(
    program: Program,
    nodes: tuple[Struct, ...] | tuple[Statement, ...],
    scope: Scope,
    *,
    tables: bool = False,
    wanted: Wanted | None = None,
) -> Iterator[tuple[Call | New, Scope]]:
    """Calls among statements or expressions, in source order, nested functions in their own
    scope. With `tables` those in a loop over a table that is written out come once for each of its
    rows; what a loop without a call that is `wanted` goes through is not evaluated for that."""
    return placed_nodes(program, nodes, scope, CALLS, tables=tables, wanted=wanted)


def placed_nodes(
    program: Program,
    nodes: tuple[Struct, ...] | tuple[Statement, ...],
    scope: Scope,
    kinds: frozenset[type],
    *,
    tables: bool = False,
    wanted: Wanted | None = None,
) -> Iterator[tuple[Any, Scope]]:
    """Nodes of some kinds, as `calls_in` gives calls."""
    # Kinds are compared by identity: asking `isinstance` of a record takes six times as long.
    place = scope
    pending: list[Any] = [*reversed(nodes)]
    while pending:
        node = pending.pop()
        kind = type(node)
        if kind is tuple:
            pending.extend(reversed(node))
            continue
        if kind is Scope:
            place = node
            continue
        if kind in _WITH_SCOPES:
            rows = tables and (wanted is None or kind is not Loop or _holds(node, place, wanted))
            inner = _scopes_in(program, node, place, rows)
            if inner is not None:
                pending.append(place)
                pending.extend(part for pair in reversed(inner) for part in reversed(pair))
                continue
        elif kind in kinds:
            yield node, place
        pending.extend(reversed(parts(kind)(node)))


_TABLES = (ArrayLiteral, Attribute, Call, Name, OperationExpr)
"""What may give a table: `orders + admin` joins two."""
_WITH_SCOPES = frozenset({Lambda, Define, Loop})
CALLS = frozenset({Call, New})


def _scopes_in(
    program: Program, node: Lambda | Define | Loop, place: Scope, tables: bool
) -> list[tuple[Scope, object]] | None:
    """The scopes that a node opens, each with what stands in it; None where it opens none and is
    gone through like others."""
    if isinstance(node, Loop):
        rows = _scopes_per_row(program, node, place) if tables else []
        return [(row, _body_in_row(node, row)) for row in rows] or None
    function = node.function if isinstance(node, Lambda) else node.declaration
    if not isinstance(function, Function) or function.body is None:
        return []
    return [(program.function_scope(function, place), function.body)]


def _holds(loop: Loop, scope: Scope, wanted: Wanted) -> bool:
    """Whether a wanted call stands in a loop, or in a function of it that has not been lowered."""
    return any(
        node.function.body is None
        if isinstance(node, Lambda)
        else isinstance(node, Call | New) and wanted(node, scope)
        for node in nodes_of(loop)
    )


def _scopes_per_row(program: Program, loop: Loop, scope: Scope) -> list[Scope]:
    """The scopes of a loop's body, one for each row of the table that it goes through: what stands
    in one row belongs together. None where it goes through anything else."""
    variable, listed = loop.variable, loop.iterable
    match listed, variable:
        case Call(callee=Name(id="enumerate"), args=[inner, *_]), ArrayLiteral(items=[_, item]):
            variable, listed = item, inner.value
        case _:
            pass
    if variable is None or not isinstance(listed, _TABLES):
        return []
    table = as_listed(program, program.evaluator.unwrap(program.evaluate(listed, scope)))
    if isinstance(table, Record) and program.language.pairs and not table.partial:
        table = Items(tuple(_pair(entry, variable) for entry in table.entries))
    values, is_whole = _rows_of(table)
    if not (len(values) > is_whole and len(values) <= _MOST_ROWS):
        return []
    turns = turns_bound(scope, len(values))
    if turns is None:
        return []
    bound = [program.evaluator.pattern_bindings(variable, value, scope) for value in values]
    rows = [replace(scope, bindings={**scope.bindings, **turns, **names}) for names in bound]
    rows = rows if is_whole else [*rows, scope]
    return rows if scope.function is not None else [_with_modules(program, loop, r) for r in rows]


def _pair(entry: RecordEntry, variable: Expr) -> Value:
    """An entry of a map that a loop goes through by pairs, which the variable may take apart."""
    key = Constant(entry.name, entry.origin.span, entry.origin.path)
    if isinstance(variable, ArrayLiteral):
        return Items((key, entry.value))
    named = RecordEntry("Key", key, entry.origin), RecordEntry("Value", entry.value, entry.origin)
    return Record(named)


def _rows_of(table: Value) -> tuple[list[Value], bool]:
    """The rows of a table, or of one of several, and whether these are all: of one that is not
    known in full those that are made where they are written."""
    found: dict[int, Value] = {}
    is_whole = True
    for option in table.options if isinstance(table, OneOf) else (table,):
        items = option if isinstance(option, Items) else Items((), True)
        made = [v for v in items.values if isinstance(v, Instance) and v.site is not None]
        rows = made if items.repeated else items.values
        is_whole = is_whole and not items.repeated
        if not all(map(_is_row, rows)):
            return [], False
        found.update((id(row), row) for row in rows)
    return list(found.values()), is_whole


def scopes_of_rows(program: Program, call: Call | New, scope: Scope) -> list[Scope]:
    """The scopes of a call in a function, one for each row of the tables that the loops around it
    go through: what the function is handed may be one."""
    found = [scope]
    for loop in nested_statements(scope.statements or ()):
        if isinstance(loop, Loop) and contains(loop, call.span):
            found = [
                row for each in found for row in _scopes_per_row(program, loop, each) or [each]
            ]
    return found


def _with_modules(program: Program, loop: Loop, row: Scope) -> Scope:
    """A row with the module that the body of a loop loads in it: at the top level of a file a name
    stands for one thing otherwise."""
    for statement in loop.body:
        match statement:
            case Assign(target=Name(id=id), value=Call() as loads):
                value = program.evaluate(loads, row)
                if isinstance(value, ModuleValue):
                    row = replace(row, bindings={**row.bindings, id: value})
            case _:
                continue
    return row


def _body_in_row(loop: Loop, row: Scope) -> tuple[Statement, ...]:
    """What runs of a loop's body in one row, whose constants decide tests."""
    variables = loop.variable.items if isinstance(loop.variable, ArrayLiteral) else (loop.variable,)
    facts = {
        name.id: bound.value
        for name in variables
        if isinstance(name, Name) and isinstance(bound := row.bindings.get(name.id), Constant)
    }
    return running_statements(loop.body, Env(facts, row.file.language)) if facts else loop.body


def _is_row(value: Value) -> bool:
    if isinstance(value, Items):
        return not value.repeated
    if isinstance(value, Instance):
        return value.site is not None
    return isinstance(value, Record | Constant | LibraryResult | ModuleValue)


def type_values(nodes: tuple[Statement, ...]) -> Iterator[TypeValue]:
    """Every type that is used as a value among statements (`Order.class`)."""
    return (node for node in nodes_of(nodes) if isinstance(node, TypeValue))


def with_receivers(
    calls: Iterable[tuple[Call | New, Scope]],
) -> Iterator[tuple[Call, Attribute, Scope]]:
    """Those of some calls that are called on something, each with its callee and scope."""
    for call, scope in calls:
        if isinstance(call, Call) and isinstance(call.callee, Attribute):
            yield call, call.callee, scope
