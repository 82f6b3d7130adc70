"""Fixes that would break other places of the program, or change nothing on the wire: withheld."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import msgspec

from contract_scan.fixes.constructions import (
    FieldEdit,
    FileConstructions,
    ancestors,
    objections,
    union_of,
)
from contract_scan.fixes.parsing import parse_of
from contract_scan.fixes.uses import (
    MOST_PARSED,
    TOO_MANY,
    UniqueUse,
    broken_uses,
    pattern,
    texts_of,
)
from contract_scan.ir.fix import WithheldFix
from contract_scan.ir.violation import Finding
from contract_scan.parsers.source.bounded_parse import ParseLimitError
from contract_scan.parsers.source.discovery.discover import SourceTree
from contract_scan.parsers.source.languages import SUFFIXES
from contract_scan.parsers.source.syntax_tree import suffix_of


def without_breaking_fixes(
    root: Path, findings: Sequence[Finding], alone: Mapping[int, UniqueUse]
) -> tuple[Finding, ...]:
    """The findings; where a fix would break something, with the reason in its place. `alone` is
    what fixes change for others, by the index of their finding."""
    reasons = {**_badly_made(root, alone), **broken_uses(root, alone)} if alone else {}
    return tuple(
        _without_fix(finding, reasons[index]) if index in reasons else finding
        for index, finding in enumerate(findings)
    )


def _without_fix(finding: Finding, reason: str) -> Finding:
    if finding.fix is None:
        return finding
    withheld = WithheldFix(finding.fix.title, finding.fix.safe, reason)
    return msgspec.structs.replace(finding, fix=None, withheld=withheld)


def _badly_made(root: Path, changes: Mapping[int, UniqueUse]) -> dict[int, str]:
    """Why what makes objects would be broken by changes of their fields."""
    reasons: dict[int, str] = {}
    by_language: dict[str, dict[int, tuple[str, FieldEdit]]] = {}
    for key, change in changes.items():
        if change.field is not None:
            edits = by_language.setdefault(SUFFIXES[suffix_of(change.path)], {})
            edits[key] = (change.owner, change.field)
    paths = sorted(SourceTree(root, {}).paths()) if by_language else []
    for language, edits in by_language.items():
        files = _files(root, paths, language, edits)
        if files is None:
            reasons |= dict.fromkeys(edits, TOO_MANY)
        else:
            reasons |= objections(edits, files)
    return reasons


def _files(
    root: Path, paths: Sequence[str], language: str, edits: Mapping[int, tuple[str, FieldEdit]]
) -> dict[str, FileConstructions] | None:
    """What the files of a language say that speak of the types, of those derived from them or with
    fields of them, or of the fields, or that hold a class that the types are derived from; None
    where these are too many, or parsing one of them is given up."""
    texts = dict(texts_of(root, paths, language))
    files: dict[str, FileConstructions] = {}
    owners = {owner for owner, _ in edits.values()}
    known, classes = set(owners), set(owners)
    new = owners | {name for _, edit in edits.values() for name in edit.names}
    spoken = pattern(new)
    while new:
        found = [path for path in texts if path not in files and spoken.search(texts[path])]
        if len(files) + len(found) > MOST_PARSED:
            return None
        for path in found:
            try:
                files[path] = _made_in(language, path, texts[path])
            except ParseLimitError:
                return None
        bases = union_of(each.bases for each in files.values())
        leading = union_of((bases, *(each.held for each in files.values())))
        derived = {name for name, others in leading.items() if others & known} - known
        above = set().union(*(ancestors(owner, bases) for owner in owners)) - classes
        known, classes, new = known | derived, classes | above, derived | above
        spoken = pattern(derived, declared=above)
    return files


def _made_in(language: str, path: str, content: bytes) -> FileConstructions:
    tree = parse_of(path)(content)
    if language == "python":
        from contract_scan.fixes.python_constructions import made_in as of_python

        return of_python(tree)
    from contract_scan.fixes.compiled_constructions import made_in as of_compiled

    return of_compiled(tree, language)
