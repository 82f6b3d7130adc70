"""Libraries of Python that are known by their names, and not read."""

from __future__ import annotations

from contract_scan.parsers.source.unsupported_libraries import (
    UnsupportedLibrary,
    unsupported_framework,
)

ROUTERS = (
    UnsupportedLibrary("API Star", ("apistar",)),
    UnsupportedLibrary("Azure Functions", ("azure.functions",)),
    UnsupportedLibrary("Chalice", ("chalice",)),
    UnsupportedLibrary("Cornice", ("cornice",)),
    UnsupportedLibrary("Emmett", ("emmett", "emmett55")),
    UnsupportedLibrary("Esmerald", ("esmerald", "ravyn")),
    UnsupportedLibrary("Eve", ("eve",)),
    UnsupportedLibrary("FastAPI CRUDRouter", ("fastapi_crudrouter",)),
    UnsupportedLibrary("Flama", ("flama",)),
    UnsupportedLibrary("Flask-AppBuilder", ("flask_appbuilder.api",)),
    UnsupportedLibrary("Flask-REST-JSONAPI", ("flask_combo_jsonapi", "flask_rest_jsonapi")),
    UnsupportedLibrary("Flask-Restless", ("flask_restless",)),
    UnsupportedLibrary("Guillotina", ("guillotina",)),
    UnsupportedLibrary("hug", ("hug",)),
    UnsupportedLibrary("Klein", ("klein",)),
    UnsupportedLibrary("Masonite", ("masonite",)),
    UnsupportedLibrary("Microdot", ("microdot",)),
    UnsupportedLibrary("Molten", ("molten",)),
    UnsupportedLibrary("Morepath", ("morepath",)),
    UnsupportedLibrary("Muffin", ("muffin",)),
    UnsupportedLibrary("Nameko", ("nameko.web",)),
    UnsupportedLibrary("Odoo", ("odoo",), ("http",)),
    UnsupportedLibrary("Panther", ("panther",)),
    UnsupportedLibrary("Piccolo API", ("piccolo_api",)),
    UnsupportedLibrary("plone.rest", ("plone.rest",)),
    UnsupportedLibrary("Responder", ("responder",)),
    UnsupportedLibrary("restless", ("restless",)),
    UnsupportedLibrary("Socketify", ("socketify",)),
    UnsupportedLibrary("Spyne", ("spyne",)),
    UnsupportedLibrary("Tastypie", ("tastypie",)),
    UnsupportedLibrary("TurboGears", ("tg",)),
    UnsupportedLibrary("Vibora", ("vibora",)),
    UnsupportedLibrary("Zato", ("zato.server",)),
)
BROKERS = (
    UnsupportedLibrary("aioamqp", ("aioamqp",)),
    UnsupportedLibrary("Azure Event Hubs", ("azure.eventhub",)),
    UnsupportedLibrary("Dramatiq", ("dramatiq",)),
    UnsupportedLibrary("Faust", ("faust",)),
    UnsupportedLibrary("Nameko", ("nameko.events", "nameko.messaging")),
    UnsupportedLibrary("Proton", ("proton",)),
    UnsupportedLibrary("Pulsar", ("pulsar",)),
    UnsupportedLibrary("stomp.py", ("stomp",)),
    UnsupportedLibrary("ZeroMQ", ("zmq",)),
)

FRAMEWORK = unsupported_framework(ROUTERS, BROKERS, ".", "import {}", "from {}")
