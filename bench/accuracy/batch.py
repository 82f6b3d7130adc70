"""`python -m bench.accuracy.batch`: repositories that were never scanned, judged by a person.

    python -m bench.accuracy.batch scan BATCH CLONES SHEETS    scan and draw what is to be read
    python -m bench.accuracy.batch count BATCH SHEETS          take over the verdicts
    python -m bench.accuracy.batch count BATCH SHEETS --rescan COMMIT
                                                               as those of a later scanner
    python -m bench.accuracy.batch page                        write docs/accuracy.md

BATCH is a file of `bench/accuracy/batches/`, CLONES holds each repository in a folder `owner+name`,
and SHEETS gets one JSON file for each, in which `verdict` and `cause` are to be filled in. A sheet
that is there already keeps its verdicts where the finding is the same. docs/accuracy.md has the
procedure.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from bench.accuracy.precision import overview, tables
from bench.accuracy.run import promises, subject
from bench.accuracy.sheet import CAP, SEED, SheetError, causes, counted, drawn, rows

FOLDER = Path(__file__).parent / "batches"
PAGE = Path(__file__).parents[2] / "docs" / "accuracy.md"
MOST = 5
"""Reasons to keep of one repository."""
_QUOTED = re.compile(r"`[^`]*`")
BEGIN = "<!-- batches: python -m bench.accuracy.batch page -->"
END = "<!-- end of batches -->"


class BatchError(Exception):
    """A repository or a sheet is not there, or a scan failed."""


class Scanned(NamedTuple):
    """One scan of one repository."""

    report: dict[str, Any]
    seconds: float
    """On the clock."""
    mebibytes: int
    """Memory of the largest of its processes."""


def main() -> int:
    """Exit status 1: something is not as it should be, named on standard error."""
    options = _options()
    try:
        if options.command == "scan":
            _scan_all(options)
        elif options.command == "count":
            _count_all(options)
        else:
            _write_page()
    except (BatchError, SheetError, OSError) as error:
        print(error, file=sys.stderr)
        return 1
    return 0


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m bench.accuracy.batch", description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    scan = commands.add_parser("scan")
    count = commands.add_parser("count")
    commands.add_parser("page")
    for each in (scan, count):
        each.add_argument("batch", type=Path, metavar="BATCH")
    scan.add_argument("clones", type=Path, metavar="CLONES")
    for each in (scan, count):
        each.add_argument("sheets", type=Path, metavar="SHEETS")
        each.add_argument("--only", nargs="*", default=[], metavar="OWNER/NAME")
    count.add_argument("--rescan", metavar="COMMIT", help="of the scanner; the first figures stay")
    return parser.parse_args()


def read_batch(file: Path) -> dict[str, Any]:
    """What a batch holds."""
    batch: dict[str, Any] = json.loads(file.read_text())
    return batch


def _chosen(batch: dict[str, Any], only: list[str]) -> Iterator[dict[str, Any]]:
    yield from (each for each in batch["repositories"] if not only or each["repository"] in only)


def _sheet_file(sheets: Path, repository: str) -> Path:
    return sheets / f"{repository.replace('/', '+')}.json"


def _scan_all(options: argparse.Namespace) -> None:
    batch = read_batch(options.batch)
    seed, cap = batch.get("seed", SEED), batch.get("cap", CAP)
    options.sheets.mkdir(parents=True, exist_ok=True)
    for each in _chosen(batch, options.only):
        made = scanned(each, options.clones)
        findings = made.report["findings"] or []
        file = _sheet_file(options.sheets, each["repository"])
        before = json.loads(file.read_text())["drawn"] if file.is_file() else []
        sheet = {
            "repository": each["repository"],
            "seconds": round(made.seconds, 1),
            "mebibytes": made.mebibytes,
            "promises": promises(made.report["summary"]),
            "findings": severities(findings),
            "reasons": reasons(made.report["undetermined"] or []),
            "drawn": rows(drawn(findings, seed, cap), before),
        }
        file.write_text(json.dumps(sheet, indent=1) + "\n")
        print(f"{each['repository']}: {len(findings)} findings, {len(sheet['drawn'])} drawn")


def scanned(each: dict[str, Any], clones: Path) -> Scanned:
    """Scan one repository of a batch as a stranger would, but for a contract that the batch names
    because none is found.

    Raises BatchError where it is not there or the scan crashes.
    """
    folder = clones / each["repository"].replace("/", "+")
    if not folder.is_dir():
        raise BatchError(f"{folder}: is not there; {each['repository']} has to lie in it")
    named = [f"--contract={folder / each['contract']}"] if "contract" in each else []
    with tempfile.TemporaryDirectory() as scratch:
        report = Path(scratch) / "report.json"
        words = [sys.executable, "-m", "contract_scan", "check", str(folder), "--isolated"]
        words += ["--no-cache", f"--output-format=json={report}", *named]
        silence = [(os.POSIX_SPAWN_OPEN, n, os.devnull, os.O_RDWR, 0) for n in (0, 1, 2)]
        began = time.monotonic()
        process = os.posix_spawn(sys.executable, words, os.environ, file_actions=silence)
        _, status, used = os.wait4(process, 0)
        took = time.monotonic() - began
        if os.waitstatus_to_exitcode(status) not in (0, 1, 2) or not report.is_file():
            raise BatchError(f"{each['repository']}: the scan wrote no report")
        return Scanned(json.loads(report.read_text()), took, used.ru_maxrss // 1024)


def severities(findings: list[dict[str, Any]]) -> dict[str, int]:
    """How many findings are errors, how many warnings."""
    return {
        severity: sum(found["severity"] == severity for found in findings)
        for severity in ("error", "warning")
    }


def reasons(undetermined: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The reasons that keep most operations, channels and models undetermined, names left out."""
    kept: dict[str, set[str]] = defaultdict(set)
    for entry in undetermined:
        kept[_QUOTED.sub("`…`", entry["reason"])].add(subject(entry))
    ordered = sorted(kept.items(), key=lambda item: (-len(item[1]), item[0]))
    return [{"reason": reason, "promises": len(names)} for reason, names in ordered[:MOST]]


def _count_all(options: argparse.Namespace) -> None:
    batch = read_batch(options.batch)
    judged = [
        {**_bare(each), **_judged(_sheet_file(options.sheets, each["repository"]))}
        for each in _chosen(batch, options.only)
    ]
    if options.rescan:
        rescans = [each for each in batch.get("rescans", []) if each["scanner"] != options.rescan]
        batch["rescans"] = [*rescans, {"scanner": options.rescan, "repositories": judged}]
    else:
        known = {each["repository"]: each for each in judged}
        batch["repositories"] = [
            known.get(each["repository"], each) for each in batch["repositories"]
        ]
    options.batch.write_text(json.dumps(batch, indent=1, ensure_ascii=False) + "\n")


def _bare(each: dict[str, Any]) -> dict[str, Any]:
    """A repository of a batch without what a scan gave."""
    words = ("repository", "commit", "language", "framework", "contract")
    return {word: each[word] for word in words if word in each}


def _judged(file: Path) -> dict[str, Any]:
    """The figures of a sheet that is filled in."""
    if not file.is_file():
        raise BatchError(f"{file}: is not there; `scan` writes it")
    sheet = json.loads(file.read_text())
    try:
        verdicts = counted(sheet["drawn"])
    except SheetError as error:
        raise SheetError(f"{file.name}: {error}") from None
    words = ("seconds", "mebibytes", "promises", "findings", "reasons")
    figures = {word: sheet[word] for word in words if word in sheet}
    return {**figures, "verdicts": verdicts, "causes": causes(sheet["drawn"])}


def _write_page() -> None:
    batches = [
        read_batch(file) for file in sorted(FOLDER.glob("*.json"), key=lambda file: int(file.stem))
    ]
    each = (line for batch in batches for line in tables(batch))
    text = "\n".join([*overview(batches), "", *each])
    head, begin, rest = PAGE.read_text().partition(BEGIN)
    _, end, tail = rest.partition(END)
    if not begin or not end:
        raise BatchError(f"{PAGE}: lacks the lines {BEGIN} and {END}")
    PAGE.write_text(f"{head}{BEGIN}\n\n{text}\n\n{END}{tail}")


if __name__ == "__main__":
    sys.exit(main())
