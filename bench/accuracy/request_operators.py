"""Changes of one property of a request body.

What a request may hold, the code has to take; so only some changes can break it: a property of
another type, or one that the code needs and the contract no longer sends. Whether the code needs a
property, the contract does not say, so these mutants are conditional: rightly silent where the code
does without it.
"""

from __future__ import annotations

from bench.accuracy.contract_text import Json
from bench.accuracy.mutant import Edit, kinds
from bench.accuracy.mutate_names import renamed
from bench.accuracy.property_operators import (
    SWAPPED,
    TYPE_BOUND,
    Operator,
    control_description,
    rename,
)
from bench.accuracy.sites import Site


def request_rename(_document: Json, schema: Json, site: Site) -> Edit | None:
    """The request holds the property under a name that the code does not read."""
    new = renamed(site.name)
    if not rename(schema, site.name, new):
        return None
    accepted = kinds("missing-field", "extra-field", "required")
    return Edit(new, accepted, not site.required, old_name_too=True)


def request_retype(_document: Json, schema: Json, site: Site) -> Edit | None:
    """The request holds a scalar that the code cannot read. Silence is right where it reads more
    than the contract has: dates that may be numbers as well."""
    value = schema["properties"][site.name]
    old = value.get("type")
    if not isinstance(old, str) or old not in SWAPPED or "enum" in value or "const" in value:
        return None
    formatted = "format" in value
    value["type"] = SWAPPED[old]
    for word in TYPE_BOUND:
        value.pop(word, None)
    return Edit(site.name, kinds("type"), conditional=formatted)


def request_to_array(_document: Json, schema: Json, site: Site) -> Edit | None:
    """The request holds many values where the code reads one."""
    value = schema["properties"][site.name]
    if "$ref" not in value and value.get("type") not in ("string", "integer", "object"):
        return None
    schema["properties"][site.name] = {"type": "array", "items": value}
    return Edit(site.name, kinds("shape", "type"))


def request_drop(_document: Json, schema: Json, site: Site) -> Edit | None:
    """The request no longer holds the property, which the code may need."""
    if len(schema["properties"]) < 2:
        return None
    del schema["properties"][site.name]
    _not_required(schema, site.name)
    return Edit(site.name, kinds("missing-field", "extra-field", "required"), conditional=True)


def request_optional(_document: Json, schema: Json, site: Site) -> Edit | None:
    """The request may leave out what the code may need."""
    if not site.required:
        return None
    _not_required(schema, site.name)
    return Edit(site.name, kinds("required"), conditional=True)


def request_required(_document: Json, schema: Json, site: Site) -> Edit | None:
    """The request always holds what it could leave out before: worth a word only where the code
    does not read it."""
    if site.required:
        return None
    schema["required"] = [*(schema.get("required") or []), site.name]
    return Edit(site.name, kinds("missing-field"), conditional=True)


def control_request_description(document: Json, schema: Json, site: Site) -> Edit | None:
    """Only a text changes."""
    return control_description(document, schema, site)


def _not_required(schema: Json, name: str) -> None:
    left = [other for other in schema.get("required") or [] if other != name]
    schema.pop("required", None)
    if left:
        schema["required"] = left


REQUEST_OPERATORS: dict[str, Operator] = {
    operator.__name__: operator
    for operator in (
        request_rename,
        request_retype,
        request_to_array,
        request_drop,
        request_optional,
        request_required,
        control_request_description,
    )
}
