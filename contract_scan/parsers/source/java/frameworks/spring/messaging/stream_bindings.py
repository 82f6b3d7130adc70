"""What the settings of Spring Cloud Stream say: which functions are bound, and to what."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from msgspec import Struct

from contract_scan.ir.reasons import Reason
from contract_scan.parsers.source.java.messaging.addresses import Address
from contract_scan.parsers.source.java.resolution.properties import normal, resolve_placeholders

_PREFIX = "spring.cloud.stream."
_DEFINITIONS = ("spring.cloud.function.definition", f"{_PREFIX}function.definition")
_MAX_BRANCHES = 100


class Bindings(Struct, frozen=True):
    """The settings of one module."""

    values: Mapping[str, str]

    @property
    def exist(self) -> bool:
        """Whether there are settings of the library at all."""
        return any(key.startswith(_PREFIX) for key in self.values)

    def definitions(self, known: Iterable[str]) -> list[str]:
        """Which functions are bound, composed ones with `|`: those that settings name; else the
        only one, and those that have bindings of their own."""
        for key in _DEFINITIONS:
            if self.values.get(key, "").strip():
                whole, _ = resolve_placeholders(self.values[key], self.values)
                parts = (part.strip() for part in whole.split(";"))
                return list(dict.fromkeys(part for part in parts if part))
        names = list(known)
        return names if len(names) == 1 else [name for name in names if self._is_bound(name)]

    def _is_bound(self, name: str) -> bool:
        ends = (normal(f"{name}-in-0"), normal(f"{name}-out-0"))
        kinds = ("bindings.", "function.bindings.")
        starts = tuple(f"{_PREFIX}{kind}{end}" for kind in kinds for end in ends)
        return any(key.startswith(starts) for key in self.values)

    def branches(self, bound: str) -> Iterator[str]:
        """The bindings of the branches of a stream: those that settings name, at least one."""
        for position in range(_MAX_BRANCHES):
            binding = f"{bound}-out-{position}"
            if position and not self._is_bound_output(binding):
                return
            yield binding

    def _is_bound_output(self, binding: str) -> bool:
        key = normal(binding)
        given = (f"{_PREFIX}bindings.{key}.destination", f"{_PREFIX}function.bindings.{key}")
        return any(name in self.values for name in given)

    def destinations(self, binding: str) -> Iterator[Address]:
        """Where a binding leads; one that settings do not name leads to what is called like it."""
        name = self._name(binding)
        given = self.values.get(f"{_PREFIX}bindings.{normal(name)}.destination", "") or name
        text, missing = resolve_placeholders(given, self.values)
        if missing:
            yield Address(reason=Reason("property-not-set", missing=missing))
            return
        for part in text.split(","):
            yield Address(text=part.strip())

    def is_batch(self, binding: str) -> bool:
        """Whether a consumer takes several messages at once."""
        key = f"{_PREFIX}bindings.{normal(self._name(binding))}.consumer.batchmode"
        return self.values.get(key, "").strip().lower() == "true"

    def is_pattern(self, binding: str) -> bool:
        """Whether the destination of a consumer is a pattern of topics."""
        name = normal(self._name(binding))
        kinds = ("kafka.bindings", "kafka.streams.bindings")
        keys = (f"{_PREFIX}{kind}.{name}.consumer.destinationispattern" for kind in kinds)
        return any(self.values.get(key, "").strip().lower() == "true" for key in keys)

    def _name(self, binding: str) -> str:
        return self.values.get(f"{_PREFIX}function.bindings.{normal(binding)}", "") or binding
