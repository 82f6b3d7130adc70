"""Small projects written into a folder, and what is read from them, as far as languages agree."""

from __future__ import annotations

from pathlib import Path
from textwrap import dedent

from contract_scan.ir.event import EventUse
from contract_scan.ir.operation import Body, Operation, Parameter
from contract_scan.ir.schema import Schema
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.session import Session
from contract_scan.parsers.source.discovery.discover import SourceTree
from contract_scan.parsers.source.facts.nodes import NamedType
from contract_scan.parsers.source.language import Language
from contract_scan.parsers.source.languages import SUFFIXES
from contract_scan.parsers.source.project_model import Code
from contract_scan.parsers.source.reader import SourceReader
from contract_scan.parsers.source.store import Store


def read(
    folder: Path, files: dict[str, str], language: Language, *, filter: bool = True
) -> tuple[Program, SourceReader]:
    """Write the files below a folder and link them."""
    for path, text in files.items():
        target = folder / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(dedent(text), encoding="utf-8")
    tree = SourceTree(folder, SUFFIXES)
    reader = SourceReader(tree, {language.name: language}, Store(None), filter=filter)
    return Session(language, reader), reader


class LinkedProject:
    """The files of one test, linked."""

    def __init__(
        self, folder: Path, files: dict[str, str], language: Language, *, filter: bool = True
    ) -> None:
        self.program, reader = read(folder, files, language, filter=filter)
        self.code = Code([self.program], lambda: [*reader.problems], reader.files)

    def operation(self, route: str) -> Operation:
        """The only operation with this method and path (`GET /path`)."""
        (found,) = [o for o in self.code.operations_with_answers if f"{o.method} {o.path}" == route]
        return found


class ShownProject(LinkedProject):
    """What is read of a project, as short texts; how a shape is written is the language's."""

    pattern_mark = " (pattern)"
    """What follows an address that is a pattern."""

    def show(self, schema: Schema, depth: int = 0) -> str:
        """A shape on one line."""
        null = {True: "|null", False: "", None: "~"}[schema.nullable]
        return self.shown_shape(schema, depth) + null

    def shown_shape(self, schema: Schema, depth: int) -> str:
        """A shape without whether it may be null."""
        raise NotImplementedError

    def responses(self, route: str) -> list[str]:
        """Status (in parentheses where it is a default) and bodies of each response, `…` where
        there may be more."""
        operation = self.operation(route)
        shown = [
            " ".join(
                [
                    r.status if r.explicit_status else f"({r.status})",
                    *(self.body(b) for b in r.bodies),
                ]
            )
            for r in operation.responses
        ]
        return shown if operation.statuses_complete else [*shown, "…"]

    def parameters(self, route: str) -> list[str]:
        """The parameters of an operation, `…` where there may be more."""
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
        pattern = self.pattern_mark if use.pattern else ""
        aliases = f" ({', '.join(use.aliases)})" if use.aliases else ""
        return f"{arrow} {address}{pattern}{aliases} {self.show(use.payload)}"

    def shape(self, name: str, variant: str = "") -> str:
        """The shape of the only class of this name."""
        (path,) = self.program.files_defining(name)
        scope = self.program.module_scope(self.program.facts(path))
        return self.show(self.program.schema(NamedType(name=name), scope, variant))
