"""The compiler platform of C# (Roslyn), which is what language servers of C# ask.

It runs in a program of its own (`roslyn_program.py`), with a Python that has pythonnet.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from bench.code_intelligence.servers.answers import Declaration, Place
from bench.code_intelligence.servers.process import SECONDS, JsonProcess, one_line


class Roslyn:
    """`command` is what starts `roslyn_program.py` with its two folders."""

    def __init__(self, command: list[str], root: Path) -> None:
        self._process = JsonProcess([*command, str(root)], root, one_line)

    def declarations(self, path: str) -> list[Declaration]:
        """Classes, records, interfaces, enums, methods and constructors of a file."""
        return [Declaration(path, *each) for each in self._ask("declarations", path)]

    def callers(self, declaration: Declaration) -> set[Place]:
        """The calls of a symbol."""
        place = (declaration.path, declaration.line, declaration.column)
        return {Place(path, line) for path, line in self._ask("callers", *place)}

    def close(self) -> None:
        """End the program."""
        self._process.close()

    def _ask(self, *question: object) -> Any:
        self._process.write(json.dumps(question).encode() + b"\n")
        return self._process.messages.get(timeout=SECONDS)["answer"]
