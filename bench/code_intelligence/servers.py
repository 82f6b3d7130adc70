"""Pyright over the Language Server Protocol and tsserver over its own, asked the same questions."""

from __future__ import annotations

import json
import subprocess
import threading
from collections.abc import Iterable
from pathlib import Path
from queue import Queue
from typing import Any, NamedTuple

_SECONDS = 120.0
"""How long one answer may take."""
_LSP_KINDS = {
    5: "class",
    6: "method",
    9: "constructor",
    10: "enum",
    11: "interface",
    12: "function",
}
_TS_KINDS = {
    "class": "class",
    "interface": "interface",
    "enum": "enum",
    "function": "function",
    "method": "method",
    "type": "type",
    "constructor": "constructor",
}


class Declaration(NamedTuple):
    """A symbol as a language server knows it; lines and columns count from 1."""

    path: str
    line: int
    column: int
    qualified_name: str
    kind: str


class Place(NamedTuple):
    """The place of a name that is called."""

    path: str
    line: int


class _Process:
    """A server that speaks JSON with `Content-Length` headers on standard output."""

    def __init__(self, command: list[str], root: Path) -> None:
        self._process = subprocess.Popen(
            command,
            cwd=root,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )
        self.messages: Queue[dict[str, Any]] = Queue()
        threading.Thread(target=self._read, daemon=True).start()

    def write(self, data: bytes) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write(data)
        self._process.stdin.flush()

    def _read(self) -> None:
        stream = self._process.stdout
        assert stream is not None
        while True:
            length = 0
            while (line := stream.readline()) not in (b"\r\n", b"\n", b""):
                name, _, value = line.partition(b":")
                if name.lower() == b"content-length":
                    length = int(value)
            if not line:
                return
            self.messages.put(json.loads(stream.read(length)))

    def close(self) -> None:
        self._process.kill()
        self._process.wait()


class Pyright:
    """The Python server. `command` is what starts `pyright-langserver --stdio`."""

    def __init__(self, command: list[str], root: Path) -> None:
        self._root = root
        self._process = _Process(command, root)
        self._number = 0
        self._opened: set[str] = set()
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
                    },
                    "workspace": {"configuration": True, "workspaceFolders": True},
                },
            },
        )
        self._send({"method": "initialized", "params": {}})

    def declarations(self, path: str) -> list[Declaration]:
        """Classes, functions and methods of a file."""
        self._open(path)
        found = self._request("textDocument/documentSymbol", {"textDocument": self._document(path)})
        return list(self._flat(path, found or (), ""))

    def callers(self, declaration: Declaration) -> set[Place]:
        """The calls of a symbol."""
        self._open(declaration.path)
        position = {"line": declaration.line - 1, "character": declaration.column - 1}
        items = self._request(
            "textDocument/prepareCallHierarchy",
            {"textDocument": self._document(declaration.path), "position": position},
        )
        found: set[Place] = set()
        for item in items or ():
            for call in self._request("callHierarchy/incomingCalls", {"item": item}) or ():
                path = self._path(call["from"]["uri"])
                found.update(Place(path, r["start"]["line"] + 1) for r in call["fromRanges"])
        return found

    def close(self) -> None:
        self._process.close()

    def _flat(self, path: str, symbols: Iterable[dict[str, Any]], outer: str) -> Any:
        for symbol in symbols:
            name = f"{outer}.{symbol['name']}" if outer else symbol["name"]
            start = symbol["selectionRange"]["start"]
            kind = _LSP_KINDS.get(symbol["kind"], "variable")
            if symbol.get("selectionRange"):
                yield Declaration(path, start["line"] + 1, start["character"] + 1, name, kind)
            yield from self._flat(path, symbol.get("children") or (), name)

    def _document(self, path: str) -> dict[str, str]:
        return {"uri": (self._root / path).as_uri()}

    def _path(self, uri: str) -> str:
        from urllib.parse import unquote, urlparse

        path = Path(unquote(urlparse(uri).path))
        return path.relative_to(self._root).as_posix() if path.is_relative_to(self._root) else uri

    def _open(self, path: str) -> None:
        if path not in self._opened:
            self._opened.add(path)
            text = (self._root / path).read_text(encoding="utf-8", errors="replace")
            document = {**self._document(path), "languageId": "python", "version": 1, "text": text}
            self._send({"method": "textDocument/didOpen", "params": {"textDocument": document}})

    def _send(self, message: dict[str, Any]) -> None:
        body = json.dumps({"jsonrpc": "2.0", **message}).encode()
        self._process.write(b"Content-Length: %d\r\n\r\n" % len(body) + body)

    def _request(self, method: str, params: dict[str, Any]) -> Any:
        self._number += 1
        self._send({"id": self._number, "method": method, "params": params})
        while True:
            message = self._process.messages.get(timeout=_SECONDS)
            if "method" in message:
                self._answer(message)
            elif message.get("id") == self._number:
                return message.get("result")

    def _answer(self, message: dict[str, Any]) -> None:
        """What the server asks in turn: settings, of which there are none."""
        if "id" in message:
            items = message.get("params", {}).get("items", ())
            asked = message["method"] == "workspace/configuration"
            result: list[dict[str, str]] | None = [{} for _ in items] if asked else None
            self._send({"id": message["id"], "result": result})


class TsServer:
    """The TypeScript server. `command` is what starts `tsserver`."""

    def __init__(self, command: list[str], root: Path) -> None:
        self._root = root
        self._process = _Process(command, root)
        self._number = 0
        self._opened: set[str] = set()
        self._definitions: dict[tuple[str, int, int], set[tuple[str, int]]] = {}

    def declarations(self, path: str) -> list[Declaration]:
        """Classes, interfaces, enums, types, functions and methods of a file."""
        self._open(path)
        tree = self._request("navtree", {"file": str(self._root / path)}) or {}
        return list(self._flat(path, tree.get("childItems") or (), ""))

    def callers(self, declaration: Declaration) -> set[Place]:
        """The calls of a symbol."""
        self._open(declaration.path)
        found = self._request(
            "provideCallHierarchyIncomingCalls",
            {
                "file": str(self._root / declaration.path),
                "line": declaration.line,
                "offset": declaration.column,
            },
        )
        places: set[Place] = set()
        for call in found or ():
            path = Path(call["from"]["file"])
            if path.is_relative_to(self._root):
                shown = path.relative_to(self._root).as_posix()
                for span in call["fromSpans"]:
                    start = span["start"]
                    if self._means(shown, start["line"], start["offset"], declaration):
                        places.add(Place(shown, start["line"]))
        return places

    def _means(self, path: str, line: int, offset: int, declaration: Declaration) -> bool:
        """Whether what is called at a place is the declaration, and not another of a class that has
        the same base: the call hierarchy takes all of these together."""
        if declaration.kind in ("class", "constructor"):
            return True
        key = (path, line, offset)
        if key not in self._definitions:
            where = {"file": str(self._root / path), "line": line, "offset": offset}
            self._open(path)
            found = self._request("definition", where) or ()
            self._definitions[key] = {(each["file"], each["start"]["line"]) for each in found}
        wanted = (str(self._root / declaration.path), declaration.line)
        return wanted in self._definitions[key]

    def close(self) -> None:
        self._process.close()

    def _flat(self, path: str, items: Iterable[dict[str, Any]], outer: str) -> Any:
        for item in items:
            text = item["text"] if item["text"].lstrip("#").isidentifier() else ""
            name = ".".join(filter(None, (outer, text)))
            kind = _TS_KINDS.get(item["kind"], "variable") if text else ""
            place = item.get("nameSpan") or (item["spans"][0] if text == "constructor" else None)
            if kind and place is not None:
                start = place["start"]
                yield Declaration(path, start["line"], start["offset"], name, kind)
            yield from self._flat(path, item.get("childItems") or (), name)

    def _open(self, path: str) -> None:
        if path not in self._opened:
            self._opened.add(path)
            self._send("open", {"file": str(self._root / path)})

    def _send(self, command: str, arguments: dict[str, Any]) -> int:
        self._number += 1
        message = {"seq": self._number, "type": "request", "command": command}
        self._process.write(json.dumps({**message, "arguments": arguments}).encode() + b"\n")
        return self._number

    def _request(self, command: str, arguments: dict[str, Any]) -> Any:
        number = self._send(command, arguments)
        while True:
            message = self._process.messages.get(timeout=_SECONDS)
            if message.get("type") == "response" and message.get("request_seq") == number:
                return message.get("body")
