"""BlackSheep: decorated functions and controllers, whose parameters are bound by type and name."""

from contract_scan.ir.operation import RouteTraits
from contract_scan.parsers.source.python.web.decorated_routes import (
    AddRoute,
    MountCall,
    RoutingLibrary,
    framework,
)
from contract_scan.parsers.source.python.web.error_statuses import ErrorFamily
from contract_scan.parsers.source.python.web.typed_handlers import (
    FILE,
    PAGE,
    Answer,
    Binding,
    HandlerLibrary,
)
from contract_scan.parsers.source.web.status_names import PHRASES

_PROVIDED = ("FromServices", "ClientInfo", "ServerInfo", "RequestUser", "RequestURL", "Identity")
_JSON = Answer(status_argument=(1, "status"), body=(0, "data"))
_HANDLERS = HandlerLibrary(
    package="blacksheep.",
    types={
        "Request": Binding("request"),
        "FromQuery": Binding("query"),
        "FromRoute": Binding("path"),
        "FromHeader": Binding("header"),
        "FromCookie": Binding("cookie"),
        **dict.fromkeys(("FromJSON", "FromJson", "FromBody"), Binding("body")),
        **dict.fromkeys(("FromForm", "FromFiles"), Binding("body", "multipart/form-data")),
        "FromText": Binding("body", "text/plain"),
        "FromXML": Binding("body", "application/xml"),
        "FromBytes": Binding("body", "application/octet-stream"),
        **dict.fromkeys((*_PROVIDED, "RequestMethod", "URLResolver", "User"), Binding("provided")),
    },
    names={"request": Binding("request"), "services": Binding("provided")},
    readers=frozenset({"json", "form", "files", "text", "read", "stream", "multipart"}),
    queries=frozenset({"query"}),
    answers={
        "redirect": Answer("302"),
        "status_code": Answer(status_argument=(0, "status"), body=(1, "message")),
        "Response": Answer(status_argument=(0, "status"), body=(2, "content")),
        "json": _JSON,
        "pretty_json": _JSON,
        "text": Answer(status_argument=(1, "status"), body=(0, "value"), content_type="text/plain"),
        "html": Answer(status_argument=(1, "status"), body=(0, "value"), content_type="text/html"),
        "view": PAGE,
        "view_async": PAGE,
        "file": FILE,
    },
    named_answers=Answer(body=(0, "message")),
    encoders=frozenset({"dumps", "JSONContent"}),
    nothing="204",
    untyped_is_required=False,
    errors=ErrorFamily(
        *(("blacksheep.",), PHRASES, ("HTTPException",), ("status", 0)),
        handling=(b"exception_handler", b"exceptions_handlers"),
        handled=b"blacksheep",
    ),
)
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
            "blacksheep.server.controllers.Controller": "",
            "blacksheep.server.controllers.APIController": "/api/{version}/{class_name}",
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
