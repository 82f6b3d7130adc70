"""The loops of fixes: look, have what was found mended, look again, until nothing is left.

The table is their order. Contract scans come after the scan of the service tables.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Final

from contract_scan.compliance import Violation
from contract_scan.counted import counted
from contract_scan.orchestrator.application import detect_app_type
from contract_scan.orchestrator.config import AgentTeamConfig, with_values
from contract_scan.orchestrator.execution import ScheduledTask
from contract_scan.orchestrator.pipeline.run import BuildError, BuildRun, FindingsCounted
from contract_scan.orchestrator.prompts import (
    build_contract_fix_prompt,
    build_quality_fix_prompt,
    build_quality_review_prompt,
    build_test_fix_prompt,
    build_test_run_prompt,
    findings_of,
    json_at_end,
)
from contract_scan.orchestrator.scans import (
    fix_in_code,
    health_of,
    run_api_contract_scan,
    run_contract_scans,
)
from contract_scan.orchestrator.state import EndToEndReport
from contract_scan.orchestrator.tracking import FIX_CYCLE_LOG_FILE, with_fix_cycle

Findings = list[Violation]


@dataclass(frozen=True)
class FixLoop:
    """One loop."""

    name: str
    is_enabled: Callable[[AgentTeamConfig], bool]
    find: Callable[[BuildRun, str], Awaitable[Findings]]
    """Looks; the text names the task where an agent looks."""
    prompt: Callable[[Findings], str]
    """What an agent is told that has to mend the findings."""
    mend: Callable[[BuildRun], tuple[str, ...]] | None = None
    """Mends what surely can be mended, without a model; gives the files that were changed."""
    looks_again: bool = False
    """Whether it looks again after any other loop has had code changed: it costs no model."""


async def run_fix_loop(run: BuildRun, loop: FixLoop) -> None:
    """Run a loop until nothing is found or it has gone round as often as it may.

    A loop that fails is noted, and takes no other with it; the build is not called clean then.
    """
    try:
        await _run_loop(run, loop)
    except Exception as error:
        run.note(f"The scan {loop.name} failed: {type(error).__name__}: {error}")
        run.count_scan(loop.name, failed=True)
    else:
        run.count_scan(loop.name, failed=False)


async def _run_loop(run: BuildRun, loop: FixLoop) -> None:
    rounds = run.state.fix_rounds
    done = rounds.setdefault(loop.name, 0)  # where the run was interrupted, those before
    findings = await _run_check(run, loop, done)
    while findings and done < run.config.convergence.max_fix_rounds:
        done += 1
        remedy = await _fix_findings(run, loop, findings, done)
        _log(run, loop, done, findings, remedy)
        rounds[loop.name] = done
        for other in SCAN_LOOPS:
            if other.looks_again:
                # What it has seen is no longer what is there.
                run.state.open_findings.pop(other.name, None)
        run.save()
        run.update_scope()
        findings = await _run_check(run, loop, done)
    run.state.open_findings[loop.name] = len(findings)


async def _run_check(run: BuildRun, loop: FixLoop, number: int) -> Findings:
    findings = await loop.find(run, f"{loop.name}/look-{number}")
    run.observe(FindingsCounted(loop.name, number, len(findings)))
    return findings


async def _fix_findings(run: BuildRun, loop: FixLoop, findings: Findings, number: int) -> str:
    """Have findings mended, and say how: by a model only where nothing else can."""
    changed = loop.mend(run) if loop.mend is not None else ()
    if changed:
        run.add_written(changed)
        return f"mended without a model in {', '.join(changed)}"
    task = ScheduledTask(
        f"{loop.name}/fix-{number}",
        f"Fix {counted(len(findings), 'finding')}",
        loop.prompt(findings),
    )
    done = await run.execute(task)
    result = done.task_results[0] if done.task_results else None
    if result is not None and result.status != "completed":
        return f"the agent that was asked {result.status}: {result.error}"
    return "an agent was asked"


def _log(run: BuildRun, loop: FixLoop, number: int, findings: Findings, remedy: str) -> None:
    if run.config.tracking_documents.fix_cycle_log:
        path = run.folder / FIX_CYCLE_LOG_FILE
        run.write(path, with_fix_cycle(run.read(path), loop.name, number, findings, remedy))


# Loops of contract scans

_CONTRACT_SCANS: Final[Mapping[str, tuple[str, str]]] = {
    "contract_endpoint_schema": ("CONTRACT-001", "endpoint_schema_scan"),
    "contract_missing_endpoint": ("CONTRACT-002", "missing_endpoint_scan"),
    "contract_event_schema": ("CONTRACT-003", "event_schema_scan"),
    "contract_shared_model": ("CONTRACT-004", "shared_model_scan"),
}
"""Type of a scan -> its rule, and the key that switches it."""


def _contract_loop(scan_type: str) -> FixLoop:
    rule, switch = _CONTRACT_SCANS[scan_type]

    async def find(run: BuildRun, _: str) -> Findings:
        others = {f"contract_scans.{key}": key == switch for _, key in _CONTRACT_SCANS.values()}
        config = with_values(run.config, others)
        results = run_contract_scans(run.project_dir, records_of(run), run.scope, config)
        if results.failures:
            raise BuildError("; ".join(results.failures))
        return [*results.violations]

    return FixLoop(
        name=scan_type,
        is_enabled=lambda config: getattr(config.contract_scans, switch) is True,
        find=find,
        prompt=lambda findings: build_contract_fix_prompt(scan_type, findings),
        mend=lambda run: fix_in_code(run.project_dir, records_of(run), rule),
        looks_again=True,
    )


def records_of(run: BuildRun) -> list[dict[str, object]]:
    """The contracts at hand, as scans take them."""
    return [contract.as_record() for contract in run.registry.contracts.values()]


# Loops of reviews, and of the service tables


def _reviewed_loop(scan: str) -> FixLoop:
    async def find(run: BuildRun, name: str) -> Findings:
        answer = await _answer(run, name, build_quality_review_prompt(scan), "code-reviewer")
        return _findings_in(answer, scan)

    return FixLoop(
        name=scan,
        is_enabled=lambda config: getattr(config.quality_scans, scan) is True,
        find=find,
        prompt=lambda findings: build_quality_fix_prompt(scan, findings),
    )


async def _find_in_service_tables(run: BuildRun, _: str) -> Findings:
    return run_api_contract_scan(run.project_dir, run.scope)


_API_CONTRACT: Final = FixLoop(
    name="api_contract",
    is_enabled=lambda config: config.quality_scans.api_contract,
    find=_find_in_service_tables,
    prompt=lambda findings: build_quality_fix_prompt("api_contract", findings),
    mend=lambda run: fix_in_code(run.project_dir, [], "CONTRACT-001"),
    looks_again=True,
)


# Loops of tests that an agent runs


async def _run_end_to_end_tests(run: BuildRun, name: str) -> Findings:
    app = detect_app_type(run.project_dir)
    frameworks = (*app.backend_frameworks, *app.frontend_frameworks)
    prompt = build_test_run_prompt("end-to-end", frameworks)
    answer = await _answer(run, name, prompt, "test-engineer")
    record = json_at_end(answer)
    counts = record if isinstance(record, dict) else {}
    passed, total = counts.get("passed"), counts.get("total")
    if not (isinstance(passed, int) and isinstance(total, int)):
        raise BuildError("the agent does not say which tests passed")
    health = health_of(total, passed, total - passed)
    run.state.e2e_report = EndToEndReport(passed, total, health)
    return _findings_in(answer, "e2e")


async def _run_browser_tests(run: BuildRun, name: str) -> Findings:
    app = detect_app_type(run.project_dir)
    prompt = build_test_run_prompt("browser", app.frontend_frameworks)
    answer = await _answer(run, name, prompt, "test-engineer")
    return _findings_in(answer, "browser")


END_TO_END: Final = FixLoop(
    name="e2e",
    is_enabled=lambda config: config.e2e_testing.enabled,
    find=_run_end_to_end_tests,
    prompt=lambda findings: build_test_fix_prompt("end-to-end", findings),
)
BROWSER: Final = FixLoop(
    name="browser",
    is_enabled=lambda config: config.browser_testing.enabled,
    find=_run_browser_tests,
    prompt=lambda findings: build_test_fix_prompt("browser", findings),
)


async def _answer(run: BuildRun, name: str, prompt: str, role: str) -> str:
    result = await run.ask(ScheduledTask(name, name, prompt, role))
    if result.status != "completed":
        raise BuildError(f"the agent {result.status}: {result.error}")
    return result.output


def _findings_in(answer: str, check: str) -> Findings:
    findings = findings_of(answer, check)
    if findings is None:
        raise BuildError("the agent does not end with its findings")
    return findings


SCAN_LOOPS: Final[tuple[FixLoop, ...]] = (
    _reviewed_loop("mock_data"),
    _reviewed_loop("ui_compliance"),
    _reviewed_loop("deployment"),
    _reviewed_loop("asset"),
    _reviewed_loop("prd_reconciliation"),
    _reviewed_loop("dual_orm"),
    _reviewed_loop("default_value"),
    _reviewed_loop("relationship"),
    _API_CONTRACT,
    _contract_loop("contract_endpoint_schema"),
    _contract_loop("contract_missing_endpoint"),
    _contract_loop("contract_event_schema"),
    _contract_loop("contract_shared_model"),
    _reviewed_loop("sdl"),
    _reviewed_loop("xref"),
)
"""The loops of the stage of scans, in their order."""

LOOPS: Final = (*SCAN_LOOPS, END_TO_END, BROWSER)
"""All loops: thirteen, and the four of contract scans (INT-012)."""
