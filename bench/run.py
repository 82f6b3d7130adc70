"""`python -m bench.run DIR…`: what a scan costs, measured by what it cannot cost less than.

| | command | measured by | goal |
|---|---|---|---|
| B1 | cold: no cache, one process | list, read, and parse the files that the scan parses | 1.30 |
| | the same | list, read, and parse every file | 0.50 |
| B2 | warm: nothing changed | a bare Python that asks for the state of every file | 3.0 |
| B3 | hook: three changed files, by name | a bare Python | 4.0 |
| B4 | hook: three staged files | a bare Python | 4.0 |

The files of B3 and B4 are edited as people edit: each gets a comment above a declaration, every
time another one.

Both commands of a pair run in turn; the figure is the median of the pairs' ratios of user and
system time. The folders are copied, never written to.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from bench.edits import Edits, commit, place_of_comment
from bench.measure import Command, Ratio, python, ratio
from bench.prepare import COMMAND, Subject, installed, prepare
from contract_scan.cache import VARIABLE

YARDSTICK = Path(__file__).parent / "yardstick.py"
CHANGED = 3


def main() -> int:
    """Measure every folder and print one table."""
    parser = argparse.ArgumentParser(prog="python -m bench.run")
    parser.add_argument("folders", nargs="+", type=Path, metavar="DIR")
    parser.add_argument("--pairs", type=int, default=7, help="runs of each command [7]")
    options = parser.parse_args()
    print("| folder | measure | ratio | goal | scan, CPU s | yardstick, CPU s |")
    print("|---|---|--:|--:|--:|--:|")
    notes: list[str] = []
    for folder in options.folders:
        with tempfile.TemporaryDirectory() as work:
            os.environ[VARIABLE] = str(Path(work) / "cache")
            subject = prepare(folder.resolve(), Path(work))
            notes.append(_note(folder.name, subject))
            for name, goal, figures in _measures(subject, Path(work), options.pairs):
                print(
                    f"| {folder.name} | {name} | {figures.value:.2f} | {goal:.2f} "
                    f"| {figures.cost:.3f} | {figures.yardstick:.3f} |",
                    flush=True,
                )
    print()
    print("\n".join(notes))
    return 0


def _note(name: str, subject: Subject) -> str:
    read, parsed = subject.size(subject.read), subject.size(subject.parsed)
    return (
        f"- {name}: {len(subject.read)} source files, {read / 1e6:.1f} MB; parsed "
        f"{len(subject.parsed)} ({_percent(len(subject.parsed), len(subject.read))}), "
        f"{parsed / 1e6:.1f} MB ({_percent(parsed, read)})"
    )


def _percent(part: int, whole: int) -> str:
    return f"{100 * part / whole:.0f} %" if whole else "–"


def _measures(subject: Subject, work: Path, pairs: int) -> Iterator[tuple[str, float, Ratio]]:
    site = installed(work / "site")
    check = _check(site, subject)
    cold = Command([*check, "--no-cache"], subject.root, package=site)
    kept = _files(work / "kept.json", subject, subject.parsed)
    yield "B1 cold / parse the same", 1.30, ratio(cold, _yardstick("parse", kept), pairs)
    every = _files(work / "every.json", subject, subject.read)
    yield "B1 cold / parse all", 0.50, ratio(cold, _yardstick("parse", every), pairs)
    warm = Command(check, subject.root, package=site)
    yield "B2 warm / stat", 3.0, ratio(warm, _yardstick("stat", kept), pairs)
    bare = Command(python("-c", "pass"), subject.root, package=site)
    changed = _silent(check, site, subject)
    commit(subject.root)
    for name, paths, options in (("B3 hook", changed, ()), ("B4 staged", (".",), ("--staged",))):
        edits = Edits(subject.root, changed, staged=bool(options))
        words = [*_check(site, subject, paths), *options]
        hook = Command(words, subject.root, edits.make, site)
        yield f"{name} / bare Python", 4.0, ratio(hook, bare, pairs)


def _check(site: Path, subject: Subject, paths: tuple[str, ...] = (".",)) -> list[str]:
    contracts = [word for path in subject.contracts for word in ("--contract", str(path))]
    options = ["--isolated", "--jobs", "1", "--output-format", "json", *contracts]
    return python(str(site / COMMAND), "check", *paths, *options)


def _files(file: Path, subject: Subject, parsed: tuple[str, ...]) -> Path:
    listed = {"root": str(subject.root), "read": subject.read, "parse": parsed}
    file.write_text(json.dumps(listed))
    return file


def _yardstick(what: str, files: Path) -> Command:
    return Command(python(str(YARDSTICK), what, str(files), isolated=True), files.parent)


def _silent(check: list[str], site: Path, subject: Subject) -> tuple[str, ...]:
    """Files that are parsed and can be edited, and of which nothing is told."""
    found_with = {**os.environ, "PYTHONPATH": str(site)}
    told = subprocess.run(
        check, cwd=subject.root, env=found_with, capture_output=True, check=False
    ).stdout.decode()
    silent = [path for path in subject.parsed if Path(path).name not in told]
    found = [path for path in silent if place_of_comment(subject.root / path) is not None]
    return tuple(found[:: max(1, len(found) // CHANGED)][:CHANGED])


if __name__ == "__main__":
    sys.exit(main())
