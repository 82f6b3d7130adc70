"""FIX_CYCLE_LOG.md."""

from __future__ import annotations

from textwrap import dedent

from contract_scan.compliance import Violation
from contract_scan.orchestrator.tracking import with_fix_cycle

VIOLATION = Violation(
    check="CONTRACT-002",
    message="`GET /orders` has no route in the code <b>",
    file_path="REQUIREMENTS.md",
    line=5,
    severity="error",
)


def test_rounds_are_added_to_the_log() -> None:
    first = with_fix_cycle("", "contract_missing_endpoint", 1, [VIOLATION], "an agent was asked")
    second = with_fix_cycle(first, "contract_missing_endpoint", 2, [], "nothing was left")
    assert second == dedent("""\
        # Fix cycles

        ## contract_missing_endpoint, round 1

        1 finding; an agent was asked.

        - `CONTRACT-002` in `REQUIREMENTS.md:5`: `GET /orders` has no route in the code &lt;b>

        ## contract_missing_endpoint, round 2

        0 findings; nothing was left.

        """)


def test_a_long_round_is_cut() -> None:
    log = with_fix_cycle("", "xref", 1, [VIOLATION] * 130, "an agent was asked")
    assert log.splitlines()[-1] == "- and 30 more"
