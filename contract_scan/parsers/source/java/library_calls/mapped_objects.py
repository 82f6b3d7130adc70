"""What MapStruct makes: its processor writes the methods that a mapper declares.

A method copies members by their names, or as `@Mapping` says; a member of which it finds nothing
stays as it is, which a build only warns of (https://mapstruct.org/documentation/stable/reference/html/,
"Basic mappings", "Default values and constants"). What it copies may be null.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial

from msgspec.structs import replace

from contract_scan.ir.schema import Field, Object, with_nullable
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import (
    AssignedMember,
    BySchema,
    ByType,
    FunctionValue,
    Value,
)
from contract_scan.parsers.source.analysis.typing.object_shapes import is_never_null
from contract_scan.parsers.source.facts.nodes import Expr, LiteralExpr, Param
from contract_scan.parsers.source.java.resolution.annotations import (
    argument,
    find,
    has,
    nested_annotations,
    simple_name,
)

_LIBRARY = "org.mapstruct"
_WRITTEN = frozenset({"default", "static", "private"})
"""Modifiers of methods that have bodies in interfaces."""
_NEVER_NULL = frozenset({"constant", "defaultValue", "defaultExpression"})
"""What `@Mapping` gives a member instead of null."""


def mapped_object(
    program: Program, method: FunctionValue, declared: ByType, values: Callable[[], Sequence[Value]]
) -> Value | None:
    """What a method gives that MapStruct writes: an object, or a list of such, of the declared
    type, whose members may hold null but for those that are given something else. None: somebody
    wrote the method. `values` gives the arguments."""
    if not _is_of_mapper(program, method):
        return None
    shape = program.types.flat(program.types.schema_of(declared))
    fields = shape.fields if isinstance(shape, Object) else ()
    given = values() if fields else ()
    source = given[0] if len(given) == 1 else None
    mappings = list(_mappings(method))
    filled = (field for field in fields if _is_filled(program, field, source, mappings))
    assigned = tuple(
        AssignedMember(
            field.declared_as or field.name,
            partial(BySchema, with_nullable(program.types.flat(field.schema), False)),
        )
        for field in filled
    )
    return replace(declared, copied="required", assigned=assigned)


def fills_parameter(method: FunctionValue, parameter: Param) -> bool:
    """Whether MapStruct writes a method that copies members into what it is given for a
    parameter."""
    return has(parameter.annotations, "MappingTarget") and _is_declared_by_mapper(method)


def _is_of_mapper(program: Program, method: FunctionValue) -> bool:
    """Whether MapStruct writes a method, and nothing wraps what it writes."""
    if method.owner is None or not _is_declared_by_mapper(method):
        return False
    return not program.names.classes.implementations(method.owner)


def _is_declared_by_mapper(method: FunctionValue) -> bool:
    owner, function = method.owner, method.function
    if owner is None or not function.params or not _WRITTEN.isdisjoint(function.modifiers):
        return False
    if owner.decl.kind != "interface" and "abstract" not in function.modifiers:
        return False
    of_library = any(entry.module.startswith(_LIBRARY) for entry in owner.file.imports)
    return of_library and has(owner.decl.annotations, "Mapper")


def _mappings(method: FunctionValue) -> Iterator[Mapping[str, Expr]]:
    """What each `@Mapping` of a method says, by the names of its elements."""
    annotations = method.function.annotations
    alone = (each.args for each in annotations if simple_name(each) == "Mapping")
    several = nested_annotations(argument(find(annotations, "Mappings"), "value"))
    for args in (*alone, *(nested.args for nested in several)):
        yield {element.name: element.value for element in args}


def _is_filled(
    program: Program, field: Field, source: Value | None, mappings: list[Mapping[str, Expr]]
) -> bool:
    """Whether a member is given something that is never null."""
    name = path = field.declared_as or field.name
    for told in mappings:
        if _text(told, "target") == name:
            if not _NEVER_NULL.isdisjoint(told):
                return True
            path = _text(told, "source")
    value = source
    for part in path.split("."):
        value = None if value is None else program.evaluator.member(value, part)
        if value is None or not is_never_null(program, value):
            return False
    return True


def _text(told: Mapping[str, Expr], element: str) -> str:
    value = told.get(element)
    return value.value if isinstance(value, LiteralExpr) and isinstance(value.value, str) else ""
