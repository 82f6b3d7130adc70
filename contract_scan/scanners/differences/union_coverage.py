"""Lists of values that several shapes of one type hold together.

`{ type: "opened" } | { type: "closed" }` holds both values that a model lists for `type`, though
neither of the two does.
"""

from __future__ import annotations

from collections.abc import Sequence

from msgspec.structs import replace

from contract_scan.ir.schema import Object
from contract_scan.scanners.differences.kinds import Difference, EnumDiffers
from contract_scan.scanners.differences.result import PartialResult
from contract_scan.scanners.differences.union_members import Alternative


def cover_together(results: Sequence[tuple[Alternative, PartialResult]]) -> None:
    """Take back that one shape lacks values which another has at the same field."""
    if len(results) < 2:
        return
    lacking = [_missing_values(result) for _, result in results]
    for _, result in results:
        result.differences = [
            difference
            for item in result.differences
            if (difference := _remaining_difference(item, results, lacking)) is not None
        ]


def _missing_values(result: PartialResult) -> dict[str, frozenset[str]]:
    """Path -> the values that are not held there."""
    items = (item for item in result.differences if isinstance(item, EnumDiffers))
    return {item.path: frozenset(item.lacking) for item in items}


def _remaining_difference(
    item: Difference,
    results: Sequence[tuple[Alternative, PartialResult]],
    lacking: Sequence[dict[str, frozenset[str]]],
) -> Difference | None:
    """What is left of a difference; None for nothing."""
    if not isinstance(item, EnumDiffers) or not item.lacking:
        return item
    holders = [
        known.get(item.path, frozenset())
        for (shape, _), known in zip(results, lacking, strict=True)
        if _has_field(shape, item.path)
    ]
    common = frozenset.intersection(*holders) if holders else frozenset()
    left = tuple(value for value in item.lacking if value in common)
    return replace(item, lacking=left) if left or item.values else None


def _has_field(option: Alternative, path: str) -> bool:
    outermost = path.removeprefix(".").partition(".")[0].partition("[")[0].partition("{")[0]
    shape = option.shape
    return isinstance(shape, Object) and any(field.name == outermost for field in shape.fields)
