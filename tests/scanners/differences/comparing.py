"""One line for a comparison: what differs, as (sort, field)."""

from __future__ import annotations

from contract_scan.ir.document import Resolver
from contract_scan.ir.schema import Schema
from contract_scan.scanners.differences import Comparer, Comparison, Direction
from tests.scanners.builders import Names


def compare(
    direction: Direction,
    contract: Schema,
    code: Schema,
    *,
    contract_names: Resolver | None = None,
    code_names: Resolver | None = None,
) -> Comparison:
    comparer = Comparer(
        contract=contract_names or Names(), code=code_names or Names(), direction=direction
    )
    return comparer.compare(contract=contract, code=code)


def differences(direction: Direction, contract: Schema, code: Schema) -> set[tuple[str, str]]:
    """(sort of difference, field) of everything that differs; `?` for what is undetermined."""
    comparison = compare(direction, contract, code)
    return {(type(item).__name__, item.path) for item in comparison.differences} | {
        ("?", item.path) for item in comparison.undetermined
    }
