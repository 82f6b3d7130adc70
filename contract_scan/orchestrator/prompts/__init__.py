"""What agents are told."""

from contract_scan.orchestrator.prompts.building import (
    build_decomposition_prompt,
    build_milestone_execution_prompt,
    build_orchestrator_prompt,
)
from contract_scan.orchestrator.prompts.contexts import codebase_index_context, contract_context
from contract_scan.orchestrator.prompts.fences import fence_text
from contract_scan.orchestrator.prompts.fixing import (
    CONTRACT_FIXES,
    E2E_CONTRACT_COMPLIANCE_PROMPT,
    QUALITY_STANDARDS,
    build_contract_fix_prompt,
    build_quality_fix_prompt,
    build_quality_review_prompt,
    build_test_fix_prompt,
    build_test_run_prompt,
    findings_of,
    json_at_end,
)
from contract_scan.orchestrator.prompts.roles import (
    ARCHITECT_PROMPT,
    CODE_REVIEWER_PROMPT,
    CODE_WRITER_PROMPT,
    ROLE_PROMPTS,
    ROLES,
    TEST_ENGINEER_PROMPT,
    WIRING_VERIFIER_PROMPT,
)
from contract_scan.orchestrator.prompts.standards import (
    AGENT_STANDARDS,
    CONTRACT_COMPLIANCE_STANDARDS,
    INTEGRATION_STANDARDS,
    standards_for,
)

__all__ = [
    "AGENT_STANDARDS",
    "ARCHITECT_PROMPT",
    "CODE_REVIEWER_PROMPT",
    "CODE_WRITER_PROMPT",
    "CONTRACT_COMPLIANCE_STANDARDS",
    "CONTRACT_FIXES",
    "E2E_CONTRACT_COMPLIANCE_PROMPT",
    "INTEGRATION_STANDARDS",
    "QUALITY_STANDARDS",
    "ROLES",
    "ROLE_PROMPTS",
    "TEST_ENGINEER_PROMPT",
    "WIRING_VERIFIER_PROMPT",
    "build_contract_fix_prompt",
    "build_decomposition_prompt",
    "build_milestone_execution_prompt",
    "build_orchestrator_prompt",
    "build_quality_fix_prompt",
    "build_quality_review_prompt",
    "build_test_fix_prompt",
    "build_test_run_prompt",
    "codebase_index_context",
    "contract_context",
    "fence_text",
    "findings_of",
    "json_at_end",
    "standards_for",
]
