"""Whether contracts of scopes can be kept all at once, before anybody works on them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain
from typing import Final

from contract_scan.scopes.contract import Item, ScopeContract, ScopeContractError, checked_set
from contract_scan.scopes.items import NamedItem, named_by
from contract_scan.scopes.paths import covers

_FILES: Final = ("file", "pattern")


def check_consistency(contracts: Sequence[ScopeContract], path: str = "") -> None:
    """Raise ScopeContractError, with the line, for contracts that cannot hold together: those that
    `checked_set` refuses, a path that leads out of the repository, a file that two scopes deliver,
    and one that a scope delivers and must not modify."""
    checked_set(contracts, path)
    for contract in contracts:
        for item in chain(contract.exports, contract.imports):
            named_by(item, path)  # raises for a path that leads out
    owners: dict[str, tuple[ScopeContract, Item]] = {}
    for contract in contracts:
        shared = [named.name for _, named in _items_with_names(contract.shared_files, path)]
        for item, named in _items_with_names(contract.deliverables, path):
            if named.kind not in _FILES:
                continue
            owner, first = owners.setdefault(named.name, (contract, item))
            if owner is not contract:
                raise ScopeContractError(
                    f"{item.text} is a deliverable of `{owner.scope_id}` in line {first.line} as "
                    "well; leave it to one, and list it in `shared_files` of the other",
                    path,
                    item.line,
                )
            if any(covers(pattern, named.name) or pattern == named.name for pattern in shared):
                raise ScopeContractError(
                    f"{item.text} is a deliverable of `{contract.scope_id}` and in its "
                    "`shared_files`, so that it must not be modified; take it out of one",
                    path,
                    item.line,
                )


def _items_with_names(found: Sequence[Item], path: str) -> Iterator[tuple[Item, NamedItem]]:
    return ((item, named_by(item, path)) for item in found)
