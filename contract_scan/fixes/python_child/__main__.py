"""Says what to write where: `python -m contract_scan.fixes.python_child INPUT`.

INPUT is a JSON list of `{"path", "root", "text", "changes": [{"kind", "span", …}]}`. Prints a JSON
object: `answers` is a list with, for each file, a list with, for each change, null or `{"title",
"safe", "edits"}`; `consulted` are the other files that were looked for or read.
"""

from __future__ import annotations

import contextlib
import json
import sys
from pathlib import Path
from typing import Any

from contract_scan.fixes.python_child.answer import answer
from contract_scan.fixes.python_child.classes import CONSULTED
from contract_scan.fixes.python_child.source import Source

_MEMORY = 2_000_000_000


def main(path: str) -> None:
    """Answer what the file at `path` asks."""
    _limit_memory()
    asked = json.loads(Path(path).read_text(encoding="utf-8"))
    answers = [_answers(file) for file in asked]
    print(json.dumps({"answers": answers, "consulted": sorted(map(str, CONSULTED))}))


def _answers(file: dict[str, Any]) -> list[dict[str, Any] | None]:
    changes = file["changes"]
    try:
        source = Source(file["text"], Path(file["path"]), Path(file["root"]))
        return [answer(change, source) for change in changes]
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return [None for _ in changes]


def _limit_memory() -> None:
    try:
        import resource
    except ImportError:  # not on every system
        return
    with contextlib.suppress(ValueError, OSError):
        resource.setrlimit(resource.RLIMIT_AS, (_MEMORY, _MEMORY))


if __name__ == "__main__":
    main(sys.argv[1])
