"""Objects of mapped classes as dicts: rows by their columns, and what turns objects into dicts."""

from __future__ import annotations

from collections.abc import Iterable

from msgspec.structs import replace

from contract_scan.ir.origin import Origin
from contract_scan.ir.reasons import NO_REASON, Reason
from contract_scan.ir.schema import Scalar
from contract_scan.parsers.source.analysis.domain.hooks import CallSite
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import (
    BySchema,
    ByType,
    ClassSymbol,
    ClassValue,
    Constant,
    Instance,
    Items,
    LibraryResult,
    LibrarySymbol,
    Record,
    RecordEntry,
    Unresolved,
    Value,
    union_of,
)
from contract_scan.parsers.source.python.serialization import django, queries, sqlalchemy
from contract_scan.parsers.source.python.serialization import orm_fields as mapped
from contract_scan.parsers.source.python.serialization.fields import argument_value, is_true
from contract_scan.parsers.source.python.serialization.kinds import class_of, library_bases

_TABLES = frozenset({"__table__", "__mapper__"})
_BARE_BASES = frozenset(
    {"Model", "DeclarativeBase", "DeclarativeBaseNoMeta", "MappedAsDataclass", "AsyncAttrs"}
    | {"declarative_base()", "UserMixin", "SQLModel", "object", "SerializerMixin"}
)
"""Library classes without columns of their own that models are derived from."""
_COLUMN_LISTS = frozenset({"columns", "c", "column_attrs"})


def entity(program: Program, value: Value | None) -> ClassSymbol | None:
    """The mapped class that a value is an object of."""
    if not isinstance(value, Instance | ByType):
        return None
    symbol = class_of(program, value)
    return symbol if symbol is not None and queries.is_entity(program, symbol) else None


def names(program: Program, symbol: ClassSymbol) -> list[str]:
    """The columns of a mapped class, by the names that its objects have for them."""
    if django.is_model(program, symbol):
        found = django.column_names(program, symbol)
        return [name for name in found if not _is_many(_field(program, symbol, name))]
    if mapped.is_mapped(program, symbol):
        return list(mapped.column_names(program, symbol))
    return list(sqlalchemy.column_names(program, symbol, foreign_keys=True))


def unread_columns_reason(program: Program, symbol: ClassSymbol) -> Reason:
    """Why a class may have columns that are not seen: a base class of a library may declare some.
    Empty where it has none such."""
    if django.is_model(program, symbol):
        base_name = django.unread_base(program, symbol)
        return Reason("columns-undetermined", base_name=base_name) if base_name else NO_REASON
    for base in library_bases(program, symbol):
        known = base.simple_name in _BARE_BASES or base.name.startswith(("typing", "abc."))
        if not known:
            return Reason("columns-undetermined", base_name=base.simple_name)
    return NO_REASON


def _field(program: Program, symbol: ClassSymbol, name: str) -> LibraryResult | None:
    found = django.declared_field(program, symbol, name)
    return None if found is None else found[0]


def _is_many(made: LibraryResult | None) -> bool:
    return made is not None and made.name.endswith("ManyToManyField")


def _is_fixed(program: Program, made: LibraryResult | None) -> bool:
    """Whether a field of Django's may not be edited."""
    if made is None:
        return False
    editable = argument_value(program, made, "editable")
    set_itself = any(
        is_true(argument_value(program, made, name)) for name in ("auto_now", "auto_now_add")
    )
    return set_itself or (isinstance(editable, Constant) and editable.value is False)


def column_value(program: Program, symbol: ClassSymbol, name: str) -> Value:
    """The value of a column in a row; of a related object's column with `__`."""
    first, _, rest = name.partition("__")
    if rest and django.is_model(program, symbol):
        target = django.related_model(program, symbol, first)
        if target is not None:
            return column_value(program, target, rest)
    elif django.is_model(program, symbol):
        return BySchema(django.column(program, symbol, name).schema)
    elif mapped.is_mapped(program, symbol):
        shape = mapped.column(program, symbol, name)
        if shape is not None:
            return BySchema(shape)
    else:
        span = symbol.decl.name_span
        scope = program.class_scope(symbol)
        return program.evaluator.attribute(Instance(symbol), name, scope, span)
    return Unresolved(Reason("column-not-found", type=symbol.decl.name, name=name))


def record(program: Program, symbol: ClassSymbol, wanted: Iterable[str], origin: Origin) -> Record:
    """A row as a dict of these columns."""
    entries = [RecordEntry(name, column_value(program, symbol, name), origin) for name in wanted]
    return Record(tuple(entries), unread_columns_reason(program, symbol), None, origin)


def attribute(program: Program, value: Value, name: str) -> Value | None:
    """`user.__table__`, `User.__table__.columns`, `inspect(user).mapper.column_attrs`: the columns
    of SQLAlchemy's models, each with its name."""
    if name in _TABLES:
        symbol = value.symbol if isinstance(value, ClassValue) else entity(program, value)
        if symbol is None or not queries.is_entity(program, symbol):
            return None
        return LibrarySymbol(f"sqlalchemy.{name}", Instance(symbol))
    if name not in _COLUMN_LISTS:
        return None
    symbol = _inspected_class(program, value)
    if symbol is None or unread_columns_reason(program, symbol):
        return None
    parts = []
    for column in names(program, symbol):
        text = Constant(column)
        both = [RecordEntry(key, text, symbol.origin) for key in ("name", "key")]
        parts.append(Record(tuple(both), NO_REASON, None, symbol.origin))
    return Items(tuple(parts)) if parts else None


def _inspected_class(program: Program, value: Value) -> ClassSymbol | None:
    match value:
        case LibrarySymbol(name=name, receiver=Instance(symbol=symbol) | ClassValue(symbol=symbol)):
            is_table = name.rpartition(".")[2] in _TABLES
            return symbol if is_table and queries.is_entity(program, symbol) else None
        case LibrarySymbol(name=name, receiver=LibraryResult() as made) if name.endswith(".mapper"):
            return _inspected_class(program, made)
        case LibraryResult(name=name, site=site, scope=scope) if (
            name.endswith("inspect") and site.args
        ):
            given = program.evaluate(site.args[0].value, scope)
            return given.symbol if isinstance(given, ClassValue) else entity(program, given)
        case _:
            return None


# --------------------------------------------------------------------------- calls


def _column_arguments(site: CallSite) -> list[str] | None:
    """The names of columns that are arguments of a call; None if one is not constant."""
    if any(argument.name or argument.spread for argument in site.call.args):
        return None
    texts = [site.program.text(argument.value, site.scope) for argument in site.call.args]
    return None if None in texts else [text for text in texts if text]


def _row_class(site: CallSite) -> ClassSymbol | None:
    """The class of the rows of a query that a method is called on."""
    found = queries.row(site.program, site.receiver)
    symbol = entity(site.program, found)
    if symbol is None:
        return None
    is_model = django.is_model(site.program, symbol) or mapped.is_mapped(site.program, symbol)
    return symbol if is_model else None


def _origin(site: CallSite) -> Origin:
    return Origin(site.scope.file.path, site.call.span)


def values(site: CallSite) -> Value | None:
    """`.values("id", "name")` and Peewee's `.dicts()`: rows as dicts."""
    symbol = _row_class(site)
    asked = _column_arguments(site)
    if symbol is None or asked is None or _is_narrowed(site):
        return None
    if asked:
        given = record(site.program, symbol, asked, _origin(site))
        return Items((replace(given, partial=NO_REASON),), True)
    every = names(site.program, symbol)
    return Items((record(site.program, symbol, every, _origin(site)),), True)


def _is_narrowed(site: CallSite) -> bool:
    """Whether a query asks for columns of its own: `Order.select(Order.id)`, `.annotate(…)`."""
    value = site.receiver
    while isinstance(value, LibraryResult):
        last = value.name.rpartition(".")[2]
        if last in ("annotate", "aggregate", "select") and value.site.args:
            return True
        if last == "join":
            return True
        value = value.receiver
    return False


def values_list(site: CallSite) -> Value | None:
    """`.values_list("id", "name")`, or with `flat=True` the values of one column."""
    flat = site.value(-1, "flat")
    columns = [a for a in site.call.args if not a.name]
    texts = [site.program.text(argument.value, site.scope) for argument in columns]
    symbol = _row_class(site)
    if symbol is None or not texts or None in texts or site.value(-1, "named") is not None:
        return None
    found = tuple(column_value(site.program, symbol, text or "") for text in texts)
    if isinstance(flat, Constant) and flat.value is True:
        return Items(found, True) if len(found) == 1 else None
    return Items((Items(found, False, True),), True)


def created_row(site: CallSite) -> Value | None:
    """`Order.create(…)`, `Order.objects.create(…)`."""
    symbol = _asked_class(site)
    return None if symbol is None else Instance(symbol)


def got_or_created(site: CallSite) -> Value | None:
    """`Order.get_or_create(…)`: an object, and whether it is new."""
    symbol = _asked_class(site)
    if symbol is None:
        return None
    return Items((Instance(symbol), BySchema(Scalar(type="boolean"))), False, True)


def _asked_class(site: CallSite) -> ClassSymbol | None:
    program = site.program
    if isinstance(site.receiver, ClassValue):
        symbol = site.receiver.symbol
        return symbol if queries.is_entity(program, symbol) else None
    return entity(program, queries.row(program, site.receiver))


def as_django_dict(site: CallSite) -> Value | None:
    """`django.forms.models.model_to_dict(order, fields=…, exclude=…)`: the fields that may be
    edited."""
    program = site.program
    symbol = entity(program, site.value(0))
    if symbol is None or not django.is_model(program, symbol):
        return None
    if any(_is_many(_field(program, symbol, n)) for n in django.column_names(program, symbol)):
        return None  # a list of objects, which is not JSON
    open_names = [
        n for n in names(program, symbol) if not _is_fixed(program, _field(program, symbol, n))
    ]
    return _record_of_columns(site, symbol, open_names, "fields", 1)


def as_peewee_dict(site: CallSite) -> Value | None:
    """`playhouse.shortcuts.model_to_dict(order)`: with relations as dicts, but for
    `recurse=False`."""
    program = site.program
    symbol = entity(program, site.value(0))
    extra = ("backrefs", "extra_attrs", "fields_from_query", "only", "exclude", "max_depth")
    if symbol is None or any(site.argument(-1, name) is not None for name in extra):
        return None
    recurse = site.value(1, "recurse")
    deep = not (isinstance(recurse, Constant) and recurse.value is False)
    return _nested_record(program, symbol, _origin(site), 4 if deep else 0)


def _nested_record(program: Program, symbol: ClassSymbol, origin: Origin, depth: int) -> Value:
    relations = dict(mapped.fields(program, symbol))
    entries: list[RecordEntry] = []
    for name in mapped.column_names(program, symbol):
        relation = relations.get(name)
        target = (
            None if relation is None or not depth else mapped.relation_target(program, relation)
        )
        if target is None:
            value = column_value(program, symbol, name)
        else:
            value = _nested_record(program, target, origin, depth - 1)
            if relation is not None and is_true(argument_value(program, relation, "null")):
                value = union_of((value, Constant(None)))
        entries.append(RecordEntry(name, value, origin))
    return Record(tuple(entries), unread_columns_reason(program, symbol), None, origin)


def _record_of_columns(
    site: CallSite, symbol: ClassSymbol, columns: list[str], only: str, position: int
) -> Value | None:
    for name, place in ((only, position), ("exclude", position + 1)):
        argument = site.value(place, name)
        if argument is None or (isinstance(argument, Constant) and argument.value is None):
            continue
        if not isinstance(argument, Items) or argument.repeated:
            return None
        texts = [site.program.evaluator.text(item) for item in argument.values]
        if None in texts:
            return None
        columns = [column for column in columns if (column in texts) == (name == only)]
    return record(site.program, symbol, columns, _origin(site))


CALL_MODELS = {
    ".values": values,
    ".dicts": values,
    ".values_list": values_list,
    ".create": created_row,
    ".get_or_create": got_or_created,
    ".update_or_create": got_or_created,
    "django.forms.models.model_to_dict": as_django_dict,
    "django.forms.model_to_dict": as_django_dict,
    "playhouse.shortcuts.model_to_dict": as_peewee_dict,
}
