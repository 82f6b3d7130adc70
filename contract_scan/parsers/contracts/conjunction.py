"""Several schemas that hold at once: types, null and values that they allow together."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Iterator
from typing import TypeGuard

from msgspec import Struct
from msgspec.structs import replace

from contract_scan.ir.schema import LiteralValue
from contract_scan.parsers.contracts.dialects import Dialect
from contract_scan.parsers.contracts.located_tree import Mapping, Node, Sequence

JSON_TYPES = frozenset({"object", "array", "string", "integer", "number", "boolean", "null"})
OBJECT_KEYWORDS = frozenset(
    {
        "properties",
        "additionalProperties",
        "patternProperties",
        "unevaluatedProperties",
        "propertyNames",
        "required",
        "minProperties",
        "maxProperties",
        "dependentRequired",
        "dependentSchemas",
        "dependencies",
    }
)
ARRAY_KEYWORDS = frozenset(
    {
        "items",
        "prefixItems",
        "additionalItems",
        "unevaluatedItems",
        "contains",
        "minItems",
        "maxItems",
        "uniqueItems",
    }
)
STRING_KEYWORDS = frozenset(
    {"pattern", "minLength", "maxLength", "contentEncoding", "contentMediaType"}
)
_CONSTRAINTS = (
    frozenset(
        {
            "$ref",
            "$dynamicRef",
            "$recursiveRef",
            "type",
            "enum",
            "const",
            "format",
            "allOf",
            "anyOf",
            "oneOf",
            "not",
            "if",
            "minimum",
            "maximum",
            "exclusiveMinimum",
            "exclusiveMaximum",
            "multipleOf",
            "discriminator",
        }
    )
    | OBJECT_KEYWORDS
    | ARRAY_KEYWORDS
    | STRING_KEYWORDS
)


class Conjunct(Struct, frozen=True):
    """One of the schemas that hold at once: a mapping, minus the keywords dealt with elsewhere."""

    node: Node
    dialect: Dialect
    without: frozenset[str] = frozenset()
    seed: bool = False
    """It is the schema itself rather than something its `allOf` or `$ref` brought in."""
    alternative: str = ""
    """The alternative of a `oneOf` or `anyOf` that brought it in; empty for none."""

    @property
    def key(self) -> str:
        """The same for the same schema with the same keywords left."""
        left_out = ",".join(sorted(self.without))
        named = f"{self.node.id}?{self.alternative}" if self.alternative else self.node.id
        return f"{named}!{left_out}" if left_out else named

    def value(self, key: str) -> object:
        """The plain value of a keyword, None where it is absent or dealt with elsewhere."""
        if key in self.without:
            return None
        value = self.node.value
        return value.get(key) if isinstance(value, Mapping) else None

    def get(self, key: str) -> Node | None:
        """The place of a keyword."""
        return None if key in self.without else self.node.get(key)

    def without_keywords(self, *keys: str) -> Conjunct:
        """The same without these keywords."""
        return replace(self, without=self.without | frozenset(keys))


def keywords(part: Conjunct) -> Iterator[str]:
    """The keywords of a part that limit values."""
    value = part.node.value
    if isinstance(value, Mapping):
        for key in value:
            if key not in part.without and _limits(part.node, key):
                yield key


def _limits(node: Node, key: str) -> bool:
    """Whether a key limits values: a `type` that is null was never filled in, however the document
    writes it down. Only among alternatives it stands for the type `"null"` without its quotes."""
    return key in _CONSTRAINTS and not (
        key == "type"
        and isinstance(node.value, Mapping)
        and node.value.get(key) is None
        and not _is_alternative(node)
    )


def _is_alternative(node: Node) -> bool:
    """Whether a schema stands in the list of an `anyOf` or `oneOf`."""
    return node.pointer.split("/")[-2:-1] in (["anyOf"], ["oneOf"])


def is_keyword(key: str) -> bool:
    """Whether a key limits values where it stands in a schema."""
    return key in _CONSTRAINTS


def constrains(node: Node, besides: Iterable[str] = ()) -> bool:
    """Whether a schema limits values by any keyword other than those given."""
    if not isinstance(node.value, Mapping):
        return node.value is not True
    return any(key not in besides and _limits(node, key) for key in node.value)


def strings(value: object) -> tuple[str, ...]:
    """The strings of a list; nothing where it is none."""
    if not isinstance(value, Sequence):
        return ()
    return tuple(element for element in value if isinstance(element, str))


def written_types(part: Conjunct) -> frozenset[str] | None:
    """The names under `type`; None where there is no `type`."""
    raw = part.value("type")
    if isinstance(raw, str):
        return frozenset({raw})
    if isinstance(raw, Sequence):
        # `[string, null]` without quotes is a list of two types as well.
        return frozenset("null" if name is None else name for name in raw if _names_type(name))
    if raw is None and "type" in keywords(part):
        return frozenset({"null"})  # an alternative that is `type: null`, without quotes
    return None


def _names_type(value: object) -> TypeGuard[str | None]:
    return value is None or isinstance(value, str)


def allowed_types(parts: Iterable[Conjunct]) -> frozenset[str] | None:
    """The types that all parts allow, `null` left out; None where no part says.

    `integer` is a kind of `number`.
    """
    allowed: frozenset[str] | None = None
    for part in parts:
        types = written_types(part)
        if types is None:
            continue
        types -= {"null"}
        if allowed is None:
            allowed = types
            continue
        both = allowed & types
        if ("number" in allowed and "integer" in types) or (
            "integer" in allowed and "number" in types
        ):
            both |= {"integer"}
        allowed = both
    return allowed


def inferred_type(parts: Iterable[Conjunct]) -> str:
    """The type meant by parts none of which names one; empty where nothing points to one."""
    found: set[str] = set()
    for part in parts:
        for key in keywords(part):
            if key in OBJECT_KEYWORDS:
                found.add("object")
            elif key in ARRAY_KEYWORDS:
                found.add("array")
    return found.pop() if len(found) == 1 else ""


def nullable_of(parts: list[Conjunct], null_option: bool = False) -> bool | None:
    """Whether null is allowed: by all that hold at once, with the common idioms understood.

    `nullable: true` around an `allOf` is meant for the whole, though it does not reach into it.
    """
    said = [_said_on_null(part) for part in parts]
    if null_option:
        said.append("yes")
    if "maybe" in said:
        return None
    if "yes" in said:
        if "no" not in said:
            return True
        outer = any(part.seed and _has_null_keyword(part) for part in parts)
        return True if outer else None
    if parts and not parts[0].dialect.null_sayable:
        return None
    return False


def _has_null_keyword(part: Conjunct) -> bool:
    keyword = part.dialect.nullable_keyword
    return bool(keyword) and part.value(keyword) is True


def _said_on_null(part: Conjunct) -> str:
    types = written_types(part)
    values = enum_values(part)
    lists_null = values is not None and any(value is None for value in values)
    if _has_null_keyword(part):
        return "yes"
    if types is not None and "null" in types:
        # A list of values without null contradicts the type: which one is meant?
        return "yes" if values is None or lists_null else "maybe"
    if part.value("nullable") is True or part.value("x-nullable") is True:
        return "maybe"  # a keyword of another dialect: meant, but not valid here
    if lists_null:
        return "yes" if types is None else "maybe"
    if types is not None or values is not None:
        return "no"
    return ""


def enum_values(part: Conjunct) -> list[object] | None:
    """The values `enum` or `const` list; None where there is neither."""
    raw = part.value("enum")
    if isinstance(raw, Sequence):
        return list(raw)
    if "const" not in part.without and part.node.has("const"):
        return [part.value("const")]
    return None


def common_values(parts: Iterable[Conjunct]) -> list[object] | None:
    """The values that every `enum` and `const` lists, null left out; None where there is none."""
    common: list[object] | None = None
    for part in parts:
        values = enum_values(part)
        if values is None:
            continue
        values = [value for value in values if value is not None]
        if common is None:
            common = values
        else:
            others = {_identity(value) for value in values}
            common = [value for value in common if _identity(value) in others]
    return common


def _identity(value: object) -> tuple[str, object]:
    """Equal for values that are the same in JSON: 1 and 1.0, but never 1 and true."""
    if isinstance(value, (Mapping, Sequence)):
        return "structure", json.dumps(value, sort_keys=True)
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return "number", value
    return type(value).__name__, value


def type_of_value(value: object) -> str:
    """The JSON type of a plain value; empty for one that JSON cannot carry."""
    match value:
        case bool():
            return "boolean"
        case int():
            return "integer"
        case float():
            return "number" if math.isfinite(value) else ""
        case str():
            return "string"
        case None:
            return "null"
        case Mapping():
            return "object"
        case _:
            return "array"


def literals(values: list[object], json_type: str) -> tuple[LiteralValue, ...]:
    """Those of the values that a type allows."""
    common: dict[tuple[str, object], LiteralValue] = {}
    for value in values:
        found = type_of_value(value)
        fits = found == json_type or (json_type == "number" and found == "integer")
        whole = json_type == "integer" and isinstance(value, float) and value.is_integer()
        if (fits or whole) and isinstance(value, (str, int, float, bool)):
            common.setdefault(_identity(value), int(value) if whole else value)
    return tuple(common.values())


def is_null_only(node: Node) -> bool:
    """Whether a schema allows null and nothing else."""
    if not isinstance(node.value, Mapping):
        return False
    part = Conjunct(node, _ANY_DIALECT)
    if written_types(part) == frozenset({"null"}):
        return True
    values = enum_values(part)
    return values is not None and bool(values) and all(value is None for value in values)


_ANY_DIALECT = Dialect(name="")


def required_only(node: Node) -> tuple[str, ...] | None:
    """The names of a schema that does no more than require properties; None for any other."""
    if not isinstance(node.value, Mapping):
        return None
    names: list[str] = list(strings(node.value.get("required")))
    used = {key for key in node.value if key in _CONSTRAINTS} - {"required", "type"}
    if node.value.get("type", "object") != "object":
        return None
    for word in ("anyOf", "oneOf", "allOf"):
        nested = node.get(word)
        if nested is None:
            continue
        used.discard(word)
        for element in nested.elements():
            inner = required_only(element)
            if inner is None:
                return None
            names.extend(inner)
    prohibited = node.get("not")
    if prohibited is not None:
        used.discard("not")
        if required_only(prohibited) is None:
            return None
    if used or not (names or prohibited):
        return None
    return tuple(names)
