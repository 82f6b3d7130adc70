"""Classes made from other classes: Nest's mapped types, and DTOs made from a zod schema."""

from __future__ import annotations

from msgspec.structs import replace

from contract_scan.ir.origin import Origin
from contract_scan.ir.reasons import Reason
from contract_scan.ir.schema import Schema, Unknown
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import (
    ClassValue,
    Instance,
    Items,
    LibraryResult,
    Value,
)
from contract_scan.parsers.source.analysis.typing.type_operators import intersect
from contract_scan.parsers.source.facts.nodes import Call
from contract_scan.parsers.source.typescript.serialization import utility_types
from contract_scan.parsers.source.typescript.serialization.class_transformer import INPUTS
from contract_scan.parsers.source.typescript.serialization.zod.schemas import INPUT

_MODULES = ("@nestjs/swagger", "@nestjs/mapped-types", "@nestjs/graphql")
_ZOD_CLASSES = ("nestjs-zod.createZodDto", "@anatine/zod-nestjs.createZodDto")


def made_schema(program: Program, made: LibraryResult, variant: str) -> Schema | None:
    """The shape of instances of `PickType(Order, ["id"])` and its like; None for other values."""
    call = made.site
    if not isinstance(call, Call):
        return None
    values = [program.evaluate(argument.value, made.scope) for argument in call.args]
    if made.name in _ZOD_CLASSES and values:
        return program.schema_of(values[0], INPUT if variant in INPUTS else variant)
    module, _, name = made.name.rpartition(".")
    if module not in _MODULES:
        return None
    origin = Origin(made.scope.file.path, call.span)
    match name:
        case "PartialType":
            return _changed_class_schema(program, values, variant, origin, utility_types.partial)
        case "PickType" | "OmitType":
            names = _names(program, values[1] if len(values) > 1 else None)
            if names is None:
                return Unknown(reason=Reason("keys-undetermined", name=name), origin=origin)
            if name == "PickType":
                return _changed_class_schema(
                    program, values, variant, origin, lambda o: utility_types.pick(o, names, origin)
                )
            return _changed_class_schema(
                program, values, variant, origin, lambda o: utility_types.omit(o, frozenset(names))
            )
        case "IntersectionType":
            shapes = [_instance(program, value, variant) for value in values]
            return intersect(program.types, shapes, origin)
        case _:
            return None


def _changed_class_schema(
    program: Program,
    values: list[Value],
    variant: str,
    origin: Origin,
    change: utility_types.Change,
) -> Schema:
    base = _instance(program, values[0], variant) if values else Unknown(reason=Reason("no-class"))
    shape = utility_types.whole_object(program, base, origin)
    return shape if isinstance(shape, Unknown) else replace(change(shape), name="")


def _instance(program: Program, value: Value, variant: str) -> Schema:
    match value:
        case ClassValue(symbol=symbol, types=types):
            return program.schema_of(Instance(symbol, types), variant)
        case _:
            return program.schema_of(value, variant)


def _names(program: Program, value: Value | None) -> tuple[str, ...] | None:
    if not isinstance(value, Items) or value.repeated:
        return None
    texts = tuple(program.evaluator.text(item) for item in value.values)
    known = tuple(text for text in texts if text is not None)
    return known if len(known) == len(texts) else None
