"""The TypeScript server, over its own protocol."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from bench.code_intelligence.servers.answers import Declaration, Place
from bench.code_intelligence.servers.process import SECONDS, JsonProcess, with_headers

_KINDS = {
    "class": "class",
    "interface": "interface",
    "enum": "enum",
    "function": "function",
    "method": "method",
    "type": "type",
    "constructor": "constructor",
}


class TsServer:
    """The TypeScript server. `command` is what starts `tsserver`."""

    def __init__(self, command: list[str], root: Path) -> None:
        self._root = root
        self._process = JsonProcess(command, root, with_headers)
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
        """End the process of the server."""
        self._process.close()

    def _flat(
        self, path: str, items: Iterable[dict[str, Any]], outer: str
    ) -> Iterator[Declaration]:
        for item in items:
            text = item["text"] if item["text"].lstrip("#").isidentifier() else ""
            name = ".".join(filter(None, (outer, text)))
            kind = _KINDS.get(item["kind"], "variable") if text else ""
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
            message = self._process.messages.get(timeout=SECONDS)
            if message.get("type") == "response" and message.get("request_seq") == number:
                return message.get("body")
