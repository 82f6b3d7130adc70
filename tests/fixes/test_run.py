"""Mending round after round: what is kept, what is put back, and how often is looked again."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from contract_scan.api import scan
from contract_scan.fixes.apply import digest_of
from contract_scan.fixes.plan import plan
from contract_scan.fixes.run import FixOutcome, make_fixes
from contract_scan.ir.fix import Edit, Fix
from contract_scan.ir.origin import Origin, Span
from contract_scan.ir.violation import Finding, OperationRef
from tests.fixes.projects import java, write


def test_an_interrupted_run_leaves_nothing_that_was_not_looked_at_again(tmp_path: Path) -> None:
    file = write(tmp_path, "App.java", java('String id, @JsonProperty("unit_price") double price'))
    before, during = file.read_bytes(), []
    since = time.time_ns()
    findings = plan(tmp_path, scan(tmp_path, cache=False).findings, since)

    def interrupted() -> Sequence[Finding]:
        during.append(file.read_bytes())
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        make_fixes(tmp_path, findings, interrupted, unsafe=False)
    assert during == [before.replace(b"unit_price", b"unitPrice")]
    assert file.read_bytes() == before


LINES = 64


class Project:
    """A file whose every line ought to be changed. Some lines must not be: then there is drift of
    another sort, at the place that `about` tells."""

    def __init__(self, folder: Path, guilty: set[int], about: Callable[[int], str]) -> None:
        self.folder, self.guilty, self.about = folder, guilty, about
        self.file = folder / "app.py"
        self.file.write_text("".join(f"line_{n} = 'old'\n" for n in range(LINES)))
        self.looks = 0

    def mended(self) -> set[int]:
        lines = self.file.read_text().splitlines()
        return {n for n, line in enumerate(lines) if line.endswith("'new'")}

    def findings(self) -> list[Finding]:
        digest, mended = digest_of(self.file.read_bytes()), self.mended()
        drift = [self.finding(self.about(n), "new drift") for n in sorted(mended & self.guilty)]
        return drift + [
            self.finding(f"/{n}", f"drift {n}", self.fix(n, digest))
            for n in range(LINES)
            if n not in mended
        ]

    def look(self) -> list[Finding]:
        self.looks += 1
        return self.findings()

    def run(self) -> FixOutcome:
        return make_fixes(self.folder, self.findings(), self.look, unsafe=True)

    @staticmethod
    def fix(line: int, digest: bytes) -> Fix:
        column = len(f"line_{line} = '") + 1
        edit = Edit("app.py", Span(line + 1, column, line + 1, column + 3), "new")
        return Fix(title="mend it", safe=True, edits=(edit,), digest=digest)

    @staticmethod
    def finding(path: str, found: str, fix: Fix | None = None) -> Finding:
        return Finding(
            rule="CONTRACT-001",
            kind="type",
            severity="error",
            message="",
            origin=Origin("app.py", Span(1, 1, 1, 1)),
            operation=OperationRef(method="GET", path=path),
            found=found,
            fix=fix,
        )


def lines_of(findings: Sequence[Finding]) -> set[int]:
    return {int(f.operation.path[1:]) for f in findings if f.operation is not None}


def test_all_fixes_are_made_at_once_and_looked_at_once(tmp_path: Path) -> None:
    project = Project(tmp_path, set(), str)
    outcome = project.run()
    assert (project.mended(), project.looks) == ({*range(LINES)}, 1)
    assert lines_of(outcome.done) == {*range(LINES)}


def test_fixes_that_new_drift_is_about_are_told_apart_at_once(tmp_path: Path) -> None:
    project = Project(tmp_path, {40}, "/{}".format)
    outcome = project.run()
    assert lines_of(outcome.reverted) == {40}
    assert project.mended() == lines_of(outcome.done) == {*range(LINES)} - {40}
    assert (outcome.put_off, outcome.refused, project.looks) == ((), (), 3)


def test_a_fix_is_taken_back_for_what_it_does_alone(tmp_path: Path) -> None:
    """Where drift shows at the place of another fix, that one is tried by itself."""
    project = Project(tmp_path, {40}, lambda _: "/3")
    outcome = project.run()
    assert lines_of(outcome.reverted) == {40}
    assert project.mended() == lines_of(outcome.done) == {*range(LINES)} - {40}


def test_fixes_of_which_nothing_tells_are_halved(tmp_path: Path) -> None:
    project = Project(tmp_path, {7, 40}, lambda _: "/somewhere")
    outcome = project.run()
    assert lines_of(outcome.reverted) == {7, 40}
    assert project.mended() == lines_of(outcome.done) == {*range(LINES)} - {7, 40}
    assert project.looks < LINES / 2


def test_a_fix_that_does_not_mend_is_taken_back_and_the_others_stay(tmp_path: Path) -> None:
    """The finding is there still: something else than what was changed makes it."""

    class Stubborn(Project):
        def findings(self) -> list[Finding]:
            digest = digest_of(self.file.read_bytes())
            return [
                *super().findings(),
                *(
                    self.finding(f"/{n}", f"drift {n}", self.fix(n, digest))
                    for n in sorted(self.mended() & {3, 40})
                ),
            ]

    project = Stubborn(tmp_path, set(), lambda n: "")
    outcome = project.run()
    assert project.mended() == {*range(LINES)} - {3, 40}
    assert len(outcome.done) == LINES - 2
    assert lines_of(outcome.without_effect) == {3, 40}
    assert outcome.reverted == ()
    assert project.looks == 2
