"""Mending what can be mended, and making sure that it was.

After edits the code is looked at again. A file in which they brought up drift that was not there
before is put back as it was, and its fixes are tried one by one.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from pathlib import Path
from typing import TypeAlias

from msgspec import Struct

from contract_scan.fixes.apply import Mended, Refused, mend, write
from contract_scan.ir.fix import Fix
from contract_scan.ir.violation import Finding

MOST_ROUNDS = 30
"""Of mending and looking again: fixes that are in each other's way need more than one."""

Look: TypeAlias = Callable[[], Sequence[Finding]]
"""Scans again, and plans again."""
_Key: TypeAlias = tuple[object, ...]


class Outcome(Struct, frozen=True):
    """What became of the fixes."""

    done: tuple[Finding, ...] = ()
    put_off: tuple[Finding, ...] = ()
    """Fixes that an earlier one was in the way of, to the end."""
    taken_back: tuple[Finding, ...] = ()
    """Fixes that would have made other drift."""
    refused: tuple[Refused, ...] = ()


def chosen(findings: Iterable[Finding], *, unsafe: bool) -> list[Finding]:
    """The findings whose fixes may be made, in the order of the files."""
    wanted = [f for f in findings if f.fix is not None and (unsafe or f.fix.safe)]
    return sorted(wanted, key=lambda f: (f.fix.edits if f.fix else (), f.rule))


def run(root: Path, findings: Sequence[Finding], look: Look, *, unsafe: bool) -> Outcome:
    """Make the fixes of findings, round after round, until there is nothing more to do."""
    session = _Session(root, look, unsafe=unsafe)
    for _ in range(MOST_ROUNDS):
        wanted = session.wanted(findings)
        if not wanted:
            break
        changed, findings = session.round(wanted, findings)
        if not changed:
            break
    return session.outcome(findings)


class _Session:
    def __init__(self, root: Path, look: Look, *, unsafe: bool) -> None:
        self._root, self._look, self._unsafe = root, look, unsafe
        self._done: dict[_Key, Finding] = {}
        self._banned: dict[_Key, Finding] = {}
        self._one_by_one: set[str] = set()
        self._refused: dict[str, Refused] = {}

    def wanted(self, findings: Sequence[Finding]) -> list[Finding]:
        """What to do in the next round."""
        found = [
            finding
            for finding in chosen(findings, unsafe=self._unsafe)
            if _key(finding) not in self._banned
            and _key(finding) not in self._done
            and finding.fix is not None
            and finding.fix.path not in self._refused
        ]
        first: dict[str, Fix] = {}
        kept = []
        for finding in found:
            assert finding.fix is not None
            path = finding.fix.path
            is_first = first.setdefault(path, finding.fix) == finding.fix
            if is_first or path not in self._one_by_one:
                kept.append(finding)
        return kept

    def round(
        self, wanted: Sequence[Finding], before: Sequence[Finding]
    ) -> tuple[bool, Sequence[Finding]]:
        """Make fixes; whether any file changed, and what a scan finds now."""
        mended, refused = mend(self._root, [f.fix for f in wanted if f.fix is not None])
        written = []
        for file in mended:
            refusal = write(self._root, file)
            if refusal is None:
                written.append(file)
            else:
                refused.append(refusal)
        self._refused |= {each.path: each for each in refused}
        if not written:
            return False, before
        try:
            after = self._look()
        except BaseException:  # what has not been looked at again is not left behind
            for file in written:
                write(self._root, file, back=True)
            raise
        done = _findings_of(written, wanted)
        spoilt = _spoilt(written, before, after, done)
        for file in spoilt:
            self._take_back(file, wanted)
        good = [file for file in written if file not in spoilt]
        self._done |= {_key(finding): finding for finding in _findings_of(good, wanted)}
        return True, self._look() if spoilt else after

    def _take_back(self, file: Mended, wanted: Sequence[Finding]) -> None:
        refusal = write(self._root, file, back=True)
        if refusal is not None:
            self._refused[file.path] = refusal
        if len(file.fixes) == 1:
            self._banned |= {_key(f): f for f in _findings_of([file], wanted)}
        else:
            self._one_by_one.add(file.path)

    def outcome(self, findings: Sequence[Finding]) -> Outcome:
        """What became of everything."""
        left = {_key(finding) for finding in findings}
        open_ = self.wanted(findings)
        return Outcome(
            done=tuple(f for key, f in self._done.items() if key not in left),
            put_off=tuple(open_),
            taken_back=tuple(self._banned.values()),
            refused=tuple(self._refused[path] for path in sorted(self._refused)),
        )


def _findings_of(files: Sequence[Mended], wanted: Sequence[Finding]) -> list[Finding]:
    made: list[Fix] = [fix for file in files for fix in file.fixes]
    return [finding for finding in wanted if finding.fix in made]


def _spoilt(
    written: Sequence[Mended],
    before: Sequence[Finding],
    after: Sequence[Finding],
    done: Collection[Finding],
) -> list[Mended]:
    """The files whose edits brought up drift."""
    known = {_key(finding) for finding in before}
    new = [f for f in after if _key(f) not in known and not any(_shows(d, f) for d in done)]
    if not new:
        return []
    places = {finding.origin.path for finding in new}
    places |= {finding.contract.path for finding in new if finding.contract is not None}
    guilty = [file for file in written if file.path in places]
    return guilty or list(written)


def _shows(done: Finding, new: Finding) -> bool:
    """Whether drift of another kind was there before, hidden by what is mended now."""
    return (
        done.kind != new.kind
        and done.origin.path == new.origin.path
        and _last(done.field) == _last(new.field)
    )


def _last(field: str) -> str:
    return field.rpartition(".")[2].rstrip("[]{}")


def _key(finding: Finding) -> _Key:
    """What a finding is known by again, wherever its line has moved."""
    return (
        finding.rule,
        finding.kind,
        finding.operation,
        finding.channel,
        finding.model,
        finding.field,
        finding.origin.path,
        finding.expected,
        finding.found,
    )
