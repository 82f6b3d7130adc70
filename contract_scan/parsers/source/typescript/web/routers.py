"""Which router is mounted where: the graph of apps, routers and plugins of Express and Fastify.

A router is known by the place where it is made, or by the parameter through which a function gets
it (`export default (app) => { app.get(…) }`); a call of that function ties the two together.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TypeAlias

from msgspec import Struct

from contract_scan.ir.origin import Span
from contract_scan.parsers.source.typescript.web.paths import join

Node: TypeAlias = tuple[str, Span]
"""File and place of the call that makes a router, or of the parameter that brings it."""

MAX_DEPTH = 25


class Mount(Struct, frozen=True):
    """A router below another one."""

    parent: Node
    prefix: str
    unresolved: str = ""
    """Why the prefix (or a part of it) could not be told."""


class Place(Struct, frozen=True):
    """Where a router's own paths begin."""

    prefix: str
    unresolved: str = ""


class Graph:
    """Routers and their mounts."""

    def __init__(self) -> None:
        self._mounts: dict[Node, list[Mount]] = {}
        self._roots: set[Node] = set()
        self._prefixes: dict[Node, tuple[Place, ...]] = {}
        self.loose_ends: str = ""
        """Why some router may be mounted in a way that was not seen; empty: all mounts were."""

    def add_root(self, node: Node) -> None:
        """Note an application: its paths are those of the server."""
        self._roots.add(node)

    def mount(self, child: Node, mount: Mount) -> None:
        """Note that a router is mounted; twice the same counts once."""
        mounts = self._mounts.setdefault(child, [])
        if mount not in mounts and mount.parent != child:
            mounts.append(mount)

    def places(self, node: Node) -> tuple[Place, ...]:
        """Where a router's paths begin: one place for each way it is mounted."""
        if node not in self._prefixes:
            self._prefixes[node] = tuple(dict.fromkeys(self._places(node, (node,))))
        return self._prefixes[node]

    def _places(self, node: Node, seen: tuple[Node, ...]) -> Iterator[Place]:
        mounts = self._mounts.get(node, [])
        if not mounts:
            yield self._unmounted(node)
            return
        if node in self._roots and not mounts:
            yield Place("")
        for mount in mounts:
            if mount.parent in seen or len(seen) > MAX_DEPTH:
                continue
            for place in self._places(mount.parent, (*seen, mount.parent)):
                reason = place.unresolved or mount.unresolved
                yield Place(join(place.prefix, mount.prefix), reason)

    def _unmounted(self, node: Node) -> Place:
        if node in self._roots or not self._roots:
            return Place("")
        if self.loose_ends:
            return Place("", self.loose_ends)
        return Place("", "the router is mounted by no application that can be seen")
