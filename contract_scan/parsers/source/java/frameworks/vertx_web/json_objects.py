"""What a `JsonObject` or `JsonArray` of Vert.x holds that is put together in sight."""

from __future__ import annotations

from collections.abc import Iterator

from contract_scan.ir.reasons import NO_REASON, Reason
from contract_scan.parsers.source.analysis.dataflow.reaching_definitions import definitions_of
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import (
    Constant,
    Items,
    LibraryResult,
    OneOf,
    Record,
    RecordEntry,
    Scope,
    Unresolved,
    Value,
    union_of,
)
from contract_scan.parsers.source.analysis.evaluation.call_sites import calls_in
from contract_scan.parsers.source.facts.nodes import (
    Assign,
    Branch,
    Call,
    Evaluate,
    Expr,
    Lambda,
    Loop,
    Name,
    New,
    Statement,
)
from contract_scan.parsers.source.facts.visitor import nodes_of
from contract_scan.parsers.source.java.resolution.annotations import type_name
from contract_scan.parsers.source.java.resolution.value_producers import producing_method
from contract_scan.parsers.source.java.web.async_results import settled_promise
from contract_scan.parsers.source.java.web.chains import Chain, chain, function_called, method

JSON_CLASSES = frozenset({"JsonObject", "JsonArray"})
_CHANGING = frozenset({"put", "add", "mergeIn", "remove", "clear", "putNull", "addNull", "set"})
_ASKING = ("get", "contains", "isEmpty", "size", "equals")
_UNDETERMINED = Reason("json-object-not-followed")
_HANDED_ON = Reason("object-passed-on")
_MAX_DEPTH = 5
"""How many functions and objects inside each other are looked into."""


def json_value(program: Program, expr: Expr, scope: Scope, depth: int = 0) -> Value:
    """What is sent as JSON: a value, or an object that is put together in sight: in one chain of
    calls, in the statements of one function, or by a function of the project."""
    links = chain(expr)
    if depth < _MAX_DEPTH:
        made = _built_json(program, links, scope, depth) or _local(program, links, scope, depth)
        if made is not None:
            return made
    if links.names[-1:] == ("mapFrom",) and links.calls[-1].args:
        return program.evaluate(links.calls[-1].args[0].value, scope)
    value = program.evaluate(expr, scope)
    if isinstance(links.base, Name) and is_json(value):
        found = _Statements(links.base.id)
        found.collect(scope.statements or (), conditional=False, depth=0)
        # It is changed here in a way that is not followed, or what it holds decides what is sent.
        if found.calls or (isinstance(value, OneOf) and _is_asked(links.base, scope)):
            return Unresolved(_UNDETERMINED, expr.span, scope.file.path)
    return _json_contents(program, value, expr, scope, depth)


def _is_asked(name: Name, scope: Scope) -> bool:
    """Whether an object is asked what it holds, by its own name or by the one that it comes from
    (`JsonObject told = done.result();`)."""
    names = {name.id}
    for definition in definitions_of(name, scope):
        made = definition.statement
        base = chain(made.value).base if isinstance(made, Assign) and made.value else None
        if isinstance(base, Name):
            names.add(base.id)
    return any(
        isinstance(node, Call)
        and method(node).startswith(_ASKING)
        and isinstance(base := chain(node).base, Name)
        and base.id in names
        for node in nodes_of(scope.statements or ())
    )


def _json_contents(
    program: Program, value: Value, expr: Expr, scope: Scope, depth: int = 0
) -> Value:
    """The contents of the `JsonObject` that a function of the project returns; other values as
    they are."""
    if isinstance(value, OneOf):
        options = (_json_contents(program, each, expr, scope, depth) for each in value.options)
        return union_of(tuple(options))
    later = settled_promise(program, value) if depth < _MAX_DEPTH else None
    if later is not None:
        held = [_json_contents(program, v, expr, scope, depth + 1) for v in later.values]
        open_ = () if later.whole else (Unresolved(_UNDETERMINED, expr.span, scope.file.path),)
        return union_of((*held, *open_))
    if isinstance(value, LibraryResult) and depth < _MAX_DEPTH:
        seen = _contents_of_construction(program, value, depth + 1)
        if seen is not None:
            return seen
    function = producing_method(program, value, JSON_CLASSES) if depth < _MAX_DEPTH else None
    if function is not None:
        returned = [
            json_value(program, each.value, each.scope, depth + 1)
            for each in program.function_exits(function)
            if each.value is not None and not each.thrown
        ]
        if returned:
            return union_of(tuple(returned))
    if is_json(value) or _is_new(chain(expr).base):
        return Unresolved(_UNDETERMINED, expr.span, scope.file.path)
    return value


def _contents_of_construction(program: Program, value: LibraryResult, depth: int) -> Value | None:
    """The contents of an object that a function builds: in its statements, or in one chain of
    calls."""
    if value.scope.function is None:
        return None  # a field, which anything may add to
    links = chain(value.site)
    for statement, is_nested in _assignments(value.scope.statements or ()):
        if statement.value is not None and chain(statement.value).base is links.base:
            if is_nested or not isinstance(statement.target, Name):
                return None
            return _local(program, Chain(statement.target, ()), value.scope, depth)
    return _built_json(program, links, value.scope, depth)


def _assignments(statements: tuple[Statement, ...]) -> Iterator[tuple[Assign, bool]]:
    """Every assignment, and whether it stands inside another statement."""
    pending: list[tuple[Statement, bool]] = [(statement, False) for statement in statements]
    while pending:
        statement, is_nested = pending.pop()
        match statement:
            case Assign():
                yield statement, is_nested
            case Branch(blocks=blocks):
                pending.extend((inner, True) for block in blocks for inner in block)
            case Loop(body=body):
                pending.extend((inner, True) for inner in body)
            case _:
                pass


def is_json(value: Value) -> bool:
    """Whether a value is an object or a list of Vert.x, whichever it is of several."""
    if isinstance(value, OneOf):
        there = [o for o in value.options if not (isinstance(o, Constant) and o.value is None)]
        return bool(there) and all(map(is_json, there))
    made = getattr(value, "name", "") or type_name(getattr(value, "type", None))
    return any(name in made for name in JSON_CLASSES)


def _is_new(expr: Expr) -> bool:
    return isinstance(expr, New) and type_name(expr.type) in JSON_CLASSES


def _built_json(program: Program, links: Chain, scope: Scope, depth: int) -> Value | None:
    """`new JsonObject().put("a", x)`, `new JsonArray().add(x)`."""
    base = links.base
    if not isinstance(base, New) or base.args or not _is_new(base):
        return None
    if type_name(base.type) == "JsonArray":
        if not links.calls or set(links.names) > {"add"} or "add" not in links.names:
            return None
        given = [call.args[0].value for call in links.calls if call.args]
        items = tuple(json_value(program, each, scope, depth + 1) for each in given)
        return Items(items, True, False, program.origin(base, scope))
    if not links.calls or not set(links.names) <= {"put", "putNull"}:
        return None
    return _record(program, base, [(call, False) for call in links.calls], scope, depth)


def _record(
    program: Program,
    base: Expr,
    calls: list[tuple[Call, bool]],
    scope: Scope,
    depth: int,
    partial: Reason = NO_REASON,
) -> Record:
    entries: dict[str, RecordEntry] = {}
    for call, conditional in calls:
        key = program.text(call.args[0].value, scope) if call.args else None
        if method(call) != "put" or len(call.args) != 2 or key is None:
            partial = partial or Reason("key-computed")
            continue
        value = json_value(program, call.args[1].value, scope, depth + 1)
        known = entries.get(key)
        if known is not None and conditional:
            value, conditional = union_of((known.value, value)), known.optional
        place = program.origin(call.args[0].value, scope)
        entries[key] = RecordEntry(key, value, place, conditional)
    return Record(tuple(entries.values()), partial, None, program.origin(base, scope))


def _local(program: Program, links: Chain, scope: Scope, depth: int) -> Value | None:
    """An object that statements of one function put together: `o.put("a", x); return o;`."""
    base = links.base
    if not isinstance(base, Name) or set(links.names) - {"put"}:
        return None
    found = _Statements(base.id)
    found.collect(scope.statements or (), conditional=False, depth=0)
    if len(found.made) != 1 or not isinstance(found.made[0], New | Call):
        return None
    first = chain(found.made[0])
    if not isinstance(first.base, New) or type_name(first.base.type) != "JsonObject":
        return None
    if first.base.args or set(first.names) - {"put"} or found.looped:
        return None
    calls = [*((call, False) for call in first.calls), *found.calls]
    calls.extend((call, False) for call in links.calls if all(call is not c for c, _ in calls))
    partial = _HANDED_ON if _is_handed_on(program, base.id, scope) else NO_REASON
    return _record(program, first.base, calls, scope, depth, partial)


class _Statements:
    """What the statements of a function do to a local."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.made: list[Expr | None] = []
        self.calls: list[tuple[Call, bool]] = []
        self.looped = False

    def collect(self, statements: tuple[Statement, ...], *, conditional: bool, depth: int) -> None:
        """Gather what is assigned to it and called on it; under a condition or not."""
        for statement in statements:
            self.looped |= self._is_changed_in_lambda(statement)
            match statement:
                case Assign(target=Name(id=name), value=value) if name == self.name:
                    self.made.append(value)
                case Evaluate(value=value):
                    self._collect_calls(value, conditional)
                case Branch(blocks=blocks) if depth < _MAX_DEPTH:
                    for block in blocks:
                        self.collect(block, conditional=True, depth=depth + 1)
                case Loop(body=body) if depth < _MAX_DEPTH:
                    before = len(self.calls)
                    self.collect(body, conditional=True, depth=depth + 1)
                    self.looped |= len(self.calls) > before
                case _:
                    pass

    def _is_changed_in_lambda(self, statement: Statement) -> bool:
        """Whether a function inside changes it, which may be called any number of times."""
        lambdas = (node for node in nodes_of((statement,)) if isinstance(node, Lambda))
        return any(
            isinstance(node, Call)
            and method(node) in _CHANGING
            and isinstance(base := chain(node).base, Name)
            and base.id == self.name
            for lambda_ in lambdas
            for node in nodes_of(lambda_.function.body or ())
        )

    def _collect_calls(self, expr: Expr, conditional: bool) -> None:
        links = chain(expr)
        if isinstance(links.base, Name) and links.base.id == self.name:
            for call in links.calls:
                if method(call) in _CHANGING:
                    self.calls.append((call, conditional))


def _is_handed_on(program: Program, name: str, scope: Scope) -> bool:
    """Whether a function of the project is given the object, other than to send it."""
    for call, place in calls_in(program, scope.statements or (), scope):
        if not isinstance(call, Call) or method(call) in ("put", "json", "end", "add"):
            continue
        is_given = any(isinstance(a.value, Name) and a.value.id == name for a in call.args)
        if is_given and function_called(program, call, place) is not None:
            return True
    return False
