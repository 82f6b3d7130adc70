"""One file per rule; its docstring is its documentation."""

from contract_scan.scanners.rule import Rule
from contract_scan.scanners.rules.contract_000_exceptions import RULE as EXCEPTIONS
from contract_scan.scanners.rules.contract_001_endpoint_schema import RULE as ENDPOINT_SCHEMA
from contract_scan.scanners.rules.contract_002_missing_endpoint import RULE as MISSING_ENDPOINT
from contract_scan.scanners.rules.contract_003_event_payload import RULE as EVENT_PAYLOAD
from contract_scan.scanners.rules.contract_004_shared_model import RULE as SHARED_MODEL

__all__ = ["RULES"]

RULES: tuple[Rule, ...] = (
    EXCEPTIONS,
    ENDPOINT_SCHEMA,
    MISSING_ENDPOINT,
    EVENT_PAYLOAD,
    SHARED_MODEL,
)
"""Every rule, in the order of their ids."""
