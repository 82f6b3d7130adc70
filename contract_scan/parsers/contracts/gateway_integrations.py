"""What a gateway does with the requests of an operation: `x-amazon-apigateway-integration`.

The fields are those of Amazon's documentation (x-amazon-apigateway-integration object): `type` says
what is behind the gateway (`http`, `http_proxy`, `aws`, `aws_proxy`, `mock`), `uri` where, and
`requestParameters` what the gateway itself sends there.
"""

from __future__ import annotations

import re
from urllib.parse import urlsplit

from contract_scan.ir.operation import GatewayIntegration, Location
from contract_scan.parsers.contracts.located_tree import Node

_EXTENSION = "x-amazon-apigateway-integration"
_FUNCTION = re.compile(r":function:([\w.-]{1,200})|functions/(\$\{[^{}]{1,200}\})/")
_SENT = re.compile(r"integration\.request\.(header|querystring|path)\.([^\s]{1,200})")
_LOCATIONS: dict[str, Location] = {"header": "header", "querystring": "query", "path": "path"}


def gateway_integration(operation: Node) -> GatewayIntegration | None:
    """What is behind the gateway for an operation; None where its contract is not a gateway's."""
    written = operation.get(_EXTENSION)
    if written is None or not written.is_mapping:
        return None
    sent = written.get("requestParameters")
    names = [name for name, _ in sent.members()] if sent is not None and sent.is_mapping else []
    found = [match for name in names if (match := _SENT.fullmatch(name)) is not None]
    filled_in = tuple((_LOCATIONS[match[1]], match[2]) for match in found)
    uri = written.text("uri")
    match written.text("type").lower():
        case "http_proxy":
            return GatewayIntegration("service", urlsplit(uri).path, filled_in)
        case "aws" | "aws_proxy":
            function = _FUNCTION.search(uri)
            name = (function[1] or function[2]) if function is not None else ""
            return GatewayIntegration("function", name, filled_in)
        case "mock":
            return GatewayIntegration("gateway", "", filled_in)
        case _:
            return None
