"""What a build scans, and what it makes of the findings."""

from contract_scan.orchestrator.scans.contract_scans import (
    contract_report,
    fix_in_code,
    health_of,
    run_api_contract_scan,
    run_contract_scans,
)
from contract_scan.orchestrator.scans.scope import compute_changed_files
from contract_scan.orchestrator.scans.verification import verify_contract_compliance

__all__ = [
    "compute_changed_files",
    "contract_report",
    "fix_in_code",
    "health_of",
    "run_api_contract_scan",
    "run_contract_scans",
    "verify_contract_compliance",
]
