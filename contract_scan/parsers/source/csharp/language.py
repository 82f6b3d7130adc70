"""C# as a `Language`."""

from __future__ import annotations

import re

from contract_scan.ir.origin import Span
from contract_scan.parsers.source.csharp import intrinsics, lower, models, modules, types
from contract_scan.parsers.source.csharp.frameworks import FRAMEWORKS
from contract_scan.parsers.source.csharp.overloads import overload
from contract_scan.parsers.source.csharp.properties import PROPERTIES
from contract_scan.parsers.source.csharp.settings_sites import CALLS
from contract_scan.parsers.source.facts import FileFacts, Statement
from contract_scan.parsers.source.language import Language

_MARKERS = re.compile(
    b"|".join(
        re.escape(literal)
        for literal in sorted({*CALLS, *(c for f in FRAMEWORKS for c in f.calls)})
    )
)
"""A function whose text matches is lowered with its statements."""


def _lower(content: bytes, path: str) -> FileFacts:
    return lower.lower_file(content, path, _MARKERS)


def _lower_body(content: bytes, path: str, span: Span) -> tuple[Statement, ...]:
    del path
    return lower.lower_function(content, span)


LANGUAGE = Language(
    name="csharp",
    suffixes=(".cs",),
    lower=_lower,
    lower_body=_lower_body,
    definitions=modules.DEFINITIONS,
    find_module=modules.find_module,
    implicit=modules.implicit,
    library_type=types.library_type,
    class_schema=models.class_schema,
    transparent=types.TRANSPARENT,
    containers=types.CONTAINERS,
    intrinsics=intrinsics.INTRINSICS,
    frameworks=FRAMEWORKS,
    implicit_this=True,
    overload=overload,
    properties=PROPERTIES,
)
