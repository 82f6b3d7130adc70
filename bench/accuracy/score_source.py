"""Scanning code with planted mistakes against the unchanged contract."""

from __future__ import annotations

import os
import shutil
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

from bench.accuracy.contract_text import load
from bench.accuracy.mutate_source import source_mutants
from bench.accuracy.rescan import rescanning, said_by
from bench.accuracy.run import Pair
from bench.accuracy.score import Score, judged_mutant, tallies
from contract_scan import api
from contract_scan.ir.violation import RULE_IDS


def score_source(pair: Pair, count: int, seed: int) -> Score | None:
    """Change a copy of the code in one place after the other and scan it against the contract.
    None for contracts that do not speak of endpoints."""
    document = load(pair.contract)
    if not isinstance(document, dict) or "paths" not in document or not pair.source.is_dir():
        return None
    started = time.process_time()
    judged = []
    with _copied(pair) as source:
        with api.open_code(source, cache=False) as code:
            baseline = said_by(code.compare([pair.contract], RULE_IDS)[0])
            routes, resolver = code.code.operations_with_answers, code.code
            changes = list(
                source_mutants(document, routes, resolver, partial(_lines, source), count, seed)
            )
        for change in changes:
            with _replaced(source / change.path, change.text), rescanning(source) as rescan:
                said = rescan(pair.contract)
            judged.append(judged_mutant(change.mutant, said, baseline, {}))
    return Score(tallies(judged), time.process_time() - started)


def _lines(source: Path, path: str) -> list[str]:
    file = source / path
    try:
        return file.read_text(encoding="utf-8").splitlines(keepends=True)
    except (OSError, UnicodeDecodeError):
        return []


@contextmanager
def _copied(pair: Pair) -> Iterator[Path]:
    """The source folder in a copy of its repository. Files are linked, never written to."""
    top = pair.repository or pair.source
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder) / "code"
        ignored = shutil.ignore_patterns(".git", "node_modules")
        shutil.copytree(top, copy, ignore=ignored, copy_function=_link, symlinks=True)
        yield copy / pair.source.relative_to(top)


def _link(one: str, other: str) -> str:
    try:
        os.link(one, other)
    except OSError:
        shutil.copy2(one, other)
    return other


@contextmanager
def _replaced(file: Path, text: str) -> Iterator[None]:
    """Another text in place of a file, for a while. The file itself may be linked elsewhere, so it
    is put aside rather than written to."""
    aside = file.with_name(file.name + ".aside")
    file.rename(aside)
    try:
        file.write_text(text, encoding="utf-8")
        yield
    finally:
        file.unlink()
        aside.rename(file)
