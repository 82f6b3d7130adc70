"""What all scopes of a feature did, put together: each held against its own contract, what one
expects of another held against what that one offers, and what the engine says of the whole.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence

from msgspec import Struct
from msgspec.structs import replace

from contract_scan.ir.document import NotAnalysed
from contract_scan.ir.violation import Finding
from contract_scan.scopes.contract import Item, ScopeContract
from contract_scan.scopes.handoff import Fulfillment
from contract_scan.scopes.items import NamedItem, key_of, named_by
from contract_scan.scopes.tasks import TaskOutcome
from contract_scan.scopes.verification import Delivery, Deviation, Kind, verify


class ScopeBranch(Struct, frozen=True, kw_only=True):
    """What one scope left on its branch."""

    scope_id: str
    files: frozenset[str]
    """Every file, relative to the top of the repository."""
    changed: frozenset[str]
    """Those that are new, changed or gone since the scope began."""
    conflicts: tuple[str, ...] = ()
    """Files that could not be merged with those of the scopes before it."""
    fulfillment: Fulfillment | None = None
    """What its handoff says; None where there is none."""
    outcome: TaskOutcome | None = None
    """What became of its task; None where nobody says."""


class TypeConflict(Struct, frozen=True, kw_only=True):
    """A type that a scope imports, as its own code declares it, unlike that of its provider."""

    consumer: str
    """Scope id."""
    name: str
    message: str
    finding: Finding
    """Where the code of the consumer says it."""


class BrokenPromise(Struct, frozen=True, kw_only=True):
    """An error of a scan of the whole, in a file of the repository."""

    path: str
    line: int
    rule: str
    """`CONTRACT-001/missing-field`."""
    message: str
    type: str = ""
    """The type of the code that breaks it; empty where it has no name."""
    findings: tuple[Finding, ...] = ()
    """Its places."""


class Whole(Struct, frozen=True, kw_only=True):
    """What the engine says of the scopes merged."""

    delivery: Delivery
    type_conflicts: tuple[TypeConflict, ...] = ()
    broken_promises: tuple[BrokenPromise, ...] = ()
    not_analysed: tuple[NotAnalysed, ...] = ()
    """What kept contracts or code of it from being read: nobody knows what it breaks."""


def consolidate(
    contracts: Sequence[ScopeContract], branches: Mapping[str, ScopeBranch], whole: Whole
) -> list[Deviation]:
    """Everything in which the scopes depart from their contracts, alone and together, by scope in
    the order of the contracts. A scope whose task is stalled or blocked is that one deviation.

    Files and changes are those of each branch; endpoints, channels and types those of the whole.
    Every contract has a branch.
    """
    exports = _exports(contracts)
    found: list[Deviation] = []
    for contract in contracts:
        branch = branches[contract.scope_id]
        delivery = replace(whole.delivery, files=branch.files, changed=branch.changed)
        if branch.conflicts:
            unknown = "its branch could not be merged"
            delivery = replace(delivery, unknown_routes=unknown, unknown_channels=unknown)
        if branch.outcome is not None and branch.outcome.state != "done":
            found.append(_unfinished_deviation(contract, branch.outcome))
            continue
        found += _merge_conflicts(contract, branch)
        found += verify(contract, delivery, branch.fulfillment)
        found += _double_exports(contract, exports)
        found += _unmet_imports(contract, contracts, exports)
        found += _type_conflicts(contract, whole.type_conflicts)
        found += _broken_promises(contract, branch, whole.broken_promises)
    return found


def provider_of(item: Item, contract: ScopeContract, contracts: Sequence[ScopeContract]) -> str:
    """The sibling that an imported item comes from; empty where none offers it."""
    named = named_by(item)
    if named.provider:
        return named.provider
    offered = _exports(contracts).get(key_of(named), [])
    return next((one.scope_id for one in offered if one.scope_id != contract.scope_id), "")


# Private helpers

_Offers = dict[tuple[str, str], list[ScopeContract]]


def _exports(contracts: Sequence[ScopeContract]) -> _Offers:
    """Who exports or delivers each item."""
    found: _Offers = defaultdict(list)
    for contract in contracts:
        items = (*contract.exports, *contract.deliverables)
        for key in dict.fromkeys(key_of(named_by(item)) for item in items):
            found[key].append(contract)
    return found


def _unfinished_deviation(contract: ScopeContract, outcome: TaskOutcome) -> Deviation:
    """A scope that could not be done: what it did not deliver follows from that."""
    if outcome.state == "stalled":
        message = f"its task is stalled: {outcome.reason}"
        return _deviation(contract, "stalled", message, contract.line)
    message = f"its task waits for another one: {outcome.reason}"
    return _deviation(contract, "blocked", message, contract.line)


def _merge_conflicts(contract: ScopeContract, branch: ScopeBranch) -> Iterator[Deviation]:
    for path in branch.conflicts:
        yield _deviation(
            contract,
            "merge-conflict",
            f"{path} is in conflict with what the scopes before it changed",
            contract.line,
            path=path,
            item=path,
        )


def _double_exports(contract: ScopeContract, exports: _Offers) -> Iterator[Deviation]:
    """Exports that an earlier scope has as well."""
    for item in contract.exports:
        first = exports[key_of(named_by(item))][0]
        if first is not contract:
            message = f"{item.text} is exported by `{first.scope_id}` as well"
            yield _deviation(contract, "double-export", message, item.line, item=item.text)


def _unmet_imports(
    contract: ScopeContract, contracts: Sequence[ScopeContract], exports: _Offers
) -> Iterator[Deviation]:
    """Imports that no sibling offers, or not the one that they are said to come from."""
    known = {one.scope_id for one in contracts}
    for item in contract.imports:
        named = named_by(item)
        offered = {one.scope_id for one in exports.get(key_of(named), [])}
        reason = _unmet_reason(named, offered - {contract.scope_id}, known)
        if reason:
            message = f"{item.text}: {reason}"
            yield _deviation(contract, "unmet-import", message, item.line, item=item.text)


def _unmet_reason(named: NamedItem, offered: set[str], known: set[str]) -> str:
    if not named.provider:
        return "" if offered else "no sibling exports it"
    if named.provider not in known:
        return f"there is no scope `{named.provider}`"
    return "" if named.provider in offered else f"`{named.provider}` does not export it"


def _type_conflicts(
    contract: ScopeContract, conflicts: Sequence[TypeConflict]
) -> Iterator[Deviation]:
    lines = {key_of(named_by(item)): item.line for item in contract.imports}
    for conflict in conflicts:
        if conflict.consumer == contract.scope_id:
            line = lines.get(("name", conflict.name), contract.line)
            yield _deviation(
                contract,
                "type-conflict",
                conflict.message,
                line,
                path=conflict.finding.origin.path,
                item=conflict.name,
                findings=(conflict.finding,),
            )


def _broken_promises(
    contract: ScopeContract, branch: ScopeBranch, promises: Sequence[BrokenPromise]
) -> Iterator[Deviation]:
    """Errors in files that the scope changed."""
    for one in promises:
        if one.path in branch.changed:
            message = f"{one.path}:{one.line}: {one.rule}: {one.message}"
            yield _deviation(
                contract,
                "broken-promise",
                message,
                contract.line,
                path=one.path,
                findings=one.findings,
            )


def _deviation(
    contract: ScopeContract,
    kind: Kind,
    message: str,
    line: int,
    *,
    path: str = "",
    item: str = "",
    findings: tuple[Finding, ...] = (),
) -> Deviation:
    return Deviation(
        kind=kind,
        scope_id=contract.scope_id,
        message=message,
        line=line,
        path=path,
        item=item,
        findings=findings,
    )
