"""Whole programs beside their contracts, in fixtures/verdicts: all that a scan says of each.

A page has one heading a case: why the verdict is right, the files of the program below `src/`, its
contract, and a block `expected` with every error and warning and with the counts of promises
(`partly`: verified but for some fields, where there are such).
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from contract_scan.api import scan
from contract_scan.ir.violation import Finding
from tests.pages_of_cases import Fence, sections

PAGES = Path(__file__).parents[2] / "fixtures" / "verdicts"


def cases() -> Iterator[tuple[str, list[Fence]]]:
    for page in sorted(PAGES.glob("*.md")):
        for heading, fences in sections(page.read_text(encoding="utf-8")):
            yield f"{page.stem}: {heading}", fences


def summary_of(finding: Finding) -> str:
    operation = finding.operation
    about = (
        f"{operation.method} {operation.path}" if operation else finding.channel or finding.model
    )
    parts = (finding.severity, finding.rule, finding.kind, about, finding.field)
    return " ".join(part for part in parts if part)


ALL_CASES = list(cases())


@pytest.mark.parametrize("fences", [c[1] for c in ALL_CASES], ids=[c[0] for c in ALL_CASES])
def test_what_is_said_of_a_program(fences: list[Fence], tmp_path: Path) -> None:
    (expected,) = [fence.content for fence in fences if fence.file == "expected"]
    files = [fence for fence in fences if fence.file != "expected"]
    for fence in files:
        (tmp_path / fence.file).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / fence.file).write_text(fence.content, encoding="utf-8")
    contracts = {fence.file.split("/")[0] for fence in files} - {"src"}
    report = scan(
        tmp_path / "src", contracts=[tmp_path / name for name in sorted(contracts)], cache=False
    )
    summary = report.summary
    of_kinds = (summary.operations, summary.channels, summary.models)
    counts = next((kind for kind in of_kinds if kind.total), summary.operations)
    lines = [
        *sorted(summary_of(finding) for finding in report.findings if finding.severity != "note"),
        f"verified {counts.verified}",
        *([f"partly {counts.partly}"] if counts.partly else []),
        f"undetermined {counts.undetermined}",
        f"missing {counts.missing}",
    ]
    assert lines == expected.splitlines()
