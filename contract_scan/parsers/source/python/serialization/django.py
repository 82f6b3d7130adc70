"""Django models: the types of fields, for serializers that take theirs from a model."""

from __future__ import annotations

import re
from collections.abc import Iterator

from msgspec import Struct
from msgspec.structs import replace

from contract_scan.ir.origin import Origin, Span
from contract_scan.ir.reasons import NO_REASON, Reason
from contract_scan.ir.schema import (
    Array,
    LiteralValue,
    Scalar,
    ScalarType,
    Schema,
    Unknown,
    with_nullable,
)
from contract_scan.parsers.source.analysis.domain.memo import memoised
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import (
    BySchema,
    ClassSymbol,
    ClassValue,
    Constant,
    Instance,
    Items,
    LibraryResult,
    LibrarySymbol,
    Scope,
    Value,
)
from contract_scan.parsers.source.facts.nodes import ArrayLiteral, Expr, LiteralExpr, NamedType
from contract_scan.parsers.source.python.serialization import django
from contract_scan.parsers.source.python.serialization.fields import (
    argument_value,
    call_arguments,
    is_true,
    member_origin,
    positional,
)
from contract_scan.parsers.source.python.serialization.kinds import library_bases

_SCALARS: dict[str, tuple[ScalarType, str]] = {
    **dict.fromkeys(("AutoField", "BigAutoField", "SmallAutoField"), ("integer", "")),
    **dict.fromkeys(("IntegerField", "BigIntegerField", "SmallIntegerField"), ("integer", "")),
    **dict.fromkeys(("PositiveIntegerField", "PositiveSmallIntegerField"), ("integer", "")),
    "PositiveBigIntegerField": ("integer", ""),
    **dict.fromkeys(("CharField", "TextField", "SlugField", "FilePathField"), ("string", "")),
    **dict.fromkeys(("BinaryField", "GenericIPAddressField"), ("string", "")),
    "EmailField": ("string", "email"),
    **dict.fromkeys(("URLField", "FileField", "ImageField"), ("string", "uri")),
    "UUIDField": ("string", "uuid"),
    **dict.fromkeys(("BooleanField", "NullBooleanField"), ("boolean", "")),
    "DateTimeField": ("string", "date-time"),
    "DateField": ("string", "date"),
    "TimeField": ("string", "time"),
    "DurationField": ("string", ""),
    "DecimalField": ("string", "decimal"),
    "FloatField": ("number", ""),
    **dict.fromkeys(("AutoCreatedField", "AutoLastModifiedField"), ("string", "date-time")),
    **dict.fromkeys(("CreationDateTimeField", "MonitorField"), ("string", "date-time")),
    "ModificationDateTimeField": ("string", "date-time"),
    **dict.fromkeys(("UrlsafeTokenField", "AutoSlugField"), ("string", "")),
}
"""Of Django, of django-model-utils, of django-extensions, of django-autoslug."""
_INTEGER_KEYS = frozenset(
    f"django.db.models.{path}{kind}AutoField"
    for kind in ("", "Big", "Small")
    for path in ("", "fields.")
)
_KEYLESS = ("Stamp", "Abstract", "MPTT", "SoftDelet", "Orderable", "Page", "Historical")
"""Parts of the names of library models that have no key of their own."""
_TEXT_KEYS = frozenset({"ObjectIdAutoField"})
"""Classes of keys that are written as text."""
_STAMPS = frozenset(
    {"AutoCreatedField", "AutoLastModifiedField", "CreationDateTimeField"}
    | {"ModificationDateTimeField"}
)
"""Fields that set themselves."""
_FILLED = "AutoSlugField"
"""A field that is made of others where it is left empty."""
_RELATIONS = frozenset({"ForeignKey", "OneToOneField"})
_USER: dict[str, tuple[ScalarType, str]] = {
    "id": ("integer", ""),
    "username": ("string", ""),
    "email": ("string", "email"),
    "first_name": ("string", ""),
    "last_name": ("string", ""),
    "password": ("string", ""),
    "is_staff": ("boolean", ""),
    "is_active": ("boolean", ""),
    "is_superuser": ("boolean", ""),
    "date_joined": ("string", "date-time"),
    "last_login": ("string", "date-time"),
}
"""Fields of Django's own user model."""
_TIMES: dict[str, tuple[ScalarType, str]] = dict.fromkeys(
    ("created", "modified"), ("string", "date-time")
)
_PLACES: dict[str, tuple[ScalarType, str]] = {
    **dict.fromkeys(("order", "depth", "numchild", "lft", "rgt", "tree_id"), ("integer", "")),
    **dict.fromkeys(("level", "rght"), ("integer", "")),
    "path": ("string", ""),
}
"""Where a row stands among others; the library sets it."""
_USER_BASES = {
    "AbstractUser": frozenset(_USER),
    "User": frozenset(_USER),
    "AbstractBaseUser": frozenset({"id", "password", "last_login"}),
    "PermissionsMixin": frozenset({"is_superuser"}),
    "TimeStampedModel": frozenset(_TIMES),
    "OrderedModel": frozenset({"order"}),
    "MP_Node": frozenset({"path", "depth", "numchild"}),
    "NS_Node": frozenset({"lft", "rgt", "tree_id", "depth"}),
    "MPTTModel": frozenset({"lft", "rght", "tree_id", "level"}),
}
"""Fields of models that libraries declare: Django's own, django-model-utils, django-extensions,
django-ordered-model, django-treebeard, django-mptt."""


_LIBRARIES = (
    *("django.", "model_utils.", "django_extensions.", "ordered_model.", "treebeard.", "mptt."),
)
_PRESENCE = ("null", "blank", "default", "editable", "primary_key")
"""Options of fields that say what may be left out."""
_CONVERSIONS = ("from_db_value", "to_python", "value_from_object", "value_to_string")
"""Methods of fields that make other values of those that are stored."""


class Column(Struct, frozen=True, eq=False):
    """One field of a model."""

    schema: Schema
    origin: Origin
    read_only: bool = False
    has_default: bool = False
    """Input may omit it."""


def is_model(program: Program, symbol: ClassSymbol) -> bool:
    """Whether a class is a Django model."""
    return any(
        base.name.startswith(_LIBRARIES) and base.simple_name in {"Model", *_USER_BASES}
        for base in library_bases(program, symbol)
    )


def unread_base(program: Program, symbol: ClassSymbol) -> str:
    """The library class, by its simple name, that may give a model fields of which nothing is
    known; empty where there is none."""
    known = {"Model", *_USER_BASES}
    for base in library_bases(program, symbol):
        if base.simple_name not in known and not base.name.startswith(("typing.", "abc.")):
            return base.simple_name
    return ""


def is_field(made: LibraryResult) -> bool:
    """Whether a call makes a field of a model."""
    return _names_field(made.name)


def _names_field(name: str) -> bool:
    package, _, last = name.rpartition(".")
    return (
        "models" in package.split(".")
        or package.startswith(("django.contrib.postgres", "django.contrib.gis", "autoslug"))
        or package in ("model_utils.fields", "django_extensions.db.fields")
    ) and (last.endswith("Field") or last in _RELATIONS)


def field_made(program: Program, value: Value | None) -> LibraryResult | None:
    """The field of a model that a value is: of a class of the library, or of one of the project
    that is derived from it and leaves to each use whether there may be nothing."""
    match value:
        case LibraryResult() if is_field(value):
            return value
        case Instance(symbol=symbol, site=site, scope=scope) if site is not None and scope:
            base = next((b for b in library_bases(program, symbol) if _names_field(b.name)), None)
            if base is None or any(program.find_method(symbol, name) for name in _CONVERSIONS):
                return None
            own = program.find_method(symbol, "__init__")
            body = () if own is None else program.body(own.function, own.scope.file)
            named = () if own is None else tuple(p for p in own.function.params if not p.kind)
            decides = any(f"'{option}'" in repr(body) for option in _PRESENCE)
            return None if named or decides else LibraryResult(base.name, site, scope)
        case _:
            return None


def column_names(program: Program, symbol: ClassSymbol) -> Iterator[str]:
    """The fields of a model that a serializer writes when it is to write all."""
    seen: set[str] = set()
    owners = [symbol, *program.bases(symbol)]
    keys = (argument_value(program, made, "primary_key") for _, made in _fields(program, symbol))
    if not any(is_true(key) for key in keys):
        seen.add("id")
        yield "id"
    for base in library_bases(program, symbol):
        for name in sorted(_USER_BASES.get(base.simple_name, frozenset()) - seen):
            seen.add(name)
            yield name
    for owner in reversed(owners):
        scope = program.class_scope(owner)
        for member in owner.decl.members:
            if member.value is None or member.name in seen:
                continue
            if field_made(program, program.evaluate(member.value, scope)) is not None:
                seen.add(member.name)
                yield member.name


def column(program: Program, symbol: ClassSymbol, name: str) -> Column:
    """A field of a model by name: a field, a relation's key, a property, or Django's own."""
    for owner in (symbol, *program.bases(symbol)):
        scope = program.class_scope(owner)
        for member in owner.decl.members:
            if member.name != name or member.value is None:
                continue
            made = field_made(program, program.evaluate(member.value, scope))
            if made is not None:
                return _of_field(program, made, owner, member_origin(owner, member))
    if name in ("id", "pk") and program.find_method(symbol, name) is None:
        return Column(primary_key(program, symbol), symbol.origin, True, True)
    if name.endswith("_id"):
        relation = column(program, symbol, name[:-3])
        if not isinstance(relation.schema, Unknown):
            return relation
    for base in library_bases(program, symbol):
        if name in _USER_BASES.get(base.simple_name, ()):
            type, form = (_USER | _TIMES | _PLACES)[name]
            shape = Scalar(type=type, format=form, nullable=name == "last_login")
            is_set = name == "id" or name in _TIMES | _PLACES
            return Column(shape, symbol.origin, is_set, True)
    method = program.find_method(symbol, name)
    if method is not None:
        applied = program.evaluator.apply(method, (), method.scope)
        origin = Origin(method.scope.file.path, method.function.name_span)
        return Column(program.schema_of(applied), origin, True, True)
    reason = Reason("field-not-found", type=symbol.decl.name, name=name)
    undetermined = Unknown(reason=reason, nullable=None, origin=symbol.origin)
    return Column(undetermined, symbol.origin, has_default=True)


def has_column(program: Program, symbol: ClassSymbol, name: str) -> bool:
    """Whether a model declares a field of a name."""
    owners = (symbol, *program.bases(symbol))
    return any(m.name == name and m.value is not None for o in owners for m in o.decl.members)


def primary_key(program: Program, symbol: ClassSymbol) -> Schema:
    """The shape of a model's key."""
    for owner, made in _fields(program, symbol):
        if is_true(argument_value(program, made, "primary_key")):
            return with_nullable(_of_field(program, made, owner, owner.origin).schema, False)
    why = _key_of_another_class(program, symbol)
    if why:
        return Unknown(reason=why, nullable=False, origin=symbol.origin)
    others = _key_fields(program) - _INTEGER_KEYS
    if not others:
        return Scalar(type="integer", origin=symbol.origin)
    if {name.rpartition(".")[2] for name in others} <= _TEXT_KEYS and len(others) == 1:
        return Scalar(type="string", origin=symbol.origin)
    reason = Reason("key-field-class", others=sorted(others)[0])
    return Unknown(reason=reason, nullable=False, origin=symbol.origin)


def _key_of_another_class(program: Program, symbol: ClassSymbol) -> Reason:
    """Why the key of a model may be another than usual: a field of a class of the project, or a
    base class of a library, may be it. Empty where neither is."""
    for owner in (symbol, *program.bases(symbol)):
        scope = program.class_scope(owner)
        for member in owner.decl.members:
            value = None if member.value is None else program.evaluate(member.value, scope)
            if isinstance(value, Instance) and value.site is not None:
                key = next((a.value for a in value.site.args if a.name == "primary_key"), None)
                if key is not None:
                    return Reason("class-serialization-undetermined", type=value.symbol.decl.name)
    base = unread_base(program, symbol)
    keyless = base.endswith("Mixin") or any(word in base for word in _KEYLESS)
    return NO_REASON if keyless or not base else Reason("key-undetermined", base=base)


@memoised
def _key_fields(program: Program) -> frozenset[str]:
    """The classes of keys that no model declares, as settings and applications name them."""
    found: list[Value | None] = []
    for path in program.files_containing(b"DEFAULT_AUTO_FIELD"):
        value = program.names.modules.variable(program.facts(path), "DEFAULT_AUTO_FIELD")
        found.append(value)
    for path in program.files_containing(b"default_auto_field"):
        for symbol in program.classes(program.facts(path)):
            scope = program.class_scope(symbol)
            found.extend(
                program.evaluate(member.value, scope)
                for member in symbol.decl.members
                if member.name == "default_auto_field" and member.value is not None
            )
    texts = [program.evaluator.text(value) for value in found if value is not None]
    return frozenset(text for text in texts if text)


def _fields(program: Program, symbol: ClassSymbol) -> Iterator[tuple[ClassSymbol, LibraryResult]]:
    for owner in (symbol, *program.bases(symbol)):
        scope = program.class_scope(owner)
        for member in owner.decl.members:
            if member.value is None:
                continue
            made = field_made(program, program.evaluate(member.value, scope))
            if made is not None:
                yield owner, made


def field_schema(
    program: Program, made: LibraryResult, owner: ClassSymbol | None, origin: Origin
) -> Schema:
    """The shape of a field's values, null included."""
    kind = made.name.rpartition(".")[2]
    shape: Schema
    known = _SCALARS.get(kind)
    if known is not None:
        values = choices(program, argument_value(program, made, "choices"))
        if (
            values is not None
            and known[0] == "string"
            and is_true(argument_value(program, made, "blank"))
        ):
            values = tuple(dict.fromkeys((*values, "")))
        shape = Scalar(type=known[0], format=known[1], values=values, origin=origin)
    elif kind in _RELATIONS:
        shape = _related_key(program, made, owner, origin)
    elif kind == "ManyToManyField":
        return Array(items=_related_key(program, made, owner, origin), origin=origin)
    elif kind == "ArrayField":
        first = positional(made) or call_arguments(made).get("base_field")
        inner = program.evaluate(first, made.scope) if first is not None else None
        items = (
            field_schema(program, inner, owner, origin)
            if isinstance(inner, LibraryResult)
            else Unknown(reason=Reason("array-items-undetermined"), origin=origin)
        )
        shape = Array(items=items, origin=origin)
    else:
        reason = Reason("field-class-accepts-anything", kind=kind)
        return Unknown(reason=reason, nullable=None, origin=origin)
    nullable = is_true(argument_value(program, made, "null")) or kind == "NullBooleanField"
    if nullable and kind == _FILLED:
        return replace(shape, nullable=None, null_reason=Reason("null-in-column"))
    return with_nullable(shape, True) if nullable else shape


def _of_field(program: Program, made: LibraryResult, owner: ClassSymbol, origin: Origin) -> Column:
    kind = made.name.rpartition(".")[2]
    shape = field_schema(program, made, owner, origin)
    editable = argument_value(program, made, "editable")
    read_only = (
        kind.endswith("AutoField")
        or kind in _STAMPS
        or is_true(argument_value(program, made, "auto_now"))
        or is_true(argument_value(program, made, "auto_now_add"))
        or (isinstance(editable, Constant) and editable.value is False)
        or (kind == _FILLED and not is_true(editable))
    )
    has_default = (
        read_only
        or kind == _FILLED
        or "default" in call_arguments(made)
        or is_true(argument_value(program, made, "blank"))
        or is_true(argument_value(program, made, "null"))
    )
    return Column(shape, origin, read_only, has_default)


def _related_key(
    program: Program, made: LibraryResult, owner: ClassSymbol | None, origin: Origin
) -> Schema:
    expr = positional(made) or call_arguments(made).get("to")
    target = relation_target(program, expr, made.scope, owner) if expr is not None else None
    if target is None:
        name = program.qualified_name(expr, made.scope) if expr is not None else ""
        if name.endswith(("contrib.auth.models.User", "contrib.auth.models.Group")):
            return Scalar(type="integer", origin=origin)
        return Unknown(reason=Reason("related-model-undetermined"), nullable=None, origin=origin)
    return primary_key(program, target)


def relation_target(
    program: Program, expr: Expr, scope: Scope, owner: ClassSymbol | None
) -> ClassSymbol | None:
    """The model that a relation leads to: class, `"app.Model"`, `"self"`, the user model."""
    value = program.evaluate(expr, scope)
    match value:
        case ClassValue(symbol=symbol):
            return symbol
        case Constant(value="self"):
            return owner
        case Constant(value=str(name)):
            return model_named(program, name)
        case LibrarySymbol(name=name) | LibraryResult(name=name) if name.endswith(
            ("AUTH_USER_MODEL", "get_user_model")
        ):
            return user_model(program)
        case _:
            return None


def model_named(program: Program, name: str) -> ClassSymbol | None:
    """The model `Model` or `app.Model`; None where several fit."""
    app, _, last = name.rpartition(".")
    if not program.files_defining(last):  # Django looks names up whatever their case
        known = (n for n in program.defined_names() if n.lower() == last.lower())
        last = next(known, last)
    found = [
        symbol
        for path in program.files_defining(last)
        for symbol in program.classes(program.facts(path))
        if symbol.decl.name == last and is_model(program, symbol)
    ]
    if len(found) > 1 and app:
        found = [symbol for symbol in found if app in symbol.file.path.split("/")]
    return found[0] if len(found) == 1 else None


def user_model(program: Program) -> ClassSymbol | None:
    """The project's own user model, where its settings name one."""
    for path in program.files_containing(b"AUTH_USER_MODEL"):
        found = program.names.modules.module_level(program.facts(path), "AUTH_USER_MODEL")
        if isinstance(found, Constant) and isinstance(found.value, str):
            return model_named(program, found.value)
    return None


def field_value(program: Program, made: LibraryResult, variant: str) -> Schema | None:
    """The shape of a model's attribute that is a field: `order.total`."""
    del variant
    if not is_field(made):
        return None
    return field_schema(program, made, None, Origin(made.scope.file.path, made.site.span))


# ------------------------------------------------------------------------------------- relations
# What Django adds to the instances of a model: the objects that relations lead to, in either
# direction, and the user that a request carries.


_ONE = frozenset({"ForeignKey", "OneToOneField"})
_KINDS = _ONE | {"ManyToManyField"}
_MARKERS = (b"OneToOneField", b"ForeignKey", b"ManyToManyField")
_CLASSES = re.compile(rb"\bclass\s+(\w+[^:]*)")
_MIGRATION = [b"Migration(migrations.Migration)"]
"""What a file has that holds a migration and nothing else: most of those that name relations."""


class _ReverseRelation(Struct, frozen=True, eq=False):
    """The other end of a relation that a model declares."""

    model: ClassSymbol
    """The model that declares it."""
    is_list: bool


def related_model(program: Program, model: ClassSymbol | None, name: str) -> ClassSymbol | None:
    """The model that a relation `name` of a model leads to, whichever of the two declares it."""
    if model is None:
        return None
    made = declared_field(program, model, name)
    if made is None:
        found = reverse(program, model, name)
        return None if found is None else found.model
    return _target(program, *made)


def declared_field(
    program: Program, model: ClassSymbol, name: str
) -> tuple[LibraryResult, ClassSymbol] | None:
    """The field that a model declares under a name, and the class that does."""
    for owner in (model, *program.bases(model)):
        scope = program.class_scope(owner)
        for member in owner.decl.members:
            if member.name != name or member.value is None:
                continue
            made = field_made(program, program.evaluate(member.value, scope))
            if made is not None:
                return made, owner
    return None


def _target(program: Program, made: LibraryResult, owner: ClassSymbol | None) -> ClassSymbol | None:
    if made.name.rpartition(".")[2] not in _KINDS:
        return None
    expr = positional(made) or call_arguments(made).get("to")
    return None if expr is None else django.relation_target(program, expr, made.scope, owner)


def reverse(program: Program, model: ClassSymbol, name: str) -> _ReverseRelation | None:
    """The relation of another model that Django makes reachable from this one under a name:
    `related_name`, or the other model's name in lower case."""
    table = _reverses(program)
    for owner in (model, *program.bases(model)):
        found = table.get((owner.key, name))
        if found is not None:
            return found
    return None


def _reverses(program: Program) -> dict[tuple[str, str], _ReverseRelation]:
    """Every such relation of a program, read once: (model, name there) -> where it leads."""
    known = program.memory.get("python.django.reverses")
    if isinstance(known, dict):
        return known
    table: dict[tuple[str, str], _ReverseRelation] = {}
    program.memory["python.django.reverses"] = table
    for path in program.files_containing(*_MARKERS):
        if program.files.find(path, _CLASSES) == _MIGRATION:
            continue  # says how tables once came to be
        for symbol in program.classes(program.facts(path)):
            scope = program.class_scope(symbol)
            for member in symbol.decl.members:
                value = None if member.value is None else program.evaluate(member.value, scope)
                made = field_made(program, value)
                if made is None:
                    continue
                target = _target(program, made, symbol)
                if target is None:
                    continue
                single = made.name.endswith("OneToOneField")
                said = argument_value(program, made, "related_name")
                usual = symbol.decl.name.lower() + ("" if single else "_set")
                other = said.value if isinstance(said, Constant) else usual
                if isinstance(other, str):
                    table[(target.key, other)] = _ReverseRelation(symbol, not single)
    return table


def attribute(program: Program, value: Value, name: str) -> Value | None:
    """An attribute of an object that only a relation gives: `profile.user`'s `username`,
    `user.profile`. None where it is none of these."""
    match value:
        case LibraryResult() if django.is_field(value) and value.name.rpartition(".")[2] in _ONE:
            target = _target(program, value, None)
            if target is None:
                return None
            return program.evaluator.attribute(Instance(target), name, value.scope, value.site.span)
        case Instance(symbol=symbol) if django.is_model(program, symbol):
            if name in ("id", "pk") or name.endswith("_id"):
                shape = django.column(program, symbol, name).schema
                return None if isinstance(shape, Unknown) else BySchema(shape)
            found = reverse(program, symbol, name)
            return None if found is None or found.is_list else Instance(found.model)
        case _:
            return None


def managed_model(program: Program, value: LibrarySymbol | LibraryResult) -> ClassSymbol | None:
    """The model of the objects of a relation's manager: `order.lines`, `post.tags`, on either
    side."""
    match value:
        case LibraryResult(name=name) if name.endswith("ManyToManyField") and django.is_field(
            value
        ):
            return _target(program, value, None)
        case LibrarySymbol(name=name, receiver=Instance(symbol=symbol)):
            if not django.is_model(program, symbol):
                return None
            found = reverse(program, symbol, name.rpartition(".")[2])
            return None if found is None or not found.is_list else found.model
        case _:
            return None


def user_of(program: Program, value: Value) -> Value | None:
    """`.user` of a request that a serializer or a view was given, where the project says which
    model its users are."""
    match value:
        case LibrarySymbol(name=name) if name.endswith((".context.request", ".request")):
            pass
        case LibraryResult(name=name, site=site) if name.endswith(".context.get") and site.args:
            first = site.args[0].value
            if not isinstance(first, LiteralExpr) or first.value != "request":
                return None
        case _:
            return None
    user = django.user_model(program)
    return None if user is None else Instance(user)


# --------------------------------------------------------------------------------------- choices
# The values that `choices=` of a field leaves.


def choices(program: Program, value: Value | None) -> tuple[LiteralValue, ...] | None:
    """The values of `choices=`: pairs, plain constants, or an enumeration's `.choices`."""
    match value:
        case Items(values=items, repeated=False):
            found = [_choice(item) for item in items]
            constants = tuple(item.value for item in found if item is not None)
            return constants if constants and len(constants) == len(items) else None
        case LibrarySymbol(name=name, receiver=ClassValue(symbol=symbol)) if name.endswith(
            ".choices"
        ):
            shape = program.types.flat(
                program.schema(NamedType(symbol.decl.name), program.class_scope(symbol))
            )
            return shape.values if isinstance(shape, Scalar) else None
        case ClassValue(symbol=symbol):
            shape = program.types.flat(
                program.schema(NamedType(symbol.decl.name), program.class_scope(symbol))
            )
            return shape.values if isinstance(shape, Scalar) else None
        case _:
            return None


def _choice(item: Value) -> Constant | None:
    if isinstance(item, Items) and item.values:
        item = item.values[0]
    if isinstance(item, Instance) and item.site is not None:
        item = _member_value(item.symbol, item.site.span) or item
    return item if isinstance(item, Constant) else None


def _member_value(symbol: ClassSymbol, place: Span) -> Constant | None:
    """The value of a member of an enumeration that has a label too: `OPEN = "open", "Open"`."""
    for member in symbol.decl.members:
        value = member.value
        if member.kind == "enum" and member.span == place and isinstance(value, ArrayLiteral):
            first = value.items[0] if value.items else None
            return Constant(first.value) if isinstance(first, LiteralExpr) else None
    return None
