"""Which code reads, by what tells it apart from any other.

Imports nothing that takes time: what was printed last time is given again by way of this.
"""

# ruff: noqa: PTH100, PTH116, PTH118, PTH120, PTH208 (pathlib takes longer than what is done here)
from __future__ import annotations

import os

from contract_scan.parsers.source.discovery.minified import blake2b

_known: list[str] = []


def reader_version() -> str:
    """Changes whenever the code that reads changes: size and time of every module of the package
    (of the list of them that an installer writes, where one did), and the versions of the
    installed grammars that lie beside it."""
    if not _known:
        _known.append(_version())
    return _known[0]


def _version() -> str:
    package = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    beside = os.path.dirname(package)
    lists, grammars = [], []
    for entry in os.listdir(beside):
        if entry.endswith(".dist-info"):
            if entry.startswith("contract_scan-"):
                lists.append(os.path.join(beside, entry, "RECORD"))
            elif entry.startswith("tree_sitter"):
                grammars.append(entry)
    found = _states(lists) or _states(_modules(package))
    listed = "\n".join((*sorted(found), *sorted(grammars)))
    return blake2b(listed.encode("utf-8", "surrogateescape"), digest_size=16).hexdigest()


def _modules(package: str) -> list[str]:
    return [
        os.path.join(folder, name)
        for folder, _, names in os.walk(package)
        for name in names
        if name.endswith(".py")
    ]


def _states(files: list[str]) -> list[str]:
    found = []
    for file in files:
        try:
            state = os.stat(file)
        except OSError:
            return []
        found.append(f"{file}:{state.st_size}:{state.st_mtime_ns}")
    return found
