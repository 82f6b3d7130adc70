"""What a contract is in the habit of saying: what is added to it says as much, and no more."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from contract_scan.parsers.contracts.generated_errors import is_generated_error
from contract_scan.parsers.contracts.located_tree import Node

_METHODS = ("get", "put", "post", "delete", "options", "head", "patch", "trace")
_PARAMETER = re.compile(r"\{[^{}]*\}")
_GENERAL = re.compile(r"api|rest|v\d+(?:\.\d+)*|", re.IGNORECASE)
"""Segments that say nothing of what a path is about."""


class DocumentStyle:
    """The habits of one document."""

    def __init__(self, root: Node) -> None:
        placed = list(_operations(root))
        operations = [operation for _, operation in placed]
        self._tagged = [(_segments(path), _tags(operation)) for path, operation in placed]
        names = [
            each["operationId"] for each in operations if isinstance(each.get("operationId"), str)
        ]
        self._names_operations = bool(names) or not operations
        self._taken: dict[str, tuple[str, str]] = dict.fromkeys(names, ("", ""))
        self._lists_errors = not operations or any(map(_lists_errors, operations))

    def conform(self, operation: dict[str, Any], template: str, method: str) -> dict[str, Any]:
        """An operation in the document's style: without a name where others have none, or where
        another operation of the document or an earlier addition has the same; without errors
        where others list none, since the first one listed would imply that the others have none;
        and in the group of its neighbours, where these are in one."""
        written = dict(operation)
        name, place = written.pop("operationId", None), (template, method)
        named = name is not None and self._names_operations
        if named and self._taken.setdefault(name, place) == place:
            written = {"operationId": name, **written}
        responses = written["responses"]
        plain = {s: each for s, each in responses.items() if not _is_error(s) and s != "default"}
        if plain and not self._lists_errors:
            written["responses"] = plain
        tags = self._tags_of(template)
        return {"tags": tags, **written} if tags else written

    def _tags_of(self, template: str) -> list[str]:
        """The tags of the operations whose paths have most in common with this one, where they have
        the same ones, and the paths tell that the group is about this one, too."""
        own = _segments(template)
        shared = [(_in_common(own, path), path, tags) for path, tags in self._tagged]
        most = max((count for count, _, _ in shared), default=0)
        nearest = {tags for count, _, tags in shared if count == most}
        if len(nearest) != 1:
            return []
        (tags,) = nearest
        group = [path for _, path, each in shared if each == tags]
        is_all = len(group) == len(shared)
        return [*tags] if _belongs_to_group(own, group, most, is_all=is_all) else []


def _belongs_to_group(
    own: tuple[str, ...], group: list[tuple[str, ...]], most: int, *, is_all: bool
) -> bool:
    """Whether a path is of the same kind as those of a group that it has `most` segments in common
    with: it lies above or below one of them; they share an item, as `orders/{id}`; or the group
    holds different things behind what they share, which then is what the group is about. `is_all`:
    every operation of the document is in it."""
    about = [segment for segment in own[:most] if not _GENERAL.fullmatch(segment)]
    if any(_in_common(own, path) == min(len(own), len(path)) for path in group) and about:
        return True
    if "{}" in own[:most] and about != ["{}"]:
        return True
    behind = {path[most] for path in group if len(path) > most and _in_common(own, path) == most}
    return len(behind) > 1 and (is_all or bool(about))


def _segments(path: str) -> tuple[str, ...]:
    return tuple(_PARAMETER.sub("{}", path).strip("/").split("/"))


def _in_common(one: tuple[str, ...], other: tuple[str, ...]) -> int:
    """How many segments two paths begin with alike."""
    return next((n for n, (a, b) in enumerate(zip(one, other, strict=False)) if a != b),
                min(len(one), len(other)))  # fmt: skip


def _tags(operation: dict[str, Any]) -> tuple[str, ...]:
    tags = operation.get("tags")
    return tuple(map(str, tags)) if isinstance(tags, list) else ()


def _operations(root: Node) -> Iterator[tuple[str, dict[str, Any]]]:
    paths = root.get("paths")
    items = paths.value.items() if paths is not None and isinstance(paths.value, dict) else ()
    for path, item in items:
        if isinstance(item, dict):
            yield from ((path, item[m]) for m in _METHODS if isinstance(item.get(m), dict))


def _lists_errors(operation: dict[str, Any]) -> bool:
    responses = operation.get("responses")
    statuses = [*map(str, responses)] if isinstance(responses, dict) else []
    return any(
        (_is_error(status) and not is_generated_error(status, ()))
        or (status == "default" and len(statuses) > 1)
        for status in statuses
    )


def _is_error(status: str) -> bool:
    return status[:1] in ("4", "5")
