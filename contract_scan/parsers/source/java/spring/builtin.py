"""Endpoints that Spring Boot serves by itself: errors, health and metrics, API documents.

A contract written from a running application lists them; no class of the project maps them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from contract_scan.ir.operation import Body, Operation, Response
from contract_scan.ir.origin import Origin
from contract_scan.ir.schema import Unknown
from contract_scan.parsers.source.java.annotations import has
from contract_scan.parsers.source.java.build import build_texts, module_of
from contract_scan.parsers.source.java.evidence import everywhere
from contract_scan.parsers.source.java.properties import settings
from contract_scan.parsers.source.java.routes import joined
from contract_scan.parsers.source.java.spring.prefixes import configured

if TYPE_CHECKING:
    from contract_scan.parsers.source.link.program import Program

_FIRST_GENERATION = re.compile(rb"[^0-9.]1\.[2-5]\.\d{1,3}\.(?:RELEASE|BUILD)")
"""Spring Boot 1 serves its endpoints at the root."""
_OLD_ENDPOINTS = (
    *("autoconfig", "beans", "configprops", "dump", "env", "health", "info", "mappings"),
    *("metrics", "trace", "heapdump", "loggers", "auditevents", "logfile"),
)
_ACTUATOR = b"spring-boot-starter-actuator"
_DOCUMENTS = (b"springdoc-openapi", ("v3/api-docs", "v3/api-docs.yaml", "swagger-ui.html"))


def builtin(program: Program, sources: list[str], framework: str) -> Iterator[Operation]:
    """The endpoints of every Spring Boot application in the modules of the sources."""
    modules = {module_of(program, source) for source in sources}
    for path in everywhere(program, b"@SpringBootApplication", b"@EnableAutoConfiguration"):
        if module_of(program, path) not in modules and path.startswith("../"):
            continue
        for symbol in program.classes(program.facts(path)):
            annotations = symbol.decl.annotations
            if has(annotations, "SpringBootApplication", "EnableAutoConfiguration"):
                for end in _paths(program, path):
                    yield _operation(program, path, end, symbol.origin, framework)


def _paths(program: Program, path: str) -> Iterator[str]:
    yield settings(program, path).get("server.error.path") or "error"
    builds = build_texts(program, module_of(program, path))
    if any(_ACTUATOR in content for content in builds):
        if any(_FIRST_GENERATION.search(content) for content in builds):
            base = settings(program, path).get("management.contextpath", "")
            for name in _OLD_ENDPOINTS:
                yield joined(base, name)
                yield joined(base, f"{name}.json")
                yield joined(base, name, "{name}")
        else:
            base = settings(program, path).get("management.endpoints.web.basepath") or "actuator"
            yield base
            yield joined(base, "{name}")
            yield joined(base, "{name}", "{path*}")
    marker, documents = _DOCUMENTS
    if any(marker in content for content in builds):
        yield from documents


def _operation(program: Program, path: str, end: str, origin: Origin, framework: str) -> Operation:
    prefix, _ = configured(program, path)
    schema = Unknown(reason="Spring Boot itself answers this path", origin=origin)
    body = Body(schema=schema, origin=origin)
    return Operation(
        method="*",
        path=joined(prefix, end),
        parameters_complete=False,
        responses=(Response(status="200", bodies=(body,), explicit=False, origin=origin),),
        origin=origin,
        handler="Spring Boot",
        framework=framework,
        hidden=True,
    )
