"""Where AMQP messages go: a queue, a routing key, or an exchange."""

from __future__ import annotations

from contract_scan.ir.reasons import Reason
from contract_scan.parsers.source.java.messaging.addresses import Address


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
