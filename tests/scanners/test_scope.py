"""A report about changed files."""

from __future__ import annotations

from pathlib import Path

import pytest

from contract_scan.ir.origin import Origin
from contract_scan.ir.violation import Finding, Kind, OperationRef, Undetermined
from contract_scan.scanners.report import NO_ROUTES, PromiseCounts, Report, Summary
from contract_scan.scanners.scope import ScanScope, limit
from tests.scanners.builders import at


def finding(code: str, contract: str, reached_from: str = "") -> Finding:
    return Finding(
        rule="CONTRACT-001",
        kind="type",
        severity="error",
        message="",
        origin=at(code),
        contract=at(contract),
        reached_from=Origin(reached_from) if reached_from else None,
    )


MODEL = finding("src/model.py", "openapi.yaml", "src/routes.py")
OTHER = finding("src/other.py", "other.yaml")
DYNAMIC_SEGMENT = Undetermined(rule="CONTRACT-001", reason="?", origin=at("src/model.py"))
REPORT = Report(
    findings=(MODEL, OTHER),
    undetermined=(DYNAMIC_SEGMENT,),
    summary=Summary(operations=PromiseCounts(total=2, violated=2)),
)


@pytest.mark.parametrize(
    ("files", "findings", "undetermined"),
    [
        (["src/model.py"], (MODEL,), (DYNAMIC_SEGMENT,)),
        (["openapi.yaml"], (MODEL,), ()),
        (["src/routes.py"], (MODEL,), ()),
        (["src/other.py", "openapi.yaml"], (MODEL, OTHER), ()),
        (["src"], (MODEL, OTHER), (DYNAMIC_SEGMENT,)),
        (["unrelated.py", "sr"], (), ()),
        ([], (MODEL, OTHER), (DYNAMIC_SEGMENT,)),
    ],
)
def test_what_concerns_the_changed_files_is_kept(
    files: list[str], findings: tuple[Finding, ...], undetermined: tuple[Undetermined, ...]
) -> None:
    report = limit(REPORT, ScanScope("changed", files), Path("/project"))
    assert (report.findings, report.undetermined) == (findings, undetermined)
    assert report.summary == REPORT.summary


def test_paths_may_be_absolute(tmp_path: Path) -> None:
    root = tmp_path / "project"
    root.mkdir()
    link = tmp_path / "link"
    link.symlink_to(root)
    for base in (root, link):
        scope = ScanScope("changed_only", [base / "src" / "model.py", Path("/elsewhere/x.py")])
        assert limit(REPORT, scope, root).findings == (MODEL,)


def test_a_contract_may_stand_beside_the_root(tmp_path: Path) -> None:
    outside = finding("src/a.py", "../contracts/openapi.yaml")
    report = Report(findings=(outside, OTHER))
    scope = ScanScope("changed", [tmp_path / "contracts" / "openapi.yaml"])
    assert limit(report, scope, tmp_path / "project").findings == (outside,)


def test_no_scope_and_a_full_one_keep_everything() -> None:
    assert limit(REPORT, None, Path("/project")) is REPORT
    assert limit(REPORT, ScanScope("full", ["src/model.py"]), Path("/project")) is REPORT


@pytest.mark.parametrize(
    ("path", "removed", "is_told"),
    [
        ("/orders/{id}", "class OrdersController", True),
        ("/orders/{id}", '@app.get("/orders/{id}")', True),
        ("/downloadclient", "class DownloadClientController", True),
        ("/orders", "class BooksController", False),
        ("/me", 'JsonPropertyName("refunded_at")', False),
        ("/me", "router.get('/me', …)", True),
        ("/me", "public User GetMe()", True),
        ("/tag", "class TagsController", True),
        ("/tag", "stage", False),
        ("/", "anything", True),
        ("/orders", None, False),
    ],
)
def test_what_is_missing_is_told_where_the_change_takes_its_name_away(
    path: str, removed: str | None, is_told: bool
) -> None:
    missing = Finding(
        rule="CONTRACT-002",
        kind="missing-endpoint",
        severity="error",
        message="",
        origin=at("openapi.yaml"),
        operation=OperationRef(method="GET", path=path),
    )
    scope = ScanScope("changed", ["src/app.py"], removed)
    report = limit(Report(findings=(missing,)), scope, Path("/project"))
    assert report.findings == ((missing,) if is_told else ())


@pytest.mark.parametrize("kind", ["missing-endpoint", "method", "missing-channel", "missing-model"])
def test_what_is_missing_may_be_told_whatever_changed(kind: Kind) -> None:
    missing = Finding(
        rule="CONTRACT-002", kind=kind, severity="error", message="", origin=at("openapi.yaml")
    )
    no_routes = Undetermined(rule="CONTRACT-002", reason=NO_ROUTES, origin=at("openapi.yaml"))
    report = Report(findings=(missing, MODEL, OTHER), undetermined=(no_routes,))
    scope = ScanScope("changed", ["src/model.py"], includes_missing=True)
    limited = limit(report, scope, Path("/project"))
    assert (limited.findings, limited.undetermined) == ((missing, MODEL), (no_routes,))
