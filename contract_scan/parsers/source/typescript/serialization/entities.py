"""Entities of TypeORM, MikroORM, Mongoose and Sequelize that are sent as they are.

Which of their fields are there depends on the query: a relation that is not loaded is left out.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from contract_scan.ir.schema import Schema, Unknown
from contract_scan.parsers.source.analysis.domain import loaded_relations
from contract_scan.parsers.source.analysis.domain.values import External
from contract_scan.parsers.source.facts.nodes import (
    Annotation,
    ClassDecl,
    LiteralExpr,
    Member,
    NamedType,
    ObjectLiteral,
)

if TYPE_CHECKING:
    from contract_scan.parsers.source.analysis.domain.hooks import TypeUse
    from contract_scan.parsers.source.analysis.domain.program import Program
    from contract_scan.parsers.source.analysis.domain.values import ClassSymbol, Scope

RELATIONS = frozenset({"OneToMany", "ManyToOne", "OneToOne", "ManyToMany"})
_SEQUELIZE_RELATIONS = frozenset({"HasMany", "HasOne", "BelongsTo", "BelongsToMany"})
_ORMS = ("typeorm.", "@mikro-orm/", "sequelize-typescript.")
_TO_JSON = (b"toJSON:", b"'toJSON'", b'"toJSON"', b"methods.toJSON", b"options.toJSON")


def may_be_missing(program: Program, member: Member, scope: Scope, view: str = "") -> bool:
    """Whether a query decides if the field is there: a relation that is not eager, a column that
    is not selected by itself. With a view, an eager relation is one of them, too."""
    for annotation in member.annotations:
        name = annotation.name.rsplit(".", 1)[-1]
        relation = name in RELATIONS or name in _SEQUELIZE_RELATIONS
        if not relation and name not in ("Column", "Property"):
            continue
        if annotation.callee is None:
            continue
        if not program.qualified(annotation.callee, scope).startswith(_ORMS):
            continue
        if relation and (view or _option(annotation, "eager") is not True):
            return True
        if _option(annotation, "select") is False or _option(annotation, "hidden") is True:
            return True
        if _option(annotation, "lazy") is True:
            return True
    return False


def is_loaded(program: Program, member: Member, scope: Scope, view: str) -> bool | None:
    """Whether a query of TypeORM has loaded a field that some queries do not load; None where that
    is undetermined."""
    loaded = loaded_relations.holds(view, member.name)
    if loaded is not False:
        return loaded
    for annotation in member.annotations:
        if annotation.name.rsplit(".", 1)[-1] in RELATIONS:
            if _option(annotation, "lazy") is True:
                return None
            eager = _option(annotation, "eager")
            return eager is True and loaded_relations.mode(view) == "eager"
    return False


def written_by_mongoose(use: TypeUse, symbol: ClassSymbol) -> Schema | None:
    """A Mongoose document where the project changes `toJSON`: what is written cannot be told from
    the declared fields, but from the schema that is made for the type, where that is seen."""
    program = use.program
    for owner, scope in use.chain(symbol):
        documents = [
            base
            for base in owner.decl.bases
            if isinstance(base, NamedType)
            and _qualified_type(program, base, scope) in ("mongoose.Document", "mongoose.Model")
        ]
        if not documents and not _is_schema_class(program, owner.decl, scope):
            continue
        if changes_to_json(program):
            from contract_scan.parsers.source.typescript.serialization.mongoose import (
                types as mongoose_types,
            )

            told = mongoose_types.document_of(program, symbol)
            if told is not None:
                return told
            reason = "a Mongoose document is written by `toJSON`, which the project changes"
            return Unknown(reason=reason, origin=symbol.origin)
    return None


def changes_to_json(program: Program) -> bool:
    """Whether some schema option, plugin or method of the project changes how Mongoose writes."""
    return bool(json_files(program))


def json_files(program: Program) -> tuple[str, ...]:
    """Paths of the files that say how Mongoose writes."""
    return program.holding(*_TO_JSON)


def _qualified_type(program: Program, type: NamedType, scope: Scope) -> str:
    found = program.names.lookup_type(type.name, scope.parent or scope)
    return found.name if isinstance(found, External) else ""


def _is_schema_class(program: Program, decl: ClassDecl, scope: Scope) -> bool:
    return any(
        annotation.callee is not None
        and program.qualified(annotation.callee, scope) == "@nestjs/mongoose.Schema"
        for annotation in decl.annotations
    )


def added_fields(program: Program, decl: ClassDecl, scope: Scope) -> str:
    """Why instances have further fields that no declaration shows; empty when they have none."""
    if _is_schema_class(program, decl, scope):
        return "a Mongoose document also has what Mongoose adds"
    for base in decl.bases:
        if isinstance(base, NamedType) and base.name.rsplit(".", 1)[-1] == "Model":
            return "a model also has what its library adds"
    return ""


def _option(annotation: Annotation, name: str) -> object:
    for argument in annotation.args:
        if isinstance(argument.value, ObjectLiteral):
            for entry in argument.value.entries:
                if entry.key == name and isinstance(entry.value, LiteralExpr):
                    return entry.value.value
    return None
