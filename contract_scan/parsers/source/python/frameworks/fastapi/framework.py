"""FastAPI: routers and routes are in `web.asgi`, signatures and responses in `web`."""

from __future__ import annotations

from contract_scan.ir.operation import RouteTraits
from contract_scan.parsers.source.language import Framework
from contract_scan.parsers.source.python.frameworks.fastapi import sockets as asgi_sockets
from contract_scan.parsers.source.python.frameworks.fastapi.applications import CALLS, MARKERS
from contract_scan.parsers.source.python.frameworks.fastapi.operations import operations

FRAMEWORK = Framework(
    name="FastAPI",
    markers=MARKERS,
    calls=(*CALLS, *asgi_sockets.CALLS),
    operations=operations,
    sends="enforced",
    traits=RouteTraits(json_only=True),
    events=asgi_sockets.events,
    protocols=asgi_sockets.PROTOCOLS,
)
