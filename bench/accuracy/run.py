"""One scan of one pair through the command line, as a value."""

from __future__ import annotations

import json
import os
import re
import resource
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

PAIRS = Path(__file__).parent / "pairs.json"
"""The pairs that docs/accuracy.md is about."""
NEEDED = frozenset({"name", "repository", "source", "contract"})
_PARAMETER = re.compile(r"\{[^{}]*\}")


class Pair(NamedTuple):
    """A contract and the code that implements it, pinned."""

    name: str
    language: str
    framework: str
    source: Path
    contract: Path
    repository: Path | None = None
    """The folder of the repository that the source lies in."""


class Found(NamedTuple):
    """A finding as it is compared: never by message or line."""

    rule: str
    kind: str
    subject: str
    field: str


class Said(NamedTuple):
    """What one scan said of the promises."""

    findings: tuple[Found, ...]
    undetermined: frozenset[str]
    """Subjects of which something is undetermined."""
    absent: frozenset[str] = frozenset()
    """Those of them that the code does not have: shared models for which no type stands."""


class Scan(NamedTuple):
    """One scan as a process."""

    status: int
    seconds: float
    """User and system time of the process."""
    summary: dict[str, Any]
    said: Said
    findings: tuple[dict[str, Any], ...] = ()
    """The findings as the command gives them, with both places."""
    undetermined: tuple[dict[str, Any], ...] = ()
    """What is undetermined, with the reasons."""


class ScanError(Exception):
    """The command gave no report."""


class PairsError(Exception):
    """A list of pairs cannot be read; the text is one line that names the file."""


def pinned(listed_in: Path = PAIRS) -> list[dict[str, str]]:
    """The list of pairs as it is written. Where only code and contract are named (`name`,
    `repository`, `source`, `contract`), the contract lies in the same repository.

    Raises PairsError where the file is no such list.
    """
    try:
        listed = json.loads(listed_in.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise PairsError(f"{listed_in}: cannot be read: {error}") from error
    if not isinstance(listed, list):
        raise PairsError(f"{listed_in}: has to be a list of pairs, as bench/accuracy/pairs.json is")
    complete = []
    for number, item in enumerate(listed):
        lacking = sorted(NEEDED - set(item)) if isinstance(item, dict) else sorted(NEEDED)
        if lacking:
            raise PairsError(f"{listed_in}: pair {number} lacks {', '.join(lacking)}")
        of_one_place = {"contract_repository": item["repository"], "language": "", "framework": ""}
        complete.append({**of_one_place, **item})
    return complete


def pairs(corpora: Path, listed_in: Path = PAIRS) -> list[Pair]:
    """The pairs of a list that lie below a folder, as `owner+name` each."""
    found = [
        Pair(
            item["name"],
            item["language"],
            item["framework"],
            _folder(corpora, item["repository"]) / item["source"],
            _folder(corpora, item["contract_repository"]) / item["contract"],
            _folder(corpora, item["repository"]),
        )
        for item in pinned(listed_in)
    ]
    return [pair for pair in found if pair.source.exists() and pair.contract.exists()]


def missing(corpora: Path, names: Sequence[str] = (), listed_in: Path = PAIRS) -> list[str]:
    """The repositories of the pairs (all, or those of these names) that do not lie there."""
    wanted = [
        item[word]
        for item in pinned(listed_in)
        if not names or item["name"] in names
        for word in ("repository", "contract_repository")
    ]
    return [name for name in dict.fromkeys(wanted) if not _folder(corpora, name).is_dir()]


def _folder(corpora: Path, repository: str) -> Path:
    return corpora / repository.replace("/", "+")


def subject(item: dict[str, Any]) -> str:
    """What a finding is about. Parameters of paths count by position, not by name."""
    operation = item.get("operation")
    if operation:
        return plain_subject(f"{operation['method']} {operation['path']}")
    return item.get("channel") or item.get("model") or ""


def promises(summary: dict[str, Any]) -> dict[str, dict[str, int]]:
    """What became of operations, channels and models, where there are any."""
    words = ("verified", "partly", "violated", "missing", "undetermined")
    sorts = {
        "operations": {"total": summary["operations"], **{word: summary[word] for word in words}},
        "channels": summary["channels"],
        "models": summary["models"],
    }
    return {sort: counts for sort, counts in sorts.items() if counts["total"]}


def plain_subject(text: str) -> str:
    """`GET /orders/{id}` -> `GET /orders/{}`."""
    return _PARAMETER.sub("{}", text)


def scan(source: Path, contract: Path) -> Scan:
    """Scan a folder against one contract, without cache, in one process.

    Raises ScanError where the command gives no JSON.
    """
    root = source if source.is_dir() else source.parent
    command = [
        sys.executable, "-m", "contract_scan", "check", str(source), "--contract", str(contract),
        "--isolated", "--no-cache", "--jobs", "1", "--output-format", "json",
    ]  # fmt: skip
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])}
    before = _children_seconds()
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        status = subprocess.run(
            command, stdout=out, stderr=err, cwd=root, env=environment, check=False
        ).returncode
        out.seek(0)
        err.seek(0)
        text, said = out.read(), err.read().decode(errors="replace")
    seconds = _children_seconds() - before
    try:
        report = json.loads(text)
    except ValueError:
        raise ScanError(f"exit status {status}: {said.strip()[-500:]}") from None
    return Scan(
        status,
        seconds,
        report["summary"],
        Said(
            tuple(
                Found(item["rule"], item["kind"], subject(item), item["field"])
                for item in report["findings"]
            ),
            frozenset(map(subject, report["undetermined"])),
            frozenset(subject(item) for item in report["undetermined"] if item["absent"]),
        ),
        tuple(report["findings"]),
        tuple(report["undetermined"]),
    )


def _children_seconds() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime
