"""The libraries whose routes and events are read: a file or a table each."""

from __future__ import annotations

from contract_scan.parsers.source.language import Framework
from contract_scan.parsers.source.python.frameworks import (
    aio_pika,
    azure_service_bus,
    blacksheep,
    boto3,
    bottle,
    celery,
    dapr,
    faststream,
    google_pubsub,
    kafka,
    lambda_powertools,
    mqtt,
    nats,
    pika,
    redis,
    robyn,
)
from contract_scan.parsers.source.python.frameworks import unsupported as unread
from contract_scan.parsers.source.python.frameworks.aiohttp import framework as aiohttp
from contract_scan.parsers.source.python.frameworks.cherrypy import framework as cherrypy
from contract_scan.parsers.source.python.frameworks.connexion import framework as connexion
from contract_scan.parsers.source.python.frameworks.django import framework as django
from contract_scan.parsers.source.python.frameworks.falcon import framework as falcon
from contract_scan.parsers.source.python.frameworks.fastapi import framework as fastapi
from contract_scan.parsers.source.python.frameworks.flask import framework as flask
from contract_scan.parsers.source.python.frameworks.litestar import framework as litestar
from contract_scan.parsers.source.python.frameworks.ninja import framework as ninja
from contract_scan.parsers.source.python.frameworks.pyramid import framework as pyramid
from contract_scan.parsers.source.python.frameworks.sanic import framework as sanic
from contract_scan.parsers.source.python.frameworks.socket_io import flask as flask_socketio
from contract_scan.parsers.source.python.frameworks.socket_io import framework as socket_io
from contract_scan.parsers.source.python.frameworks.tornado import framework as tornado

FRAMEWORKS: tuple[Framework, ...] = (
    *fastapi.FRAMEWORKS,
    litestar.FRAMEWORK,
    aiohttp.FRAMEWORK,
    *flask.FRAMEWORKS,
    sanic.FRAMEWORK,
    falcon.FRAMEWORK,
    *django.FRAMEWORKS,
    ninja.FRAMEWORK,
    tornado.FRAMEWORK,
    bottle.FRAMEWORK,
    pyramid.FRAMEWORK,
    cherrypy.FRAMEWORK,
    robyn.FRAMEWORK,
    blacksheep.FRAMEWORK,
    connexion.FRAMEWORK,
    lambda_powertools.FRAMEWORK,
    *kafka.FRAMEWORKS,
    pika.FRAMEWORK,
    aio_pika.FRAMEWORK,
    faststream.FRAMEWORK,
    celery.FRAMEWORK,
    redis.FRAMEWORK,
    mqtt.FRAMEWORK,
    nats.FRAMEWORK,
    boto3.FRAMEWORK,
    google_pubsub.FRAMEWORK,
    azure_service_bus.FRAMEWORK,
    dapr.FRAMEWORK,
    socket_io.FRAMEWORK,
    flask_socketio.FRAMEWORK,
    unread.FRAMEWORK,
)
"""Every framework that is read."""
