"""Prompts for reviews, tests and fixes after the last milestone."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any, Final

from contract_scan.compliance import Violation
from contract_scan.orchestrator.prompts.fences import fence_text
from contract_scan.orchestrator.prompts.roles import ROLE_PROMPTS
from contract_scan.orchestrator.prompts.standards import standards_for

CONTRACT_FIXES: Final[Mapping[str, str]] = {
    "contract_endpoint_schema": (
        "Endpoints send or accept other fields than their contracts say (CONTRACT-001). Change the"
        " code so that names, types, required and nullable fields and status codes are exactly the"
        " contracted ones. Change callers with it. Do not change a contract."
    ),
    "contract_missing_endpoint": (
        "Contracted endpoints have no route (CONTRACT-002). Implement each of them completely, with"
        " its method, path, request and response, and register it in the application. Do not add"
        " placeholders. Do not change a contract."
    ),
    "contract_event_schema": (
        "Events are published or consumed with another payload than their AsyncAPI channel says"
        " (CONTRACT-003). Change publishers and consumers so that the payload is exactly the"
        " contracted one. Do not change a contract."
    ),
    "contract_shared_model": (
        "Types differ from the shared model that they implement (CONTRACT-004). Change them so that"
        " field names on the wire, types and optional fields agree in every service. Do not change"
        " a contract."
    ),
}
"""Type of a contract scan -> what its fix is about."""

QUALITY_STANDARDS: Final[Mapping[str, str]] = {
    "mock_data": "no invented data, placeholder or function that only pretends is left in the code",
    "ui_compliance": "what users see follows the requirements, in every state of the interface",
    "deployment": "configuration for deployment names ports, variables and services that exist",
    "asset": "every image, font, template and other file that code refers to exists",
    "prd_reconciliation": "every requirement is implemented, and nothing contradicts one",
    "dual_orm": "no two ways of access to the same database are mixed",
    "default_value": "fields have the defaults that the requirements and their users expect",
    "relationship": "relations between stored entities are complete, with keys on both sides",
    "api_contract": "endpoints agree with the service tables of the requirements",
    "sdl": "schemas and generated clients are those of the code they belong to",
    "xref": "every reference between files, routes, names and documents leads somewhere",
}
"""Scan -> what must be true."""

E2E_CONTRACT_COMPLIANCE_PROMPT: Final = """\
You are the test engineer. Verify the contracts against the running services.

1. Start the services as the project describes it. For each SVC-xxx endpoint of the
   requirements, make a real HTTP request with valid data.
2. Call validate_endpoint() via Contract Engine MCP with the service, method, path, response
   body and status of each response.
3. Record pass or fail for each contract; one that could not be requested is not tested.
4. Write the results to CONTRACT_E2E_RESULTS.md: a table with the columns `Contract`, `Endpoint` and
   `Result`, where the result is PASS, FAIL or NOT TESTED, and below it what failed and why.

Stop what you have started. Do not change code.
"""

_FINDINGS_FORM: Final = """\
End your last message with a fenced JSON block: a list of what is wrong, empty where nothing is, of
`{"file_path": "src/a.py", "line": 12, "message": "what is wrong", "severity": "error"}`."""

_FENCED: Final = re.compile(r"```(?:json)?[ \t]*\n(.*?)\n?```", re.DOTALL)


def build_contract_fix_prompt(scan_type: str, violations: Sequence[Violation]) -> str:
    """Have the violations of one contract scan mended (WIRE-015)."""
    return _fix_prompt(CONTRACT_FIXES[scan_type], violations)


def build_quality_review_prompt(scan: str) -> str:
    """Have code reviewed against one standard; `findings_of` reads the answer."""
    return f"""\
{ROLE_PROMPTS["code-reviewer"]}
Review the whole project against one standard, and change nothing: {QUALITY_STANDARDS[scan]}.

{_FINDINGS_FORM}
"""


def build_quality_fix_prompt(scan: str, violations: Sequence[Violation]) -> str:
    """Have what such a review found mended."""
    return _fix_prompt(f"This standard is not met: {QUALITY_STANDARDS[scan]}.", violations)


def build_test_run_prompt(kind: str, frameworks: Sequence[str] = ()) -> str:
    """Have end-to-end or browser tests written and run."""
    built_on = f"The project is built on {', '.join(frameworks)}.\n" if frameworks else ""
    return f"""\
{ROLE_PROMPTS["test-engineer"]}
{built_on}\
Write the {kind} tests of the project that are missing, and run all of them. Do not change the
code that is tested. Count what ran.

End your last message with a fenced JSON block:
`{{"passed": 3, "total": 4, "findings": [{{"file_path": "src/a.py", "line": 12, "message": "what
fails", "severity": "error"}}]}}`.
"""


def build_test_fix_prompt(kind: str, violations: Sequence[Violation]) -> str:
    """Have what such tests found mended."""
    return _fix_prompt(f"These {kind} tests fail. Mend the code, not the tests.", violations)


def _fix_prompt(what: str, violations: Sequence[Violation]) -> str:
    rows = "\n".join(
        f"{each.check} {each.file_path}:{each.line} {each.severity}: {each.message}"
        for each in violations
    )
    return (
        f"{ROLE_PROMPTS['code-writer']}\n{standards_for('code-writer')}\n## Task\n\n{what}\n\n"
        f"{fence_text('FINDINGS', rows)}\n"
    )


def findings_of(answer: str, check: str) -> list[Violation] | None:
    """The findings at the end of an answer; None where it does not end as it was told to."""
    record = json_at_end(answer)
    listed = record.get("findings") if isinstance(record, dict) else record
    if not isinstance(listed, list):
        return None
    return [_violation(each, check) for each in listed if isinstance(each, dict)]


def json_at_end(answer: str) -> Any:
    """The value of the last fenced block that holds JSON; None where there is none."""
    for block in reversed(_FENCED.findall(answer)):
        try:
            return json.loads(block)
        except ValueError:
            continue
    return None


def _violation(record: Mapping[str, Any], check: str) -> Violation:
    line, severity = record.get("line"), record.get("severity")
    return Violation(
        check=check,
        message=str(record.get("message", "")),
        file_path=str(record.get("file_path", "")),
        line=line if isinstance(line, int) and not isinstance(line, bool) else 0,
        severity=severity if severity in ("error", "warning") else "error",
    )
