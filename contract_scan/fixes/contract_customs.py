"""What a contract is in the habit of saying: what is added to it says as much, and no more."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from contract_scan.parsers.contracts.positions import Node

_METHODS = ("get", "put", "post", "delete", "options", "head", "patch", "trace")
_WRITTEN_BY_GENERATORS = "422"
"""Says nothing of a habit: FastAPI lists it for every operation with parameters."""


class Customs:
    """The habits of one document."""

    def __init__(self, root: Node) -> None:
        operations = list(_operations(root))
        names = [
            each["operationId"] for each in operations if isinstance(each.get("operationId"), str)
        ]
        self._names_operations = bool(names) or not operations
        self._taken: dict[str, tuple[str, str]] = dict.fromkeys(names, ("", ""))
        self._lists_errors = not operations or any(map(_lists_errors, operations))

    def kept(self, operation: dict[str, Any], template: str, method: str) -> dict[str, Any]:
        """An operation without a name where others have none, or where one of the document or of
        those added before has the same; and without errors where others list none, since the first
        one listed would say of every other operation that it has none."""
        written = dict(operation)
        name, place = written.pop("operationId", None), (template, method)
        named = name is not None and self._names_operations
        if named and self._taken.setdefault(name, place) == place:
            written = {"operationId": name, **written}
        responses = written["responses"]
        plain = {s: each for s, each in responses.items() if not _is_error(s) and s != "default"}
        if plain and not self._lists_errors:
            written["responses"] = plain
        return written


def _operations(root: Node) -> Iterator[dict[str, Any]]:
    paths = root.get("paths")
    items = paths.value.values() if paths is not None and isinstance(paths.value, dict) else ()
    for item in items:
        if isinstance(item, dict):
            yield from (item[m] for m in _METHODS if isinstance(item.get(m), dict))


def _lists_errors(operation: dict[str, Any]) -> bool:
    responses = operation.get("responses")
    statuses = [*map(str, responses)] if isinstance(responses, dict) else []
    return any(
        (_is_error(status) and status != _WRITTEN_BY_GENERATORS)
        or (status == "default" and len(statuses) > 1)
        for status in statuses
    )


def _is_error(status: str) -> bool:
    return status[:1] in ("4", "5")
