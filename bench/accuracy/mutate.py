"""Contracts with one planted mistake each: what a scan of unchanged code then has to say.

Only the contract is changed. A mutant says what must be reported; a control changes nothing that
code could break, so nothing new may be reported.
"""

from __future__ import annotations

import copy
import random
from collections.abc import Callable, Iterator
from typing import NamedTuple, TypeAlias

from bench.accuracy.contract_text import Json, at, kind_of, resolved
from bench.accuracy.mutate_names import other_case, renamed
from bench.accuracy.sites import Site, Use, sites

RULES = {"openapi": "CONTRACT-001", "asyncapi": "CONTRACT-003", "json-schema": "CONTRACT-004"}


class Expected(NamedTuple):
    """One finding that a mutant has to cause; any of the kinds, at any of the fields."""

    rule: str
    kinds: frozenset[str]
    subject: str
    fields: frozenset[str]


class Mutant(NamedTuple):
    """A contract with one change."""

    document: Json
    operator: str
    expected: tuple[Expected, ...]
    """Empty for controls."""
    names: frozenset[str]
    """Last parts of the wire paths that the change touches: findings there belong to it."""
    conditional: bool = False
    """The code may conform to the mutant as well: only reading it tells."""


class Edit(NamedTuple):
    """What an operator did to one property."""

    name: str
    """Name after the edit."""
    kinds: frozenset[str]
    conditional: bool = False
    suffix: str = ""
    """Added to the wire path where the finding belongs below the property (`[]`)."""
    old_name_too: bool = False
    """A finding about the old name is as good."""


Operator: TypeAlias = Callable[[Json, Json, Site], Edit | None]
"""(document, the schema that owns the property, site) -> the edit made in place, None: not here."""

_SWAPPED = {"string": "integer", "integer": "string", "number": "string", "boolean": "string"}
_TYPE_BOUND = (
    "format", "minLength", "maxLength", "pattern", "minimum", "maximum", "default", "example",
    "examples",
)  # fmt: skip


def _kinds(*kinds: str) -> frozenset[str]:
    return frozenset(kinds)


def _rename(schema: Json, old: str, new: str) -> bool:
    if new == old or new in schema["properties"]:
        return False
    schema["properties"] = {
        new if key == old else key: value for key, value in schema["properties"].items()
    }
    if old in (schema.get("required") or []):
        schema["required"] = [new if key == old else key for key in schema["required"]]
    return True


def rename_property(_document: Json, schema: Json, site: Site) -> Edit | None:
    """The contract's name is one that the code does not have."""
    new = renamed(site.name)
    if not _rename(schema, site.name, new):
        return None
    kinds = _kinds("missing-field", "extra-field")
    return Edit(new, kinds, not site.required, old_name_too=True)


def change_case(_document: Json, schema: Json, site: Site) -> Edit | None:
    """The contract writes the name in another case style."""
    new = other_case(site.name)
    if not _rename(schema, site.name, new):
        return None
    kinds = _kinds("name-case", "missing-field", "extra-field")
    return Edit(new, kinds, not site.required, old_name_too=True)


def change_type(_document: Json, schema: Json, site: Site) -> Edit | None:
    """A scalar of another type."""
    value = schema["properties"][site.name]
    types = value.get("type")
    plain = [item for item in types if item != "null"] if isinstance(types, list) else [types]
    if len(plain) != 1 or plain[0] not in _SWAPPED or "enum" in value or "const" in value:
        return None
    new = _SWAPPED[plain[0]]
    nullable = isinstance(types, list) and "null" in types
    value["type"] = [new, "null"] if nullable else new
    for word in _TYPE_BOUND:
        value.pop(word, None)
    return Edit(site.name, _kinds("type"))


def change_item_type(_document: Json, schema: Json, site: Site) -> Edit | None:
    """An array of scalars of another type."""
    value = schema["properties"][site.name]
    items = value.get("items")
    if not isinstance(items, dict) or items.get("type") not in _SWAPPED or "enum" in items:
        return None
    value["items"] = {"type": _SWAPPED[items["type"]]}
    return Edit(site.name, _kinds("type"), suffix="[]")


def array_to_single(_document: Json, schema: Json, site: Site) -> Edit | None:
    """One value where there were many."""
    value = schema["properties"][site.name]
    if value.get("type") != "array" or not isinstance(value.get("items"), dict):
        return None
    schema["properties"][site.name] = copy.deepcopy(value["items"])
    return Edit(site.name, _kinds("shape", "type"))


def single_to_array(_document: Json, schema: Json, site: Site) -> Edit | None:
    """Many values where there was one."""
    value = schema["properties"][site.name]
    if "$ref" not in value and value.get("type") not in ("string", "integer", "object"):
        return None
    schema["properties"][site.name] = {"type": "array", "items": value}
    return Edit(site.name, _kinds("shape", "type"))


def optional_to_required(_document: Json, schema: Json, site: Site) -> Edit | None:
    """The property must be there; code that always sends it conforms."""
    if site.required:
        return None
    schema["required"] = [*(schema.get("required") or []), site.name]
    return Edit(site.name, _kinds("required", "missing-field"), conditional=True)


def add_required_property(_document: Json, schema: Json, site: Site) -> Edit | None:
    """A property that no code has."""
    new = "zz_added_field" if "_" in site.name else "zzAddedField"
    if new in schema["properties"]:
        return None
    schema["properties"][new] = {"type": "string"}
    schema["required"] = [*(schema.get("required") or []), new]
    return Edit(new, _kinds("missing-field"))


def drop_property(_document: Json, schema: Json, site: Site) -> Edit | None:
    """The contract does not know the property any more."""
    if len(schema["properties"]) < 2:
        return None
    del schema["properties"][site.name]
    left = [name for name in schema.get("required") or [] if name != site.name]
    schema.pop("required", None)
    if left:
        schema["required"] = left
    return Edit(site.name, _kinds("extra-field"))


def _own_enum(document: Json, schema: Json, site: Site) -> Json | None:
    """The property's list of values, copied to this place where it is shared."""
    value = schema["properties"][site.name]
    if "$ref" in value:
        _, shared = resolved(document, (*site.owner, "properties", site.name))
        if not isinstance(shared, dict) or "enum" not in shared:
            return None
        value = schema["properties"][site.name] = copy.deepcopy(shared)
    values = value.get("enum")
    if not isinstance(values, list) or len(values) < 2:
        return None
    return value if all(isinstance(item, str) for item in values) else None


def enum_drop_value(document: Json, schema: Json, site: Site) -> Edit | None:
    """One value less than the code can send."""
    value = _own_enum(document, schema, site)
    if value is None:
        return None
    value["enum"].remove(min(value["enum"]))
    return Edit(site.name, _kinds("enum"))


def enum_rename_value(document: Json, schema: Json, site: Site) -> Edit | None:
    """One value spelt otherwise."""
    value = _own_enum(document, schema, site)
    if value is None:
        return None
    old = max(value["enum"])
    value["enum"] = [item + "_X" if item == old else item for item in value["enum"]]
    return Edit(site.name, _kinds("enum"))


def control_required_to_optional(_document: Json, schema: Json, site: Site) -> Edit | None:
    """The contract promises less."""
    if not site.required:
        return None
    left = [name for name in schema["required"] if name != site.name]
    schema.pop("required")
    if left:
        schema["required"] = left
    return Edit(site.name, _kinds())


def control_description(_document: Json, schema: Json, site: Site) -> Edit | None:
    """Only a text changes."""
    if "$ref" in schema["properties"][site.name]:
        return None
    schema["properties"][site.name]["description"] = f"Another text about {site.name}"
    return Edit(site.name, _kinds())


def control_reorder(_document: Json, schema: Json, site: Site) -> Edit | None:
    """Only the order changes."""
    if len(schema["properties"]) < 2:
        return None
    schema["properties"] = dict(reversed(list(schema["properties"].items())))
    return Edit(site.name, _kinds())


def control_add_optional(_document: Json, schema: Json, site: Site) -> Edit | None:
    """A property that may be absent."""
    new = "zz_optional" if "_" in site.name else "zzOptional"
    schema["properties"][new] = {"type": "string"}
    return Edit(new, _kinds())


PROPERTY_OPERATORS: dict[str, Operator] = {
    operator.__name__: operator
    for operator in (
        rename_property,
        change_case,
        change_type,
        change_item_type,
        array_to_single,
        single_to_array,
        optional_to_required,
        add_required_property,
        drop_property,
        enum_drop_value,
        enum_rename_value,
        control_required_to_optional,
        control_description,
        control_reorder,
        control_add_optional,
    )
}


def property_mutants(document: Json, count: int, seed: int) -> Iterator[Mutant]:
    """At most `count` mutants per operator, spread over shallow, nested and repeated properties."""
    rule, found = RULES[kind_of(document)], sites(document)
    for name, operator in PROPERTY_OPERATORS.items():
        made = 0
        for site in _spread(found, random.Random(f"{seed}/{name}")):
            if made == count:
                break
            mutant = _mutant(document, name, operator, site, rule)
            if mutant is not None:
                made += 1
                yield mutant


def _mutant(document: Json, name: str, operator: Operator, site: Site, rule: str) -> Mutant | None:
    changed = copy.deepcopy(document)
    schema = at(changed, site.owner)
    if not isinstance(schema["properties"][site.name], dict):
        return None
    edit = operator(changed, schema, site)
    if edit is None or (changed == document and operator is not control_reorder):
        return None
    expected = tuple(
        Expected(rule, edit.kinds, use.subject, _fields(use, site, edit))
        for use in _counted(site, rule)
        if edit.kinds
    )
    return Mutant(changed, name, expected, frozenset({site.name, edit.name}), edit.conditional)


def _counted(site: Site, rule: str) -> tuple[Use, ...]:
    """The payloads in which the change has to be reported: a shared model counts where it is
    defined, not in every model that holds it."""
    if rule != "CONTRACT-004":
        return site.uses
    return (min(site.uses, key=lambda use: (len(use.wire), use.subject)),)


def _fields(use: Use, site: Site, edit: Edit) -> frozenset[str]:
    stem = use.wire.removesuffix(site.name)
    fields = {stem + edit.name + edit.suffix}
    if edit.old_name_too:
        fields.add(use.wire)
    return frozenset(fields)


def _spread(found: list[Site], chance: random.Random) -> Iterator[Site]:
    strata = [
        [site for site in found if site.depth == 0 and not site.in_array],
        [site for site in found if site.depth > 0 and not site.in_array],
        [site for site in found if site.in_array],
    ]
    for stratum in strata:
        chance.shuffle(stratum)
    while any(strata):
        for stratum in strata:
            if stratum:
                yield stratum.pop()
