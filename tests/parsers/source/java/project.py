"""Small Java projects written into a folder, and what is read from them as short texts.

A shape is written `{id: string(uuid), name?: string~}`: `?` after a name says that the key may be
left out, `~` that it is undetermined; after a shape `|null` says that it may be null, `~` that it
is undetermined.
"""

from __future__ import annotations

from pathlib import Path
from textwrap import dedent

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


class Project(ShownProject):
    """A Java project and the code model read from it."""

    def __init__(self, folder: Path, files: dict[str, str], *, filter: bool = True) -> None:
        super().__init__(folder, files, load("java"), filter=filter)

    def routes(self) -> list[str]:
        """Every route on one line: method, path, and why it is undetermined."""
        return sorted(
            f"{o.method} {o.path}" + (f" ?{o.unresolved}" if o.unresolved else "")
            for o in self.code.operations_with_answers
        )

    def model(self, name: str) -> str:
        """The shape of the only type of this name."""
        (found,) = self.code.models(frozenset({name}))
        return self.show(found.schema)

    # ------------------------------------------------------------------ shapes

    def shown_shape(self, schema: Schema, depth: int) -> str:
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
            case Object(fields=fields, additional=additional, incomplete_reason=partial):
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
