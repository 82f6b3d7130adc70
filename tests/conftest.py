"""Rules for the whole suite."""

from __future__ import annotations

import os
from collections.abc import Generator
from multiprocessing.util import _run_finalizers

import pytest

NO_SKIP = os.environ.get("CONTRACT_SCAN_NO_SKIP") == "1"


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Where nothing may be skipped, a skipped test is a failed one."""
    report = yield
    if NO_SKIP and report.skipped:
        _fail(report)
    return report


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report(
    collector: pytest.Collector,
) -> Generator[None, pytest.CollectReport, pytest.CollectReport]:
    """The same for whole files."""
    report = yield
    if NO_SKIP and report.skipped:
        _fail(report)
    return report


def pytest_sessionfinish(session: pytest.Session) -> None:
    """Leave nothing in the folder of temporary files: the processes of xdist may end without what
    multiprocessing does at exit, and where they do not, nothing is left to be done then."""
    if hasattr(session.config, "workerinput"):
        _run_finalizers()


def _fail(report: pytest.TestReport | pytest.CollectReport) -> None:
    report.outcome = "failed"
    report.longrepr = f"skipped, but nothing may be skipped here: {report.longrepr}"
