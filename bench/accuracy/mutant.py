"""What a planted mistake is, and what it must make a scanner say."""

from __future__ import annotations

from typing import NamedTuple

from bench.accuracy.contract_text import Json, Kind

RULES: dict[Kind, str] = {
    "openapi": "CONTRACT-001",
    "asyncapi": "CONTRACT-003",
    "json-schema": "CONTRACT-004",
}
"""The rule that speaks of the payloads of each sort of contract."""


class Expected(NamedTuple):
    """One finding that a mutant has to cause; any of the kinds, at any of the fields."""

    rule: str
    kinds: frozenset[str]
    subject: str
    fields: frozenset[str]
    below: bool = False
    """A finding below one of the fields is as good."""
    instead: str = ""
    """A finding about this subject is as good (a channel under its old name)."""


class Mutant(NamedTuple):
    """A contract (or code) with one change."""

    document: Json
    operator: str
    expected: tuple[Expected, ...]
    """Empty for controls."""
    names: frozenset[str]
    """Last parts of the wire paths that the change touches: findings there belong to it. Empty: all
    findings about the subjects belong to it."""
    conditional: bool = False
    """The code may conform to the mutant as well: only reading it tells."""
    also: frozenset[str] = frozenset()
    """Further subjects that the change is about (a path before it was renamed)."""
    anywhere: bool = False
    """A finding about one of the names belongs to the change whatever its subject is."""


class Edit(NamedTuple):
    """What an operator did to one property."""

    name: str
    """Name after the edit."""
    kinds: frozenset[str]
    conditional: bool = False
    suffix: str = ""
    """Added to the wire path where the finding belongs below the property (`[]`)."""
    old_name_too: bool = False
    """A finding about the old name is as good."""
    below: bool = False
    """A finding below the property is as good."""


def kinds(*words: str) -> frozenset[str]:
    """Kinds of findings, any of which will do; none for a control."""
    return frozenset(words)
