"""Names of queues and topics of AWS: their URLs and ARNs end in them."""

from __future__ import annotations

from msgspec.structs import replace

from contract_scan.parsers.source.java.messaging.addresses import Address


def resource_name(found: Address) -> Address:
    """The name in `https://sqs.…/123/orders` or `arn:aws:sns:…:123:orders`."""
    text = found.text
    if text.startswith(("http://", "https://")):
        text = text.rstrip("/").rpartition("/")[2]
    elif text.startswith("arn:"):
        text = text.rpartition(":")[2].rpartition("/")[2]
    return replace(found, text=text)
