"""What a finding asks for, told apart from how a language writes it down."""

from __future__ import annotations

import json
import re
from typing import Any, TypeAlias

from msgspec import Struct

from contract_scan.fixes.name_styles import words
from contract_scan.ir.violation import Finding

_PLAIN = re.compile(r"[A-Za-z0-9_$@][A-Za-z0-9_$@.: -]*")
"""Names and values that need no escape in any language. Others are left to people."""
_SCALAR = re.compile(r"(string|integer|number|boolean)(?: \(([a-z0-9-]+)\))?")
_STATUS = re.compile(r"2\d\d")
_SECRETS = frozenset({"password", "passwd", "pwd", "passphrase", "secret", "salt"})
"""What is called so is sent by mistake: no contract should come to promise it."""


class WireType(Struct, frozen=True):
    """A simple type as the contract says it."""

    type: str
    format: str = ""
    nullable: bool = False


class Rename(Struct, frozen=True):
    """Call something by another name on the wire."""

    found: str
    wanted: str
    guessed: bool = False
    """Whether the names do not tell that they mean the same."""


class SetOptional(Struct, frozen=True):
    """Let a field be left out, or never leave it out."""

    optional: bool


class SetNullable(Struct, frozen=True):
    """Let a field be null, or never null."""

    nullable: bool


class SetType(Struct, frozen=True):
    """Give a field another simple type."""

    wanted: WireType


class SetValues(Struct, frozen=True):
    """Make a list of values that of the contract."""

    found: tuple[str, ...]
    wanted: tuple[str, ...]
    covers: bool
    """Whether values that the contract does not list have to go."""


class AddField(Struct, frozen=True):
    """Add a field that the contract requires."""

    name: str
    wanted: WireType
    optional: bool
    """Whether the code may do without it: it only reads it."""


class AddProperty(Struct, frozen=True):
    """Add a field that the code sends to the contract."""

    name: str
    wanted: WireType


class AddOperation(Struct, frozen=True):
    """Add a route that the code has to a contract."""

    document: str
    """The contract to add it to, relative to the scanned root."""
    method: str
    """In small letters."""
    path: str
    """As the contract would write it."""
    operation: dict[str, Any]
    """What the code does, as OpenAPI 3.1 with every schema in place."""
    folds_case: bool = False
    """Whether the router answers a path in any letter case."""


class SetStatus(Struct, frozen=True):
    """Answer with another status."""

    found: str
    wanted: str


Change: TypeAlias = Rename | SetOptional | SetNullable | SetType | SetValues | AddField | SetStatus
"""What code can be changed to."""


def change_of(finding: Finding) -> Change | None:
    """What a finding asks the code to change; None where that is not for a program to decide."""
    direction = finding.operation.direction if finding.operation else ""
    match finding.kind:
        case "name-case":
            return rename_change(finding.found, finding.expected)
        case "parameter":
            return _parameter(finding)
        case "required":
            return _optionality(finding.expected)
        case "nullable":
            return _nullability(finding)
        case "type":
            wanted = wire_type(finding.expected)
            return SetType(wanted) if wanted and wire_type(finding.found) else None
        case "enum":
            return _values(finding, sends=direction == "response")
        case "missing-field":
            return _missing_field_change(finding, optional=direction == "request")
        case "status":
            if _STATUS.fullmatch(finding.expected) and _STATUS.fullmatch(finding.found):
                return SetStatus(finding.found, finding.expected)
    return None


def wire_type(text: str) -> WireType | None:
    """The simple type that a description (`string (date) or null`) stands for."""
    bare = text.removesuffix(" or null")
    match = _SCALAR.fullmatch(bare)
    return WireType(match[1], match[2] or "", bare != text) if match else None


def values_of(text: str) -> tuple[str, ...]:
    """The texts that a description lists (`"a" | "b"`); empty for anything else, and where one of
    them is no plain word."""
    try:
        values = tuple(json.loads(f"[{text.removesuffix(' or null').replace(' | ', ',')}]"))
    except ValueError:
        return ()
    plain = all(isinstance(value, str) and _PLAIN.fullmatch(value) for value in values)
    return values if plain else ()


def rename_change(found: str, wanted: str, *, guessed: bool = False) -> Rename | None:
    """Another name; None where one of the two is no plain word."""
    if _PLAIN.fullmatch(found) and _PLAIN.fullmatch(wanted) and found != wanted:
        return Rename(found, wanted, guessed)
    return None


def _parameter(finding: Finding) -> Change | None:
    if (finding.expected, finding.found) == ("optional", "required"):
        return SetOptional(optional=True)
    if finding.field == finding.expected and finding.found:
        return rename_change(finding.found, finding.expected)
    return None


def _optionality(expected: str) -> SetOptional | None:
    return SetOptional(expected == "optional") if expected in ("optional", "required") else None


def _nullability(finding: Finding) -> SetNullable | None:
    expected, found = (text.endswith("or null") for text in (finding.expected, finding.found))
    return SetNullable(expected) if expected != found and finding.field else None


def _values(finding: Finding, *, sends: bool) -> SetValues | None:
    found, wanted = values_of(finding.found), values_of(finding.expected)
    if not found or not wanted or len(found) < 2:
        return None
    return SetValues(found, wanted, covers=sends or not finding.operation)


def addition(finding: Finding) -> AddProperty | None:
    """What a finding asks the contract to add: a field of a response that it does not mention."""
    direction = finding.operation.direction if finding.operation else ""
    name = finding.field.rpartition(".")[2]
    wanted = wire_type(finding.found)
    if finding.kind != "extra-field" or direction != "response" or finding.contract is None:
        return None
    if _SECRETS & set(words(name)):
        return None
    return AddProperty(name, wanted) if wanted and _PLAIN.fullmatch(name) else None


def _missing_field_change(finding: Finding, *, optional: bool) -> AddField | None:
    name = finding.field.rpartition(".")[2]
    wanted = wire_type(finding.expected)
    if wanted is None or not _PLAIN.fullmatch(name) or name.endswith(("]", "}")):
        return None
    return AddField(name, wanted, optional)
