"""Fields that were given another name: one that is missing, and one that is there instead."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

from contract_scan.fixes.change import Change, Rename, rename_change, wire_type
from contract_scan.ir.origin import Origin
from contract_scan.ir.violation import Finding

_Place: TypeAlias = tuple[object, ...]


def renamed_fields(findings: Sequence[Finding]) -> dict[int, tuple[Origin, Change | None]]:
    """What findings of a missing field and of one too many ask for together, by their index.

    Where exactly one field is missing, and exactly one of the same simple type is too many, it was
    called by another name. Where the types differ, or there are more of them, nobody knows: then
    no field is added either.
    """
    missing: dict[_Place, list[int]] = {}
    extra: dict[_Place, list[int]] = {}
    for index, finding in enumerate(findings):
        if finding.kind == "missing-field":
            missing.setdefault(_object_key(finding), []).append(index)
        elif finding.kind == "extra-field":
            extra.setdefault(_object_key(finding), []).append(index)
    found: dict[int, tuple[Origin, Change | None]] = {}
    for place in missing.keys() & extra.keys():
        lacking, added = missing[place], extra[place]
        change = None
        if len(lacking) == 1 and len(added) == 1:
            change = _rename(findings[lacking[0]], findings[added[0]])
        for index in (*lacking, *added):
            origin = findings[added[0]].origin if change else findings[index].origin
            found[index] = (origin, change)
    return found


def _rename(lacking: Finding, added: Finding) -> Rename | None:
    one, other = wire_type(lacking.expected), wire_type(added.found)
    if one is None or other is None or one.type != other.type:
        return None
    if one.format != other.format and one.format and other.format:
        return None
    return rename_change(_name(added), _name(lacking), guessed=True)


def _object_key(finding: Finding) -> _Place:
    """The object that a field belongs to, as one finding knows it."""
    return (
        finding.rule,
        finding.origin.path,
        finding.operation,
        finding.channel,
        finding.model,
        finding.field.rpartition(".")[0],
    )


def _name(finding: Finding) -> str:
    return finding.field.rpartition(".")[2]
