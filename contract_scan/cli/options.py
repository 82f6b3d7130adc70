"""Options that several verbs share. Every long option can also be set as `CONTRACT_SCAN_OPTION`."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import click

from contract_scan import memory_limit
from contract_scan.cli.completing import complete_files

Command = TypeVar("Command", bound=Callable[..., Any])

PREFIX = "CONTRACT_SCAN_"


def option(*names: str, **settings: Any) -> Callable[[Command], Command]:
    """A click option that can be set in the environment as well."""
    long = next(name for name in names if name.startswith("--")).split("/")[0]
    variable = PREFIX + long.removeprefix("--").replace("-", "_").upper()
    return click.option(*names, envvar=variable, show_envvar=False, **settings)


def scanning(command: Command) -> Command:
    """The options of every verb that scans."""
    for decorate in reversed(_SCANNING):
        command = decorate(command)
    return command


def available_cores() -> int:
    """Cores that this process may use."""
    try:
        return len(os.sched_getaffinity(0))
    except AttributeError:
        return os.cpu_count() or 1


class _Setting(click.types.StringParamType):
    """A file or a setting. In the environment it stands alone: a setting holds blanks."""

    name = "setting"

    def split_envvar_value(self, rv: str) -> Sequence[str]:
        return (rv,)


def caching(command: Command) -> Command:
    """The options of every verb that uses the cache."""
    for decorate in reversed(_CACHING):
        command = decorate(command)
    return command


_CACHING: tuple[Callable[[Any], Any], ...] = (
    option("--no-cache", "-n", is_flag=True, help="Neither read nor write the cache."),
    option(
        "--cache-dir",
        metavar="DIR",
        help="Folder of the caches, one for each root.  [default: the user's cache folder]",
        shell_complete=complete_files,
    ),
)
_SCANNING: tuple[Callable[[Any], Any], ...] = (
    click.argument("paths", nargs=-1, metavar="[PATHS]...", shell_complete=complete_files),
    option(
        "--exclude",
        multiple=True,
        metavar="PATTERN",
        help="Leave out what matches, as in .gitignore, instead of what is configured.",
    ),
    option(
        "--extend-exclude",
        multiple=True,
        metavar="PATTERN",
        help="Leave out what matches besides.",
    ),
    option(
        "--config",
        multiple=True,
        type=_Setting(),
        metavar='FILE|"KEY = VALUE"',
        help="Configuration to use, instead of the nearest; or a setting, which may be repeated.",
        shell_complete=complete_files,
    ),
    option("--isolated", is_flag=True, help="Read no configuration file."),
    *_CACHING,
    option(
        "--jobs",
        "-j",
        type=click.IntRange(min=1),
        metavar="N",
        help="Processes to use at most where the work is worth them.  [default: all cores]",
    ),
    option(
        "--memory-limit",
        type=click.IntRange(memory_limit.LEAST, memory_limit.MOST),
        metavar="MIB",
        help="Memory that each process may take (Linux); more ends with 2."
        f"  [default: {memory_limit.DEFAULT}]",
    ),
)
