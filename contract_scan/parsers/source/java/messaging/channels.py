"""Channels of MicroProfile Reactive Messaging: what settings connect them to."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, TypeAlias

from msgspec import Struct

from contract_scan.ir.reasons import Reason
from contract_scan.parsers.source.java.messaging.addresses import Address
from contract_scan.parsers.source.java.resolution.properties import normal, resolve_placeholders

End: TypeAlias = Literal["incoming", "outgoing"]

_PREFIX = "mp.messaging."
_PRODUCTION = "%prod."
"""What Quarkus puts before keys that hold in production, which is where contracts do."""
_NAMES = ("topic", "queue.name", "address", "destination", "subject", "channel", "queue")
"""Settings that name where a channel leads, of the connectors."""
_ALIASES = ("exchange.name", "routing-keys", "default-routing-key")


class Channels(Struct, frozen=True):
    """The settings of one module."""

    values: Mapping[str, str]

    def is_connected(self, direction: End, name: str) -> bool:
        """Whether settings connect a channel to a broker."""
        start = normal(f"{_PREFIX}{direction}.{name}.")
        starts = (start, f"{_PRODUCTION}{start}")
        return any(key.replace('"', "").startswith(starts) for key in self.values)

    def is_batch(self, name: str) -> bool:
        """Whether several messages of a channel are taken at once."""
        return (self._value(f"{_PREFIX}incoming.{name}.batch") or "").strip().lower() == "true"

    def connector(self, direction: End, name: str) -> str:
        """The connector of a channel; empty where none is named."""
        return self._value(f"{_PREFIX}{direction}.{name}.connector") or ""

    def address(self, direction: End, name: str) -> tuple[Address, tuple[str, ...]]:
        """Where a channel leads, and what else a contract may call it; without a setting it leads
        to what is called like it."""
        start = f"{_PREFIX}{direction}.{name}."
        aliases: list[str] = []
        for key in _ALIASES:
            text, missing = resolve_placeholders(self._value(start + key) or "", self.values)
            if not missing:
                aliases.extend(part.strip() for part in text.split(","))
        known = tuple(dict.fromkeys(a for a in aliases if a not in ("", "#", "*")))
        given = next((v for key in _NAMES if (v := self._value(start + key))), name)
        text, missing = resolve_placeholders(given, self.values)
        if missing:
            return Address(reason=Reason("property-not-set", missing=missing)), known
        return Address(text=text), known

    def _value(self, key: str) -> str | None:
        for start in (_PRODUCTION, ""):
            for name in (normal(key), normal(self._with_quoted_channel(key))):
                found = self.values.get(start + name)
                if found:
                    return found
        return None

    @staticmethod
    def _with_quoted_channel(key: str) -> str:
        """The key with the name of the channel in quotation marks."""
        start, _, rest = key.removeprefix(_PREFIX).partition(".")
        name, _, setting = rest.rpartition(".")
        return f'{_PREFIX}{start}."{name}".{setting}'
