"""The command on a fleet of five repositories in four languages."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from contextlib import closing
from pathlib import Path
from typing import Any, NamedTuple

import msgspec
import psutil
import pytest

import contract_scan
from contract_scan import to_json
from contract_scan.cli import status
from contract_scan.fleet.executors import open_executor
from contract_scan.fleet.journal import Journal
from contract_scan.fleet.reader_process import ReadAnswer, read_batch
from contract_scan.fleet.reading import ReadRequest
from contract_scan.fleet.repositories import read_repositories
from contract_scan.fleet.run import FinishedRepository, scan_fleet
from tests.fleet.fleets import NAMES, run_fleet, shop_in
from tests.forked import forked_python


class ShopRun(NamedTuple):
    listed: Path
    cache: Path
    report: bytes
    teams: str
    first: subprocess.CompletedProcess[str]


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> ShopRun:
    """The shop, and what a first run with a process for each of two said of it."""
    folder = tmp_path_factory.mktemp("fleet")
    listed, cache = shop_in(folder / "shop"), folder / "cache"
    report, teams = folder / "report.json", folder / "teams.md"
    first = run_fleet(
        listed,
        *("--jobs", "2", "--team-report", str(teams)),
        *("--output-format", f"json={report}", "--output-format", "concise"),
        cache=cache,
    )
    return ShopRun(listed, cache, report.read_bytes(), teams.read_text(), first)


def _document(report: bytes) -> dict[str, Any]:
    document: dict[str, Any] = json.loads(report)
    return document


def test_contracts_of_one_repository_are_held_against_code_of_the_others(shop: ShopRun) -> None:
    assert shop.first.returncode == status.VIOLATIONS
    assert shop.first.stdout.splitlines()[:3] == [
        "billing/send.py:7:5: CONTRACT-003/name-case [error] the message to `order.created` has"
        " `order_id` instead of `orderId`",
        "crm/Customer.cs:3:51: CONTRACT-004/nullable [error] C# `Customer` may have `email: null`,"
        " which the contract does not allow",
        "mailer/src/main/java/shop/Listener.java:8:69: CONTRACT-003/extra-field [warning] the"
        " consumer of `order.created` reads `currency`, which the contract does not define",
    ]
    summary = _document(shop.report)["summary"]
    assert (summary["operations"], summary["verified"]) == (1, 1)
    assert summary["channels"]["violated"] == summary["models"]["violated"] == 1


def test_each_repository_is_told_when_it_is_finished(shop: ShopRun) -> None:
    lines = shop.first.stderr.splitlines()
    assert [line.partition(" ")[0] for line in lines] == [f"[{n}/5]" for n in range(1, 6)]
    said = {re.sub(r"^\[\d/5] |, \d+\.\d s$", "", line) for line in lines}
    assert said == {
        *(f"{name}: 1 file" for name in NAMES if name != "schemas"),
        "schemas: 0 files",
    }


def test_each_team_has_its_share(shop: ShopRun) -> None:
    assert shop.teams == (
        "| team | repositories | errors | warnings | promises | verified | partly |"
        " violated or missing | undetermined | not scanned |\n"
        "|---|--:|--:|--:|--:|--:|--:|--:|--:|---|\n"
        "| Mail | 1 | 0 | 1 | 0 | 0 | 0 | 0 | 0 |  |\n"
        "| Money | 1 | 1 | 0 | 0 | 0 | 0 | 0 | 0 |  |\n"
        "| Orders | 1 | 0 | 0 | 2 | 1 | 0 | 1 | 0 |  |\n"
        "| Platform | 1 | 0 | 0 | 1 | 0 | 0 | 1 | 0 |  |\n"
        "| Sales | 1 | 1 | 0 | 0 | 0 | 0 | 0 | 0 |  |\n"
    )


@pytest.mark.parametrize("options", [("--jobs", "1"), ("--no-cache",)])
def test_neither_jobs_nor_cache_change_a_byte(shop: ShopRun, options: tuple[str, ...]) -> None:
    cache = None if "--no-cache" in options else shop.cache
    again = run_fleet(
        shop.listed, *options[: 2 * (cache is not None)], "--output-format", "json", cache=cache
    )
    assert again.stdout.encode() == shop.report


def test_an_interrupted_run_goes_on_where_it_was(shop: ShopRun, tmp_path: Path) -> None:
    cache = tmp_path / "cache"
    command = [sys.executable, "-m", "contract_scan", "fleet", str(shop.listed), "--jobs", "1"]
    running = subprocess.Popen(
        [*command, "--cache-dir", str(cache)],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert running.stderr is not None
    finished = [running.stderr.readline().split()[1] for _ in range(2)]
    running.kill()
    running.communicate()
    resumed = run_fleet(shop.listed, "--resume", "--output-format", "json", cache=cache)
    assert resumed.stdout.encode() == shop.report
    lines = resumed.stderr.splitlines()
    before = {line.split()[1] for line in lines if line.endswith("(read before)")}
    assert len(lines) == 5
    assert before.issuperset(finished)
    assert len(before) < 5


def test_what_cannot_be_read_is_named_and_the_fleet_goes_on(tmp_path: Path) -> None:
    listed = shop_in(tmp_path / "shop")
    broken = tmp_path / "shop" / "broken"
    broken.mkdir()
    (broken / "contract-scan.toml").write_text("nonsense = \n")
    (broken / "app.py").write_text("")
    text = listed.read_text()
    mail = "  - path: broken\n    team: Mail\n    name: api/broken\n"
    listed.write_text(f"{text}  - path: gone\n    team: Money\n{mail}")
    teams = tmp_path / "teams.json"
    run = run_fleet(listed, "--output-format", "json", "--team-report", str(teams))
    assert run.returncode == status.COULD_NOT_JUDGE
    missing = "not scanned: there is no such folder; check it out there"
    invalid = (
        f"not scanned: {broken.resolve()}/contract-scan.toml:1: is not valid TOML: Invalid value"
    )
    document = json.loads(run.stdout)
    assert [(each["path"], each["reason"]) for each in document["not_analysed"]] == [
        ("api/broken", invalid),
        ("gone", missing),
    ]
    assert not os.path.lexists(tmp_path / "shop" / "api" / "broken"), "nothing is written there"
    assert len(document["problems"]) == 3
    assert run.stderr.splitlines()[-3:] == [
        "contract-scan: 2 repositories were not scanned:",
        f"  api/broken: {invalid.removeprefix('not scanned: ')}",
        f"  gone: {missing.removeprefix('not scanned: ')}",
    ]
    shares = {each["team"]: each["not_scanned"] for each in json.loads(teams.read_text())["teams"]}
    assert (shares["Money"], shares["Mail"]) == (["gone"], ["api/broken"])


def test_a_repository_that_takes_too_long_is_ended_and_named(tmp_path: Path) -> None:
    listed = shop_in(tmp_path / "shop")
    text = listed.read_text()
    listed.write_text(text.replace("- path: api", "- path: api\n    seconds: 0.01"))
    run = run_fleet(listed, "--jobs", "1", "--output-format", "json")
    assert run.returncode == status.COULD_NOT_JUDGE
    document = json.loads(run.stdout)
    why = "took longer than 0.01 seconds; give it a larger `seconds` in the list"
    problems = [(each["path"], each["reason"]) for each in document["not_analysed"]]
    assert problems == [("api", f"not scanned: {why}")]
    assert [each["model"] for each in document["findings"]] == ["Customer"]
    assert run.stderr.splitlines()[-1] == f"  api: {why}"


def test_a_process_that_is_killed_costs_nothing(shop: ShopRun) -> None:
    """Every process that reads is killed once, when the first repository is finished."""
    repositories = read_repositories(shop.listed)
    killed: list[int] = []

    def kill_readers(_: FinishedRepository) -> None:
        if killed:
            return
        for process in psutil.Process().children(recursive=True):
            if "contract_scan.fleet.reader_process" in process.cmdline():
                process.kill()
                killed.append(process.pid)

    with (
        open_executor("processes", 2) as opened,
        closing(Journal(str(shop.listed), place=False)) as journal,
    ):
        outcome = scan_fleet(
            repositories, opened, cache=False, journal=journal, finished=kill_readers
        )
    assert killed
    assert outcome.failures == {}
    assert to_json(outcome.report).encode() == shop.report


def test_what_is_undetermined_is_so_for_the_reasons_of_a_check(tmp_path: Path) -> None:
    """Reasons go from process to process with their codes."""
    listed = shop_in(tmp_path / "shop")
    billing = listed.parent / "billing"
    shutil.copy(listed.parent / "api" / "asyncapi.yaml", billing)
    sender = (billing / "send.py").read_text()
    (billing / "send.py").write_text(
        f"{sender}\n\nasync def forward(topic, event) -> None:\n"
        "    await producer.send_and_wait(topic, json.dumps(event).encode())\n\n\n"
        "async def again(event) -> None:\n"
        '    await producer.send_and_wait("order.created", json.dumps(event).encode())\n'
    )
    alone = tmp_path / "fleet.txt"
    alone.write_text("shop/billing\n")
    fleet = json.loads(run_fleet(alone, "--output-format", "json").stdout)
    check = subprocess.run(
        [forked_python(), "-m", "contract_scan", "check", str(billing), "--output-format", "json"],
        capture_output=True,
        check=False,
    )
    expected = json.loads(check.stdout)["undetermined"]
    for each in expected:
        each["path"] = f"shop/billing/{each['path']}"
    assert expected
    assert fleet["undetermined"] == expected


def test_a_wrong_executor_is_one_line(shop: ShopRun) -> None:
    run = run_fleet(shop.listed, "--executor", "slurm:x")
    assert (run.returncode, run.stderr) == (
        status.COULD_NOT_JUDGE,
        "contract-scan: unknown executor `slurm`; known are dask, processes\n",
    )


def test_two_versions_share_a_cache_and_take_nothing_of_each_other(tmp_path: Path) -> None:
    """One repository is missing, so that what the other version read is kept to be resumed."""
    listed = shop_in(tmp_path / "shop")
    listed.write_text(f"{listed.read_text()}  - path: gone\n")
    other = tmp_path / "other"
    shutil.copytree(
        Path(contract_scan.__file__).parent,
        other / "contract_scan",
        ignore=shutil.ignore_patterns("__pycache__"),
    )
    version = f'__version__ = "{contract_scan.__version__}"'
    package = other / "contract_scan" / "__init__.py"
    assert version in package.read_text()
    package.write_text(package.read_text().replace(version, '__version__ = "0.0.1"'))
    cache = tmp_path / "cache"
    command = [sys.executable, "-P", "-m", "contract_scan", "fleet", str(listed), "--cache-dir"]
    of_other = subprocess.run(
        [*command, str(cache), "--output-format", "json"],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(other)},
        capture_output=True,
        text=True,
        check=False,
    )
    resumed = run_fleet(listed, "--resume", "--output-format", "json", cache=cache)
    assert "(read before)" not in resumed.stderr
    assert resumed.stdout == of_other.stdout
    assert len(json.loads(resumed.stdout)["problems"]) == 3


def test_a_worker_of_another_version_reads_nothing() -> None:
    request = ReadRequest(name="api", root="/", seconds=1, memory=256, version="0.0.1")
    (encoded,) = read_batch([msgspec.msgpack.encode(request)])
    why = f"the machine that read it has contract-scan {contract_scan.__version__}, not 0.0.1"
    assert msgspec.msgpack.decode(encoded, type=ReadAnswer) == ReadAnswer(
        "api", failure=f"{why}; install the same on all"
    )
