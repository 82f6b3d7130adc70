"""Old debt, written down: findings that a project knows of and does not want to be told again.

A baseline names findings by fingerprints, which stay while code moves. Equal findings of one place
share an entry that says how many there are: one more of them is new.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from pathlib import Path

import msgspec
from msgspec import Struct

from contract_scan.errors import ConfigurationError
from contract_scan.ir.document import Problem
from contract_scan.ir.origin import Origin, Span
from contract_scan.ir.violation import Finding
from contract_scan.scanners.fingerprint import with_fingerprints
from contract_scan.scanners.report import Report

NAME = "contract-scan-baseline.json"
VERSION = 1
LARGEST = 100_000_000
"""Bytes."""
RULE = "CONTRACT-000"
"""The rule that speaks of stale entries."""


class Entry(Struct, frozen=True, kw_only=True):
    """Findings with one fingerprint. Path and message are for people."""

    fingerprint: str
    rule: str
    path: str
    message: str
    count: int = 1


class Baseline(Struct, frozen=True, kw_only=True):
    """The findings that are known."""

    version: int = VERSION
    tool_version: str = ""
    findings: tuple[Entry, ...] = ()


class BaselineFile(Struct, frozen=True):
    """A baseline as it was read."""

    baseline: Baseline
    text: str


class _Versioned(Struct):
    version: int


def baseline_of(findings: Iterable[Finding], tool_version: str) -> Baseline:
    """The baseline that knows these findings, and no exception of it that is stale."""
    counts: Counter[str] = Counter()
    first: dict[str, Finding] = {}
    for finding in findings:
        if finding.kind == "stale-baseline":
            continue
        name = _shared(finding.fingerprint)
        counts[name] += 1
        first.setdefault(name, finding)
    entries = [
        Entry(
            fingerprint=name,
            rule=finding.rule,
            path=finding.origin.path,
            message=finding.message,
            count=counts[name],
        )
        for name, finding in first.items()
    ]
    return _sorted(entries, tool_version)


def updated(
    baseline: Baseline, report: Report, select: Collection[str], tool_version: str
) -> Baseline:
    """The baseline that knows everything a scan found, and what it could not look for."""
    fresh = baseline_of(report.findings, tool_version).findings
    names = {entry.fingerprint for entry in fresh}
    kept = [
        entry
        for entry in baseline.findings
        if entry.fingerprint not in names and not _could_be_found(entry, report.problems, select)
    ]
    return _sorted([*fresh, *kept], tool_version)


def pruned(
    baseline: Baseline, report: Report, select: Collection[str], tool_version: str
) -> Baseline:
    """The baseline without what is not found any more, and with nothing new."""
    found = Counter(_shared(finding.fingerprint) for finding in report.findings)
    kept: list[Entry] = []
    for entry in baseline.findings:
        count = min(entry.count, found[entry.fingerprint])
        if not _could_be_found(entry, report.problems, select):
            kept.append(entry)
        elif count:
            kept.append(msgspec.structs.replace(entry, count=count))
    return _sorted(kept, tool_version)


def render(baseline: Baseline) -> str:
    """A baseline as it is written: one finding a line, so that changes of it read well."""
    head = json.dumps({"version": baseline.version, "tool_version": baseline.tool_version})
    lines = ",\n".join(f"  {json.dumps(msgspec.to_builtins(e))}" for e in baseline.findings)
    findings = f"[\n{lines}\n ]" if lines else "[]"
    version, tool_version = head[1:-1].split(", ", 1)
    return f'{{\n {version},\n {tool_version},\n "findings": {findings}\n}}\n'


def read_baseline(file: Path) -> BaselineFile:
    """A baseline, and the text that it was read from.

    Raises ConfigurationError for a file that cannot be read, is no baseline, or was written by a
    later version.
    """
    text = _text(file)
    try:
        version = msgspec.json.decode(text, type=_Versioned).version
        if version > VERSION:
            raise ConfigurationError(
                f"is a baseline of version {version}, written by a later contract-scan; this one "
                f"reads version {VERSION}: upgrade it, or write the baseline anew",
                str(file),
            )
        return BaselineFile(_merged(msgspec.json.decode(text, type=Baseline)), text)
    except (msgspec.DecodeError, RecursionError) as error:
        said = str(error).replace("\n", " ") or "nested too deeply"
        raise ConfigurationError(f"is not a baseline: {said}", str(file)) from None


def without_known(
    report: Report, baseline: Baseline, select: Collection[str], path: str, text: str
) -> Report:
    """The report without what the baseline knows, and with a finding for every stale entry.

    `path` is where the baseline stands, relative to the root; `text` what it says. An entry is
    called stale only where it could have been found: its rule ran, its file was read whole, and
    every contract was read.
    """
    left = Counter({entry.fingerprint: entry.count for entry in baseline.findings})
    kept: list[Finding] = []
    for finding in report.findings:
        name = _shared(finding.fingerprint)
        if left[name] > 0:
            left[name] -= 1
        else:
            kept.append(finding)
    known = len(report.findings) - len(kept)
    if RULE in select:
        stale = [
            entry
            for entry in baseline.findings
            if left[entry.fingerprint] and _could_be_found(entry, report.problems, select)
        ]
        kept += _stale(stale, left, path, text)
    return msgspec.structs.replace(report, findings=tuple(kept), known=report.known + known)


def _stale(
    entries: Sequence[Entry], left: Counter[str], path: str, text: str
) -> tuple[Finding, ...]:
    lines = _lines(text) if entries else {}
    return with_fingerprints(
        Finding(
            rule=RULE,
            kind="stale-baseline",
            severity="warning",
            message=_said(entry, left[entry.fingerprint]),
            origin=Origin(path, lines.get(entry.fingerprint, Span(1, 1, 1, 2))),
            help="tidy it with `contract-scan baseline prune`",
        )
        for entry in entries
    )


def _could_be_found(entry: Entry, problems: Sequence[Problem], select: Collection[str]) -> bool:
    """Whether a scan would have found what an entry says, if it were there."""
    return entry.rule in select and not any(
        problem.fatal or problem.path == entry.path for problem in problems
    )


def _said(entry: Entry, left: int) -> str:
    where = f"{entry.rule} in {entry.path}"
    if left == entry.count:
        return f"the baseline knows of what is not found any more: {where}"
    return f"the baseline knows of {entry.count}, but {entry.count - left} are found: {where}"


def _lines(text: str) -> dict[str, Span]:
    """Where the entry of each fingerprint stands."""
    found: dict[str, Span] = {}
    for number, line in enumerate(text.split("\n"), start=1):
        _, mark, rest = line.partition('"fingerprint":')
        if mark:
            start = len(line) - len(line.lstrip()) + 1
            name = rest.strip().strip('"').partition('"')[0]
            found.setdefault(name, Span(number, start, number, len(line.rstrip("\r,")) + 1))
    return found


def _shared(fingerprint: str) -> str:
    """The fingerprint without the number that tells equal findings apart."""
    return ":".join(fingerprint.split(":")[:2])


def _sorted(entries: Iterable[Entry], tool_version: str) -> Baseline:
    ordered = sorted(entries, key=lambda entry: (entry.path, entry.rule, entry.fingerprint))
    return Baseline(tool_version=tool_version, findings=tuple(ordered))


def _merged(baseline: Baseline) -> Baseline:
    """One entry for each fingerprint: joining two branches may have left several."""
    entries: dict[str, Entry] = {}
    for entry in baseline.findings:
        other = entries.get(entry.fingerprint)
        if other is None or other.count < entry.count:
            entries[entry.fingerprint] = entry
    return msgspec.structs.replace(baseline, findings=tuple(entries.values()))


def _text(file: Path) -> str:
    try:
        with file.open("rb") as opened:
            content = opened.read(LARGEST + 1)
    except FileNotFoundError:
        raise ConfigurationError(
            "there is no such baseline; make it with `contract-scan baseline create`", str(file)
        ) from None
    except OSError as error:
        reason = error.strerror or "the file cannot be opened"
        raise ConfigurationError(f"cannot be read: {reason}", str(file)) from None
    if len(content) > LARGEST:
        raise ConfigurationError("is larger than 100 MB: not a baseline", str(file))
    return content.decode("utf-8-sig", "replace")
