"""A small project on disk, read by the whole front end, and short texts for what it gives."""

from __future__ import annotations

from pathlib import Path

from contract_scan.ir.event import EventUse
from contract_scan.ir.operation import Operation, with_answers
from contract_scan.ir.schema import (
    Anything,
    Array,
    Field,
    Nothing,
    Object,
    Reference,
    Scalar,
    Schema,
    Union,
    Unknown,
)
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import ClassValue
from contract_scan.parsers.source.facts.nodes import NamedType
from contract_scan.parsers.source.python.language import LANGUAGE
from tests.parsers.source.project import read


def project(root: Path, files: dict[str, str]) -> Program:
    """Write the files below `root` and link them."""
    program, _ = read(root, files, LANGUAGE)
    return program


def operations(program: Program, framework: str) -> list[Operation]:
    """The routes of one framework, in path order."""
    found = [
        with_answers(operation)
        for known in program.language.frameworks
        if known.name == framework and known.operations is not None
        for operation in known.operations(program, known)
    ]
    return sorted(found, key=lambda o: (o.path, o.method))


def routes(root: Path, framework: str, files: dict[str, str]) -> list[str]:
    """Method and path of every route, with a mark where it is hidden or is undetermined."""
    shown = []
    for operation in operations(project(root, files), framework):
        marks = [" hidden"] if operation.excluded_from_docs else []
        marks += [f" ({operation.unresolved})"] if operation.unresolved else []
        shown.append(f"{operation.method} {operation.path}{''.join(marks)}")
    return shown


def described(program: Program, operation: Operation) -> list[str]:
    """Everything that is known of one operation, a line for each part."""
    lines = [f"{operation.method} {operation.path}"]
    for item in operation.parameters:
        mark = {True: "", False: "?", None: "~"}[item.required]
        lines.append(f"  {item.location} {item.name}{mark}: {shape(program, item.schema)}")
    if not operation.parameters_complete:
        lines.append("  and other parameters")
    lines.extend(
        f"  takes {body.content_type} {shape(program, body.schema)}" for body in operation.request
    )
    for response in operation.responses:
        if not response.bodies:
            lines.append(f"  {response.status}")
        lines.extend(
            f"  {response.status} {body.content_type} {shape(program, body.schema)}"
            for body in response.bodies
        )
    return lines


def handled(root: Path, framework: str, source: str, **others: str) -> list[str]:
    """Everything that is known of the operations of a project of few files."""
    files = {"app.py": source} | {f"{name}.py": text for name, text in others.items()}
    program = project(root, files)
    found = operations(program, framework)
    return [line for operation in found for line in described(program, operation)]


def events(program: Program, framework: str) -> list[EventUse]:
    """The events of one framework, in order of place."""
    found = [
        use
        for known in program.language.frameworks
        if known.name == framework and known.events is not None
        for use in known.events(program, known)
    ]
    return sorted(found, key=lambda use: (use.origin.path, use.origin.span, use.address))


def exchanged(root: Path, framework: str, source: str, **others: str) -> list[str]:
    """Direction, address, message and payload of every event of a project of few files."""
    files = {"app.py": source} | {f"{name}.py": text for name, text in others.items()}
    program = project(root, files)
    return [
        f"{use.direction} {use.address}{'*' if use.pattern else ''}"
        f"{f' ({use.unresolved})' if use.unresolved else ''}"
        f" {use.message}".rstrip()
        + f": {shape(program, use.payload)}"
        for use in events(program, framework)
    ]


def model(root: Path, source: str, name: str = "Model", **others: str) -> str:
    """The shape of the class `name` of a module."""
    files = {"app.py": source} | {f"{module}.py": text for module, text in others.items()}
    program = project(root, files)
    file = program.facts("app.py")
    scope = program.module_scope(file)
    found = program.names.lookup(name, scope)
    if isinstance(found, ClassValue):
        scope = program.class_scope(found.symbol)
    return shape(program, program.schema(NamedType(name), scope))


def shape(program: Program, schema: Schema, seen: tuple[str, ...] = ()) -> str:
    """A schema on one line.

    `?` after a shape: may be null, `~`: not known whether. After a field's name: `-` may be absent,
    `~` not known whether, `=` input may omit it, `(read)` / `(write)` one direction only,
    `<a,b>` names accepted.
    """
    mark = {True: "?", False: "", None: "~"}[schema.nullable]
    match schema:
        case Reference(key=key):
            if key in seen:
                return key.rpartition("#")[2] + mark
            return shape(program, program.types.flat(schema), (*seen, key))
        case Scalar(type=type, format=format, values=values):
            shown = f"{type}:{format}" if format else type
            return shown + (repr(list(values)) if values is not None else "") + mark
        case Array(items=items, prefix=prefix):
            if prefix:
                return f"({', '.join(shape(program, item, seen) for item in prefix)}){mark}"
            return f"[{shape(program, items, seen)}]{mark}"
        case Object(fields=fields, additional=additional, incomplete_reason=partial):
            parts = [_field(program, field, seen) for field in fields]
            if additional is not None:
                parts.append(f"*: {shape(program, additional, seen)}")
            if partial:
                parts.append(f"... {partial}")
            return f"{{{', '.join(parts)}}}{mark}"
        case Union(options=options):
            return f"({' | '.join(shape(program, o, seen) for o in options)}){mark}"
        case Unknown(reason=reason):
            return f"unknown: {reason}"
        case Anything():
            return "anything"
        case Nothing():
            return "null" if schema.nullable else "nothing"


def _field(program: Program, field: Field, seen: tuple[str, ...]) -> str:
    presence = {True: "", False: "-", None: "~"}[field.required]
    default = "=" if field.has_default else ""
    only = " (read)" if field.read_only else " (write)" if field.write_only else ""
    accepts = f"<{','.join(field.accepts)}>" if field.accepts else ""
    shown = shape(program, field.schema, seen)
    return f"{field.name}{presence}{default}{only}{accepts}: {shown}"
