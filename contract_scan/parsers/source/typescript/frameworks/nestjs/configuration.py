"""What Nest's `ConfigService` gives: defaults of `registerAs` namespaces and `load` functions."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from contract_scan.parsers.source.analysis.domain.values import (
    FunctionValue,
    Items,
    LibraryResult,
    OneOf,
    Record,
    Scope,
    Value,
)
from contract_scan.parsers.source.facts.nodes import Attribute, Call, Expr, Name
from contract_scan.parsers.source.typescript.resolution import walker

if TYPE_CHECKING:
    from contract_scan.parsers.source.analysis.domain.program import Program

_GETTERS = (".get", ".getOrThrow")
_KEY = "nest configuration"


def known_text(program: Program, expr: Expr, scope: Scope) -> str | None:
    """The constant text of an expression, or the default beside what the environment says:
    `process.env.PREFIX ?? "api"`, `config.get("prefix", "api")`, `config.get("app.prefix")`."""
    return _text(program, program.evaluate(expr, scope))


def _text(program: Program, value: Value) -> str | None:
    for option in value.options if isinstance(value, OneOf) else (value,):
        text = program.evaluator.text(option)
        if text is None and isinstance(option, LibraryResult) and option.name.endswith(_GETTERS):
            text = _configured_text(program, option)
        if text is not None:
            return text
    return None


def _configured_text(program: Program, made: LibraryResult) -> str | None:
    args = made.site.args
    path = program.text(args[0].value, made.scope) if args else None
    if path is None:
        return None
    if len(args) > 1:
        default = program.text(args[1].value, made.scope)
        if default is not None:
            return default
    for configured in _records(program):
        value: Value | None = configured
        for part in path.split("."):
            entry = walker.entries(value).get(part) if value is not None else None
            value = entry.value if entry is not None else None
        if value is not None:
            return _text(program, value)
    return None


def _records(program: Program) -> tuple[Value, ...]:
    known = program.memory.get(_KEY)
    if not isinstance(known, tuple):
        known = tuple(_configurations(program))
        program.memory[_KEY] = known
    return known


def _configurations(program: Program) -> Iterator[Value]:
    for path in program.files_containing(b"registerAs(", b"registerAs<", b"ConfigModule.forRoot("):
        for call, scope in walker.calls(program, program.facts(path)):
            name = call.callee.id if isinstance(call.callee, Name) else ""
            if name == "registerAs" and len(call.args) == 2:
                yield from _namespace(program, call, scope)
            elif isinstance(call.callee, Attribute) and call.callee.name == "forRoot" and call.args:
                yield from _loaded_configurations(program, call.args[0].value, scope)


def _namespace(program: Program, call: Call, scope: Scope) -> Iterator[Value]:
    """`registerAs("app", () => ({ … }))` is found below `app`."""
    namespace = program.text(call.args[0].value, scope)
    function = program.function_value(call.args[1].value, scope)
    if namespace is None or function is None:
        return
    for record in _returned_records(program, function):
        yield Record((walker.entry(namespace, record),))


def _loaded_configurations(program: Program, options: Expr, scope: Scope) -> Iterator[Value]:
    """`ConfigModule.forRoot({ load: [configuration] })`."""
    load = walker.entries(program.evaluate(options, scope)).get("load")
    values = load.value.values if load is not None and isinstance(load.value, Items) else ()
    for value in values:
        if isinstance(value, FunctionValue):
            yield from _returned_records(program, value)


def _returned_records(program: Program, function: FunctionValue) -> Iterator[Record]:
    for returned in program.function_exits(function):
        if returned.value is not None and not returned.thrown:
            value = program.evaluate(returned.value, returned.scope)
            if isinstance(value, Record):
                yield value
