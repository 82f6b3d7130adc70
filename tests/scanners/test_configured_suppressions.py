"""Exceptions of the configuration: what they are about, and when they are called unused."""

from __future__ import annotations

from datetime import date
from pathlib import Path

import msgspec
import pytest

from contract_scan.config import Config, ConfiguredSuppression, FileIgnore, Pattern
from contract_scan.ir.document import NotAnalysed
from contract_scan.ir.origin import Origin, Span
from contract_scan.ir.violation import RULE_IDS, Finding
from contract_scan.scanners.configured_suppressions import is_like, without_suppressed
from contract_scan.scanners.report import Report

TODAY = date(2027, 3, 31)
PAYLOAD = Finding(
    rule="CONTRACT-003",
    kind="type",
    severity="error",
    message="`total` is a string",
    origin=Origin("src/orders.py", Span(9, 5, 9, 10)),
    channel="order.placed",
    model="OrderPlaced",
    field="items[].total",
    contract=Origin("asyncapi.yaml", Span(40, 9, 40, 14)),
)
REPORT = Report(findings=(PAYLOAD,))


@pytest.fixture
def file(tmp_path: Path) -> Path:
    made = tmp_path / "contract-scan.toml"
    made.write_text("[[exceptions]]\nreason = 'r'\n[[exceptions]]\nreason = 's'\n")
    return made


def suppression(**selectors: object) -> ConfiguredSuppression:
    return msgspec.structs.replace(
        ConfiguredSuppression(
            rules=("CONTRACT-003/enum", "CONTRACT-003/type"), reason="agreed", owner="me"
        ),
        **selectors,
    )


def judged(
    root: Path, *waivers: ConfiguredSuppression, report: Report = REPORT, **options: object
) -> tuple[list[tuple[str, str, int]], int]:
    """(kind, path and line of what is left, how many were excepted)."""
    settings = {"select": RULE_IDS, "today": TODAY, **options}
    result = without_suppressed(report, Config(exceptions=waivers), root=root, **settings)  # type: ignore[arg-type]
    assert result.ignored == result.excepted == len(result.suppressed)
    found = [(f.kind, f.origin.path, f.origin.span.line) for f in result.findings]
    return found, result.ignored


STAYS = ("type", "src/orders.py", 9)


@pytest.mark.parametrize(
    "selectors",
    [
        {"channel": "order.placed"},
        {"channel": "order.*"},
        {"model": "OrderPlaced"},
        {"field": "items[].total"},
        {"field": "*total"},
        {"path": Pattern("asyncapi.yaml")},
        {"channel": "order.*", "field": "items*"},
    ],
)
def test_every_selector_counts(tmp_path: Path, selectors: dict[str, object]) -> None:
    assert judged(tmp_path, suppression(**selectors)) == ([], 1)


@pytest.mark.parametrize(
    "selectors",
    [
        {"channel": "order.cancelled"},
        {"operation": "*"},
        {"field": "items[].id"},
        {"channel": "order.*", "field": "x*"},
        {"channel": "order.*", "rules": ("CONTRACT-001",)},
    ],
)
def test_all_of_them_have_to_fit(tmp_path: Path, selectors: dict[str, object]) -> None:
    assert judged(tmp_path, suppression(**selectors)) == ([STAYS], 0)


def test_the_last_day_is_a_day_on_which_it_holds(tmp_path: Path, file: Path) -> None:
    until = suppression(channel="*", expires=TODAY, file=file, index=1)
    assert judged(tmp_path, until) == ([], 1)
    expired = ("expired-exception", "contract-scan.toml", 3)
    tomorrow = date(2027, 4, 1)
    assert judged(tmp_path, until, today=tomorrow) == ([expired, STAYS], 0)


def test_one_that_is_not_needed_is_told_unless_that_cannot_be_known(
    tmp_path: Path, file: Path
) -> None:
    idle = suppression(channel="gone", file=file)
    told = ("unused-exception", "contract-scan.toml", 1)
    assert judged(tmp_path, idle) == ([told, STAYS], 0)
    assert judged(tmp_path, idle, complete=False) == ([STAYS], 0)
    assert judged(tmp_path, idle, select=frozenset({"CONTRACT-000"})) == ([STAYS], 0)
    assert judged(tmp_path, idle, select=frozenset({"CONTRACT-003"})) == ([STAYS], 0)
    assert judged(tmp_path / "src", idle) == ([STAYS], 0)
    unread = msgspec.structs.replace(
        REPORT, not_analysed=(NotAnalysed(path="src/x.py", reason="broken"),)
    )
    assert judged(tmp_path, idle, report=unread) == ([STAYS], 0)
    elsewhere = msgspec.structs.replace(idle, path=Pattern("other/"))
    assert judged(tmp_path, elsewhere, report=unread) == ([told, STAYS], 0)


def test_files_are_ignored_by_rule_after_exceptions(tmp_path: Path) -> None:
    config = Config(per_file_ignores=(FileIgnore(Pattern("/src"), ("CONTRACT-003/type",)),))
    result = without_suppressed(REPORT, config, RULE_IDS, tmp_path, today=TODAY)
    (entry,) = result.suppressed
    assert (entry.finding, entry.by, entry.justification) == (
        PAYLOAD,
        "configuration",
        "`per-file-ignores` for `/src`",
    )


@pytest.mark.parametrize(
    ("pattern", "text", "fits"),
    [
        ("", "", True),
        ("*", "", True),
        ("a", "a", True),
        ("a", "ab", False),
        ("a*", "ab", True),
        ("*b", "ab", True),
        ("a*b*c", "a-b-c", True),
        ("a*b*c", "abc", True),
        ("a*b*c", "acb", False),
        ("ab*ba", "aba", False),
        ("a**b", "ab", True),
        ("[ab]", "a", False),
        ("x[].y", "x[].y", True),
        ("*a" * 50_000, "a" * 100_000, True),
        ("*ab" * 50_000, "a" * 100_000, False),
    ],
)
def test_stars_stand_for_anything(pattern: str, text: str, fits: bool) -> None:
    assert is_like(pattern, text) is fits
