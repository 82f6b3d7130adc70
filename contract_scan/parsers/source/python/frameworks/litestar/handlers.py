"""What requests and responses of Litestar handlers have in common."""

from __future__ import annotations

from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import LibrarySymbol, Value
from contract_scan.parsers.source.python.frameworks.litestar.applications import Handler
from contract_scan.parsers.source.python.frameworks.litestar.dto import Dto, dto_of

_MEDIA = {
    "JSON": "application/json",
    "MESSAGEPACK": "application/x-msgpack",
    "URL_ENCODED": "application/x-www-form-urlencoded",
    "MULTI_PART": "multipart/form-data",
    "HTML": "text/html",
    "TEXT": "text/plain",
}


def prefers_aliases(program: Program) -> bool:
    """Whether pydantic models are written under their aliases: only where a plugin says so."""
    known = program.memory.get("python.litestar.aliases")
    if not isinstance(known, bool):
        known = program.any_file_contains(b"prefer_alias=True")
        program.memory["python.litestar.aliases"] = known
    return known


def dto_of_handler(program: Program, handler: Handler, name: str) -> Dto | None:
    """The transfer object (`dto`, `return_dto`) that counts for a handler."""
    for expr, scope in handler.options(name):
        return dto_of(program, expr, scope)
    if name == "return_dto":
        return dto_of_handler(program, handler, "dto")
    return None


def media_type(program: Program, value: Value) -> str:
    """A content type given as text or as a member of Litestar's enumerations."""
    text = program.evaluator.text(value)
    if text is not None:
        return text
    name = value.name.rpartition(".")[2] if isinstance(value, LibrarySymbol) else ""
    return _MEDIA.get(name, "")
