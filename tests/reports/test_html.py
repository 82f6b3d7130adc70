"""The page as text: what is in it, and that nothing foreign acts."""

from __future__ import annotations

import re
from collections import Counter
from html.parser import HTMLParser
from pathlib import Path

import msgspec

from contract_scan.ir.origin import Origin, Span
from contract_scan.ir.promise import Promise, PromisePart, Service
from contract_scan.reports.html import render
from contract_scan.reports.html_elements import element
from contract_scan.reports.html_matrix import cells_of
from contract_scan.reports.rule_url import REPOSITORY, rule_url
from contract_scan.scanners.report import Report
from tests.reports.hostile import HOSTILE, NASTY
from tests.reports.samples import ALIKE, BUSY, CLEAN, FIXABLE, project

HERE = Origin("src/orders.py", Span(1, 1, 1, 2))
SERVICES = (Service("shop", ""), Service("orders", "src"))


def promise(name: str, state: str, *parts: tuple[str, str, str], sort: str = "channel") -> Promise:
    return msgspec.convert(
        {
            "sort": sort,
            "contract": "contracts/models/order.json" if sort == "model" else "events.yaml",
            "name": name,
            "service": "shop",
            "state": state,
            "origin": HERE,
            "parts": [
                {"service": service, "role": role, "state": of, "origin": HERE}
                for service, role, of in parts
            ],
        },
        Promise,
        from_attributes=True,
    )


PROMISES = (
    promise("GET /orders", "verified", ("shop", "provides", "verified"), sort="operation"),
    promise(
        "placed", "violated", ("orders", "sends", "violated"), ("shop", "receives", "verified")
    ),
    promise("closed", "missing"),
    promise("Order", "verified", ("orders", "has", "verified"), sort="model"),
)


class Page(HTMLParser):
    """Tags, identifiers and text of a page."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.tags: Counter[str] = Counter()
        self.attributes: list[tuple[str, str | None]] = []
        self.open: list[str] = []
        self.text = ""
        self.feed(html)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags[tag] += 1
        self.attributes += attrs
        if tag not in ("meta", "input"):
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if self.open and self.open[-1] not in ("script", "style"):
            self.text += data


def page(report: Report, tmp_path: Path) -> Page:
    parsed = Page("".join(render(report, project(tmp_path / "shop"))))
    assert parsed.open == []
    return parsed


def test_a_busy_scan_has_every_part(tmp_path: Path) -> None:
    report = msgspec.structs.replace(BUSY, promises=PROMISES, services=SERVICES)
    shown = page(report, tmp_path)
    ids = {value for key, value in shown.attributes if key == "id"}
    assert {"matrix", "map", "findings", "undetermined", "unread"} <= ids
    for said in (
        "Found 3 problems (2 errors, 1 warning); 4 files read; the scan is incomplete.",
        "POST /orders is contracted, but no route answers it",
        "return JSONResponse(order, status_code=201)",
        '"200": { description: ok }',
        "found: 201",
        "expected: 200",
        "reached from src/orders.py:6:1",
        "1 × the handler's return type is declared as any",
        "src/old.py:3 is not UTF-8; save it as UTF-8",
    ):
        assert said in shown.text
    links = [value for key, value in shown.attributes if key == "href"]
    pages = {rule_url(problem.name) for problem in report.problems}
    assert {link for link in links if link} - pages <= {f"#{name}" for name in ids}
    assert pages <= set(links)


def test_a_fix_is_shown_with_its_finding(tmp_path: Path) -> None:
    shown = page(Report(findings=FIXABLE), tmp_path)
    kinds = [value for key, value in shown.attributes if key == "data-fix"]
    assert sorted(map(str, kinds)) == ['["no fix"]', '["safe fix"]', '["unsafe fix"]']
    for said in (
        "safe fix answer with status 200 in src/orders.py: contract-scan check --fix",
        "    7 -     return JSONResponse(order, status_code=201)\n"
        "    7 +     return JSONResponse(order, status_code=200)\n",
        "unsafe fix add note to the contract in contracts/orders.yaml: "
        "contract-scan check --fix --unsafe-fixes",
        "   14 +         line0: 0\n",
        "8 more lines",
    ):
        assert said in shown.text
    assert (shown.tags["del"], shown.tags["ins"], shown.tags["details"]) == (1, 21, 1)


def test_a_mark_of_three_characters_is_no_heading_of_a_log_to_a_browser(tmp_path: Path) -> None:
    narrow = msgspec.structs.replace(
        BUSY.findings[0], origin=Origin("src/orders.py", Span(7, 5, 7, 8)), found="string"
    )
    shown = page(msgspec.structs.replace(BUSY, findings=(narrow,)), tmp_path)
    assert "\n          ^^^ found: string\n" in shown.text


def test_what_a_reason_or_a_help_quotes_is_code(tmp_path: Path) -> None:
    open_ = tuple(
        msgspec.structs.replace(each, reason="`load` is <unknown>") for each in BUSY.undetermined
    )
    helped = tuple(msgspec.structs.replace(each, help="call `save`") for each in BUSY.findings)
    report = msgspec.structs.replace(BUSY, undetermined=open_, findings=helped)
    html = "".join(render(report, project(tmp_path / "shop")))
    assert "<code>load</code> is &lt;unknown&gt;</summary>" in html
    assert "<b>help: </b>call <code>save</code></li>" in html


def test_problems_that_read_alike_are_one_entry_of_all_their_places(tmp_path: Path) -> None:
    shown = page(Report(findings=ALIKE), tmp_path)
    assert shown.tags["article"] == 1
    assert [value for key, value in shown.attributes if key == "data-problems"] == ["3"]
    assert (
        "Place0.run returns 400, which the contract does not define; 2 more functions do the same"
    ) in shown.text
    assert shown.text.count(" at src/place") == 3


def test_a_clean_scan_says_so(tmp_path: Path) -> None:
    shown = page(CLEAN, tmp_path)
    assert "No violation in 1 file; 2 of 2 operations verified." in shown.text
    assert shown.tags["article"] == shown.tags["form"] == 0


def test_a_promise_counts_for_every_service_that_has_a_part_in_it() -> None:
    cells = cells_of(Report(promises=PROMISES))
    assert {key: dict(counts) for key, counts in cells.items()} == {
        ("shop", "events.yaml"): {"verified": 2, "missing": 1},
        ("orders", "events.yaml"): {"violated": 1},
        ("orders", "contracts/models/"): {"verified": 1},
    }


def test_what_nobody_sends_is_missing_where_only_its_receiver_is() -> None:
    """The sum counts it as missing; a table that calls it violated would look wrong."""
    receiver = PromisePart(service="orders", role="receives", state="violated", origin=HERE)
    promise = Promise(
        sort="channel",
        contract="events.yaml",
        name="orders.late",
        service="orders",
        state="missing",
        origin=HERE,
        parts=(receiver,),
    )
    assert cells_of(Report(promises=(promise,))) == {("orders", "events.yaml"): {"missing": 1}}


def test_foreign_text_stays_text(tmp_path: Path) -> None:
    hostile = Promise(
        sort="channel",
        contract=NASTY,
        name=NASTY,
        service=NASTY,
        state="violated",
        origin=HERE,
        parts=(PromisePart(service=NASTY, role="sends", state="violated", origin=HERE),),
    )
    report = msgspec.structs.replace(
        HOSTILE, promises=(hostile,), services=(Service(NASTY, ""), Service("<b>", "src"))
    )
    shown = page(report, tmp_path)
    assert (shown.tags["script"], shown.tags["style"], shown.tags["img"]) == (1, 1, 0)
    assert [key for key, _ in shown.attributes if key.startswith("on") or key == "style"] == []
    assert "<script>alert(1)</script>" in shown.text
    assert not {"\x1b", "\u202e", "\ud800"} & set(shown.text)


def test_nothing_is_fetched_and_only_its_own_script_may_run(tmp_path: Path) -> None:
    written = "".join(render(BUSY, project(tmp_path / "shop")))
    shown = Page(written)
    assert [key for key, _ in shown.attributes if key in ("src", "srcset", "action")] == []
    assert "://" not in written.replace(f'href="{REPOSITORY}/', "")  # the pages of rules
    policy = next(v for k, v in shown.attributes if k == "content" and v and "default-src" in v)
    pattern = (
        r"default-src 'none'; style-src 'sha256-[\w+/=]{44}'; script-src 'sha256-[\w+/=]{44}'; "
        r"base-uri 'none'; form-action 'none'"
    )
    assert re.fullmatch(pattern, policy)


def test_the_same_report_gives_the_same_bytes(tmp_path: Path) -> None:
    setting = project(tmp_path / "shop")
    turned = msgspec.structs.replace(BUSY, findings=BUSY.findings[::-1])
    assert "".join(render(BUSY, setting)) == "".join(render(turned, setting))


def test_elements() -> None:
    made = element(
        "a", "<&\"'", element("br"), 3, None, class_="x", data_y='"', hidden=True, id=None
    )
    assert made.html == '<a class="x" data-y="&quot;" hidden>&lt;&amp;&quot;&#x27;<br>3</a>'
