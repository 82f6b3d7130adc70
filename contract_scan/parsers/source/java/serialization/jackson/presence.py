"""Whether a property's key is always written, and whether its value may be null."""

from __future__ import annotations

from contract_scan.parsers.source.facts.nodes import Annotation
from contract_scan.parsers.source.java.resolution.annotations import (
    argument,
    constant_name,
    find,
    flag,
)
from contract_scan.parsers.source.java.serialization.jackson.properties import Accessor
from contract_scan.parsers.source.java.serialization.nullness import is_optional, is_primitive


def required_and_nullable(
    inclusion: str, source: Accessor, annotations: tuple[Annotation, ...], null: bool | None
) -> tuple[bool | None, bool | None]:
    """(key always written, value may be null), by the `@JsonInclude` of the class and of the
    property. Whether a value ever is null (or empty) no type says; only where null is foreseen or
    excluded is the presence of the key known."""
    own = find(annotations, "JsonInclude")
    if own is not None:
        inclusion = constant_name(argument(own, "value")) or "ALWAYS"
    if inclusion in ("ALWAYS", "USE_DEFAULTS", ""):
        return True, null
    if inclusion == "FILTERED":
        return None, null
    written, may_be_null = _unless_empty(inclusion, source, null)
    if written is None and _is_said_to_be_there(annotations):
        written = True
    return written, may_be_null


def _unless_empty(
    inclusion: str, source: Accessor, null: bool | None
) -> tuple[bool | None, bool | None]:
    unless_null = True if null is False else None if null is None else False
    match inclusion:
        case "NON_NULL":
            return unless_null, False
        case "NON_ABSENT":
            return (False if is_optional(source.type) else unless_null), False
        case "NON_EMPTY":
            return (True if is_primitive(source.type) else False if null else None), False
        case _:
            return (False if null else None), False


def _is_said_to_be_there(annotations: tuple[Annotation, ...]) -> bool:
    """Whether documentation beside the property says that it is always there: as much is known of
    a value that no type says anything about."""
    schema = find(annotations, "Schema", "ApiModelProperty")
    if constant_name(argument(schema, "requiredMode")) == "REQUIRED":
        return True
    return flag(argument(schema, "required"))
