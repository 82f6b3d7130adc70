"""Mongoose: what queries of `mongoose.model("Order", schema)` give, by the schema.

A document is written as its paths, its `_id`, its version and its time stamps, unless the project
changes `toJSON` (see `mongoose_json`). A path that is not required may be missing or not; which, is
undetermined.
"""

from __future__ import annotations

from msgspec.structs import replace

from contract_scan.ir.origin import Origin
from contract_scan.ir.reasons import Reason
from contract_scan.ir.schema import Array, Field, LiteralValue, Object, Scalar, Schema, Unknown
from contract_scan.parsers.source.analysis.domain.hooks import CallSite
from contract_scan.parsers.source.analysis.domain.memo import memoised
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import (
    BySchema,
    ClassValue,
    Constant,
    Instance,
    Items,
    LibraryResult,
    LibrarySymbol,
    OneOf,
    Record,
    RecordEntry,
    Scope,
    Value,
    union_of,
)
from contract_scan.parsers.source.facts.nodes import Assign, Attribute, Call, Name, New
from contract_scan.parsers.source.facts.visitor import nodes_of
from contract_scan.parsers.source.typescript.serialization.mongoose import (
    documents as mongoose_documents,
)
from contract_scan.parsers.source.typescript.serialization.mongoose.changes import changes_to_json
from contract_scan.parsers.source.typescript.serialization.mongoose.json import document_schema
from contract_scan.parsers.source.typescript.serialization.mongoose.plugins import SCHEMAS

MAX_DEPTH = 10

ONE_OR_NONE = (
    "findOne",
    "findById",
    "findOneAndUpdate",
    "findByIdAndUpdate",
    "findOneAndReplace",
    "findOneAndDelete",
    "findByIdAndDelete",
    "findByIdAndRemove",
)
ONE = ("create", "save")
MANY = ("find", "insertMany")
COUNTS = ("countDocuments", "estimatedDocumentCount", "count")
PROJECTED = ("find", "findOne", "findById")
"""Methods whose second argument selects fields."""
METHODS = (*ONE_OR_NONE, *ONE, *MANY, *COUNTS, "distinct")
KEEPS = ("sort", "limit", "skip", "lean", "exec", "session", "collation", "orFail", "where")
CHANGES = ("populate", "select")

_TYPES: dict[str, Scalar] = {
    "String": Scalar(type="string"),
    "Number": Scalar(type="numeric"),
    "Boolean": Scalar(type="boolean"),
    "Bool": Scalar(type="boolean"),
    "Date": Scalar(type="string", format="date-time"),
    "ObjectId": Scalar(type="string"),
    "ObjectID": Scalar(type="string"),
    "UUID": Scalar(type="string", format="uuid"),
}
POPULATED = Reason("reference-or-document")


def query(site: CallSite) -> Value | None:
    """What `Order.findById(…)` gives; None for a call of something else."""
    callee = site.call.callee if isinstance(site.call, Call) else None
    if not isinstance(callee, Attribute):
        return None
    if callee.name == "save" and isinstance(site.receiver, BySchema):
        return site.receiver
    model = mongoose_documents.model_of(site.program, site.receiver)
    if model is None:
        return None
    if callee.name in COUNTS:
        return BySchema(Scalar(type="integer"))
    schema = document(site.program, model)
    if schema is None:
        return None
    if callee.name == "distinct":
        return BySchema(Array(items=_distinct(schema, site)))
    if callee.name in (*ONE_OR_NONE, "find"):
        schema = _as_loaded(site.program, schema)
        if callee.name in PROJECTED and len(site.call.args) > 1:
            schema = _document_of_selection(site.program, schema, site.value(1))
    listed = callee.name == "create" and isinstance(site.value(0), Items)
    if callee.name in MANY or listed:
        return BySchema(Array(items=schema), keeps_shape=True)
    one = BySchema(schema, keeps_shape=True)
    if callee.name in ONE_OR_NONE:
        return union_of((one, Constant(None, site.call.span, site.scope.file.path)))
    return one


def _distinct(schema: Schema, site: CallSite) -> Schema:
    """What the documents have under a path; of lists what they hold."""
    name = site.program.text(site.argument(0), site.scope)
    fields = schema.fields if isinstance(schema, Object) else ()
    held = next((field.schema for field in fields if field.name == name), None)
    if held is None:
        return Unknown(reason=Reason("document-path-undetermined"))
    return held.items if isinstance(held, Array) else held


def made_schema(program: Program, made: LibraryResult, variant: str) -> Schema | None:
    """What `new Order({ … })` is written as; None for anything else. A model itself is not sent."""
    del variant
    model = mongoose_documents.model_of(program, made)
    schema = document(program, model) if model is not None else None
    if not isinstance(schema, Object) or made.construction is None:
        return schema
    if _is_saved(*made.construction):
        return schema
    set_here = {entry.name for entry in made.assigned if not entry.optional}
    fields = (f if f.name in set_here else _unsaved_field(f) for f in schema.fields)
    return replace(schema, fields=tuple(fields))


def _is_saved(construction: New, scope: Scope) -> bool:
    """Whether the function that makes a document saves it: `order.save()`."""
    nodes = tuple(nodes_of(scope.statements or ()))
    names = {
        node.target.id
        for node in nodes
        if isinstance(node, Assign) and isinstance(node.target, Name) and node.value == construction
    }
    return any(
        isinstance(node, Attribute)
        and node.name == "save"
        and isinstance(node.value, Name)
        and node.value.id in names
        for node in nodes
    )


def _unsaved_field(field: Field) -> Field:
    """A path of a new document, which has its id, defaults and lists. Saving sets the version and
    the time stamps, code may set others, and an empty nested path is left out of JSON (`minimize`).
    """
    if field.has_default or field.name == "_id" or isinstance(field.schema, Array):
        return field
    reason = Reason("document-path-set-later", member=field.name)
    return replace(field, required=None, undetermined_reason=reason)


def same_documents(site: CallSite) -> Value | None:
    """`sort`, `lean`, `exec` …: the same documents. `orFail` throws where there is none."""
    if site.name == ".orFail" and isinstance(site.receiver, Constant):
        return OneOf(())
    if site.name == ".lean" and changes_to_json(site.program):
        return BySchema(Unknown(reason=Reason("lean-query")))
    if site.name == ".lean" and isinstance(site.receiver, BySchema):
        return replace(site.receiver, keeps_shape=False)  # objects as the database has them
    return site.receiver if isinstance(site.receiver, BySchema | Constant) else None


def populated_documents(site: CallSite) -> Value | None:
    """`populate` and `select`: other fields than those of the schema."""
    receiver = site.receiver
    if not isinstance(receiver, BySchema):
        return receiver if isinstance(receiver, Constant) else None
    change = _populated_document if site.name == ".populate" else _document_of_selection
    return replace(receiver, schema=change(site.program, receiver.schema, site.value(0)))


def _populated_document(program: Program, schema: Schema, path: Value | None) -> Schema:
    if isinstance(schema, Array):
        return replace(schema, items=_populated_document(program, schema.items, path))
    if not isinstance(schema, Object):
        return schema
    text = program.evaluator.text(path) if path is not None else None
    name = (text or "").split(" ")[0].split(".")[0]
    fields = tuple(
        replace(f, schema=Unknown(reason=POPULATED, origin=f.schema.origin))
        if not name or f.name == name
        else f
        for f in schema.fields
    )
    return replace(schema, fields=fields)


def _document_of_selection(program: Program, schema: Schema, projection: Value | None) -> Schema:
    """What a query gives of which fields are selected: all but some (`-note`), also those that are
    left out unless they are asked for (`+note`), or some alone
    (https://mongoosejs.com/docs/api/query.html#Query.prototype.select())."""
    if isinstance(schema, Array):
        return replace(schema, items=_document_of_selection(program, schema.items, projection))
    if not isinstance(schema, Object):
        return schema
    words = _projection_words(program, projection)
    if words == []:
        return schema
    alone = {word for word in words or () if word[0] not in "+-"}
    # What a function makes of a document that lacks paths is not followed.
    is_open = bool(alone) and changes_to_json(program)
    if words is None or is_open or any("." in word for word in words):
        return Unknown(reason=Reason("selected-fields-undetermined"))
    place = (schema.origin.path, schema.origin.span)
    made = mongoose_documents.schemas_read(program).get(place)
    whole = _document(program, made, 0) if made is not None else None
    asked = {word[1:] for word in words if word[0] == "+"} | alone
    there = {field.name for field in schema.fields}
    hidden = whole.fields if isinstance(whole, Object) else ()
    left = tuple(
        f
        for f in (*schema.fields, *(f for f in hidden if f.name in asked - there))
        if f"-{f.name}" not in words and (not alone or f.name in asked or f.name == "_id")
    )
    return replace(schema, fields=left)


def _projection_words(program: Program, projection: Value | None) -> list[str] | None:
    """The fields that a projection names, as in a text: `"name -note"`, `["name"]`,
    `{ name: 1, note: 0 }`; None where it is undetermined."""
    match projection:
        case Items(values=values, repeated=False):
            parts = [program.evaluator.text(each) for each in values]
            return None if None in parts else [part for part in parts if part]
        case Record(entries=entries, partial="", values=None):
            named = [(e.name, e.value.value) for e in entries if isinstance(e.value, Constant)]
            said = [(name, on) for name, on in named if on in (0, 1)]
            return (
                [f"{'' if on else '-'}{n}" for n, on in said] if len(said) == len(entries) else None
            )
        case Constant(value=None) | LibrarySymbol(name="undefined"):
            return []
        case None:
            return None
        case _:
            text = program.evaluator.text(projection)
            return None if text is None else text.split()


def _as_loaded(program: Program, schema: Schema) -> Schema:
    """A document without the paths that queries leave out (`select: false`)."""
    if not isinstance(schema, Object):
        return schema
    hidden = hidden_paths(program)
    left = (f for f in schema.fields if (f.origin.path, f.origin.span) not in hidden)
    return replace(schema, fields=tuple(left))


@memoised
def hidden_paths(program: Program) -> set[mongoose_documents.Place]:
    """Paths that queries leave out unless they are asked for, by their places. It is filled as
    schemas are read."""
    del program
    return set()


# ------------------------------------------------------------------ schemas


def document(program: Program, model: LibraryResult) -> Schema | None:
    """The shape of the documents of a model; None where it is undetermined."""
    schema = mongoose_documents.schema_of_model(program, model)
    return None if schema is None else _document(program, schema, 0)


def stored_schema(program: Program, schema: LibraryResult) -> Schema | None:
    """The shape of the documents of a schema; None where it is undetermined."""
    return _document(program, schema, 0)


def attribute(program: Program, value: Value, name: str) -> Value | None:
    """What a document, a model or a reference has of that name beside the paths of a schema."""
    if not isinstance(
        value, BySchema | LibraryResult | LibrarySymbol
    ) or not program.any_file_contains(b"mongoose"):
        return None
    model = mongoose_documents.model_of(program, value)
    if model is None and isinstance(value, BySchema):
        referred = references(program).get((value.schema.origin.path, value.schema.origin.span))
        target = mongoose_documents.model_called(program, referred) if referred else None
        found = document(program, target) if target is not None else None
        if found is not None:
            # A reference that is asked for more than its id has been put in place by the query.
            member = program.evaluator.member(BySchema(found), name)
            return member or mongoose_documents.attribute(program, BySchema(found), name, None)
    whole = document(program, model) if model is not None else None
    return mongoose_documents.attribute(program, value, name, whole)


@memoised
def references(program: Program) -> dict[mongoose_documents.Place, str]:
    """Paths that hold references, by their places, with the models they lead to. It is filled as
    schemas are read."""
    del program
    return {}


def _document(program: Program, made: LibraryResult, depth: int) -> Schema | None:
    if made.name not in SCHEMAS or depth > MAX_DEPTH:
        return None
    args = made.site.args
    paths = program.evaluate(args[0].value, made.scope) if args else None
    options = program.evaluate(args[1].value, made.scope) if len(args) > 1 else None
    if not isinstance(paths, Record):
        return None
    said = _parts(options)
    place = Origin(made.scope.file.path, made.site.span)
    mongoose_documents.schemas_read(program)[(place.path, place.span)] = made
    fields = list(_fields(program, paths, depth))
    names = {field.name for field in fields}
    if "_id" not in names and not _is_without_id(said) and not _is_without_id(_parts(paths)):
        fields.append(Field(name="_id", schema=_TYPES["ObjectId"], origin=place))
    if depth == 0 and not _is_constant(said.get("versionKey"), False):
        fields.append(Field(name="__v", schema=Scalar(type="integer"), origin=place))
    fields.extend(
        Field(name=name, schema=_TYPES["Date"], origin=place) for name in _stamps(program, said)
    )
    stored = Object(fields=tuple(fields), incomplete_reason=paths.partial, origin=place)
    return document_schema(program, made, said, stored)


def _stamps(program: Program, options: dict[str, Value]) -> list[str]:
    """Names of the time stamps: `timestamps: true`, `{ createdAt: "made" }`."""
    said = options.get("timestamps")
    if said is None or _is_constant(said, False):
        return []
    given = _parts(said)
    names = []
    for name in ("createdAt", "updatedAt"):
        value = given.get(name)
        if not _is_constant(value, False):
            names.append((program.evaluator.text(value) if value is not None else None) or name)
    return names


def _fields(program: Program, paths: Record, depth: int) -> list[Field]:
    found = []
    for entry in paths.entries:
        if entry.name == "_id" and _is_constant(entry.value, False):
            continue  # no path, but what switches the `_id` off
        options = _parts(entry.value) if _is_options(entry.value) else {}
        schema = _path(program, options.get("type", entry.value), options, depth)
        required: bool | None = None
        if _is_required(options) or "default" in options or isinstance(schema, Array):
            required = True
        if _is_constant(options.get("select"), False):
            hidden_paths(program).add((entry.origin.path, entry.origin.span))
        if "ref" in options:
            schema = replace(schema, origin=entry.origin)
            referred = program.evaluator.text(options["ref"])
            if referred is not None:
                references(program)[(entry.origin.path, entry.origin.span)] = referred
        found.append(
            Field(
                name=entry.name,
                schema=schema,
                required=required,
                has_default="default" in options,
                origin=entry.origin,
            )
        )
    return found


def _is_options(value: Value) -> bool:
    """`{ type: String, required: true }`, told from a nested path that is called `type`."""
    inner = _parts(value).get("type")
    return inner is not None and not (isinstance(inner, Record) and "type" in _parts(inner))


def _path(program: Program, value: Value, options: dict[str, Value], depth: int) -> Schema:
    match value:
        case LibrarySymbol(name=name):
            known = _TYPES.get(name.rsplit(".", 1)[-1])
            if known is None:
                return Unknown(reason=Reason("mongoose-path-of-type", name=name))
            values = _values(program, options.get("enum"))
            return known if values is None else replace(known, values=values)
        case Items(values=values) if len(values) == 1:
            inner_options = _parts(values[0]) if _is_options(values[0]) else {}
            inner = inner_options.get("type", values[0])
            item = _path(program, inner, inner_options, depth + 1)
            return Array(items=_with_id(item) if isinstance(inner, Record) else item)
        case Items():
            return Array(items=Unknown(reason=Reason("mongoose-path-items-not-declared")))
        case LibraryResult():
            nested = _document(program, value, depth + 1)
            return nested or Unknown(reason=Reason("mongoose-path-schema-not-found"))
        case Record() if depth < MAX_DEPTH:
            return Object(
                fields=tuple(_fields(program, value, depth + 1)), incomplete_reason=value.partial
            )
        case Constant(value=str(name)):
            return _TYPES.get(name, Unknown(reason=Reason("mongoose-path-of-type", name=name)))
        case _:
            return Unknown(reason=Reason("mongoose-path-type-not-found"))


def _is_without_id(said: dict[str, Value]) -> bool:
    """`_id: false`, among the options of a schema or among its paths."""
    return _is_constant(said.get("_id"), False)


def _with_id(item: Schema) -> Schema:
    """The objects of a list are documents of their own."""
    if not isinstance(item, Object) or any(field.name == "_id" for field in item.fields):
        return item
    return replace(item, fields=(*item.fields, Field(name="_id", schema=_TYPES["ObjectId"])))


def _values(program: Program, value: Value | None) -> tuple[LiteralValue, ...] | None:
    """`enum: ["a", "b"]`, `enum: { values: […] }`, `Object.values(Status)`, `enum: Status`."""
    if isinstance(value, Record) and "values" in _parts(value):
        value = _parts(value)["values"]
    if value is None:
        return None
    if isinstance(value, Record) and not value.partial and value.values is None:
        value = Items(tuple(entry.value for entry in value.entries))
    if isinstance(value, ClassValue):
        held = program.schema_of(Instance(value.symbol))
    else:
        listed = program.types.flat(program.schema_of(value))
        held = listed.items if isinstance(listed, Array) and not listed.prefix else listed
    held = program.types.flat(held)
    return held.values if isinstance(held, Scalar) and held.type == "string" else None


def _is_required(options: dict[str, Value]) -> bool:
    said = options.get("required")
    if isinstance(said, Items) and said.values:
        said = said.values[0]
    return _is_constant(said, True)


def _is_constant(value: Value | None, wanted: bool) -> bool:
    return isinstance(value, Constant) and value.value is wanted


def _parts(value: Value | None) -> dict[str, Value]:
    entries: tuple[RecordEntry, ...] = value.entries if isinstance(value, Record) else ()
    return {entry.name: entry.value for entry in entries}
