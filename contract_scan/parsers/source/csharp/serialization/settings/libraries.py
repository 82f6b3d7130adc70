"""How libraries with serializer settings of their own write, by what start-up code tells them."""

from __future__ import annotations

from msgspec.structs import replace

from contract_scan.ir.reasons import Reason
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.csharp.resolution.projects import before_version
from contract_scan.parsers.source.csharp.serialization.settings.record import (
    ConvertedType,
    JsonSettings,
)

# https://github.com/MassTransit/MassTransit: SystemTextJsonMessageSerializer and, of the package
# MassTransit.Newtonsoft (the default before version 8), NewtonsoftJsonMessageSerializer. Both write
# decimals as text, and read texts and numbers.
_DECIMALS = tuple(
    ConvertedType(
        type=name, converter="StringDecimalJsonConverter", scalar="string", reads="number"
    )
    for name in ("decimal", "Decimal")
)
_MASSTRANSIT_NEWTONSOFT = JsonSettings(newtonsoft=True, fields=True, ignore="default")


def adapt_settings(program: Program, switch: str, settings: JsonSettings) -> JsonSettings:
    """The settings of a library, with what is switched on or off in start-up code."""
    match switch:
        case "masstransit":
            return _mass_transit(program, settings)
        case "servicestack":
            return _service_stack(program, settings)
        case _:
            return settings


def _mass_transit(program: Program, settings: JsonSettings) -> JsonSettings:
    if program.any_file_contains(
        b".UseXmlSerializer(", b".UseBsonSerializer(", b".UseMessagePackSerializer("
    ):
        return replace(settings, unknown_naming=Reason("messages-not-json"))
    newtonsoft = program.any_file_contains(
        b".UseNewtonsoftJsonSerializer(", b".UseNewtonsoftRawJson"
    )
    if newtonsoft or before_version(program, "MassTransit", 8):
        settings = _MASSTRANSIT_NEWTONSOFT
    return replace(settings, converted_types=(*settings.converted_types, *_DECIMALS))


def _service_stack(program: Program, settings: JsonSettings) -> JsonSettings:
    """https://github.com/ServiceStack/ServiceStack: HostConfig.UseCamelCase (since version 5),
    JsConfigScope, TextConfig. Null is left out, enums are texts."""
    camel = program.any_file_contains(b"UseCamelCase = true", b"EmitCamelCaseNames = true")
    pascal = program.any_file_contains(
        b"UseCamelCase = false", b"TextCase.PascalCase", b"TextCase.Default"
    )
    old = before_version(program, "ServiceStack", 5)
    if program.any_file_contains(b"TextCase.SnakeCase", b"EmitLowercaseUnderscoreNames = true"):
        settings = replace(settings, naming="snake")
    elif pascal or (old and not camel):
        settings = replace(settings, naming="")
    if program.any_file_contains(b"IncludeNullValues = true"):
        settings = replace(settings, ignore="")
    if program.any_file_contains(b"TreatEnumAsInteger = true"):
        settings = replace(settings, enum_texts=False)
    return settings
