"""contract-scan: does this code keep the promises of its contracts?

`scan` compares the code of a folder with its contracts and gives a `Report` of problems. `extract`
shows the endpoints, models and events of the code, `open_code` keeps it open for several contracts,
`to_json` writes answers down. The functions that builder pipelines call
(`run_contract_compliance_scan` and its parts) answer with a list of `Violation`s.

What `__all__` lists is public: within a major version nothing in it is removed or changes its
meaning. Everything is imported when it is first used.
"""

from __future__ import annotations

__version__ = "0.1.0"

TYPE_CHECKING = False  # importing it takes longer than all the rest here
if TYPE_CHECKING:
    from contract_scan.api import Extraction
    from contract_scan.compliance import (
        Violation,
        run_contract_compliance_scan,
        run_endpoint_schema_scan,
        run_event_schema_scan,
        run_missing_endpoint_scan,
        run_shared_model_scan,
    )
    from contract_scan.config import Config
    from contract_scan.errors import (
        ConfigurationError,
        ContractError,
        ContractScanError,
        SourceError,
        UsageError,
    )
    from contract_scan.ir.document import NotAnalysed
    from contract_scan.ir.origin import Origin, Span
    from contract_scan.ir.problem import Member, Problem
    from contract_scan.ir.violation import Finding, Undetermined
    from contract_scan.library import extract, load_configuration, open_code, scan, to_json
    from contract_scan.scanners.report import Report, Summary
    from contract_scan.scanners.scope import ScanScope

_HOMES = {
    "Config": "contract_scan.config",
    "ConfigurationError": "contract_scan.errors",
    "ContractError": "contract_scan.errors",
    "ContractScanError": "contract_scan.errors",
    "Extraction": "contract_scan.api",
    "Finding": "contract_scan.ir.violation",
    "Member": "contract_scan.ir.problem",
    "NotAnalysed": "contract_scan.ir.document",
    "Origin": "contract_scan.ir.origin",
    "Problem": "contract_scan.ir.problem",
    "Report": "contract_scan.scanners.report",
    "ScanScope": "contract_scan.scanners.scope",
    "SourceError": "contract_scan.errors",
    "Span": "contract_scan.ir.origin",
    "Summary": "contract_scan.scanners.report",
    "Undetermined": "contract_scan.ir.violation",
    "UsageError": "contract_scan.errors",
    "Violation": "contract_scan.compliance",
    "extract": "contract_scan.library",
    "load_configuration": "contract_scan.library",
    "open_code": "contract_scan.library",
    "run_contract_compliance_scan": "contract_scan.compliance",
    "run_endpoint_schema_scan": "contract_scan.compliance",
    "run_event_schema_scan": "contract_scan.compliance",
    "run_missing_endpoint_scan": "contract_scan.compliance",
    "run_shared_model_scan": "contract_scan.compliance",
    "scan": "contract_scan.library",
    "to_json": "contract_scan.library",
}

__all__ = [
    "Config",
    "ConfigurationError",
    "ContractError",
    "ContractScanError",
    "Extraction",
    "Finding",
    "Member",
    "NotAnalysed",
    "Origin",
    "Problem",
    "Report",
    "ScanScope",
    "SourceError",
    "Span",
    "Summary",
    "Undetermined",
    "UsageError",
    "Violation",
    "__version__",
    "extract",
    "load_configuration",
    "open_code",
    "run_contract_compliance_scan",
    "run_endpoint_schema_scan",
    "run_event_schema_scan",
    "run_missing_endpoint_scan",
    "run_shared_model_scan",
    "scan",
    "to_json",
]


def __getattr__(name: str) -> object:
    if name in _HOMES:
        from importlib import import_module  # takes longer than all that the short way imports

        return getattr(import_module(_HOMES[name]), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *_HOMES})
