"""Lists of values: `Literal` and enumerations."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import libcst as cst

from contract_scan.fixes.enums import describe_changes
from contract_scan.fixes.name_styles import constant, words
from contract_scan.fixes.python_child.imports import dotted_name
from contract_scan.fixes.python_child.source import Edit, Source

Found = tuple[str, bool, list[Edit]]


def set_values(change: dict[str, Any], source: Source) -> Found | None:
    """Make a list of values that of the contract."""
    node = source.enclosing_node(change["span"], (cst.Subscript, cst.ClassDef))
    match node:
        case cst.Subscript():
            return _set_literal(change, node, source)
        case cst.ClassDef():
            return _set_enum(change, node, source)
    return None


def difference(known: Sequence[str], change: dict[str, Any]) -> tuple[list[str], list[str]] | None:
    """What to add and what to remove; None where that is nothing, everything, or the values known
    are not those found."""
    found, wanted = change["found"], change["wanted"]
    if set(known) != set(found):
        return None
    added = [value for value in wanted if value not in known]
    gone = [value for value in known if value not in wanted] if change["covers"] else []
    return (added, gone) if (added or gone) and len(gone) < len(known) else None


def _set_literal(change: dict[str, Any], node: cst.Subscript, source: Source) -> Found | None:
    if dotted_name(node.value).rpartition(".")[2] != "Literal":
        return None
    texts: dict[str, cst.SubscriptElement] = {}
    for element in node.slice:
        inner = element.slice.value if isinstance(element.slice, cst.Index) else None
        text = inner.evaluated_value if isinstance(inner, cst.SimpleString) else None
        if not isinstance(text, str):
            return None
        texts[text] = element
    changed = difference(list(texts), change)
    if changed is None:
        return None
    return (
        describe_changes(*changed),
        False,
        elements_changed(list(texts.items()), *changed, source),
    )


def elements_changed(
    elements: Sequence[tuple[str, cst.CSTNode]],
    added: Sequence[str],
    gone: Sequence[str],
    source: Source,
) -> list[Edit]:
    """Add texts to the elements of a list, and take some out, of which one at least stays."""
    quote = source.code(elements[0][1])[0]
    last = max(i for i, (text, _) in enumerate(elements) if text not in gone)
    edits = [
        _remove_element(i, elements, last, source)
        for i, (text, _) in enumerate(elements)
        if text in gone
    ]
    if added:
        new = "".join(f", {quote}{value}{quote}" for value in added)
        edits.append(source.after(elements[last][1], new))
    return edits


def _remove_element(
    index: int, elements: Sequence[tuple[str, cst.CSTNode]], last: int, source: Source
) -> Edit:
    """Take an element out with the comma behind it; those at the end with the comma before it."""
    start, end = source.bounds(elements[index][1])
    if index < last:
        following, _ = source.bounds(elements[index + 1][1])
        return (*start, *following), ""
    _, before = source.bounds(elements[index - 1][1])
    return (*before, *end), ""


def _set_enum(change: dict[str, Any], node: cst.ClassDef, source: Source) -> Found | None:
    if not isinstance(node.body, cst.IndentedBlock):
        return None
    members: dict[str, tuple[cst.SimpleStatementLine, str, cst.SimpleString]] = {}
    for line in node.body.body:
        match line:
            case cst.SimpleStatementLine(
                body=[
                    cst.Assign(
                        targets=[cst.AssignTarget(target=cst.Name(value=name))],
                        value=cst.SimpleString() as text,
                    )
                ]
            ):
                members[str(text.evaluated_value)] = (line, name, text)
    changed = difference(list(members), change)
    if changed is None:
        return None
    added, gone = changed
    names = _names(added, [name for _, name, _ in members.values()])
    if names is None:
        return None
    edits = [_remove(members[value][0], source) for value in gone]
    last, _, text = [entry for value, entry in members.items() if value not in gone][-1]
    quote = text.quote
    for name, value in zip(names, added, strict=True):
        edit = source.line_below(last, f"{source.indent(last)}{name} = {quote}{value}{quote}")
        if edit is None:
            return None
        edits.append(edit)
    return describe_changes(added, gone), False, edits


def _remove(line: cst.SimpleStatementLine, source: Source) -> Edit:
    (start, _), (end, _) = source.bounds(line)
    return (start, 1, end + 1, 1), ""


def _names(values: Sequence[str], known: Sequence[str]) -> list[str] | None:
    """Names of new members, written as those that are there."""
    upper = all(name.isupper() for name in known)
    if not upper and not all(name.islower() for name in known):
        return None
    names = [constant(value) if upper else "_".join(words(value)) for value in values]
    fitting = all(name.isidentifier() and name not in known for name in names)
    return names if fitting and len(set(names)) == len(names) else None
