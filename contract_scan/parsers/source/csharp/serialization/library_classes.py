"""Classes and enums of libraries that services send as they are, or inherit from."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from contract_scan.ir.origin import Origin
from contract_scan.ir.reasons import Reason
from contract_scan.ir.schema import (
    Array,
    Field,
    Object,
    Scalar,
    Schema,
    Unknown,
    with_nullable,
)
from contract_scan.parsers.source.csharp.serialization.naming import wire_name
from contract_scan.parsers.source.csharp.serialization.settings.record import READING, JsonSettings

_KEYED_BY_TEXT = ("IdentityUser", "IdentityRole")
"""Classes that stand for the generic ones of their names with `string` as key."""

_IDENTITY_USER = (
    *(("Id", "0"), ("UserName", "string?"), ("NormalizedUserName", "string?")),
    *(("Email", "string?"), ("NormalizedEmail", "string?"), ("EmailConfirmed", "bool")),
    *(("PasswordHash", "string?"), ("SecurityStamp", "string?"), ("ConcurrencyStamp", "string?")),
    *(("PhoneNumber", "string?"), ("PhoneNumberConfirmed", "bool"), ("TwoFactorEnabled", "bool")),
    *(("LockoutEnd", "DateTimeOffset?"), ("LockoutEnabled", "bool"), ("AccessFailedCount", "int")),
)
_IDENTITY_ROLE = (
    *(("Id", "0"), ("Name", "string?"), ("NormalizedName", "string?")),
    ("ConcurrencyStamp", "string?"),
)
_CLAIM = (("ClaimType", "string?"), ("ClaimValue", "string?"))
_CLASSES: Mapping[str, tuple[tuple[str, str], ...]] = {
    # https://github.com/dotnet/aspnetcore: src/Identity/Extensions.Stores, Extensions.Core
    "IdentityUser": _IDENTITY_USER,
    "IdentityUser`1": _IDENTITY_USER,
    "IdentityRole": _IDENTITY_ROLE,
    "IdentityRole`1": _IDENTITY_ROLE,
    "IdentityUserClaim`1": (("Id", "int"), ("UserId", "0"), *_CLAIM),
    "IdentityRoleClaim`1": (("Id", "int"), ("RoleId", "0"), *_CLAIM),
    "IdentityUserRole`1": (("UserId", "0"), ("RoleId", "0")),
    "IdentityUserLogin`1": (
        *(("LoginProvider", "string"), ("ProviderKey", "string")),
        *(("ProviderDisplayName", "string?"), ("UserId", "0")),
    ),
    "IdentityUserToken`1": (
        *(("UserId", "0"), ("LoginProvider", "string"), ("Name", "string"), ("Value", "string?")),
    ),
    "IdentityError": (("Code", "string"), ("Description", "string")),
    "IdentityResult": (("Succeeded", "bool"), ("Errors", "[]IdentityError")),
    # https://github.com/jbogard/MediatR: src/MediatR.Contracts/Unit.cs
    "Unit": (),
    # https://github.com/dotnet/aspnetcore: src/Mvc/Mvc.ViewFeatures/src/Rendering
    "SelectListGroup": (("Disabled", "bool"), ("Name", "string~")),
    "SelectListItem": (
        *(("Disabled", "bool"), ("Group", "SelectListGroup?"), ("Selected", "bool")),
        *(("Text", "string~"), ("Value", "string~")),
    ),
    # https://github.com/JasperFx/wolverine: src/Http/Wolverine.Http/IHttpAware.cs
    "CreationResponse": (("Url", "string"),),
    "CreationResponse`1": (("Url", "string"), ("Value", "0")),
    "AcceptResponse": (("Url", "string"),),
    "AcceptResponse`1": (("Url", "string"), ("Value", "0")),
    # https://github.com/ServiceStack/ServiceStack: ServiceStack.Interfaces
    "ResponseError": (
        *(("ErrorCode", "string~"), ("FieldName", "string~"), ("Message", "string~")),
        ("Meta", "object"),
    ),
    "ResponseStatus": (
        *(("ErrorCode", "string~"), ("Message", "string~"), ("StackTrace", "string~")),
        *(("Errors", "[]ResponseError~"), ("Meta", "object")),
    ),
    "EmptyResponse": (("ResponseStatus", "ResponseStatus~"),),
    "IdResponse": (("Id", "string~"), ("ResponseStatus", "ResponseStatus~")),
    "StringResponse": (
        *(("Result", "string~"), ("Meta", "object"), ("ResponseStatus", "ResponseStatus~")),
    ),
    "QueryResponse`1": (
        *(("Offset", "int"), ("Total", "int"), ("Results", "[]0~"), ("Meta", "object")),
        ("ResponseStatus", "ResponseStatus~"),
    ),
    # https://github.com/FluentValidation/FluentValidation: src/FluentValidation/Results
    "ValidationFailure": (
        *(("PropertyName", "string~"), ("ErrorMessage", "string~"), ("AttemptedValue", "object")),
        *(("CustomState", "object"), ("Severity", "Severity"), ("ErrorCode", "string~")),
        ("FormattedMessagePlaceholderValues", "object"),
    ),
}
LIBRARY_ENUMS: Mapping[str, tuple[str, ...]] = {
    "DayOfWeek": (*("Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"),),
    "DateTimeKind": ("Unspecified", "Utc", "Local"),
    "LogLevel": ("Trace", "Debug", "Information", "Warning", "Error", "Critical", "None"),
    "HealthStatus": ("Unhealthy", "Degraded", "Healthy"),
    "Severity": ("Error", "Warning", "Info"),
}
CLASSES = frozenset(_CLASSES)
"""Names of the classes, with the number of their type parameters."""
ENUMS = frozenset(LIBRARY_ENUMS)
"""Names of the enums."""


def library_class(
    name: str, argument: Callable[[int], Schema], settings: JsonSettings, variant: str
) -> tuple[Field, ...] | None:
    """The members of a library's class, its type arguments given; None where it is not known."""
    members = _CLASSES.get(name)
    if members is None:
        return None
    key = Scalar(type="string") if name in _KEYED_BY_TEXT else None
    return tuple(_field(m, argument, key, settings, variant) for m in members)


def library_enum(name: str, settings: JsonSettings, origin: Origin) -> Schema | None:
    """The values of a library's enum on the wire; None where it is not known."""
    constants = LIBRARY_ENUMS.get(name)
    if constants is None:
        return None
    naming = next((naming for key, naming in settings.enum_types if key == name), None)
    if naming is None and settings.unknown_enums:
        return Unknown(reason=settings.unknown_enums, origin=origin)
    if naming is not None or settings.enum_texts:
        naming = settings.enum_naming if naming is None else naming
        texts = tuple(wire_name(constant, naming) for constant in constants)
        return Scalar(type="string", values=texts, origin=origin)
    return Scalar(type="integer", values=tuple(range(len(constants))), origin=origin)


def _field(
    member: tuple[str, str],
    argument: Callable[[int], Schema],
    key: Schema | None,
    settings: JsonSettings,
    variant: str,
) -> Field:
    name, written = member
    nullable = {"?": True, "~": None}.get(written[-1], False)
    schema = _schema(written.rstrip("?~"), argument, key, settings, variant)
    reading = variant.startswith(READING)
    required: bool | None = not reading
    if not reading and settings.ignore and (nullable is not False or written == "object"):
        required = False if nullable or written == "object" else None
        nullable = False
    elif not reading and settings.ignore == "default":
        required = False
    return Field(
        name=settings.wire_name(name),
        schema=schema if isinstance(schema, Unknown) else with_nullable(schema, nullable),
        required=required,
        has_default=True,
        declared_as=name,
    )


def _schema(
    written: str,
    argument: Callable[[int], Schema],
    key: Schema | None,
    settings: JsonSettings,
    variant: str,
) -> Schema:
    match written:
        case "0":
            return key or argument(0)
        case "string":
            return Scalar(type="string")
        case "DateTimeOffset":
            return Scalar(type="string", format="date-time")
        case "bool":
            return Scalar(type="boolean")
        case "int":
            return Scalar(type="integer", format="int32")
        case "object":
            return Unknown(reason=Reason("declared-as-object"), accepts_any=True, nullable=None)
        case _ if written.startswith("[]"):
            return Array(items=_schema(written[2:], argument, key, settings, variant))
        case _ if written in LIBRARY_ENUMS:
            from contract_scan.ir.origin import NOWHERE

            return library_enum(written, settings, NOWHERE) or Scalar(type="integer")
        case _:
            fields = library_class(written, argument, settings, variant) or ()
            return Object(fields=fields, incomplete_reason=settings.unknown_naming, name=written)


__all__ = ["CLASSES", "ENUMS", "LIBRARY_ENUMS", "library_class", "library_enum"]
