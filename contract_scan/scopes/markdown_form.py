"""Scope contracts as people and agents read them (`Scope Contract: …`)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

from contract_scan.scopes.contract import (
    DEFAULT_EXECUTOR,
    LISTS,
    ROOT,
    Item,
    ScopeContract,
    ScopeContractError,
    checked_scope_id,
)
from contract_scan.scopes.outline import Grammar, Outline, list_lines, read_outlines

TITLE: Final = "Scope Contract"
_SECTIONS: Final = ("identity", "interfaces", "constraints")
_SCALARS: Final = ("scope_id", "parent_scope", "executor")
_GRAMMAR: Final = Grammar(
    TITLE,
    {name.replace("_", " "): name for name in (*_SECTIONS, *_SCALARS, *LISTS)},
    frozenset(_SECTIONS),
)


def read_markdown(text: str, path: str = "") -> tuple[ScopeContract, ...]:
    """Every scope contract of a text. Raises ScopeContractError, with the line."""
    return tuple(_contract(one, path) for one in read_outlines(text, _GRAMMAR, path))


def write_markdown(contracts: Iterable[ScopeContract]) -> str:
    """Contracts in the form that `read_markdown` reads, a blank line between them."""
    return "\n".join("".join(f"{line}\n" for line in _lines(one)) for one in contracts)


def _contract(outline: Outline, path: str) -> ScopeContract:
    def scalar(key: str, default: str) -> str:
        found = outline.items(key)
        if len(found) > 1:
            raise ScopeContractError(f"`{key}` must be one value", path, found[1].line)
        return found[0].text.strip("`") if found else default

    if not outline.title:
        raise ScopeContractError(
            "a scope contract needs a name (`Scope Contract: Backend API`)", path, outline.line
        )
    written = outline.entry("scope_id")
    if written is None:
        raise ScopeContractError("a scope contract needs a `scope_id`", path, outline.line)
    scope_id = checked_scope_id(scalar("scope_id", ""), path, written.line)
    parent, entry = scalar("parent_scope", ROOT), outline.entry("parent_scope")
    lists = {name: outline.items(name) for name in LISTS}
    return ScopeContract(
        name=outline.title,
        scope_id=scope_id,
        parent_scope=checked_scope_id(parent, path, entry.line if entry else outline.line),
        executor=scalar("executor", DEFAULT_EXECUTOR),
        line=outline.line,
        **lists,
    )


def _lines(contract: ScopeContract) -> Iterator[str]:
    yield f"{TITLE}: {' '.join(contract.name.split())}"
    yield ""
    yield "Identity:"
    yield f"  scope_id: {contract.scope_id}"
    yield f"  parent_scope: {contract.parent_scope}"
    yield f"  executor: {contract.executor}"
    yield from _list("Deliverables", contract.deliverables, "")
    yield "Interfaces:"
    yield from _list("exports", contract.exports, "  ")
    yield from _list("imports", contract.imports, "  ")
    yield "Constraints:"
    yield from _list("shared_files", contract.shared_files, "  ")
    yield from _list("conventions", contract.conventions, "  ")


def _list(key: str, found: tuple[Item, ...], indent: str) -> Iterator[str]:
    yield f"{indent}{key}:" if found else f"{indent}{key}: []"
    yield from list_lines(found, f"{indent}  ")
