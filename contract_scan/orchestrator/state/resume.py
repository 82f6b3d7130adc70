"""What agents have to know of the run that is resumed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from contract_scan.orchestrator.state.records import ContractReport, RunState
from contract_scan.reports.markdown_text import code

_MOST: Final = 100
"""Names in one list."""


def build_resume_context(state: RunState) -> str:
    """The state of an interrupted run as Markdown for a prompt (REQ-063).

    Ids and paths stand in code spans, and nothing else is quoted.
    """
    return "\n".join(_lines(state)) + "\n"


def _lines(state: RunState) -> Iterator[str]:
    yield "# Resumed run"
    yield ""
    if state.current_stage or not state.completed_stages:
        where = code(state.current_stage) if state.current_stage else "its first stage"
        how = f"The run was interrupted in {where}."
    else:
        how = "Milestones of the run failed, and are built again."
    yield f"{how} What is completed must not be done again."
    if state.completed_stages:
        yield from _list_section("Completed stages", state.completed_stages)
    if state.completed_tasks:
        yield from _list_section("Completed tasks", state.completed_tasks)
    if state.milestones:
        yield from ("", "## Milestones", "")
        yield from (f"- {code(name)}: {status}" for name, status in state.milestones.items())
    if state.contract_report is not None:
        yield from _contract_lines(state.contract_report)
    if state.registered_artifacts:
        yield from _list_section(
            "Registered artifacts (do not register them again)", state.registered_artifacts
        )
    if state.agent_teams_active:
        yield from (
            "",
            "## Agent team",
            "",
            "An agent team was active. Its teammates are lost, and what they had not written.",
        )


def _contract_lines(report: ContractReport) -> Iterator[str]:
    yield from ("", "## Contracts", "")
    yield (
        f"{report.verified_contracts} of {report.total_contracts} verified,"
        f" {report.violated_contracts} violated, {report.missing_implementations} not implemented."
    )
    if report.verified_contract_ids:
        yield from _list_section("Verified contracts", report.verified_contract_ids)
    if report.violated_contract_ids:
        yield from _list_section("Violated contracts", report.violated_contract_ids)


def _list_section(title: str, names: Sequence[str]) -> Iterator[str]:
    yield from ("", f"## {title}", "")
    yield from (f"- {code(name)}" for name in names[:_MOST])
    if len(names) > _MOST:
        yield f"- and {len(names) - _MOST} more"
