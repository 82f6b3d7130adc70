"""From what is asked to what to write."""

from __future__ import annotations

from typing import Any

from contract_scan.fixes.python_child import declared
from contract_scan.fixes.python_child.fields import add_field, set_nullable, set_optional, set_type
from contract_scan.fixes.python_child.names import rename
from contract_scan.fixes.python_child.source import Edit, Source
from contract_scan.fixes.python_child.status import set_status
from contract_scan.fixes.python_child.values import set_values


def _set_values(change: dict[str, Any], source: Source) -> tuple[str, bool, list[Edit]] | None:
    field = declared.declared_at(change, source)
    return (
        set_values(change, source) if field is None else declared.set_values(field, change, source)
    )


_ASKED = {
    "Rename": rename,
    "SetOptional": set_optional,
    "SetNullable": set_nullable,
    "SetType": set_type,
    "SetValues": _set_values,
    "AddField": add_field,
    "SetStatus": set_status,
}


def answer(change: dict[str, Any], source: Source) -> dict[str, Any] | None:
    """What to write where for one change; None where it is not for a program to decide."""
    found: tuple[str, bool, list[Edit]] | None = _ASKED[change["kind"]](change, source)
    if found is None or not found[2]:
        return None
    title, safe, edits = found
    return {"title": title, "safe": safe, "edits": edits}
