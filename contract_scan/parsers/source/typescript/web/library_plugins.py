"""Routes that plugins of libraries register: what is known of each plugin by its documentation, and
one route of unknown path for a plugin that is not known.

No such route is read, so that each is undetermined: what a contract says of it is neither verified
nor missing.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from msgspec import Struct

from contract_scan.ir.operation import Operation
from contract_scan.ir.origin import Origin
from contract_scan.ir.reasons import Reason
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import (
    Constant,
    LibraryResult,
    LibrarySymbol,
    Record,
    Value,
)
from contract_scan.parsers.source.typescript.resolution import walker
from contract_scan.parsers.source.typescript.web.paths import DYNAMIC_PREFIX, join, templates
from contract_scan.parsers.source.typescript.web.routers import Graph, Mount


class PluginPath(Struct, frozen=True):
    """A path that a plugin answers."""

    default: str
    """Empty: none, unless the option says one."""
    option: str = ""
    """The option that says another one, with dots where it lies deeper. Its value `false` switches
    the route off."""
    ends: tuple[str, ...] = ("",)
    """What stands behind it: one route each."""
    method: str = "GET"


class _Registered(Struct, frozen=True):
    """A plugin of a library that routers of the project are given."""

    name: str
    """Qualified name of what is registered."""
    options: Value | None
    mounts: tuple[Mount, ...]
    origin: Origin


_HERE_AND_BELOW = ("", "/{path*}")
_SWAGGER_UI = ("", "/json", "/yaml", "/{path*}")

PLUGINS: dict[str, tuple[PluginPath, ...]] = {
    # Hapi
    "hapi-swagger": (
        PluginPath("/documentation", "documentationPath"),
        PluginPath("/swagger.json", "jsonPath"),
        PluginPath("/swagger.json", "jsonRoutePath"),
        PluginPath("/swaggerui", "swaggerUIPath", ("/{path*}",)),
    ),
    "hapi-swaggered": (PluginPath("/swagger", "endpoint", _HERE_AND_BELOW),),
    "hapi-swaggered-ui": (PluginPath("/docs", "path", _HERE_AND_BELOW),),
    "hapi-alive": (PluginPath("/health", "path"),),
    "hapijs-status-monitor": (PluginPath("/status", "path"),),
    "@hapi/nes": (PluginPath("/nes/auth", "auth.endpoint"),),
    # Fastify
    "@fastify/swagger-ui": (PluginPath("/documentation", "routePrefix", _SWAGGER_UI),),
    "fastify-swagger": (PluginPath("/documentation", "routePrefix", _SWAGGER_UI),),
    "@scalar/fastify-api-reference": (
        PluginPath("/reference", "routePrefix", ("", "/openapi.json", "/openapi.yaml", "/{path*}")),
    ),
    "@fastify/under-pressure": (
        PluginPath("/status", "exposeStatusRoute"),
        PluginPath("", "exposeStatusRoute.url"),
    ),
    "fastify-healthcheck": (PluginPath("/health", "healthcheckUrl"),),
    "fastify-metrics": (PluginPath("/metrics", "endpoint"),),
    "@fastify/oauth2": (PluginPath("", "startRedirectPath"),),
    "@fastify/routes-stats": (PluginPath("/__stats__", "path"),),
    "@fastify/static": (PluginPath("", ends=("/{path*}",)),),
    "@fastify/http-proxy": (PluginPath("", ends=("/{path*}",), method="*"),),
    "@trpc/server/adapters/fastify": (PluginPath("", ends=("/{path*}",), method="*"),),
    "mercurius": (PluginPath("/graphql", "path", method="*"), PluginPath("/graphiql")),
    # Express: what `use` is given without a path
    "express-status-monitor": (PluginPath("/status", "path"),),
    "swagger-stats": (PluginPath("/swagger-stats", "uriPath", ("/{path*}",)),),
    "express-actuator": (PluginPath("", "basePath", ("/info", "/metrics", "/health")),),
    "express-prom-bundle": (PluginPath("/metrics", "metricsPath"),),
    "express-openid-connect.auth": (
        PluginPath("/login", "routes.login"),
        PluginPath("/logout", "routes.logout"),
        PluginPath("/callback", "routes.callback", method="*"),
    ),
    "keycloak-connect.middleware": (PluginPath("/logout", "logout"),),
    # Koa
    "koa2-swagger-ui": (PluginPath("/docs", "routePrefix", _HERE_AND_BELOW),),
    "koa-swagger-ui": (PluginPath("/docs", "routePrefix", _HERE_AND_BELOW),),
    # Nest: modules
    "@bull-board/nestjs": (PluginPath("/queues", "route", _HERE_AND_BELOW, method="*"),),
    "@golevelup/nestjs-hasura": (
        PluginPath("/hasura", "controllerPrefix", ("/events",), method="POST"),
    ),
    "@golevelup/nestjs-stripe": (
        PluginPath("/stripe", "webhookConfig.controllerPrefix", ("/webhook",), method="POST"),
    ),
    "@nestjs/graphql": (PluginPath("/graphql", "path", method="*"),),
    "@nestjs/serve-static": (PluginPath("", "serveRoot", _HERE_AND_BELOW),),
    "@willsoto/nestjs-prometheus": (PluginPath("/metrics", "path"),),
}
"""Plugins by the qualified name of what is registered, or by the start of it, with the paths that
their documentation names."""

_WITHOUT_ROUTES = (
    "@automapper/nestjs",
    "@casl",
    "@fastify",
    "@golevelup",
    "@hapi",
    "@hapipal/confidence",
    "@hapipal/schmervice",
    "@hapipal/schwifty",
    "@hapipal/toys",
    "@keyv",
    "@liaoliaots/nestjs-redis",
    "@mikro-orm/nestjs",
    "@nestjs",
    "@nestjs-cls",
    "@nestjs-modules",
    "@nestlab/google-recaptcha",
    "@ntegral/nestjs-sentry",
    "@sentry/nestjs",
    "@songkeys/nestjs-redis",
    "@ssut/nestjs-sqs",
    "blankie",
    "blipp",
    "disinfect",
    "fastify-auth0-verify",
    "fastify-axios",
    "fastify-blipp",
    "fastify-casl",
    "fastify-compress",
    "fastify-cookie",
    "fastify-cors",
    "fastify-custom-healthcheck",
    "fastify-disablecache",
    "fastify-formbody",
    "fastify-graceful-shutdown",
    "fastify-guard",
    "fastify-helmet",
    "fastify-ip",
    "fastify-jwt",
    "fastify-knexjs",
    "fastify-mongoose",
    "fastify-multer",
    "fastify-multipart",
    "fastify-openapi-glue",
    "fastify-print-routes",
    "fastify-prisma",
    "fastify-qs",
    "fastify-rate-limit",
    "fastify-raw-body",
    "fastify-sensible",
    "fastify-sentry",
    "fastify-type-provider-zod",
    "fastify-xml-body-parser",
    "h2o2",
    "hapi-auth-basic",
    "hapi-auth-bearer-token",
    "hapi-auth-cookie",
    "hapi-auth-hawk",
    "hapi-auth-jwt2",
    "hapi-boom-decorators",
    "hapi-correlation-id",
    "hapi-dev-errors",
    "hapi-geo-locate",
    "hapi-mongodb",
    "hapi-mongoose",
    "hapi-pino",
    "hapi-pulse",
    "hapi-qs",
    "hapi-rate-limit",
    "hapi-rate-limitor",
    "hapi-require-https",
    "hapi-sentry",
    "inert",
    "laabr",
    "nes",
    "nest-access-control",
    "nest-aws-sdk",
    "nest-casl",
    "nest-commander",
    "nest-keycloak-connect",
    "nest-knexjs",
    "nest-router",
    "nest-typed-config",
    "nest-winston",
    "nestjs-cls",
    "nestjs-command",
    "nestjs-config",
    "nestjs-form-data",
    "nestjs-i18n",
    "nestjs-knex",
    "nestjs-minio-client",
    "nestjs-otel",
    "nestjs-pino",
    "nestjs-prisma",
    "nestjs-real-ip",
    "nestjs-redis",
    "nestjs-s3",
    "nestjs-stripe",
    "nestjs-telegraf",
    "nestjs-typegoose",
    "nestjs-zod",
    "vision",
    "yar",
)
"""Packages, and scopes of packages, that register no routes but those above."""
_FUNCTIONS_OF_ROUTERS = frozenset({"getRouter", "getRoutes", "createRouter", "makeRouter"})
"""What libraries call a function that makes a router, whatever they make it of."""

_SENDS_FILES = ("express.static", "express.default.static", "serve-static")
"""Beginnings of the names of functions that answer what is asked for with GET alone."""
_NEVER_ANSWER = (
    *("body-parser", "compression", "cookie-parser", "cors", "helmet", "morgan", "multer"),
    *(f"express.{name}" for name in ("json", "raw", "text", "urlencoded")),
)
"""Functions of libraries that routers use, and that hand all requests on."""


def library_name(value: Value) -> str:
    """The qualified name of what a library gives to be registered; empty for anything else."""
    name = value.name if isinstance(value, LibraryResult | LibrarySymbol) else ""
    return name if name and name != "undefined" and name[0] not in "<." else ""


def _makes_router(name: str) -> bool:
    """Whether a function of a library makes a router, as its name says."""
    return name.rsplit(".", 1)[-1] in _FUNCTIONS_OF_ROUTERS


class LibraryPlugins:
    """What a program registers of libraries."""

    def __init__(self, program: Program, graph: Graph) -> None:
        self._program = program
        self._graph = graph
        self._found: dict[tuple[str, Origin], _Registered] = {}
        self._functions: list[_Registered] = []

    def note(
        self, name: str, options: Value | None, mounts: Iterable[Mount], origin: Origin
    ) -> None:
        """Routers are given a plugin; the mounts say where its paths begin."""
        known = self._found.get((name, origin))
        among = known.mounts if known is not None else ()
        self._found[name, origin] = _Registered(name, options, (*among, *mounts), origin)

    def note_function(
        self, name: str, options: Value | None, mounts: list[Mount], at: Origin
    ) -> None:
        """Routers use a function of a library, most of which only look at what is asked."""
        if _listed_paths(name) is not None or _makes_router(name):
            self.note(name, options, mounts, at)
        elif not name.startswith(_NEVER_ANSWER) and any(mount.prefix.text for mount in mounts):
            self._functions.append(_Registered(name, options, tuple(mounts), at))

    def operations(self, framework: str, own: Iterable[Operation] = ()) -> Iterator[Operation]:
        """What the plugins answer, one undetermined route for each path: the listed paths of those
        that are listed, any path of all others. A function that is mounted where the project has no
        route of its `own` is there to answer."""
        for plugin in self._found.values():
            for method, path, why in plugin_routes(self._program, plugin.name, plugin.options):
                for prefix, reason in self._places(plugin):
                    yield undetermined_route(
                        method, join(prefix, path), reason or why, plugin.origin, framework
                    )

        paths = [f"{operation.path}/" for operation in own]
        for function in self._functions:
            shown = function.name.replace("()", "")
            reason = Reason("library-mounted-not-read", shown=shown)
            method = "GET" if function.name.startswith(_SENDS_FILES) else "*"
            for prefix, why in self._places(function):
                if not any(path.startswith(f"{prefix}/") for path in paths):
                    for end in _HERE_AND_BELOW:
                        yield undetermined_route(
                            method, prefix + end, why or reason, function.origin, framework
                        )

    def _places(self, plugin: _Registered) -> dict[tuple[str, Reason], None]:
        """(prefix, why it is undetermined) of what a plugin registers."""
        return dict.fromkeys(
            (join(place.prefix, mount.prefix.text), place.unresolved or mount.prefix.reason)
            for mount in plugin.mounts
            for place in self._graph.places(mount.parent)
        )


def plugin_routes(
    program: Program, name: str, options: Value | None
) -> Iterator[tuple[str, str, Reason]]:
    """(method, path, why it is undetermined) of what a plugin registers by its options: any path
    where it is not listed."""
    shown = name.removesuffix(".default").replace("()", "")
    listed = _listed_paths(name)
    for known in listed or ():
        for path in _paths(program, known, options):
            yield known.method, path, Reason("plugin-not-read-may-answer", shown=shown)
    if listed is None and not any(_is_part_of(name, n) for n in _WITHOUT_ROUTES):
        yield "*", DYNAMIC_PREFIX, Reason("plugin-not-read-may-register", shown=shown)


def undetermined_route(
    method: str, path: str, reason: Reason, origin: Origin, framework: str
) -> Operation:
    """A route that a library answers, which is not read."""
    return Operation(
        method=method,
        path=templates(path)[0].path if "{path*}" not in path else path,
        parameters_complete=False,
        origin=origin,
        framework=framework,
        added_by_framework=True,
        unresolved=reason,
    )


def _listed_paths(name: str) -> tuple[PluginPath, ...] | None:
    fitting = (known for listed, known in PLUGINS.items() if _is_part_of(name, listed))
    return next(fitting, None)


def _is_part_of(name: str, package: str) -> bool:
    """`@fastify/cors.default` of `@fastify`, `hapi-pino.default` of `hapi-pino`."""
    return name == package or name.startswith((f"{package}.", f"{package}/"))


def _paths(program: Program, known: PluginPath, options: Value | None) -> Iterator[str]:
    """The paths by the options of the plugin; any path where they cannot be told."""
    beginning = known.default
    given = _option(known.option, options)
    if isinstance(given, Constant) and given.value is False:
        return
    is_switch = isinstance(given, Record) or (isinstance(given, Constant) and given.value is True)
    if given is not None and not is_switch:
        beginning = program.evaluator.text(given) or DYNAMIC_PREFIX
    if not beginning and "" in known.ends:
        return
    for end in known.ends:
        yield join(beginning, end) if end else beginning


def _option(dotted: str, options: Value | None) -> Value | None:
    found = options
    for name in dotted.split(".") if dotted else ():
        entry = walker.entries(found).get(name) if found is not None else None
        found = entry.value if entry is not None else None
    return found if dotted else None
