"""However a scan is run, it says the same, byte for byte."""

from __future__ import annotations

import os
import random
import shutil
import subprocess
import sys
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from pathlib import Path

import msgspec
import pytest

import contract_scan.api
import contract_scan.flow
from contract_scan.api import extract, scan
from contract_scan.scanners.report import Report
from tests.caches import entries

BOOKSHOP = Path(__file__).parents[2] / "fixtures" / "projects" / "bookshop"


@pytest.fixture
def project(tmp_path: Path) -> Path:
    return Path(shutil.copytree(BOOKSHOP, tmp_path / "project"))


@pytest.fixture(scope="module")
def uncached(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """What a scan in one process says that keeps nothing; in any copy, since paths in it are
    relative to the root."""
    project = shutil.copytree(BOOKSHOP, tmp_path_factory.mktemp("uncached") / "project")
    return encoded(scan(Path(project), cache=False))


def encoded(report: Report) -> bytes:
    return msgspec.json.encode(report)


def test_the_prefilter_loses_nothing(project: Path, uncached: bytes) -> None:
    assert encoded(scan(project, cache=False, prefilter=False)) == uncached


def test_the_prefilter_loses_no_route_and_no_event(project: Path) -> None:
    with_filter = extract(project, cache=False, models=False)
    without = extract(project, cache=False, models=False, prefilter=False)
    assert with_filter.endpoints == without.endpoints
    assert with_filter.events == without.events


def test_a_second_run_from_the_cache_says_the_same(project: Path, uncached: bytes) -> None:
    _make_old(project)
    cold = scan(project, cache=True)
    assert entries(project, "pack")
    warm = scan(project, cache=True)
    assert encoded(cold) == encoded(warm) == uncached


def test_a_changed_file_is_read_again_and_a_restored_one_as_before(project: Path) -> None:
    _make_old(project)
    before = scan(project, cache=True)
    changed = project / "services" / "orders" / "orders" / "api" / "orders.py"
    text = changed.read_text(encoding="utf-8")
    changed.write_text(text.replace('"/{', '"/moved/{'), encoding="utf-8")
    assert encoded(scan(project, cache=True)) == encoded(scan(project, cache=False))
    assert encoded(scan(project, cache=True)) != encoded(before)
    changed.write_text(text, encoding="utf-8")
    assert encoded(scan(project, cache=True)) == encoded(before)


def test_a_damaged_cache_changes_nothing(project: Path) -> None:
    _make_old(project)
    before = scan(project, cache=True)
    for file in entries(project, "pack"):
        file.write_bytes(b"garbage" * 1000)
    assert encoded(scan(project, cache=True)) == encoded(before)


def test_any_executor_parses_the_same(project: Path, uncached: bytes) -> None:
    with ThreadPoolExecutor(2) as threads:
        assert encoded(scan(project, cache=False, executor=threads)) == uncached
    with ProcessPoolExecutor(2) as processes:
        assert encoded(scan(project, cache=False, executor=processes)) == uncached


def test_several_processes_say_the_same_as_one(
    project: Path, uncached: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(contract_scan.flow, "PROCESSES_PAY_ABOVE", 1)
    assert encoded(scan(project, cache=False, jobs=2)) == uncached


def test_the_order_of_contracts_does_not_matter(project: Path) -> None:
    found = sorted(p for p in project.rglob("*") if _is_contract(p))
    shuffled = random.Random(7).sample(found, len(found))
    assert shuffled != found
    one = scan(project, cache=False, contracts=found)
    other = scan(project, cache=False, contracts=shuffled)
    assert encoded(one) == encoded(other)


def test_neither_hash_seed_nor_working_directory_matters(project: Path, tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    outputs = {
        _report_of_a_process(project, seed=seed, cwd=cwd)
        for seed, cwd in (("0", project), ("1", elsewhere), ("4242", tmp_path))
    }
    assert len(outputs) == 1


def _report_of_a_process(project: Path, *, seed: str, cwd: Path) -> bytes:
    program = (
        "import sys, msgspec; from pathlib import Path; from contract_scan.api import scan\n"
        "report = scan(Path(sys.argv[1]), cache=False)\n"
        "sys.stdout.buffer.write(msgspec.json.encode(report))"
    )
    root = str(Path(contract_scan.api.__file__).parents[1])
    environment = {**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": root}
    return subprocess.run(
        [sys.executable, "-c", program, str(project)],
        cwd=cwd,
        env=environment,
        check=True,
        capture_output=True,
    ).stdout


def _is_contract(path: Path) -> bool:
    named = path.name in ("openapi.yaml", "openapi.json", "asyncapi.yaml")
    return named or path.name.endswith(".schema.json")


def _make_old(project: Path) -> None:
    """Files that changed just now are not trusted by their time; give them an older one."""
    for path in project.rglob("*"):
        os.utime(path, (1_700_000_000, 1_700_000_000))
