"""Documents and code in, report out."""

from __future__ import annotations

import itertools

from contract_scan.ir.document import NotAnalysed
from contract_scan.ir.model import Model
from contract_scan.ir.violation import RULE_IDS as ALL
from contract_scan.scanners.report import PromiseCounts
from contract_scan.scanners.rules import RULES
from contract_scan.scanners.scan import scan_units
from contract_scan.scanners.unit import Unit
from tests.scanners.builders import (
    INTEGER,
    STRING,
    FakeCode,
    asyncapi,
    channel,
    message,
    model,
    obj,
    openapi,
    promised,
    route,
    shared,
    use,
)

GOOD, BAD = obj({"id": STRING}), obj({"id": INTEGER})
SHOP = Unit(
    documents=(
        openapi(
            promised("GET /good", sends=GOOD),
            promised("GET /bad", sends=GOOD, line=2),
            promised("GET /gone", sends=GOOD, line=3),
        ),
        asyncapi(channel("created", "send", message("Created", GOOD)), channel("never", "send")),
        shared(model("Order", GOOD), model("Unused", GOOD)),
    ),
    code=FakeCode(
        operations=[
            route("GET /good", sends=GOOD),
            route("GET /bad", sends=BAD, line=5),
            route("GET /more", line=9),
        ],
        events=[use("send", "created", GOOD)],
        models=[Model(name="Order", schema=GOOD, language="python")],
    ),
)


def kinds(report: object) -> list[str]:
    return [f"{f.rule} {f.kind}" for f in report.findings]  # type: ignore[attr-defined]


def test_everything_is_counted() -> None:
    report = scan_units([SHOP], files=7)
    assert kinds(report) == [
        "CONTRACT-001 type",
        "CONTRACT-002 undocumented-endpoint",
        "CONTRACT-003 missing-channel",
        "CONTRACT-002 missing-endpoint",
    ]
    assert report.summary.operations == PromiseCounts(total=3, verified=1, violated=1, missing=1)
    assert report.summary.channels == PromiseCounts(total=2, verified=1, missing=1)
    assert report.summary.models == PromiseCounts(total=2, verified=1, absent=1)
    assert (report.not_analysed, report.files) == ((), 7)


def test_findings_are_sorted_and_have_different_fingerprints() -> None:
    findings = scan_units([SHOP]).findings
    places = [(f.origin.path, f.origin.span.line, f.origin.span.column, f.rule) for f in findings]
    assert places == sorted(places)
    assert len({f.fingerprint for f in findings}) == len(findings)


def test_the_order_of_units_does_not_matter() -> None:
    units = [Unit(documents=(document,), code=SHOP.code) for document in SHOP.documents]
    first, *others = [scan_units(list(order)) for order in itertools.permutations(units)]
    assert all(report == first for report in others)


def test_what_two_documents_promise_of_the_same_code_is_said_once() -> None:
    bundle = openapi(promised("GET /a", sends=GOOD), path="bundle.yaml")
    fragment = openapi(promised("GET /a", sends=GOOD), path="fragment.yaml")
    unit = Unit(documents=(bundle, fragment), code=FakeCode([route("GET /a", sends=BAD)]))
    report = scan_units([unit])
    assert kinds(report) == ["CONTRACT-001 type"]
    assert report.summary.operations == PromiseCounts(total=2, violated=2)


def test_rules_can_be_selected() -> None:
    for rule in RULES:
        assert {f.rule for f in scan_units([SHOP], select={rule.id}).findings} <= {rule.id}
    only = scan_units([SHOP], select={"CONTRACT-001"})
    assert only.summary.operations == PromiseCounts(total=3, verified=1, violated=1, undetermined=1)
    assert only.summary.channels == PromiseCounts()
    assert scan_units([SHOP], select=()).summary.operations == PromiseCounts()
    assert {f"CONTRACT-00{number}" for number in range(5)} == ALL


def test_finding_nothing_to_look_at_is_a_problem() -> None:
    documents = (
        openapi(promised("GET /a"), promised("GET /b")),
        asyncapi(channel("created", "send")),
        shared(model("Order", GOOD)),
    )
    unit = Unit(
        documents=documents,
        code=FakeCode(),
        looked_for=("FastAPI", "Flask"),
        looked_for_events=("aiokafka",),
    )
    report = scan_units([unit])
    assert report.findings == ()
    assert report.not_analysed == (
        NotAnalysed(
            path="openapi.yaml",
            reason="2 operations are contracted, but not one route was recognised in the code"
            "; looked for FastAPI, Flask",
            code="no-route-for-contract",
        ),
        NotAnalysed(
            path="asyncapi.yaml",
            reason="1 channel is contracted, but not one place that sends or receives events was"
            " recognised in the code; looked for aiokafka",
            code="no-events-for-contract",
        ),
    )
    assert report.summary.operations == PromiseCounts(total=2, undetermined=2)
    assert report.summary.channels == PromiseCounts(total=1, undetermined=1)


def test_an_empty_contract_is_no_problem() -> None:
    report = scan_units([Unit(documents=(openapi(), asyncapi()), code=FakeCode())])
    assert (report.findings, report.not_analysed) == ((), ())


def test_problems_of_contracts_and_code_are_passed_on() -> None:
    lost = NotAnalysed(path="broken.py", reason="not Python", fatal=False)
    unit = Unit(documents=(), code=FakeCode(problems=[lost]))
    assert scan_units([unit, unit]).not_analysed == (lost,)
