"""The text of files and functions, where a look at the bytes is enough."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

if TYPE_CHECKING:
    from contract_scan.ir.origin import Span
    from contract_scan.parsers.source.facts import Function
    from contract_scan.parsers.source.link.program import Program

_MEMORY = "csharp.lines"


def function_text(program: Program, path: str, function: Function) -> bytes:
    """The lines in which a function of a file stands."""
    return lines_of(program, path, function.span)


def lines_of(program: Program, path: str, span: Span) -> bytes:
    """The whole lines of a stretch of a file."""
    known = cast("dict[str, list[bytes]]", program.memory.setdefault(_MEMORY, {}))
    if path not in known:
        known[path] = (program.files.read(path) or b"").split(b"\n")
    return b"\n".join(known[path][span.line - 1 : span.end_line])
