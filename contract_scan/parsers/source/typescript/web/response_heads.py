"""What a response begins with, as calls set it one after the other: status and content type."""

from __future__ import annotations

from msgspec import Struct
from msgspec.structs import replace

from contract_scan.parsers.source.analysis.domain.memo import memoised
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import Scope
from contract_scan.parsers.source.facts.nodes import Attribute, Call, Expr, ObjectLiteral

JSON = "application/json"
ANY = "*/*"
"""A content type that is undetermined."""
_STATUS = frozenset({"status", "code", "writeHead"})
_HEADERS = frozenset({"set", "header", "setHeader", "appendHeader", "writeHead"})
_TYPES = frozenset({"type", "contentType"})
SETTERS = _STATUS | _HEADERS | _TYPES
"""Methods of a response that set something of its head."""
_SHORT = {
    "json": JSON,
    "html": "text/html",
    "text": "text/plain",
    "txt": "text/plain",
    "xml": "application/xml",
    "csv": "text/csv",
}
"""Names of Express's `res.type`: the endings of files."""


class StatusSet(Struct, frozen=True, eq=False):
    """A status that is set, with the scope that it is written in."""

    expr: Expr
    scope: Scope
    errors: frozenset[str] = frozenset()
    """Names of caught errors there, and of what is read of them."""


class Condition(Struct, frozen=True, eq=False):
    """What a test asks, wherever it stands: there is one for each, so that heads with hundreds of
    tests are compared as fast as others."""

    words: frozenset[str]
    """The names in it, and all other texts."""


@memoised
def condition_of(program: Program, key: object) -> Condition:
    """The condition with a key of syntax."""
    del program
    words: set[str] = set()
    pending = [key]
    while pending:
        match pending.pop():
            case str() as word:
                words.add(word)
            case tuple() as parts:
                pending += parts
            case _:
                pass
    return Condition(frozenset(words))


class Head(Struct, frozen=True):
    """Status and content type so far, on one way through the code."""

    status: StatusSet | None = None
    """None: none was set."""
    content_type: str = ""
    """Empty: none was set."""
    tests: tuple[tuple[Condition, bool], ...] = ()
    """Conditions on the way, and whether they held: those that have made a difference."""
    of_one_kind: bool = False
    """Whether it is a way of one kind of caught error alone, that nothing is seen to throw."""


def after_call(
    program: Program, head: Head, call: Call, scope: Scope, errors: frozenset[str] = frozenset()
) -> Head:
    """The head after one call on the response; the same one where the call sets nothing of it.
    `errors` as in `StatusSet`."""
    name = call.callee.name if isinstance(call.callee, Attribute) else ""
    if name in _STATUS and call.args:
        head = replace(head, status=StatusSet(call.args[0].value, scope, errors))
    if name in _TYPES and call.args:
        kind = program.text(call.args[0].value, scope)
        return replace(head, content_type=ANY if kind is None else _SHORT.get(kind, kind))
    if name in _HEADERS:
        kind = content_type_argument(program, call, scope)
        return head if kind is None else replace(head, content_type=kind)
    return head


def content_type_argument(program: Program, call: Call, scope: Scope) -> str | None:
    """The content type among the headers that a call sets: `set(name, value)`, `set({…})`; None:
    it sets none."""
    for argument in call.args:
        entries = argument.value.entries if isinstance(argument.value, ObjectLiteral) else ()
        for entry in entries:
            if entry.key and entry.key.lower() == "content-type":
                return _type_or_any(program.text(entry.value, scope))
    if len(call.args) == 2:
        key = program.text(call.args[0].value, scope)
        if key is not None and key.lower() == "content-type":
            return _type_or_any(program.text(call.args[1].value, scope))
    return None


def _type_or_any(kind: str | None) -> str:
    return ANY if kind is None else kind
