"""Hooks of Claude Code: what they are, what they run, and what they are told."""

from contract_scan.orchestrator.agent_files.hooks.generation import (
    DEFAULT_THRESHOLD,
    SCRIPTS_FOLDER,
    GeneratedHook,
    HookConfig,
    generate_contract_gate_hooks,
    generate_hooks_config,
    generate_post_tool_use_hook,
    generate_stop_hook,
    generate_task_completed_hook,
    generate_teammate_idle_hook,
)
from contract_scan.orchestrator.agent_files.hooks.input import (
    HookInput,
    HookInputError,
    forget_sessions,
    tracked_changes,
    unresolved_promises,
)
from contract_scan.orchestrator.agent_files.hooks.project_files import (
    HookFileError,
    settings_with_hooks,
    write_hooks_to_project,
)

__all__ = [
    "DEFAULT_THRESHOLD",
    "SCRIPTS_FOLDER",
    "GeneratedHook",
    "HookConfig",
    "HookFileError",
    "HookInput",
    "HookInputError",
    "forget_sessions",
    "generate_contract_gate_hooks",
    "generate_hooks_config",
    "generate_post_tool_use_hook",
    "generate_stop_hook",
    "generate_task_completed_hook",
    "generate_teammate_idle_hook",
    "settings_with_hooks",
    "tracked_changes",
    "unresolved_promises",
    "write_hooks_to_project",
]
