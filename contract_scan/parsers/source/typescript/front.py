"""The part of the TypeScript front end that reads one file alone, and knows no library."""

from __future__ import annotations

import re
from functools import partial

from contract_scan.parsers.source.language import FrontEnd
from contract_scan.parsers.source.literals import any_of_literals
from contract_scan.parsers.source.typescript.lowering import lower as lowering

DEFINITIONS = (
    rb"\b(?:class|interface|type|enum)\s+([A-Za-z_$][\w$]*)"
    rb"|\b(?:const|let|var)\s+([A-Za-z_$][\w$]*)\s*(?::[^=\n]{1,200})?=\s*+"
    rb"(?:(?:\(\s*+)?class\b|[\w$.]*\bz\.|[\w$.]+Schema\b|Type\.|Object\.freeze|\{|\[)"
)
"""A class, interface, type or enum; a constant that may be a schema or an object of constants."""


def front(calls: tuple[bytes, ...]) -> FrontEnd:
    """Reads files in which a function whose text holds one of `calls` is lowered with its
    statements."""
    markers = re.compile(any_of_literals(calls))
    lower = partial(lowering.lower, markers=markers)
    return FrontEnd(lower=lower, lower_body=lowering.lower_body, definitions=DEFINITIONS)
