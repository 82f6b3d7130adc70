"""Properties: which there are, which must be there, which travel in which direction."""

from __future__ import annotations

from contract_scan.ir.origin import NOWHERE
from contract_scan.ir.wire_contract import WireProperty, WireSchema
from contract_scan.scanners.changes.schemas.site import Schemas, Site
from contract_scan.scanners.changes.schemas.words import type_text


def compare_objects(site: Site) -> None:
    """Compare what is said of properties."""
    base, revision = site.base, site.revision
    for name, old in base.properties.items():
        new = revision.properties.get(name)
        if new is None:
            _property_removed(site, name, old)
        else:
            _property(site, name, old, new)
    for name, new in revision.properties.items():
        if name not in base.properties:
            _property_added(site, name, new)
    for name, place in base.required.items():
        if name not in revision.required and not _requires(revision, name):
            site.add("property-became-optional", place, path=f".{name}", before=name)
    for name, place in revision.required.items():
        if name not in base.required and not _requires(base, name):
            site.add("property-became-required", NOWHERE, place, path=f".{name}", after=name)
    _further_properties(site)
    site.named_schemas(
        "pattern-property", base.pattern_properties, revision.pattern_properties, "{}"
    )
    site.optional_schema("property-names", base.property_names, revision.property_names)
    _dependencies(site)


def _is_hidden(site: Site, one: WireProperty) -> bool:
    """Whether a property is no part of what travels in this direction."""
    if site.direction == "request":
        return one.read_only
    return one.write_only and site.direction == "response"


def _property(site: Site, name: str, old: WireProperty, new: WireProperty) -> None:
    path = f".{name}"
    _visibility(site, path, old, new)
    if _is_hidden(site, old) or _is_hidden(site, new):
        return
    site.compare_child(path, old.schema, new.schema)
    if old.required != new.required:
        kind = "property-became-required" if new.required else "property-became-optional"
        before, after = ("optional", "required")[:: 1 if new.required else -1]
        site.add(kind, old.origin, new.origin, path=path, before=before, after=after)


def _visibility(site: Site, path: str, old: WireProperty, new: WireProperty) -> None:
    places = old.origin, new.origin
    if old.read_only != new.read_only and site.direction != "response":
        kind = "property-became-read-only"
        if old.read_only:
            needed = new.required and site.direction == "request"
            prefix = "required-" if needed else ""
            kind = f"{prefix}property-no-longer-read-only"
        site.add(kind, *places, path=path)
    if old.write_only != new.write_only and site.direction != "request":
        kind = "property-no-longer-write-only"
        if new.write_only:
            needed = old.required and site.direction == "response"
            kind = f"{'required-' if needed else ''}property-became-write-only"
        site.add(kind, *places, path=path)


def _property_added(site: Site, name: str, new: WireProperty) -> None:
    if _is_hidden(site, new):
        return
    if new.required and name in site.base.required:
        site.compare_child(f".{name}", site.base.additional, new.schema)
        return
    kind = "required-property-added" if new.required else "optional-property-added"
    if not new.required and site.base.closed is not None and site.direction != "request":
        kind = "property-admitted"
    places = NOWHERE, new.origin
    site.add(kind, *places, path=f".{name}", after=_named_type(new, site.comparison.revision))


def _property_removed(site: Site, name: str, old: WireProperty) -> None:
    if _is_hidden(site, old):
        return
    if old.required and name in site.revision.required:
        site.compare_child(f".{name}", old.schema, site.revision.additional)
        return
    kind = "required-property-removed" if old.required else "optional-property-removed"
    place = NOWHERE
    if site.revision.closed is not None and site.direction != "response":
        kind, place = "property-refused", site.revision.closed
    text = _named_type(old, site.comparison.base)
    site.add(kind, old.origin, place, path=f".{name}", before=text)


def _named_type(one: WireProperty, schemas: Schemas) -> str:
    return type_text(schemas[one.schema])


def _further_properties(site: Site) -> None:
    base, revision = site.base, site.revision
    if (base.closed is None) != (revision.closed is None):
        allowed = base.closed is not None
        kind = "further-properties-allowed" if allowed else "further-properties-forbidden"
        site.add(kind, base.closed or NOWHERE, revision.closed or NOWHERE)
    elif base.closed is None:
        site.compare_child("{}", base.additional, revision.additional)


def _dependencies(site: Site) -> None:
    before, after = site.base.dependent_required, site.revision.dependent_required
    for name in {**before, **after}:
        old, new = before.get(name, {}), after.get(name, {})
        for needed, place in old.items():
            if needed not in new:
                text = f"{name} needs {needed}"
                site.add("dependent-required-removed", place, path=f".{needed}", before=text)
        for needed, place in new.items():
            if needed not in old:
                text = f"{name} needs {needed}"
                site.add("dependent-required-added", NOWHERE, place, path=f".{needed}", after=text)
    site.named_schemas(
        "dependent-schema", site.base.dependent_schemas, site.revision.dependent_schemas, ""
    )


def _requires(schema: WireSchema, name: str) -> bool:
    one = schema.properties.get(name)
    return one is not None and one.required
