"""Entities of TypeORM, MikroORM and Sequelize that are sent as they are.

Which of their fields are there depends on the query: a relation that is not loaded is left out.
"""

from __future__ import annotations

from contract_scan.ir.reasons import NO_REASON, Reason
from contract_scan.parsers.source.analysis.domain import loaded_relations
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import Scope
from contract_scan.parsers.source.facts.nodes import (
    Annotation,
    ClassDecl,
    LiteralExpr,
    Member,
    NamedType,
    ObjectLiteral,
)
from contract_scan.parsers.source.typescript.serialization.mongoose import documents

RELATIONS = frozenset({"OneToMany", "ManyToOne", "OneToOne", "ManyToMany"})
_SEQUELIZE_RELATIONS = frozenset({"HasMany", "HasOne", "BelongsTo", "BelongsToMany"})
_COLUMNS = frozenset({"Column", "Property"})
_ORMS = ("typeorm.", "@mikro-orm/", "sequelize-typescript.")


def may_be_missing(program: Program, member: Member, scope: Scope, view: str = "") -> bool:
    """Whether a query decides if the field is there: a relation that is not eager, a column that
    is not selected by itself. With a view, an eager relation is one of them, too, and every column
    where it is one of any query."""
    for annotation in member.annotations:
        name = annotation.name.rsplit(".", 1)[-1]
        if view == loaded_relations.ANY_QUERY and annotation.callee is not None:
            if program.qualified_name(annotation.callee, scope).startswith(_ORMS):
                return True
            continue
        relation = name in RELATIONS or name in _SEQUELIZE_RELATIONS
        if not relation and name not in ("Column", "Property"):
            continue
        if annotation.callee is None:
            continue
        if not program.qualified_name(annotation.callee, scope).startswith(_ORMS):
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
    loaded = loaded_relations.is_loaded(view, member.name)
    if loaded is not False:
        return loaded
    for annotation in member.annotations:
        if annotation.name.rsplit(".", 1)[-1] in RELATIONS:
            if _option(annotation, "lazy") is True:
                return None
            eager = _option(annotation, "eager")
            return eager is True and loaded_relations.mode(view) == "eager"
    return False


def stored_null(program: Program, member: Member, scope: Scope) -> bool:
    """Whether the column of a field may hold null, which no compiler holds against its type."""
    for annotation in member.annotations:
        if annotation.name.rsplit(".", 1)[-1] not in _COLUMNS or annotation.callee is None:
            continue
        if _option(annotation, "nullable") is True:
            return program.qualified_name(annotation.callee, scope).startswith(_ORMS[:2])
    return False


def is_loaded_column(program: Program, member: Member, scope: Scope, view: str) -> bool:
    """Whether a field is a column that a query of TypeORM has loaded: a row has it, with null where
    the database has that, whatever the class says of the property
    (https://typeorm.io/docs/entity/entities)."""
    if not view or view == loaded_relations.ANY_QUERY:
        return False
    return any(
        annotation.name.rsplit(".", 1)[-1] == "Column"
        and annotation.callee is not None
        and program.qualified_name(annotation.callee, scope).startswith("typeorm.")
        and _option(annotation, "select") is not False
        for annotation in member.annotations
    )


def added_fields(program: Program, decl: ClassDecl, scope: Scope) -> Reason:
    """Why instances have further fields that no declaration shows; empty when they have none."""
    if documents.is_schema_class(program, decl, scope):
        return Reason("mongoose-document-members")
    for base in decl.bases:
        if isinstance(base, NamedType) and base.name.rsplit(".", 1)[-1] == "Model":
            return Reason("library-model-members")
    return NO_REASON


def _option(annotation: Annotation, name: str) -> object:
    for argument in annotation.args:
        if isinstance(argument.value, ObjectLiteral):
            for entry in argument.value.entries:
                if entry.key == name and isinstance(entry.value, LiteralExpr):
                    return entry.value.value
    return None
