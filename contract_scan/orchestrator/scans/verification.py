"""Whether a build did what it was to do: an advisory answer from what is on disk."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from contract_scan.orchestrator.config import AgentTeamConfig, with_values
from contract_scan.orchestrator.scans.contract_scans import contract_report, run_contract_scans
from contract_scan.orchestrator.service_contracts import ServiceContractRegistry
from contract_scan.orchestrator.state import as_plain_values

_ALL_SCANS = with_values(AgentTeamConfig(), {"contract_engine.enabled": True})


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
