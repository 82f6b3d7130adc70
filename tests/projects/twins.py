"""The two bookshops: `bookshop` is `bookshop-clean` with the edits of `bookshop.drift.json`.

To change something that both have, edit `bookshop-clean`, then run this file: it writes `bookshop`
anew. `bookshop.expected.json` lists what a scan has to find in it.
"""

from __future__ import annotations

import json
import shutil
from pathlib import Path

PROJECTS = Path(__file__).parents[2] / "fixtures" / "projects"
CLEAN = PROJECTS / "bookshop-clean"
DRIFTED = PROJECTS / "bookshop"
PLANTED = PROJECTS / "bookshop.drift.json"
EXPECTED = PROJECTS / "bookshop.expected.json"


def texts(folder: Path) -> dict[str, str]:
    """Every file below a folder by its relative path."""
    return {
        path.relative_to(folder).as_posix(): path.read_text()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and "__pycache__" not in path.parts
    }


def drifted(clean: dict[str, str]) -> dict[str, str]:
    """The clean shop with every planted edit made; each edit must fit exactly one place."""
    shop = dict(clean)
    for plant in json.loads(PLANTED.read_text()):
        for edit in plant["edits"]:
            path, old = edit["path"], "\n".join(edit["clean"])
            if shop[path].count(old) != 1:
                raise ValueError(f"{plant['drift']}: {path} has {old!r} not once")
            shop[path] = shop[path].replace(old, "\n".join(edit["drifted"]))
    return shop


def main() -> None:
    """Write `bookshop` anew."""
    shutil.rmtree(DRIFTED, ignore_errors=True)
    for path, text in drifted(texts(CLEAN)).items():
        file = DRIFTED / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)


if __name__ == "__main__":
    main()
