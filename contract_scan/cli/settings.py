"""What is in force for one run: flags over environment over configuration file."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TypedDict

import msgspec

from contract_scan.cli.selection import selected
from contract_scan.config import Config, find_configuration, line_of, read_configuration
from contract_scan.errors import ConfigurationError, UsageError


class ScanOptions(TypedDict):
    """The values of the shared options."""

    paths: tuple[str, ...]
    exclude: tuple[str, ...]
    config: str | None
    isolated: bool
    no_cache: bool
    jobs: int | None


def configuration(options: ScanOptions, root: Path) -> Config:
    """The configuration for a folder, with what the command line says in its place.

    Raises UsageError or ConfigurationError for a file that is missing or wrong.
    """
    config = _within(_file(options, root), root)
    if options["exclude"]:
        config = msgspec.structs.replace(config, exclude=options["exclude"])
    return config


def contract_files(names: Sequence[str], here: Path) -> tuple[Path, ...]:
    """The contracts named on the command line.

    Raises UsageError for one that does not exist.
    """
    for name in names:
        if not (here / name).exists():
            raise UsageError("no such contract", name)
    return tuple(dict.fromkeys((here / name).resolve() for name in names))


def rules_to_run(
    config: Config, rules: Sequence[str], select: Sequence[str], ignore: Sequence[str]
) -> frozenset[str]:
    """The rules in force. What the command line says of a list replaces the configured one."""

    def configured(key: str, word: str, message: str) -> ConfigurationError:
        file = config.file
        assert file is not None
        index = getattr(config, key).index(word)
        return ConfigurationError(f"`{key}`: {message}", str(file), line_of(file, (key, index)))

    chosen = (
        selected(rules, select, (), lambda _, message: UsageError(message))
        if select
        else selected(
            rules, config.select, (), lambda word, message: configured("select", word, message)
        )
    )
    if ignore:
        kept = selected(rules, (), ignore, lambda _, message: UsageError(message))
    else:
        kept = selected(
            rules, (), config.ignore, lambda word, message: configured("ignore", word, message)
        )
    return chosen & kept


def _within(config: Config, root: Path) -> Config:
    """The configuration for a part of what it describes: services elsewhere have no say there."""
    services = []
    for service in config.services:
        if root.is_relative_to(service.source):
            services.append(msgspec.structs.replace(service, source=root))
        elif service.source.is_relative_to(root):
            services.append(service)
    return msgspec.structs.replace(config, services=tuple(services))


def _file(options: ScanOptions, root: Path) -> Config:
    if options["config"] is not None:
        if options["isolated"]:
            raise UsageError("--config and --isolated exclude each other")
        return read_configuration(Path(options["config"]).absolute())
    found = None if options["isolated"] else find_configuration(root)
    return Config() if found is None else read_configuration(found)
