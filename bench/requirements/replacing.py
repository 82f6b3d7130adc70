"""Replace code by code that raises, and see which of its tests fail."""

from __future__ import annotations

import ast
import itertools
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Final

from bench.requirements.table import ROOT, Requirement, Symbol

_RAISE: Final = 'raise NotImplementedError("replaced")'
_FAILED: Final = re.compile(r"^(?:FAILED|ERROR) (\S+?\.py)(?:::(\w+))?", re.MULTILINE)
_TIMEOUT: Final = 120
"""Seconds of one test."""


def replaced(source: str, symbol: Symbol) -> str:
    """A module in which a function, or the making of a value of a class, raises; a constant is
    empty. Raises LookupError where the symbol is not there."""
    node = symbol.find(ast.parse(source))
    match node:
        case ast.FunctionDef() | ast.AsyncFunctionDef():
            return _with_raise(source, node)
        case ast.ClassDef():
            return _with_unmade_class(source, node)
        case ast.Assign() | ast.AnnAssign():
            return f"{source}\n{symbol.name} = type({symbol.name})()\n"
    raise LookupError(f"{symbol.module} has no {symbol.name}")


def _with_raise(source: str, node: ast.FunctionDef | ast.AsyncFunctionDef) -> str:
    return _inserted(source, node.body[0], _RAISE)


def _with_unmade_class(source: str, node: ast.ClassDef) -> str:
    if any(ast.unparse(base) == "Protocol" for base in node.bases):
        return _inserted(source, node.body[0], "def replaced(self) -> None: ...")
    for method in node.body:
        if isinstance(method, ast.FunctionDef) and method.name in ("__init__", "__post_init__"):
            return _with_raise(source, method)
    return _inserted(source, node.body[0], f"def __post_init__(self) -> None: {_RAISE}")


def _inserted(source: str, before: ast.stmt, statement: str) -> str:
    lines = source.split("\n")
    at = before.lineno - 1
    indent = lines[at][: before.col_offset]
    if indent.strip():  # the body stands in the line of its head
        lines[at] = f"{indent}{statement}"
    else:
        lines.insert(at, f"{indent}{statement}")
    return "\n".join(lines)


def copy_of_sources(folder: Path) -> None:
    """The files that git tracks, as they are now."""
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT,
        capture_output=True,
        check=True,
    )
    for name in listed.stdout.decode().split("\0"):
        if name and (ROOT / name).is_file():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, folder / name)


def surviving(
    requirements: Iterable[Requirement], folder: Path
) -> Iterator[tuple[Symbol, tuple[str, ...]]]:
    """Each symbol with the ids none of whose tests fail when it is replaced in a copy."""
    by_symbol: dict[Symbol, list[Requirement]] = {}
    for entry in requirements:
        for symbol in entry.symbols:
            by_symbol.setdefault(symbol, []).append(entry)
    for symbol, entries in by_symbol.items():
        file = folder / symbol.file
        source = file.read_text(encoding="utf-8")
        file.write_text(replaced(source, symbol), encoding="utf-8")
        try:
            yield symbol, _survivors(symbol, entries, folder)
        finally:
            file.write_text(source, encoding="utf-8")


def _survivors(symbol: Symbol, entries: Iterable[Requirement], folder: Path) -> tuple[str, ...]:
    """The ids none of whose tests fail. Each run ends at its first failure, and the tests next to
    the symbol run first: nearly always one of them fails at once."""
    left = list(entries)
    while left:
        tests = {test for entry in left for test in entry.tests}
        failed = _failed(sorted(tests, key=lambda test: _distance(test, symbol, left)), folder)
        still_left = [
            entry for entry in left if not any(_is_in(test, failed) for test in entry.tests)
        ]
        if len(still_left) == len(left):
            break
        left = still_left
    return tuple(entry.id for entry in left)


def _distance(test: str, symbol: Symbol, entries: Iterable[Requirement]) -> tuple[int, int, str]:
    """By how many folders a test is away from the code, since tests mirror the package; then how
    few of the ids it proves."""
    folders = zip(Path(test.partition("::")[0]).parts[1:], symbol.file.parts[1:], strict=False)
    shared = sum(1 for _ in itertools.takewhile(lambda pair: pair[0] == pair[1], folders))
    return -shared, -sum(test in entry.tests for entry in entries), test


def _failed(tests: Iterable[str], folder: Path) -> Mapping[str, set[str]]:
    """File -> the first of its tests that fails; with an empty name where the file as a whole does.

    A test that comes to no end has failed.
    """
    options = ["-q", "-p", "no:cacheprovider", "--tb=no", "-rfE", "--no-header", "--exitfirst"]
    options += ["--timeout", str(_TIMEOUT)]
    done = subprocess.run(
        [sys.executable, "-m", "pytest", *options, *tests],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(folder), "PYTHONDONTWRITEBYTECODE": "1"},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    found: dict[str, set[str]] = {}
    for file, name in _FAILED.findall(done.stdout):
        found.setdefault(file, set()).add(name)
    if done.returncode not in (0, 1) and not found:  # not even a test could be loaded
        return {test.partition("::")[0]: {""} for test in tests}
    return found


def _is_in(test: str, failed: Mapping[str, set[str]]) -> bool:
    file, _, name = test.partition("::")
    return bool({name, ""} & failed.get(file, set()))
