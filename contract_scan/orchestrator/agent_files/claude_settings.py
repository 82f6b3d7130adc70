"""Settings of Claude Code: hooks of ours go in and out, and all else stays as it is."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, Final

from contract_scan.atomic import replace_file
from contract_scan.config.confinement import is_confined
from contract_scan.errors import ContractScanError
from contract_scan.regular_file import read_regular

LOCAL_SETTINGS: Final = Path(".claude", "settings.local.json")
"""Of the project, for one user: they are not shared with the repository."""

OWN: Final = "contract-scan: "
"""How the status messages of our hooks begin, by which they are known again."""

_LARGEST: Final = 10_000_000


class SettingsError(ContractScanError):
    """Settings cannot be read, changed or written; nothing was changed."""


def read_settings(file: Path) -> dict[str, Any]:
    """The settings of a file; none where it is missing or empty.

    Raises SettingsError for what is not exactly one JSON object: comments, trailing commas and
    keys that are there twice would be lost when the file is written again.
    """
    try:
        raw = read_regular(file, _LARGEST + 1)
    except FileNotFoundError:
        return {}
    except OSError as error:
        raise SettingsError(f"cannot be read: {error.strerror}", str(file)) from None
    if len(raw) > _LARGEST:
        raise SettingsError("is too large for settings", str(file))
    try:
        text = raw.decode("utf-8-sig")
        if not text.strip():
            return {}
        settings = json.loads(text, object_pairs_hook=_object, parse_constant=_refuse_constant)
    except json.JSONDecodeError as error:
        raise SettingsError(
            f"is not JSON: {error.msg}; settings with comments or trailing commas cannot be"
            " changed, so take them out",
            str(file),
            error.lineno,
        ) from None
    except UnicodeDecodeError:
        raise SettingsError("is not UTF-8", str(file)) from None
    except RecursionError:
        raise SettingsError("is nested too deeply", str(file)) from None
    except ValueError as error:
        raise SettingsError(f"is not JSON: {error}", str(file)) from None
    if not isinstance(settings, dict):
        raise SettingsError("is no JSON object", str(file))
    return settings


def merge_settings(
    settings: Mapping[str, Any],
    hooks: Mapping[str, Sequence[Mapping[str, Any]]],
    *,
    path: str = "",
    own: str = OWN,
) -> dict[str, Any]:
    """The settings with these hooks of ours, and without any that they had before. Ours are those
    whose status messages begin with `own`: parts of contract-scan that write hooks of different
    kinds do not take away each other's.

    Merging twice is merging once, and merging no hooks takes ours away. The order of what is the
    user's stays. `path` is for messages. Raises SettingsError where `hooks` has another shape than
    Claude Code reads.
    """
    _check_shape(settings, path)
    before = settings.get("hooks", {})
    after: dict[str, Any] = {}
    for event, groups in before.items():
        others = [rest for group in groups if (rest := _without_own(group, own)) is not None]
        if others or not groups:
            after[event] = others
    for event, groups in hooks.items():
        after[event] = [*after.get(event, []), *(dict(group) for group in groups)]
    merged = {**settings, "hooks": after}
    if not after and (before or "hooks" not in settings):
        del merged["hooks"]
    return merged


def write_settings(file: Path, settings: Mapping[str, Any], *, project: Path | None = None) -> None:
    """Write settings, whole or not at all. Makes the folder. Raises SettingsError, also where the
    settings of a project lie outside of it."""
    if project is not None:
        _require_confined(file, project)
    text = json.dumps(settings, indent=2, ensure_ascii=False)
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        replace_file(file, f"{text}\n".encode("utf-8", "surrogatepass"))
    except OSError as error:
        raise SettingsError(f"cannot be written: {error.strerror}", str(file)) from None


def remove_settings(file: Path, *, project: Path) -> None:
    """Take away settings of which nothing is left, and their folder where it holds nothing else.
    Raises SettingsError as `write_settings` does."""
    _require_confined(file, project)
    try:
        file.unlink(missing_ok=True)
    except OSError as error:
        raise SettingsError(f"cannot be removed: {error.strerror}", str(file)) from None
    with suppress(OSError):
        file.parent.rmdir()


def _require_confined(file: Path, project: Path) -> None:
    if not is_confined(file, project.resolve()):
        raise SettingsError("lies outside of the project; nothing is written there", str(file))


def _without_own(group: Mapping[str, Any], own: str) -> dict[str, Any] | None:
    """A group without our hooks; None where nothing is left of it."""
    theirs = [handler for handler in group["hooks"] if not _is_own(handler, own)]
    if not theirs and group["hooks"]:
        return None
    return {**group, "hooks": theirs}


def _is_own(handler: Mapping[str, Any], own: str) -> bool:
    status = handler.get("statusMessage")
    return isinstance(status, str) and status.startswith(own)


def _check_shape(settings: Mapping[str, Any], path: str) -> None:
    hooks = settings.get("hooks", {})
    if not isinstance(hooks, dict):
        raise SettingsError("`hooks` is no object; mend it first", path)
    for event, groups in hooks.items():
        where = f"`hooks.{event}`"
        if not isinstance(groups, list):
            raise SettingsError(f"{where} is no list; mend it first", path)
        for group in groups:
            handlers = group.get("hooks") if isinstance(group, dict) else None
            if not isinstance(handlers, list) or not all(isinstance(it, dict) for it in handlers):
                raise SettingsError(
                    f"{where} has an entry without a list `hooks` of objects; mend it first", path
                )


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        keys = [key for key, _ in pairs]
        twice = next(key for key in keys if keys.count(key) > 1)
        raise ValueError(f"the key {twice!r} is there twice; take one of them out")
    return found


def _refuse_constant(name: str) -> Any:
    raise ValueError(f"{name} is no number of JSON")
