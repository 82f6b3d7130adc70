"""What a build scans, and what it makes of the findings."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final, Literal

from contract_scan import api
from contract_scan.clients import git
from contract_scan.compliance import (
    ScanScope,
    Violation,
    run_contract_compliance_scan,
    run_endpoint_schema_scan,
    run_missing_endpoint_scan,
    run_shared_model_scan,
)
from contract_scan.errors import ContractScanError
from contract_scan.ir.promise import Promise, State
from contract_scan.orchestrator.config import AgentTeamConfig, with_values
from contract_scan.orchestrator.contract_results import (
    ContractResult,
    ContractScanResults,
    Kind,
    PromiseResult,
    worst,
)
from contract_scan.orchestrator.service_contracts import ServiceContractRegistry
from contract_scan.orchestrator.state import ContractReport, Health, as_plain_values

_ScopeMode = Literal["full", "changed"]
_ALL_SCANS = with_values(AgentTeamConfig(), {"contract_engine.enabled": True})
_RECORD: Final = "contract:"
"""What the engine puts before the id of a contract that came as a record."""
_KINDS: Final[Mapping[str, Kind]] = {
    "operation": "openapi",
    "channel": "asyncapi",
    "model": "json_schema",
}


def compute_changed_files(
    project_dir: Path,
    scan_scope_mode: _ScopeMode,
    written: Collection[str] = (),
    *,
    changed_since: str = "HEAD",
) -> ScanScope | None:
    """The scope of the scans after a build; None: everything.

    What changed is what the tasks of the build have `written` (paths relative to the project), and
    what differs from the commit `changed_since`, where git can tell. Empty: the repository had no
    commit when the build began, so that everything has changed. Scans read all files in any case.
    """
    if scan_scope_mode == "full":
        return None
    if not changed_since and git.inside_work_tree(project_dir):
        return None
    files = {project_dir / name for name in written}
    try:
        changes = git.changed_since(project_dir, changed_since, ())
    except ContractScanError:
        return ScanScope("changed", tuple(sorted(files)))
    return ScanScope("changed", tuple(sorted({*files, *changes.files})), changes.removed)


def verify_contract_compliance(
    project_dir: Path,
    contract_registry: ServiceContractRegistry | None,
    config: AgentTeamConfig = _ALL_SCANS,
) -> dict[str, Any]:
    """How the code stands to its contracts, those of the registry and of the service tables
    (REQ-079): `total_contracts`, `implemented`, `verified`, `violations`, `health`.

    Only scans that `config` has on say anything; without one, all do.
    """
    contracts = contract_registry.contracts.values() if contract_registry is not None else ()
    results = run_contract_scans(
        project_dir, [contract.as_record() for contract in contracts], None, config
    )
    report = contract_report(results)
    return {
        "total_contracts": report.total_contracts,
        "implemented": report.total_contracts - report.missing_implementations,
        "verified": report.verified_contracts,
        "violations": as_plain_values(list(results.violations)),
        "health": report.health,
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
