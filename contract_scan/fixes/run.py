"""Mending what can be mended, and making sure that it was.

All fixes are made at once and the code is looked at again. Files in which they brought up drift
that was not there before are put back as they were, and their fixes are tried in parts: those of
the places where the drift is apart from the others, else halves, down to a fix alone.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from pathlib import Path
from typing import TypeAlias

from msgspec import Struct

from contract_scan.fixes.apply import FileChange, RefusedFile, apply_fixes, write
from contract_scan.ir.violation import Finding

MOST_ROUNDS = 60
"""Of mending and looking again: fixes that are in each other's way need more than one."""

Look: TypeAlias = Callable[[], Sequence[Finding]]
"""Scans again, and plans again."""
_Key: TypeAlias = tuple[object, ...]
_Part: TypeAlias = frozenset[_Key]


class FixOutcome(Struct, frozen=True):
    """What became of the fixes."""

    done: tuple[Finding, ...] = ()
    put_off: tuple[Finding, ...] = ()
    """Fixes that an earlier one was in the way of, to the end."""
    reverted: tuple[Finding, ...] = ()
    """Fixes that would have made other drift."""
    without_effect: tuple[Finding, ...] = ()
    """Fixes with which the finding was still there."""
    refused: tuple[RefusedFile, ...] = ()


def fixable(findings: Iterable[Finding], *, unsafe: bool) -> list[Finding]:
    """The findings whose fixes may be made, in the order of the files."""
    wanted = [f for f in findings if f.fix is not None and (unsafe or f.fix.safe)]
    return sorted(wanted, key=lambda f: (f.fix.edits if f.fix else (), f.rule))


def make_fixes(root: Path, findings: Sequence[Finding], look: Look, *, unsafe: bool) -> FixOutcome:
    """Make the fixes of findings, round after round, until there is nothing more to do."""
    session = _Session(root, look, unsafe=unsafe)
    for _ in range(MOST_ROUNDS):
        wanted = session.next_fixes(findings)
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
        self._useless: dict[_Key, Finding] = {}
        self._parts: dict[str, list[_Part]] = {}
        """The findings of a file whose fixes are tried apart, the next ones last."""
        self._refused: dict[str, RefusedFile] = {}

    def next_fixes(self, findings: Sequence[Finding]) -> list[Finding]:
        """What to do in the next round."""
        open_ = self._open_findings(findings)
        now = {path: self._next_findings(path, wanted) for path, wanted in open_.items()}
        return [
            finding
            for path, wanted in open_.items()
            for finding in wanted
            if (part := now[path]) is None or _key(finding) in part
        ]

    def _open_findings(self, findings: Sequence[Finding]) -> dict[str, list[Finding]]:
        """What may still be done, by file."""
        found: dict[str, list[Finding]] = {}
        for finding in fixable(findings, unsafe=self._unsafe):
            key = _key(finding)
            if finding.fix is None or key in {**self._banned, **self._useless, **self._done}:
                continue
            if finding.fix.path not in self._refused:
                found.setdefault(finding.fix.path, []).append(finding)
        return found

    def _next_findings(self, path: str, wanted: Sequence[Finding]) -> _Part | None:
        """The findings of a file to try next; None for all of them."""
        parts = self._parts.get(path, [])
        keys = {_key(finding) for finding in wanted}
        while parts and not parts[-1] & keys:
            parts.pop()
        return parts[-1] if parts else None

    def round(
        self, wanted: Sequence[Finding], before: Sequence[Finding]
    ) -> tuple[bool, Sequence[Finding]]:
        """Make fixes; whether any file changed, and what a scan finds now."""
        mended, refused = apply_fixes(self._root, [f.fix for f in wanted if f.fix is not None])
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
        new = _new_findings(before, after, done)
        left = {_key(finding) for finding in after}
        useless = {_key(finding): finding for finding in done if _key(finding) in left}
        self._useless |= useless
        spoilt = _files_with_new_findings(written, new)
        for file in spoilt:
            self._take_back(file, _findings_of([file], wanted), new)
        for file in written:
            made = {_key(finding) for finding in _findings_of([file], wanted)}
            if file not in spoilt and made & useless.keys():
                self._put_back(file)  # the others of its fixes are made in the next round
                spoilt.append(file)
        good = [file for file in written if file not in spoilt]
        self._done |= {_key(finding): finding for finding in _findings_of(good, wanted)}
        if not good:
            return True, before  # everything is as it was
        for file in good:
            if self._parts.get(file.path):
                self._parts[file.path].pop()
        return True, self._look() if spoilt else after

    def _take_back(self, file: FileChange, made: Sequence[Finding], new: Sequence[Finding]) -> None:
        self._put_back(file)
        parts = self._parts.setdefault(file.path, [])
        if parts:
            parts.pop()
        if len(file.fixes) == 1:
            self._banned |= {_key(finding): finding for finding in made}
        else:
            parts += _split_fixes(file, made, new)

    def _put_back(self, file: FileChange) -> None:
        refusal = write(self._root, file, back=True)
        if refusal is not None:
            self._refused[file.path] = refusal

    def outcome(self, findings: Sequence[Finding]) -> FixOutcome:
        """What became of everything."""
        left = {_key(finding) for finding in findings}
        open_ = [finding for wanted in self._open_findings(findings).values() for finding in wanted]
        return FixOutcome(
            done=tuple(f for key, f in self._done.items() if key not in left),
            put_off=tuple(open_),
            reverted=tuple(self._banned.values()),
            without_effect=tuple(f for k, f in self._useless.items() if k not in self._banned),
            refused=tuple(self._refused[path] for path in sorted(self._refused)),
        )


def _findings_of(files: Sequence[FileChange], wanted: Sequence[Finding]) -> list[Finding]:
    made = {fix for file in files for fix in file.fixes}
    return [finding for finding in wanted if finding.fix in made]


def _new_findings(
    before: Sequence[Finding], after: Sequence[Finding], done: Collection[Finding]
) -> list[Finding]:
    """The drift that was not there before."""
    known = {_key(finding) for finding in before}
    return [f for f in after if _key(f) not in known and not any(_shows(d, f) for d in done)]


def _files_with_new_findings(
    written: Sequence[FileChange], new: Sequence[Finding]
) -> list[FileChange]:
    """The files whose edits brought up drift."""
    if not new:
        return []
    places = {finding.origin.path for finding in new}
    places |= {finding.contract.path for finding in new if finding.contract is not None}
    guilty = [file for file in written if file.path in places]
    return guilty or list(written)


def _split_fixes(
    file: FileChange, made: Sequence[Finding], new: Sequence[Finding]
) -> tuple[_Part, _Part]:
    """The fixes of a file in two parts: those of the subjects of new violations, to be tried
    after the others; two halves if that tells nothing."""
    subjects = {subject for finding in new for subject in _subjects(finding)}
    blamed = {f.fix for f in made if f.fix is not None and subjects & set(_subjects(f))}
    fixes = list(file.fixes)
    if not 0 < len(blamed) < len(fixes):
        blamed = set(fixes[len(fixes) // 2 :])
    return (
        frozenset(_key(finding) for finding in made if finding.fix in blamed),
        frozenset(_key(finding) for finding in made if finding.fix not in blamed),
    )


def _subjects(finding: Finding) -> list[tuple[str, ...]]:
    """What a finding is about."""
    found: list[tuple[str, ...]] = []
    if finding.operation is not None:
        found.append(("operation", finding.operation.method, finding.operation.path))
    if finding.channel is not None:
        found.append(("channel", str(finding.channel)))
    if finding.model:
        found.append(("model", finding.model))
    return found


def _shows(done: Finding, new: Finding) -> bool:
    """Whether drift of another kind was there before, hidden by what is mended now."""
    return (
        done.kind != new.kind
        and done.origin.path == new.origin.path
        and _last_name(done.field) == _last_name(new.field)
    )


def _last_name(field: str) -> str:
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
