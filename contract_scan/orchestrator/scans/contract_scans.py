"""The scans that compare code with contracts, and what they make of each contract."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from contract_scan import api
from contract_scan.compliance import (
    ScanScope,
    Violation,
    run_contract_compliance_scan,
    run_endpoint_schema_scan,
    run_missing_endpoint_scan,
    run_shared_model_scan,
)
from contract_scan.ir.promise import Promise, State
from contract_scan.orchestrator.config import AgentTeamConfig
from contract_scan.orchestrator.contract_results import (
    ContractResult,
    ContractScanResults,
    Kind,
    PromiseResult,
    worst,
)
from contract_scan.orchestrator.state import ContractReport, Health, as_plain_values

_RECORD: Final = "contract:"
"""What the engine puts before the id of a contract that came as a record."""
_KINDS: Final[Mapping[str, Kind]] = {
    "operation": "openapi",
    "channel": "asyncapi",
    "model": "json_schema",
}


class _PromiseRecorder:
    """The scan of the engine, which keeps what is known of every promise, and what went wrong."""

    def __init__(self) -> None:
        self.promises: list[Promise] = []
        self.failures: list[str] = []

    def __call__(self, root: Path, **arguments: Any) -> Any:
        try:
            report = api.scan(root, **arguments)
        except Exception as error:
            rules = ", ".join(sorted(arguments["select"]))
            self.failures.append(f"{rules}: {type(error).__name__}: {error}")
            raise
        self.promises += report.promises
        return report


def run_api_contract_scan(project_dir: Path, scope: ScanScope | None = None) -> list[Violation]:
    """The scan that needs no contract but the service tables of the requirements."""
    return [
        *run_endpoint_schema_scan(project_dir, [], scope),
        *run_missing_endpoint_scan(project_dir, [], scope),
    ]


def run_contract_scans(
    project_dir: Path,
    contracts: Sequence[Mapping[str, Any]],
    scope: ScanScope | None,
    config: AgentTeamConfig,
) -> ContractScanResults:
    """Run the contract scans that are switched on (WIRE-014), each on its own.

    The violations are those in the scope; the results are of all contracts.
    """
    scan = _PromiseRecorder()
    records = [dict(contract) for contract in contracts]
    violations = run_contract_compliance_scan(project_dir, records, scope, config, scan=scan)
    results = tuple(_results(scan.promises, records))
    return ContractScanResults(results, tuple(violations), tuple(scan.failures))


def fix_in_code(
    project_dir: Path, contracts: Sequence[Mapping[str, Any]], rule: str
) -> tuple[str, ...]:
    """Make the changes that surely mend what a rule finds, before a model is asked.

    Gives the files that were changed, relative to the project.
    """
    changed: list[str] = []

    def fixing(root: Path, **arguments: Any) -> Any:
        known = ("contracts", "select", "config", "allow_empty")
        done = api.fix(root, **{name: arguments[name] for name in known})
        changed.extend(done.files)
        return done.report

    run = {"CONTRACT-001": run_endpoint_schema_scan, "CONTRACT-004": run_shared_model_scan}
    if rule in run:
        run[rule](project_dir, [dict(contract) for contract in contracts], scan=fixing)
    return tuple(changed)


def _results(
    promises: Iterable[Promise], contracts: Iterable[Mapping[str, Any]]
) -> Iterator[ContractResult]:
    """What several rules say of the same promises, by contract."""
    providers = {str(contract.get("id", "")): contract for contract in contracts}
    found: dict[tuple[str, Kind], dict[str, list[State]]] = {}
    for promise in promises:
        key = (_contract_id(promise), _KINDS[promise.sort])
        found.setdefault(key, {}).setdefault(promise.name, []).append(promise.state)
    for (contract_id, kind), states in sorted(found.items()):
        provider = str(providers.get(contract_id, {}).get("service_name", ""))
        results = (
            PromiseResult(name, worst(verdicts)) for name, verdicts in sorted(states.items())
        )
        yield ContractResult(contract_id, kind, provider, tuple(results))


def _contract_id(promise: Promise) -> str:
    """The id of a record, of a row of a service table, or the path of a document."""
    if promise.contract.startswith(_RECORD):
        return promise.contract.removeprefix(_RECORD)
    first = promise.origin.pointer.split("/")[1:2]
    return first[0] if first and first[0].startswith("SVC-") else promise.contract


def contract_report(results: ContractScanResults) -> ContractReport:
    """What STATE.json holds of the contracts (WIRE-012).

    Models that the code does not have count neither way.
    """
    counted = [result for result in results.contracts if result.state != "absent"]
    verified = [result.contract_id for result in counted if result.state == "verified"]
    violated = [result.contract_id for result in counted if result.state == "violated"]
    missing = [result.contract_id for result in counted if result.state == "missing"]
    return ContractReport(
        total_contracts=len(counted),
        verified_contracts=len(verified),
        violated_contracts=len(violated),
        missing_implementations=len(missing),
        violations=as_plain_values(list(results.violations)),
        health=health_of(len(counted), len(verified), len(violated) + len(missing)),
        verified_contract_ids=verified,
        violated_contract_ids=[*violated, *missing],
    )


def health_of(total: int, verified: int, broken: int) -> Health:
    """Passed where all are verified, failed where more than half are broken."""
    if total == 0:
        return "unknown"
    if verified == total:
        return "passed"
    return "failed" if broken * 2 > total else "partial"
