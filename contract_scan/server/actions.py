"""What can be done about a diagnostic: mend it, or except it in place, with a reason."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from lsprotocol import types

from contract_scan.config.rules import SELECTORS
from contract_scan.fixes.apply import compatible_fixes
from contract_scan.ir.comment import SIGNS
from contract_scan.ir.fix import Edit, WithheldFix
from contract_scan.ir.origin import Origin
from contract_scan.ir.violation import Finding
from contract_scan.reports.display import display
from contract_scan.server.diagnostics import SOURCE
from contract_scan.server.positions import Positions

FIX_ALL = f"{types.CodeActionKind.SourceFixAll.value}.{SOURCE}"
"""The kind of the action that an editor can run with every save."""
REASON = "say why"
"""Stands where the reason has to be written."""
_ABOUT_EXCEPTIONS = "CONTRACT-000"


def lines_of(text: str) -> list[str]:
    """The lines of a text, ended as the protocol ends them."""
    return re.split(r"\r\n|\r|\n", text)


def fix_actions(
    diagnostics: Sequence[types.Diagnostic],
    mendable: Mapping[str, Finding],
    positions: Positions,
    uri: str,
) -> Iterator[types.CodeAction]:
    """For each of our diagnostics that can be mended, what mends it.

    Only for a file whose text on disk is what the client shows: the edits were made for that.
    """
    for diagnostic in diagnostics:
        finding = mendable.get(_fingerprint(diagnostic))
        if finding is not None and finding.withheld is not None:
            yield _withheld(diagnostic, finding.withheld)
        if finding is None or finding.fix is None:
            continue
        fix = finding.fix
        edits = [
            types.TextEdit(positions.exact_range(Origin(edit.path, edit.span)), edit.text)
            for edit in fix.edits
        ]
        # Where the contract is what is mended, it is another file than the one that is looked at.
        mended = uri if fix.path == finding.origin.path else positions.uri(fix.path)
        yield types.CodeAction(
            title=display(f"Fix: {fix.title}" if fix.safe else f"Fix (unsafe): {fix.title}"),
            kind=types.CodeActionKind.QuickFix,
            diagnostics=[diagnostic],
            is_preferred=fix.safe or None,
            edit=types.WorkspaceEdit(changes={mended: edits}),
        )


def _withheld(diagnostic: types.Diagnostic, withheld: WithheldFix) -> types.CodeAction:
    """What cannot be chosen, with the reason."""
    before = "Fix" if withheld.safe else "Fix (unsafe)"
    return types.CodeAction(
        title=display(f"{before}: {withheld.title}"),
        kind=types.CodeActionKind.QuickFix,
        diagnostics=[diagnostic],
        disabled=types.CodeActionDisabled(display(withheld.reason)),
    )


def fix_all_action(
    mendable: Mapping[str, Finding], positions: Positions, uri: str
) -> Iterator[types.CodeAction]:
    """All safe fixes of a file at once, but those that are in the way of others."""
    fixes = [each.fix for each in mendable.values() if each.fix is not None and each.fix.safe]
    edits: list[Edit] = []
    for fix in compatible_fixes(fixes)[0]:
        edits += [edit for edit in fix.edits if edit not in edits]
    if edits:
        written = [
            types.TextEdit(positions.exact_range(Origin(edit.path, edit.span)), edit.text)
            for edit in edits
        ]
        yield types.CodeAction(
            title="Fix all that contract-scan can mend safely",
            kind=FIX_ALL,
            edit=types.WorkspaceEdit(changes={uri: written}),
        )


def _fingerprint(diagnostic: types.Diagnostic) -> str:
    data: Any = diagnostic.data
    found = data.get("fingerprint") if isinstance(data, dict) else getattr(data, "fingerprint", "")
    return found if isinstance(found, str) and diagnostic.source == SOURCE else ""


def ignore_actions(
    uri: str, text: str, diagnostics: Sequence[types.Diagnostic]
) -> Iterator[types.CodeAction]:
    """For each of our diagnostics, a comment above its line that excepts it.

    Ranges are those the client shows now, so that the edits fit the text as it is, saved or not.
    """
    lines = lines_of(text)
    sign = SIGNS.get(uri[uri.rfind(".") :])
    for diagnostic in diagnostics:
        rule, number = diagnostic.code, diagnostic.range.start.line
        known = (
            diagnostic.source == SOURCE
            and rule in SELECTORS
            and not str(rule).startswith(_ABOUT_EXCEPTIONS)
        )
        if sign is None or not known or number >= len(lines):
            continue
        line = lines[number]
        indentation = line[: len(line) - len(line.lstrip())]
        comment = f"{indentation}{sign} contract-scan: ignore[{rule}] {REASON}"
        end = "\r\n" if "\r\n" in text else "\n"
        start = types.Position(number, 0)
        yield types.CodeAction(
            title=f"Ignore {rule} here, with a reason",
            kind=types.CodeActionKind.QuickFix,
            diagnostics=[diagnostic],
            edit=types.WorkspaceEdit(
                changes={uri: [types.TextEdit(types.Range(start, start), comment + end)]}
            ),
        )
