"""Java, as the engine sees it."""

from __future__ import annotations

from contract_scan.parsers.source.facts import FileFacts
from contract_scan.parsers.source.java import lower as lowering
from contract_scan.parsers.source.java.frameworks import FRAMEWORKS
from contract_scan.parsers.source.java.intrinsics import ALL_INTRINSICS, made_schema
from contract_scan.parsers.source.java.models.classes import class_schema
from contract_scan.parsers.source.java.modules import DEFINITIONS, find_module, implicit
from contract_scan.parsers.source.java.overloads import overload
from contract_scan.parsers.source.java.types import CONTAINERS, TRANSPARENT, library_type
from contract_scan.parsers.source.language import Language

CALLS: tuple[bytes, ...] = tuple(
    sorted({call for framework in FRAMEWORKS for call in framework.calls})
)
"""A function whose text holds one of these has its statements read with the declarations."""


def lower(content: bytes, path: str) -> FileFacts:
    """The facts of one file."""
    return lowering.lower(content, path, CALLS)


LANGUAGE = Language(
    name="java",
    suffixes=(".java",),
    lower=lower,
    lower_body=lowering.lower_body,
    definitions=DEFINITIONS,
    find_module=find_module,
    implicit=implicit,
    library_type=library_type,
    class_schema=class_schema,
    transparent=TRANSPARENT,
    containers=CONTAINERS,
    intrinsics=ALL_INTRINSICS,
    frameworks=FRAMEWORKS,
    made_schema=made_schema,
    implicit_this=True,
    overload=overload,
)
