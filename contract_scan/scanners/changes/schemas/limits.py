"""Limits of numbers, lengths and counts, and patterns."""

from __future__ import annotations

from contract_scan.ir.origin import NOWHERE
from contract_scan.ir.wire_contract import Limit, LimitName
from contract_scan.scanners.changes.schemas.site import Site
from contract_scan.scanners.changes.schemas.words import limit_text

_FROM_BELOW: tuple[LimitName, ...] = ("min-length", "min-items", "min-properties", "min-contains")
_FROM_ABOVE: tuple[LimitName, ...] = ("max-length", "max-items", "max-properties", "max-contains")


def compare_limits(site: Site) -> None:
    """Compare everything that limits a number, a length or a count."""
    for name in _FROM_BELOW:
        _at_least(site, name)
    for name in _FROM_ABOVE:
        _limit(site, name, tighter_is_lower=True)
    _limit(site, "lower-bound", tighter_is_lower=False)
    _limit(site, "upper-bound", tighter_is_lower=True)
    before, after = _limits_of_both(site, "multiple-of")
    if before is not None and after is not None:
        if before.value != after.value:
            _limit_differs(site, "multiple-of-changed", before, after)
    elif before is not None or after is not None:
        _limit_differs(site, f"multiple-of-{_added_or_removed(before)}", before, after)
    _patterns(site)
    unique = site.base.unique_items, site.revision.unique_items
    if (unique[0] is None) != (unique[1] is None):
        kind = "unique-items-added" if unique[0] is None else "unique-items-removed"
        site.add(kind, unique[0] or NOWHERE, unique[1] or NOWHERE)


def _limits_of_both(site: Site, name: LimitName) -> tuple[Limit | None, Limit | None]:
    return site.base.limits.get(name), site.revision.limits.get(name)


def _at_least(site: Site, name: LimitName) -> None:
    """Without a limit, what counts things starts at none (at one for `contains`)."""
    before, after = _limits_of_both(site, name)
    least = Limit(1 if name == "min-contains" else 0)
    old, new = (before or least).value, (after or least).value
    if old != new:
        change = "raised" if new > old else "lowered"
        _limit_differs(site, f"{name}-{change}", before or least, after or least)


def _limit(site: Site, name: LimitName, *, tighter_is_lower: bool) -> None:
    before, after = _limits_of_both(site, name)
    if before is None and after is None:
        return
    if before is None or after is None:
        _limit_differs(site, f"{name}-{_added_or_removed(before)}", before, after)
        return
    old, new = (before.value, before.exclusive), (after.value, after.exclusive)
    if old == new:
        return
    raised = new[0] > old[0]
    if new[0] == old[0]:  # becoming exclusive moves a bound towards the values
        raised = new[1] != tighter_is_lower
    _limit_differs(site, f"{name}-{'raised' if raised else 'lowered'}", before, after)


def _limit_differs(site: Site, kind: str, before: Limit | None, after: Limit | None) -> None:
    site.add(
        kind,
        before.origin if before is not None else NOWHERE,
        after.origin if after is not None else NOWHERE,
        before=limit_text(before),
        after=limit_text(after),
    )


def _patterns(site: Site) -> None:
    before, after = site.base.patterns, site.revision.patterns
    gone = [one for one in before if one not in after]
    new = [one for one in after if one not in before]
    for old, changed in zip(gone, new, strict=False):
        site.add("pattern-changed", before[old], after[changed], before=old, after=changed)
    for old in gone[len(new) :]:
        site.add("pattern-removed", before[old], before=old)
    for changed in new[len(gone) :]:
        site.add("pattern-added", NOWHERE, after[changed], after=changed)


def _added_or_removed(before: object | None) -> str:
    return "added" if before is None else "removed"
