"""Foreign text inside Markdown: it is shown, and never acts.

A field name or a path comes from whoever wrote the scanned repository. In the comment of a pull
request it must not make links, mention people, load images or close what stands around it.
"""

from __future__ import annotations

import re

from contract_scan.reports.display import display

_PUNCTUATION = re.compile(r"([\\`*_\[\]|~$])")
_RUN = re.compile(r"`+")
_QUOTED = re.compile(r"`([^`]+)`")
_BREAK = "\u200b"
"""Invisible; keeps what stands at both sides of it from being read as one word."""


def escape_text(text: str) -> str:
    """Text as text, whatever it holds. Not for the start of a line, where more has a meaning."""
    safe = display(text)
    for word in ("@", "#"):
        safe = safe.replace(word, word + _BREAK)
    safe = safe.replace("://", f":{_BREAK}//").replace("www.", f"www{_BREAK}.")
    safe = _PUNCTUATION.sub(r"\\\1", safe)
    return safe.replace("&", "&amp;").replace("<", "&lt;")


def code(text: str) -> str:
    """Text as a code span."""
    safe = display(text)
    longest = max((len(run) for run in _RUN.findall(safe)), default=0)
    fence = "`" * (longest + 1)
    if safe.startswith("`") or safe.endswith("`") or not safe.strip():
        safe = f" {safe} "
    return f"{fence}{safe}{fence}"


def prose(text: str) -> str:
    """A message: what it quotes in backticks becomes code, the rest is text."""
    parts = _QUOTED.split(text)
    return "".join(
        code(part) if index % 2 else escape_text(part) for index, part in enumerate(parts) if part
    )
