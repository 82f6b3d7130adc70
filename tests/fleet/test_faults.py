"""What goes wrong with some repositories of a fleet: each is named, and the others are compared."""

from __future__ import annotations

import json
from pathlib import Path

from contract_scan.cli import status
from tests.fleet.fleets import OBEYS_PERMISSIONS, run_fleet, shop_in

LEAST_MEMORY = 128
"""MiB. A process that has read a small repository holds about half of that."""


def _large_contract(operations: int) -> str:
    """An OpenAPI document that takes more memory to read than the least that may be allowed."""
    fields = {f"field{n}": {"type": "string"} for n in range(20)}
    content = {"application/json": {"schema": {"type": "object", "properties": fields}}}
    answers = {"200": {"description": "found", "content": content}}
    paths = {f"/things/{n}": {"get": {"responses": answers}} for n in range(operations)}
    return json.dumps({"openapi": "3.0.3", "info": {"title": "t", "version": "1"}, "paths": paths})


def _repository(folder: Path, contract: str) -> None:
    folder.mkdir()
    (folder / "openapi.json").write_text(contract)


def test_each_repository_with_a_fault_is_named_and_the_others_are_compared(tmp_path: Path) -> None:
    listed = shop_in(tmp_path / "shop")
    large = _large_contract(6_000)
    _repository(listed.parent / "large", large)
    _repository(listed.parent / "slow", large)
    _repository(listed.parent / "closed", large)
    (listed.parent / "closed").chmod(0)
    (listed.parent / "file").write_text("no folder")
    listed.write_text(
        f"{listed.read_text()}"
        f"  - path: large\n    memory: {LEAST_MEMORY}\n"
        "  - path: slow\n    seconds: 0.2\n"
        "  - path: closed\n"
        "  - path: file\n"
        f"  - path: {'a-name-that-no-folder-bears' * 10}\n    name: nameless\n"
    )
    run = run_fleet(listed, "--jobs", "2", "--output-format", "json", before=OBEYS_PERMISSIONS)
    (listed.parent / "closed").chmod(0o700)
    assert run.returncode == status.COULD_NOT_JUDGE
    unreadable = "it cannot be read: {}; name a folder that this user may read"
    faults = {
        "closed": unreadable.format("Permission denied"),
        "file": "there is no such folder; check it out there",
        "large": f"more than {LEAST_MEMORY} MiB of memory are needed; give it a larger `memory` in"
        " the list",
        "nameless": unreadable.format("File name too long"),
        "slow": "took longer than 0.2 seconds; give it a larger `seconds` in the list",
    }
    assert run.stderr.splitlines()[-6:] == [
        "contract-scan: 5 repositories were not scanned:",
        *(f"  {name}: {why}" for name, why in faults.items()),
    ]
    report = json.loads(run.stdout)
    assert [(each["path"], each["reason"]) for each in report["not_analysed"]] == [
        (name, f"not scanned: {why}") for name, why in faults.items()
    ]
    assert len(report["problems"]) == 3
