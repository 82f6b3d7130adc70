"""Names of headers, which libraries keep as constants: `HttpHeaders.CONTENT_TYPE`."""

from __future__ import annotations

from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import LibrarySymbol, Scope
from contract_scan.parsers.source.facts.nodes import Attribute, Expr, Name

_CLASSES = frozenset({"HttpHeaders", "HttpHeaderNames", "HttpHeader", "HeaderNames", "Headers"})


def header_name(program: Program, expr: Expr, scope: Scope) -> str | None:
    """A constant text; of a constant of a library's class of headers, the name that it is called
    after. None for any other."""
    text = program.text(expr, scope)
    if text is not None:
        return text
    match expr:
        case Attribute(value=Name(id=owner), name=name):  # also where `*` imports the class
            pass
        case _:
            value = program.evaluate(expr, scope)
            if not isinstance(value, LibrarySymbol):
                return None
            owner, _, name = value.name.rpartition(".")
    is_constant = name.isupper() and owner.rpartition(".")[2] in _CLASSES
    return name.replace("_", "-").title() if is_constant else None


def hyphenated(name: str) -> str:
    """The header that a parameter's name stands for: `userAgent` is `user-agent`."""
    text = "".join(f"-{c.lower()}" if c.isupper() else c for c in name)
    return text.replace("_", "-").lstrip("-")
