"""What a serializer of the project writes, where that is plain from its text."""

from __future__ import annotations

from contract_scan.ir.origin import Origin
from contract_scan.ir.reasons import Reason
from contract_scan.ir.schema import Schema, Unknown
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import ClassSymbol
from contract_scan.parsers.source.java.serialization.json_generator import (
    written_or_nothing,
)

TO_TEXT = frozenset(
    {"ToStringSerializer", "StringSerializer", "ISO8601Utils", "ObjectIdSerializer"}
)
"""Serializers of libraries that write a text."""
STANDARD = frozenset(
    f"{name}Serializer"
    for name in (
        *("LocalDateTime", "LocalDate", "LocalTime", "Instant", "OffsetDateTime"),
        *("ZonedDateTime", "Date", "Calendar", "Duration", "Year", "UUID"),
    )
)
"""Serializers of Jackson itself, which write what is written without them."""


def written_by(program: Program, serializer: ClassSymbol | None, of: str, origin: Origin) -> Schema:
    """The shape that a serializer gives instances of the class `of`; `Nothing` where it writes no
    JSON, but another format."""
    if serializer is None:
        return Unknown(reason=Reason("written-by-own-serializer", of=of), origin=origin)
    method = program.find_method(serializer, "serialize")
    written = None if method is None else written_or_nothing(program, method, of, origin)
    if written is not None:
        return written
    reason = Reason("written-by-serializer", of=of, serializer=serializer.decl.name)
    return Unknown(reason=reason, origin=origin)
