"""Sequelize: what the finders of models give."""

from __future__ import annotations

from msgspec.structs import replace

from contract_scan.ir.origin import Origin
from contract_scan.ir.reasons import Reason
from contract_scan.ir.schema import (
    Array,
    Field,
    Object,
    Scalar,
    Schema,
    Unknown,
    with_nullable,
)
from contract_scan.parsers.source.analysis.domain.hooks import CallSite
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import (
    BySchema,
    ByType,
    ClassValue,
    Constant,
    Instance,
    Items,
    LibraryResult,
    LibrarySymbol,
    ModuleValue,
    OneOf,
    Record,
    RecordEntry,
    Unresolved,
    Value,
    union_of,
)
from contract_scan.parsers.source.facts.nodes import (
    Attribute,
    Call,
    Expr,
    Name,
    NamedType,
    ObjectLiteral,
)
from contract_scan.parsers.source.typescript.serialization.query_conditions import (
    compared_columns,
    rows_where,
)
from contract_scan.parsers.source.typescript.serialization.sequelize import (
    models as sequelize_models,
)

ONE_OR_NONE = ("findOne", "findByPk")
NEW = ("create", "build")
MANY = ("findAll",)
NEW_ONES = ("bulkCreate",)
PAIRS = ("findOrCreate", "findCreateFind", "findOrBuild")
AND_COUNT = ("findAndCountAll",)
NUMBERS = ("count", "destroy")
METHODS = (*ONE_OR_NONE, *NEW, *MANY, *NEW_ONES, *PAIRS, *AND_COUNT, *NUMBERS)
_OPTIONS = frozenset(
    {
        "where",
        "attributes",
        "order",
        "limit",
        "offset",
        "transaction",
        "raw",
        "rejectOnEmpty",
        "logging",
        "lock",
        "paranoid",
        "distinct",
        "defaults",
        "returning",
        "fields",
        "validate",
        "subQuery",
    }
)
"""Options of finders that leave the rows as they are, or are read here."""
_INCLUDES = Reason("included-rows-undetermined")
_UNDETERMINED = Reason("query-selects-not-declared")


def query(site: CallSite) -> Value | None:
    """What `User.findAll({ … })` gives; None for a call of something else."""
    callee = site.call.callee if isinstance(site.call, Call) else None
    if not isinstance(callee, Attribute) or not _may_be_model(site.receiver):
        return None
    typed = _typed_rows(site)
    model = sequelize_models.models(site.program).get(_name(callee.value, site.receiver))
    if model is None and typed is None:
        return None
    method = callee.name
    if method in NUMBERS:
        return BySchema(Scalar(type="integer"))
    if typed is not None and model is None:
        return _result_of_method(site, method, typed)
    assert model is not None
    position = 1 if method in ("findByPk", *NEW, *NEW_ONES) else 0
    row: Schema
    if model.custom:
        row = Unknown(reason=model.custom, origin=model.row.origin)
    elif method in (*NEW, *NEW_ONES):
        # What a variable holds may lead far: the whole object that a scan has gathered.
        given = site.argument(0)
        known = _options(site, 0) if isinstance(given, ObjectLiteral) else None
        row = _created_row(model, known)
    else:
        row = _selected_row(site.program, model, _options(site, position))
    return _result_of_method(site, method, BySchema(row, keeps_shape=True))


def _options(site: CallSite, position: int) -> Value | None:
    """What is passed at a position; of an object literal just what is looked at here, since all of
    it may lead far."""
    expr = site.argument(position)
    if not isinstance(expr, ObjectLiteral) or any(e.spread or not e.key for e in expr.entries):
        return site.value(position)
    entries = [
        RecordEntry(
            entry.key or "",
            site.program.evaluate(entry.value, site.scope)
            if entry.key in ("attributes", "where")
            else Unresolved(Reason("part-computed")),
            Origin(site.scope.file.path, entry.span),
        )
        for entry in expr.entries
    ]
    return Record(tuple(entries))


def plain_object(site: CallSite) -> Value | None:
    """`user.toJSON()`, `user.get({ plain: true })` of a row: an object that holds the same."""
    evaluator = site.program.evaluator
    receiver = None if site.receiver is None else evaluator.without_null(site.receiver)
    options = receiver.options if isinstance(receiver, OneOf) else (receiver,)
    if not all(isinstance(o, BySchema) and isinstance(o.schema, Object) for o in options):
        return None
    if site.argument(0) is not None and not _is_record(site.value(0)):
        return None
    return union_of(tuple(evaluator.plain(o) for o in options if o is not None))


def _is_record(value: Value | None) -> bool:
    return isinstance(value, Record)


def _may_be_model(receiver: Value | None) -> bool:
    """Whether a value may be a model. Models that a loader collects, or that are handed to the
    code, are undetermined otherwise: their names tell."""
    match receiver:
        case Unresolved() | ClassValue() | Instance():  # an instance: `this` in a static method
            return True
        case LibraryResult(name=name):
            return name.endswith(".define") or name == "require()"  # of a file that is not told
        case LibrarySymbol(name=name):
            return "#" not in name and not name.startswith(("mongoose.", "typeorm.", "@prisma/"))
        case ModuleValue() | None:
            return False
        case _:
            return False


def _name(expr: Expr, receiver: Value | None) -> str:
    """The name of the model that a finder is called on."""
    if isinstance(receiver, LibraryResult) and receiver.name.endswith(".define"):
        given = receiver.site.args[0].value
        return str(getattr(given, "value", ""))
    if isinstance(receiver, ClassValue | Instance):
        return receiver.symbol.decl.name
    if isinstance(expr, Attribute):
        return expr.name
    return expr.id if isinstance(expr, Name) else ""


def _typed_rows(site: CallSite) -> Value | None:
    """Rows of a class of sequelize-typescript: its instances."""
    owner = site.receiver
    if not isinstance(owner, ClassValue):
        return None
    scope = site.program.module_scope(owner.symbol.file)
    for base in owner.symbol.decl.bases:
        if isinstance(base, NamedType):
            name = site.program.evaluator.qualified_name(ByType(base, scope))
            if name == "sequelize-typescript.Model":
                return Instance(owner.symbol, owner.types)
    return None


def _result_of_method(site: CallSite, method: str, row: Value) -> Value:
    none = Constant(None, site.call.span, site.scope.file.path)
    if method in ONE_OR_NONE:
        return union_of((row, none))
    if method in NEW:
        return row
    if method in PAIRS:
        return Items((row, BySchema(Scalar(type="boolean"))), is_tuple=True)
    rows = Array(items=site.program.schema_of(row))
    if method in AND_COUNT:
        counted = Field(name="count", schema=Scalar(type="integer"))
        found = Object(fields=(counted, Field(name="rows", schema=rows)))
        return BySchema(found, keeps_shape=True)
    return BySchema(rows, keeps_shape=True)


# ------------------------------------------------------------------ shapes


def _created_row(model: sequelize_models.Model, given: Value | None) -> Schema:
    """A row that was just made: what was not given may be missing, as the database has it, and what
    was given is null only if that is."""
    entries = given.entries if isinstance(given, Record) else ()
    names = {entry.name for entry in entries if not entry.optional}
    is_open = not isinstance(given, Record) or bool(given.partial) or given.values is not None
    fields: list[Field] = []
    for field in model.row.fields:
        if field.name in model.nullable_without_default and field.name not in names:
            field = replace(field, required=None)
        if field.schema.nullable and (is_open or field.name in names):
            field = replace(field, schema=with_nullable(field.schema, None))
        fields.append(field)
    return replace(model.row, fields=tuple(fields))


def _selected_row(program: Program, model: sequelize_models.Model, options: Value | None) -> Schema:
    row = replace(
        model.row,
        fields=tuple(f for f in model.row.fields if f.name not in model.excluded_attributes),
    )
    if options is None:
        return row
    if not isinstance(options, Record) or options.partial or options.values is not None:
        return Unknown(reason=_UNDETERMINED, origin=row.origin)
    parts = {entry.name: entry for entry in options.entries}
    if any(entry.optional for entry in options.entries if entry.name not in ("where", "order")):
        return Unknown(reason=_UNDETERMINED, origin=row.origin)
    chosen = parts.get("attributes")
    if chosen is not None:
        selected = _attributes(program, row, chosen.value)
        if selected is None:
            return Unknown(reason=_UNDETERMINED, origin=row.origin)
        row = selected
    where = parts.get("where")
    if where is not None:
        row = rows_where(row, compared_columns(program, where.value))
    if parts.keys() - _OPTIONS:
        row = replace(row, incomplete_reason=row.incomplete_reason or _INCLUDES)
    return row


def _attributes(program: Program, row: Object, chosen: Value) -> Object | None:
    """`attributes: ["id", "name"]`, `attributes: { exclude: ["password"] }`."""
    if isinstance(chosen, Items) and not chosen.repeated:
        names = [program.evaluator.text(_alias(item)) for item in chosen.values]
        known = {field.name: field for field in row.fields}
        if any(name is None for name in names):
            return None
        return replace(row, fields=tuple(_field(known, name) for name in names if name))
    if isinstance(chosen, Record) and not chosen.partial:
        parts = {entry.name: entry.value for entry in chosen.entries}
        excluded = parts.get("exclude")
        if not isinstance(excluded, Items) or excluded.repeated or "include" in parts:
            return None
        texts = {program.evaluator.text(item) for item in excluded.values}
        return replace(row, fields=tuple(f for f in row.fields if f.name not in texts))
    return None


def _alias(item: Value) -> Value:
    """The name that `[fn("COUNT", col("id")), "total"]` is found under."""
    if isinstance(item, Items) and len(item.values) == 2:
        return item.values[1]
    return item


def _field(known: dict[str, Field], name: str) -> Field:
    if name in known:
        return known[name]
    return Field(name=name, schema=Unknown(reason=Reason("computed-by-query", name=name)))
