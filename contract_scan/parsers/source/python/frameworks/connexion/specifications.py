"""Documents that routes are made of (spec-first libraries): paths, methods, operation names."""

from __future__ import annotations

from urllib.parse import urlsplit

from msgspec import Struct

_METHODS = frozenset({"get", "put", "post", "delete", "options", "head", "patch", "trace"})
_MOST_EVENTS = 2_000_000
_DEEPEST = 200
_KEPT = 4
"""How deep the values lie that are looked at: `paths`, path, method, key."""
_CONTROLLERS = ("x-openapi-router-controller", "x-swagger-router-controller")


class SpecifiedOperation(Struct, frozen=True):
    """One operation of a document."""

    method: str
    path: str
    name: str
    """`operationId`; empty where it has none."""
    controller: str
    """The module that the document names for it."""
    is_external: bool = False
    """It stands in another file: its methods and names are not known."""


class Specification(Struct, frozen=True):
    """What a document says of its operations."""

    base: str
    """The path of its server."""
    operations: tuple[SpecifiedOperation, ...]


def parse_specification(content: bytes) -> Specification | None:
    """The operations of an OpenAPI document in YAML or JSON; None where it cannot be read."""
    values = _values(content)
    if values is None:
        return None
    paths = dict.fromkeys(key[1] for key in values if key[0] == "paths" and len(key) > 1)
    found: list[SpecifiedOperation] = []
    for path in paths:
        if ("paths", path, "$ref") in values:
            found.append(SpecifiedOperation("*", path, "", "", True))
            continue
        methods = dict.fromkeys(k[2] for k in values if k[:2] == ("paths", path) and len(k) > 2)
        path_controller = _controller(values, ("paths", path))
        for method in methods:
            if method.lower() not in _METHODS:
                continue
            place = ("paths", path, method)
            name = values.get((*place, "operationId"), "")
            controller = _controller(values, place) or path_controller
            found.append(SpecifiedOperation(method.upper(), path, name, controller))
    return Specification(_base(values), tuple(found))


def _controller(values: dict[tuple[str, ...], str], place: tuple[str, ...]) -> str:
    return next((values[(*place, key)] for key in _CONTROLLERS if (*place, key) in values), "")


def _base(values: dict[tuple[str, ...], str]) -> str:
    path = values.get(("basePath",), "")
    if not path:
        path = urlsplit(values.get(("servers", "0", "url"), "")).path
    return "" if "{" in path else path.rstrip("/")


class _OpenNode:
    """A mapping or sequence that is being read."""

    def __init__(self, path: tuple[str, ...], is_mapping: bool) -> None:
        self.path, self.is_mapping = path, is_mapping
        self.key: str | None = None
        self.count = 0

    def next_path(self) -> tuple[str, ...]:
        """Where the value that comes now belongs."""
        key = self.key if self.is_mapping else str(self.count)
        self.key, self.count = None, self.count + 1
        return (*self.path, key or "")[: _KEPT + 1]


def _values(content: bytes) -> dict[tuple[str, ...], str] | None:
    """Scalars (and empty texts for what holds others) by their places near the root, read from the
    parser's events: nothing recurses, and no alias is written out."""
    import yaml

    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    found: dict[tuple[str, ...], str] = {}
    nodes: list[_OpenNode] = []
    try:
        events = yaml.parse(content.decode("utf-8-sig", "replace"), Loader=loader)
        for number, event in enumerate(events):
            if number > _MOST_EVENTS or len(nodes) > _DEEPEST:
                return None
            match event:
                case yaml.MappingStartEvent() | yaml.SequenceStartEvent():
                    path = nodes[-1].next_path() if nodes else ()
                    if 0 < len(path) <= _KEPT:
                        found.setdefault(path, "")
                    nodes.append(_OpenNode(path, isinstance(event, yaml.MappingStartEvent)))
                case yaml.MappingEndEvent() | yaml.SequenceEndEvent():
                    nodes.pop()
                case yaml.ScalarEvent() if nodes:
                    last = nodes[-1]
                    if last.is_mapping and last.key is None:
                        last.key = event.value
                    else:
                        path = last.next_path()
                        if len(path) <= _KEPT:
                            found[path] = event.value
                case yaml.AliasEvent() if nodes:
                    nodes[-1].next_path()
                case _:
                    continue
    except (yaml.YAMLError, ValueError):
        return None
    return found
