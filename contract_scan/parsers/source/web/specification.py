"""Documents that routes are made of (spec-first libraries): paths, methods, the functions that
operations name, and the parameters that they are given."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from posixpath import dirname, join, normpath
from typing import NamedTuple
from urllib.parse import unquote, urlsplit

from msgspec import Struct

_METHODS = frozenset({"get", "put", "post", "delete", "options", "head", "patch", "trace"})
_MOST_EVENTS = 2_000_000
_DEEPEST = 200
_KEPT = 8
"""How deep the values lie that are looked at: `paths`, path, method, `parameters`, place, `schema`,
`default`, and one level more for what stands in a file of its own."""
_MOST_REFERENCES = 10
_CONTROLLERS = (
    *("x-openapi-router-controller", "x-swagger-router-controller"),
    *("x-router-controller", "x-eov-operation-handler"),
)
_NAMES = ("x-eov-operation-id", "operationId")


class SpecifiedParameter(Struct, frozen=True):
    """A parameter of an operation, as the document has it."""

    name: str
    location: str
    is_required: bool
    default: str | None
    """What the library fills in where a request lacks it; None: nothing."""


_ANGLE_PARAMETER = re.compile(r"<(?:[^<>/]*:)?([^\W\d]\w*)>")
"""A parameter as Flask writes it, `<int:id>`, which a document may have taken over."""


class SpecifiedOperation(Struct, frozen=True):
    """One operation of a document."""

    method: str
    path: str
    name: str
    """`operationId`, or what an extension calls it; empty where it has none."""
    controller: str
    """The module that the document names for it."""
    parameters: tuple[SpecifiedParameter, ...] = ()
    has_body: bool = False
    """Requests have a body, which may be a form."""
    is_external: bool = False
    """It stands in a file that cannot be read: its methods and names are not known."""


class Specification(Struct, frozen=True):
    """What a document says of its operations."""

    base: str
    """The path of its server."""
    operations: tuple[SpecifiedOperation, ...]


def parse_specification(read: Callable[[str], bytes | None], path: str) -> Specification | None:
    """The operations of an OpenAPI document in YAML or JSON, and of the files that it refers to;
    None where it cannot be read."""
    files = _Files(read)
    root = _Place(path, ())
    if files.values(path) is None:
        return None
    found: list[SpecifiedOperation] = []
    for name in files.keys(root.child("paths")):
        item = files.follow(root.child("paths", name))
        template = _ANGLE_PARAMETER.sub(r"{\1}", name)
        if item is None:
            found.append(SpecifiedOperation("*", template, "", "", is_external=True))
            continue
        for method in files.keys(item):
            if method.lower() in _METHODS:
                place = item.child(method)
                parameters = tuple(_parameters(files, item, place))
                found.append(
                    SpecifiedOperation(
                        method.upper(),
                        template,
                        _first(files, place, _NAMES),
                        _first(files, place, _CONTROLLERS) or _first(files, item, _CONTROLLERS),
                        parameters,
                        has_body=files.text(place, "requestBody") is not None
                        or any(each.location in ("body", "formData") for each in parameters),
                    )
                )
    return Specification(_base(files, root), tuple(found))


def _first(files: _Files, place: _Place, keys: tuple[str, ...]) -> str:
    return next((text for key in keys if (text := files.text(place, key))), "")


def _parameters(files: _Files, item: _Place, operation: _Place) -> Iterator[SpecifiedParameter]:
    """The parameters of an operation, after those of its path that it does not have itself."""
    found: dict[tuple[str, str], SpecifiedParameter] = {}
    for listed in (item.child("parameters"), operation.child("parameters")):
        for index in files.keys(listed):
            place = files.follow(listed.child(index))
            if place is None:
                continue
            name, location = files.text(place, "name") or "", files.text(place, "in") or ""
            default = files.text(place, "default")
            if default is None:
                default = files.text(place.child("schema"), "default")
            is_required = files.text(place, "required") == "true"
            found[name, location] = SpecifiedParameter(name, location, is_required, default)
    yield from found.values()


def _base(files: _Files, root: _Place) -> str:
    path = files.text(root, "basePath") or ""
    if not path:
        path = urlsplit(files.text(root.child("servers", "0"), "url") or "").path
    return "" if "{" in path else path.rstrip("/")


class _Place(NamedTuple):
    """A place in a document."""

    path: str
    keys: tuple[str, ...]

    def child(self, *keys: str) -> _Place:
        """A place in what stands here."""
        return _Place(self.path, (*self.keys, *keys))


class _Files:
    """A document and the files that it refers to, each read once."""

    def __init__(self, read: Callable[[str], bytes | None]) -> None:
        self._read = read
        self._values: dict[str, dict[tuple[str, ...], str] | None] = {}
        self._keys: dict[_Place, list[str]] = {}

    def values(self, path: str) -> dict[tuple[str, ...], str] | None:
        """The values of a file by their places; None where it cannot be read."""
        if path not in self._values:
            content = self._read(path)
            values = None if content is None else _values(content)
            self._values[path] = values
            for keys in values or ():
                if keys:
                    self._keys.setdefault(_Place(path, keys[:-1]), []).append(keys[-1])
        return self._values[path]

    def keys(self, place: _Place) -> list[str]:
        """The keys of a mapping, or the positions of a list."""
        self.values(place.path)
        return self._keys.get(place, [])

    def text(self, place: _Place, key: str) -> str | None:
        """A scalar in a mapping."""
        return (self.values(place.path) or {}).get((*place.keys, key))

    def follow(self, place: _Place) -> _Place | None:
        """Where what stands at a place, or what it refers to, is written; None where that cannot be
        read."""
        for _ in range(_MOST_REFERENCES):
            reference = self.text(place, "$ref")
            if reference is None:
                return place
            file, _, pointer = reference.partition("#")
            if urlsplit(file).scheme:
                return None
            path = normpath(join(dirname(place.path), file)) if file else place.path
            if self.values(path) is None:
                return None
            steps = [unquote(step) for step in pointer.split("/") if step]
            keys = tuple(step.replace("~1", "/").replace("~0", "~") for step in steps)
            place = _Place(path, keys)
        return None


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
