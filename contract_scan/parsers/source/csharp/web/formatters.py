"""Formatters of a project: they write and read bodies by hand, whatever the serializer would do.

https://learn.microsoft.com/aspnet/core/web-api/advanced/custom-formatters
"""

from __future__ import annotations

import re

from msgspec import Struct
from msgspec.structs import replace

from contract_scan.ir.operation import Body, Response
from contract_scan.ir.reasons import Reason
from contract_scan.ir.schema import Array, Object, Reference, Schema, Union, Unknown
from contract_scan.parsers.source.analysis.domain.memo import memoised
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import ClassSymbol, ClassValue
from contract_scan.parsers.source.csharp.resolution.source_text import lines_of
from contract_scan.parsers.source.csharp.serialization.settings.options import unqualified_name
from contract_scan.parsers.source.facts.nodes import NamedType

_BASES = frozenset(
    f"{kind}{way}Formatter" for kind in ("", "Text", "I") for way in ("Output", "Input")
)
_CHOOSING = frozenset({"CanWriteResult", "CanWriteType", "CanRead", "CanReadType"})
_TYPES = re.compile(rb"\btypeof\s*\(\s*([\w.]+)|\bis\s+(?:not\s+)?([A-Z][\w.]*)")
_ADDED = re.compile(
    rb"\b(Output|Input)Formatters\s*\.\s*(Add|Insert)\s*(?:<\s*([\w.]+)|\(\s*(?:0\s*,\s*)?new\s+([\w.]+))"
)
_MARKERS = (b"OutputFormatters", b"InputFormatters")
_FIRST = re.compile(
    rb"\b(Output|Input)Formatters\s*\.\s*(?:Clear\s*\(|RemoveType\s*<\s*[\w.]*Json|RemoveType\s*\()"
)


class Formatter(Struct, frozen=True):
    """A formatter that is asked before that of JSON."""

    name: str
    way: str
    """`Output` or `Input`."""
    types: frozenset[str]
    """Names of the classes that it writes or reads; empty: any."""

    def takes(self, program: Program, schema: Schema) -> bool:
        """Whether values of a shape are written, or read, by it."""
        match schema:
            case Reference():
                return self.takes(program, program.resolve(schema))
            case Array(items=items):
                return self.takes(program, items)
            case Union(options=options):
                return any(self.takes(program, option) for option in options)
            case Object(name=name):
                return not self.types or unqualified_name(name.partition("<")[0]) in self.types
            case _:
                return not self.types


def by_formatters(program: Program, responses: tuple[Response, ...]) -> tuple[Response, ...]:
    """Responses whose JSON bodies are undetermined where a formatter of the project writes them."""
    return tuple(
        replace(one, bodies=tuple(_body(program, body, "Output") for body in one.bodies))
        for one in responses
    )


def read_by_formatters(program: Program, bodies: tuple[Body, ...]) -> tuple[Body, ...]:
    """Request bodies that are undetermined where a formatter of the project reads them."""
    return tuple(_body(program, body, "Input") for body in bodies)


def _body(program: Program, body: Body, way: str) -> Body:
    formatters = [one for one in _formatters(program) if one.way == way]
    if "json" not in body.content_type:
        return body
    by = next((one for one in formatters if one.takes(program, body.schema)), None)
    if by is None:
        return body
    verb = "writes" if way == "Output" else "reads"
    reason = Reason("custom-formatter", lower=way.lower(), by=by.name, verb=verb)
    return replace(body, schema=Unknown(reason=reason, origin=body.schema.origin))


@memoised
def _formatters(program: Program) -> tuple[Formatter, ...]:
    """The formatters of JSON that start-up code puts before, or in the place of, the library's."""
    added: dict[str, str] = {}
    for path in program.files_containing(*_MARKERS):
        text = program.files.read(path) or b""
        replaced = set(_FIRST.findall(text))
        for way, how, generic, made in _ADDED.findall(text):
            if how == b"Insert" or way in replaced:
                added[(generic or made).decode().rpartition(".")[2]] = way.decode()
    if not added:
        return ()
    found: list[Formatter] = []
    for path in program.files_containing(*(f"class {name}".encode() for name in sorted(added))):
        for symbol in program.classes(program.facts(path)):
            name = symbol.decl.name
            if name in added and _is_of_json(program, symbol):
                found.append(Formatter(name, added[name], _formatted_types(program, symbol)))
    return tuple(found)


def _is_of_json(program: Program, symbol: ClassSymbol) -> bool:
    owners = (symbol, *program.bases(symbol))
    bases = (base for owner in owners for base in owner.decl.bases)
    if not any(
        isinstance(base, NamedType) and unqualified_name(base.name) in _BASES for base in bases
    ):
        return False
    return b"json" in _text(program, symbol).lower()


def _formatted_types(program: Program, symbol: ClassSymbol) -> frozenset[str]:
    """The classes that a formatter says it writes or reads, and those that derive from them."""
    if not any(method.name in _CHOOSING for method in symbol.decl.methods):
        return frozenset()
    inside = program.class_scope(symbol)
    names: set[str] = set()
    for asked in _TYPES.findall(_text(program, symbol)):
        name = (asked[0] or asked[1]).decode()
        value = program.names.lookup_type(name, inside)
        if isinstance(value, ClassValue):
            names.add(unqualified_name(value.symbol.decl.name))
            names.update(
                unqualified_name(one.decl.name)
                for one in program.names.classes.implementations(value.symbol)
            )
    return frozenset(names)


def _text(program: Program, symbol: ClassSymbol) -> bytes:
    return lines_of(program, symbol.file.path, symbol.decl.span)
