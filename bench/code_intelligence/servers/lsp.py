"""Servers that speak the Language Server Protocol: pyright and Eclipse JDT."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import unquote, urlparse

from bench.code_intelligence.servers.answers import Declaration, Place
from bench.code_intelligence.servers.process import SECONDS, JsonProcess, with_headers

_KINDS = {
    5: "class",
    6: "method",
    9: "constructor",
    10: "enum",
    11: "interface",
    12: "function",
    23: "record",
}
_PARAMETERS = re.compile(r"[(<].*")


class Dialect(NamedTuple):
    """What a server needs to be told, and how it answers."""

    language: str
    """The identifier of the language in the protocol."""
    ready: str
    """`type` of the notification `language/status` that says that it can be asked; empty: at
    once."""
    calls_classes: bool
    """Whether it knows the calls of a class, not of its constructors alone."""
    checks_definitions: bool
    """The call hierarchy takes all methods together that a call may run. A call then counts as one
    of a method only where "go to definition" leads from it to that method."""


PYRIGHT = Dialect("python", ready="", calls_classes=True, checks_definitions=False)
JDT = Dialect("java", ready="ServiceReady", calls_classes=False, checks_definitions=True)


class LanguageServer:
    """A language server, started for one root by a command."""

    def __init__(self, command: list[str], root: Path, dialect: Dialect) -> None:
        self._root = root
        self._dialect = dialect
        self._process = JsonProcess(command, root, with_headers)
        self._number = 0
        self._opened: set[str] = set()
        self._declared: dict[tuple[str, str], Declaration] = {}
        self._definitions: dict[tuple[str, int, int], set[tuple[str, int]]] = {}
        self._request(
            "initialize",
            {
                "processId": None,
                "rootUri": root.as_uri(),
                "workspaceFolders": [{"uri": root.as_uri(), "name": "root"}],
                "capabilities": {
                    "textDocument": {
                        "documentSymbol": {"hierarchicalDocumentSymbolSupport": True},
                        "callHierarchy": {},
                        "definition": {},
                    },
                    "workspace": {"configuration": True, "workspaceFolders": True},
                },
            },
        )
        self._send({"method": "initialized", "params": {}})
        while dialect.ready:
            message = self._process.messages.get(timeout=SECONDS)
            self._answer(message)
            if message.get("params", {}).get("type") == dialect.ready:
                break

    def declarations(self, path: str) -> list[Declaration]:
        """Classes, functions and methods of a file."""
        self._open(path)
        found = self._request("textDocument/documentSymbol", {"textDocument": self._document(path)})
        flat = list(self._flat(path, found or (), ""))
        self._declared.update({(path, each.qualified_name): each for each in flat})
        return flat

    def callers(self, declaration: Declaration) -> set[Place] | None:
        """The calls of a symbol; None for one that the server says cannot be called."""
        if declaration.kind == "class" and not self._dialect.calls_classes:
            return None
        if self._dialect.calls_classes and declaration.qualified_name.endswith(".__init__"):
            # The server counts a call of a class for the class alone; it runs the constructor.
            made = self._declared[
                declaration.path, declaration.qualified_name.removesuffix(".__init__")
            ]
            return self._calls(made) | self._calls(declaration)
        items = self._items(declaration)
        return None if not items else self._calls(declaration)

    def _items(self, declaration: Declaration) -> list[dict[str, Any]]:
        self._open(declaration.path)
        position = {"line": declaration.line - 1, "character": declaration.column - 1}
        found: list[dict[str, Any]] | None = self._request(
            "textDocument/prepareCallHierarchy",
            {"textDocument": self._document(declaration.path), "position": position},
        )
        return found or []

    def _calls(self, declaration: Declaration) -> set[Place]:
        found: set[Place] = set()
        for item in self._items(declaration):
            for call in self._request("callHierarchy/incomingCalls", {"item": item}) or ():
                path = self._path(call["from"]["uri"])
                for each in call["fromRanges"]:
                    line = self._called(path, each, declaration)
                    if line is not None:
                        found.add(Place(path, line))
        return found

    def close(self) -> None:
        """End the process of the server."""
        self._process.close()

    def _called(self, path: str, call: dict[str, Any], declaration: Declaration) -> int | None:
        """The line of a call's name; None where the call means another declaration."""
        start = call["start"]
        if not self._dialect.checks_definitions or declaration.kind == "constructor":
            return int(start["line"]) + 1
        # The range of a call may begin with what the member is taken of.
        name = declaration.qualified_name.rpartition(".")[2]
        lines = self._text(path).split("\n")
        for number in range(start["line"], call["end"]["line"] + 1):
            first = start["character"] if number == start["line"] else 0
            for word in re.finditer(rf"\b{re.escape(name)}\b", lines[number][first:]):
                if self._means(path, number, first + word.start(), declaration):
                    return number + 1
        return None

    def _means(self, path: str, line: int, character: int, declaration: Declaration) -> bool:
        key = (path, line, character)
        if key not in self._definitions:
            self._open(path)
            place = {"line": line, "character": character}
            found = self._request(
                "textDocument/definition",
                {"textDocument": self._document(path), "position": place},
            )
            self._definitions[key] = {
                (self._path(each["uri"]), each["range"]["start"]["line"] + 1)
                for each in found or ()
            }
        return (declaration.path, declaration.line) in self._definitions[key]

    def _flat(
        self, path: str, symbols: Iterable[dict[str, Any]], outer: str
    ) -> Iterator[Declaration]:
        for symbol in symbols:
            own = _PARAMETERS.sub("", symbol["name"]).strip()
            name = f"{outer}.{own}" if outer else own
            kind = _KINDS.get(symbol["kind"], "variable")
            if place := symbol.get("selectionRange"):
                start = place["start"]
                yield Declaration(path, start["line"] + 1, start["character"] + 1, name, kind)
            yield from self._flat(path, symbol.get("children") or (), name)

    def _text(self, path: str) -> str:
        return (self._root / path).read_text(encoding="utf-8", errors="replace")

    def _document(self, path: str) -> dict[str, str]:
        return {"uri": (self._root / path).as_uri()}

    def _path(self, uri: str) -> str:
        path = Path(unquote(urlparse(uri).path))
        return path.relative_to(self._root).as_posix() if path.is_relative_to(self._root) else uri

    def _open(self, path: str) -> None:
        if path not in self._opened:
            self._opened.add(path)
            text = self._text(path)
            about = {"languageId": self._dialect.language, "version": 1, "text": text}
            document = {**self._document(path), **about}
            self._send({"method": "textDocument/didOpen", "params": {"textDocument": document}})

    def _send(self, message: dict[str, Any]) -> None:
        body = json.dumps({"jsonrpc": "2.0", **message}).encode()
        self._process.write(b"Content-Length: %d\r\n\r\n" % len(body) + body)

    def _request(self, method: str, params: dict[str, Any]) -> Any:
        self._number += 1
        self._send({"id": self._number, "method": method, "params": params})
        while True:
            message = self._process.messages.get(timeout=SECONDS)
            if "method" in message:
                self._answer(message)
            elif message.get("id") == self._number:
                return message.get("result")

    def _answer(self, message: dict[str, Any]) -> None:
        """What the server asks in turn: settings, of which there are none."""
        if "id" in message and "method" in message:
            items = (message.get("params") or {}).get("items", ())
            asked = message["method"] == "workspace/configuration"
            result: list[dict[str, str]] | None = [{} for _ in items] if asked else None
            self._send({"id": message["id"], "result": result})
