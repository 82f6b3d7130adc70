"""What functions that pydantic's models name for writing values make of them."""

from __future__ import annotations

from collections.abc import Mapping

from contract_scan.ir.reasons import Reason
from contract_scan.ir.schema import Scalar, Schema, Unknown
from contract_scan.parsers.source.analysis.domain.hooks import TypeUse
from contract_scan.parsers.source.analysis.domain.values import (
    ByType,
    Constant,
    FunctionValue,
    LibrarySymbol,
    Value,
)
from contract_scan.parsers.source.facts.nodes import ObjectLiteral
from contract_scan.parsers.source.python.serialization.pydantic.config import Setting

_ENCODED_FORMATS = {
    "datetime.datetime": "date-time",
    "datetime.date": "date",
    "datetime.time": "time",
    "datetime.timedelta": "duration",
    "decimal.Decimal": "decimal",
    "uuid.UUID": "uuid",
}


TAKEN_AS_NUMBERS: Mapping[str, Schema] = {
    format: Scalar(type="string", format=format, also_takes=("number",))
    for format in ("date-time", "date", "time", "duration")
}
"""Formats of times, of which pydantic reads numbers too: seconds.
https://docs.pydantic.dev/latest/concepts/conversion_table/"""
_NUMBERS: Mapping[str, tuple[str, tuple[str, ...]]] = {
    "ser_json_timedelta": ("float", ("duration",)),
    "ser_json_temporal": ("seconds", ("date-time", "date", "time", "duration")),
}
"""Settings by which pydantic writes times as numbers: the value that says so, and which formats.
https://docs.pydantic.dev/latest/api/config/#pydantic.config.ConfigDict.ser_json_temporal"""


def encoders(use: TypeUse, settings: dict[str, Setting]) -> dict[str, Schema]:
    """Formats that the settings of a model write in another way than usual."""
    formats: dict[str, Schema] = {}
    for name, (numeric, written) in _NUMBERS.items():
        said = settings.get(name)
        value = said.value.value if said and isinstance(said.value, Constant) else None
        if isinstance(value, str) and value in (numeric, "milliseconds"):
            formats.update(dict.fromkeys(written, Scalar(type="number")))
    setting = settings.get("json_encoders")
    if setting is None or not isinstance(setting.expr, ObjectLiteral) or setting.scope is None:
        return formats
    for entry in setting.expr.entries:
        if entry.key_expression is None:
            continue
        name = use.program.qualified_name(entry.key_expression, setting.scope)
        format = _ENCODED_FORMATS.get(name)
        if format is None:
            continue
        function = use.program.evaluate(entry.value, setting.scope)
        result = function_schema(use, function)
        if not (isinstance(result, Scalar) and result.type == "string"):
            formats[format] = result
    return formats


def function_schema(use: TypeUse, function: Value) -> Schema:
    """The schema of what a function that serialises a value returns."""
    match function:
        case LibrarySymbol(name="str" | "repr"):
            return Scalar(type="string")
        case LibrarySymbol(name="float"):
            return Scalar(type="number")
        case LibrarySymbol(name="int"):
            return Scalar(type="integer")
        case FunctionValue(function=declared, scope=scope):
            param = declared.params[0] if declared.params else None
            typed: tuple[Value, ...] = ()
            if param is not None and param.type is not None:
                typed = (ByType(param.type, scope),)
            return use.schema_of(use.program.evaluator.apply(function, typed, use.scope))
        case _:
            return Unknown(reason=Reason("model-json-encoder-not-read"))
