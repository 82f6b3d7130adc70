"""contract-scan: does this code keep the promises that its contracts make?

`scan` compares contracts with code, `extract` shows what the code has. The functions that builder
pipelines call (`run_contract_compliance_scan` and its parts) are here too. Everything is imported
when it is first used.
"""

from __future__ import annotations

__version__ = "0.1.0"

TYPE_CHECKING = False  # importing it takes longer than all the rest here
if TYPE_CHECKING:
    from contract_scan.api import Extraction, extract, scan
    from contract_scan.compliance import (
        Violation,
        run_contract_compliance_scan,
        run_endpoint_schema_scan,
        run_event_schema_scan,
        run_missing_endpoint_scan,
        run_shared_model_scan,
    )
    from contract_scan.scanners.report import Report
    from contract_scan.scanners.scope import ScanScope

_HOMES = {
    "Extraction": "contract_scan.api",
    "Report": "contract_scan.scanners.report",
    "ScanScope": "contract_scan.scanners.scope",
    "Violation": "contract_scan.compliance",
    "extract": "contract_scan.api",
    "run_contract_compliance_scan": "contract_scan.compliance",
    "run_endpoint_schema_scan": "contract_scan.compliance",
    "run_event_schema_scan": "contract_scan.compliance",
    "run_missing_endpoint_scan": "contract_scan.compliance",
    "run_shared_model_scan": "contract_scan.compliance",
    "scan": "contract_scan.api",
}

__all__ = [
    "Extraction",
    "Report",
    "ScanScope",
    "Violation",
    "__version__",
    "extract",
    "run_contract_compliance_scan",
    "run_endpoint_schema_scan",
    "run_event_schema_scan",
    "run_missing_endpoint_scan",
    "run_shared_model_scan",
    "scan",
]


def __getattr__(name: str) -> object:
    if name in _HOMES:
        from importlib import import_module  # takes longer than all that the short way imports

        return getattr(import_module(_HOMES[name]), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
