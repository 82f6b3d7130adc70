"""BlackSheep: decorated functions and controllers, whose parameters are bound by type and name."""

from msgspec.structs import replace

from contract_scan.ir.operation import RouteTraits
from contract_scan.ir.reasons import Reason
from contract_scan.parsers.source.python.web.decorated_routes import (
    AddRoute,
    MountCall,
    RoutingLibrary,
    framework,
)
from contract_scan.parsers.source.python.web.error_statuses import BY_PHRASE, ErrorFamily
from contract_scan.parsers.source.python.web.typed_handlers import Answer, Binding, HandlerLibrary

_BODY, _FORM = Binding("body"), Binding("body", "multipart/form-data")
_PROVIDED = ("FromServices", "ClientInfo", "ServerInfo", "RequestUser", "RequestURL", "Identity")
_MESSAGES = {"ok": "200", "created": "201", "accepted": "202", "bad_request": "400"}
_MESSAGES |= {"unauthorized": "401", "forbidden": "403", "not_found": "404"}
_EMPTY = {"no_content": "204", "not_modified": "304", "moved_permanently": "301", "redirect": "302"}
_EMPTY |= {"see_other": "303", "temporary_redirect": "307", "permanent_redirect": "308"}
_JSON = Answer(status_argument=(1, "status"), body=(0, "data"))
_TEXT = Answer(status_argument=(1, "status"), body=(0, "value"), content_type="text/plain")
_HANDLERS = HandlerLibrary(
    package="blacksheep.",
    types={
        "Request": Binding("request"),
        "FromQuery": Binding("query"),
        "FromRoute": Binding("path"),
        "FromHeader": Binding("header"),
        "FromCookie": Binding("cookie"),
        "FromJSON": _BODY,
        "FromJson": _BODY,
        "FromBody": _BODY,
        "FromForm": _FORM,
        "FromFiles": _FORM,
        "FromText": Binding("body", "text/plain"),
        "FromXML": Binding("body", "application/xml"),
        "FromBytes": Binding("body", "application/octet-stream"),
        **dict.fromkeys((*_PROVIDED, "RequestMethod", "URLResolver", "User"), Binding("provided")),
    },
    names={"request": Binding("request"), "services": Binding("provided")},
    readers=frozenset({"json", "form", "files", "text", "read", "stream", "multipart"}),
    queries=frozenset({"query"}),
    answers={
        **{name: Answer(status, body=(0, "message")) for name, status in _MESSAGES.items()},
        **{name: Answer(status) for name, status in _EMPTY.items()},
        "status_code": Answer(status_argument=(0, "status"), body=(1, "message")),
        "Response": Answer(status_argument=(0, "status"), body=(2, "content")),
        "json": _JSON,
        "pretty_json": _JSON,
        "text": _TEXT,
        "html": replace(_TEXT, content_type="text/html"),
        **dict.fromkeys(
            ("view", "view_async"), Answer(content_type="text/html", opaque=Reason("body-is-page"))
        ),
        "file": Answer(content_type="application/octet-stream", opaque=Reason("body-is-file")),
    },
    encoders=frozenset({"dumps", "JSONContent"}),
    nothing="204",
    untyped_is_required=False,
    errors=ErrorFamily(
        *(("blacksheep.",), BY_PHRASE, ("HTTPException",), ("status", 0)),
        handling=(b"exception_handler", b"exceptions_handlers"),
        handled=b"blacksheep",
    ),
)
_CONTROLLERS = "blacksheep.server.controllers."
FRAMEWORK = framework(
    RoutingLibrary(
        name="BlackSheep",
        imports=(b"import blacksheep", b"from blacksheep"),
        calls=(b"Application(", b"Router(", b".mount(", b".add_"),
        applications=frozenset({"blacksheep.Application", "blacksheep.server.Application"}),
        routers=frozenset({"blacksheep.Router", "blacksheep.server.routing.Router"}),
        children=("router", "sub_routers"),
        with_methods="route",
        mounts={"mount": MountCall(child=1, child_name="app", prefix=0)},
        added={"add": AddRoute((0, "method"), (1, "pattern"), (2, "handler"))},
        default_router="blacksheep",
        controllers={
            f"{_CONTROLLERS}Controller": "",
            f"{_CONTROLLERS}APIController": "/api/{version}/{class_name}",
        },
        injects=frozenset({"add_instance", "add_singleton", "add_scoped", "add_transient"}),
        path_syntax=(
            *((r"[<{]\w+:(\w+)[>}]", r"{\1}"), (r"<(\w+)>", r"{\1}")),
            *((r"(?<=/):(\w+)", r"{\1}"), (r"\*(?![\w}])", "{tail*}")),
        ),
        handlers=_HANDLERS,
        traits=RouteTraits(paths_case_insensitive=True),
    )
)
