"""What a scope contract says, whatever form it is written in."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from msgspec import Struct

from contract_scan.errors import ContractScanError

ROOT: Final = "root"
"""The parent of scopes that the feature as a whole was divided into."""
DEFAULT_EXECUTOR: Final = "rePACT"
"""What fulfils scopes where nothing else is named."""
_SCOPE_ID: Final = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")
_LONGEST_ID: Final = 64
"""Characters; ids become names of branches and folders."""


class ScopeContractError(ContractScanError):
    """A scope contract cannot be read, or a set of them cannot hold together."""


class Item(Struct, frozen=True):
    """One line of a list: a deliverable, something exported or imported, a file, a convention."""

    text: str
    line: int = 0
    """Where it is written; 0 where it was not read from a text."""


class ScopeContract(Struct, frozen=True, kw_only=True):
    """What one scope promises to deliver, and what it may rely on."""

    name: str
    scope_id: str
    parent_scope: str = ROOT
    executor: str = DEFAULT_EXECUTOR
    deliverables: tuple[Item, ...] = ()
    """Files, patterns of files, and what is no file: endpoints, schemas, migrations."""
    exports: tuple[Item, ...] = ()
    """What siblings may use."""
    imports: tuple[Item, ...] = ()
    """What is expected of siblings."""
    shared_files: tuple[Item, ...] = ()
    """Files of siblings, which this scope must not modify."""
    conventions: tuple[Item, ...] = ()
    line: int = 0
    """Where it begins."""


LISTS: Final = ("deliverables", "exports", "imports", "shared_files", "conventions")
"""The fields of a contract that are lists of items."""


def checked_scope_id(text: str, path: str = "", line: int = 0) -> str:
    """An id as it is. Raises ScopeContractError where it is not kebab-case."""
    if len(text) > _LONGEST_ID or _SCOPE_ID.fullmatch(text) is None:
        raise ScopeContractError(
            f"the scope_id {text!r:.80} must be kebab-case (`backend-api`), at most {_LONGEST_ID} "
            "characters",
            path,
            line,
        )
    return text


def checked_set(contracts: Sequence[ScopeContract], path: str = "") -> None:
    """Raise ScopeContractError for contracts that cannot hold together: an id that two have, a
    scope that is its own parent, and scopes within scopes (one level of scopes is allowed)."""
    by_id: dict[str, ScopeContract] = {}
    for contract in contracts:
        other = by_id.setdefault(contract.scope_id, contract)
        if other is not contract:
            raise ScopeContractError(
                f"the scope_id `{contract.scope_id}` is taken by the scope in line {other.line}; "
                "choose another",
                path,
                contract.line,
            )
    for contract in contracts:
        if contract.parent_scope in by_id:
            raise ScopeContractError(
                f"`{contract.scope_id}` lies in the scope `{contract.parent_scope}`; scopes are "
                "not divided again: make it a sibling",
                path,
                contract.line,
            )


def texts(items: Iterable[Item]) -> Iterator[str]:
    """What items say."""
    return (item.text for item in items)


def items(found: Iterable[str]) -> tuple[Item, ...]:
    """Items that come from no text."""
    return tuple(map(Item, found))
