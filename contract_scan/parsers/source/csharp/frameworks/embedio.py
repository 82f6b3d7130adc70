"""EmbedIO: controllers of Web API modules, whose handlers return what is sent as JSON."""

from contract_scan.parsers.source.csharp.web.controller_routes import ControllerRoutes, framework

FRAMEWORK = framework(
    ControllerRoutes(
        name="EmbedIO",
        markers=(b"using EmbedIO", b"WebApiController"),
        base="WebApiController",
        modules=frozenset({"WithWebApi", "WebApiModule"}),
        registers=frozenset({"WithController", "RegisterController"}),
        sources={"QueryField": "query", "FormField": "form", "JsonData": "body"},
        whole={"QueryData": "", "FormData": "application/x-www-form-urlencoded"},
        exceptions={"HttpException": "", "HttpNotAcceptableException": "406"},
        writes=(b"HttpContext.Send", b"HttpContext.Open", b"Response.OutputStream"),
        json="webapi",
    )
)
