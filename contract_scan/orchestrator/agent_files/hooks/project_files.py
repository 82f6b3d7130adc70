"""Hooks in a project: the entries of its local settings, and its scripts."""

from __future__ import annotations

import contextlib
from collections.abc import Iterable
from pathlib import Path
from typing import Any, Final

from contract_scan.atomic import replace_file
from contract_scan.config.confinement import is_confined
from contract_scan.errors import ContractScanError
from contract_scan.orchestrator.agent_files.claude_settings import (
    LOCAL_SETTINGS,
    merge_settings,
    read_settings,
    write_settings,
)
from contract_scan.orchestrator.agent_files.hooks.generation import (
    SCRIPT_MARK,
    SCRIPTS_FOLDER,
    HookConfig,
)
from contract_scan.regular_file import read_regular

_MODE: Final = 0o755
_LARGEST: Final = 10_000_000


class HookFileError(ContractScanError):
    """A script of a hook cannot be written."""


def write_hooks_to_project(hook_config: HookConfig, project_dir: Path) -> Path:
    """Put the hooks into `.claude/settings.local.json`, and the scripts into `.claude/hooks`
    (REQ-014): the path of the settings.

    What else is in the settings stays, also the user's own hooks; hooks of an earlier build are
    replaced. All is checked before anything is written. Where files have no modes, scripts are
    written without one: Claude Code runs them by Git Bash or WSL on Windows.

    Raises SettingsError where the settings cannot be read as JSON (TECH-012 starts from nothing
    then, which would lose what the user has written), and HookFileError for a script of somebody
    else's and for a folder that leads out of the project.
    """
    before, merged = settings_with_hooks(hook_config, project_dir)
    settings_file = project_dir / LOCAL_SETTINGS
    folder = project_dir / SCRIPTS_FOLDER
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for name, text in hook_config.scripts.items():
            replace_file(folder / name, text.encode("utf-8", "surrogateescape"))
            with contextlib.suppress(OSError):
                (folder / name).chmod(_MODE)
    except OSError as error:
        raise HookFileError(f"cannot be written: {error.strerror}", str(folder)) from None
    if merged != before:
        write_settings(settings_file, merged, project=project_dir)
    return settings_file


def settings_with_hooks(
    hook_config: HookConfig, project_dir: Path
) -> tuple[dict[str, Any], dict[str, Any]]:
    """The local settings of a project as they are, and with the hooks. Writes nothing, and raises
    what stands in the way of `write_hooks_to_project`."""
    settings_file = project_dir / LOCAL_SETTINGS
    folder = project_dir / SCRIPTS_FOLDER
    _require_inside(project_dir, [settings_file, *(folder / name for name in hook_config.scripts)])
    before = read_settings(settings_file)
    merged = merge_settings(before, hook_config.hooks, path=str(settings_file))
    for name in hook_config.scripts:
        _refuse_foreign(folder / name)
    return before, merged


def _require_inside(project_dir: Path, files: Iterable[Path]) -> None:
    for file in files:
        if not is_confined(file, project_dir.resolve()):
            raise HookFileError("lies outside of the project; nothing is written there", str(file))


def _refuse_foreign(file: Path) -> None:
    try:
        text = read_regular(file, _LARGEST)
    except FileNotFoundError:
        return
    except OSError as error:
        raise HookFileError(f"cannot be read: {error.strerror}", str(file)) from None
    if SCRIPT_MARK.encode() not in text:
        raise HookFileError("is there already and not ours; move it away", str(file))
