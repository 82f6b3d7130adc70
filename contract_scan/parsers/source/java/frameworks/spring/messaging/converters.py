"""Which mapper a message converter writes with: the application's, or one of its own."""

from __future__ import annotations

from typing import TYPE_CHECKING

from contract_scan.parsers.source.facts.nodes import New
from contract_scan.parsers.source.java.messaging.payloads import PLAIN_MAPPER
from contract_scan.parsers.source.java.resolution.annotations import type_name
from contract_scan.parsers.source.java.resolution.dependencies import related_files_containing

if TYPE_CHECKING:
    from contract_scan.parsers.source.analysis.domain.program import Program


def converter_variant(program: Program, near: str, converters: frozenset[str]) -> str:
    """The variant of payloads: a converter that is given a mapper, when it is made or
    later, has the application's; any other has a plain one of its own."""
    literals = tuple(f"new {name}".encode() for name in sorted(converters))
    for path in related_files_containing(program, near, *literals) if literals else ():
        for call, _ in program.calls(program.facts(path)):
            if isinstance(call, New) and type_name(call.type) in converters and call.args:
                return ""
        if b".setObjectMapper(" in (program.files.read(path) or b""):
            return ""
    return PLAIN_MAPPER
