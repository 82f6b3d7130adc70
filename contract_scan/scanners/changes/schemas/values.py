"""Types, null, formats and values: what a schema says of a value as a whole."""

from __future__ import annotations

from contract_scan.ir.origin import NOWHERE
from contract_scan.ir.wire_contract import Fact, WireSchema
from contract_scan.scanners.changes.schemas.site import Site
from contract_scan.scanners.changes.schemas.words import is_any, type_text

_SCALARS = frozenset({"string", "integer", "number", "boolean"})
_NARROWER_FORMATS = frozenset({("int32", "int64"), ("float", "double")})
"""(format, one that holds all of its values and more)."""


def compare_types(site: Site) -> bool:
    """Compare the types; whether it makes sense to compare anything else."""
    base, revision = site.base, site.revision
    if is_any(base) or is_any(revision):
        if is_any(base) != is_any(revision):
            _type(site, "type-narrowed" if is_any(base) else "type-widened")
        return False
    if base.types == revision.types:
        return True
    covers = _covers(site, revision.types, base.types, revision)
    gained = not _covers(site, base.types, revision.types, base)
    if covers and gained:
        _type(site, "type-widened")
    elif not covers and not gained:
        _type(site, "type-narrowed")
    elif not covers:
        _type(site, "type-changed")
    common = base.types is None or revision.types is None or base.types & revision.types
    return bool(common) or ((covers or not gained) and not _is_textual_change(base, revision))


def compare_refusals(site: Site) -> None:
    """Say that a schema refuses every value, or no longer does."""
    _type(site, "type-narrowed" if site.revision.impossible else "type-widened")


def _covers(
    site: Site, wide: frozenset[str] | None, narrow: frozenset[str] | None, whole: WireSchema
) -> bool:
    """Whether every value of some types is one of others."""
    if wide is None or narrow is None:
        return wide is None
    found = wide | ({"integer"} if "number" in wide else frozenset())
    plain = whole.values is None and whole.format is None and not whole.patterns
    if site.encoding == "text" and "string" in found and plain:
        found |= _SCALARS
    return narrow <= found


def _type(site: Site, kind: str) -> None:
    site.add(
        kind,
        site.base.type_origin,
        site.revision.type_origin,
        before=type_text(site.base),
        after=type_text(site.revision),
    )


def compare_null(site: Site) -> None:
    """Compare whether null is allowed."""
    before, after = site.base.nullable, site.revision.nullable
    if before is None or after is None or before == after:
        return
    if is_any(site.base) or is_any(site.revision):
        return
    site.add("null-allowed" if after else "null-forbidden", site.base.type_origin,
              site.revision.type_origin)  # fmt: skip


def compare_formats(site: Site) -> None:
    """Compare the formats."""
    before, after = site.base.format, site.revision.format
    if before is None and after is None:
        return
    if before is None or after is None:
        given = after or before
        assert given is not None
        if site.base.values is not None and site.revision.values is not None:
            return  # the values say it all
        site.one_sided("format", before, after)
    elif before.text != after.text:
        kind = "format-changed"
        if (before.text, after.text) in _NARROWER_FORMATS:
            kind = "format-widened"
        elif (after.text, before.text) in _NARROWER_FORMATS:
            kind = "format-narrowed"
        site.add(kind, before.origin, after.origin, before=before.text, after=after.text)


def compare_values(site: Site) -> None:
    """Compare the values that are listed."""
    base, revision = site.base, site.revision
    _extensible_values(site)
    before, after = base.values, revision.values
    if before is None and after is None:
        return
    places = base.values_origin, revision.values_origin
    if before is None or after is None:
        given = after if before is None else before
        noun = "const" if given is not None and len(given) == 1 else "enum"
        kind = f"{noun}-{'added' if before is None else 'removed'}"
        site.add(kind, *places, before=_join_facts(before), after=_join_facts(after))
        return
    old, new = {one.text: one for one in before}, {one.text: one for one in after}
    if len(old) == len(new) == 1:
        if old.keys() != new.keys():
            texts = _join_facts(before), _join_facts(after)
            site.add("const-changed", *places, before=texts[0], after=texts[1])
        return
    for text, value in old.items():
        if text not in new:
            site.add("enum-value-removed", value.origin, places[1], before=text)
    for text, value in new.items():
        if text not in old:
            site.add("enum-value-added", places[0], value.origin, after=text)


def _extensible_values(site: Site) -> None:
    before, after = site.base.extensible_values, site.revision.extensible_values
    if before is None or after is None:
        return
    old, new = {one.text: one for one in before}, {one.text: one for one in after}
    for text, given in old.items():
        if text not in new:
            site.add("extensible-value-removed", given.origin, before=text)
    for text, given in new.items():
        if text not in old:
            site.add("extensible-value-added", NOWHERE, given.origin, after=text)


def _is_textual_change(base: WireSchema, revision: WireSchema) -> bool:
    """Whether the types share nothing but that all are written as text."""
    numbers = frozenset({"integer", "number"})
    both = (base.types or frozenset()) | (revision.types or frozenset())
    return not both <= numbers


def _join_facts(values: tuple[Fact, ...] | None) -> str:
    return "" if values is None else " | ".join(one.text for one in values)
