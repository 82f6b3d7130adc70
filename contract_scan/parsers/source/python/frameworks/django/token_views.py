"""Views of libraries for Django of which it is known what they take and send: tokens."""

from __future__ import annotations

from typing import TYPE_CHECKING

from contract_scan.ir.operation import Body, Operation
from contract_scan.ir.origin import Origin
from contract_scan.ir.reasons import NO_REASON, Reason
from contract_scan.ir.schema import Field, Object, Scalar, Schema
from contract_scan.parsers.source.analysis.domain.values import (
    Constant,
    LibraryResult,
    LibrarySymbol,
    Record,
    Value,
)
from contract_scan.parsers.source.python.frameworks.django.paths import parameters, template
from contract_scan.parsers.source.python.serialization.django.classes import user_model
from contract_scan.parsers.source.python.serialization.kinds import library_bases
from contract_scan.parsers.source.python.web.common import response, unknown

if TYPE_CHECKING:
    from contract_scan.parsers.source.analysis.domain.program import Program

_JWT = "rest_framework_simplejwt.views."
_USER = ("password",)
"""What tells who somebody is goes by the name that the user model gives it."""
_BY_NAME = ("username", "password")
"""This library calls it so, whatever the user model does."""
_VIEWS: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "rest_framework.authtoken.views.obtain_auth_token": (_BY_NAME, ("token",)),
    "rest_framework.authtoken.views.ObtainAuthToken": (_BY_NAME, ("token",)),
    _JWT + "TokenObtainPairView": (_USER, ("refresh", "access")),
    _JWT + "token_obtain_pair": (_USER, ("refresh", "access")),
    _JWT + "TokenObtainSlidingView": (_USER, ("token",)),
    _JWT + "TokenRefreshView": (("refresh",), ("access",)),
    _JWT + "token_refresh": (("refresh",), ("access",)),
    _JWT + "TokenRefreshSlidingView": (("token",), ("token",)),
    _JWT + "TokenVerifyView": (("token",), ()),
    _JWT + "token_verify": (("token",), ()),
    _JWT + "TokenBlacklistView": (("refresh",), ()),
    _JWT + "token_blacklist": (("refresh",), ()),
}
"""View -> the names of what it takes and sends, all of them text."""
_SERIALIZERS = (b"TOKEN_OBTAIN_SERIALIZER", b"TOKEN_REFRESH_SERIALIZER")


def known_view(
    program: Program, path: str, view: Value, origin: Origin, unresolved: Reason, framework: str
) -> Operation | None:
    """The operation of a library's view; None where nothing is known of it."""
    if isinstance(view, LibraryResult) and view.site.args:
        return None  # `TokenObtainPairView.as_view(serializer_class=…)`
    name = (
        program.evaluator.qualified_name(view)
        if isinstance(view, LibraryResult | LibrarySymbol)
        else ""
    )
    known = _VIEWS.get(name.removesuffix(".as_view"))
    if known is None or (name.startswith(_JWT) and program.files_containing(*_SERIALIZERS)):
        return None
    request, response_schema = known
    fields = _texts(response_schema, origin)
    rotates = _rotates(program) if request == ("refresh",) else False
    if rotates is not False:
        refresh = Field(name="refresh", schema=_text(origin), required=rotates, origin=origin)
        fields = (*fields, refresh)
    sends: Schema = Object(fields=fields, origin=origin)
    if not response_schema:
        sends = unknown(Reason("empty-object-sent"), origin)
    user = _user_key(program) if request == _USER else ""
    takes = Object(
        fields=_texts((user, *request) if user else request, origin),
        incomplete_reason=NO_REASON
        if user or request != _USER
        else Reason("username-field-undetermined"),
        origin=origin,
    )
    return Operation(
        method="POST",
        path=template(path),
        parameters=parameters(path, origin),
        parameters_complete=False,
        request=(Body(schema=takes, required=True, origin=origin),),
        responses=(response("200", sends, origin, explicit=False),),
        statuses_complete=False,
        origin=origin,
        framework=framework,
        excluded_from_docs=True,
        unresolved=unresolved,
    )


def is_token_view(name: str) -> bool:
    """Whether a class of a library gives, renews or checks tokens, which it does by POST alone."""
    return name in _VIEWS


def _rotates(program: Program) -> bool | None:
    """Whether a new token for refreshing is sent with each refresh; None: undetermined."""
    for path in program.files_containing(b"ROTATE_REFRESH_TOKENS"):
        found = program.names.modules.variable(program.facts(path), "SIMPLE_JWT")
        for entry in found.entries if isinstance(found, Record) else ():
            if entry.name == "ROTATE_REFRESH_TOKENS" and isinstance(entry.value, Constant):
                return bool(entry.value.value)
        return None
    return False


def _user_key(program: Program) -> str:
    """The field of the user model that says who somebody is; empty where it is undetermined."""
    if not program.files_containing(b"AUTH_USER_MODEL"):
        return "username"
    model = user_model(program)
    for owner in () if model is None else (model, *program.bases(model)):
        for member in owner.decl.members:
            if member.name == "USERNAME_FIELD" and member.value is not None:
                return program.text(member.value, program.class_scope(owner)) or ""
    bases = () if model is None else library_bases(program, model)
    return "username" if any(base.simple_name == "AbstractUser" for base in bases) else ""


def _texts(names: tuple[str, ...], origin: Origin) -> tuple[Field, ...]:
    return tuple(Field(name=name, schema=_text(origin), origin=origin) for name in names)


def _text(origin: Origin) -> Scalar:
    return Scalar(type="string", origin=origin)
