"""Where the configuration of a folder is."""

from __future__ import annotations

from pathlib import Path

from contract_scan.config.toml import LARGEST, KeyPath
from contract_scan.regular_file import read_regular

OWN_NAMES = ("contract-scan.toml", ".contract-scan.toml")
PYPROJECT = "pyproject.toml"
TABLE = ("tool", "contract-scan")


def find_configuration(start: Path) -> Path | None:
    """The nearest configuration file at or above a folder, up to the root of its repository.

    In one folder a file of our own wins over `pyproject.toml`, which counts only where it has a
    `[tool.contract-scan]` table.
    """
    for folder in (start, *start.parents):
        for name in OWN_NAMES:
            if (folder / name).is_file():
                return folder / name
        if _has_table(folder / PYPROJECT):
            return folder / PYPROJECT
        if (folder / ".git").exists():
            return None
    return None


def prefix_in(file: Path) -> KeyPath:
    """The way to our table in a file."""
    return TABLE if file.name == PYPROJECT else ()


def _has_table(file: Path) -> bool:
    if not file.is_file():
        return False
    try:
        return b"tool.contract-scan" in read_regular(file, LARGEST)
    except OSError:
        return False
