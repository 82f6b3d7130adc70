"""PLAN_draft.md and PLAN.md: which files a patch may touch, how much of them, and when to stop."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from msgspec import Struct

from contract_scan.roles.key_lines import (
    ArtifactError,
    KeyValue,
    choice_value,
    read_keys,
    required_value,
)

_DRAFT: Final = "DRAFT"
_SIGNED: Final = "SIGNED"
_MOST: Final = 1_000_000
_BUDGETS: Final = {"max_files": 5, "max_added_lines": 400}
"""What a patch may have where the plan sets no limit, as TeamNet does."""
_KEYS: Final = frozenset(
    {"status", "scope-allow", "scope-deny", "gates", "stop", "budgets", "decided-by", "signed-by"}
)


class Plan(Struct, frozen=True, kw_only=True):
    """What was decided."""

    is_signed: bool
    allowed: tuple[str, ...]
    """Files, or folders with `/` at the end."""
    denied: tuple[str, ...]
    gates: tuple[str, ...]
    stop: tuple[str, ...]
    max_files: int
    """Files that a patch may touch."""
    max_added_lines: int
    decided_by: str
    """Who says to have decided, as it is written; empty: nobody is named."""

    def allows(self, path: str) -> bool:
        """Whether a patch may touch a file."""
        return _is_covered(path, self.allowed) and not _is_covered(path, self.denied)


def read_plan(text: str, path: str) -> Plan:
    """A plan or its draft. Raises ArtifactError, with the line, where it lacks what one needs."""
    found = read_keys(text, _KEYS)
    status = choice_value(found, "status", (_DRAFT, _SIGNED), path)
    allowed = required_value(found, "scope-allow", path)
    for key in ("gates", "stop"):
        required_value(found, key, path)
    denied = found.get("scope-deny")
    for value in (allowed, *([denied] if denied else [])):
        _check_paths(value, path)
    budgets = _budgets(found.get("budgets"), path)
    named = [found[key].text for key in ("decided-by", "signed-by") if key in found]
    return Plan(
        is_signed=status == _SIGNED,
        allowed=allowed.values,
        denied=denied.values if denied else (),
        gates=found["gates"].values,
        stop=found["stop"].values,
        max_files=budgets["max_files"],
        max_added_lines=budgets["max_added_lines"],
        decided_by=", ".join(named),
    )


def is_signed_form(plan: str, draft: str) -> bool:
    """Whether a plan is its draft but for the line with the status, which lines may be ended in
    another way."""
    return _without_status(plan) == _without_status(draft)


# Private helpers


def _is_covered(path: str, prefixes: Iterable[str]) -> bool:
    return any(
        path.startswith(prefix) if prefix.endswith("/") else path == prefix for prefix in prefixes
    )


def _check_paths(value: KeyValue, path: str) -> None:
    for prefix in value.values:
        parts = prefix.split("/")
        if prefix.startswith("/") or "\\" in prefix or ".." in parts or ":" in parts[0]:
            message = f"`{prefix:.80}` is no path in the repository, with `/`"
            raise ArtifactError(message, path, value.line)
        if "*" in prefix or "?" in prefix:
            message = f"`{prefix:.80}`: name a file, or a folder with `/` at the end"
            raise ArtifactError(message, path, value.line)


def _budgets(value: KeyValue | None, path: str) -> dict[str, int]:
    budgets = dict(_BUDGETS)
    for each in value.values if value is not None else ():
        name, _, number = each.replace("=", " ").partition(" ")
        if name not in budgets or not number.strip().isdecimal() or int(number) > _MOST:
            line = value.line if value is not None else 1
            message = f"`Budgets` are `{'`, `'.join(f'{one} N' for one in budgets)}`, not"
            raise ArtifactError(f"{message} {each!r:.60}", path, line)
        budgets[name] = int(number)
    return budgets


def _without_status(text: str) -> list[str]:
    status = read_keys(text, _KEYS).get("status")
    lines = text.splitlines()
    return [line for at, line in enumerate(lines, start=1) if status is None or at != status.line]
