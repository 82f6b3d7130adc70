"""What queries of object mappers give: the objects of the class that they ask for.

A query is followed back through its calls to where it begins (`Order.query`, `Order.objects`,
`session.query(Order)`, `select(Order)`). Steps that choose or order rows change nothing of what a
row is; a step that is not known leaves the row unknown.
"""

from __future__ import annotations

from contract_scan.ir.schema import Scalar, Schema
from contract_scan.parsers.source.analysis.domain.hooks import CallSite
from contract_scan.parsers.source.analysis.domain.memo import memoised
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
    Unresolved,
    Value,
    union_of,
)
from contract_scan.parsers.source.facts.nodes import LiteralExpr, NamedType
from contract_scan.parsers.source.python.serialization import django, enums
from contract_scan.parsers.source.python.serialization.fields import call_arguments
from contract_scan.parsers.source.python.serialization.kinds import class_of, library_bases

_MAPPERS = ("sqlalchemy", "sqlmodel", "django.db", "tortoise", "peewee", "mongoengine", "beanie")
_TABLES = frozenset({"__tablename__", "__table__"})
_ENTRIES = frozenset({"query", "objects"})
"""Attributes of a model that stand for all of its objects."""
_ASKS = frozenset({"all", "filter", "exclude", "find", "find_all", "select", "objects"})
"""Methods of a model that ask for objects."""
_STEPS = frozenset(
    {"filter", "filter_by", "where", "order_by", "limit", "offset", "distinct", "options"}
    | {"join", "outerjoin", "group_by", "having", "execution_options", "with_for_update"}
    | {"select_from", "unique", "exclude", "all", "using", "prefetch_related", "select_related"}
    | {"only", "defer", "reverse", "sort", "skip", "slice", "populate_existing", "correlate"}
    | {"enable_eagerloads", "yield_per", "params", "iterator", "prefetch", "partitions"}
)
"""What leaves a row what it is."""
_RUNS = frozenset({"execute", "scalars", "scalar", "exec", "stream", "stream_scalars"})
"""Methods of a session that run a query that they are given."""
_ROWS = frozenset({"execute", "stream"})
"""Those of them that give rows, even where a row holds one object."""
_PAGES = frozenset({"paginate"})
_PAGE_PARTS: dict[str, Schema] = {
    **dict.fromkeys(("total", "pages", "page", "per_page"), Scalar(type="integer")),
    **dict.fromkeys(("count", "num_pages", "number", "first", "last"), Scalar(type="integer")),
    **dict.fromkeys(("next_num", "prev_num"), Scalar(type="integer", nullable=True)),
    **dict.fromkeys(("has_next", "has_prev"), Scalar(type="boolean")),
}
"""Attributes of pages of Flask-SQLAlchemy, and of pages and paginators of Django.
https://flask-sqlalchemy.readthedocs.io/en/stable/api/#flask_sqlalchemy.pagination.Pagination
https://docs.djangoproject.com/en/5.0/ref/paginator/"""
_PAGINATORS = frozenset({"Paginator", "page", "get_page"})
_DEEPEST = 40
"""How many calls a query is followed back."""


def row(program: Program, query: Value | None) -> Value | None:
    """One row of what a query gives; None where it is no query, or a row is undetermined."""
    for _ in range(_DEEPEST):
        match query:
            case LibrarySymbol(name=name, receiver=ClassValue(symbol=symbol)):
                entry = name.rpartition(".")[2] in _ENTRIES and is_entity(program, symbol)
                return Instance(symbol) if entry else None
            case LibrarySymbol() | LibraryResult() if model := django.managed_model(program, query):
                return Instance(model)
            case LibraryResult(name=name, receiver=receiver, site=site):
                last = name.rpartition(".")[2]
            case _:
                return None
        if isinstance(receiver, ClassValue):
            asks = last in _ASKS and is_entity(program, receiver.symbol)
            return Instance(receiver.symbol) if asks else None
        if last in ("query", "select") and site.args:
            return _selected_row(program, query)
        if last in _RUNS and site.args:
            asked = row(program, program.evaluate(site.args[0].value, query.scope))
            if last in _ROWS and asked is not None and not isinstance(asked, Items):
                return Items((asked,), False, True)
            return _scalar(asked) if last.endswith("s") else asked
        if last in ("scalars", "scalar"):
            return _scalar(row(program, receiver))
        if last in _PAGES | {"Paginator"} and site.args and not site.args[0].name:
            asked = row(program, program.evaluate(site.args[0].value, query.scope))
            if asked is not None or last == "Paginator":
                return _scalar(asked)
        if last not in _STEPS | _PAGES and not _is_page(query):
            return None
        query = receiver
    return None


def _is_page(value: Value | None) -> bool:
    """Whether a value is a page of rows, or what hands such pages out: of Flask-SQLAlchemy, of
    Django, or the one that a pagination class of Django REST framework has."""
    match value:
        case LibraryResult(name=name):
            last = name.rpartition(".")[2]
            return last in _PAGES or ("django.core.paginator." in name and last in _PAGINATORS)
        case LibrarySymbol(name=name):
            return name.endswith((".page", ".page.paginator")) and "#" in name
        case _:
            return False


def _selected_row(program: Program, query: LibraryResult) -> Value | None:
    """The row that `select(…)` and `session.query(…)` return."""
    if any(argument.name or argument.spread for argument in query.site.args):
        return None
    parts = [program.evaluate(argument.value, query.scope) for argument in query.site.args]
    values = tuple(_column(part) for part in parts)
    (first, *others) = parts
    if not others and isinstance(first, ClassValue):
        return values[0] if is_entity(program, first.symbol) else None
    return Items(values, False, True)


def _column(part: Value) -> Value:
    """What a row holds of something that is asked for."""
    match part:
        case ClassValue(symbol=symbol):
            return Instance(symbol)
        case LibraryResult(name=name) if name.endswith("func.count"):
            return BySchema(Scalar(type="integer"))
        case _:
            return part


def _scalar(found: Value | None) -> Value | None:
    """The first of what a row holds."""
    return found.values[0] if isinstance(found, Items) and found.values else found


def is_entity(program: Program, symbol: ClassSymbol) -> bool:
    """Whether objects of a class are kept in a database by a library that maps them."""
    owners = (symbol, *program.bases(symbol))
    if any(member.name in _TABLES for owner in owners for member in owner.decl.members):
        return True
    names = [base.name.lower() for base in library_bases(program, symbol)]
    return any(mapper in name for name in names for mapper in _MAPPERS)


def maps_rows(program: Program) -> bool:
    """Whether code of the project uses a library that maps rows to objects."""
    return bool(program.files_containing(*(mapper.encode() for mapper in _MAPPERS)))


def items_of(program: Program, value: Value) -> Value | None:
    """An item of what is gone through without asking for all of it: the query itself, or the other
    end of a relation."""
    found = row(program, value)
    return found if found is not None else _related_object(program, value)


def attribute(program: Program, value: Value, name: str) -> Value | None:
    """An attribute of a page of rows, of the object that a relation leads to, or of any member of
    an enumeration (`status.value`)."""
    if isinstance(value, Instance | ByType) and name in ("value", "name"):
        symbol = class_of(program, value)
        if symbol is None or not enums.is_enum(symbol, library_bases(program, symbol)):
            return None
        return value if name == "value" else BySchema(Scalar(type="string"))
    if _is_page(value) and name in _PAGE_PARTS:
        return BySchema(_PAGE_PARTS[name])
    if not isinstance(value, LibraryResult):
        return None
    if _is_page(value):
        found = row(program, value) if name in ("items", "object_list") else None
        return Items((found,), True) if found is not None else None
    target = _related_object(program, value)
    if target is None:
        return None
    return program.evaluator.attribute(target, name, value.scope, value.site.span)


def _related_object(program: Program, value: Value) -> Value | None:
    """The object (or one of those) that a relation of SQLAlchemy leads to."""
    if not isinstance(value, LibraryResult) or "sqlalchemy" not in value.name.lower():
        return None
    if value.name.rpartition(".")[2] not in ("relationship", "relation"):
        return None
    arguments = [a.value for a in value.site.args if not a.name and not a.spread]
    target = arguments[0] if arguments else call_arguments(value).get("argument")
    match target:
        case None:
            return None
        case LiteralExpr(value=str(name)):
            return _mapped_class(program, name.rpartition(".")[2])
        case _:
            found = program.evaluate(target, value.scope)
            return Instance(found.symbol) if isinstance(found, ClassValue) else None


@memoised
def _mapped_class(program: Program, name: str) -> Value | None:
    """The one mapped class of a name, wherever it stands."""
    found = [
        symbol
        for path in program.files_containing(f"class {name}".encode())
        for symbol in program.classes(program.facts(path))
        if symbol.decl.name == name and is_entity(program, symbol)
    ]
    return Instance(found[0]) if len(found) == 1 else None


# --------------------------------------------------------------------------- calls


def of_django(site: CallSite) -> bool:
    """Whether a method is called on objects of a Django model, or on what relates to one."""
    value = site.receiver
    for _ in range(_DEEPEST):
        match value:
            case LibraryResult(receiver=inner) | LibrarySymbol(receiver=inner):
                value = inner
            case _:
                symbol = class_of(site.program, value)
                return symbol is not None and django.is_model(site.program, symbol)
    return False


def single_row(site: CallSite) -> Value | None:
    """`query.first()`, `query.get(1)`, `Order.get_or_none(…)`: an object, if there is one."""
    found = _object(site)
    last = site.name.rpartition(".")[2]
    if found is None or last not in _MAY_MISS:
        return found
    if (
        last == "get"
        and isinstance(found, Instance)
        and django.is_model(site.program, found.symbol)
    ):
        return found  # Django raises an error
    return union_of((found, Constant(None)))


def _object(site: CallSite) -> Value | None:
    if isinstance(site.receiver, ClassValue):
        symbol = site.receiver.symbol
        return Instance(symbol) if is_entity(site.program, symbol) else None
    found = row(site.program, site.receiver)
    if found is None and site.call.args:
        asked = site.value(0)
        if isinstance(asked, ClassValue) and is_entity(site.program, asked.symbol):
            return Instance(asked.symbol)  # `session.get(Order, 1)`, `get_object_or_404(Order, …)`
        found = _scalar(row(site.program, asked))
    if site.name.rpartition(".")[2].startswith("scalar"):
        return _scalar(found)
    return found


def all_rows(site: CallSite) -> Value | None:
    """`query.all()`, `await Order.find_all().to_list()`."""
    if isinstance(site.receiver, ClassValue):
        return None
    found = row(site.program, site.receiver)
    if found is None and isinstance(site.receiver, ByType):
        found = _declared_row(site.receiver)
    return None if found is None else Items((found,), True)


def _declared_row(manager: ByType) -> Value | None:
    """A row of `orders: RelatedManager[Order]`."""
    type = manager.type
    if not isinstance(type, NamedType) or not type.args:
        return None
    managed = type.name.rpartition(".")[2].endswith(("Manager", "QuerySet"))
    return ByType(type.args[0], manager.scope) if managed else None


def query_of_unknown_session(site: CallSite) -> Value | None:
    """`session.query(Order)` and `session.scalars(select(Order))` of an unknown session: their
    arguments show that it is one."""
    if not isinstance(site.receiver, Unresolved | None) or not site.call.args:
        return None
    made = LibraryResult(f"sqlalchemy.orm.Session{site.name}", site.call, site.scope)
    return made if row(site.program, made) is not None else None


_ONE = frozenset(
    {"scalar", "first", "one", "one_or_none", "scalar_one", "scalar_one_or_none", "first_or_404"}
    | {"one_or_404", "get_or_404", "get_or_none", "get_by_id", "get_one", "find_one"}
    | {"last", "latest", "earliest", "fetchone", "first_or_none"}
)
_MAY_MISS = frozenset(
    {"get", "first", "one_or_none", "scalar_one_or_none", "get_or_none", "find_one", "last"}
    | {"fetchone", "first_or_none"}
)
"""Those that give null where there is no such object."""
_EVERY = frozenset({"all", "to_list", "fetchall", "fetchmany"})
_BEGINS = frozenset({"query", "execute", "scalars", "exec"})


def _page_link(site: CallSite) -> Value | None:
    """`self.get_next_link()` of a pagination class of Django REST framework: an address, or None
    where there is no further page."""
    link = Scalar(type="string", format="uri", nullable=True)
    return BySchema(link) if isinstance(site.receiver, Instance) else None


def _has_page(site: CallSite) -> Value | None:
    """`page.has_next()` of Django."""
    return BySchema(Scalar(type="boolean")) if _is_page(site.receiver) else None


CALL_MODELS = {
    ".get_next_link": _page_link,
    ".get_previous_link": _page_link,
    **dict.fromkeys((".has_next", ".has_previous", ".has_other_pages"), _has_page),
    **{f".{name}": single_row for name in _ONE},
    **{f".{name}": all_rows for name in _EVERY},
    **{f".{name}": query_of_unknown_session for name in _BEGINS},
    "django.shortcuts.get_object_or_404": single_row,
    "ninja.shortcuts.get_object_or_404": single_row,
}
"""Calls of queries, by method name with a leading dot."""
