"""Libraries of TypeScript and JavaScript that are known by their names, and not read."""

from __future__ import annotations

from contract_scan.parsers.source.unsupported_libraries import (
    UnsupportedLibrary,
    unsupported_framework,
)

ROUTERS = (
    UnsupportedLibrary("Actionhero", ("actionhero",)),
    UnsupportedLibrary("Astro", ("astro",), ("APIContext", "APIRoute")),
    UnsupportedLibrary(
        "AWS Lambda",
        ("aws-lambda",),
        (
            *("APIGatewayEvent", "APIGatewayProxyEvent", "APIGatewayProxyEventV2"),
            *("APIGatewayProxyHandler", "APIGatewayProxyHandlerV2", "APIGatewayProxyResult"),
        ),
    ),
    UnsupportedLibrary("Azure Functions", ("@azure/functions",)),
    UnsupportedLibrary("chanfana", ("chanfana",)),
    UnsupportedLibrary("Danet", ("@danet/core",)),
    UnsupportedLibrary("Ditsmod", ("@ditsmod/core", "@ditsmod/rest", "@ditsmod/routing")),
    UnsupportedLibrary("Drash", ("drash", "@drashland/drash")),
    UnsupportedLibrary(
        "Effect",
        ("@effect/platform",),
        ("HttpApi", "HttpApiBuilder", "HttpApiEndpoint", "HttpApiGroup", "HttpRouter"),
    ),
    UnsupportedLibrary("Egg", ("egg",)),
    UnsupportedLibrary("Exegesis", ("exegesis", "exegesis-express")),
    UnsupportedLibrary("Express Zod API", ("express-zod-api",)),
    UnsupportedLibrary("express-openapi", ("express-openapi",)),
    UnsupportedLibrary(
        "Feathers", ("@feathersjs/express", "@feathersjs/feathers", "@feathersjs/koa")
    ),
    UnsupportedLibrary("FoalTS", ("@foal/core",)),
    UnsupportedLibrary("HyperExpress", ("hyper-express",)),
    UnsupportedLibrary("Inversify", ("@inversifyjs/http-core", "inversify-express-utils")),
    UnsupportedLibrary("itty-router", ("itty-router",)),
    UnsupportedLibrary("Keystone", ("@keystone-6/core",)),
    UnsupportedLibrary("LoopBack 3", ("loopback",)),
    UnsupportedLibrary("Marble.js", ("@marblejs/core", "@marblejs/http")),
    UnsupportedLibrary("Midway", ("@midwayjs/core", "@midwayjs/decorator")),
    UnsupportedLibrary("Moleculer Web", ("moleculer-web",)),
    UnsupportedLibrary("oRPC", ("@orpc/nest", "@orpc/openapi", "@orpc/server")),
    UnsupportedLibrary("Overnight", ("@overnightjs/core",)),
    UnsupportedLibrary("Payload", ("payload",)),
    UnsupportedLibrary("Strapi", ("@strapi/strapi",), ("default", "factories")),
    UnsupportedLibrary("tinyhttp", ("@tinyhttp/app",)),
    UnsupportedLibrary("trpc-to-openapi", ("trpc-openapi", "trpc-to-openapi")),
    UnsupportedLibrary("Ts.ED", ("@tsed/common", "@tsed/platform-express", "@tsed/schema")),
    UnsupportedLibrary("typescript-rest", ("typescript-rest",)),
    UnsupportedLibrary("uWebSockets.js", ("uWebSockets.js",)),
    UnsupportedLibrary("Vercel", ("@vercel/node",), ("VercelRequest", "VercelResponse")),
    UnsupportedLibrary("Zodios", ("@zodios/express",)),
)
BROKERS = (
    UnsupportedLibrary("Azure Event Hubs", ("@azure/event-hubs",)),
    UnsupportedLibrary("Centrifuge", ("centrifuge",)),
    UnsupportedLibrary("golevelup", ("@golevelup/nestjs-rabbitmq",)),
    UnsupportedLibrary("kafka-node", ("kafka-node",)),
    UnsupportedLibrary("Pulsar", ("pulsar-client",)),
    UnsupportedLibrary("Rascal", ("rascal",)),
    UnsupportedLibrary("Rhea", ("rhea", "rhea-promise")),
    UnsupportedLibrary("SockJS", ("sockjs",)),
    UnsupportedLibrary("Solace", ("solclientjs",)),
    UnsupportedLibrary("Stompit", ("stompit",)),
    UnsupportedLibrary("ZeroMQ", ("zeromq",)),
)

FRAMEWORK = unsupported_framework(ROUTERS, BROKERS, "/", '"{}', "'{}")
