"""TypeScript, TSX and JavaScript libraries that declare routes or events, one file each."""

from __future__ import annotations

from contract_scan.parsers.source.language import Framework
from contract_scan.parsers.source.typescript.frameworks import (
    amqplib,
    aws_sdk,
    azure_service_bus,
    bullmq,
    express,
    fastify,
    google_pubsub,
    hapi,
    hono,
    kafkajs,
    koa,
    nats,
    nestjs,
    nestjs_microservices,
    nestjs_websockets,
    nextjs,
    nitro,
    node_rdkafka,
    redis_pubsub,
    routing_controllers,
    socket_io,
    sveltekit,
    tsoa,
    ws,
)

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
    nats.FRAMEWORK,
    tsoa.FRAMEWORK,
    routing_controllers.FRAMEWORK,
    bullmq.FRAMEWORK,
    google_pubsub.FRAMEWORK,
    azure_service_bus.FRAMEWORK,
    node_rdkafka.FRAMEWORK,
    nextjs.FRAMEWORK,
    hono.FRAMEWORK,
    koa.FRAMEWORK,
    sveltekit.FRAMEWORK,
    nitro.FRAMEWORK,
    hapi.FRAMEWORK,
)
"""Every framework that is read, in the order their routes are reported."""
