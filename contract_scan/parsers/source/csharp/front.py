"""The part of the C# front end that reads one file alone, and knows no library."""

from __future__ import annotations

import re
from functools import partial

from contract_scan.ir.origin import Span
from contract_scan.parsers.source.csharp.lowering import lower as lowering
from contract_scan.parsers.source.csharp.resolution.modules import DEFINITIONS
from contract_scan.parsers.source.facts.nodes import Statement
from contract_scan.parsers.source.language import FrontEnd
from contract_scan.parsers.source.literals import any_of_literals


def front(calls: tuple[bytes, ...]) -> FrontEnd:
    """Reads files in which a function whose text holds one of `calls` is lowered with its
    statements."""
    markers = re.compile(any_of_literals(calls))
    lower = partial(lowering.lower_file, markers=markers)

    def lower_body(content: bytes, path: str, span: Span) -> tuple[Statement, ...]:
        del path
        return lowering.lower_function(content, span)

    return FrontEnd(lower=lower, lower_body=lower_body, definitions=DEFINITIONS)
