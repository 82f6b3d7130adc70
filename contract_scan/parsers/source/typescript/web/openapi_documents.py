"""OpenAPI documents of the project that a library is given: by their paths, or as modules."""

from __future__ import annotations

import re

from msgspec.structs import replace

from contract_scan.ir.operation import Body
from contract_scan.ir.origin import Origin
from contract_scan.ir.schema import Anything, Unknown
from contract_scan.parsers.source.analysis.domain.memo import memoised
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import (
    LibraryResult,
    ModuleValue,
    OneOf,
    Scope,
    Value,
)
from contract_scan.parsers.source.typescript.library_calls.paths import (
    path_from_start_of_value,
    path_of_value,
)
from contract_scan.parsers.source.web.specification import Specification, parse_specification

_SUFFIXES = (".yaml", ".yml", ".json")
_OPERATION_ID = re.compile(rb"\boperationId\b")
_MAX_READS = 5
"""How many calls of libraries make a document of a file."""
_MAX_DOCUMENTS = 50
"""How many documents of a project are looked at where it is undetermined which one is meant."""


def documents(program: Program, given: Value, scope: Scope) -> tuple[Specification, ...]:
    """The documents that a value may name; none where one of them is undetermined."""
    found: list[Specification] = []
    for option in given.options if isinstance(given, OneOf) else (given,):
        path = document_path(program, option, scope)
        document = parse_specification(program.files.read, path) if path is not None else None
        if document is None:
            return ()
        found.append(document)
    return tuple(found)


def document_path(program: Program, given: Value, scope: Scope) -> str | None:
    """The file or folder that a value names, or that libraries read it from:
    `YAML.parse(fs.readFileSync("api.yaml", "utf8"))`."""
    for _ in range(_MAX_READS):
        if isinstance(given, ModuleValue):
            return given.path
        found = path_of_value(program, given, scope)
        if found is None:
            found = path_from_start_of_value(program, given, scope)
        if found is not None or not isinstance(given, LibraryResult):
            return found
        if given.site.args:
            scope = given.scope
            given = program.evaluate(given.site.args[0].value, scope)
        elif given.receiver is not None:
            given = given.receiver
    return None


@memoised
def named_operations(program: Program) -> tuple[Specification, ...]:
    """The documents of the project whose operations have names."""
    found: list[Specification] = []
    paths = [path for suffix in _SUFFIXES for path in program.files.ending(suffix)]
    for path in sorted(paths):
        if len(found) < _MAX_DOCUMENTS and program.files.find(path, _OPERATION_ID):
            document = parse_specification(program.files.read, path)
            found.extend((document,) if document is not None else ())
    return tuple(found)


def held_against_document(
    bodies: tuple[Body, ...], origin: Origin, *, has_body: bool = False
) -> tuple[Body, ...]:
    """The bodies of a request that a library has held against the document before its handler gets
    them: they are whatever the document says, and a handler decides only which parts it needs.
    `has_body` says that the document has one, whether the handler reads it or not."""
    if has_body and not bodies:
        return (Body(schema=Anything(nullable=None, origin=origin), origin=origin),)
    return tuple(
        replace(
            body,
            schema=Anything(nullable=None, origin=body.origin),
            uses=Anything(nullable=None) if isinstance(body.schema, Unknown) else body.schema,
        )
        for body in bodies
    )
