"""The stages after the last milestone: scans, tests, verification, documents."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Final

from contract_scan.orchestrator.config import AgentTeamConfig
from contract_scan.orchestrator.execution import ScheduledTask
from contract_scan.orchestrator.pipeline.agent_files import note_unresolved_promises
from contract_scan.orchestrator.pipeline.loops import (
    BROWSER,
    END_TO_END,
    SCAN_LOOPS,
    FixLoop,
    records_of,
    run_fix_loop,
)
from contract_scan.orchestrator.pipeline.run import BuildError, BuildRun
from contract_scan.orchestrator.plan import check_milestone_health
from contract_scan.orchestrator.prompts import E2E_CONTRACT_COMPLIANCE_PROMPT
from contract_scan.orchestrator.scans import (
    contract_report,
    health_of,
    run_contract_scans,
    verify_contract_compliance,
)
from contract_scan.orchestrator.state import EndpointTestReport
from contract_scan.orchestrator.tracking import (
    CONTRACT_COMPLIANCE_MATRIX_FILE,
    MatrixError,
    generate_contract_compliance_matrix,
    parse_contract_compliance_matrix,
    update_contract_compliance_entry,
)
from contract_scan.reports.markdown_text import code, escape_text

CONTRACT_TESTS: Final = "contract-e2e"
"""The task in which contracts are tested against what runs."""

CONTRACT_RESULTS_FILE: Final = "CONTRACT_E2E_RESULTS.md"
COVERAGE_FILE: Final = "E2E_COVERAGE_MATRIX.md"

_RESULT: Final = re.compile(r"\|\s*`?(SVC-\d{3}[\w-]*)`?\s*\|.*\|\s*(PASS|FAIL|NOT TESTED)\s*\|")


def scans_contracts(run: BuildRun) -> bool:
    """Whether any contract scan is on."""
    return any(vars(run.config.contract_scans).values())


async def compute_scope(run: BuildRun) -> None:
    """Find out which files scans report on (WIRE-014A)."""
    run.update_scope()


async def run_scans(run: BuildRun) -> None:
    """Run the loops of scans that are on, in the order of their table, then count what became of
    each contract (WIRE-012)."""
    await _run_loops(run, SCAN_LOOPS)


async def _scan_again(run: BuildRun) -> None:
    """Have scans look again that cost no model, where fixes of another stage have changed code."""
    await _run_loops(run, [loop for loop in SCAN_LOOPS if loop.looks_again])


async def _run_loops(run: BuildRun, loops: Sequence[FixLoop]) -> None:
    """Run loops until none of them has anything to look at: a fix of one may break what another
    has found kept."""
    failed: set[str] = set()
    while waiting := [
        loop
        for loop in loops
        if loop.is_enabled(run.config)
        and loop.name not in run.state.open_findings
        and loop.name not in failed
    ]:
        for loop in waiting:
            await run_fix_loop(run, loop)
            run.save()
            if loop.name in run.state.failed_scans:
                failed.add(loop.name)
    await count_contracts(run)


async def count_contracts(run: BuildRun) -> None:
    """Look once more at all contracts, for the state and the matrix."""
    if scans_contracts(run):
        run.results = run_contract_scans(run.project_dir, records_of(run), None, run.config)
        run.state.contract_report = contract_report(run.results)
        for failure in run.results.failures:
            run.note(f"Not all contracts could be counted: {failure}")
        run.count_scan("contract_report", failed=bool(run.results.failures))


def tests_contracts(config: AgentTeamConfig) -> bool:
    """Whether contracts are tested against what runs."""
    return config.contract_engine.enabled and config.contract_engine.validation_on_build


async def run_end_to_end(run: BuildRun) -> None:
    """Have end-to-end tests run, and contracts tested against what runs (REQ-081)."""
    if END_TO_END.is_enabled(run.config):
        await run_fix_loop(run, END_TO_END)
        await _scan_again(run)
    if tests_contracts(run.config):
        task = ScheduledTask(
            CONTRACT_TESTS,
            "Test contracts against running services",
            E2E_CONTRACT_COMPLIANCE_PROMPT,
            "test-engineer",
        )
        results = run.project_dir / CONTRACT_RESULTS_FILE
        if CONTRACT_TESTS not in run.state.completed_tasks:
            _remove(results)  # what another run found says nothing of this one
        await run.execute(task)
        if CONTRACT_TESTS in run.state.completed_tasks:
            run.state.endpoint_test_report = endpoint_test_report(run.read(results))


def _remove(path: Path) -> None:
    """Raises BuildError for what cannot be removed."""
    try:
        path.unlink(missing_ok=True)
    except OSError as error:
        raise BuildError(f"{path} cannot be removed: {error.strerror}") from None


def endpoint_test_report(text: str) -> EndpointTestReport:
    """What CONTRACT_E2E_RESULTS.md says of the contracts."""
    results = _results_in(text)
    passed = sum(result == "PASS" for _, result in results)
    failed = sum(result == "FAIL" for _, result in results)
    return EndpointTestReport(
        total_endpoints=len(results),
        tested_endpoints=passed + failed,
        passed_endpoints=passed,
        failed_endpoints=failed,
        untested_contracts=[name for name, result in results if result == "NOT TESTED"],
        health=health_of(len(results), passed, failed),
    )


def _results_in(text: str) -> list[tuple[str, str]]:
    """The contracts of CONTRACT_E2E_RESULTS.md, each with PASS, FAIL or NOT TESTED."""
    found = (_RESULT.match(line) for line in text.splitlines())
    return [(each[1], each[2]) for each in found if each]


async def run_browser(run: BuildRun) -> None:
    """Have browser tests run."""
    await run_fix_loop(run, BROWSER)
    await _scan_again(run)


async def verify(run: BuildRun) -> None:
    """Say how healthy the build is, by what is on disk (REQ-061, WIRE-017). Where an agent stopped
    with a broken promise, only a scan can show that it is kept by now."""
    unresolved = note_unresolved_promises(run)
    verify_task_completion(run)
    report = run.state.contract_report
    are_kept = report is not None and report.health == "passed"
    if unresolved and not are_kept and run.state.health == "passed":
        run.state.health = "partial"


def verify_task_completion(run: BuildRun) -> dict[str, Any]:
    """The health of the build, into its state; what contracts say besides is advice."""
    boxes = run.checkboxes()
    run.state.requirements_checked, run.state.requirements_total = boxes.checked, boxes.total
    with_contracts = run.config.contract_engine.enabled
    health = check_milestone_health(
        boxes,
        run.config.convergence.min_convergence_ratio,
        run.state.contract_report if with_contracts else None,
    )
    run.state.health = health.health
    unfinished = [name for name, status in run.state.milestones.items() if status != "COMPLETE"]
    doubts = [
        *unfinished,
        *run.state.failed_scans,
        *(name for name, left in run.state.open_findings.items() if left),
        *_failed_tests(run),
    ]
    if health.health == "passed" and doubts:
        run.state.health = "partial"
    advice = (
        verify_contract_compliance(run.project_dir, run.registry, run.config)
        if scans_contracts(run)
        else {}
    )
    for violation in advice.get("violations", []):
        place = f"{violation['file_path']}:{violation['line']}"
        run.note(f"{violation['check']} is broken in {place}: {violation['message']}")
    return {"health": run.state.health, "ratio": health.health_ratio, "contracts": advice}


def _failed_tests(run: BuildRun) -> Iterator[str]:
    """Tests of the whole build that did not pass; each is noted."""
    contracts, whole = run.state.endpoint_test_report, run.state.e2e_report
    if CONTRACT_TESTS in run.state.failed_tasks:
        yield CONTRACT_TESTS
    if contracts is not None and contracts.failed_endpoints:
        passed, total = contracts.passed_endpoints, contracts.tested_endpoints
        run.note(f"Contracts tested against running services: {passed} of {total} passed")
        yield CONTRACT_TESTS
    if whole is not None and whole.passed < whole.total:
        run.note(f"End-to-end tests: {whole.passed} of {whole.total} passed")
        yield END_TO_END.name


async def write_documents(run: BuildRun) -> None:
    """Write the documents of the build that are on."""
    wanted = run.config.tracking_documents
    matrix = ""
    if wanted.contract_compliance_matrix and scans_contracts(run):
        matrix = _contract_matrix(run)
        run.write(run.folder / CONTRACT_COMPLIANCE_MATRIX_FILE, matrix)
    if wanted.e2e_coverage_matrix:
        run.write(run.folder / COVERAGE_FILE, "\n".join(_coverage(run, matrix)) + "\n")


def _contract_matrix(run: BuildRun) -> str:
    """What the scans say of each contract, less what running services have disproved."""
    matrix = generate_contract_compliance_matrix(run.project_dir, records_of(run), run.results)
    if CONTRACT_TESTS not in run.state.completed_tasks:
        return matrix
    results = _results_in(run.read(run.project_dir / CONTRACT_RESULTS_FILE))
    for contract_id in sorted({name for name, result in results if result == "FAIL"}):
        try:
            matrix = update_contract_compliance_entry(matrix, contract_id, "violated")
        except MatrixError as error:
            run.note(f"{CONTRACT_RESULTS_FILE}: {error}")
    return matrix


def _coverage(run: BuildRun, matrix: str) -> Iterator[str]:
    tests = run.state.e2e_report
    yield "# Coverage of requirements"
    yield ""
    yield (
        f"End-to-end tests: {tests.passed} of {tests.total} passed."
        if tests is not None
        else "No end-to-end tests were run."
    )
    if matrix:
        counts = parse_contract_compliance_matrix(matrix)
        yield (
            f"Contracts: {counts['implemented']} of {counts['total']} implemented,"
            f" {counts['verified']} verified, {counts['violated']} violated."
        )
    yield from ("", "| Milestone | Status | Requirement | Checked |", "| --- | --- | --- | --- |")
    for milestone in run.made_plan.milestones:
        status = run.state.milestones.get(milestone.id, "PENDING")
        checked = {
            line[6:].strip()
            for line in run.read(run.requirements_of(milestone)).splitlines()
            if line.lower().startswith("- [x] ")
        }
        for requirement in milestone.requirements:
            name = requirement.partition(":")[0]
            is_checked = any(line.partition(":")[0] == name for line in checked)
            mark = "YES" if is_checked else "NO"
            yield f"| {code(milestone.id)} | {status} | {escape_text(requirement)} | {mark} |"
