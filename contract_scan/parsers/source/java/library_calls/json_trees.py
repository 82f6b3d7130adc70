"""JSON objects that code puts together by hand: trees of Jackson, Gson, org.json and others, and
maps of entries."""

from __future__ import annotations

from contract_scan.ir.reasons import NO_REASON, Reason
from contract_scan.ir.schema import Scalar, Schema, Unknown
from contract_scan.parsers.source.analysis.dataflow.reaching_definitions import nested_statements
from contract_scan.parsers.source.analysis.domain.hooks import CallSite
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import (
    BySchema,
    ByType,
    Constant,
    FunctionValue,
    Instance,
    Items,
    LibraryResult,
    OneOf,
    Record,
    RecordEntry,
    Scope,
    Unresolved,
    Value,
)
from contract_scan.parsers.source.analysis.syntax.side_effects import listed_keys
from contract_scan.parsers.source.facts.dotted_names import is_name
from contract_scan.parsers.source.facts.nodes import (
    Assign,
    Attribute,
    Call,
    Expr,
    Name,
    NamedType,
    New,
    TypeExpr,
)
from contract_scan.parsers.source.java.library_calls.conversions import convert
from contract_scan.parsers.source.java.resolution.annotations import type_name
from contract_scan.parsers.source.java.serialization.gson.writers import variant_of_writer

TEXT = "json.toString"
"""What the text of a JSON object is called: its receiver is what it holds."""
TREE = "json.tree"
"""What the tree of what would be written of a value is called: its receiver is the value."""
CLASSES = frozenset(
    {
        *("ObjectNode", "ArrayNode", "JsonNode", "JSONObject", "JSONArray"),
        *("JsonObject", "JsonArray", "JsonObjectBuilder", "JsonArrayBuilder"),
    }
)
_FACTORIES = frozenset(
    {
        *("createObjectNode", "createArrayNode", "objectNode", "arrayNode"),
        *("createObjectBuilder", "createArrayBuilder"),  # JSON-P
        *("newObject", "newArray"),  # Play
    }
)
_MAPS = frozenset({"Map", "HashMap", "LinkedHashMap", "TreeMap", "SortedMap"})
_MAX_CHAIN = 200


def new_object(site: CallSite) -> Value | None:
    """`new JSONObject()`, `mapper.createObjectNode()`: nothing is in it yet."""
    if site.call.args:
        value = site.value(0)
        return value if isinstance(value, Record) else None
    return Record((), NO_REASON, None, site.program.origin(site.call, site.scope))


def tree(site: CallSite) -> Value | None:
    """`mapper.valueToTree(x)`, `gson.toJsonTree(x)`: what would be written of a value, as an object
    of its own that can be changed."""
    value = site.value(0)
    if isinstance(value, ByType | Instance | OneOf | LibraryResult | Items):
        return LibraryResult(TREE, site.call, site.scope, value)
    return value


def tree_schema(program: Program, made: LibraryResult, variant: str) -> Schema | None:
    """The shape of a tree that a mapper made; None for anything else."""
    if made.name != TREE or made.receiver is None:
        return None
    callee = made.site.callee if isinstance(made.site, Call) else None
    if isinstance(callee, Attribute) and callee.name == "toJsonTree":
        variant = variant_of_writer(program, program.evaluate(callee.value, made.scope))
    return program.schema_of(program.evaluator.unwrap(made.receiver), variant)


def convert_value(site: CallSite) -> Value | None:
    """`mapper.convertValue(x, Order.class)`; to a map or a tree the same as `valueToTree`."""
    made = convert(site)
    is_free = isinstance(made, ByType) and _holds_anything(made.type)
    return tree(site) if is_free else made


def _holds_anything(type: TypeExpr) -> bool:
    """Whether a type says no more of an object than that it has keys: `Map<String, Object>`."""
    if not isinstance(type, NamedType):
        return False
    name = type_name(type)
    if name in _MAPS:
        return not type.args or _holds_anything(type.args[-1])
    return name in CLASSES or name == "Object"


def new_array(site: CallSite) -> Value | None:
    """`new JSONArray()`, `mapper.createArrayNode()`."""
    if site.call.args:
        value = site.value(0)
        item = site.item(value)
        if isinstance(value, Items) or isinstance(item, Unresolved):
            return value if isinstance(value, Items) else None
        return Items((item,), True, False, site.program.origin(site.call, site.scope))
    return Items((), True, False, site.program.origin(site.call, site.scope))


def with_property(site: CallSite) -> Value | None:
    """`object.put("a", 1)` as a value: the object with it (maps give something else, which nobody
    looks at)."""
    value = _json_object(site)
    if not isinstance(value, Record) or len(site.call.args) != 2:
        return None
    key = site.program.text(site.argument(0), site.scope)
    given = site.value(1)
    if key is None or given is None:
        return Record(value.entries, Reason("key-computed"), value.values, value.origin)
    entry = RecordEntry(key, given, site.program.origin(site.call, site.scope))
    others = tuple(known for known in value.entries if known.name != key)
    return Record((*others, entry), value.partial, value.values, value.origin)


def without_property(site: CallSite) -> Value | None:
    """`object.without("a")` of Jackson: the object without it."""
    value, only = _json_object(site), site.argument(0)
    if not isinstance(value, Record) or only is None or len(site.call.args) != 1:
        return None
    gone = listed_keys(only) or [site.program.text(only, site.scope)]
    if None in gone:
        return None
    left = tuple(known for known in value.entries if known.name not in gone)
    return Record(left, value.partial, value.values, value.origin)


def _json_object(site: CallSite) -> Value | None:
    """The object or list of a JSON library that a method is called on; None for anything else."""
    value = site.receiver
    if isinstance(value, LibraryResult) and value.name == TREE:
        return site.program.evaluator.plain(value)
    is_made = isinstance(value, Record | Items) and is_json(site.call, site.scope)
    return value if is_made else None


def add(site: CallSite) -> Value | None:
    """`builder.add("a", 1)`, `builder.add(1)` of JSON-P as a value: the builder with it."""
    if len(site.call.args) == 2:
        return with_property(site)
    value = _json_object(site)
    if not isinstance(value, Items):
        return None
    given = site.value(0)
    return None if given is None else Items((*value.values, given), True, False, value.origin)


def add_null(site: CallSite) -> Value | None:
    """`builder.addNull("a")`, `builder.addNull()`."""
    value, null = site.receiver, put_null(site)
    if null is None or not is_json(site.call, site.scope):
        return None
    if isinstance(value, Items):
        return Items((*value.values, null), True, False, value.origin)
    key = site.program.text(site.argument(0), site.scope)
    if not isinstance(value, Record) or key is None:
        return None
    entry = RecordEntry(key, null, site.program.origin(site.call, site.scope))
    return Record((*value.entries, entry), value.partial, value.values, value.origin)


def built_json(site: CallSite) -> Value | None:
    """`build()` of JSON-P: what the builder was given; None for other builders."""
    return _json_object(site)


def put_null(site: CallSite) -> Value | None:
    """`object.putNull("a")`."""
    return Constant(None, site.call.span, site.scope.file.path)


def text(site: CallSite) -> Value | None:
    """`toString()`: of a JSON object its JSON, of anything else some text."""
    if isinstance(_json_object(site), Record | Items):
        return LibraryResult(TEXT, site.call, site.scope, site.receiver)
    return BySchema(Scalar(type="string"))


def is_json(expr: Expr, scope: Scope) -> bool:
    """Whether a chain of calls begins with an object of a JSON library."""
    for _ in range(_MAX_CHAIN):
        match expr:
            case Call(callee=Attribute(name=name)) if name in _FACTORIES:
                return True
            case Call(callee=Attribute(value=inner)):
                expr = inner
            case New(type=type):
                return type_name(type) in CLASSES
            case Name(id=id):
                return any(
                    type_name(statement.type) in CLASSES
                    or (isinstance(statement.value, New | Call) and _is_made(statement.value))
                    for statement in nested_statements(scope.statements or ())
                    if isinstance(statement, Assign) and is_name(statement.target, id)
                )
            case _:
                return False
    return False


def _is_made(expr: New | Call) -> bool:
    if isinstance(expr, New):
        return type_name(expr.type) in CLASSES
    return isinstance(expr.callee, Attribute) and expr.callee.name in _FACTORIES


# --------------------------------------------------------------------------- maps


def entry(site: CallSite) -> Value | None:
    """`Map.entry("a", x)`: Jackson writes it as an object with one key."""
    key = site.program.text(site.argument(0), site.scope)
    value = site.value(1)
    origin = site.program.origin(site.call, site.scope)
    if value is None:
        return None
    if key is None:
        return Record((), NO_REASON, value, origin)
    return Record((RecordEntry(key, value, origin),), NO_REASON, None, origin)


def of_entries(site: CallSite) -> Value | None:
    """`Map.ofEntries(entry("a", x), entry("b", y))`."""
    entries: list[RecordEntry] = []
    partial = NO_REASON
    for position in range(len(site.call.args)):
        value = site.value(position)
        if isinstance(value, Record) and value.values is None:
            entries.extend(value.entries)
        else:
            partial = Reason("key-computed")
    return Record(tuple(entries), partial, None, site.program.origin(site.call, site.scope))


def copied_map(site: CallSite) -> Value | None:
    """`new HashMap<>(other)`; None for one that is empty: `new HashMap<>(16)`, or a `TreeMap` that
    is told how to compare."""
    value = site.value(0)
    if value is None or isinstance(value, Record):
        return value
    if isinstance(value, FunctionValue) or "ompar" in site.program.evaluator.qualified_name(value):
        return None
    copy = site.program.evaluator.plain(site.unwrap(value))
    if isinstance(copy, Record):
        return copy
    shape = site.program.types.flat(site.program.schema_of(copy))
    return Record((), shape.reason, None) if isinstance(shape, Unknown) else None


def built_map(made: Value | None, site: CallSite) -> Value | None:
    """`ImmutableMap.builder().put("a", x).build()`; None for other builders."""
    puts: list[LibraryResult] = []
    for _ in range(_MAX_CHAIN):
        if not isinstance(made, LibraryResult):
            return None
        method = made.name.rpartition(".")[2]
        if method == "builder":
            if not made.name.endswith("Map.builder"):
                return None
            break
        puts.append(made)
        made = made.receiver
    else:
        return None
    entries: list[RecordEntry] = []
    partial = NO_REASON
    for call in reversed(puts):
        args = call.site.args
        key = site.program.text(args[0].value, call.scope) if len(args) == 2 else None
        if key is None:
            partial = Reason("key-computed")
            continue
        origin = site.program.origin(call.site, call.scope)
        value = site.program.evaluate(args[1].value, call.scope)
        entries.append(RecordEntry(key, value, origin))
    return Record(tuple(entries), partial, None, site.program.origin(site.call, site.scope))
