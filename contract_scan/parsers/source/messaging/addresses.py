"""Addresses of messages as libraries of all languages make them."""

from __future__ import annotations

from msgspec import Struct
from msgspec.structs import replace

from contract_scan.ir.reasons import NO_REASON, Reason


class Address(Struct, frozen=True):
    """Where a message goes to or comes from."""

    text: str = ""
    reason: Reason = NO_REASON
    """Why it is undetermined; empty where it could."""


def routed_address(exchange: Address, key: Address) -> tuple[Address, tuple[str, ...]]:
    """The address of what is sent to an exchange with a routing key, and what else a contract may
    call it. Through the default exchange the routing key is the queue; a fanout exchange has no
    key. An address that is not given is empty. Where the key is undetermined, neither could the
    address: an exchange carries what many keys tell apart."""
    found = key if key.text or key.reason else exchange
    if not found.text and not found.reason:
        found = Address(reason=Reason("neither-exchange-nor-routing-key-given"))
    is_other = bool(exchange.text) and exchange.text != found.text
    return found, (exchange.text,) if is_other else ()


def resource_name(found: Address) -> Address:
    """The name in `https://sqs.…/123/orders` or `arn:aws:sns:…:123:orders`."""
    text = found.text
    if text.startswith(("http://", "https://")):
        text = text.rstrip("/").rpartition("/")[2]
    elif text.startswith("arn:"):
        text = text.rpartition(":")[2].rpartition("/")[2]
    return replace(found, text=text)
