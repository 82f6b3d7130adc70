"""The least that a scan of a folder can cost: list its files, read them, parse some of them.

`python -I yardstick.py parse|stat FILES`: FILES is JSON, `{"root": …, "read": […], "parse": […]}`.
Imports nothing of the scanner, and each grammar only when its first file is met.
"""

# ruff: noqa: PTH116, PTH118, PTH123 (pathlib costs more than what is measured)
from __future__ import annotations

import json
import os
import subprocess
import sys

GRAMMARS = {
    ".ts": ("tree_sitter_typescript", "language_typescript"),
    ".mts": ("tree_sitter_typescript", "language_typescript"),
    ".cts": ("tree_sitter_typescript", "language_typescript"),
    ".tsx": ("tree_sitter_typescript", "language_tsx"),
    ".js": ("tree_sitter_javascript", "language"),
    ".jsx": ("tree_sitter_javascript", "language"),
    ".mjs": ("tree_sitter_javascript", "language"),
    ".cjs": ("tree_sitter_javascript", "language"),
    ".py": ("tree_sitter_python", "language"),
    ".cs": ("tree_sitter_c_sharp", "language"),
    ".java": ("tree_sitter_java", "language"),
}


def parse(root: str, read: list[str], chosen: list[str]) -> None:
    """List with git, read every file, parse the chosen ones."""
    from importlib import import_module

    from tree_sitter import Language, Parser

    subprocess.run(["git", "-C", root, "ls-files", "-z"], stdout=subprocess.DEVNULL, check=True)
    wanted = frozenset(chosen)
    parsers: dict[str, Parser] = {}
    for path in read:
        handle = os.open(os.path.join(root, path), os.O_RDONLY)
        content = os.read(handle, os.fstat(handle).st_size)
        os.close(handle)
        if path in wanted:
            suffix = path[path.rfind(".") :]
            if suffix not in parsers:
                module, function = GRAMMARS[suffix]
                parsers[suffix] = Parser(Language(getattr(import_module(module), function)()))
            parsers[suffix].parse(content)


def main() -> None:
    """Run one of the two."""
    what, file = sys.argv[1:]
    with open(file) as opened:
        files = json.load(opened)
    if what == "parse":
        parse(files["root"], files["read"], files["parse"])
    else:
        for path in files["read"]:
            os.stat(os.path.join(files["root"], path))


main()
