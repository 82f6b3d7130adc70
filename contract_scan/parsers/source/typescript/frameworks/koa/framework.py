"""Koa with its routers: `router.get("/x", …)`, prefixes, routers below routers, `koa-mount`."""

from __future__ import annotations

from collections.abc import Iterator

from contract_scan.ir.operation import Operation
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.language import Framework
from contract_scan.parsers.source.typescript.frameworks.koa import routes as koa_routes
from contract_scan.parsers.source.typescript.frameworks.koa.routes import METHODS, VERBS, KoaLibrary
from contract_scan.parsers.source.typescript.web.preceding_uses import RequestLibrary
from contract_scan.parsers.source.typescript.web.response_heads import JSON
from contract_scan.parsers.source.typescript.web.routers import RouterKind
from contract_scan.parsers.source.typescript.web.taint_marks import FORM, TaintMarks
from contract_scan.parsers.source.web.request_members import (
    RequestMembers,
)

NAME = "Koa"
_APPS = frozenset({"koa", "koa.default"})
_ROUTERS = frozenset(
    f"{module}{name}"
    for module in ("@koa/router", "koa-router")
    for name in ("", ".default", ".Router")
)
_KIND = RouterKind(
    has_prefix=True,
    makers=_APPS | _ROUTERS,
    apps=_APPS,
    types=frozenset({*_ROUTERS, "koa", "koa.default", "koa.Application"}),
    chainable=frozenset({*METHODS, "use", "prefix", "param", "register", "routes", "middleware"}),
    parameters=frozenset({"router"}),
    registers=frozenset({*METHODS, "use", "register"}),
)
_MARKS = TaintMarks(
    bodies={
        "<context>.request.body": JSON,
        "<context>.request.rawBody": "*/*",
        "<context>.request.files": FORM,
        "<context>.req.body": JSON,
    },
    queries=frozenset({"<context>.query", "<context>.request.query"}),
)
_COMPOSERS = frozenset({"koa-compose", "koa-combine-routers", "koa-compose.default"})
_MOUNTS = frozenset({"koa-mount", "koa-mount.default"})
_ADDRESSES = ("querystring", "search", "url", "originalUrl", "href", "URL")
_OF_BOTH = frozenset(
    {"method", "path", "header", "headers", "host", "hostname", "origin", "protocol", "secure"}
    | {"ip", "ips", "subdomains", "fresh", "stale", "idempotent", "socket", "is", "get"}
    | {"accepts", "acceptsEncodings", "acceptsCharsets", "acceptsLanguages", "type", "length"}
)
"""Members of the context, and of its request, that have nothing to do with query or body."""
_REQUESTS = RequestLibrary(
    members=RequestMembers(
        queries=frozenset({"query", "request.query"}),
        bodies=frozenset(f"request.{n}" for n in ("body", "rawBody", "files", "file")),
        addresses=frozenset(f"{of}{n}" for of in ("", "request.") for n in _ADDRESSES),
        both=frozenset({"req", "request.req", "request.ctx"}),
        others=frozenset(f"request.{name}" for name in _OF_BOTH)
        | _OF_BOTH
        | {"params", "state", "status", "message", "body", "response", "set", "append", "remove"}
        | {"vary", "redirect", "attachment", "headerSent", "lastModified", "etag", "throw"}
        | {"assert", "cookies", "respond", "session", "isAuthenticated", "isUnauthenticated"}
        | {"login", "logout", "flushHeaders", "writable", "onerror", "log", "_matchedRoute"}
        | {"routerPath", "routerName", "res", "app"},
    ),
    middleware=frozenset(
        {"koa-bodyparser", "@koa/bodyparser", "koa-body", "@koa/cors", "koa-cors", "koa-helmet"}
        | {"koa-compress", "koa-logger", "koa-json", "koa-session", "koa-jwt", "koa-static"}
        | {"koa-ratelimit", "koa-conditional-get", "koa-etag", "koa-favicon", "koa-onerror"}
        | {"koa-pino-logger", "koa-response-time", "koa-requestid", "koa-passport", "koa-morgan"}
        | _ROUTERS
    ),
)
"""https://github.com/koajs/koa/blob/master/docs/api/context.md"""
_FLAVOR = KoaLibrary(
    name=NAME,
    kind=_KIND,
    marks=_MARKS,
    composers=_COMPOSERS,
    mounts=_MOUNTS,
    requests=_REQUESTS,
)


def operations(program: Program, framework: Framework) -> Iterator[Operation]:
    """Every route, once for each place its router is mounted at."""
    if program.files_containing(*_OWN):
        yield from koa_routes.operations(program, framework, _FLAVOR)


_OWN = (b"koa-router", b"@koa/router")
"""What a project that uses a router of Koa holds somewhere."""

FRAMEWORK = Framework(
    name=NAME,
    markers=(
        *_OWN,
        *(b"'koa'", b'"koa"', b".routes()", b"outer.use("),
        *(b"outer.%s(" % verb for verb in (b"get", b"post", b"put", b"patch", b"delete")),
        *(b".%s(%s/" % (verb, quote) for verb in (b"get", b"post") for quote in (b"'", b'"')),
    ),
    calls=(
        *(b".%s(" % verb.encode() for verb in (*VERBS, "all", "use", "routes", "register")),
        b"Router(",
        b"outer[",
    ),
    operations=operations,
)
