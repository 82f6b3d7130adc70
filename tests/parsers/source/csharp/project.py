"""Small C# projects written into a folder, and what is read from them as short texts.

A shape is written `{id: string(uuid), name?: string~}`: `?` after a name says that the key may be
left out, `~` that it could not be told, `!` that input needs it, `-` that it is only sent and `+`
that it is only read; after a shape `|null` says that it may be null, `~` that it could not be told.
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

CSPROJ = """
<Project Sdk="Microsoft.NET.Sdk.Web">
  <PropertyGroup><Nullable>enable</Nullable></PropertyGroup>
</Project>
"""


class Project:
    """A C# project and the code model read from it."""

    def __init__(self, folder: Path, files: dict[str, str], *, filter: bool = True) -> None:
        for path, text in files.items():
            target = folder / path
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(dedent(text), encoding="utf-8")
        tree = SourceTree(folder, SUFFIXES)
        csharp = load("csharp")
        reader = SourceReader(tree, {"csharp": csharp}, Store(None), filter=filter)
        self.program = Program(csharp, reader)
        self.code = Code([self.program], lambda: [*reader.problems])

    def routes(self) -> list[str]:
        """Every route on one line: method, path, whether it is hidden, why it is not told."""
        return sorted(
            f"{o.method} {o.path}"
            + (" hidden" if o.hidden else "")
            + (f" ?{o.unresolved}" if o.unresolved else "")
            for o in self.code.operations
        )

    def operation(self, route: str) -> Operation:
        (found,) = [o for o in self.code.operations if f"{o.method} {o.path}" == route]
        return found

    def responses(self, route: str) -> list[str]:
        """Status (in parentheses where it is a default) and bodies of each response, `…` where
        there may be more."""
        operation = self.operation(route)
        shown = [
            " ".join(
                [r.status if r.explicit else f"({r.status})", *(self.body(b) for b in r.bodies)]
            )
            for r in operation.responses
        ]
        return shown if operation.statuses_complete else [*shown, "…"]

    def parameters(self, route: str) -> list[str]:
        operation = self.operation(route)
        shown = [self.parameter(p) for p in operation.parameters]
        return shown if operation.parameters_complete else [*shown, "…"]

    def request(self, route: str) -> list[str]:
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
        return sorted(self.event(use) for use in self.code.events)

    def event(self, use: EventUse) -> str:
        arrow = "->" if use.direction == "send" else "<-"
        address = f"?{use.unresolved}" if use.unresolved else use.address
        aliases = f" ({', '.join(use.aliases)})" if use.aliases else ""
        return f"{arrow} {address}{aliases} {self.show(use.payload)}"

    def shape(self, name: str, variant: str = "") -> str:
        """The shape of the only class of this name."""
        (path,) = self.program.defining(name)
        scope = self.program.module_scope(self.program.facts(path))
        return self.show(self.program.schema(NamedType(name=name), scope, variant))

    # ------------------------------------------------------------------ shapes

    def show(self, schema: Schema, depth: int = 0) -> str:
        null = {True: "|null", False: "", None: "~"}[schema.nullable]
        return self._shape(schema, depth) + null

    def _shape(self, schema: Schema, depth: int) -> str:
        match schema:
            case Reference():
                target = self.program.resolve(schema)
                if depth > 4:
                    return getattr(target, "name", "…")
                return self._shape(target, depth + 1)
            case Unknown(reason=reason):
                return f"?{reason}?"
            case Anything():
                return "anything"
            case Nothing():
                return "nothing"
            case Scalar(type=type, format=format, values=None):
                return f"{type}({format})" if format else type
            case Scalar(values=values):
                return "|".join(repr(value) for value in values or ())
            case Array(items=items, prefix=prefix):
                inner = ", ".join(self.show(p, depth) for p in prefix)
                return f"[{inner}{self.show(items, depth)}]"
            case Union(options=options):
                return " or ".join(self.show(option, depth) for option in options)
            case Object(fields=fields, additional=additional, partial=partial):
                parts = [self.field(field, depth) for field in fields]
                if additional is not None:
                    parts.append(f"…: {self.show(additional, depth)}")
                if partial:
                    parts.append(f"?{partial}?")
                return "{" + ", ".join(parts) + "}"
        raise AssertionError(schema)

    def field(self, field: Field, depth: int) -> str:
        mark = {True: "", False: "?", None: "~"}[field.required]
        mark += "" if field.has_default else "!"
        mark += "-" if field.read_only else "+" if field.write_only else ""
        return f"{field.name}{mark}: {self.show(field.schema, depth)}"


def models(folder: Path, source: str, **others: str) -> Project:
    """A project with nullable reference types and one file of types; `others` are further files
    by their names without suffix."""
    files = {"App.csproj": CSPROJ, "Models.cs": source}
    files |= {f"{name}.cs": text for name, text in others.items()}
    return Project(folder, files)
