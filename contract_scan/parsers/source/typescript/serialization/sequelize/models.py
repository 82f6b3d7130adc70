"""Sequelize: the models of a project and the rows they stand for.

`sequelize.define("User", { … })` and `User.init({ … }, { sequelize })` are found wherever they
stand; models that a loader puts into one object are known by their names. What a row is written as
are its attributes, the key and the time stamps that Sequelize adds, and foreign keys of
associations.
"""

from __future__ import annotations

from msgspec import Struct
from msgspec.structs import replace

from contract_scan.ir.origin import Origin
from contract_scan.ir.reasons import NO_REASON, Reason
from contract_scan.ir.schema import Array, Field, Object, Scalar, Schema, Unknown, with_nullable
from contract_scan.parsers.source.analysis.domain.memo import memoised
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import (
    BySchema,
    ClassSymbol,
    ClassValue,
    FunctionValue,
    Instance,
    Scope,
    Value,
)
from contract_scan.parsers.source.facts.nodes import (
    Assign,
    Attribute,
    Call,
    Expr,
    LiteralExpr,
    Name,
    NamedType,
    New,
    ObjectLiteral,
)
from contract_scan.parsers.source.typescript.lowering.params import dotted_name_of
from contract_scan.parsers.source.typescript.resolution import walker

_STRING = Scalar(type="string")
_INTEGER = Scalar(type="integer")
_MOMENT = Scalar(type="string", format="date-time")
_TYPES: dict[str, Scalar] = {
    **dict.fromkeys(("STRING", "TEXT", "CHAR", "CITEXT", "TIME", "INET", "CIDR"), _STRING),
    **dict.fromkeys(("INTEGER", "SMALLINT", "TINYINT", "MEDIUMINT"), _INTEGER),
    **dict.fromkeys(("FLOAT", "DOUBLE", "REAL"), Scalar(type="number")),
    **dict.fromkeys(("UUID", "UUIDV4", "UUIDV1"), Scalar(type="string", format="uuid")),
    "BOOLEAN": Scalar(type="boolean"),
    "DATE": _MOMENT,
    "DATEONLY": Scalar(type="string", format="date"),
}
_ASSOCIATIONS = frozenset({"belongsTo", "hasMany", "hasOne", "belongsToMany"})
_MAX_NESTING = 5
UNDETERMINED_FOREIGN_KEY = Reason("foreign-key-name-not-declared")
_CUSTOM = Reason("model-serialization-changed")


class Model(Struct, frozen=True):
    """One model."""

    name: str
    row: Object
    nullable_without_default: frozenset[str]
    """Attributes that a new row has only where they were given."""
    excluded_attributes: frozenset[str] = frozenset()
    """Attributes that its default scope leaves out."""
    custom: Reason = NO_REASON
    """Why rows are written otherwise."""
    symbol: ClassSymbol | None = None
    """The class that the rows are instances of, where it declares one."""


@memoised
def models(program: Program) -> dict[str, Model]:
    """The models of the project by name; those of which there are two under one name are left
    out."""
    if not program.any_file_contains(b"sequelize", b"Sequelize"):
        return {}
    declared: dict[str, list[tuple[ObjectLiteral, ObjectLiteral | None, Scope]]] = {}
    added: dict[str, dict[str, str]] = {}
    custom: set[str] = set()
    aliases: dict[str, str] = {}
    classes: dict[str, ClassSymbol] = {}
    for path in program.files_containing(b".define(", b".init(", *_MARKERS):
        for node, scope in walker.nodes_of(program, program.facts(path)):
            if isinstance(node, Assign):
                custom.update(_models_with_own_json(node))
                local = node.target.id if isinstance(node.target, Name) else ""
                found = _declaration(node.value) if node.value is not None else None
                if found is not None and local:
                    aliases[local] = found[0]
            elif isinstance(node, Call):
                found = _declaration(node)
                if found is not None:
                    declared.setdefault(found[0], []).append((found[1], found[2], scope))
                    symbol = _class_of(program, node, scope)
                    if symbol is not None:
                        classes[found[0]] = symbol
                _associate(node, scope, program, added)
    aliases.update((symbol.decl.name, name) for name, symbol in classes.items())
    found_models: dict[str, Model] = {}
    for name, places in declared.items():
        if len(places) == 1:
            keys, symbol = _keys_of(name, added, aliases), classes.get(name)
            own_json = symbol is not None and any(m.name == "toJSON" for m in symbol.decl.methods)
            model = _model(program, name, *places[0], keys, name in custom or own_json)
            found_models[name] = replace(model, symbol=symbol)
    for name, symbol in classes.items():
        if name in found_models:
            found_models.setdefault(symbol.decl.name, found_models[name])
    return found_models


def _class_of(program: Program, declaration: Call, scope: Scope) -> ClassSymbol | None:
    """The class of `User.init({ … })`, and of `super.init({ … })` in one of its methods."""
    owner = declaration.callee.value if isinstance(declaration.callee, Attribute) else None
    if isinstance(owner, Name) and owner.id in ("this", "super"):
        return scope.owner_around
    value = program.evaluate(owner, scope) if isinstance(owner, Name) else None
    return value.symbol if isinstance(value, ClassValue) else None


def attribute(program: Program, value: Value, name: str) -> Value | None:
    """A method that the class of a row declares."""
    if not isinstance(value, BySchema) or not program.any_file_contains(b"equelize"):
        return None
    place = value.schema.origin
    for model in models(program).values() if place.path else ():
        if model.symbol is not None and model.row.origin == place:
            method = program.evaluator.member(Instance(model.symbol), name)
            return replace(method, receiver=value) if isinstance(method, FunctionValue) else None
    return None


_MARKERS = tuple(f".{name}(".encode() for name in sorted(_ASSOCIATIONS))


def _models_with_own_json(node: Assign) -> list[str]:
    """`User.prototype.toJSON = function () { … }`."""
    target = dotted_name_of(node.target)
    suffix = ".prototype.toJSON"
    return [target.removesuffix(suffix)] if target.endswith(suffix) else []


def _declaration(node: Expr) -> tuple[str, ObjectLiteral, ObjectLiteral | None] | None:
    """Name, attributes and options of a model."""
    if not isinstance(node, Call) or not isinstance(node.callee, Attribute):
        return None
    args = [argument.value for argument in node.args]
    options = args[-1] if len(args) > 1 and isinstance(args[-1], ObjectLiteral) else None
    if node.callee.name == "define" and len(args) > 1 and isinstance(args[1], ObjectLiteral):
        name = args[0].value if isinstance(args[0], LiteralExpr) else None
        given = options if len(args) > 2 else None
        return (name, args[1], given) if isinstance(name, str) else None
    if node.callee.name != "init" or options is None or not isinstance(args[0], ObjectLiteral):
        return None
    parts = _parts(options)
    owner = node.callee.value
    if "sequelize" not in parts or not isinstance(owner, Name):
        return None
    said = parts.get("modelName")
    named = said.value if isinstance(said, LiteralExpr) else None
    return (named if isinstance(named, str) else owner.id, args[0], options)


def _associate(
    node: Call, scope: Scope, program: Program, added: dict[str, dict[str, str]]
) -> None:
    """Note the foreign key that `Post.belongsTo(models.User, { foreignKey: "userId" })` adds."""
    callee = node.callee
    if not isinstance(callee, Attribute) or callee.name not in _ASSOCIATIONS or not node.args:
        return
    options = node.args[1].value if len(node.args) > 1 else None
    parts = _parts(options) if isinstance(options, ObjectLiteral) else {}
    key = parts.get("foreignKey")
    if isinstance(key, ObjectLiteral):
        key = _parts(key).get("name")
    text = program.text(key, scope) if key is not None else None
    if callee.name == "belongsToMany":
        return  # the key is in the table between
    holder = callee.value if callee.name == "belongsTo" else node.args[0].value
    name = dotted_name_of(holder).rsplit(".", 1)[-1]
    added.setdefault(name, {})[text or ""] = text or ""


def _keys_of(
    name: str, added: dict[str, dict[str, str]], aliases: dict[str, str]
) -> dict[str, str]:
    """Foreign keys of a model, under whatever name its associations call it."""
    names = {name, *(local for local, model in aliases.items() if model == name)}
    return {key: key for called in names for key in added.get(called, {})}


# ------------------------------------------------------------------ rows


def _model(
    program: Program,
    name: str,
    attributes: ObjectLiteral,
    options: ObjectLiteral | None,
    scope: Scope,
    keys: dict[str, str],
    custom: bool,
) -> Model:
    said = {**_options_of_all(program), **(_parts(options) if options is not None else {})}
    fields: dict[str, Field] = {}
    open_ones: set[str] = set()
    partial, has_key = NO_REASON, False
    for entry in attributes.entries:
        if entry.key is None:
            partial = Reason("sequelize-attributes-not-declared")
            continue
        parts = _parts(entry.value) if isinstance(entry.value, ObjectLiteral) else {}
        origin = program.origin(entry.value, scope)
        field, given_only = _attribute(program, entry.key, entry.value, parts, scope, origin)
        fields[entry.key] = field
        has_key = has_key or _is_literal(parts.get("primaryKey"), True)
        if given_only:
            open_ones.add(entry.key)
    place = program.origin(attributes, scope)
    if not has_key and "id" not in fields and not partial:
        fields["id"] = Field(name="id", schema=_INTEGER, origin=place)
    for stamp in _stamps(program, said, scope):
        fields.setdefault(stamp.name, stamp)
    for key in keys:
        if not key:
            partial = partial or UNDETERMINED_FOREIGN_KEY
        elif key not in fields:
            undetermined = Unknown(reason=Reason("foreign-key-type-not-declared", key=key))
            fields[key] = Field(name=key, schema=undetermined, origin=place)
            open_ones.add(key)
    getters = any(key in said for key in ("getterMethods",))
    why = _CUSTOM if custom or getters else NO_REASON
    row = Object(fields=tuple(fields.values()), incomplete_reason=partial, origin=place)
    return Model(name, row, frozenset(open_ones), _hidden_attributes(program, said, scope), why)


def _attribute(
    program: Program,
    name: str,
    value: Expr,
    parts: dict[str, Expr],
    scope: Scope,
    origin: Origin,
) -> tuple[Field, bool]:
    declared = parts.get("type", value)
    schema = _column_type_schema(program, declared, parts, scope, 0)
    schema = with_origin(schema, origin)
    if "get" in parts:
        schema = Unknown(reason=Reason("read-by-getter", name=name), origin=origin)
    defaulted = "defaultValue" in parts or _is_literal(parts.get("autoIncrement"), True)
    there = _is_literal(parts.get("allowNull"), False) or _is_literal(parts.get("primaryKey"), True)
    if _is_literal(parts.get("allowNull"), True) and not defaulted:
        schema = with_nullable(schema, True)
    elif not there:
        reason = NO_REASON if defaulted else Reason("null-in-column")
        schema = replace(schema, nullable=None, null_reason=reason)
    return Field(name=name, schema=schema, origin=origin), not there and not defaulted


def _column_type_schema(
    program: Program, type: Expr, parts: dict[str, Expr], scope: Scope, depth: int
) -> Schema:
    """`DataTypes.STRING(50)`, `DataTypes.ENUM("a", "b")`, `DataTypes.ARRAY(DataTypes.TEXT)`."""
    args: tuple[Expr, ...] = ()
    while isinstance(type, Call | Attribute):
        if isinstance(type, Call):
            args = tuple(argument.value for argument in type.args)
            type = type.callee
        elif type.name in ("UNSIGNED", "ZEROFILL", "BINARY"):
            type = type.value
        else:
            break
    kind = type.name if isinstance(type, Attribute) else dotted_name_of(type).rsplit(".", 1)[-1]
    if kind == "ENUM":
        values = parts.get("values")
        listed = [values] if values is not None else list(args)
        texts = [text for expr in listed for text in program.texts(expr, scope)]
        known = tuple(text for text in texts if text is not None)
        if known and len(known) == len(texts):
            return Scalar(type="string", values=known)
        return _STRING
    if kind == "ARRAY" and args and depth < _MAX_NESTING:
        return Array(items=_column_type_schema(program, args[0], {}, scope, depth + 1))
    return _TYPES.get(kind) or Unknown(
        reason=Reason("serialization-undetermined", kind=kind or "it")
    )


def with_origin(schema: Schema, origin: Origin) -> Schema:
    """The same shape, read elsewhere."""
    from msgspec.structs import replace

    return replace(schema, origin=origin)


@memoised
def _options_of_all(program: Program) -> dict[str, LiteralExpr]:
    """The constants that `new Sequelize(…, { define: { … } })` says of every model; none where
    there are several such."""
    found = [
        _parts(define)
        for path in program.files_containing(b"define:")
        for node, _ in walker.nodes_of(program, program.facts(path))
        if isinstance(node, New) and isinstance(node.type, NamedType)
        if node.type.name.rsplit(".", 1)[-1] == "Sequelize"
        for argument in node.args
        if (define := _parts(argument.value).get("define")) is not None
    ]
    said = found[0] if len(found) == 1 else {}
    return {key: value for key, value in said.items() if isinstance(value, LiteralExpr)}


def _stamps(program: Program, said: dict[str, Expr], scope: Scope) -> list[Field]:
    """The time stamps that Sequelize adds, unless options for this model say otherwise. Options for
    all models may: then it is undetermined."""
    timestamps = said.get("timestamps")
    if _is_literal(timestamps, False):
        return []
    settled = _is_literal(timestamps, True) or not program.any_file_contains(b"timestamps: false")
    fields = []
    for stamp in ("createdAt", "updatedAt", "deletedAt"):
        if stamp == "deletedAt" and not _is_literal(said.get("paranoid"), True):
            continue
        if _is_literal(said.get(stamp), False):
            continue
        name = program.text(said[stamp], scope) if stamp in said else stamp
        schema = with_nullable(_MOMENT, True) if stamp == "deletedAt" else _MOMENT
        doubt = NO_REASON if settled else Reason("sequelize-timestamps-undetermined")
        if name:
            required = True if settled else None
            fields.append(
                Field(name=name, schema=schema, required=required, undetermined_reason=doubt)
            )
    return fields


def _hidden_attributes(program: Program, said: dict[str, Expr], scope: Scope) -> frozenset[str]:
    """`defaultScope: { attributes: { exclude: ["password"] } }`."""
    found = said.get("defaultScope")
    for key in ("attributes", "exclude"):
        found = _parts(found).get(key) if isinstance(found, ObjectLiteral) else None
    texts = program.texts(found, scope) if found is not None else ()
    return frozenset(text for text in texts if text is not None)


def _parts(literal: Expr) -> dict[str, Expr]:
    entries = literal.entries if isinstance(literal, ObjectLiteral) else ()
    return {entry.key: entry.value for entry in entries if entry.key is not None}


def _is_literal(expr: Expr | None, wanted: bool) -> bool:
    return isinstance(expr, LiteralExpr) and expr.value is wanted
