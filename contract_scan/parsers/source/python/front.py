"""The part of the Python front end that reads one file alone, and knows no library."""

from __future__ import annotations

import re
from functools import partial

from contract_scan.parsers.source.language import FrontEnd
from contract_scan.parsers.source.literals import any_of_literals
from contract_scan.parsers.source.python.lowering import lower as lowering

_NAME = rb"[A-Za-z_\x80-\xff][\w\x80-\xff]*"
DEFINITIONS = (
    rb"class(?<!\wclass)[ \t]+(" + _NAME + rb")"
    rb"|\n(?:[ \t]*type[ \t]+(" + _NAME + rb")[ \t]*[=\[]"
    rb"|([A-Z][\w\x80-\xff]*)[ \t]*(?::[^=\n]*)?=[ \t]*(?=[\w\"'(\[]))"
)
"""Classes, type statements, and capitalised names that are assigned: aliases, made classes. Here
and below each way begins with a character, not with a place (`\\b`, `^`): the search then skips to
those characters, and takes a third of the time."""
_INNER_DECORATORS = rb"\n[ \t]+@(?!functools\.)\w+(?:\.\w+)+\("
"""What decorates functions inside others: `@app.get(` in `def add_routes(app)`."""


def front(calls: tuple[bytes, ...]) -> FrontEnd:
    """Reads files in which a function whose text holds one of `calls`, or a function that a method
    of something decorates, is lowered with its statements."""
    markers = re.compile(any_of_literals(calls, [_INNER_DECORATORS])) if calls else None
    lower = partial(lowering.lower, markers=markers)
    return FrontEnd(lower=lower, lower_body=lowering.lower_body, definitions=DEFINITIONS)
