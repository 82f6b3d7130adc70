"""docs/breaking-changes.md lists every id as the table of judgements has it.

`UPDATE_DOCS=1` writes the tables anew.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path

from contract_scan.scanners.changes.judgements import JUDGEMENTS, Judgement
from contract_scan.scanners.changes.judgements.http import HTTP
from contract_scan.scanners.changes.judgements.judgement import Prefix
from contract_scan.scanners.changes.judgements.messages import MESSAGES
from contract_scan.scanners.changes.judgements.schemas import SCHEMAS

PAGE = Path(__file__).parents[2] / "docs" / "breaking-changes.md"
START, END = "<!-- table -->", "<!-- end of table -->"
CHECKS = Path(__file__).parent / "data" / "oasdiff_checks.json"

_COLUMNS: dict[str, tuple[tuple[Prefix, ...], ...]] = {
    "Schemas": (("request", "received"), ("response", "sent"), ("model",)),
    "Parts of endpoints": (("request",), ("response",)),
    "Messages": (("received",), ("sent",)),
}


def test_the_page_lists_every_id_with_its_level_and_its_pair() -> None:
    page = PAGE.read_text()
    before, _, rest = page.partition(START)
    _, _, after = rest.partition(END)
    written = f"{before}{START}\n\n{''.join(tables())}{END}{after}"
    if os.environ.get("UPDATE_DOCS") == "1":
        PAGE.write_text(written)
    assert page == written


def test_the_page_says_what_of_a_known_list_is_not_found() -> None:
    checks = json.loads(CHECKS.read_text())
    missing = [check["id"] for check in checks if "reason" in check]
    page = PAGE.read_text()
    assert [name for name in missing if f"`{name}`" not in page] == []
    for level, words in (
        ("ERR", "{} of its {} breaking checks"),
        ("WARN", "{} of its {} warnings"),
    ):
        listed = [check for check in checks if check["level"] == level]
        found = [check for check in listed if "found_by" in check]
        assert words.format(len(found), len(listed)) in page


def tables() -> Iterator[str]:
    whole = [one for one in JUDGEMENTS.values() if one.prefixes == ("",)]
    yield "### Endpoints, channels, documents\n\n"
    yield "The id is the name as it stands.\n\n"
    yield "| Id | Level | What changed | Before | After |\n| --- | --- | --- | --- | --- |\n"
    for one in whole:
        yield f"| `{one.kind}` | {one.level('')} | {_text(one)} |\n"
    yield "\n"
    for heading, rows in (
        ("Parts of endpoints", HTTP),
        ("Messages", MESSAGES),
        ("Schemas", SCHEMAS),
    ):
        yield f"### {heading}\n\n"
        columns = _COLUMNS[heading]
        names = [" / ".join(f"`{prefix}-`" for prefix in each) for each in columns]
        titles = ["Id, after its first word", *names, "What changed", "Before", "After"]
        yield f"| {' | '.join(titles)} |\n"
        yield f"|{' --- |' * (len(columns) + 4)}\n"
        for one in rows:
            if one.prefixes != ("",):
                levels = [
                    one.level(each[0]) if each[0] in one.prefixes else "–" for each in columns
                ]
                yield f"| `{one.kind}` | {' | '.join(levels)} | {_text(one)} |\n"
        yield "\n"


def _text(one: Judgement) -> str:
    example = one.example
    pair = [f"`{text}`" if text else "" for text in (example.before, example.after)]
    return " | ".join([one.sentence, *(text.replace("|", "\\|") for text in pair)])
