"""Whether a session kept its scope contract, as the engine finds it in the session's folder."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal, TypeAlias

import msgspec
from msgspec import Struct

from contract_scan.errors import ContractScanError
from contract_scan.scopes.contract import ScopeContract, ScopeContractError
from contract_scan.scopes.handoff import found_handoff
from contract_scan.scopes.verification import Delivery, Deviation, is_breach, verify
from contract_scan.scopes.working_tree import delivery_of
from contract_scan.scopes.yaml_form import read_yaml
from contract_scan.sessions.session import Session
from contract_scan.sessions.store import SCOPE_CONTRACT, Store

Verdict: TypeAlias = Literal["delivered", "findings", "undetermined"]


class ContractState(Struct, frozen=True, kw_only=True):
    """What is known of a scope contract when its session has ended."""

    scope_id: str
    verdict: Verdict
    """`findings`: it was broken; `undetermined`: nobody can tell of some of it, and the rest is
    kept."""
    findings: tuple[Deviation, ...] = ()
    """Breaches and what is undetermined, in the order of the contract."""
    problem: str = ""
    """Why nothing at all could be checked."""


def contract_of(store: Store, session_id: str) -> ScopeContract | None:
    """The scope contract that a session carries; None where it has none. Raises ScopeContractError
    where its file was spoilt."""
    text = store.text_of(session_id, SCOPE_CONTRACT)
    found = read_yaml(text, str(store.folder_of(session_id) / SCOPE_CONTRACT)) if text else ()
    return found[0] if found else None


def evaluate(store: Store, session: Session) -> ContractState | None:
    """Hold what a session did against its scope contract; None where it has none. Reads the code,
    which takes seconds."""
    try:
        contract = contract_of(store, session.id)
    except ScopeContractError as error:
        return ContractState(scope_id="", verdict="undetermined", problem=str(error))
    if contract is None:
        return None
    try:
        delivery = delivery_of(session.cwd, session.since)
        found = tuple(_deviations(contract, delivery, session.result))
    except ContractScanError as error:
        return ContractState(scope_id=contract.scope_id, verdict="undetermined", problem=str(error))
    verdict: Verdict = "delivered"
    if found:
        verdict = "findings" if any(map(is_breach, found)) else "undetermined"
    return ContractState(scope_id=contract.scope_id, verdict=verdict, findings=found)


def write_state(state: ContractState) -> str:
    """As one line of JSON."""
    return msgspec.json.encode(state).decode()


def read_state(text: str) -> ContractState | None:
    """The state that was written; None where nothing, or nothing of this form, was."""
    try:
        return msgspec.json.decode(text, type=ContractState)
    except (msgspec.DecodeError, UnicodeDecodeError):
        return None


def shown_state(text: str) -> str:
    """A state in a few words: `delivered`, `2 findings`."""
    state = read_state(text)
    if state is None:
        return ""
    breaches = sum(map(is_breach, state.findings))
    if state.verdict == "findings":
        return f"{breaches} finding{'s' * (breaches != 1)}"
    return state.verdict


def _deviations(contract: ScopeContract, delivery: Delivery, result: str) -> Iterator[Deviation]:
    """What departs from the contract, with what the result claims of it. Claims that cannot be read
    are not passed over."""
    try:
        handoff = found_handoff(result)
    except ScopeContractError as error:
        yield from verify(contract, delivery)
        yield Deviation(
            kind="undetermined",
            scope_id=contract.scope_id,
            message=f"its handoff cannot be read: {error.message}",
            line=error.line,
            in_handoff=True,
            suspected="wrong-claim",
        )
        return
    yield from verify(contract, delivery, None if handoff is None else handoff.fulfillment)
