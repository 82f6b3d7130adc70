"""What becomes of files when mending does not come to its end."""

from __future__ import annotations

import time
from collections.abc import Sequence
from pathlib import Path

import pytest

from contract_scan.api import scan
from contract_scan.fixes.plan import plan
from contract_scan.fixes.run import run
from contract_scan.ir.violation import Finding
from tests.fixes.projects import java, write


def test_an_interrupted_run_leaves_nothing_that_was_not_looked_at_again(tmp_path: Path) -> None:
    file = write(tmp_path, "App.java", java('String id, @JsonProperty("unit_price") double price'))
    before, during = file.read_bytes(), []
    since = time.time_ns()
    findings = plan(tmp_path, scan(tmp_path, cache=False).findings, since)

    def interrupted() -> Sequence[Finding]:
        during.append(file.read_bytes())
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run(tmp_path, findings, interrupted, unsafe=False)
    assert during == [before.replace(b"unit_price", b"unitPrice")]
    assert file.read_bytes() == before
