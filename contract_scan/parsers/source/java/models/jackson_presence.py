"""Whether a property's key is always written, and whether its value may be null."""

from __future__ import annotations

from contract_scan.parsers.source.facts import Annotation
from contract_scan.parsers.source.java.annotations import argument, constant_name, find
from contract_scan.parsers.source.java.models.jackson_properties import Accessor
from contract_scan.parsers.source.java.models.nullness import is_optional, is_primitive


def presence(
    inclusion: str, source: Accessor, annotations: tuple[Annotation, ...], null: bool | None
) -> tuple[bool | None, bool | None]:
    """(key always written, value may be null), by the `@JsonInclude` of the class and of the
    property. Whether a value ever is null (or empty) no type says; only where null is foreseen or
    excluded is the presence of the key known."""
    own = find(annotations, "JsonInclude")
    if own is not None:
        inclusion = constant_name(argument(own, "value")) or "ALWAYS"
    unless_null = True if null is False else None if null is None else False
    match inclusion:
        case "ALWAYS" | "USE_DEFAULTS" | "":
            return True, null
        case "FILTERED":
            return None, null
        case "NON_NULL":
            return unless_null, False
        case "NON_ABSENT":
            return (False if is_optional(source.type) else unless_null), False
        case "NON_EMPTY":
            return (True if is_primitive(source.type) else False if null else None), False
        case _:
            return (False if null else None), False
