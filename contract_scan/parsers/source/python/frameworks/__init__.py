"""The libraries whose routes and events are read, one file each."""

from __future__ import annotations

from contract_scan.parsers.source.language import Framework
from contract_scan.parsers.source.python.frameworks import (
    aio_pika,
    aiokafka,
    apiflask,
    azure_service_bus,
    boto3,
    celery,
    confluent_kafka,
    django,
    drf,
    fastapi,
    faststream,
    flask,
    flask_apispec,
    flask_restful,
    flask_restx,
    flask_smorest,
    google_pubsub,
    kafka_python,
    litestar,
    nats,
    ninja,
    pika,
    redis,
    starlette,
)

FRAMEWORKS: tuple[Framework, ...] = (
    fastapi.FRAMEWORK,
    starlette.FRAMEWORK,
    litestar.FRAMEWORK,
    flask.FRAMEWORK,
    flask_apispec.FRAMEWORK,
    flask_restful.FRAMEWORK,
    flask_restx.FRAMEWORK,
    flask_smorest.FRAMEWORK,
    apiflask.FRAMEWORK,
    django.FRAMEWORK,
    drf.FRAMEWORK,
    ninja.FRAMEWORK,
    confluent_kafka.FRAMEWORK,
    kafka_python.FRAMEWORK,
    aiokafka.FRAMEWORK,
    pika.FRAMEWORK,
    aio_pika.FRAMEWORK,
    faststream.FRAMEWORK,
    celery.FRAMEWORK,
    redis.FRAMEWORK,
    nats.FRAMEWORK,
    boto3.FRAMEWORK,
    google_pubsub.FRAMEWORK,
    azure_service_bus.FRAMEWORK,
)
"""Every framework that is read."""
