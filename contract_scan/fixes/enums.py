"""Enumerations whose members stand for values on the wire."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from msgspec import Struct

from contract_scan.fixes.change import SetValues
from contract_scan.fixes.name_styles import styles_of, words
from contract_scan.fixes.syntax import Draft, Replacement, Syntax

if TYPE_CHECKING:
    from tree_sitter import Node


class Member(Struct, frozen=True):
    """One member of an enumeration."""

    name: str
    value: str
    """What an annotation or argument of it gives as its value; empty: nothing does."""
    before: str
    """The text of the annotations before its name, with the blanks behind them."""
    after: str = ""
    """The text behind its name: arguments of its constructor."""


def values_to_change(
    change: SetValues,
    members: Sequence[Member],
    nodes: Sequence[Node],
    syntax: Syntax,
    naming: Callable[[str], str],
) -> Draft | None:
    """Add and remove members so that their values are those of the contract; None where it cannot
    be told how a member is written that stands for a value."""
    known = _values(members, change.found)
    if known is None:
        return None
    added = [value for value in change.wanted if value not in known]
    gone = [value for value in known if value not in change.wanted] if change.covers else []
    if not (added or gone) or len(gone) == len(known):
        return None
    names = [_member_for(value, members, known, naming) for value in added]
    if any(name is None for name in names):
        return None
    remaining = [index for index, value in enumerate(known) if value not in gone]
    edits = [
        edit
        for i, value in enumerate(known)
        if value in gone
        for edit in _remove_members(i, nodes, syntax, remaining)
    ]
    if added:
        last = nodes[remaining[-1]]
        model = members[remaining[-1]]
        lines = [
            _member_text(name or "", value, model) for name, value in zip(names, added, strict=True)
        ]
        on_line = syntax.begins_line(last) and len(nodes) > 1 and syntax.begins_line(nodes[0])
        between = f",{syntax.text.line_end}{syntax.indent(last)}" if on_line else ", "
        edits.append(syntax.after(last, "".join(between + line for line in lines)))
    return Draft(describe_changes(added, gone), False, tuple(edits))


def _values(members: Sequence[Member], found: Sequence[str]) -> list[str] | None:
    """The values of the members, in their order; None where they are not what was found."""
    given = [member.value for member in members]
    if not all(given):
        if any(given):
            return None
        by_words = {tuple(words(value)): value for value in found}
        given = [by_words.get(tuple(words(member.name)), "") for member in members]
    return given if set(given) == set(found) and len(given) == len(found) else None


def _member_for(
    value: str, members: Sequence[Member], known: Sequence[str], naming: Callable[[str], str]
) -> str | None:
    """The name of a member that stands for a value."""
    name = naming(value)
    names = {member.name for member in members}
    if not name.isidentifier() or not name.isascii() or name in names:
        return None
    if members[0].value:
        return name
    # Where several styles fit what is there, all of them have to fit what is added.
    styles = styles_of({m.name: v for m, v in zip(members, known, strict=True)})
    if not styles:
        return None
    for candidate in (name, value):
        if (
            candidate.isidentifier()
            and candidate not in names
            and all(style(candidate) == value for style in styles)
        ):
            return candidate
    return None


def _member_text(name: str, value: str, model: Member) -> str:
    if not model.value:
        return name
    old = f'"{model.value}"'
    new = f'"{value}"'
    return f"{model.before.replace(old, new)}{name}{model.after.replace(old, new)}"


def _remove_members(
    index: int, nodes: Sequence[Node], syntax: Syntax, remaining: Sequence[int]
) -> list[Replacement]:
    """Take a member out with the comma behind it; the last with the comma before it."""
    start, end = syntax.start(nodes[index]), syntax.end(nodes[index])
    if index < remaining[-1]:
        return [Replacement(start, syntax.start(nodes[index + 1]), "")]
    return [Replacement(syntax.end(nodes[index - 1]), end, "")]


def describe_changes(added: Sequence[str], gone: Sequence[str]) -> str:
    """The title of a change to a list of values."""
    parts = []
    if added:
        parts.append("add " + ", ".join(f"`{value}`" for value in added))
    if gone:
        parts.append("remove " + ", ".join(f"`{value}`" for value in gone))
    return " and ".join(parts)
