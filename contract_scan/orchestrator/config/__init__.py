"""The configuration of a build: sections, their file, and what a depth makes of them.

config, user_overrides = load_config(Path(".agent-team/config.yaml"))
config = apply_depth_quality_gating(config.depth, config, user_overrides)
"""

from contract_scan.orchestrator.config.depth import (
    AGENT_TEAMS_VARIABLE,
    DEPTH_SETTINGS,
    FEATURES_OFF,
    apply_depth_quality_gating,
    with_values,
    without_features,
)
from contract_scan.orchestrator.config.reading import (
    Key,
    all_keys,
    config_as_yaml,
    load_config,
    load_found_config,
)
from contract_scan.orchestrator.config.sections import (
    AgentConfig,
    AgentName,
    AgentTeamConfig,
    AgentTeamsConfig,
    ContractScanConfig,
    ConvergenceConfig,
    Depth,
    QualityScanConfig,
    TrackingDocumentsConfig,
)

__all__ = [
    "AGENT_TEAMS_VARIABLE",
    "DEPTH_SETTINGS",
    "FEATURES_OFF",
    "AgentConfig",
    "AgentName",
    "AgentTeamConfig",
    "AgentTeamsConfig",
    "ContractScanConfig",
    "ConvergenceConfig",
    "Depth",
    "Key",
    "QualityScanConfig",
    "TrackingDocumentsConfig",
    "all_keys",
    "apply_depth_quality_gating",
    "config_as_yaml",
    "load_config",
    "load_found_config",
    "with_values",
    "without_features",
]
