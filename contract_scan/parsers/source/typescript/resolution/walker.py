"""Every call of a file with the scope it stands in, loops over known lists taken item by item.

`for (const { path, router } of ROUTES) app.use(path, router)` is as many mounts as the list has
items; so is `ROUTES.forEach(…)`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, TypeAlias, cast

from msgspec import Struct
from msgspec.structs import replace

from contract_scan.ir.origin import NOWHERE
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import (
    ByType,
    Constant,
    Instance,
    Items,
    LibraryResult,
    ModuleValue,
    OneOf,
    Record,
    RecordEntry,
    Scope,
    Template,
    Value,
)
from contract_scan.parsers.source.analysis.evaluation.long_lists import evaluate_list
from contract_scan.parsers.source.analysis.evaluation.loop_turns import turns_bound
from contract_scan.parsers.source.facts import visitor
from contract_scan.parsers.source.facts.nodes import (
    Assign,
    Attribute,
    Branch,
    Call,
    Define,
    Expr,
    FileFacts,
    Function,
    Lambda,
    Loop,
    Name,
    New,
    Statement,
)
from contract_scan.parsers.source.facts.visitor import parts
from contract_scan.parsers.source.language import Framework

MAX_ITEMS = 1000
"""How many items of a list are taken one by one."""

TURN = "<turn>"
"""Binding of scopes inside a loop that is taken item by item: the loop's place, and which item."""

_EACH = frozenset({"forEach", "map", "filter"})
_TSOA = frozenset(
    {"fetchMiddlewares", "TsoaRoute", "ValidationService"}
    | {f"{library}TemplateService" for library in ("", "Express", "Koa", "Hapi")}
)
"""What only the routes that tsoa makes import of it."""


def files(program: Program, framework: Framework, reached: list[str]) -> Iterator[FileFacts]:
    """The files that hold a marker of the framework, then those that reading them adds to
    `reached`; each once."""
    seen: set[str] = set()
    for file in program.seeds(framework):
        seen.add(file.path)
        if not _made_by_tsoa(program, file):
            yield file
    while reached:
        path = reached.pop(0)
        if path not in seen:
            seen.add(path)
            file = program.facts(path)
            if not _made_by_tsoa(program, file):
                yield file


def _made_by_tsoa(program: Program, file: FileFacts) -> bool:
    """Whether tsoa made a file of routes from controllers that are there: these say more."""
    if not any(e.name in _TSOA and e.module in ("tsoa", "@tsoa/runtime") for e in file.imports):
        return False
    find = program.language.find_module
    return any(
        entry.module.startswith(".") and find(program.files, file.path, entry) is not None
        for entry in file.imports
    )


_Wanted: TypeAlias = Callable[[Call, Scope], bool]
"""Whether a call is asked for, which stands in a loop at this place."""


def calls(
    program: Program, file: FileFacts, *, deep: bool = False, wanted: _Wanted | None = None
) -> Iterator[tuple[Call, Scope]]:
    """Calls at the top level and in the lowered functions of a file, in source order; with `deep`
    in all its functions. `wanted` says which of them are asked for: what others are repeated for is
    not evaluated."""
    module = program.module_scope(file)
    top = (*file.statements, *_exported_values(file))
    yield from calls_in(program, top, module, deep=deep, wanted=wanted)
    for function in file.functions:
        yield from _function(program, function, module, deep, wanted)
    for symbol in program.classes(file):
        inside = program.class_scope(symbol)
        for member in symbol.decl.members:
            if member.value is not None:
                yield from calls_in(program, (member.value,), inside, deep=deep, wanted=wanted)
        for method in symbol.decl.methods:
            yield from _function(program, method, inside, deep, wanted)


def _exported_values(file: FileFacts) -> tuple[Expr, ...]:
    return tuple(export.value for export in file.exports if export.value is not None)


def _function(
    program: Program, function: Function, within: Scope, deep: bool, wanted: _Wanted | None
) -> Iterator[tuple[Call, Scope]]:
    if function.body is not None or deep:
        scope = program.function_scope(function, within)
        yield from calls_in(program, scope.statements or (), scope, deep=deep, wanted=wanted)


def calls_in(
    program: Program,
    nodes: tuple[object, ...],
    scope: Scope,
    *,
    deep: bool = False,
    wanted: _Wanted | None = None,
) -> Iterator[tuple[Call, Scope]]:
    """Calls among statements or expressions; a call before the calls inside it. `wanted` as for
    `calls`."""
    # Kinds are compared by identity: asking `isinstance` of a record takes six times as long.
    pending: list[tuple[Any, Scope]] = [(node, scope) for node in reversed(nodes)]
    while pending:
        node, place = pending.pop()
        kind = type(node)
        if kind is tuple:
            pending.extend((item, place) for item in reversed(node))
        elif kind is Lambda:
            if node.function.body is not None or deep:
                inner = program.function_scope(node.function, place)
                pending.append((inner.statements or (), inner))
        elif kind is Define:
            declared = node.declaration
            if isinstance(declared, Function) and declared.body is not None:
                inner = program.function_scope(declared, place)
                pending.append((declared.body, inner))
        elif kind is Loop:
            pending.extend(reversed(_loop(program, node, place, wanted)))
        elif kind is Call:
            yield node, place
            each = None
            if any(type(given.value) is Lambda for given in node.args):
                each = _bodies(program, node, place, wanted)
            if each is not None:
                pending.extend(reversed(each))
                pending.append((node.callee, place))
            else:
                pending.extend(((node.args, place), (node.callee, place)))
        else:
            pending.extend((part, place) for part in reversed(parts(kind)(node)))


def _may_hold(nodes: tuple[object, ...], scope: Scope, wanted: _Wanted | None) -> bool:
    """Whether a wanted call stands in a piece of syntax, or in a function of it that has not been
    lowered."""
    for node in visitor.nodes_of(nodes):
        kind = type(node)
        if kind is Call and (wanted is None or wanted(cast("Call", node), scope)):
            return True
        if kind is Lambda and cast("Lambda", node).function.body is None:
            return True
    return False


def _loop(
    program: Program, loop: Loop, scope: Scope, wanted: _Wanted | None
) -> list[tuple[object, Scope]]:
    if loop.iterable is None or loop.variable is None:
        return [(loop.body, scope)]
    if not _may_hold(loop.body, scope, wanted):
        return [(loop.iterable, scope), (loop.body, scope)]
    items = _turns(evaluate_list(program, loop.iterable, scope))
    work: list[tuple[object, Scope]] = [(loop.iterable, scope)]
    turns = None if items is None else turns_bound(scope, len(items))
    if items is None or turns is None:
        return [*work, (loop.body, scope)]
    for turn, item in enumerate(items):
        bindings = program.evaluator.pattern_bindings(loop.variable, item, scope)
        bindings.update(turns)
        bindings[TURN] = Constant(turn, loop.span)
        inner = replace(scope, bindings={**scope.bindings, **bindings})
        made = _loop_constructions(program, loop.body, inner) if scope.function is None else {}
        work.append((loop.body, replace(inner, bindings={**inner.bindings, **made})))
    return work


_CONSTANTS = Constant | Template


def _loop_constructions(
    program: Program, body: tuple[Statement, ...], scope: Scope
) -> dict[str, Value]:
    """What the body of a loop makes for each item, and its constants, by name: at the top level of
    a file a name stands for one thing otherwise."""
    found: dict[str, Value] = {}
    pending: list[Statement] = list(reversed(body))
    while pending:
        match pending.pop():
            case Branch(blocks=blocks):
                pending.extend(node for block in reversed(blocks) for node in reversed(block))
            case Assign(target=Name(id=id), value=made) if made is not None:
                inside = replace(scope, bindings={**scope.bindings, **found})
                value = program.evaluate(made, inside)
                if isinstance(value, LibraryResult if isinstance(made, Call | New) else _CONSTANTS):
                    found[id] = value
            case _:
                pass
    return found


def _bodies(
    program: Program, call: Call, scope: Scope, wanted: _Wanted | None
) -> list[tuple[object, Scope]] | None:
    """The bodies of the functions that a call is given, each with what is known of its parameters.
    None where nothing is, or no call stands in them that this would be asked for."""
    if not _may_hold(call.args, scope, wanted):
        return None
    each = _item_bodies(program, call, scope)
    return _callback_body(program, call, scope) if each is None else each


def _item_bodies(program: Program, call: Call, scope: Scope) -> list[tuple[object, Scope]] | None:
    """The bodies of `LIST.forEach(item => …)`, one per item of a known list."""
    callee = call.callee
    if not isinstance(callee, Attribute) or callee.name not in _EACH or not call.args:
        return None
    argument = call.args[0].value
    if not isinstance(argument, Lambda) or not argument.function.params:
        return None
    function = argument.function
    listed = evaluate_list(program, callee.value, scope)
    items = _turns(listed)
    parameter = function.params[0]
    turns = None if items is None else turns_bound(scope, len(items))
    if items is None or turns is None:
        return _any_item(program, function, listed, scope)
    work: list[tuple[object, Scope]] = []
    for turn, item in enumerate(items):
        bindings: dict[str, Value] = {parameter.name: item}
        if parameter.pattern is not None:
            bindings = program.evaluator.pattern_bindings(parameter.pattern, item, scope)
        bindings.update(turns)
        bindings[TURN] = Constant(turn, call.span)
        inner = program.function_scope(function, scope, bindings)
        work.append((inner.statements or (), inner))
    return work


def _any_item(
    program: Program, function: Function, listed: Value, scope: Scope
) -> list[tuple[object, Scope]] | None:
    """The body of a function that is called with each item of a list of which just the type of the
    items is known."""
    parameter = function.params[0]
    item = program.evaluator.item(program.evaluator.unwrap(listed))
    if parameter.type is not None or parameter.pattern is not None or function.body is None:
        return None
    if not isinstance(item, ByType | Instance | OneOf):
        return None
    inner = program.function_scope(function, scope, {parameter.name: item})
    return [(inner.statements or (), inner)]


_LISTS_FILES = frozenset({"readdir", "glob"})
"""What calls a function with an error, if there is one, and the names of files."""


def _callback_body(program: Program, call: Call, scope: Scope) -> list[tuple[object, Scope]] | None:
    """The body of `import("./routes").then((module) => …)`, or of what `fs.readdir` and `glob` call
    with the names of files, its parameter known."""
    callee = call.callee
    name = callee.name if isinstance(callee, Attribute) else ""
    name = callee.id if isinstance(callee, Name) else name
    if not call.args or name not in _LISTS_FILES | {"then"}:
        return None
    position = int(name in _LISTS_FILES)
    last = call.args[-1 if position else 0].value
    if not isinstance(last, Lambda) or len(last.function.params) <= position:
        return None
    given = callee.value if isinstance(callee, Attribute) and not position else call
    value = program.evaluate(given, scope)
    is_known = isinstance(value, ModuleValue) or known_items(value)
    if not is_known or last.function.body is None:
        return None
    parameter = last.function.params[position]
    bindings: dict[str, Value] = {parameter.name: value}
    if parameter.pattern is not None:
        bindings = program.evaluator.pattern_bindings(parameter.pattern, value, scope)
    inner = program.function_scope(last.function, scope, bindings)
    return [(last.function.body, inner)]


def nodes(
    program: Program, statements: tuple[object, ...], scope: Scope, literal: bytes = b""
) -> Iterator[tuple[object, Scope]]:
    """Every statement and expression with the scope it stands in, inner functions included; of
    outermost functions those whose text holds a literal."""
    pending: list[tuple[Any, Scope]] = [(s, scope) for s in reversed(statements)]
    while pending:
        node, place = pending.pop()
        kind = type(node)
        if kind is tuple:
            pending.extend((item, place) for item in reversed(node))
            continue
        function = _function_of(node, kind)
        if function is not None:
            if place.function is None and not _contains(program, place.file, function, literal):
                continue
            inner = program.function_scope(function, place)
            pending.extend((s, inner) for s in reversed(inner.statements or ()))
        elif issubclass(kind, Struct):
            yield node, place
            pending.extend((part, place) for part in reversed(parts(kind)(node)))


def _function_of(node: Any, kind: type) -> Function | None:
    if kind is Lambda:
        return cast("Function", node.function)
    if kind is Define and isinstance(node.declaration, Function):
        return node.declaration
    return None


def nodes_of(
    program: Program, file: FileFacts, literal: bytes = b""
) -> Iterator[tuple[object, Scope]]:
    """Every statement and expression of a file with the scope it stands in. `literal` as for
    `nodes`: what other functions hold is not lowered."""
    module = program.module_scope(file)
    yield from nodes(program, (*file.statements, *_exported_values(file)), module, literal)
    functions = [(function, module) for function in file.functions]
    for symbol in program.classes(file):
        inside = program.class_scope(symbol)
        functions += [(method, inside) for method in symbol.decl.methods]
    for function, within in functions:
        if _contains(program, file, function, literal):
            scope = program.function_scope(function, within)
            yield from nodes(program, scope.statements or (), scope)


def _contains(program: Program, file: FileFacts, function: Function, literal: bytes) -> bool:
    span = function.span
    return not literal or any(
        literal in line for line in program.files.lines(file.path, span.line, span.end_line)
    )


def nested_nodes(expr: object) -> Iterator[Struct]:
    """An expression and everything inside it but what stands inside functions; outer before
    inner."""
    return visitor.nodes_of(expr, closed=(Lambda,))


def known_items(value: Value) -> tuple[Value, ...] | None:
    """The items of a list of which each is known; None for any other value."""
    if isinstance(value, Items) and not value.repeated and len(value.values) <= MAX_ITEMS:
        return value.values
    return None


def _turns(value: Value) -> tuple[Value, ...] | None:
    """What a loop over a list takes one by one: its items, or the several that are seen of a list
    that others are put into."""
    if isinstance(value, Items) and value.repeated and 1 < len(value.values) <= MAX_ITEMS:
        return value.values
    return known_items(value)


def entries(value: Value) -> dict[str, RecordEntry]:
    """The properties of an object that are known."""
    if not isinstance(value, Record):
        return {}
    return {entry.name: entry for entry in value.entries}


def entry(name: str, value: Value) -> RecordEntry:
    """A property that no place in the code writes."""
    return RecordEntry(name, value, NOWHERE)
