"""TypeScript, TSX and JavaScript libraries that declare routes or events, one file each."""

from __future__ import annotations

from contract_scan.parsers.source.language import Framework
from contract_scan.parsers.source.typescript.frameworks import (
    adonisjs,
    amqplib,
    aws_sdk,
    azure_service_bus,
    bullmq,
    elysia,
    ffc_messaging,
    google_pubsub,
    kafkajs,
    loopback,
    mqtt,
    nats,
    nextjs,
    nitro,
    node_nats_streaming,
    node_rdkafka,
    oak,
    openapi_backend,
    polka,
    redis_pubsub,
    restify,
    routing_controllers,
    socket_io,
    sveltekit,
    ts_rest,
    tsoa,
)
from contract_scan.parsers.source.typescript.frameworks import unsupported as unread
from contract_scan.parsers.source.typescript.frameworks.express import framework as express
from contract_scan.parsers.source.typescript.frameworks.fastify import framework as fastify
from contract_scan.parsers.source.typescript.frameworks.fastify import (
    openapi_glue as fastify_openapi_glue,
)
from contract_scan.parsers.source.typescript.frameworks.hapi import framework as hapi
from contract_scan.parsers.source.typescript.frameworks.hono import framework as hono
from contract_scan.parsers.source.typescript.frameworks.koa import framework as koa
from contract_scan.parsers.source.typescript.frameworks.nestjs import framework as nestjs
from contract_scan.parsers.source.typescript.frameworks.nestjs import (
    microservices as nestjs_microservices,
)
from contract_scan.parsers.source.typescript.frameworks.nestjs import (
    websockets as nestjs_websockets,
)
from contract_scan.parsers.source.typescript.frameworks.node_http import framework as node_http
from contract_scan.parsers.source.typescript.frameworks.remix import framework as remix
from contract_scan.parsers.source.typescript.frameworks.ws import framework as ws

FRAMEWORKS: tuple[Framework, ...] = (
    express.FRAMEWORK,
    nestjs.FRAMEWORK,
    fastify.FRAMEWORK,
    kafkajs.FRAMEWORK,
    nestjs_microservices.FRAMEWORK,
    nestjs_websockets.FRAMEWORK,
    amqplib.FRAMEWORK,
    ws.FRAMEWORK,
    socket_io.FRAMEWORK,
    aws_sdk.FRAMEWORK,
    redis_pubsub.FRAMEWORK,
    mqtt.FRAMEWORK,
    nats.FRAMEWORK,
    node_nats_streaming.FRAMEWORK,
    tsoa.FRAMEWORK,
    routing_controllers.FRAMEWORK,
    bullmq.FRAMEWORK,
    google_pubsub.FRAMEWORK,
    azure_service_bus.FRAMEWORK,
    ffc_messaging.FRAMEWORK,
    node_rdkafka.FRAMEWORK,
    nextjs.FRAMEWORK,
    hono.FRAMEWORK,
    koa.FRAMEWORK,
    sveltekit.FRAMEWORK,
    nitro.FRAMEWORK,
    hapi.FRAMEWORK,
    node_http.FRAMEWORK,
    elysia.FRAMEWORK,
    adonisjs.FRAMEWORK,
    restify.FRAMEWORK,
    polka.FRAMEWORK,
    oak.FRAMEWORK,
    loopback.FRAMEWORK,
    remix.FRAMEWORK,
    ts_rest.FRAMEWORK,
    openapi_backend.FRAMEWORK,
    fastify_openapi_glue.FRAMEWORK,
    unread.FRAMEWORK,
)
"""Every framework that is read, in the order their routes are reported."""
