"""The routes that `MapIdentityApi<TUser>()` maps.

https://github.com/dotnet/aspnetcore: IdentityApiEndpointRouteBuilderExtensions.
"""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct

from contract_scan.ir.operation import Body, Operation, Parameter, Response
from contract_scan.ir.origin import Origin
from contract_scan.ir.schema import Array, Field, Object, Scalar, Schema
from contract_scan.parsers.source.csharp.serialization.settings.record import JsonSettings

_TEXT = Scalar(type="string")
_TEXT_OR_NULL = Scalar(type="string", nullable=True)
_FLAG = Scalar(type="boolean")


class _Route(Struct, frozen=True, kw_only=True):
    method: str
    path: str
    body_fields: tuple[tuple[str, Schema], ...] = ()
    query: tuple[tuple[str, Schema], ...] = ()
    response_fields: tuple[tuple[str, Schema], ...] = ()
    failures: tuple[str, ...] = ()


_INFO = (("Email", _TEXT), ("IsEmailConfirmed", _FLAG))
_TOKEN = (
    ("TokenType", _TEXT),
    ("AccessToken", _TEXT),
    ("ExpiresIn", Scalar(type="integer", format="int64")),
    ("RefreshToken", _TEXT),
)
_ROUTES = (
    _Route(
        method="POST",
        path="/register",
        body_fields=(("Email", _TEXT), ("Password", _TEXT)),
        failures=("400",),
    ),
    _Route(
        method="POST",
        path="/login",
        query=(("useCookies", _FLAG), ("useSessionCookies", _FLAG)),
        body_fields=(
            *(("Email", _TEXT), ("Password", _TEXT), ("TwoFactorCode", _TEXT_OR_NULL)),
            ("TwoFactorRecoveryCode", _TEXT_OR_NULL),
        ),
        response_fields=_TOKEN,
        failures=("401",),
    ),
    _Route(
        method="POST",
        path="/refresh",
        body_fields=(("RefreshToken", _TEXT),),
        response_fields=_TOKEN,
    ),
    _Route(
        method="GET",
        path="/confirmEmail",
        query=(("userId", _TEXT), ("code", _TEXT), ("changedEmail", _TEXT)),
        failures=("401",),
    ),
    _Route(method="POST", path="/resendConfirmationEmail", body_fields=(("Email", _TEXT),)),
    _Route(
        method="POST", path="/forgotPassword", body_fields=(("Email", _TEXT),), failures=("400",)
    ),
    _Route(
        method="POST",
        path="/resetPassword",
        body_fields=(("Email", _TEXT), ("ResetCode", _TEXT), ("NewPassword", _TEXT)),
        failures=("400",),
    ),
    _Route(
        method="POST",
        path="/manage/2fa",
        body_fields=(
            ("Enable", Scalar(type="boolean", nullable=True)),
            ("TwoFactorCode", _TEXT_OR_NULL),
            *(("ResetSharedKey", _FLAG), ("ResetRecoveryCodes", _FLAG), ("ForgetMachine", _FLAG)),
        ),
        response_fields=(
            ("SharedKey", _TEXT),
            ("RecoveryCodesLeft", Scalar(type="integer", format="int32")),
            ("RecoveryCodes", Array(items=_TEXT, nullable=True)),
            *(("IsTwoFactorEnabled", _FLAG), ("IsMachineRemembered", _FLAG)),
        ),
        failures=("400", "404"),
    ),
    _Route(method="GET", path="/manage/info", response_fields=_INFO, failures=("400", "404")),
    _Route(
        method="POST",
        path="/manage/info",
        body_fields=(
            *(("NewEmail", _TEXT_OR_NULL), ("NewPassword", _TEXT_OR_NULL)),
            ("OldPassword", _TEXT_OR_NULL),
        ),
        response_fields=_INFO,
        failures=("400", "404"),
    ),
)


def identity_routes(settings: JsonSettings, origin: Origin) -> Iterator[Operation]:
    """Every route, without the prefix of what they are mapped on."""
    for route in _ROUTES:
        given = _object(route.response_fields, settings, reading=False)
        bodies = (Body(schema=given, origin=origin),) if route.response_fields else ()
        body = _object(route.body_fields, settings, reading=True)
        yield Operation(
            method=route.method,
            path=route.path,
            parameters=tuple(
                Parameter(name=n, location="query", schema=s, required=False, origin=origin)
                for n, s in route.query
            ),
            request=(Body(schema=body, required=True, origin=origin),) if route.body_fields else (),
            responses=(
                Response(status="200", bodies=bodies, explicit_status=False, origin=origin),
                *(Response(status=status, origin=origin) for status in route.failures),
            ),
            statuses_complete=True,
            origin=origin,
            handler="MapIdentityApi",
        )


def _object(
    members: tuple[tuple[str, Schema], ...], settings: JsonSettings, *, reading: bool
) -> Object:
    fields = tuple(
        Field(
            name=settings.wire_name(name),
            schema=schema,
            required=not reading and not (settings.ignore and schema.nullable),
            has_default=True,
            declared_as=name,
        )
        for name, schema in members
    )
    return Object(
        fields=fields, incomplete_reason=settings.unknown_naming, case_insensitive=reading
    )
