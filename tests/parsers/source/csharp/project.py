"""Small C# projects written into a folder, and what is read from them as short texts.

A shape is written `{id: string(uuid), name?: string~}`: `?` after a name says that the key may be
left out, `~` that it is undetermined, `!` that input needs it, `-` that it is only sent and `+`
that it is only read; after a shape `|null` says that it may be null, `~` that it is undetermined.
"""

from __future__ import annotations

from pathlib import Path

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
from contract_scan.parsers.source.languages import load
from tests.parsers.source.project import ShownProject

CSPROJ = """
<Project Sdk="Microsoft.NET.Sdk.Web">
  <PropertyGroup><Nullable>enable</Nullable></PropertyGroup>
</Project>
"""


PROBLEM = (
    "application/problem+json {type!: string, title!: string, status!: integer(int32), …: string}"
)
"""What `[ApiController]` and `Problem()` send with an error that is given no detail."""


class Project(ShownProject):
    """A C# project and the code model read from it."""

    pattern_mark = ""

    def __init__(self, folder: Path, files: dict[str, str], *, filter: bool = True) -> None:
        super().__init__(folder, files, load("csharp"), filter=filter)

    def routes(self) -> list[str]:
        """Every route on one line: method, path, whether it is hidden, why it is undetermined."""
        return sorted(
            f"{o.method} {o.path}"
            + (" hidden" if o.excluded_from_docs else "")
            + (f" ?{o.unresolved}" if o.unresolved else "")
            for o in self.code.operations_with_answers
        )

    # ------------------------------------------------------------------ shapes

    def shown_shape(self, schema: Schema, depth: int) -> str:
        match schema:
            case Reference():
                target = self.program.resolve(schema)
                if depth > 4:
                    return getattr(target, "name", "…")
                return self.shown_shape(target, depth + 1)
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
            case Object(fields=fields, additional=additional, incomplete_reason=partial):
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
