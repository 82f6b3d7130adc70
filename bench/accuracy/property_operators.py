"""Changes of one property of a payload that the code sends: 11 mistakes and 4 controls."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import TypeAlias

from bench.accuracy.contract_text import Json, resolved
from bench.accuracy.mutant import Edit, kinds
from bench.accuracy.mutate_names import other_case, renamed
from bench.accuracy.sites import Site

Operator: TypeAlias = Callable[[Json, Json, Site], Edit | None]
"""(document, the schema that owns the property, site) -> the edit made in place, None: not here."""

SWAPPED = {"string": "integer", "integer": "string", "number": "string", "boolean": "string"}
"""Type -> another one that no value of it fits."""
TYPE_BOUND = (
    "format", "minLength", "maxLength", "pattern", "minimum", "maximum", "default", "example",
    "examples",
)  # fmt: skip
"""Words that mean nothing beside another type."""


def rename(schema: Json, old: str, new: str) -> bool:
    """Rename a property of an object schema; False where that is not possible."""
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
    if not rename(schema, site.name, new):
        return None
    return Edit(new, kinds("missing-field", "extra-field"), not site.required, old_name_too=True)


def change_case(_document: Json, schema: Json, site: Site) -> Edit | None:
    """The contract writes the name in another case style."""
    new = other_case(site.name)
    if not rename(schema, site.name, new):
        return None
    accepted = kinds("name-case", "missing-field", "extra-field")
    return Edit(new, accepted, not site.required, old_name_too=True)


def change_type(_document: Json, schema: Json, site: Site) -> Edit | None:
    """A scalar of another type."""
    value = schema["properties"][site.name]
    types = value.get("type")
    plain = [item for item in types if item != "null"] if isinstance(types, list) else [types]
    if len(plain) != 1 or plain[0] not in SWAPPED or "enum" in value or "const" in value:
        return None
    new = SWAPPED[plain[0]]
    nullable = isinstance(types, list) and "null" in types
    value["type"] = [new, "null"] if nullable else new
    for word in TYPE_BOUND:
        value.pop(word, None)
    return Edit(site.name, kinds("type"))


def change_item_type(_document: Json, schema: Json, site: Site) -> Edit | None:
    """An array of scalars of another type."""
    value = schema["properties"][site.name]
    items = value.get("items")
    if not isinstance(items, dict) or items.get("type") not in SWAPPED or "enum" in items:
        return None
    value["items"] = {"type": SWAPPED[items["type"]]}
    return Edit(site.name, kinds("type"), suffix="[]")


def array_to_single(_document: Json, schema: Json, site: Site) -> Edit | None:
    """One value where there were many."""
    value = schema["properties"][site.name]
    if value.get("type") != "array" or not isinstance(value.get("items"), dict):
        return None
    schema["properties"][site.name] = copy.deepcopy(value["items"])
    return Edit(site.name, kinds("shape", "type"))


def single_to_array(_document: Json, schema: Json, site: Site) -> Edit | None:
    """Many values where there was one."""
    value = schema["properties"][site.name]
    if "$ref" not in value and value.get("type") not in ("string", "integer", "object"):
        return None
    schema["properties"][site.name] = {"type": "array", "items": value}
    return Edit(site.name, kinds("shape", "type"))


def optional_to_required(_document: Json, schema: Json, site: Site) -> Edit | None:
    """The property must be there; code that always sends it conforms."""
    if site.required:
        return None
    schema["required"] = [*(schema.get("required") or []), site.name]
    return Edit(site.name, kinds("required", "missing-field"), conditional=True)


def add_required_property(_document: Json, schema: Json, site: Site) -> Edit | None:
    """A property that no code has."""
    new = "zz_added_field" if "_" in site.name else "zzAddedField"
    if new in schema["properties"]:
        return None
    schema["properties"][new] = {"type": "string"}
    schema["required"] = [*(schema.get("required") or []), new]
    return Edit(new, kinds("missing-field"))


def drop_property(_document: Json, schema: Json, site: Site) -> Edit | None:
    """The contract does not know the property any more."""
    if len(schema["properties"]) < 2:
        return None
    del schema["properties"][site.name]
    open_ended = bool(schema.get("additionalProperties"))
    left = [name for name in schema.get("required") or [] if name != site.name]
    schema.pop("required", None)
    if left:
        schema["required"] = left
    return Edit(site.name, kinds("extra-field"), open_ended)


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
    return Edit(site.name, kinds("enum"))


def enum_rename_value(document: Json, schema: Json, site: Site) -> Edit | None:
    """One value spelt otherwise."""
    value = _own_enum(document, schema, site)
    if value is None:
        return None
    old = max(value["enum"])
    value["enum"] = [item + "_X" if item == old else item for item in value["enum"]]
    return Edit(site.name, kinds("enum"))


def control_required_to_optional(_document: Json, schema: Json, site: Site) -> Edit | None:
    """The contract promises less."""
    if not site.required:
        return None
    left = [name for name in schema["required"] if name != site.name]
    schema.pop("required")
    if left:
        schema["required"] = left
    return Edit(site.name, kinds())


def control_description(_document: Json, schema: Json, site: Site) -> Edit | None:
    """Only a text changes."""
    if "$ref" in schema["properties"][site.name]:
        return None
    schema["properties"][site.name]["description"] = f"Another text about {site.name}"
    return Edit(site.name, kinds())


def control_reorder(_document: Json, schema: Json, site: Site) -> Edit | None:
    """Only the order changes."""
    if len(schema["properties"]) < 2:
        return None
    schema["properties"] = dict(reversed(list(schema["properties"].items())))
    return Edit(site.name, kinds())


def control_add_optional(_document: Json, schema: Json, site: Site) -> Edit | None:
    """A property that may be absent."""
    new = "zz_optional" if "_" in site.name else "zzOptional"
    schema["properties"][new] = {"type": "string"}
    return Edit(new, kinds())


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
