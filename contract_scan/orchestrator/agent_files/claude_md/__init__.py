"""Instructions for agents: what CLAUDE.md says to each role."""

from contract_scan.orchestrator.agent_files.claude_md.content import generate_claude_md
from contract_scan.orchestrator.agent_files.claude_md.document import (
    CLAUDE_MD,
    ClaudeMdError,
    check_teammate_claude_md,
    with_role,
    write_teammate_claude_md,
)

__all__ = [
    "CLAUDE_MD",
    "ClaudeMdError",
    "check_teammate_claude_md",
    "generate_claude_md",
    "with_role",
    "write_teammate_claude_md",
]
