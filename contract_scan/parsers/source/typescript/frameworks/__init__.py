"""TypeScript, TSX and JavaScript libraries that declare routes or events, one file each."""

from __future__ import annotations

from contract_scan.parsers.source.language import Framework
from contract_scan.parsers.source.typescript.frameworks import (
    amqplib,
    express,
    fastify,
    kafkajs,
    nestjs,
    nestjs_microservices,
    nextjs,
    socket_io,
    ws,
)

FRAMEWORKS: tuple[Framework, ...] = (
    express.FRAMEWORK,
    nestjs.FRAMEWORK,
    fastify.FRAMEWORK,
    kafkajs.FRAMEWORK,
    nestjs_microservices.FRAMEWORK,
    amqplib.FRAMEWORK,
    ws.FRAMEWORK,
    socket_io.FRAMEWORK,
    nextjs.FRAMEWORK,
)
"""Every framework that is read, in the order their routes are reported."""
