"""What is known of one workspace folder."""

from __future__ import annotations

import asyncio
from pathlib import Path

from lsprotocol import types

from contract_scan.ir.violation import Finding
from contract_scan.server.index import Index
from contract_scan.server.scan_worker import ScanOutcome


class Folder:
    """The last outcome of a folder's scans, and what was made of it."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.outcome = ScanOutcome()
        self.diagnostics: dict[str, list[types.Diagnostic]] = {}
        """By the address of their file."""
        self.index: asyncio.Future[Index] | None = None
        """Made when it is first asked for after a scan."""
        self.fixes: dict[str, asyncio.Future[dict[str, Finding]]] = {}
        """What can be mended, by file, found out likewise."""
        self.said = ""
        """The complaint that was last logged, so that it is not repeated with every scan."""

    def holds(self, path: Path) -> bool:
        """Whether a file lies in the folder."""
        return path.is_relative_to(self.path)


def innermost(folders: list[Folder], path: Path) -> list[Folder]:
    """The folders that hold a file, the innermost first."""
    holding = [folder for folder in folders if folder.holds(path)]
    return sorted(holding, key=lambda folder: -len(folder.path.parts))


def home_of(path: Path) -> Path | None:
    """The folder to scan for a file that was opened alone: its repository, or what its
    configuration stands in. None: a file in the middle of nowhere brings no scan with it."""
    from contract_scan.config import find_configuration

    for folder in path.parents:
        if (folder / ".git").exists():
            return folder
    found = find_configuration(path.parent)
    return None if found is None else found.parent
