"""A small TypeScript project on disk, and short texts for what is read of it."""

from __future__ import annotations

from pathlib import Path

from contract_scan.ir.event import EventUse
from contract_scan.ir.operation import Operation
from contract_scan.ir.schema import (
    Anything,
    Array,
    Nothing,
    Object,
    Reference,
    Scalar,
    Schema,
    Union,
    Unknown,
)
from contract_scan.parsers.source.facts.nodes import NamedType
from contract_scan.parsers.source.typescript.language import LANGUAGE
from tests.parsers.source.project import LinkedProject

_NULLABLE = {True: "?", False: "", None: "~"}
_REQUIRED = {True: "", False: "?", None: "~"}


class Project(LinkedProject):
    """The files of one test, linked."""

    def __init__(self, root: Path, files: dict[str, str]) -> None:
        super().__init__(root, files, LANGUAGE)

    # ------------------------------------------------------------------ routes

    def routes(self) -> set[str]:
        """`GET /path`, with why it is undetermined where that is so."""
        return {_route(operation) for operation in self.code.operations}

    def responses(self, route: str) -> dict[str, str]:
        """Status -> shape of the body; a status that is a default ends in `*`."""
        return {
            response.status + ("" if response.explicit_status else "*"): " | ".join(
                self.shape(body.schema) + _content_type(body.content_type)
                for body in response.bodies
            )
            for response in self.operation(route).responses
        }

    def request(self, route: str) -> str:
        """Shape of the request body; empty where none is read."""
        return " | ".join(
            self.shape(body.schema) + _content_type(body.content_type)
            for body in self.operation(route).request
        )

    def parameters(self, route: str) -> set[str]:
        """`query page?: numeric` for each parameter whose type is known."""
        return {
            f"{p.location} {p.name}{_REQUIRED[p.required]}{'=' if p.has_default else ''}: "
            + self.shape(p.schema)
            for p in self.operation(route).parameters
        }

    # ------------------------------------------------------------------ events and types

    def events(self) -> set[str]:
        """`send topic: shape`."""
        return {self._event(use) for use in self.code.events}

    def _event(self, use: EventUse) -> str:
        address = f"<{use.unresolved}>" if use.unresolved else use.address
        return f"{use.direction} {address}: {self.shape(use.payload)}"

    def type(self, name: str, path: str = "a.ts") -> str:
        """Shape of a type that a file declares."""
        scope = self.program.module_scope(self.program.facts(path))
        schema = self.program.schema(NamedType(name=name), scope)
        return self.shape(self.program.types.flat(schema))

    # ------------------------------------------------------------------ shapes

    def shape(self, schema: Schema, seen: tuple[str, ...] = ()) -> str:
        """A schema as a short text. Referenced types are written out once, then named."""
        mark = _NULLABLE[schema.nullable]
        match schema:
            case Reference(key=key):
                name = key.split("#")[-1].split("|")[0].split("<")[0]
                if name in seen:
                    return name + mark
                return self.shape(self.code.resolve(schema), (*seen, name)) + mark
            case Scalar(type=type, format=format, values=values):
                shown = type if not format else f"{type}({format})"
                if values is not None:
                    shown = "/".join(repr(value) for value in values)
                return shown + mark
            case Array(items=items, prefix=prefix):
                inner = [self.shape(item, seen) for item in prefix] or [self.shape(items, seen)]
                return f"[{', '.join(inner)}]" + mark
            case Object(fields=fields, additional=additional, incomplete_reason=partial):
                parts = [
                    f"{f.name}{_REQUIRED[f.required]}{'=' if f.has_default else ''}: "
                    + self.shape(f.schema, seen)
                    for f in fields
                ]
                if additional is not None:
                    parts.append(f"*: {self.shape(additional, seen)}")
                if partial:
                    parts.append("...")
                return "{" + ", ".join(parts) + "}" + mark
            case Union(
                options=(*_, Array(items=Union()), Object(fields=(), incomplete_reason=partial))
            ) if partial:
                return "value" + mark  # anything that is read and not looked into
            case Union(options=options):
                return "(" + " | ".join(self.shape(o, seen) for o in options) + ")" + mark
            case Unknown():
                return "unknown"
            case Anything():
                return "anything"
            case Nothing():
                return "null" if schema.nullable else "nothing"


def _route(operation: Operation) -> str:
    reason = f" <{operation.unresolved}>" if operation.unresolved else ""
    return f"{operation.method} {operation.path}{reason}"


def _content_type(content_type: str) -> str:
    return "" if content_type == "application/json" else f" ({content_type})"
