"""Jooby: routes of applications, in groups and mounted on each other; handlers that take a context
and return what is sent."""

from contract_scan.ir.reasons import Reason
from contract_scan.parsers.source.java.web.context_routes import ContextRoutes, GroupCall, framework
from contract_scan.parsers.source.java.web.effects import ResponseCall, ResponseCalls
from contract_scan.parsers.source.java.web.endpoints import Library
from contract_scan.parsers.source.java.web.media import JSON
from contract_scan.parsers.source.java.web.raised_errors import Exceptions
from contract_scan.parsers.source.java.web.reading import by_kind

_READS = by_kind(
    path="path",
    query="query",
    header="header",
    cookie="cookie",
    form="form multipart file files",
    body="body body().to",
    raw="body().value body().bytes body().stream body().channel body().toList",
    anything="queryMap queryMultimap queryString lookup param formMap getRequest",
    nothing=(
        "send render setResponseCode setResponseType setResponseHeader sendRedirect "
        "setResponseCookie getAttribute setAttribute getUser session flash accept getRequestPath "
        "getMethod getRoute require pathMap headerMap headers cookieMap getHost getPort getScheme "
        "getRemoteAddress"
    ),
)
_STREAM = ResponseCall(unknown=Reason("handler-writes-response-itself"))
_ANSWERS = ResponseCalls(
    {
        "setResponseCode": ResponseCall(status_at=0),
        "setResponseType": ResponseCall(content_type_at=0),
        "send": ResponseCall(body_or_status_at=0),
        "render": ResponseCall(body_at=0),
        "sendRedirect": ResponseCall(status="302", status_at=-2),
        **dict.fromkeys(("responseStream", "responseWriter", "responseSender", "upgrade"), _STREAM),
    },
    {"json": JSON, "text": "text/plain", "html": "text/html", "xml": "application/xml"},
)
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
            effect_of=_ANSWERS,
            method="apply",
            object_type=JSON,
            returns=True,
            method_calls=("getMethod",),
            accessors={
                **dict.fromkeys(("intValue", "longValue", "byteValue"), "integer"),
                **dict.fromkeys(("doubleValue", "floatValue"), "number"),
                "booleanValue": "boolean",
                **dict.fromkeys(("value", "valueOrNull"), "string"),
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
