"""Jooby: routes of applications, in groups and mounted on each other; handlers that take a context
and return what is sent."""

from functools import partial

from contract_scan.ir.reasons import Reason
from contract_scan.parsers.source.java.web.context_routes import (
    ContextCall,
    ContextRoutes,
    GroupCall,
    effect_of,
    framework,
)
from contract_scan.parsers.source.java.web.endpoints import Library
from contract_scan.parsers.source.java.web.media import JSON
from contract_scan.parsers.source.java.web.raised_errors import Exceptions
from contract_scan.parsers.source.java.web.reading import Kind

_UNCONTRACTED = (
    *("send", "render", "setResponseCode", "setResponseType", "setResponseHeader", "sendRedirect"),
    *("setResponseCookie", "getAttribute", "setAttribute", "getUser", "session", "flash", "accept"),
    *("getRequestPath", "getMethod", "getRoute", "require", "pathMap", "headerMap", "headers"),
    *("cookieMap", "getHost", "getPort", "getScheme", "getRemoteAddress"),
)
_OPEN = ("queryMap", "queryMultimap", "queryString", "lookup", "param", "formMap", "getRequest")
_READS: dict[str, Kind] = {
    "path": "path",
    "query": "query",
    "header": "header",
    "cookie": "cookie",
    "form": "form",
    "multipart": "form",
    "file": "form",
    "files": "form",
    "body": "body",
    "body().to": "body",
    "body().value": "raw",
    "body().bytes": "raw",
    "body().stream": "raw",
    "body().channel": "raw",
    "body().toList": "raw",
    **dict.fromkeys(_OPEN, "anything"),
    **dict.fromkeys(_UNCONTRACTED, "nothing"),
}
_STREAM = ContextCall(unknown=Reason("handler-writes-response-itself"))
_ANSWERS = {
    "setResponseCode": ContextCall(status_at=0),
    "setResponseType": ContextCall(content_type_at=0),
    "send": ContextCall(body_at=0),
    "render": ContextCall(body_at=0),
    "sendRedirect": ContextCall(status="302", status_at=0),
    **dict.fromkeys(("responseStream", "responseWriter", "responseSender", "upgrade"), _STREAM),
}
_MEDIA_TYPES = {"json": JSON, "text": "text/plain", "html": "text/html", "xml": "application/xml"}
FRAMEWORK = framework(
    ContextRoutes(
        name="Jooby",
        markers=(b"io.jooby",),
        verbs=frozenset({"get", "post", "put", "patch", "delete", "head", "options", "trace"}),
        static_owner="Jooby",
        router_types=frozenset({"Jooby", "Router"}),
        router_classes=frozenset({"Jooby", "Kooby"}),
        groups={
            "path": GroupCall(with_path=2),
            "routes": GroupCall(),
            **dict.fromkeys(("runApp", "createApp"), GroupCall(gives_router=True, method="accept")),
        },
        mounts=frozenset({"mount", "install"}),
        unread={"mvc": Reason("annotated-routes-not-read")},
        path_syntax=((r"/\*(\w+)$", r"/{\1:.*}"), (r"/\*$", "/{path:.*}")),
        optional=r"(/\{[^/]*\})\?$",
        library=Library(
            reads=_READS,
            effect_of=partial(effect_of, _ANSWERS, _MEDIA_TYPES),
            method="apply",
            object_type=JSON,
            returns=True,
            method_calls=("getMethod",),
            accessors={
                **dict.fromkeys(("intValue", "longValue", "byteValue"), "integer"),
                **dict.fromkeys(("doubleValue", "floatValue"), "number"),
                "booleanValue": "boolean",
                "value": "string",
                "valueOrNull": "string",
            },
            exceptions=Exceptions(
                packages=("io.jooby.",),
                suffix="Exception",
                assigned_statuses=frozenset({"StatusCodeException"}),
                handlers=(b"error(",),
            ),
        ),
    )
)
