"""Names of headers, which libraries keep as constants: `HttpHeaders.CONTENT_TYPE`."""

from __future__ import annotations

from collections.abc import Sequence

from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import LibrarySymbol, Scope
from contract_scan.parsers.source.facts.nodes import Attribute, Expr, Name
from contract_scan.parsers.source.java.resolution.annotations import constant_name
from contract_scan.parsers.source.java.web.media import stated_media_type

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


def content_type_given(program: Program, given: Sequence[Expr], scope: Scope) -> str | None:
    """The content type, where a call that sets a header is given its name and a value; None for any
    other header."""
    if len(given) != 2:
        return None
    name = header_name(program, given[0], scope) or constant_name(given[0]).replace("_", "-")
    return stated_media_type(program, given[1], scope) if name.lower() == "content-type" else None


def hyphenated(name: str) -> str:
    """The header that a parameter's name stands for: `userAgent` is `user-agent`."""
    text = "".join(f"-{c.lower()}" if c.isupper() else c for c in name)
    return text.replace("_", "-").lstrip("-")
