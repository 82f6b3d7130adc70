"""Hapi's routes as records: `{ method, path, handler, options }`, alone or in lists."""

from __future__ import annotations

import re
from collections.abc import Iterator

from contract_scan.ir.origin import NO_SPAN, Origin
from contract_scan.ir.reasons import NO_REASON, Reason
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import (
    FunctionValue,
    Items,
    LibraryResult,
    LibrarySymbol,
    ModuleValue,
    OneOf,
    Record,
    Scope,
    Unresolved,
    Value,
)
from contract_scan.parsers.source.facts.nodes import Call, FileFacts
from contract_scan.parsers.source.typescript.frameworks.hapi.endpoints import Settings
from contract_scan.parsers.source.typescript.resolution import walker
from contract_scan.parsers.source.typescript.web.paths import with_computed

MAX_ROUTES = 400
"""How many routes of one list are read."""
_PARAMETER = re.compile(r"\{(\w+)(\?|\*\d*)?\}")
_TABLE = frozenset({"handler", "options", "config"})


def items(value: Value) -> Iterator[Value]:
    """The values of a list, of lists in it, and the options of each."""
    pending = [value]
    while pending:
        item = pending.pop()
        if isinstance(item, Items):
            pending.extend(reversed(item.values))
        elif isinstance(item, OneOf):
            pending.extend(reversed(item.options))
        else:
            yield item


def records(program: Program, value: Value) -> Iterator[tuple[Record | None, Reason]]:
    """The route records that a value holds, and why one is not seen."""
    for count, item in enumerate(items(program.evaluator.unwrap(value))):
        if count > MAX_ROUTES:
            yield None, Reason("too-many-routes-in-list", max_routes=MAX_ROUTES)
            return
        match item:
            case Record():
                yield item, NO_REASON
            case ModuleValue(path=path):
                found = program.names.modules.resolve_export(path, "default")
                scope = program.module_scope(program.facts(path))
                if found is None:
                    yield None, Reason("routes-not-found")
                else:
                    inner = program.evaluator.found_value(found, "default", NO_SPAN, scope)
                    yield from records(program, inner)
            case Unresolved(reason=reason):
                yield None, Reason("routes-not-found-because", reason=reason)
            case LibrarySymbol(name=name) | LibraryResult(name=name):
                yield None, Reason("routes-made-by-function", name=name)
            case _:
                yield None, Reason("routes-not-found")


def says_route(record: Record) -> bool:
    """Whether a record describes a route."""
    keys = set(walker.entries(record))
    return {"method", "path"} <= keys and bool(keys & _TABLE)


def place_of(record: Record) -> tuple[str, object]:
    """Where the route of a record stands."""
    entry = walker.entries(record).get("path")
    origin = (entry.origin if entry is not None else record.origin) or Origin("")
    return (origin.path, origin.span)


def routes_of_record(
    program: Program, record: Record, scope: Scope, call: Call | None
) -> Iterator[tuple[str, str, Reason, Settings]]:
    """(method, path, why they are undetermined, the rest) of a route record."""
    entries = walker.entries(record)
    path = entries.get("path")
    text = program.evaluator.text(path.value) if path is not None else None
    reason = NO_REASON
    if text is None:
        shown = program.evaluator.template(path.value) if path is not None else None
        text, reason = with_computed(shown or "{}"), Reason("path-not-constant")
    text = _PARAMETER.sub(_as_pattern, text)
    options = entries.get("options") or entries.get("config")
    given = options.value if options is not None else None
    if isinstance(given, FunctionValue):
        given = program.evaluator.returned_value(given)
    handler = entries.get("handler")
    span = call.span if call is not None else NO_SPAN
    origin = path.origin if path is not None else Origin(scope.file.path, span)
    settings = Settings(handler.value if handler is not None else None, given, origin)
    method = entries.get("method")
    texts = program.evaluator.texts(method.value) if method is not None else (None,)
    for name in texts or (None,):
        undetermined = reason or (NO_REASON if name is not None else Reason("method-not-constant"))
        yield (name or "*").upper(), text, undetermined, settings


def _as_pattern(match: re.Match[str]) -> str:
    """`{name}`, `{name?}`, `{name*}`, `{name*2}` as the patterns of other libraries."""
    mark = match[2] or ""
    if mark.startswith("*"):
        mark = "*" if mark == "*" else "+"
    return f":{match[1]}{mark}"


def tables(program: Program, file: FileFacts) -> Iterator[tuple[Record, Scope]]:
    """Exported records that say method, path and handler of a route."""
    scope = program.module_scope(file)
    for export in file.exports:
        if export.module or export.exported == "*":
            continue
        found = program.names.modules.resolve_export(file.path, export.exported)
        if found is None:
            continue
        value = program.evaluator.found_value(found, export.exported, NO_SPAN, scope)
        for item in items(value):
            if isinstance(item, Record) and says_route(item):
                yield item, scope
