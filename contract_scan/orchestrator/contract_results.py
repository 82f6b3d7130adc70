"""What became of each contract in the scans of a build."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from contract_scan.compliance import Violation
from contract_scan.ir.promise import State

Kind = Literal["openapi", "asyncapi", "json_schema"]
"""Rows of service tables promise endpoints, as OpenAPI documents do."""

_WORST_FIRST: tuple[State, ...] = ("missing", "violated", "undetermined", "partly", "verified")


@dataclass(frozen=True)
class PromiseResult:
    """One operation, channel or shared model of a contract."""

    name: str
    state: State


@dataclass(frozen=True)
class ContractResult:
    """A contract, or a row of a service table, with what the code makes of it."""

    contract_id: str
    kind: Kind
    provider: str
    """Empty where the contract does not say."""
    promises: tuple[PromiseResult, ...] = ()

    @property
    def state(self) -> State:
        """The worst of its promises. Models that the code does not have break nothing."""
        states = {promise.state for promise in self.promises}
        return next((state for state in _WORST_FIRST if state in states), "absent")

    @property
    def broken(self) -> int:
        """Promises that are not kept."""
        return sum(promise.state in ("missing", "violated") for promise in self.promises)


@dataclass(frozen=True)
class ContractScanResults:
    """All contracts, and what breaks them."""

    contracts: tuple[ContractResult, ...] = ()
    violations: tuple[Violation, ...] = ()
    failures: tuple[str, ...] = ()
    """Rules whose scan ended in an error, with the error: what they would have found is unknown."""


def worst(states: Sequence[State]) -> State:
    """Of what several rules say of one promise, what counts."""
    return next((state for state in _WORST_FIRST if state in states), "absent")
