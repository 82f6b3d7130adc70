"""The documents that a build keeps for people and for other programs."""

from contract_scan.orchestrator.tracking.contract_matrix import (
    CONTRACT_COMPLIANCE_MATRIX_FILE,
    MatrixError,
    generate_contract_compliance_matrix,
    parse_contract_compliance_matrix,
    update_contract_compliance_entry,
)
from contract_scan.orchestrator.tracking.fix_log import FIX_CYCLE_LOG_FILE, with_fix_cycle

__all__ = [
    "CONTRACT_COMPLIANCE_MATRIX_FILE",
    "FIX_CYCLE_LOG_FILE",
    "MatrixError",
    "generate_contract_compliance_matrix",
    "parse_contract_compliance_matrix",
    "update_contract_compliance_entry",
    "with_fix_cycle",
]
