"""Small Java projects written into a folder, and what is read from them as short texts.

A shape is written `{id: string(uuid), name?: string~}`: `?` after a name says that the key may be
left out, `~` that it could not be told; after a shape `|null` says that it may be null, `~` that it
could not be told.
"""

from __future__ import annotations

from pathlib import Path
from textwrap import dedent

from contract_scan.ir.event import EventUse
from contract_scan.ir.operation import Body, Operation, Parameter
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
from contract_scan.parsers.source.code import Code
from contract_scan.parsers.source.discover import SourceTree
from contract_scan.parsers.source.facts import NamedType
from contract_scan.parsers.source.languages import SUFFIXES, load
from contract_scan.parsers.source.link.program import Program
from contract_scan.parsers.source.reader import SourceReader
from contract_scan.parsers.source.store import Store


class Project:
    """A Java project and the code model read from it."""

    def __init__(self, folder: Path, files: dict[str, str], *, filter: bool = True) -> None:
        for path, text in files.items():
            target = folder / path
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(dedent(text), encoding="utf-8")
        tree = SourceTree(folder, SUFFIXES)
        java = load("java")
        reader = SourceReader(tree, {"java": java}, Store(None), filter=filter)
        self.program = Program(java, reader)
        self.code = Code([self.program], lambda: [*reader.problems])

    def routes(self) -> list[str]:
        """Every route on one line: method, path, and why it could not be told."""
        return sorted(
            f"{o.method} {o.path}" + (f" ?{o.unresolved}" if o.unresolved else "")
            for o in self.code.operations
        )

    def operation(self, route: str) -> Operation:
        """The only operation with this method and path."""
        (found,) = [o for o in self.code.operations if f"{o.method} {o.path}" == route]
        return found

    def responses(self, route: str) -> list[str]:
        """The responses of an operation: status (in parentheses where it is a default) and body."""
        operation = self.operation(route)
        shown = [
            " ".join(
                [r.status if r.explicit else f"({r.status})", *(self.body(b) for b in r.bodies)]
            )
            for r in operation.responses
        ]
        return shown if operation.statuses_complete else [*shown, "…"]

    def parameters(self, route: str) -> list[str]:
        """The parameters of an operation."""
        operation = self.operation(route)
        shown = [self.parameter(p) for p in operation.parameters]
        return shown if operation.parameters_complete else [*shown, "…"]

    def request(self, route: str) -> list[str]:
        """The request bodies of an operation."""
        return [self.body(body) for body in self.operation(route).request]

    def body(self, body: Body) -> str:
        mark = {True: "!", False: "?", None: ""}[body.required]
        kind = "" if body.content_type == "application/json" else f"{body.content_type} "
        return f"{kind}{self.show(body.schema)}{mark}"

    def parameter(self, parameter: Parameter) -> str:
        mark = {True: "", False: "?", None: "~"}[parameter.required]
        default = "=" if parameter.has_default else ""
        shown = self.show(parameter.schema)
        return f"{parameter.location} {parameter.name}{mark}{default}: {shown}"

    def events(self) -> list[str]:
        """Every place that sends or receives."""
        return sorted(self.event(use) for use in self.code.events)

    def event(self, use: EventUse) -> str:
        arrow = "->" if use.direction == "send" else "<-"
        address = f"?{use.unresolved}" if use.unresolved else use.address
        pattern = " (pattern)" if use.pattern else ""
        aliases = f" ({', '.join(use.aliases)})" if use.aliases else ""
        return f"{arrow} {address}{pattern}{aliases} {self.show(use.payload)}"

    def model(self, name: str) -> str:
        """The shape of the only type of this name."""
        (found,) = self.code.models(frozenset({name}))
        return self.show(found.schema)

    def shape(self, name: str) -> str:
        """The shape of the only class of this name, whatever it is."""
        (path,) = self.program.defining(name)
        scope = self.program.module_scope(self.program.facts(path))
        return self.show(self.program.schema(NamedType(name=name), scope))

    # ------------------------------------------------------------------ shapes

    def show(self, schema: Schema, depth: int = 0) -> str:
        null = {True: "|null", False: "", None: "~"}[schema.nullable]
        return self._shape(schema, depth) + null

    def _shape(self, schema: Schema, depth: int) -> str:
        match schema:
            case Reference():
                target = self.program.resolve(schema)
                if depth > 3:
                    return getattr(target, "name", "") or "…"
                return self.show(target, depth + 1)
            case Scalar(type=type, format=format, values=values):
                shown = type if values is None else " ".join(map(repr, values))
                return f"{shown}({format})" if format else shown
            case Array(items=items):
                return f"[{self.show(items, depth)}]"
            case Object(fields=fields, additional=additional, partial=partial):
                parts = [self._field(f, depth) for f in fields]
                if additional is not None:
                    parts.append(f"*: {self.show(additional, depth)}")
                if partial:
                    parts.append(f"… {partial}")
                return "{" + ", ".join(parts) + "}"
            case Union(options=options, discriminator=name):
                by = f" by {name}" if name else ""
                return f"({' | '.join(self.show(o, depth) for o in options)}{by})"
            case Unknown(reason=reason):
                return f"<{reason}>"
            case Anything():
                return "anything"
            case Nothing():
                return "nothing"

    def _field(self, field: Field, depth: int) -> str:
        mark = {True: "", False: "?", None: "~"}[field.required]
        read = " (sent only)" if field.read_only else ""
        write = " (read only)" if field.write_only else ""
        needed = "" if field.has_default else "!"
        names = f" as {'/'.join(field.accepts)}" if field.accepts else ""
        return f"{field.name}{mark}{needed}: {self.show(field.schema, depth)}{read}{write}{names}"


def java(package: str, imports: str, text: str) -> str:
    """A source file: package, imports by short name, and the rest."""
    lines = "\n".join(f"import {name};" for name in imports.split())
    return f"package {package};\n{lines}\n{dedent(text)}"
