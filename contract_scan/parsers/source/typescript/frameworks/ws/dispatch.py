"""Which messages a receiver takes, where it tells them apart by name: a `switch` over their type,
or schemas that are tried one after the other."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from contract_scan.parsers.source.analysis.domain.values import (
    FunctionValue,
    LibrarySymbol,
    OneOf,
    Scope,
)
from contract_scan.parsers.source.facts.nodes import (
    Attribute,
    Branch,
    Expr,
    Lambda,
    Name,
    ObjectLiteral,
    Statement,
)
from contract_scan.parsers.source.typescript.resolution import walker
from contract_scan.parsers.source.typescript.web.function_scope import scope_of

if TYPE_CHECKING:
    from contract_scan.parsers.source.analysis.domain.program import Program

MAX_FOLLOWED = 2
"""How many functions deep a message is followed."""

_DISCRIMINATORS = frozenset(
    {"type", "event", "kind", "action", "command", "cmd", "op", "eventType", "messageType"}
    | {"event_type", "message_type", "msgType"}
)
_TRIES = frozenset({"safeParse", "safeParseAsync"})
_MODULE_PARTS = ("./", "../", "@/", "~/")


def message_names(program: Program, handler: FunctionValue) -> tuple[str, ...]:
    """The names of the messages that a handler takes; none where it does not tell them by name, or
    does so in more than one place."""
    tried: dict[str, None] = {}
    switched: list[tuple[str, ...]] = []
    _collect(program, handler, tried, switched, 0)
    if tried and not switched:
        return tuple(tried)
    return switched[0] if len(switched) == 1 and not tried else ()


def _collect(
    program: Program,
    handler: FunctionValue,
    tried: dict[str, None],
    switched: list[tuple[str, ...]],
    depth: int,
) -> None:
    scope = scope_of(program, handler)
    statements = scope.statements or ()
    switched.extend(_switches(program, statements, scope))
    for call, place in walker.calls_in(program, statements, scope):
        callee = call.callee
        if isinstance(callee, Attribute) and callee.name in _TRIES:
            found = program.evaluate(callee.value, place)
            for option in found.options if isinstance(found, OneOf) else (found,):
                if isinstance(option, LibrarySymbol):
                    tried.setdefault(_schema_name(option.name))
        elif depth < MAX_FOLLOWED and any(isinstance(a.value, Name) for a in call.args):
            target = program.evaluate(callee, place)
            if isinstance(target, FunctionValue) and target.function is not handler.function:
                _collect(program, target, tried, switched, depth + 1)
    tried.pop("", None)


def _schema_name(qualified: str) -> str:
    """`AddCard` of a schema `AddCardSchema` that stands in a file which is not there; empty for one
    of a library."""
    if not qualified.startswith(_MODULE_PARTS):
        return ""
    name = qualified.rsplit(".", 1)[-1]
    return name.removesuffix("Schema") or name


def _switches(
    program: Program, statements: tuple[Statement, ...], scope: Scope
) -> Iterator[tuple[str, ...]]:
    """The cases of each `switch` over what may be the name of a message."""
    pending: list[object] = list(statements)
    while pending:
        for node in walker.nested_nodes(pending.pop()):
            if isinstance(node, Lambda):
                pending.extend(node.function.body or ())
            elif isinstance(node, Branch) and node.kind == "switch" and node.condition is not None:
                cases = [program.text(case, scope) for case in node.cases]
                names = [case for case in cases if case is not None]
                if names and _is_discriminator(statements, node.condition):
                    yield tuple(dict.fromkeys(names))


def _is_discriminator(statements: tuple[Statement, ...], condition: Expr) -> bool:
    """`message.type`, or `type` of `const { type, data } = JSON.parse(raw)`."""
    if isinstance(condition, Attribute):
        return condition.name in _DISCRIMINATORS
    if not isinstance(condition, Name) or condition.id not in _DISCRIMINATORS:
        return False
    return any(
        isinstance(target := getattr(node, "target", None), ObjectLiteral)
        and any(entry.key == condition.id for entry in target.entries)
        for node in walker.nested_nodes(statements)
    )
