"""Litestar's data transfer objects: what they leave out and rename of the models they stand for."""

from __future__ import annotations

from collections.abc import Callable

from msgspec import Struct
from msgspec.structs import replace

from contract_scan.ir.reasons import NO_REASON, Reason
from contract_scan.ir.schema import (
    Array,
    Field,
    Nothing,
    Object,
    Reference,
    Schema,
    Union,
    Unknown,
)
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import (
    AliasSymbol,
    ClassSymbol,
    ClassValue,
    Constant,
    LibraryResult,
    Record,
    Scope,
    Value,
)
from contract_scan.parsers.source.facts.nodes import Expr, NamedType, TypeExpr
from contract_scan.parsers.source.python.resolution.type_expressions import as_type
from contract_scan.parsers.source.python.serialization.fields import (
    argument_value,
    unwrap_annotated,
)
from contract_scan.parsers.source.python.serialization.kinds import library_bases
from contract_scan.parsers.source.python.serialization.msgspec import RENAMES
from contract_scan.parsers.source.python.serialization.naming import renamer

_READ = frozenset({"PydanticDTO", "DataclassDTO", "MsgspecDTO"})
_DEEPEST = 4


class Dto(Struct, frozen=True, eq=False):
    """A data transfer object as far as it could be read."""

    model: str
    """Key of the model's class."""
    exclude: frozenset[str] = frozenset()
    include: frozenset[str] = frozenset()
    names: dict[str, str] = {}
    strategy: Callable[[str], str | None] | None = None
    partial: bool = False
    forbids_others: bool = False
    depth: int = 1
    undetermined: Reason = NO_REASON
    """Why it could not be read."""


def dto_of(program: Program, expr: Expr, scope: Scope) -> Dto | None:
    """The data transfer object that `dto=` or `return_dto=` names; None for `None`."""
    value = program.evaluate(expr, scope)
    if isinstance(value, Constant) and value.value is None:
        return None
    type = as_type(expr)
    if type is None:
        return _undetermined_dto("the data transfer object")
    return _of_type(program, type, scope, None, _DEEPEST)


def _undetermined_dto(what: str) -> Dto:
    return Dto("", undetermined=Reason("part-unreadable", what=what))


def _of_type(
    program: Program, type: TypeExpr, scope: Scope, config: Value | None, levels: int
) -> Dto:
    """`PydanticDTO[Model]`, an alias of it, or a class that is derived from it."""
    if not isinstance(type, NamedType) or not levels:
        return _undetermined_dto("the data transfer object")
    found = program.names.lookup_type(type.name, scope)
    if isinstance(found, AliasSymbol):
        inside = program.names.classes.alias_scope(found)
        return _of_type(program, found.alias.type, inside, config, levels - 1)
    if isinstance(found, ClassValue):
        for base in library_bases(program, found.symbol):
            if base.simple_name.endswith("DTO"):
                own = _config(program, found.symbol)
                around = base.scope.parent or base.scope
                return _of_base(program, base.type, around, own or config)
        return _undetermined_dto(f"`{type.name}`")
    return _of_base(program, type, scope, config)


def _of_base(program: Program, type: NamedType, scope: Scope, config: Value | None) -> Dto:
    simple = type.name.rpartition(".")[2]
    if simple not in _READ or len(type.args) != 1:
        return _undetermined_dto(f"what `{simple}` sends of its model")
    model, inside, metadata = unwrap_annotated(program, type.args[0], scope)
    for expr, around in metadata:
        value = program.evaluate(expr, around)
        if isinstance(value, LibraryResult) and value.name.endswith("DTOConfig"):
            config = value
    named = model.name if isinstance(model, NamedType) else ""
    found = program.names.lookup_type(named, inside) if named else None
    if not isinstance(found, ClassValue):
        return _undetermined_dto(f"the model of `{simple}`")
    key = found.symbol.key
    return Dto(key) if config is None else _dto_of_config(program, key, config)


def _config(program: Program, symbol: ClassSymbol) -> Value | None:
    for owner in (symbol, *program.bases(symbol)):
        for member in owner.decl.members:
            if member.name == "config" and member.value is not None:
                return program.evaluate(member.value, program.class_scope(owner))
    return None


def _dto_of_config(program: Program, key: str, config: Value) -> Dto:
    if not isinstance(config, LibraryResult):
        return _undetermined_dto("the configuration of the data transfer object")
    sets: list[frozenset[str]] = []
    for option in ("exclude", "include"):
        value = argument_value(program, config, option)
        texts = () if value is None else program.evaluator.texts(value)
        if None in texts:
            return _undetermined_dto("which fields the data transfer object leaves out")
        sets.append(frozenset(name for name in texts if name is not None))
    names: dict[str, str] = {}
    renamed = argument_value(program, config, "rename_fields")
    for entry in renamed.entries if isinstance(renamed, Record) else ():
        name = program.evaluator.text(entry.value)
        if name is None:
            return _undetermined_dto("how the data transfer object renames fields")
        names[entry.name] = name
    style = argument_value(program, config, "rename_strategy")
    strategy: Callable[[str], str | None] | None = None
    if style is not None and not (isinstance(style, Constant) and style.value is None):
        word = program.evaluator.text(style)
        strategy = RENAMES.get(word) if word is not None else renamer(program, style)
        if strategy is None:
            return _undetermined_dto("how the data transfer object renames fields")
    depth = argument_value(program, config, "max_nested_depth")
    return Dto(
        key,
        sets[0],
        sets[1],
        names,
        strategy,
        _is_set(program, config, "partial"),
        _is_set(program, config, "forbid_unknown_fields"),
        depth.value if isinstance(depth, Constant) and isinstance(depth.value, int) else 1,
    )


def _is_set(program: Program, config: LibraryResult, option: str) -> bool:
    value = argument_value(program, config, option)
    return isinstance(value, Constant) and value.value is True


# --------------------------------------------------------------------------- applying one


def transferred_schema(program: Program, dto: Dto, schema: Schema) -> Schema:
    """A schema in which the data transfer object has transformed the model."""
    if dto.undetermined:
        return Unknown(reason=dto.undetermined, nullable=None, origin=schema.origin)
    return _Transfer(program, dto).schema_of(schema, _DEEPEST)


class _Transfer:
    def __init__(self, program: Program, dto: Dto) -> None:
        self._program = program
        self._dto = dto

    def schema_of(self, schema: Schema, levels: int) -> Schema:
        """The model wherever it stands in a shape: itself, in lists, in the fields of a page."""
        types = self._program.types
        match schema:
            case Reference():
                symbol = types.symbol_of(schema)
                if symbol is not None and symbol.key == self._dto.model:
                    flat = types.flat(schema)
                    made = self._object(flat, self._dto.exclude, self._dto.include, 0)
                    return replace(made, nullable=schema.nullable)
                flat = types.flat(schema)
                if levels and isinstance(flat, Object) and symbol is not None:
                    return self.schema_of(flat, levels - 1)
                return schema
            case Array():
                return replace(schema, items=self.schema_of(schema.items, levels))
            case Union(options=options):
                return replace(schema, options=tuple(self.schema_of(o, levels) for o in options))
            case Object(fields=fields, additional=additional):
                return replace(
                    schema,
                    fields=tuple(
                        replace(field, schema=self.schema_of(field.schema, levels - 1))
                        if levels
                        else field
                        for field in fields
                    ),
                    additional=None if additional is None else self.schema_of(additional, levels),
                )
            case _:
                return schema

    def _object(
        self, schema: Schema, exclude: frozenset[str], include: frozenset[str], depth: int
    ) -> Schema:
        if not isinstance(schema, Object):
            return schema
        fields = []
        for field in schema.fields:
            source = field.declared_as or field.name
            if field.accepts:
                reason = f"under which name the data transfer object has `{source}`"
                return Unknown(
                    reason=Reason("part-undetermined", reason=reason), origin=schema.origin
                )
            chosen = not include or any(w == source or w.startswith(f"{source}.") for w in include)
            if source in exclude or not chosen or source.startswith("_"):
                continue
            inner = self._nested_schema(
                field.schema, _nested_paths(exclude, source), _nested_paths(include, source), depth
            )
            if inner is not None:
                fields.append(self._field(field, source, inner))
        others = Nothing() if self._dto.forbids_others else schema.additional
        return replace(schema, fields=tuple(fields), additional=others)

    def _field(self, field: Field, source: str, schema: Schema) -> Field:
        dto = self._dto
        name = dto.names.get(source)
        if name is None:
            name = source if dto.strategy is None else dto.strategy(source) or source
        partial = dto.partial
        return replace(
            field,
            name=name,
            declared_as=source if source != name else "",
            schema=schema,
            required=False if partial else field.required,
            has_default=True if partial else field.has_default,
        )

    def _nested_schema(
        self, schema: Schema, exclude: frozenset[str], include: frozenset[str], depth: int
    ) -> Schema | None:
        """A field's shape; None where it lies too deep to be transferred."""
        match schema:
            case Reference():
                flat = self._program.types.flat(schema)
                if not isinstance(flat, Object):
                    return schema
                if depth >= self._dto.depth:
                    return None
                transferred = self._object(flat, exclude, include, depth + 1)
                return replace(transferred, nullable=schema.nullable)
            case Array(items=items):
                inner = self._nested_schema(
                    items, _nested_paths(exclude, "0"), _nested_paths(include, "0"), depth
                )
                return None if inner is None else replace(schema, items=inner)
            case Union(options=options):
                parts = [self._nested_schema(option, exclude, include, depth) for option in options]
                known = tuple(part for part in parts if part is not None)
                return replace(schema, options=known) if len(known) == len(parts) else None
            case _:
                return schema


def _nested_paths(paths: frozenset[str], name: str) -> frozenset[str]:
    return frozenset(path[len(name) + 1 :] for path in paths if path.startswith(f"{name}."))
