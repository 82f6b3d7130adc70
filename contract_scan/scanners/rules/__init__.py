"""One file per rule; its docstring is its documentation."""

from contract_scan.scanners.rule import Rule
from contract_scan.scanners.rules.contract_000_exceptions import RULE as EXCEPTIONS
from contract_scan.scanners.rules.contract_001_endpoint_schema import RULE as ENDPOINT_SCHEMA
from contract_scan.scanners.rules.contract_002_missing_endpoint import RULE as MISSING_ENDPOINT
from contract_scan.scanners.rules.contract_003_event_payload import RULE as EVENT_PAYLOAD
from contract_scan.scanners.rules.contract_004_shared_model import RULE as SHARED_MODEL
from contract_scan.scanners.rules.scope_001_deliverables import RULE as DELIVERABLES
from contract_scan.scanners.rules.scope_002_files_of_siblings import RULE as FILES_OF_SIBLINGS
from contract_scan.scanners.rules.scope_003_interfaces import RULE as INTERFACES
from contract_scan.scanners.rules.scope_004_handoffs import RULE as HANDOFFS
from contract_scan.scanners.rules.scope_005_tasks import RULE as TASKS

__all__ = ["RULES"]

RULES: tuple[Rule, ...] = (
    EXCEPTIONS,
    ENDPOINT_SCHEMA,
    MISSING_ENDPOINT,
    EVENT_PAYLOAD,
    SHARED_MODEL,
    DELIVERABLES,
    FILES_OF_SIBLINGS,
    INTERFACES,
    HANDOFFS,
    TASKS,
)
"""Every rule, in the order of their ids."""
