"""Rules for the whole suite."""

from __future__ import annotations

import os
import re
import shutil
import signal
import sys
import tempfile
from collections.abc import Generator
from multiprocessing.util import _run_finalizers
from pathlib import Path

import hypothesis
import pytest

from tests.forked import start_ended_servers
from tests.projects.twins import CLEAN, DRIFTED

# The caches of scanned folders: not those of whoever runs the tests.
_CACHES = tempfile.TemporaryDirectory(prefix="contract-scan-tests-")
os.environ["XDG_CACHE_HOME"] = _CACHES.name
for _variable in ("CONTRACT_SCAN_CACHE_DIR", "CONTRACT_SCAN_CACHE_KEY"):
    os.environ.pop(_variable, None)

# Where Python is told to write no bytecode, every process of every run rewrites the assertions of
# all test files, which takes longer than everything else before the first test. What tests start
# goes by the environment.
sys.dont_write_bytecode = False

# A shell that starts a command in the background has it ignore interrupts, and what ignores them
# hands that on to its children: tests that interrupt a process would wait for ever.
signal.signal(signal.SIGINT, signal.default_int_handler)

# How long one example takes says nothing on a busy machine; `bench/` measures speed.
hypothesis.settings.register_profile("suite", deadline=None)
hypothesis.settings.load_profile("suite")

NO_SKIP = os.environ.get("CONTRACT_SCAN_NO_SKIP") == "1"

REQUIREMENT = re.compile(r"(?:REQ|TECH|WIRE|SVC|INT|SEC|TEST)-\d{3}[A-Z]?")
"""An id of the owner's document."""


def pytest_addoption(parser: pytest.Parser) -> None:
    """`--requirement TEST-018` runs the tests that prove it."""
    parser.addoption(
        "--requirement",
        action="append",
        default=[],
        metavar="ID",
        help="run the tests marked with this id of the owner's document",
    )
    parser.addoption(
        "--list-requirements",
        action="store_true",
        help="with --collect-only: print each id of the owner's document with its tests",
    )


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Refuse ids that no document can have, and select the tests that were asked for."""
    for item in items:
        for identifier in _requirements(item):
            if not REQUIREMENT.fullmatch(identifier):
                raise pytest.UsageError(f"{item.nodeid}: {identifier!r} is no id of a requirement")
    if wanted := set(config.getoption("--requirement")):
        chosen = [item for item in items if wanted & _requirements(item)]
        config.hook.pytest_deselected(items=[item for item in items if item not in chosen])
        items[:] = chosen


def _requirements(item: pytest.Item) -> set[str]:
    return {str(word) for mark in item.iter_markers("requirement") for word in mark.args}


def pytest_collection_finish(session: pytest.Session) -> None:
    """`--collect-only --list-requirements` prints `REQ-017 tests/test_it.py::test_it` lines."""
    if session.config.getoption("--list-requirements"):
        for item in session.items:
            for identifier in sorted(_requirements(item)):
                print(f"{identifier} {item.nodeid}")


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


@pytest.hookimpl(wrapper=True)
def pytest_runtest_teardown() -> Generator[None]:
    """A test that ends what others are forked from fails itself, and the others do not."""
    yield
    if start_ended_servers():
        pytest.fail("the process that tests fork from ended during this test", pytrace=False)


def pytest_sessionfinish(session: pytest.Session) -> None:
    """Leave nothing in the folder of temporary files: the processes of xdist may end without what
    multiprocessing does at exit, and where they do not, nothing is left to be done then."""
    if hasattr(session.config, "workerinput"):
        _run_finalizers()


@pytest.fixture(scope="session")
def bookshop(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The bookshop with the planted drift, for tests that read it alone. It is a copy, since a scan
    of a folder looks through the whole repository around it for types and mounted routers."""
    return Path(shutil.copytree(DRIFTED, tmp_path_factory.mktemp("shop") / DRIFTED.name))


@pytest.fixture(scope="session")
def clean_bookshop(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The same shop without any drift."""
    return Path(shutil.copytree(CLEAN, tmp_path_factory.mktemp("shop") / CLEAN.name))


def _fail(report: pytest.TestReport | pytest.CollectReport) -> None:
    report.outcome = "failed"
    report.longrepr = f"skipped, but nothing may be skipped here: {report.longrepr}"
