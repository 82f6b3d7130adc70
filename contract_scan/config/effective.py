"""The effective configuration of a folder: the nearest configuration file, the baseline beside
it, and the kinds that are reported."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path

from msgspec.structs import replace

from contract_scan.config.configuration_sources import Layer, file_layer, resolve
from contract_scan.config.confinement import boundary_of, is_confined
from contract_scan.config.find import find_configuration
from contract_scan.config.rules import chosen_kinds, expand_rules, rules_of
from contract_scan.config.values import Config, SeverityOf
from contract_scan.errors import ConfigurationError, UsageError
from contract_scan.ir.violation import KINDS_OF_RULE

BASELINE = "contract-scan-baseline.json"
"""The name of the baseline that is used without being named."""


def configuration_of(root: Path, file: Path | None = None) -> Config:
    """The configuration of a folder: of a file that is named, else of the nearest one, else the
    defaults; with the baseline that is used for it.

    Raises ConfigurationError for a file that cannot be read or says something that is not allowed.
    """
    named = file is not None
    found_file = file if named else find_configuration(root)
    layers = [] if found_file is None else [file_layer(found_file, named=named)]
    return with_own_baseline(for_root(resolve(layers), root), own_baseline(layers, root))


def with_own_baseline(config: Config, file: Path) -> Config:
    """The configuration with a baseline that nobody named, where it names none and there is one."""
    if config.baseline is not None or not os.path.lexists(file):
        return config
    return replace(config, baseline=confined_baseline(file))


def own_baseline(found: Iterable[Layer], root: Path) -> Path:
    """Where the baseline is that nobody named: beside the configuration file, else in the folder
    that is scanned."""
    file = next((layer.file for layer in found if layer.file is not None), None)
    return (root if file is None else file.parent) / BASELINE


def confined_baseline(file: Path) -> Path:
    """The baseline that nobody named. Raises ConfigurationError where it is a link out of the
    repository, or to what belongs to git: only the user may ask for that."""
    if not is_confined(file, boundary_of(file.parent)):
        message = "is a link out of the repository; name it with --baseline to use it"
        raise ConfigurationError(message, str(file))
    return file


def for_root(config: Config, root: Path) -> Config:
    """The configuration for a part of what it describes: services elsewhere have no say there."""
    services = []
    for service in config.services:
        if any(root.is_relative_to(source) for source in service.sources):
            services.append(replace(service, sources=(root,)))
            continue
        inside = tuple(source for source in service.sources if source.is_relative_to(root))
        if inside:
            services.append(replace(service, sources=inside))
    return replace(config, services=tuple(services))


def selected_kinds(config: Config) -> frozenset[str]:
    """The names of the kinds that a configuration reports: those selected without those ignored,
    and without those whose severity is off."""
    chosen = chosen_kinds(config.select, (), _usage_error) | expand_rules(
        config.extend_select, _usage_error
    )
    return (chosen & chosen_kinds((), config.ignore, _usage_error)) - _disabled_kinds(config)


def with_kinds_off(config: Config, off: frozenset[str]) -> Config:
    """The configuration with the severity of some kinds off: their rules run, and what they find is
    counted and left out, so that no promise counts as verified because nobody wanted to hear."""
    turned_off = []
    for rule in sorted(rules_of(off)):
        own = [name.partition("/")[2] for name in sorted(off) if name.startswith(f"{rule}/")]
        whole = len(own) == len(KINDS_OF_RULE[rule])
        turned_off += [SeverityOf(rule, kind, "off") for kind in ([""] if whole else own)]
    others = [each for each in config.severities if not _concerns_disabled_kinds(each, off)]
    return replace(config, severities=(*others, *turned_off))


def _concerns_disabled_kinds(setting: SeverityOf, off: frozenset[str]) -> bool:
    """Whether a severity is one of kinds that are all off."""
    if setting.kind:
        return f"{setting.rule}/{setting.kind}" in off
    return all(f"{setting.rule}/{kind}" in off for kind in KINDS_OF_RULE[setting.rule])


def _usage_error(_: str, message: str) -> UsageError:
    return UsageError(message)


def _disabled_kinds(config: Config) -> frozenset[str]:
    """The names of the kinds whose severity is off."""
    severities = {(each.rule, each.kind): each.severity for each in config.severities}
    return frozenset(
        f"{rule}/{kind}"
        for rule, kinds in KINDS_OF_RULE.items()
        for kind in kinds
        if (severities.get((rule, kind)) or severities.get((rule, ""))) == "off"
    )
