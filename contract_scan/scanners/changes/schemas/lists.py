"""Items of lists."""

from __future__ import annotations

from contract_scan.ir.origin import NOWHERE
from contract_scan.scanners.changes.schemas.site import Site


def compare_lists(site: Site) -> None:
    """Compare what is said of items."""
    base, revision = site.base, site.revision
    site.compare_child("[]", base.items, revision.items)
    for index, (old, new) in enumerate(zip(base.prefix, revision.prefix, strict=False)):
        site.compare_child(f"[{index}]", old, new)
    shared = min(len(base.prefix), len(revision.prefix))
    for index in range(shared, len(base.prefix)):
        place = site.comparison.base[base.prefix[index]].origin
        site.add("tuple-item-removed", place, path=f"[{index}]")
    for index in range(shared, len(revision.prefix)):
        place = site.comparison.revision[revision.prefix[index]].origin
        site.add("tuple-item-added", NOWHERE, place, path=f"[{index}]")
    if (base.closed_items is None) != (revision.closed_items is None):
        allowed = base.closed_items is not None
        kind = "further-items-allowed" if allowed else "further-items-forbidden"
        site.add(kind, base.closed_items or NOWHERE, revision.closed_items or NOWHERE)
    site.optional_schema("contains", base.contains, revision.contains, "[]")
