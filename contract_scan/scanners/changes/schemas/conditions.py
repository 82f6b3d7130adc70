"""Conditions, what texts hold, and what is said of the life of a schema."""

from __future__ import annotations

from contract_scan.ir.origin import NOWHERE
from contract_scan.ir.wire_contract import Fact
from contract_scan.scanners.changes.schemas.site import Pair, Site


def compare_conditions(site: Site) -> None:
    """Compare `if`, `then`, `else` and `not`."""
    before, after = site.base.conditions, site.revision.conditions
    for word, key in before.items():
        place = site.comparison.base[key].origin
        if word not in after:
            site.add("condition-removed", place, before=word)
        elif site.changes(Pair(key, after[word])):
            other = site.comparison.revision[after[word]].origin
            site.add("condition-changed", place, other, before=word, after=word)
    for word, key in after.items():
        if word not in before:
            place = site.comparison.revision[key].origin
            site.add("condition-added", NOWHERE, place, after=word)


def compare_contents(site: Site) -> None:
    """Compare what texts hold."""
    base, revision = site.base, site.revision
    for kind, old, new in (
        ("content-encoding-changed", base.content_encoding, revision.content_encoding),
        ("content-media-type-changed", base.content_media_type, revision.content_media_type),
    ):
        before, after = old or Fact(""), new or Fact("")
        if before.text.lower() != after.text.lower():
            site.add(kind, before.origin, after.origin, before=before.text, after=after.text)
    site.optional_schema("content-schema", base.content_schema, revision.content_schema)


def compare_lifecycle(site: Site) -> None:
    """Compare deprecation and sunset."""
    old, new = site.base.deprecated, site.revision.deprecated
    if (old is None) != (new is None):
        kind = "deprecated" if old is None else "no-longer-deprecated"
        site.add(kind, old or NOWHERE, new or NOWHERE)
    site.fact("sunset", site.base.sunset, site.revision.sunset)
