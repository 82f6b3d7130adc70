"""The page in a real browser: what a person sees, types and can reach by keyboard."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from contract_scan.cli.main import main
from contract_scan.reports.html import render
from tests.reports.browser import Browser, browser
from tests.reports.hostile import HOSTILE
from tests.reports.samples import project

TAB = "\ue004"
PROBLEMS = (
    "[...document.querySelectorAll('#list > article')].reduce((n, a) => n + +a.dataset.problems, 0)"
)
VISIBLE = "[...document.querySelectorAll('#list > article')].filter(a => a.offsetHeight)"


@pytest.fixture(scope="module")
def page(bookshop: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The report of the bookshop, as the command writes it."""
    file = tmp_path_factory.mktemp("page") / "report.html"
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(bookshop)
        words = ["check", "--no-cache", "--isolated", "--output-format", f"html={file}"]
        assert main(words) == 1
    return file


@pytest.fixture(scope="module")
def desktop(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    with browser(1280, 900, tmp_path_factory.mktemp("profile")) as opened:
        yield opened


@pytest.fixture(scope="module")
def phone(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    with browser(390, 844, tmp_path_factory.mktemp("profile")) as opened:
        yield opened


def status(opened: Browser) -> str:
    return str(opened.run("document.getElementById('shown').textContent"))


def test_it_is_drawn_without_a_complaint_and_without_the_network(
    desktop: Browser, page: Path
) -> None:
    desktop.open(page)
    total = desktop.run(PROBLEMS)
    assert total > desktop.run("document.querySelectorAll('#list > article').length") > 50
    assert status(desktop) == f"All {total} shown."
    assert desktop.run("performance.getEntriesByType('resource').length") == 0
    assert desktop.complaints() == []
    services = desktop.run(
        "[...document.querySelectorAll('.matrix tbody th')].map(cell => cell.textContent)"
    )
    assert {"admin", "catalog", "gateway", "orders", "payments"} <= set(services)
    assert desktop.run("document.querySelectorAll('.drawing .line').length") > 10


def test_search_and_choices_narrow_the_list(desktop: Browser, page: Path) -> None:
    desktop.open(page)
    desktop.press("/")
    desktop.press("orders missing-endpoint")
    shown = desktop.run(f"{VISIBLE}.map(a => a.textContent)")
    assert 0 < len(shown) < 10
    assert [text for text in shown if "missing-endpoint" not in text] == []
    total = desktop.run("document.querySelectorAll('#list > article').length")
    count = desktop.run(f"{VISIBLE}.reduce((n, a) => n + +a.dataset.problems, 0)")
    assert status(desktop) == f"{count} of {desktop.run(PROBLEMS)} shown."
    desktop.click("#filter button")
    assert desktop.run(f"{VISIBLE}.length") == total
    desktop.click("input[value=error]")
    assert desktop.run(f"{VISIBLE}.every(a => a.dataset.severity === 'warning')") is True
    desktop.run("document.querySelector('select[name=rule]').focus()")
    desktop.press("CONTRACT-002")
    left = desktop.run(f"{VISIBLE}.map(a => a.dataset.rule)")
    assert set(left) == {"CONTRACT-002"}


def test_fixes_can_be_chosen_and_read(desktop: Browser, page: Path) -> None:
    desktop.open(page)
    desktop.run("document.querySelector('select[name=fix]').focus()")
    desktop.press("safe")
    fixes = desktop.run(f"{VISIBLE}.map(a => a.querySelector('figure.fix').textContent)")
    assert fixes
    assert [fix for fix in fixes if not fix.startswith("safe fix ")] == []
    assert [fix for fix in fixes if "contract-scan check --fix" not in fix] == []
    assert desktop.run(f"{VISIBLE}.every(a => a.querySelector('figure.fix ins'))") is True
    desktop.click("#filter button")


def test_every_control_can_be_reached_by_keyboard(desktop: Browser, page: Path) -> None:
    desktop.open(page)
    reached = []
    for _ in range(60):
        desktop.press(TAB)
        reached.append(desktop.run("document.activeElement.name || document.activeElement.tagName"))
        if reached[-1] == "PRE":
            break
    assert reached[0] == "A"
    assert {"words", "severity", "rule", "kind", "service", "SUMMARY", "BUTTON"} <= set(reached)
    outline = "getComputedStyle(document.activeElement).outlineStyle"
    assert desktop.run(outline) == "solid"


def test_a_phone_needs_no_scrolling_sideways(phone: Browser, page: Path) -> None:
    phone.open(page)
    assert phone.run("window.innerWidth") == 390
    assert phone.run("document.documentElement.scrollWidth") <= 390
    wide = (
        "[...document.querySelectorAll('h1,h2,h3,p,th,td,form,.card,.finding,figcaption')]"
        ".filter(e => e.getBoundingClientRect().right > 391).length"
    )
    assert phone.run(wide) == 0
    contract = (
        "getComputedStyle(document.querySelector('.matrix td:not(.none)'), '::before').content"
    )
    assert phone.run(contract) == '"contracts/asyncapi.yaml"'
    assert phone.run("document.querySelector('.drawing').getBoundingClientRect().width") == 0
    assert float(phone.run("getComputedStyle(document.body).fontSize").removesuffix("px")) >= 16


def test_foreign_text_does_nothing(desktop: Browser, tmp_path: Path) -> None:
    written = "".join(render(HOSTILE, project(tmp_path / "shop")))
    (tmp_path / "hostile.html").write_text(written, encoding="utf-8")
    desktop.open(tmp_path / "hostile.html")
    counts = "['script', 'img', 'iframe', 'base'].map(t => document.querySelectorAll(t).length)"
    assert desktop.run(counts) == [1, 0, 0, 0]
    assert "<script>alert(1)</script>" in desktop.run("document.getElementById('list').textContent")
    assert desktop.complaints() == []
