"""Configuration: found nearest upwards, read strictly, every complaint with its place.

A key that is not known is an error, since a misspelt `ignore` that silently does nothing is worse
than none. Paths in a configuration are relative to the folder it stands in.
"""

from contract_scan.config.configuration_sources import (
    Layer,
    file_layer,
    line_of,
    merge_layers,
    origins,
    read_configuration,
    resolve,
    text_layer,
)
from contract_scan.config.find import find_configuration
from contract_scan.config.values import (
    FAIL_ON,
    LEVELS,
    Config,
    ConfiguredSuppression,
    ContractEngine,
    FailOn,
    FileIgnore,
    Level,
    Limits,
    Pattern,
    Service,
    SeverityOf,
)

__all__ = [
    "FAIL_ON",
    "LEVELS",
    "Config",
    "ConfiguredSuppression",
    "ContractEngine",
    "FailOn",
    "FileIgnore",
    "Layer",
    "Level",
    "Limits",
    "Pattern",
    "Service",
    "SeverityOf",
    "file_layer",
    "find_configuration",
    "line_of",
    "merge_layers",
    "origins",
    "read_configuration",
    "resolve",
    "text_layer",
]
