"""What every server answers."""

from __future__ import annotations

from typing import NamedTuple, Protocol


class Declaration(NamedTuple):
    """A symbol as a server knows it; lines and columns count from 1."""

    path: str
    line: int
    column: int
    qualified_name: str
    kind: str


class Place(NamedTuple):
    """The place of a name that is called."""

    path: str
    line: int


class Server(Protocol):
    """A server that knows one root."""

    def declarations(self, path: str) -> list[Declaration]:
        """Classes, interfaces, enums, functions and methods of a file (root-relative)."""

    def callers(self, declaration: Declaration) -> set[Place] | None:
        """The calls of a symbol; None for one that the server says cannot be called."""

    def close(self) -> None:
        """End the process of the server."""
