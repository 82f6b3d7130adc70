"""The part of the Java front end that reads one file alone, and knows no library."""

from __future__ import annotations

import re
from functools import partial

from contract_scan.parsers.source.java.lowering import lower as lowering
from contract_scan.parsers.source.java.resolution.modules import DEFINITIONS
from contract_scan.parsers.source.language import FrontEnd
from contract_scan.parsers.source.literals import any_of_literals


def front(calls: tuple[bytes, ...]) -> FrontEnd:
    """Reads files in which a function whose text holds one of `calls` is lowered with its
    statements."""
    markers = re.compile(any_of_literals(calls))
    lower = partial(lowering.lower, markers=markers)
    return FrontEnd(lower=lower, lower_body=lowering.lower_body, definitions=DEFINITIONS)
