"""Endpoints that Spring Boot serves by itself: errors, health and metrics, API documents.

A contract written from a running application lists them; no class of the project maps them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from msgspec.structs import replace

from contract_scan.ir.operation import Body, Operation, Response
from contract_scan.ir.origin import Origin, Span
from contract_scan.ir.reasons import Reason
from contract_scan.ir.schema import Unknown
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.java.frameworks.spring.prefixes import configured_prefix
from contract_scan.parsers.source.java.resolution.annotations import has
from contract_scan.parsers.source.java.resolution.build import build_texts, module_of
from contract_scan.parsers.source.java.resolution.dependencies import (
    everywhere,
    is_in_related_files,
)
from contract_scan.parsers.source.java.resolution.properties import settings
from contract_scan.parsers.source.java.web.routes import join_paths

_FIRST_GENERATION = re.compile(rb"[^0-9.]1\.[2-5]\.\d{1,3}\.(?:RELEASE|BUILD)")
"""Spring Boot 1 serves its endpoints at the root."""
_OLD_ENDPOINTS = (
    *("autoconfig", "beans", "configprops", "dump", "env", "health", "info", "mappings"),
    *("metrics", "trace", "heapdump", "loggers", "auditevents", "logfile"),
)
_ACTUATOR = b"spring-boot-starter-actuator"
_SECURITY = b"spring-boot-starter-security"
_LOGIN_CLIENT = b"spring-boot-starter-oauth2-client"
_CONFIGURES_SECURITY = (b"HttpSecurity", b"SecurityFilterChain", b"SecurityWebFilterChain")
_ENDPOINTS = (
    *("auditevents", "beans", "caches", "conditions", "configprops", "env", "flyway", "health"),
    *("heapdump", "httpexchanges", "httptrace", "info", "integrationgraph", "liquibase", "logfile"),
    *("loggers", "mappings", "metrics", "prometheus", "quartz", "sbom", "scheduledtasks"),
    *("sessions", "shutdown", "startup", "threaddump"),
)
_PATH_MAPPING = "management.endpoints.web.pathmapping."
_DOCUMENTS = {
    b"springdoc-openapi": ("swagger-ui.html", "swagger-ui/{path*}", "swagger-ui/index.html"),
    b"springfox": ("v2/api-docs", "v3/api-docs", "swagger-resources/{path*}", "swagger-ui.html"),
}
"""What libraries serve that document an application, by their names in build files."""
_ANNOTATED = b"io.swagger.v3.oas.annotations"


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
    served: dict[str, str] = {}
    for source in sources:
        served.setdefault(module_of(program, source), source)
    for source in served.values():
        yield from _brought_documents(program, source, framework)


def _paths(program: Program, path: str) -> Iterator[str]:
    yield settings(program, path).get("server.error.path") or "error"
    builds = build_texts(program, module_of(program, path))
    if any(_ACTUATOR in content for content in builds):
        if any(_FIRST_GENERATION.search(content) for content in builds):
            base = settings(program, path).get("management.contextpath", "")
            for name in _OLD_ENDPOINTS:
                yield join_paths(base, name)
                yield join_paths(base, f"{name}.json")
                yield join_paths(base, name, "{name}")
        else:
            yield from _endpoints(settings(program, path))
    yield from _unconfigured_security(program, path, builds)
    for marker, documents in _DOCUMENTS.items():
        if any(marker in content for content in builds):
            yield from documents
            yield from _api_document_paths(settings(program, path))


def _brought_documents(program: Program, path: str, framework: str) -> Iterator[Operation]:
    """The documents of an application that is annotated for them, where what serves them comes with
    another library or a parent of the build, and its settings too."""
    builds = build_texts(program, module_of(program, path))
    if any(marker in content for marker in _DOCUMENTS for content in builds):
        return
    if any(map(bytes.strip, builds)) and is_in_related_files(program, path, _ANNOTATED):
        why = Reason("library-documents-not-found")
        for end in ("api-docs", "swagger-ui"):
            origin = Origin(path, Span(1, 1, 1, 1))
            found = _operation(program, path, end, origin, framework)
            yield replace(found, responses=(), unresolved=why)


def _endpoints(values: Mapping[str, str]) -> Iterator[str]:
    """Health, metrics and the like, below the path that settings give them."""
    written = values.get("management.endpoints.web.basepath") or "actuator"
    server = values.get("management.server.basepath", "")
    for base in dict.fromkeys((join_paths(written), join_paths(server, written))):
        if base != "/":
            yield base
            yield join_paths(base, "{name}")
            yield join_paths(base, "{name}", "{path*}")
            continue
        # At the root only what is known by name is told from the application's own paths.
        for name in _ENDPOINTS:
            yield name
            yield join_paths(name, "{name}")
        for key, own in values.items():
            if key.startswith(_PATH_MAPPING):
                yield own


def _api_document_paths(values: Mapping[str, str]) -> Iterator[str]:
    """The paths of the documents that a library generates for an application."""
    base = values.get("springdoc.apidocs.path") or "v3/api-docs"
    yield base
    yield f"{base}.yaml"
    yield join_paths(base, "{group}")
    if "springdoc.swaggerui.path" in values:
        yield values["springdoc.swaggerui.path"]


def _unconfigured_security(program: Program, path: str, builds: list[bytes]) -> Iterator[str]:
    """What Spring Security answers where nothing configures it."""
    is_there = any(_SECURITY in content or _LOGIN_CLIENT in content for content in builds)
    if is_there and not is_in_related_files(program, path, *_CONFIGURES_SECURITY):
        yield from ("login", "logout")
        if any(_LOGIN_CLIENT in content for content in builds):
            yield from ("oauth2/authorization/{id}", "login/oauth2/code/{id}")


def _operation(program: Program, path: str, end: str, origin: Origin, framework: str) -> Operation:
    prefix, why = configured_prefix(program, path)
    schema = Unknown(reason=Reason("spring-boot-answers-path"), origin=origin)
    body = Body(schema=schema, origin=origin)
    return Operation(
        method="*",
        path=join_paths(prefix, end),
        parameters_complete=False,
        framework_injected=("Principal",),
        responses=(Response(status="200", bodies=(body,), explicit_status=False, origin=origin),),
        origin=origin,
        handler="Spring Boot",
        framework=framework,
        excluded_from_docs=True,
        added_by_framework=True,
        unresolved=why,
    )
