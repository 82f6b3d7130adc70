"""Libraries of TypeScript and JavaScript that are known by their names, and not read."""

from __future__ import annotations

from contract_scan.parsers.source.unsupported_libraries import Unread, unread

ROUTERS = (
    Unread("Actionhero", ("actionhero",)),
    Unread("Astro", ("astro",), ("APIContext", "APIRoute")),
    Unread("Azure Functions", ("@azure/functions",)),
    Unread("chanfana", ("chanfana",)),
    Unread("Danet", ("@danet/core",)),
    Unread("Ditsmod", ("@ditsmod/core", "@ditsmod/rest", "@ditsmod/routing")),
    Unread("Drash", ("drash", "@drashland/drash")),
    Unread(
        "Effect",
        ("@effect/platform",),
        ("HttpApi", "HttpApiBuilder", "HttpApiEndpoint", "HttpApiGroup", "HttpRouter"),
    ),
    Unread("Egg", ("egg",)),
    Unread("Exegesis", ("exegesis", "exegesis-express")),
    Unread("Express Zod API", ("express-zod-api",)),
    Unread("express-openapi", ("express-openapi",)),
    Unread("Feathers", ("@feathersjs/express", "@feathersjs/feathers", "@feathersjs/koa")),
    Unread("FoalTS", ("@foal/core",)),
    Unread("HyperExpress", ("hyper-express",)),
    Unread("Inversify", ("@inversifyjs/http-core", "inversify-express-utils")),
    Unread("itty-router", ("itty-router",)),
    Unread("Keystone", ("@keystone-6/core",)),
    Unread("LoopBack 3", ("loopback",)),
    Unread("Marble.js", ("@marblejs/core", "@marblejs/http")),
    Unread("Midway", ("@midwayjs/core", "@midwayjs/decorator")),
    Unread("Moleculer Web", ("moleculer-web",)),
    Unread("OAS Tools", ("@oas-tools/core", "oas-tools", "oas3-tools")),
    Unread("oRPC", ("@orpc/nest", "@orpc/openapi", "@orpc/server")),
    Unread("Overnight", ("@overnightjs/core",)),
    Unread("Payload", ("payload",)),
    Unread("Polka", ("polka",)),
    Unread("Strapi", ("@strapi/strapi",), ("default", "factories")),
    Unread("swagger-tools", ("swagger-tools",)),
    Unread("tinyhttp", ("@tinyhttp/app",)),
    Unread("trpc-to-openapi", ("trpc-openapi", "trpc-to-openapi")),
    Unread("Ts.ED", ("@tsed/common", "@tsed/platform-express", "@tsed/schema")),
    Unread("typescript-rest", ("typescript-rest",)),
    Unread("uWebSockets.js", ("uWebSockets.js",)),
    Unread("Vercel", ("@vercel/node",), ("VercelRequest", "VercelResponse")),
    Unread("Zodios", ("@zodios/express",)),
)
BROKERS = (
    Unread("Azure Event Hubs", ("@azure/event-hubs",)),
    Unread("Centrifuge", ("centrifuge",)),
    Unread("golevelup", ("@golevelup/nestjs-rabbitmq",)),
    Unread("kafka-node", ("kafka-node",)),
    Unread("Pulsar", ("pulsar-client",)),
    Unread("Rascal", ("rascal",)),
    Unread("Rhea", ("rhea", "rhea-promise")),
    Unread("SockJS", ("sockjs",)),
    Unread("Solace", ("solclientjs",)),
    Unread("Stompit", ("stompit",)),
    Unread("ZeroMQ", ("zeromq",)),
)

FRAMEWORK = unread(ROUTERS, BROKERS, "/", '"{}', "'{}")
