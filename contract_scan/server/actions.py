"""What can be done about a diagnostic: except it in place, with a reason."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from lsprotocol import types

from contract_scan.ir.violation import RULE_IDS
from contract_scan.server.diagnostics import SOURCE

REASON = "say why"
"""Stands where the reason has to be written."""
_ABOUT_EXCEPTIONS = "CONTRACT-000"
_SIGNS = {
    ".py": "#",
    ".yaml": "#",
    ".yml": "#",
    **dict.fromkeys((".ts", ".tsx", ".mts", ".cts", ".js", ".jsx", ".mjs", ".cjs"), "//"),
    ".cs": "//",
    ".java": "//",
}
"""How a comment begins. Files without comments, such as JSON, are not here."""


def lines_of(text: str) -> list[str]:
    """The lines of a text, ended as the protocol ends them."""
    return re.split(r"\r\n|\r|\n", text)


def ignore_actions(
    uri: str, text: str, diagnostics: Sequence[types.Diagnostic]
) -> Iterator[types.CodeAction]:
    """For each of our diagnostics, a comment above its line that excepts it.

    Ranges are those the client shows now, so that the edits fit the text as it is, saved or not.
    """
    lines = lines_of(text)
    sign = _SIGNS.get(uri[uri.rfind(".") :])
    for diagnostic in diagnostics:
        rule, number = diagnostic.code, diagnostic.range.start.line
        known = diagnostic.source == SOURCE and rule in RULE_IDS and rule != _ABOUT_EXCEPTIONS
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
