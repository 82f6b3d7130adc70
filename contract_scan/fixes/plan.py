"""What would mend each finding."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec
from msgspec import Struct

from contract_scan.fixes.apply import apply_edits, compatible_fixes, file_digest
from contract_scan.fixes.change import AddField, Change, Rename, change_of
from contract_scan.fixes.contract_fixes import Additions, in_contracts
from contract_scan.fixes.edit_session import EditableFile, open_file
from contract_scan.fixes.parsing import parse_of, still_parses
from contract_scan.fixes.renamed import renamed_fields
from contract_scan.fixes.syntax import Draft, Syntax
from contract_scan.fixes.text import Text
from contract_scan.fixes.uses import UniqueUse
from contract_scan.fixes.withheld import without_breaking_fixes
from contract_scan.ir.fix import Edit, Fix
from contract_scan.ir.origin import Origin
from contract_scan.ir.violation import Finding
from contract_scan.parsers.source.languages import SUFFIXES
from contract_scan.parsers.source.syntax_tree import suffix_of

if TYPE_CHECKING:
    from contract_scan.fixes.fixers import Drafters


class Job(Struct, frozen=True):
    """One file, and what is asked of places in it."""

    file: EditableFile
    changes: tuple[tuple[Origin, Change], ...]

    @property
    def path(self) -> str:
        """Of the file."""
        return self.file.path

    @property
    def text(self) -> Text:
        """Of the file."""
        return self.file.text


class PlanResult(Struct, frozen=True):
    """A plan, and what it rests on."""

    findings: tuple[Finding, ...]
    unique_uses: dict[int, UniqueUse]
    """What must be used nowhere else for a fix to break nothing, by the index of its finding."""
    files: dict[str, bytes] | None
    """Digests by path below the root; empty: there was no such file. None: it rests on something
    that passes."""


def plan(
    root: Path,
    findings: Sequence[Finding],
    since: int,
    *,
    contracts: bool = False,
    additions: Callable[[], Additions] | None = None,
) -> tuple[Finding, ...]:
    """The findings, each with what would mend it where that can be told.

    `since` is the time (ns since the epoch) at which the scan began: a file that was changed later
    may not be what the findings are about, and gets no fixes. With `contracts`, also what contracts
    could be changed to; `additions` gives what they would say of routes that they lack.
    """
    planned = plan_in_code(root, findings, since)
    in_code = without_breaking_fixes(root, planned.findings, planned.unique_uses)
    return in_contracts(root, in_code, since, additions) if contracts else in_code


def plan_in_code(root: Path, findings: Sequence[Finding], since: int) -> PlanResult:
    """The findings, each with what would mend it in the code, were there no other code. Arguments
    as for `plan`."""
    asked = _requested_changes(findings)
    wanted: dict[str, list[tuple[Finding, Origin, Change]]] = {}
    for finding, (origin, change) in zip(findings, asked, strict=True):
        if change is not None and suffix_of(origin.path) in SUFFIXES:
            wanted.setdefault(origin.path, []).append((finding, origin, change))
    agreed = {path: _unambiguous_changes(each) for path, each in sorted(wanted.items())}
    tried = [_job(root, path, each, since) for path, each in agreed.items() if each]
    jobs = [job for job in tried if job is not None]
    drafted, consulted = _drafts(root, jobs)
    found: dict[tuple[Origin, Change], Fix] = {}
    needed: dict[tuple[Origin, Change], UniqueUse] = {}
    for job, drafts in zip(jobs, drafted, strict=True):
        found.update(_fixes(job, [each.draft for each in drafts]))
        for asked_of, each in zip(job.changes, drafts, strict=True):
            if each.unique_use is not None:
                needed[asked_of] = each.unique_use
    in_code = tuple(
        finding
        if (fix := found.get((origin, change)) if change is not None else None) is None
        else msgspec.structs.replace(finding, fix=fix)
        for finding, (origin, change) in zip(findings, asked, strict=True)
    )
    alone = {
        index: needed[origin, change]
        for index, (origin, change) in enumerate(asked)
        if change is not None and (origin, change) in needed and in_code[index].fix is not None
    }
    if consulted is None or len(jobs) < len(tried):
        return PlanResult(in_code, alone, None)
    return PlanResult(in_code, alone, {**consulted, **{job.path: job.file.digest for job in jobs}})


def _requested_changes(findings: Sequence[Finding]) -> list[tuple[Origin, Change | None]]:
    """What each finding asks for, and where."""
    renamed = renamed_fields(findings)
    return [
        renamed.get(index, (finding.origin, change_of(finding)))
        for index, finding in enumerate(findings)
    ]


def _unambiguous_changes(
    asked: Iterable[tuple[Finding, Origin, Change]],
) -> list[tuple[Origin, Change]]:
    """The change that is requested for each place, without places for which contracts request
    different ones."""
    by_place: dict[tuple[Origin, type[Change], str], set[Change]] = {}
    for finding, origin, change in asked:
        # Fields are added to one place; each of them is another thing to ask for.
        name = finding.field.rpartition(".")[2] if isinstance(change, AddField) else ""
        by_place.setdefault((origin, type(change), name), set()).add(change)
    return [
        (origin, next(iter(changes)))
        for (origin, _, _), changes in by_place.items()
        if len(changes) == 1
    ]


def _job(root: Path, path: str, changes: Sequence[tuple[Origin, Change]], since: int) -> Job | None:
    """The file to plan for; None where nothing can be."""
    file = open_file(root, path, since)
    return None if file is None else Job(file, tuple(changes))


class _DraftResult(Struct, frozen=True):
    draft: Draft | None
    unique_use: UniqueUse | None = None


def _drafts(
    root: Path, jobs: Sequence[Job]
) -> tuple[list[Sequence[_DraftResult]], dict[str, bytes] | None]:
    """What the changes mean for each file, and the digests of the files that Python's classes were
    followed into; None where not all could be."""
    from contract_scan.fixes.python import drafts as drafts_of_python

    python = [job for job in jobs if job.path.endswith(".py")]
    drafts, consulted = drafts_of_python(root, python)
    answered = {
        job.path: _drafted_in_python(job, of_file)
        for job, of_file in zip(python, drafts, strict=True)
    }
    found = [answered[job.path] if job.path in answered else _draft_job(job) for job in jobs]
    return found, None if consulted is None else {
        p: file_digest(root, p) for p in sorted(consulted)
    }


def _drafted_in_python(job: Job, drafts: Sequence[Draft | None]) -> Sequence[_DraftResult]:
    from contract_scan.fixes.python_constructions import what_changes

    syntax = Syntax(job.text, parse_of(job.path))
    return [
        _DraftResult(
            draft,
            None if draft is None else what_changes(job.path, change, origin.span, syntax, draft),
        )
        for (origin, change), draft in zip(job.changes, drafts, strict=True)
    ]


def _draft_job(job: Job) -> Sequence[_DraftResult]:
    from contract_scan.fixes.changed import what_changes

    drafters = _drafters_of(SUFFIXES[suffix_of(job.path)])
    syntax = Syntax(job.text, parse_of(job.path))
    drafted = []
    for origin, change in job.changes:
        draft = drafters.draft(change, origin.span, syntax)
        if draft is None:
            drafted.append(_DraftResult(None))
        else:
            alone = what_changes(job.path, change, origin.span, syntax, draft)
            drafted.append(_DraftResult(draft, alone))
    return drafted


def _fixes(job: Job, drafts: Sequence[Draft | None]) -> dict[tuple[Origin, Change], Fix]:
    """The fixes of a file that still parses with them: all of them at once, else each alone."""
    found = dict(_fixes_of(job, drafts))
    done, put_off = compatible_fixes(found.values())
    edits = {edit for fix in done for edit in fix.edits}
    if not put_off and _still_parses(job, list(edits)):
        return found
    return {asked: fix for asked, fix in found.items() if _still_parses(job, fix.edits)}


def _fixes_of(
    job: Job, drafts: Sequence[Draft | None]
) -> Iterator[tuple[tuple[Origin, Change], Fix]]:
    for asked, draft in zip(job.changes, drafts, strict=True):
        if draft is None or not draft.replacements:
            continue
        fix = job.file.fix(draft)
        if isinstance(asked[1], Rename) and asked[1].guessed:
            fix = msgspec.structs.replace(fix, safe=False)
        yield asked, fix


def _still_parses(job: Job, edits: Sequence[Edit]) -> bool:
    return still_parses(job.path, job.text.utf8, apply_edits(job.text, edits).encode())


def _drafters_of(language: str) -> Drafters:
    """What drafts fixes in a language; each is imported when it is needed."""
    match language:
        case "csharp":
            from contract_scan.fixes.csharp import DRAFTERS
        case "java":
            from contract_scan.fixes.java import DRAFTERS
        case _:
            from contract_scan.fixes.typescript import DRAFTERS
    return DRAFTERS
