"""What is in force for one run: flags over environment over configuration file."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NotRequired, TypedDict

import click
from click.core import ParameterSource
from msgspec.structs import replace

from contract_scan.cache import CacheUnusableError, Place, usable_cache
from contract_scan.cli.options import PREFIX, available_cores
from contract_scan.config import Config, Layer, file_layer, find_configuration, resolve, text_layer
from contract_scan.config.effective import (
    for_root,
    own_baseline,
    selected_kinds,
    with_kinds_off,
    with_own_baseline,
)
from contract_scan.config.rules import words
from contract_scan.errors import UsageError
from contract_scan.memory_limit import limit_to
from contract_scan.reports.display import display

FLAGS = {
    "exclude": "exclude",
    "extend_exclude": "extend-exclude",
    "select": "select",
    "extend_select": "extend-select",
    "ignore": "ignore",
    "fixable": "fixable",
    "unfixable": "unfixable",
    "fail_on": "fail-on",
    "max_warnings": "max-warnings",
    "min_verified": "min-verified",
    "min_confidence": "min-confidence",
    "min_severity": "min-severity",
    "output_formats": "output-format",
    "baseline": "baseline",
    "jobs": "jobs",
    "memory_limit": "memory-limit",
}
"""Parameters of verbs -> the keys that they set."""
_RULES = frozenset({"select", "extend-select", "ignore", "fixable", "unfixable"})
_LISTS = frozenset({"exclude", "extend-exclude", "output-format", "required-models", *_RULES})
_TEXTS = frozenset({"fail-on", "min-confidence", "min-severity", "baseline"})


class CacheOptions(TypedDict):
    """The values of the options about the cache."""

    no_cache: bool
    cache_dir: str | None


class ScanOptions(CacheOptions):
    """The values of the shared options."""

    paths: tuple[str, ...]
    exclude: tuple[str, ...]
    extend_exclude: NotRequired[tuple[str, ...]]
    config: tuple[str, ...] | None
    isolated: bool
    jobs: int | None
    memory_limit: int | None
    no_baseline: NotRequired[bool]


def configuration(options: ScanOptions, root: Path) -> Config:
    """What is in force for a folder; from now on its limit of memory is.

    Raises UsageError or ConfigurationError for a file that is missing or wrong.
    """
    if options["memory_limit"] is not None:
        limit_to(options["memory_limit"])  # while the configuration is read, too
    found = layers(options, root)
    config = for_root(resolve(found), root)
    if options.get("no_baseline"):
        config = replace(config, baseline=None)
    elif not options["isolated"]:
        config = with_own_baseline(config, own_baseline(found, root))
    limit_to(config.memory_limit)
    return config


def layers(options: ScanOptions, root: Path) -> list[Layer]:
    """Everything that is set for a folder, the weakest first: the configuration file, variables of
    the environment, `--config "KEY = VALUE"`, flags."""
    here = Path.cwd()
    file, _ = _configuration_source(options)
    named = file is not None
    if file is None and not options["isolated"]:
        file = find_configuration(root)
    found = [] if file is None else [file_layer(file, named=named)]
    return [*found, *_layers_of_the_user(options, here)]


def _layers_of_the_user(options: ScanOptions, here: Path) -> list[Layer]:
    """What whoever starts the command sets, the weakest first."""
    _, inline = _configuration_source(options)
    found = _environment(here)
    found += [text_layer(text, "--config", here) for text in inline]
    return [*found, *_flags(options, here)]


def processes(config: Config) -> int:
    """How many processes may be used."""
    return config.jobs or available_cores()


def cache_place(options: CacheOptions, root: Path) -> Place:
    """Where the cache is, as options and environment say. One that was asked for and cannot be used
    is spoken of; the scan goes on without it."""
    if options["no_cache"]:
        return False
    place = options["cache_dir"]
    if not place:
        return True
    try:
        usable_cache(os.path.realpath(root), place).close()
    except (CacheUnusableError, OSError) as error:
        reason = error.strerror if isinstance(error, OSError) else str(error)
        print(display(f"contract-scan: {place}: no cache is used: {reason}"), file=sys.stderr)
        return False
    return place


def contract_files(names: Sequence[str], here: Path) -> tuple[Path, ...]:
    """The contracts named on the command line.

    Raises UsageError for one that does not exist, or that nobody lets us look at.
    """
    for name in names:
        try:
            is_there = (here / name).exists()
        except OSError as error:
            raise UsageError(f"cannot be read: {error.strerror}", name) from None
        if not is_there:
            raise UsageError("no such contract", name)
    return tuple(dict.fromkeys((here / name).resolve() for name in names))


def kinds_and_exceptions(options: ScanOptions, config: Config) -> tuple[frozenset[str], Config]:
    """The names of the kinds to report, and the configuration with what leaves out those that the
    configuration file turns off.

    A file may belong to the repository that is scanned: a promise must not count as verified
    because it turns off the rule that would find it broken. Such rules run, and what they find is
    counted. Rules of which whoever starts the command selects nothing do not run.
    """
    in_force = selected_kinds(config)
    chosen = selected_kinds(resolve(_layers_of_the_user(options, Path.cwd())))
    off = chosen - in_force
    if not off:
        return in_force, config
    return chosen | in_force, with_kinds_off(config, off)


def _configuration_source(options: ScanOptions) -> tuple[Path | None, list[str]]:
    """The file that `--config` names, and the settings that it holds itself."""
    files: list[str] = []
    inline: list[str] = []
    for word in options["config"] or ():
        is_setting = "=" in word and not _exists(word)
        (inline if is_setting else files).append(word)
    if len(files) > 1:
        raise UsageError("--config names two files; one configuration counts", files[1])
    if files and options["isolated"]:
        raise UsageError("--config and --isolated exclude each other")
    return (Path(files[0]).absolute() if files else None), inline


def _exists(word: str) -> bool:
    try:
        return Path(word).exists()
    except (OSError, ValueError):
        return False


def _environment(here: Path) -> list[Layer]:
    """Settings in variables: one for each key."""
    if not any(name.startswith(PREFIX) for name in os.environ):
        return []
    from contract_scan.config.raw_configuration import WrittenFile
    from contract_scan.config.validation_errors import keys_of

    found = []
    for key in keys_of(WrittenFile):
        name = PREFIX + key.replace("-", "_").upper()
        text = os.environ.get(name, "")
        if text and key != "contracts":
            found.append(_variable(key, name, text, here))
    return found


def _variable(key: str, name: str, text: str, here: Path) -> Layer:
    if key in _LISTS:
        parts = text.split()
        split = key in _RULES or key == "required-models"
        value: Any = words(parts) if split else tuple(parts)
        return Layer(values={key: value}, name=name, base=here)
    if key in _TEXTS:
        return Layer(values={key: text}, name=name, base=here)
    given = text_layer(f"{key} = {text}", name, here)
    if set(given.values) != {key}:
        raise UsageError(f"{name}: holds more than the value of `{key}`")
    return given


def _flags(options: Mapping[str, Any], here: Path) -> list[Layer]:
    """What was said on the command line itself."""
    context = click.get_current_context(silent=True)
    found = []
    for parameter, key in FLAGS.items():
        value = options.get(parameter)
        given = context and context.get_parameter_source(parameter) is ParameterSource.COMMANDLINE
        if value is None or not given:
            continue
        if key in _RULES:
            value = words(value)
            if key == "select" and not value:
                raise UsageError("names no rule; leave the option out, or say ALL", f"--{key}")
        flag = Layer(values={key: value}, name=f"--{key}", base=here, label="")
        found.append(flag)
    return found
