"""Old debt, written down: findings that a project knows of and does not want to be told again.

An entry names what is wrong between one type (or function) of the code and one component of the
contract by the fingerprint that all problems of it share (`scanners/problems.py`), and lists its
members: which field drifts in which way. It stays valid while code moves and while operations come
and go; one more field is new. Entries of version 1 name findings, with how many are equal: they
are read as before, and `baseline update` writes them anew.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from pathlib import Path

import msgspec
from msgspec import Struct

from contract_scan.errors import ConfigurationError
from contract_scan.ir.document import NotAnalysed
from contract_scan.ir.origin import Origin, Span
from contract_scan.ir.violation import Finding
from contract_scan.regular_file import read_regular
from contract_scan.scanners.fingerprint import with_fingerprints
from contract_scan.scanners.problems import cause_if_moved, cause_of, member_of, problems_of
from contract_scan.scanners.report import Report

VERSION = 2
LARGEST = 100_000_000
"""Bytes."""
RULE = "CONTRACT-000"
"""The rule that speaks of stale entries."""


class Entry(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Problems of one cause. Path and message are for people."""

    fingerprint: str
    rule: str
    path: str
    message: str
    contract: str = ""
    """Path of the contract, where the problem is between a type and a component of it."""
    count: int = 1
    """Version 1: how many findings share the fingerprint."""
    members: tuple[str, ...] = ()
    """`missing-field price`, `GET /orders`; one empty text where a problem is about one thing
    alone. None in version 1."""


class Baseline(Struct, frozen=True, kw_only=True):
    """The findings that are known."""

    version: int = VERSION
    tool_version: str = ""
    findings: tuple[Entry, ...] = ()


class BaselineFile(Struct, frozen=True):
    """A baseline as it was read."""

    baseline: Baseline
    text: str


class _VersionHeader(Struct):
    version: int


def baseline_of(findings: Iterable[Finding], tool_version: str) -> Baseline:
    """The baseline that knows these findings, and no exception of it that is stale."""
    entries: dict[str, Entry] = {}
    for problem in problems_of(one for one in findings if one.kind != "stale-baseline"):
        name = cause_of(problem.fingerprint)
        first = problem.places[0]
        entry = Entry(
            fingerprint=name,
            rule=problem.rule,
            path=first.origin.path,
            message=problem.title,
            contract=first.objects.contract.path if first.objects is not None else "",
            members=tuple({member_of(place) for place in problem.places}),
        )
        entries[name] = _union_of_entries(entries[name], entry) if name in entries else entry
    return _sorted_baseline(entries.values(), tool_version)


def updated_baseline(
    baseline: Baseline, report: Report, select: Collection[str], tool_version: str
) -> Baseline:
    """The baseline that knows everything a scan found, and what it could not look for."""
    fresh = baseline_of(report.findings, tool_version).findings
    names = {entry.fingerprint for entry in fresh}
    remaining = [
        entry
        for entry in baseline.findings
        if entry.fingerprint not in names
        and not _could_be_found(entry, report.not_analysed, select)
    ]
    return _sorted_baseline([*fresh, *remaining], tool_version)


def pruned_baseline(
    baseline: Baseline,
    report: Report,
    select: Collection[str],
    tool_version: str,
    *,
    is_file: Callable[[str], bool] = lambda _: True,
) -> Baseline:
    """The baseline without what is not found any more, and with nothing new. Entries of a file that
    was moved, as `is_file` tells, are those of its new place from then on."""
    baseline = _at_new_places(baseline, report.findings, is_file)
    left = _UnmatchedEntries(baseline)
    for finding in report.findings:
        left.takes(finding)
    remaining: list[Entry] = []
    for entry in baseline.findings:
        if not _could_be_found(entry, report.not_analysed, select):
            remaining.append(entry)
        elif entry.members:
            members = tuple(one for one in entry.members if one not in left.unused_members(entry))
            if members:
                remaining.append(msgspec.structs.replace(entry, members=members))
        elif left.counts[entry.fingerprint] < entry.count:
            count = entry.count - left.counts[entry.fingerprint]
            remaining.append(msgspec.structs.replace(entry, count=count))
    return _sorted_baseline(remaining, tool_version)


def _moved_causes(
    findings: Iterable[Finding], baseline: Baseline, is_file: Callable[[str], bool]
) -> dict[str, str]:
    """The causes of findings in files that were moved -> those under which the baseline knows them.

    A file was moved where the one of an entry is gone and exactly one cause is the same but for the
    path: the type or function, the component of the contract and the rule.
    """
    files: dict[str, set[str]] = {}
    contracts: dict[str, set[str]] = {}
    for entry in baseline.findings:
        if entry.members:
            files.setdefault(entry.path, set()).add(entry.fingerprint)
            contracts.setdefault(entry.contract or entry.path, set()).add(entry.fingerprint)
    gone = {path: names for path, names in files.items() if not is_file(path)}
    gone_contracts = {path: names for path, names in contracts.items() if not is_file(path)}
    if not (gone or gone_contracts):
        return {}
    known = {entry.fingerprint for entry in baseline.findings}
    present = {cause_of(each.problem): each for each in findings}
    found: dict[str, set[str]] = {}
    for cause, finding in present.items():
        if cause in known:
            continue
        before = [(cause_if_moved(finding, code=path), names) for path, names in gone.items()]
        before += [
            (cause_if_moved(finding, contract=path), names)
            for path, names in gone_contracts.items()
        ]
        for old, names in before:
            if old in names and old not in present:
                found.setdefault(old, set()).add(cause)
    return {min(causes): old for old, causes in found.items() if len(causes) == 1}


def _at_new_places(
    baseline: Baseline, findings: Sequence[Finding], is_file: Callable[[str], bool]
) -> Baseline:
    """The baseline with the entries of moved files written as if they had been made now."""
    moved = {old: new for new, old in _moved_causes(findings, baseline, is_file).items()}
    if not moved:
        return baseline
    now = {entry.fingerprint: entry for entry in baseline_of(findings, "").findings}
    entries = tuple(
        msgspec.structs.replace(now[moved[entry.fingerprint]], members=entry.members)
        if entry.fingerprint in moved
        else entry
        for entry in baseline.findings
    )
    return msgspec.structs.replace(baseline, findings=entries)


class _UnmatchedEntries:
    """What of a baseline no finding has used up yet."""

    def __init__(self, baseline: Baseline, moved: Mapping[str, str] | None = None) -> None:
        """`moved`: causes of findings -> those under which the baseline knows them."""
        self._moved = moved or {}
        self.counts = Counter(
            {entry.fingerprint: entry.count for entry in baseline.findings if not entry.members}
        )
        self._members = {
            entry.fingerprint: frozenset(entry.members)
            for entry in baseline.findings
            if entry.members
        }
        self._used: dict[str, set[str]] = {}

    def takes(self, finding: Finding) -> bool:
        """Whether the baseline knows a finding."""
        cause, member = cause_of(finding.problem), member_of(finding)
        cause = self._moved.get(cause, cause)
        if member in self._members.get(cause, ()):
            self._used.setdefault(cause, set()).add(member)
            return True
        name = _without_number(finding.fingerprint)
        if self.counts[name] > 0:
            self.counts[name] -= 1
            return True
        return False

    def unused_members(self, entry: Entry) -> list[str]:
        """The members of an entry that no finding was about."""
        used = self._used.get(entry.fingerprint, set())
        return [member for member in entry.members if member not in used]

    def is_left(self, entry: Entry) -> bool:
        """Whether an entry knows more than is found."""
        if entry.members:
            return bool(self.unused_members(entry))
        return self.counts[entry.fingerprint] > 0


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
        version = msgspec.json.decode(text, type=_VersionHeader).version
        if version > VERSION:
            raise ConfigurationError(
                f"is a baseline of version {version}, written by a later contract-scan; this one "
                f"reads version {VERSION}: upgrade it, or write the baseline anew",
                str(file),
            )
        return BaselineFile(_one_entry_each(msgspec.json.decode(text, type=Baseline)), text)
    except (msgspec.DecodeError, RecursionError) as error:
        said = str(error).replace("\n", " ") or "nested too deeply"
        raise ConfigurationError(f"is not a baseline: {said}", str(file)) from None


def without_known(
    report: Report,
    baseline: Baseline,
    select: Collection[str],
    path: str,
    text: str,
    *,
    is_file: Callable[[str], bool] = lambda _: True,
) -> Report:
    """The report without what the baseline knows, and with a finding for every stale entry.

    `path` is where the baseline stands, relative to the root; `text` what it says; `is_file` tells
    of a path of an entry whether the file is still there: entries of one that was moved are known
    at its new place. An entry is called stale only where it could have been found: its rule ran,
    its file was read whole, and every contract was read.
    """
    left = _UnmatchedEntries(baseline, _moved_causes(report.findings, baseline, is_file))
    remaining: list[Finding] = []
    problems: set[str] = set()
    for finding in report.findings:
        if left.takes(finding):
            problems.add(finding.problem)
        else:
            remaining.append(finding)
    known = len(report.findings) - len(remaining)
    if RULE in select:
        stale = [
            entry
            for entry in baseline.findings
            if left.is_left(entry) and _could_be_found(entry, report.not_analysed, select)
        ]
        remaining += _stale(stale, left, path, text)
    return msgspec.structs.replace(
        report,
        findings=tuple(remaining),
        known=report.known + known,
        known_problems=report.known_problems + len(problems),
    )


def _stale(
    entries: Sequence[Entry], left: _UnmatchedEntries, path: str, text: str
) -> tuple[Finding, ...]:
    lines = _lines(text) if entries else {}
    return with_fingerprints(
        Finding(
            rule=RULE,
            kind="stale-baseline",
            severity="warning",
            message=_stale_entry_message(entry, left),
            origin=Origin(path, lines.get(entry.fingerprint, Span(1, 1, 1, 2))),
            help="tidy it with `contract-scan baseline prune`",
        )
        for entry in entries
    )


def _could_be_found(entry: Entry, problems: Sequence[NotAnalysed], select: Collection[str]) -> bool:
    """Whether a scan would have found what an entry says, if it were there."""
    return entry.rule in select and not any(
        problem.fatal or problem.path == entry.path for problem in problems
    )


def _stale_entry_message(entry: Entry, left: _UnmatchedEntries) -> str:
    where = f"{entry.rule} in {entry.path}: {entry.message}"
    if not entry.members:
        number = left.counts[entry.fingerprint]
        if number < entry.count:
            found = f"the baseline knows of {entry.count}, but {entry.count - number} are found"
            return f"{found}: {where}"
    elif len(unused := left.unused_members(entry)) < len(entry.members):
        return f"the baseline knows of {', '.join(unused)}, which is not found any more: {where}"
    return f"the baseline knows of what is not found any more: {where}"


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


def _without_number(fingerprint: str) -> str:
    """The fingerprint without the number that tells equal findings apart."""
    return ":".join(fingerprint.split(":")[:2])


def _sorted_baseline(entries: Iterable[Entry], tool_version: str) -> Baseline:
    entries = (
        msgspec.structs.replace(entry, members=tuple(sorted(entry.members))) for entry in entries
    )
    ordered = sorted(entries, key=lambda entry: (entry.path, entry.rule, entry.fingerprint))
    return Baseline(tool_version=tool_version, findings=tuple(ordered))


def _union_of_entries(one: Entry, other: Entry) -> Entry:
    """One entry that knows what both know."""
    members = {*one.members, *other.members}
    return msgspec.structs.replace(
        one, count=max(one.count, other.count), members=tuple(sorted(members))
    )


def _one_entry_each(baseline: Baseline) -> Baseline:
    """One entry for each fingerprint: joining two branches may have left several."""
    entries: dict[str, Entry] = {}
    for entry in baseline.findings:
        other = entries.get(entry.fingerprint)
        entries[entry.fingerprint] = entry if other is None else _union_of_entries(other, entry)
    return msgspec.structs.replace(baseline, findings=tuple(entries.values()))


def _text(file: Path) -> str:
    try:
        content = read_regular(file, LARGEST + 1)
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
