"""Robyn: routes of applications and of the routers that they include."""

from contract_scan.ir.reasons import Reason
from contract_scan.parsers.source.python.web.decorated_routes import (
    AddRoute,
    MountCall,
    RoutingLibrary,
    framework,
)
from contract_scan.parsers.source.python.web.typed_handlers import (
    FILE,
    PAGE,
    Answer,
    Binding,
    HandlerLibrary,
)

_PROVIDED = ("PathParams", "Method", "Url", "FormData", "Files", "IPAddress", "Identity")
_RESERVED = (
    *("r", "req", "request", "query_params", "headers", "path_params", "method", "url", "ip_addr"),
    *("identity", "form_data", "files", "router_dependencies", "global_dependencies"),
)
_STREAM = Answer(content_type="text/event-stream", opaque=Reason("body-is-stream"))
_HANDLERS = HandlerLibrary(
    package="robyn.",
    types={
        **{name: Binding("provided") for name in (*_PROVIDED, "Response", "WebSocket")},
        **{name: Binding("request") for name in ("Request", "QueryParams", "Headers")},
        **{name: Binding("body") for name in ("Body", "JsonBody")},
    },
    names={**{name: Binding("request") for name in _RESERVED}, "body": Binding("body")},
    readers=frozenset({"json", "body", "form_data", "files"}),
    queries=frozenset({"query_params"}),
    answers={
        "FileResponse": FILE,
        "serve_file": FILE,
        "serve_html": FILE,
        "html": PAGE,
        "StreamingResponse": _STREAM,
        "SSEResponse": _STREAM,
        "Response": Answer(
            status_argument=(0, "status_code"),
            body=(2, "description", "body"),
            content_type="text/plain",
        ),
    },
    encoders=frozenset({"dumps", "jsonify"}),
    status_in_tuple=2,
)
FRAMEWORK = framework(
    RoutingLibrary(
        name="Robyn",
        imports=(b"import robyn", b"from robyn"),
        calls=(b".include_router(", b"Robyn(", b"SubRouter(", b".add_view(", b".inject"),
        applications=frozenset({"robyn.Robyn"}),
        routers=frozenset({"robyn.SubRouter"}),
        prefix_position=0,
        mounts={"include_router": MountCall()},
        added={"add_route": AddRoute((0, "route_type"), (1, "endpoint"), (2, "handler"))},
        views=frozenset({"add_view"}),
        injects=frozenset({"inject", "inject_global"}),
        path_syntax=(
            (r"(?<=/):(\w+)", r"{\1}"),
            (r"(?<=/)\*(\w+)", r"{\1*}"),
            (r"(?<=/)\*", "{rest*}"),
        ),
        handlers=_HANDLERS,
    )
)
