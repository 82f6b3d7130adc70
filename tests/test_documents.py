"""Links of all documents lead somewhere: to a file of the repository, and to a heading in it."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
DOCUMENTS = sorted({*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")})
LINK = re.compile(r"\]\(([^()\s]+)\)")


def prose(text: str) -> str:
    """A document without its code."""
    return re.sub(r"^```.*?^```|`[^`\n]*`", "", text, flags=re.MULTILINE | re.DOTALL)


@cache
def anchors(file: Path) -> set[str]:
    """What a link can name in a document, as GitHub and the site make it of headings."""
    headings = re.findall(r"^#{1,6} (.*)$", file.read_text("utf-8"), re.MULTILINE)
    plain = [re.sub(r"[`*]|\]\([^)]*\)|\[", "", each).strip().lower() for each in headings]
    return {re.sub(r"[^\w\- ]", "", each).replace(" ", "-") for each in plain}


def _is_there(link: str, document: Path) -> bool:
    if re.match(r"[a-z]+:", link):
        return True  # of another site
    path, _, anchor = link.partition("#")
    target = (document.parent / path).resolve() if path else document
    if not target.exists() or not target.is_relative_to(ROOT):
        return False
    return not anchor or target.suffix != ".md" or anchor in anchors(target)


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda file: str(file.relative_to(ROOT)))
def test_every_link_leads_somewhere(document: Path) -> None:
    links = LINK.findall(prose(document.read_text("utf-8")))
    broken = [link for link in links if not _is_there(link, document)]
    assert broken == []
