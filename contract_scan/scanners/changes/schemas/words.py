"""Schemas in a few words, and what may be asked of one alone."""

from __future__ import annotations

from msgspec.structs import replace

from contract_scan.ir.wire_contract import ANY, Limit, WireSchema

_UNSAID = replace(ANY, default=None)


def type_text(schema: WireSchema) -> str:
    """The types of a schema in a few words."""
    if schema.impossible:
        return "nothing"
    if schema.values is not None and len(schema.values) <= 4:
        return " | ".join(one.text for one in schema.values) or "null"
    if schema.types is None:
        if schema.alternatives:
            names = [name for one in schema.alternatives for name in one.names if name]
            return f"one of {', '.join(names)}" if names else "one of several schemas"
        return "any value" if schema.nullable or is_any(schema) else "any value but null"
    words = " | ".join(sorted(schema.types)) or "null"
    if schema.types == frozenset({"string"}) and schema.format is not None:
        words = f"string ({schema.format.text})"
    return f"{words} or null" if schema.nullable and words != "null" else words


def limit_text(limit: Limit | None) -> str:
    """A limit in a few words; empty for none."""
    if limit is None:
        return ""
    return f"{limit.value} (exclusive)" if limit.exclusive else str(limit.value)


def is_any(schema: WireSchema) -> bool:
    """Whether a schema limits nothing, whatever it says besides."""
    if schema.types is not None:
        return False
    bare = replace(
        schema,
        key=ANY.key,
        name=ANY.name,
        origin=ANY.origin,
        type_origin=ANY.type_origin,
        default=None,
        deprecated=None,
        sunset=None,
        extensible_values=None,
        values_origin=ANY.values_origin,
        nullable=True,
    )
    return bare == _UNSAID


def is_pure_choice(schema: WireSchema) -> bool:
    """Whether a schema says nothing but that one of several holds."""
    if len(schema.alternatives) != 1:
        return False
    return is_any(replace(schema, alternatives=(), discriminator=None, mapping={}))
