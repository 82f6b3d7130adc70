"""Spark (Java): routes of `spark.Spark` and of `Service`, in groups of paths."""

from msgspec.structs import replace

from contract_scan.ir.reasons import NO_REASON, Reason
from contract_scan.parsers.source.java.web.context_routes import ContextRoutes, GroupCall, framework
from contract_scan.parsers.source.java.web.effects import ResponseCall, ResponseCalls
from contract_scan.parsers.source.java.web.endpoints import Library
from contract_scan.parsers.source.java.web.media import JSON
from contract_scan.parsers.source.java.web.reading import by_kind

_READS = by_kind(
    path="params",
    query="queryParams queryParamOrDefault queryParamsValues",
    header="headers",
    cookie="cookie",
    raw="body bodyAsBytes",
    anything="queryMap queryString cookies raw",
    nothing=(
        "attribute session uri url ip pathInfo splat requestMethod contentType userAgent host "
        "port scheme protocol matchedPath contextPath attributes"
    ),
)
_EFFECTS = ResponseCalls(
    {
        "status": ResponseCall(status_at=0),
        "type": ResponseCall(content_type_at=0),
        "body": ResponseCall(body_at=0),
        "redirect": ResponseCall(status="302", status_at=1),
        "raw": ResponseCall(unknown=Reason("handler-writes-response-itself")),
    }
)
_LIBRARY = Library(
    reads=_READS,
    effect_of=_EFFECTS,
    responses=(1,),
    content_type=JSON,
    returns=True,
    method_calls=("requestMethod",),
    sends_text=Reason("returned-value-sent-as-text"),
)
FRAMEWORK = framework(
    ContextRoutes(
        name="Spark Java",
        markers=(b"import spark.", b"import static spark."),
        verbs=frozenset({"get", "post", "put", "patch", "delete", "head", "options", "trace"}),
        static_owner="Spark",
        router_types=frozenset({"Service"}),
        groups={"path": GroupCall(with_path=2, method="addRoutes")},
        path_syntax=((r"(?<=/):([^/]+)", r"{\1}"), (r"/\*$", "/{path:.*}")),
        library=_LIBRARY,
        takes_accepted_type=True,
        transformed={
            "engine": replace(_LIBRARY, sends_text=NO_REASON, content_type="text/html"),
            "json": replace(_LIBRARY, sends_text=NO_REASON),
            "": replace(_LIBRARY, sends_text=Reason("custom-response-transformer")),
        },
    )
)
