"""Which status an exception of a Python web library stands for.

Every library is told by where its exceptions come from: their names say the status, or an argument
does.
"""

from __future__ import annotations

from msgspec import Struct

from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import (
    ClassSymbol,
    ClassValue,
    Instance,
    LibraryResult,
    LibrarySymbol,
    OneOf,
    Scope,
    Value,
)
from contract_scan.parsers.source.facts.nodes import Call, Expr, New
from contract_scan.parsers.source.python.serialization.kinds import library_bases
from contract_scan.parsers.source.python.web.common import status_of
from contract_scan.parsers.source.web.status_names import PHRASES

_WERKZEUG = {name: status for name, status in PHRASES.items() if status[0] in "45"}
_WEBOB = {f"HTTP{name}": status for name, status in PHRASES.items()} | {
    "HTTPRequestURITooLong": "414",
    "HTTPVersionNotSupported": "505",
}
_DJANGO = {
    "Http404": "404",
    "PermissionDenied": "403",
    "SuspiciousOperation": "400",
    "BadRequest": "400",
}
_REST_FRAMEWORK = {
    "APIException": "500",
    "ValidationError": "400",
    "ParseError": "400",
    "NotFound": "404",
    "PermissionDenied": "403",
    "MethodNotAllowed": "405",
    "NotAcceptable": "406",
    "UnsupportedMediaType": "415",
    "Throttled": "429",
}
"""What is not here depends on the settings: NotAuthenticated may be 401 or 403."""
_FALCON = _WEBOB | {
    "HTTPInvalidHeader": "400",
    "HTTPMissingHeader": "400",
    "HTTPInvalidParam": "400",
    "HTTPMissingParam": "400",
    "HTTPPayloadTooLarge": "413",
    "HTTPContentTooLarge": "413",
    "HTTPUriTooLong": "414",
    "HTTPRangeNotSatisfiable": "416",
    "HTTPUnsupportedMediaType": "415",
    "HTTPRouteNotFound": "404",
}
_SANIC = {
    "NotFound": "404",
    "FileNotFound": "404",
    "InvalidUsage": "400",
    "BadRequest": "400",
    "BadURL": "400",
    "Unauthorized": "401",
    "Forbidden": "403",
    "MethodNotAllowed": "405",
    "MethodNotSupported": "405",
    "PayloadTooLarge": "413",
    "RangeNotSatisfiable": "416",
    "ServerError": "500",
    "InternalServerError": "500",
    "ServiceUnavailable": "503",
    "SanicException": "500",
}
_LITESTAR = {
    "HTTPException": "500",
    "ClientException": "400",
    "ValidationException": "400",
    "NotAuthorizedException": "401",
    "PermissionDeniedException": "403",
    "NotFoundException": "404",
    "MethodNotAllowedException": "405",
    "TooManyRequestsException": "429",
    "InternalServerException": "500",
    "ServiceUnavailableException": "503",
}


class ErrorFamily(Struct, frozen=True):
    """The exceptions of one library."""

    packages: tuple[str, ...]
    names: dict[str, str]
    """Statuses by the names of exceptions."""
    general: tuple[str, ...] = ()
    """Those whose status is an argument: which has no default, unless `names` has it."""
    argument: tuple[str, int] = ("status_code", 0)
    """Its name and position (-1: by name alone)."""
    overridden: bool = False
    """Every exception takes that argument."""
    attribute: str = ""
    """The class attribute in which the project's own exceptions say theirs."""
    handling: tuple[bytes, ...] = ()
    """What a file holds in which the project says itself what becomes of exceptions …"""
    handled: bytes = b""
    """… where it holds this as well: an exception of the library."""


_HTTP = ("HTTPException",)
_FAMILIES = (
    ErrorFamily(
        ("fastapi.", "starlette."),
        {},
        _HTTP,
        handling=(b"exception_handler",),
        handled=b"HTTPException",
    ),
    ErrorFamily(
        ("werkzeug.", "flask.", "flask_restful.", "flask_restx.", "flask_smorest.", "quart."),
        _WERKZEUG,
        _HTTP,
        ("code", 0),
        handling=(b"errorhandler", b"register_error_handler"),
        handled=b"HTTPException",
    ),
    ErrorFamily(
        ("pyramid.", "webob."),
        _WEBOB,
        ("exception_response",),
        handling=(b"exception_view", b"context="),
        handled=b"HTTPE",
    ),
    ErrorFamily(("aiohttp.",), _WEBOB, handling=(b"middleware",), handled=b"HTTPException"),
    ErrorFamily(("django.",), _DJANGO),
    ErrorFamily(
        ("rest_framework.",),
        _REST_FRAMEWORK,
        attribute="status_code",
        handling=(b"EXCEPTION_HANDLER",),
    ),
    ErrorFamily(
        ("falcon.",),
        _FALCON,
        ("HTTPError",),
        ("status", 0),
        handling=(b"add_error_handler",),
        handled=b"HTTPError",
    ),
    ErrorFamily(
        ("sanic.",),
        _SANIC,
        ("SanicException",),
        ("status_code", 1),
        True,
        "status_code",
        handling=(b"app.exception(", b"error_handler.add(", b"ErrorHandler"),
        handled=b"Exception",
    ),
    ErrorFamily(
        ("litestar.", "starlite."),
        _LITESTAR,
        _HTTP,
        ("status_code", -1),
        True,
        "status_code",
        handling=(b"exception_handlers",),
        handled=b"HTTPException",
    ),
    ErrorFamily(("tornado.",), {"HTTPError": "500"}, ("HTTPError",), ("status_code", 0)),
    ErrorFamily(("bottle.",), {"HTTPError": "500"}, ("HTTPError",), ("status", 0)),
    ErrorFamily(
        ("ninja.",),
        {},
        ("HttpError",),
        ("status_code", 0),
        handling=(b"exception_handler",),
        handled=b"HttpError",
    ),
    ErrorFamily(
        ("cherrypy.",), {"NotFound": "404", "HTTPError": "500"}, ("HTTPError",), ("status", 0)
    ),
)


class RaisedStatus(Struct, frozen=True):
    """A status, and where the exception comes from."""

    status: str
    package: str


def named_status(name: str) -> str | None:
    """The status of an exception by its qualified name alone."""
    family = _family(name)
    return None if family is None else family.names.get(name.rpartition(".")[2])


def is_handled(program: Program, package: str, own: ErrorFamily | None = None) -> bool:
    """Whether the project says itself what becomes of the exceptions of a library; `own`: a family
    that stands with its library."""
    family = _family(package, own)
    if family is None or not family.handling:
        return False
    key = f"python.raised.handled:{family.packages[0]}"
    if key not in program.memory:
        program.memory[key] = any(
            family.handled in (program.files.read(path) or b"")
            for path in program.files_containing(*family.handling)
        )
    return program.memory[key] is True


def status_of_exception(
    program: Program, expr: Expr, scope: Scope, own: ErrorFamily | None = None
) -> RaisedStatus | None:
    """The status of what is raised; None where it says none, or none that can be told."""
    return _status(program, program.evaluate(expr, scope), own)


def status_of_value(program: Program, value: Value) -> str | None:
    """The status of an exception that is handed on as a value."""
    found = _status(program, value)
    return None if found is None else found.status


def _status(program: Program, value: Value, own: ErrorFamily | None = None) -> RaisedStatus | None:
    match value:
        case LibraryResult(name=name, site=Call() | New() as site, scope=inside):
            return _raised_error(name, _constructor_status(program, name, site, inside, own))
        case LibrarySymbol(name=name):
            # An exception that is raised as a class has the status of its kind.
            family = _family(name, own)
            known = family.names.get(name.rpartition(".")[2]) if family is not None else None
            return _raised_error(name, known)
        case Instance(symbol=symbol) | ClassValue(symbol=symbol):
            return _status_of_derived_error(program, symbol, own)
        case OneOf(options=options):
            found = {_status(program, option, own) for option in options}
            return found.pop() if len(found) == 1 else None
        case _:
            return None


def _raised_error(name: str, status: str | None) -> RaisedStatus | None:
    return None if status is None else RaisedStatus(status, name)


def _constructor_status(
    program: Program, name: str, site: Call | New, scope: Scope, own: ErrorFamily | None
) -> str | None:
    family = _family(name, own)
    if family is None:
        return None
    last = name.rpartition(".")[2]
    keyword, position = family.argument
    if last in family.general or family.overridden:
        named = [a.value for a in site.args if a.name == keyword]
        plain = [a.value for a in site.args if not a.name and not a.spread]
        if not named and last in family.general and 0 <= position < len(plain):
            named = [plain[position]]
        if named:
            return status_of(program.evaluate(named[0], scope))
        if any(argument.spread for argument in site.args):
            return None
    return family.names.get(last)


def _status_of_derived_error(
    program: Program, symbol: ClassSymbol, own: ErrorFamily | None
) -> RaisedStatus | None:
    """An exception of the project, derived from one of a library whose exceptions say their status
    as an attribute of their class."""
    for base in library_bases(program, symbol):
        family = _family(base.name, own)
        if family is None or not family.attribute:
            continue
        for owner in (symbol, *program.bases(symbol)):
            if any(method.name == "__init__" for method in owner.decl.methods):
                return None  # It may set another.
            for member in owner.decl.members:
                if member.name == family.attribute and member.value is not None:
                    inside = program.class_scope(owner)
                    return _raised_error(
                        base.name, status_of(program.evaluate(member.value, inside))
                    )
        return _raised_error(base.name, family.names.get(base.name.rpartition(".")[2]))
    return None


def _family(name: str, own: ErrorFamily | None = None) -> ErrorFamily | None:
    families = _FAMILIES if own is None else (own, *_FAMILIES)
    return next((f for f in families if name.startswith(f.packages)), None)
