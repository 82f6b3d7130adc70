"""Which well-known calls give null, and which never do."""

from __future__ import annotations

import re

from contract_scan.parsers.source.csharp.library_calls.sequences import SEQUENCES
from contract_scan.parsers.source.facts.nodes import (
    Argument,
    Attribute,
    Call,
    Expr,
    Lambda,
    Name,
)
from contract_scan.parsers.source.facts.visitor import nodes_of

_FINDING = frozenset({"Find", "FindAsync"})
_OR_DEFAULT = re.compile(r"[A-Z]\w{0,60}OrDefault(?:Async)?")
_PICKING = frozenset(
    f".{name}{end}"
    for name in ("MaxBy", "MinBy", "Max", "Min", "Aggregate", "ElementAt")
    for end in ("", "Async")
)
_MARKERS = frozenset({"await", "!"})
KEEPS_NULL = frozenset({"ConfigureAwait", "AsTask"})
"""Methods that give their receiver."""
MAPPINGS = frozenset({"Map", "Adapt"})
"""Methods of AutoMapper and Mapster, which make null of null."""
_TEXTS = frozenset(
    {
        *("ToString", "Substring", "Replace", "Trim", "TrimStart", "TrimEnd", "ToLower", "ToUpper"),
        *("ToLowerInvariant", "ToUpperInvariant", "Split", "Join", "Format", "Concat"),
        *("ToBase64String", "ToHexString", "GetBytes", "Parse", "NewGuid", "Empty", "AddDays"),
    }
)
NEVER_NULL = _TEXTS | {
    name.removeprefix(".")
    for name in SEQUENCES
    if name.startswith(".")
    and name not in _PICKING
    and name.removeprefix(".") not in _FINDING
    and not name.removesuffix("Async").endswith("OrDefault")
}
"""Methods of .NET that give an object, or throw."""
_LOGGING = re.compile(r"Log(?:Trace|Debug|Information|Warning|Error|Critical)?|WriteLine")
_PURE = NEVER_NULL | KEEPS_NULL | MAPPINGS | _FINDING | {"Set", "FromResult", "TryParse", "GetType"}


def gives_null(name: str, args: tuple[Argument, ...]) -> bool:
    """Whether a method of a library says that it gives null where it finds nothing. Some take what
    they give instead (`items.FirstOrDefault(other)`)."""
    if name in _FINDING:
        return True
    if not _is_or_default(name):
        return False
    if name == "GetValueOrDefault":
        return len(args) == 1
    return name.endswith("Async") or all(isinstance(given.value, Lambda) for given in args)


def is_known(name: str) -> bool:
    """Whether the tables tell of a method of this name."""
    return name in NEVER_NULL or name in MAPPINGS or name in _FINDING or _is_or_default(name)


def _is_or_default(name: str) -> bool:
    return _OR_DEFAULT.fullmatch(name) is not None


def is_pure(expr: Expr) -> bool:
    """Whether nothing in an expression may leave the function, or change what is stored: it calls
    nothing, or only what looks at values, queries them or writes to a log."""
    return all(_is_pure_call(node) for node in nodes_of((expr,)) if isinstance(node, Call))


def _is_pure_call(call: Call) -> bool:
    match call.callee:
        case Name(id=id):
            return id in _MARKERS
        case Attribute(name=name):
            is_log = _LOGGING.fullmatch(name) is not None
            return name in _PURE or _is_or_default(name) or is_log
        case _:
            return False
