"""Prefixes of JAX-RS applications: `@ApplicationPath`, settings, `web.xml`, Dropwizard."""

from __future__ import annotations

import re
from collections.abc import Iterator

from msgspec import Struct
from msgspec.structs import replace

from contract_scan.ir.operation import DYNAMIC_PREFIX
from contract_scan.ir.reasons import NO_REASON, Reason
from contract_scan.parsers.source.analysis.domain.memo import memoised
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import (
    ByType,
    ClassSymbol,
    ClassValue,
    Instance,
    Scope,
)
from contract_scan.parsers.source.analysis.evaluation.call_sites import calls_in
from contract_scan.parsers.source.discovery.test_code import is_test
from contract_scan.parsers.source.facts.nodes import Call, Expr, New, TypeValue
from contract_scan.parsers.source.java.frameworks.jaxrs.annotations import jaxrs_name
from contract_scan.parsers.source.java.frameworks.jaxrs.mounts import MARKERS, mounted_applications
from contract_scan.parsers.source.java.resolution.annotations import (
    argument,
    constant_name,
    own_and_inherited,
    type_name,
)
from contract_scan.parsers.source.java.resolution.build import (
    module_of,
    module_of_web_xml,
    modules,
    users,
)
from contract_scan.parsers.source.java.resolution.dependencies import (
    everywhere,
    related_files_containing,
)
from contract_scan.parsers.source.java.resolution.properties import (
    read_yaml,
    resolve_placeholders,
    settings,
)
from contract_scan.parsers.source.java.web.routes import join_paths

URL_PATTERN = b"setUrlPattern("
_SETTINGS = (
    ("server.servlet.contextpath", "server.contextpath", "quarkus.http.rootpath"),
    ("quarkus.rest.path", "quarkus.resteasy.path", "quarkus.resteasyreactive.path"),
)
_VARIABLE = re.compile(r"\$\{([^{}:]{1,100})")
_DROPWIZARD_KEYS = (b"applicationContextPath", b"rootPath")
_COMMENT = re.compile(rb"<!--.*?(?:-->|\Z)", re.DOTALL)
_SERVLET_MAPPING = re.compile(
    rb"<servlet-mapping\b[^>]{0,200}>\s*<servlet-name>\s*([^<\s]{1,200})\s*</servlet-name>\s*"
    rb"<url-pattern>([^<]{1,200})</url-pattern>",
)
_REST_SERVLETS = re.compile(
    rb"ws\.rs\.core\.Application|glassfish\.jersey|HttpServletDispatcher|ServletContainer|"
    rb"[Jj]ersey|RESTEasy|[Rr]esteasy"
)
"""What the definition of a servlet says that runs JAX-RS."""


class Application(Struct, frozen=True, eq=False):
    """One JAX-RS application."""

    file: str
    """Where it is declared, or mounted."""
    path: str | None
    """None: not constant."""
    classes: frozenset[str]
    """Keys of the resource classes it registers; with `packages`, empty where it takes all."""
    packages: tuple[str, ...]
    is_open: bool = False
    """Whether it takes packages that are not constant besides."""


def prefixes(program: Program, resource: ClassSymbol) -> tuple[list[str], Reason]:
    """The prefixes under which a resource class is served, and why they are undetermined."""
    path = resource.file.path
    values = settings(program, path)
    parts: list[str] = []
    for keys in _SETTINGS:
        written = next((values[key] for key in keys if key in values), "")
        text, missing = resolve_placeholders(written, values)
        if missing:
            return [DYNAMIC_PREFIX], Reason("base-path-property-not-set", missing=missing)
        parts.append(text)
    base = join_paths(_context_root(program, path), *parts)
    serving = _serving_applications(program, _mounted_applications(program), resource)
    serving = serving or _serving_applications(program, applications(program), resource)
    if any(application.path is None for application in serving):
        return [DYNAMIC_PREFIX], Reason("application-path-not-constant")
    found = [join_paths(base, application.path or "") for application in serving]
    if len(set(found)) > 1 and any(_may_serve(one, resource) for one in serving):
        return [DYNAMIC_PREFIX], Reason("application-of-several-undetermined")
    if not found:
        served = values.get("spring.jersey.applicationpath") or _configured_prefix(program, path)
        if variable := _VARIABLE.search(served):  # it has another value where the service runs
            return [DYNAMIC_PREFIX], Reason("base-path-property-not-set", missing=variable[1])
        found = [join_paths(base, served)]
    return list(dict.fromkeys(found)), NO_REASON


def _serving_applications(
    program: Program, known: list[Application], resource: ClassSymbol
) -> list[Application]:
    """The applications that serve a resource: those that register it, else those that take
    everything, of its own module or of those that use it."""
    module = module_of(program, resource.file.path)
    listing = [a for a in known if resource.key in a.classes]
    if listing:
        return listing
    near = [a for a in known if module_of(program, a.file) == module]
    using = users(program, module)
    near = near or [a for a in known if module_of(program, a.file) in using]
    listing = [a for a in near if _in_packages(a, resource)]
    whole = [a for a in near if a.is_open or (not a.classes and not a.packages)]
    return listing or whole or near


def _may_serve(application: Application, resource: ClassSymbol) -> bool:
    """Whether only packages that are not constant can lead from an application to a resource."""
    named = resource.key in application.classes or _in_packages(application, resource)
    return application.is_open and not named


def _in_packages(application: Application, resource: ClassSymbol) -> bool:
    own = resource.file.package
    return any(own == p or own.startswith(f"{p}.") for p in application.packages)


@memoised
def applications(program: Program) -> list[Application]:
    """Every class with `@ApplicationPath`."""
    return list(_applications(program))


def _applications(program: Program) -> Iterator[Application]:
    for path in everywhere(program, b"ApplicationPath"):
        for symbol in program.classes(program.facts(path)):
            chain = program.types.chain(symbol, program.class_scope(symbol))
            found = own_and_inherited(chain[:1], "ApplicationPath")
            if found is None or not jaxrs_name(program, *found):
                continue
            annotation, scope = found
            text = program.text(argument(annotation, "value"), scope)
            if text is not None:
                text, missing = resolve_placeholders(text, settings(program, path))
                text = None if missing else _without_star(text)
            yield replace(_registrations(program, symbol, scope), path=text)


@memoised
def _mounted_applications(program: Program) -> list[Application]:
    """Every application that code mounts: a servlet's pattern replaces `@ApplicationPath`."""
    found: list[Application] = []
    for path in everywhere(program, *MARKERS):
        for mount in mounted_applications(program, path) if not is_test(path) else ():
            keys = {
                key
                for expr, scope in mount.registered
                for key in _registered_resources(program, expr, scope)
            }
            packages, is_open = list(mount.packages), mount.is_open
            if mount.configuration is not None:
                inside = program.class_scope(mount.configuration)
                application = _registrations(program, mount.configuration, inside)
                keys |= application.classes
                packages.extend(application.packages)
                is_open = is_open or application.is_open
            found.append(Application(path, mount.path, frozenset(keys), tuple(packages), is_open))
    return found


def _registered_resources(program: Program, expr: Expr, scope: Scope) -> Iterator[str]:
    """The key of the resource that a registered class or object implements."""
    if isinstance(expr, TypeValue | New):
        yield from _key(program, expr.type, scope)
        return
    value = program.evaluate(expr, scope)
    if isinstance(value, ByType):
        yield from _key(program, value.type, value.scope)
    elif isinstance(value, Instance | ClassValue) and _is_resource(value.symbol):
        yield value.symbol.key


def _without_star(path: str) -> str:
    return path.removesuffix("*").rstrip("/")


def _registrations(program: Program, symbol: ClassSymbol, inside: Scope) -> Application:
    """What an application registers in its constructor or `getClasses`, whatever its path."""
    keys: set[str] = set()
    packages: list[str] = []
    is_open = False
    for method in symbol.decl.methods:
        scope = program.function_scope(method, inside)
        for call, place in calls_in(program, scope.statements or (), scope):
            if isinstance(call, New):
                keys.update(_key(program, call.type, place))
                continue
            if constant_name(call.callee) == "packages":
                texts = [program.text(a.value, place) for a in call.args]
                packages.extend(text for text in texts if text is not None)
                is_open = is_open or None in texts
            for given in call.args:
                if isinstance(given.value, TypeValue):
                    keys.update(_key(program, given.value.type, place))
    return Application(symbol.file.path, None, frozenset(keys), tuple(packages), is_open)


def _key(program: Program, type: object, scope: Scope) -> Iterator[str]:
    name = getattr(type, "name", None)
    if isinstance(name, str):
        found = program.names.lookup_type(name, scope)
        if isinstance(found, ClassValue) and _is_resource(found.symbol):
            yield found.symbol.key


def _is_resource(symbol: ClassSymbol) -> bool:
    """Whether a class is (or may be, through an interface) a resource rather than a provider."""
    names = {a.name.rpartition(".")[2] for a in symbol.decl.annotations}
    return "Path" in names or bool(symbol.decl.bases and "Provider" not in names)


# --------------------------------------------------------------------------- other places


_DESCRIPTORS = (
    *("server.xml", "jboss-web.xml", "ibm-web-ext.xml"),
    *("glassfish-web.xml", "payara-web.xml", "sun-web.xml"),
)
"""Files that tell servers of Jakarta EE below which path a module is put."""
_CONTEXT_ROOT = re.compile(
    rb"\bcontextRoot=\"([^\"]{1,200})\"|<context-root\s+uri=\"([^\"]{1,200})\""
    rb"|<context-root>([^<]{1,200})<"
)


def _context_root(program: Program, path: str) -> str:
    """The path below which the server puts the module of a file."""
    module = module_of(program, path)
    for name in _DESCRIPTORS:
        for found in program.files.files_named(name):
            if module not in (module_of_web_xml(program, found), found.partition("src/")[0][:-1]):
                continue
            content = _COMMENT.sub(b"", program.files.read(found) or b"")
            told = _CONTEXT_ROOT.search(content)
            if told is not None:
                text = next(filter(None, told.groups())).decode("utf-8", "replace").strip()
                return "" if "$" in text else text
    return ""


def _configured_prefix(program: Program, path: str) -> str:
    """A prefix that `web.xml` or Dropwizard's code or configuration sets."""
    return _from_web_xml(program, path) or _from_dropwizard(program, path)


def _from_web_xml(program: Program, path: str) -> str:
    module = module_of(program, path)
    using = users(program, module)
    for found in program.files.files_named("web.xml"):
        home = module_of_web_xml(program, found)
        if home != module and home not in using:
            continue
        content = _COMMENT.sub(b"", program.files.read(found) or b"")
        for name, pattern in _SERVLET_MAPPING.findall(content):
            if (
                _REST_SERVLETS.search(name)
                or _is_rest_servlet(content, name)
                or _is_application(program, name.decode("utf-8", "replace"))
            ):
                return _without_star(pattern.decode("utf-8", "replace").strip())
    return ""


def _is_application(program: Program, name: str) -> bool:
    """Whether a servlet is called as an application of the project: without an element of its own
    it then is the one that serves this application."""
    for path in program.files_defining(name.rpartition(".")[2]):
        for symbol in program.classes(program.facts(path)):
            if f"{symbol.file.package}.{symbol.qualified_name}" != name:
                continue
            chain = (symbol, *program.bases(symbol))
            bases = {type_name(base) for owner in chain for base in owner.decl.bases}
            return not bases.isdisjoint(("Application", "ResourceConfig"))
    return False


def _is_rest_servlet(content: bytes, name: bytes) -> bool:
    start = content.find(b"<servlet-name>" + name)
    end = content.find(b"</servlet>", start)
    return end > start >= 0 and _REST_SERVLETS.search(content[start:end]) is not None


def _from_dropwizard(program: Program, path: str) -> str:
    module = module_of(program, path)
    for found in related_files_containing(program, path, URL_PATTERN):
        for call, scope in program.calls(program.facts(found)):
            if isinstance(call, Call) and constant_name(call.callee) == "setUrlPattern":
                text = program.text(call.args[0].value, scope) if call.args else None
                if text is not None:
                    return _without_star(text)
    return _from_dropwizard_files(program, module)


def _from_dropwizard_files(program: Program, module: str) -> str:
    """`server.rootPath` and `applicationContextPath` of the configuration files of the module. A
    file that leaves both out (one for developers, say) says nothing against those that set them.
    Files that lie in no module count where the module has none."""
    found: set[str] = set()
    around: set[str] = set()
    for path in (*program.files.ending(".yml"), *program.files.ending(".yaml")):
        is_own = module_of(program, path) == module or path.rpartition("/")[0] == module
        if not is_own and any(each and path.startswith(f"{each}/") for each in modules(program)):
            continue
        content = program.files.read(path) or b""
        if is_test(path) or not any(key in content for key in _DROPWIZARD_KEYS):
            continue
        values = read_yaml(content)
        keys = ("server.applicationcontextpath", "server.rootpath")
        written = [_without_star(values.get(key, "")) for key in keys]
        if any(written):
            (found if is_own else around).add(join_paths(*written))
    found = found or around
    return found.pop() if len(found) == 1 else ""
