"""Where STOMP messages of Spring go to: prefixes of the application, of the broker and of users."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from msgspec import Struct

from contract_scan.ir.reasons import NO_REASON, Reason
from contract_scan.parsers.source.facts.nodes import Call
from contract_scan.parsers.source.java.resolution.annotations import constant_name
from contract_scan.parsers.source.java.resolution.build import module_of
from contract_scan.parsers.source.java.resolution.dependencies import related_files_containing

if TYPE_CHECKING:
    from contract_scan.parsers.source.analysis.domain.program import Program

APPLICATION, USER = "setApplicationDestinationPrefixes", "setUserDestinationPrefix"
BROKER = "/topic"
"""Where what a handler returns is sent to, followed by the handler's own destination."""


class Prefixes(Struct, frozen=True):
    """What stands before destinations in a module."""

    application: tuple[str, ...] = ("",)
    """Before what handlers are mapped to."""
    user: str = "/user"
    """Before what is sent to one user."""
    reason: Reason = NO_REASON
    """Why they are undetermined; empty where they can."""


def prefixes(program: Program, near: str) -> Prefixes:
    """The prefixes that configuration code sets in the modules that a file belongs to."""
    known = cast("dict[str, Prefixes]", program.memory.setdefault("java.destinations", {}))
    module = module_of(program, near)
    if module not in known:
        known[module] = _prefixes(program, near)
    return known[module]


def _prefixes(program: Program, near: str) -> Prefixes:
    found: dict[str, list[str | None]] = {}
    for path in related_files_containing(program, near, APPLICATION.encode(), USER.encode()):
        for call, scope in program.calls(program.facts(path)):
            name = constant_name(call.callee) if isinstance(call, Call) else ""
            if name in (APPLICATION, USER):
                texts = [t for a in call.args for t in program.texts(a.value, scope)]
                found.setdefault(name, []).extend(texts or [None])
    if any(text is None for texts in found.values() for text in texts):
        return Prefixes(reason=Reason("destination-prefix-not-constant"))
    known = {name: [text for text in texts if text] for name, texts in found.items()}
    return Prefixes(tuple(known.get(APPLICATION, ())) or ("",), (known.get(USER) or ["/user"])[0])


def join_destination(*parts: str) -> str:
    """Parts of a destination with one slash between them."""
    return "/" + "/".join(part.strip("/") for part in parts if part.strip("/"))
