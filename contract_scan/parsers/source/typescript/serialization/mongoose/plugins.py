"""Functions that change how the Mongoose schema they are given is written: plugins
(`schema.plugin(toJSON)`) and helpers (`serialized(schema, { … })`)."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct

from contract_scan.ir.origin import Span
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import (
    FunctionValue,
    LibraryResult,
    Scope,
    Value,
)
from contract_scan.parsers.source.facts.nodes import (
    Attribute,
    Branch,
    Call,
    Evaluate,
    Expr,
    Index,
    Name,
    Return,
    Statement,
)
from contract_scan.parsers.source.facts.visitor import nodes_of
from contract_scan.parsers.source.typescript.resolution import walker

SCHEMAS = frozenset({"mongoose.Schema", "mongoose.default.Schema"})
Place = tuple[str, Span]


class SchemaChange(Struct, frozen=True, eq=False):
    """What a function says of how the schema it is given is written."""

    position: int
    """Of the schema among its parameters."""
    value: Expr
    method: bool


def changer(receiver: Expr, value: Expr, scope: Scope, *, method: bool) -> SchemaChange | None:
    """What the function around a place says of the schema that is one of its parameters; None where
    it is no parameter."""
    function = scope.function
    if function is None or not isinstance(receiver, Name):
        return None
    names = [parameter.name for parameter in function.params]
    if receiver.id not in names:
        return None
    return SchemaChange(names.index(receiver.id), value, method)


def place_of(function: FunctionValue) -> Place:
    """What tells a function from others."""
    return (function.scope.file.path, function.function.span)


def applied_changers(
    program: Program, changers: dict[Place, list[SchemaChange]]
) -> Iterator[tuple[Place, LibraryResult, SchemaChange, Scope]]:
    """Each schema that such a function gets as an argument: the function, the schema, the
    change, and the function's scope in that call."""
    if not changers:
        return
    for path in program.files_containing(b"Schema"):
        for node, scope in walker.nodes_of(program, program.facts(path)):
            if not isinstance(node, Call) or not node.args:
                continue
            if isinstance(node.callee, Attribute) and node.callee.name == "plugin":
                yield from _plugin_applications(program, node, node.callee.value, scope, changers)
            else:
                yield from _call_applications(program, node, scope, changers)


def _plugin_applications(
    program: Program,
    call: Call,
    owner: Expr,
    scope: Scope,
    changers: dict[Place, list[SchemaChange]],
) -> Iterator[tuple[Place, LibraryResult, SchemaChange, Scope]]:
    function = program.evaluate(call.args[0].value, scope)
    if not isinstance(function, FunctionValue) or place_of(function) not in changers:
        return
    schema = program.evaluate(owner, scope)
    if not isinstance(schema, LibraryResult) or schema.name not in SCHEMAS:
        return
    given: list[Value] = [schema]
    given.extend(program.evaluate(a.value, scope) for a in call.args[1:2])
    params = function.function.params
    bindings = {p.name: v for p, v in zip(params, given, strict=False) if p.pattern is None}
    for parameter, value in zip(params, given, strict=False):
        if parameter.pattern is not None:
            bindings.update(program.evaluator.pattern_bindings(parameter.pattern, value, scope))
    inside = program.function_scope(function.function, function.scope, bindings)
    for said in changers[place_of(function)]:
        if said.position == 0:
            yield place_of(function), schema, said, inside


def _call_applications(
    program: Program, call: Call, scope: Scope, changers: dict[Place, list[SchemaChange]]
) -> Iterator[tuple[Place, LibraryResult, SchemaChange, Scope]]:
    for position, argument in enumerate(call.args):
        if not isinstance(argument.value, Name | Attribute):
            continue
        schema = program.evaluate(argument.value, scope)
        if not isinstance(schema, LibraryResult) or schema.name not in SCHEMAS:
            continue
        function = program.evaluate(call.callee, scope)
        if not isinstance(function, FunctionValue):
            continue
        for said in changers.get(place_of(function), ()):
            if said.position == position:
                bindings = program.evaluator.arguments_with_defaults(function, call, scope)
                inside = program.function_scope(function.function, function.scope, bindings)
                yield place_of(function), schema, said, inside


# ------------------------------------------------------------------ paths marked in the schema


def without_marked(statements: tuple[Statement, ...]) -> tuple[tuple[Statement, ...], set[str]]:
    """The statements but for those that take away every path with some option:
    `Object.keys(schema.paths).forEach((path) => { if (schema.paths[path].options.private) … })`.
    And the names of these options."""
    remaining: list[Statement] = []
    marks: set[str] = set()
    for statement in statements:
        found = _marked_option_keys(statement) if isinstance(statement, Evaluate) else set()
        if len(found) == 1:
            marks.update(found)
        else:
            remaining.append(statement)
    return tuple(remaining), marks


def _marked_option_keys(statement: Evaluate) -> set[str]:
    call = statement.value
    if not isinstance(call, Call) or not isinstance(call.callee, Attribute):
        return set()
    if call.callee.name not in ("forEach", "eachPath"):
        return set()
    over = [n for n in walker.nested_nodes(call) if isinstance(n, Attribute) and n.name == "paths"]
    if not over and call.callee.name != "eachPath":
        return set()
    return {
        node.name
        for node in nodes_of(call)
        if isinstance(node, Attribute)
        and isinstance(node.value, Attribute)
        and node.value.name == "options"
        and isinstance(node.value.value, Index | Name)
    }


def without_earlier(statements: tuple[Statement, ...]) -> tuple[Statement, ...]:
    """The statements but for `if (transform) return transform(…)`, which asks for what was said
    before, where nothing was."""
    return tuple(s for s in statements if not (isinstance(s, Branch) and _asks_earlier(s)))


def _asks_earlier(branch: Branch) -> bool:
    inner = branch.blocks[0] if len(branch.blocks) == 1 else ()
    if not isinstance(branch.condition, Name) or len(inner) != 1:
        return False
    value = inner[0].value if isinstance(inner[0], Return) else None
    return (
        isinstance(value, Call)
        and isinstance(value.callee, Name)
        and value.callee.id == branch.condition.id
    )
