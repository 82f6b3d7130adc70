"""Which router is mounted where, in whatever language: applications are the roots.

A library's reader adds the routers that it meets and how they are mounted on each other; `places`
then says where the routes of a router are reached, and by which application they are served.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Final, Generic, Literal, NamedTuple, TypeAlias, TypeVar

from msgspec import Struct

from contract_scan.ir.operation import DYNAMIC_PREFIX, Application
from contract_scan.ir.origin import Origin, Span
from contract_scan.ir.reasons import NO_REASON, Reason
from contract_scan.parsers.source.web.mount_limits import (
    TOO_DEEP,
    TOO_MANY,
    TOO_MANY_ROUTERS,
    Steps,
    first_places,
)

Router = TypeVar("Router")
"""What a language knows of a router beside its place."""
Site = TypeVar("Site")
"""What a language knows of a mount: the call, say, whose other arguments count for the routes."""


class RouterId(NamedTuple):
    """Equal for the same router seen from two places."""

    file: str
    span: Span
    """Of the call that makes it, or of the parameter that brings it."""
    instance: str = ""
    """Which of the routers that this call makes, where a function that is called several times
    makes them; empty: the function as it is written, or the only one."""


Role: TypeAlias = Literal[
    "application", "router", "parameter", "likely parameter", "specialised parameter", "crowd"
]
"""`parameter`: of no declared type, a router only if a call passes one; `likely parameter`: its
name says so; `specialised parameter`: its function was read for each of its calls, so that without
a mount no call passes it; `crowd`: more routers than are followed."""

_RANK: Final[dict[Role, int]] = {
    "router": 0,
    "parameter": 1,
    "likely parameter": 2,
    "application": 3,
    "specialised parameter": 4,
    "crowd": 5,
}
"""A router that is met in two roles has the later one."""

MAX_DEPTH: Final = 25
"""How many mounts lie between an application and a route."""
NOT_CONSTANT: Final = Reason("router-prefix-not-constant")


class Prefix(Struct, frozen=True):
    """What stands before paths."""

    text: str = ""
    reason: Reason = NO_REASON
    """Why it, or a part of it, is undetermined; empty: it is known."""


NO_PREFIX: Final = Prefix()


class Mount(Struct, Generic[Site], frozen=True):
    """One router below another."""

    parent: RouterId
    prefix: Prefix = NO_PREFIX
    replaces: bool = False
    """The prefix stands instead of the child's own (Flask's `register_blueprint`)."""
    site: Site | None = None


class MountedPath(Struct, Generic[Site], frozen=True):
    """Where the paths of a router begin."""

    prefix: str
    unresolved: Reason = NO_REASON
    """Why the prefix is undetermined; empty: it is known."""
    mounts: tuple[Site, ...] = ()
    """The sites of the mounts, from the application down to the router."""
    application: RouterId | None = None
    """What serves it; None: unknown, or several applications alike."""


class RouteGraph(Generic[Router, Site]):
    """Routers and their mounts."""

    def __init__(
        self,
        unmounted: Callable[[RouterId, Role], Reason],
        *,
        join: Callable[[str, str], str] = str.__add__,
        undetermined: str = DYNAMIC_PREFIX,
    ) -> None:
        """`unmounted` says of a router that is no application, where there are some, why it is
        undetermined where its routes are reached; empty: just where they are written. `join` puts
        two paths together, and `undetermined` is the prefix for what is."""
        self._unmounted = unmounted
        self._join = join
        self._undetermined = undetermined
        self.routers: dict[RouterId, Router] = {}
        self.applications: set[RouterId] = set()
        """The roots."""
        self._roles: dict[RouterId, Role] = {}
        self._prefixes: dict[RouterId, Prefix] = {}
        self._mounts: dict[RouterId, list[Mount[Site]]] = {}
        self._rewrites: dict[RouterId, list[tuple[tuple[Prefix, ...], Site | None]]] = {}
        self._declared: dict[RouterId, RouterId] = {}
        self._held: dict[RouterId, dict[RouterId, None]] = {}
        self._places: dict[RouterId, tuple[MountedPath[Site], ...]] = {}

    def add(
        self,
        id: RouterId,
        role: Role = "router",
        prefix: Prefix = NO_PREFIX,
        router: Router | None = None,
    ) -> None:
        """Note a router with what it puts before its own routes and before what is mounted on it.
        What is known of it stays as it was noted first."""
        if _RANK[role] > _RANK[self._roles.get(id, "router")]:
            self._roles[id] = role
            self.applications.discard(id)
            if role == "application":
                self.applications.add(id)
            self._places.clear()
        if router is not None:
            self.routers.setdefault(id, router)
        if prefix != NO_PREFIX:
            self._prefixes.setdefault(id, prefix)
            self._places.clear()

    def specialise(self, id: RouterId) -> None:
        """Note that a router is one of several that a function makes: what the function itself
        registers is registered with each of them."""
        written = id._replace(instance="")
        if written != id:
            self.mount(written, Mount(id, replaces=True))

    def held_by(self, id: RouterId, holder: str) -> RouterId:
        """The router that objects of one class hold in a member that a class above declares.
        What is known of the member alone holds of the router of each such class."""
        held = id._replace(instance=f"{id.instance}#{holder}")
        self._declared[held] = id
        self._held.setdefault(id, {})[held] = None
        if id in self.applications:
            self.add(held, "application")
        return held

    def rewrite_urls(
        self, id: RouterId, prefixes: tuple[Prefix, ...], site: Site | None = None
    ) -> None:
        """Note that a router is reached behind any of some prefixes, which something that runs
        before it takes off the URL."""
        self._rewrites.setdefault(id, []).append((prefixes, site))
        self._places.clear()

    def mount(self, child: RouterId, mount: Mount[Site]) -> None:
        """Note that a router is mounted; twice the same counts once."""
        mounts = self._mounts.setdefault(child, [])
        if mount not in mounts and mount.parent != child:
            mounts.append(mount)
            self._places.clear()

    def _mounts_of(self, id: RouterId) -> list[Mount[Site]]:
        """The mounts of a router. Of one that objects hold whose class alone is known, those of
        the member; of a member, those of the routers in it, whatever their class."""
        own = self._mounts.get(id, [])
        declared = self._declared.get(id)
        if declared is not None:
            return own or self._mounts.get(declared, [])
        held = self._held.get(id)
        if held is None:
            return own
        each = (mount for one in held for mount in self._mounts.get(one, ()))
        return list(dict.fromkeys((*own, *each)))

    def is_mounted(self, id: RouterId) -> bool:
        """Whether a mount of this router was seen."""
        return bool(self._mounts_of(id))

    def is_below(self, id: RouterId, other: RouterId) -> bool:
        """Whether a router is mounted on another one, or on one that is."""
        pending, seen = [id], {id}
        while pending:
            for mount in self._mounts_of(pending.pop()):
                if mount.parent == other:
                    return True
                if mount.parent not in seen:
                    seen.add(mount.parent)
                    pending.append(mount.parent)
        return False

    def places(self, id: RouterId) -> tuple[MountedPath[Site], ...]:
        """Every place at which the routes of a router are reached, its own prefix included. One
        that several applications have alike is one place."""
        if id not in self._places:
            steps = Steps()
            serving: dict[MountedPath[Site], set[RouterId | None]] = {}
            beyond: MountedPath[Site] = MountedPath(self._undetermined, TOO_MANY)
            # All of them, before it is known which applications have a place alike.
            found = list(
                first_places(
                    self._places_without_application(id, steps, serving), lambda: beyond, steps
                )
            )
            self._places[id] = tuple(
                MountedPath(
                    place.prefix,
                    place.unresolved,
                    place.mounts,
                    _only_application(serving.get(place, ())),
                )
                for place in found
            )
        return self._places[id]

    def _places_without_application(
        self,
        id: RouterId,
        steps: Steps,
        serving: dict[MountedPath[Site], set[RouterId | None]],
    ) -> Iterator[MountedPath[Site]]:
        """The places without their applications, which are noted in `serving`."""
        for place in self._reachable_places(id, (id,), steps):
            shared: MountedPath[Site] = MountedPath(place.prefix, place.unresolved, place.mounts)
            serving.setdefault(shared, set()).add(place.application)
            yield shared

    def _reachable_places(
        self, id: RouterId, seen: tuple[RouterId, ...], steps: Steps
    ) -> Iterator[MountedPath[Site]]:
        places = self._mounted_places(id, seen, steps)
        for prefixes, site in self._rewrites.get(id, ()):
            places = self._rewritten_places(places, prefixes, site)
        return places

    def _rewritten_places(
        self,
        places: Iterator[MountedPath[Site]],
        prefixes: tuple[Prefix, ...],
        site: Site | None,
    ) -> Iterator[MountedPath[Site]]:
        for place in places:
            for prefix in prefixes:
                yield self._place_below(place, prefix, None if prefix == NO_PREFIX else site)

    def _mounted_places(
        self, id: RouterId, seen: tuple[RouterId, ...], steps: Steps
    ) -> Iterator[MountedPath[Site]]:
        own = self._prefixes.get(id, NO_PREFIX)
        mounts = self._mounts_of(id)
        if self._roles.get(id) == "crowd":
            yield MountedPath(self._undetermined, TOO_MANY_ROUTERS)
            return
        if not mounts:
            yield from (self._place_below(place, own) for place in self._at_root(id))
        for mount in mounts:
            if mount.parent in seen or not steps.take():
                continue
            if len(seen) > MAX_DEPTH:
                yield MountedPath(self._undetermined, TOO_DEEP)
                continue
            for place in self._reachable_places(mount.parent, (*seen, mount.parent), steps):
                below = self._place_below(place, mount.prefix, mount.site)
                yield below if mount.replaces else self._place_below(below, own)

    def _at_root(self, id: RouterId) -> Iterator[MountedPath[Site]]:
        """Where the routes of a router are reached that nothing is seen to mount."""
        role = self._roles.get(id, "router")
        if role in ("specialised parameter", "parameter"):
            return
        if role == "application":
            yield MountedPath("", application=self._declared.get(id, id))
        elif not self.applications:
            if role != "likely parameter":
                yield MountedPath("")
        elif reason := self._unmounted(id, role):
            yield MountedPath(self._undetermined, reason)
        else:
            yield MountedPath("")

    def _place_below(
        self, place: MountedPath[Site], prefix: Prefix, site: Site | None = None
    ) -> MountedPath[Site]:
        if prefix == NO_PREFIX and site is None:
            return place
        return MountedPath(
            self._join(place.prefix, prefix.text),
            place.unresolved or prefix.reason,
            place.mounts if site is None else (*place.mounts, site),
            place.application,
        )


def application_of(place: MountedPath[Site]) -> Application | None:
    """The application that serves a place, as operations name it."""
    id = place.application
    return application_named(id) if id is not None and id.span.line else None


def application_named(id: RouterId) -> Application:
    """An application, as operations name it."""
    return Application(Origin(id.file, id.span), id.instance)


def _only_application(applications: set[RouterId | None] | tuple[()]) -> RouterId | None:
    """The one application among them; None where there are several, or none."""
    return next(iter(applications)) if len(applications) == 1 else None
