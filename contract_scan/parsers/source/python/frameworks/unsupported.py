"""Libraries of Python that are known by their names, and not read."""

from __future__ import annotations

from contract_scan.parsers.source.unsupported_libraries import Unread, unread

ROUTERS = (
    Unread("API Star", ("apistar",)),
    Unread("Azure Functions", ("azure.functions",)),
    Unread("BlackSheep", ("blacksheep",)),
    Unread("Chalice", ("chalice",)),
    Unread("Cornice", ("cornice",)),
    Unread("Emmett", ("emmett", "emmett55")),
    Unread("Esmerald", ("esmerald", "ravyn")),
    Unread("Eve", ("eve",)),
    Unread("FastAPI CRUDRouter", ("fastapi_crudrouter",)),
    Unread("Flama", ("flama",)),
    Unread("Flask-AppBuilder", ("flask_appbuilder.api",)),
    Unread("Flask-REST-JSONAPI", ("flask_combo_jsonapi", "flask_rest_jsonapi")),
    Unread("Flask-Restless", ("flask_restless",)),
    Unread("Guillotina", ("guillotina",)),
    Unread("hug", ("hug",)),
    Unread("Klein", ("klein",)),
    Unread("Masonite", ("masonite",)),
    Unread("Microdot", ("microdot",)),
    Unread("Molten", ("molten",)),
    Unread("Morepath", ("morepath",)),
    Unread("Muffin", ("muffin",)),
    Unread("Nameko", ("nameko.web",)),
    Unread("Odoo", ("odoo",), ("http",)),
    Unread("Panther", ("panther",)),
    Unread("Piccolo API", ("piccolo_api",)),
    Unread("plone.rest", ("plone.rest",)),
    Unread("Responder", ("responder",)),
    Unread("restless", ("restless",)),
    Unread("Socketify", ("socketify",)),
    Unread("Spyne", ("spyne",)),
    Unread("Tastypie", ("tastypie",)),
    Unread("TurboGears", ("tg",)),
    Unread("Vibora", ("vibora",)),
    Unread("Zato", ("zato.server",)),
)
BROKERS = (
    Unread("aioamqp", ("aioamqp",)),
    Unread("Azure Event Hubs", ("azure.eventhub",)),
    Unread("Dramatiq", ("dramatiq",)),
    Unread("Faust", ("faust",)),
    Unread("Nameko", ("nameko.events", "nameko.messaging")),
    Unread("Proton", ("proton",)),
    Unread("Pulsar", ("pulsar",)),
    Unread("stomp.py", ("stomp",)),
    Unread("ZeroMQ", ("zmq",)),
)

FRAMEWORK = unread(ROUTERS, BROKERS, ".", "import {}", "from {}")
