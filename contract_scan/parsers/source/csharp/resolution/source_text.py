"""The text of files and functions, where a look at the bytes is enough."""

from __future__ import annotations

from contract_scan.ir.origin import Span
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.facts.nodes import Function


def function_text(program: Program, path: str, function: Function) -> bytes:
    """The lines in which a function of a file stands."""
    return lines_of(program, path, function.span)


def lines_of(program: Program, path: str, span: Span) -> bytes:
    """The whole lines of a stretch of a file."""
    return b"\n".join(program.files.lines(path, span.line, span.end_line))
