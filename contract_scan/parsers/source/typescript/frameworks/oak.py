"""Oak, the router of Deno: what Koa's routers do, from a module by address."""

from __future__ import annotations

from collections.abc import Iterator

from contract_scan.ir.operation import Operation
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.language import Framework
from contract_scan.parsers.source.typescript.frameworks.koa import routes as koa_routes
from contract_scan.parsers.source.typescript.frameworks.koa.routes import METHODS, VERBS, KoaLibrary
from contract_scan.parsers.source.typescript.web.response_heads import JSON
from contract_scan.parsers.source.typescript.web.routers import RouterKind
from contract_scan.parsers.source.typescript.web.taint_marks import FORM, TaintMarks

NAME = "Oak"
_APPS = frozenset({"oak.Application", "@oak/oak.Application"})
_ROUTERS = frozenset({"oak.Router", "@oak/oak.Router"})
_BODY = "<context>.request.body"
_MARKS = TaintMarks(
    bodies={
        f"{_BODY}.json()": JSON,
        f"{_BODY}().value": JSON,
        f"{_BODY}().value()": JSON,
        f"{_BODY}.value": JSON,
        f"{_BODY}.formData()": FORM,
        f"{_BODY}.form()": FORM,
        f"{_BODY}.text()": "*/*",
        f"{_BODY}.blob()": "*/*",
        f"{_BODY}.arrayBuffer()": "*/*",
    },
    getters=frozenset(
        f"<context>.request.url.searchParams.{name}" for name in ("get", "getAll", "has")
    ),
)

_FLAVOR = KoaLibrary(
    name=NAME,
    kind=RouterKind(
        has_prefix=True,
        makers=_APPS | _ROUTERS,
        apps=_APPS,
        types=_APPS | _ROUTERS,
        chainable=frozenset({*METHODS, "use", "prefix", "param", "redirect", "routes"}),
        parameters=frozenset({"router"}),
        registers=frozenset({*METHODS, "use"}),
    ),
    marks=_MARKS,
)


def operations(program: Program, framework: Framework) -> Iterator[Operation]:
    """Every route, once for each place its router is mounted at."""
    if not program.files_containing(*_OWN):
        return
    yield from koa_routes.operations(program, framework, _FLAVOR)


_OWN = (b"/oak", b"'oak'", b'"oak"')
"""What a project that uses Oak holds somewhere."""

FRAMEWORK = Framework(
    name=NAME,
    markers=(
        *(b"/oak@", b"/oak/mod", b"@oak/oak", b"'oak'", b'"oak"', b"outer.use(", b".routes()"),
        *(b"outer.%s(" % verb for verb in (b"get", b"post", b"put", b"patch", b"delete")),
    ),
    calls=(
        *(b".%s(" % verb.encode() for verb in (*VERBS, "all", "use", "routes")),
        b"Router(",
    ),
    operations=operations,
)
