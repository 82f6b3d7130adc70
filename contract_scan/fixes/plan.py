"""What would mend each finding."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

import msgspec
from msgspec import Struct

from contract_scan import unsaved
from contract_scan.fixes.apply import digest_of, edited, read, together
from contract_scan.fixes.change import (
    AddField,
    AddOperation,
    AddProperty,
    Change,
    Rename,
    addition,
    change_of,
)
from contract_scan.fixes.renamed import renamed_fields
from contract_scan.fixes.syntax import Draft, Syntax
from contract_scan.fixes.text import Text
from contract_scan.ir.fix import Edit, Fix
from contract_scan.ir.origin import Origin
from contract_scan.ir.violation import Finding, OperationRef

if TYPE_CHECKING:
    from tree_sitter import Node

    from contract_scan.fixes.drafters import Drafters

Additions: TypeAlias = Mapping[OperationRef, AddOperation]
"""What contracts would say of the routes that they lack, by the operation a finding names."""


class Job(Struct, frozen=True):
    """One file, and what is asked of places in it."""

    path: str
    text: Text
    digest: bytes
    changes: tuple[tuple[Origin, Change], ...]


class Planned(Struct, frozen=True):
    """A plan, and what it rests on."""

    findings: tuple[Finding, ...]
    files: dict[str, bytes] | None
    """Digests by path below the root; empty: there was no such file. None: it rests on something
    that passes."""


MOST_CHARACTERS = 20_000_000
"""Of contracts, each counted as often as something is added to it: what one run reads for that."""
CONTRACTS = (".yaml", ".yml", ".json")
_SUFFIXES = {
    ".ts": "typescript",
    ".tsx": "typescript",
    ".mts": "typescript",
    ".cts": "typescript",
    ".js": "typescript",
    ".mjs": "typescript",
    ".cjs": "typescript",
    ".jsx": "typescript",
    ".cs": "csharp",
    ".java": "java",
    ".py": "python",
}


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
    in_code = plan_in_code(root, findings, since).findings
    return in_contracts(root, in_code, since, additions) if contracts else in_code


def plan_in_code(root: Path, findings: Sequence[Finding], since: int) -> Planned:
    """The findings, each with what would mend it in the code. Arguments as for `plan`."""
    asked = _asked(findings)
    wanted: dict[str, list[tuple[Finding, Origin, Change]]] = {}
    for finding, (origin, change) in zip(findings, asked, strict=True):
        if change is not None and _suffix(origin.path) in _SUFFIXES:
            wanted.setdefault(origin.path, []).append((finding, origin, change))
    agreed = {path: _agreed(each) for path, each in sorted(wanted.items())}
    opened = [_job(root, path, each, since) for path, each in agreed.items() if each]
    jobs = [job for job in opened if job is not None]
    drafted, consulted = _drafts(root, jobs)
    found: dict[tuple[Origin, Change], Fix] = {}
    for job, drafts in zip(jobs, drafted, strict=True):
        found.update(_fixes(job, drafts))
    in_code = tuple(
        finding
        if (fix := found.get((origin, change)) if change is not None else None) is None
        else msgspec.structs.replace(finding, fix=fix)
        for finding, (origin, change) in zip(findings, asked, strict=True)
    )
    if consulted is None or len(jobs) < len(opened):
        return Planned(in_code, None)
    return Planned(in_code, {**consulted, **{job.path: job.digest for job in jobs}})


def in_contracts(
    root: Path,
    findings: Sequence[Finding],
    since: int,
    additions: Callable[[], Additions] | None,
) -> tuple[Finding, ...]:
    """The findings, those without a fix with one of the contract. Arguments as for `plan`."""
    return tuple(_in_contracts(root, findings, since, additions))


def _in_contracts(
    root: Path,
    findings: Sequence[Finding],
    since: int,
    additions: Callable[[], Additions] | None,
) -> Iterator[Finding]:
    """The findings, those without a fix with one of the contract where there is one."""
    files: dict[str, tuple[Text, bytes] | None] = {}
    budget = MOST_CHARACTERS
    lacking = additions() if additions is not None and any(map(_is_new, findings)) else {}
    asked = [_wanted(finding, lacking) for finding in findings if finding.fix is None]
    new = [change for change in asked if isinstance(change, AddOperation)]
    for finding in findings:
        change = _wanted(finding, lacking) if finding.fix is None else None
        path = _contract_of(change, finding)
        if change is None or not path.endswith(CONTRACTS):
            yield finding
            continue
        if path not in files:
            files[path] = _text(root, path, since)
        opened = files[path]
        budget -= 0 if opened is None else len(opened[0].text)
        fix = None
        if opened is not None and budget >= 0:
            fix = _addition(change, new, finding, path, *opened)
        yield finding if fix is None else msgspec.structs.replace(finding, fix=fix)


def _is_new(finding: Finding) -> bool:
    return finding.kind == "undocumented-endpoint"


def _wanted(finding: Finding, lacking: Additions) -> AddProperty | AddOperation | None:
    """What a finding asks a contract to add."""
    if _is_new(finding) and finding.operation is not None:
        return lacking.get(finding.operation)
    return addition(finding)


def _contract_of(change: AddProperty | AddOperation | None, finding: Finding) -> str:
    if isinstance(change, AddOperation):
        return change.document
    return finding.contract.path if finding.contract is not None else ""


def _addition(
    change: AddProperty | AddOperation,
    new: Sequence[AddOperation],
    finding: Finding,
    path: str,
    text: Text,
    digest: bytes,
) -> Fix | None:
    from contract_scan.fixes.contracts import add_operation, add_property

    if isinstance(change, AddOperation):
        together = [o for o in new if (o.document, o.path) == (path, change.path)]
        draft = add_operation(change, together, text, path)
    else:
        pointer = finding.contract.pointer if finding.contract is not None else ""
        draft = add_property(change, pointer, text, path)
    return None if draft is None else _fix(path, text, draft, digest)


def _fix(path: str, text: Text, draft: Draft, digest: bytes) -> Fix:
    edits = [Edit(path, text.span(e.start, e.end), e.text) for e in draft.replacements]
    return Fix(title=draft.title, safe=draft.safe, edits=tuple(sorted(edits)), digest=digest)


def _asked(findings: Sequence[Finding]) -> list[tuple[Origin, Change | None]]:
    """What each finding asks for, and where."""
    renamed = renamed_fields(findings)
    return [
        renamed.get(index, (finding.origin, change_of(finding)))
        for index, finding in enumerate(findings)
    ]


def _agreed(asked: Iterable[tuple[Finding, Origin, Change]]) -> list[tuple[Origin, Change]]:
    """What is asked of each place, without places of which contracts ask different things."""
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
    opened = _text(root, path, since)
    return None if opened is None else Job(path, *opened, tuple(changes))


def _text(root: Path, path: str, since: int) -> tuple[Text, bytes] | None:
    """A file and its digest; None where it cannot be edited, or was changed after a time."""
    try:
        held = unsaved.text_of(root / path) is not None
        if not held and os.stat(root / path).st_mtime_ns > since:  # noqa: PTH116
            return None
        raw = read(root, path)
        return Text(raw, python=path.endswith(".py")), digest_of(raw)
    except (OSError, ValueError):
        return None


def _drafts(
    root: Path, jobs: Sequence[Job]
) -> tuple[list[Sequence[Draft | None]], dict[str, bytes] | None]:
    """What the changes mean for each file, and the digests of the files that Python's classes were
    followed into; None where not all could be."""
    from contract_scan.fixes.python import drafts as drafts_of_python

    python = [job for job in jobs if job.path.endswith(".py")]
    drafts, consulted = drafts_of_python(root, python)
    answered = dict(zip((job.path for job in python), drafts, strict=True))
    found = [answered[job.path] if job.path in answered else _drafted(job) for job in jobs]
    return found, None if consulted is None else {p: _digest(root, p) for p in sorted(consulted)}


def _digest(root: Path, path: str) -> bytes:
    try:
        return digest_of(read(root, path))
    except (OSError, ValueError):
        return b""


def _drafted(job: Job) -> Sequence[Draft | None]:
    drafters = _drafters(_SUFFIXES[_suffix(job.path)])
    syntax = Syntax(job.text, parse_of(job.path))
    return [drafters.draft(change, origin.span, syntax) for origin, change in job.changes]


def _fixes(job: Job, drafts: Sequence[Draft | None]) -> dict[tuple[Origin, Change], Fix]:
    """The fixes of a file that still parses with them: all of them at once, else each alone."""
    found = dict(_written(job, drafts))
    done, put_off = together(found.values())
    edits = {edit for fix in done for edit in fix.edits}
    if not put_off and _still_parses(job, list(edits)):
        return found
    return {asked: fix for asked, fix in found.items() if _still_parses(job, fix.edits)}


def _written(
    job: Job, drafts: Sequence[Draft | None]
) -> Iterator[tuple[tuple[Origin, Change], Fix]]:
    for asked, draft in zip(job.changes, drafts, strict=True):
        if draft is None or not draft.replacements:
            continue
        fix = _fix(job.path, job.text, draft, job.digest)
        if isinstance(asked[1], Rename) and asked[1].guessed:
            fix = msgspec.structs.replace(fix, safe=False)
        yield asked, fix


def _still_parses(job: Job, edits: Sequence[Edit]) -> bool:
    parse = parse_of(job.path)
    return not parse(edited(job.text, edits).encode()).has_error or parse(job.text.utf8).has_error


def parse_of(path: str) -> Callable[[bytes], Node]:
    """The parser of a file's language, by its suffix."""
    match _SUFFIXES[_suffix(path)]:
        case "python":
            from contract_scan.parsers.source.python.grammar import parser as of_python

            return lambda content: of_python().parse(content).root_node
        case "csharp":
            from contract_scan.parsers.source.csharp.grammar import parse as of_csharp

            return of_csharp
        case "java":
            from contract_scan.parsers.source.java.grammar import parse as of_java

            return lambda content: of_java(content).root_node
        case _:
            from contract_scan.parsers.source.typescript.grammar import dialect
            from contract_scan.parsers.source.typescript.grammar import parser as of_typescript

            return lambda content: of_typescript(dialect(path)).parse(content).root_node


def _drafters(language: str) -> Drafters:
    """What drafts fixes in a language; each is imported when it is needed."""
    match language:
        case "csharp":
            from contract_scan.fixes.csharp import DRAFTERS
        case "java":
            from contract_scan.fixes.java import DRAFTERS
        case _:
            from contract_scan.fixes.typescript import DRAFTERS
    return DRAFTERS


def _suffix(path: str) -> str:
    return path[path.rfind(".") :]
