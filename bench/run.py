"""`python -m bench.run DIR…`: what a scan costs, measured by what it cannot cost less than.

| | command | measured by | goal |
|---|---|---|---|
| B1 | cold: no cache, one process | list, read, and parse the files that the scan parses | 1.30 |
| B1b | the same | list, read, and parse every file | 0.50 |
| B2 | warm: nothing changed | a bare Python that asks for the state of every file | 1.0 |
| B3 | hook: three changed files, by name | a bare Python | 4.0 |
| B4 | hook: three staged files | a bare Python | 4.0 |
| B5 | `extract`: no cache, one process | ast-grep that looks for routes and DTO classes | 0.5 |
| | the same | semgrep that does | 0.1 |
| B6 | the clock of a cold scan with two processes | with one | 0.65 |
| B7 | the contract of a document of 10 MB | its loader alone; ms from the cache | 1.2, 20 |
| B8 | a statement was put into one handler | the cold scan | 0.05 |

B9, growth, is `python -m bench.growth`. The files of B3 and B4 are edited as people edit: each gets
a comment above a declaration, every time another one. What is not installed or too small to be
measured has a row that says so.

Both commands of a pair run in turn; the figure is the median of the pairs' ratios of user and
system time. The folders are copied, never written to.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from bench.edits import Edits, HandlerEdits, commit, place_of_comment
from bench.large_contract import write_documents
from bench.measure import Command, Ratio, python, ratio, usage
from bench.peers import peers
from bench.prepare import COMMAND, Subject, installed, prepare
from contract_scan.cache import VARIABLE

YARDSTICK = Path(__file__).parent / "yardstick.py"
CHANGED = 3
ENOUGH_FOR_TWO = 20_000_000
"""Bytes to parse from which two processes are measured."""


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
            for row in _measures(subject, Path(work), options.pairs):
                print(f"| {folder.name} | {row}", flush=True)
    with tempfile.TemporaryDirectory() as work:
        for row in _large_contracts(Path(work), options.pairs):
            print(f"| 10 MB | {row}", flush=True)
    print()
    print("\n".join(notes))
    return 0


def _note(name: str, subject: Subject) -> str:
    read, parsed = subject.size(subject.read), subject.size(subject.parsed)
    return (
        f"- {name}: {len(subject.read)} source files, {read / 1e6:.1f} MB; parsed "
        f"{len(subject.parsed)} ({_percent(len(subject.parsed), len(subject.read))}), "
        f"{parsed / 1e6:.1f} MB ({_percent(parsed, read)}); with the filter off "
        f"{'the same is found' if subject.same_unfiltered else 'SOMETHING ELSE IS FOUND'}"
    )


def _row(name: str, goal: float, figures: Ratio) -> str:
    return (
        f"{name} | {figures.value:.2f} | {goal:.2f} | {figures.cost:.3f} "
        f"| {figures.yardstick:.3f} |"
    )


def _percent(part: int, whole: int) -> str:
    return f"{100 * part / whole:.0f} %" if whole else "–"


def _measures(subject: Subject, work: Path, pairs: int) -> Iterator[str]:
    site = installed(work / "site")
    check = _check(site, subject)
    cold = Command([*check, "--no-cache"], subject.root, package=site)
    kept = _files(work / "kept.json", subject, subject.parsed)
    yield _row("B1 cold / parse the same", 1.30, ratio(cold, _yardstick("parse", kept), pairs))
    every = _files(work / "every.json", subject, subject.read)
    yield _row("B1b cold / parse all", 0.50, ratio(cold, _yardstick("parse", every), pairs))
    warm = Command(check, subject.root, package=site)
    yield _row("B2 warm / stat", 1.0, ratio(warm, _yardstick("stat", kept), pairs))
    yield from _extracted(subject, site, work, pairs)
    size = subject.size(subject.parsed)
    if size < ENOUGH_FOR_TWO:
        yield f"B6 two processes / one | {size / 1e6:.1f} MB to parse are too little | 0.65 | | |"
    else:
        words = [*_check(site, subject, jobs=2), "--no-cache"]
        two = Command(words, subject.root, package=site)
        yield _row("B6 two processes / one", 0.65, ratio(two, cold, pairs, clock=True))
    bare = Command(python("-c", "pass"), subject.root, package=site)
    changed = _silent(check, site, subject)
    commit(subject.root)
    for name, paths, options in (("B3 hook", changed, ()), ("B4 staged", (".",), ("--staged",))):
        edits = Edits(subject.root, changed, staged=bool(options))
        words = [*_check(site, subject, paths), *options]
        hook = Command(words, subject.root, edits.make, site)
        yield _row(f"{name} / bare Python", 4.0, ratio(hook, bare, pairs))
    found = (HandlerEdits(subject.root, *place) for place in subject.handlers)
    handler = next((each for each in found if each.place is not None), None)
    if handler is None:
        yield "B8 one handler / cold | no handler is found | 0.05 | | |"
    else:
        again = Command(check, subject.root, handler.make, site)
        yield _row("B8 one handler / cold", 0.05, ratio(again, cold, pairs))


def _extracted(subject: Subject, site: Path, work: Path, pairs: int) -> Iterator[str]:
    """B5, with the most memory that was taken."""
    words = python(str(site / COMMAND), "extract", ".", "--isolated", "--no-cache", "--jobs", "1")
    extract = Command([*words, "--format", "json"], subject.root, package=site)
    for name, goal, command in peers(subject.root, work):
        if command is None:
            yield f"B5 extract / {name} | {name} is not installed | {goal:.2f} | | |"
        else:
            yield _row(f"B5 extract / {name}", goal, ratio(extract, command, pairs))
    yield f"B5 extract, peak memory in MB | {usage(extract).peak / 1e6:.0f} | 150 | | |"


def _large_contracts(work: Path, pairs: int) -> Iterator[str]:
    for file in write_documents(work / "large"):
        kind = file.suffix.removeprefix(".").upper()
        words = ("-m", "bench.large_contract")
        read, load = (Command(python(*words, do, str(file)), work) for do in ("read", "load"))
        yield _row(f"B7 {kind} contract / loader", 1.20, ratio(read, load, pairs))
        again = python(*words, "warm", str(file), str(work / "cache"))
        place = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[1])}
        runs = [
            float(subprocess.run(again, env=place, capture_output=True, check=True).stdout)
            for _ in range(pairs + 1)
        ]
        taken = statistics.median(runs[1:])
        yield f"B7 {kind} contract from the cache, ms | {taken:.0f} | 20 | | |"


def _check(
    site: Path, subject: Subject, paths: tuple[str, ...] = (".",), jobs: int = 1
) -> list[str]:
    contracts = [word for path in subject.contracts for word in ("--contract", str(path))]
    options = ["--isolated", "--jobs", str(jobs), "--output-format", "json", *contracts]
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
