"""Serializers and validators among metadata: `Annotated[Decimal, PlainSerializer(float)]`."""

from __future__ import annotations

from contract_scan.ir.reasons import Reason
from contract_scan.ir.schema import Schema, Unknown
from contract_scan.parsers.source.analysis.domain.hooks import TypeUse
from contract_scan.parsers.source.analysis.domain.values import LibraryResult
from contract_scan.parsers.source.facts.nodes import AnnotatedType
from contract_scan.parsers.source.python.resolution.type_expressions import as_type
from contract_scan.parsers.source.python.serialization.fields import call_arguments, positional
from contract_scan.parsers.source.python.serialization.modes import LOAD, flags
from contract_scan.parsers.source.python.serialization.pydantic.classes import function_schema

_EARLY_VALIDATORS = frozenset({"BeforeValidator", "PlainValidator", "WrapValidator"})
_SERIALIZERS = frozenset({"PlainSerializer", "WrapSerializer"})


def serialized_schema(use: TypeUse, type: AnnotatedType) -> Schema | None:
    """The schema that the last serializer of an annotated type writes, wherever the type is: in
    a union, a list, an alias. None without a serializer, and for input."""
    if LOAD in flags(use.variant):
        return None
    for expr in reversed(type.metadata):
        serializer = use.program.evaluate(expr, use.scope)
        if (
            isinstance(serializer, LibraryResult)
            and serializer.name.rpartition(".")[2] in _SERIALIZERS
        ):
            return _result(use, serializer)
    return None


def is_converted(use: TypeUse, type: AnnotatedType) -> bool:
    """Whether a validator among the metadata sees the input before the type does."""
    if LOAD not in flags(use.variant):
        return False
    made = (use.program.evaluate(expr, use.scope) for expr in type.metadata)
    return any(
        isinstance(one, LibraryResult) and one.name.rpartition(".")[2] in _EARLY_VALIDATORS
        for one in made
    )


def _result(use: TypeUse, made: LibraryResult) -> Schema:
    declared = call_arguments(made).get("return_type")
    if declared is not None:
        type = as_type(declared)
        if type is not None:
            return use.schema(type, made.scope)
    function = call_arguments(made).get("func", positional(made))
    if function is None:
        return Unknown(reason=Reason("serializer-without-function"))
    return function_schema(use, use.program.evaluate(function, made.scope))
