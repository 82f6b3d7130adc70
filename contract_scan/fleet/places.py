"""Where files lie as a repository says it, and as a report of all repositories does."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, Final, TypeVar

import msgspec
from msgspec import Struct

from contract_scan.fleet.repositories import Repository
from contract_scan.ir.document import ContractDocument, NotAnalysed
from contract_scan.ir.event import Channel
from contract_scan.ir.model import Model
from contract_scan.ir.origin import Origin
from contract_scan.ir.promise import Promise, Service
from contract_scan.ir.schema import Reference

Value = TypeVar("Value")

_PATHS: Final[dict[type[Struct], str]] = {
    Channel: "document",
    ContractDocument: "path",
    Model: "document",
    NotAnalysed: "path",
    Origin: "path",
    Promise: "contract",
    Service: "folder",
}
"""The fields of the representation that hold paths."""


class Places:
    """The repositories of a fleet by where they lie."""

    def __init__(self, repositories: Iterable[Repository]) -> None:
        self._root_of = {each.name: str(each.path) for each in repositories}
        self._name_of = {root: name for name, root in self._root_of.items()}

    def in_fleet(self, value: Value, name: str) -> Value:
        """A value of a repository with the paths that it has among all: `repository/path`. The
        keys of its references begin with the name, too."""
        return self._with_paths(value, lambda path: self._fleet_path(path, name), f"{name}/")

    def in_repository(self, value: Value, name: str) -> Value:
        """The other way round; what lies in another repository is `../…`."""
        return self._with_paths(value, lambda path: self._repository_path(path, name), "")

    def owner(self, path: str) -> str:
        """The name of the repository that a path of the fleet lies in; empty: in none."""
        return self._split(path)[0]

    def _fleet_path(self, path: str, name: str) -> str:
        if not path.startswith(("../", "/")) and path not in ("", "..", "."):
            return f"{name}/{path}"
        if path in ("", "."):
            return name
        place = Path(os.path.normpath(Path(self._root_of[name], path)))
        for folder in (place, *place.parents):
            if other := self._name_of.get(str(folder)):
                inside = place.relative_to(folder).as_posix()
                return other if inside == "." else f"{other}/{inside}"
        return place.as_posix()

    def _repository_path(self, path: str, name: str) -> str:
        if path == name:
            return ""
        if path.startswith(f"{name}/"):
            return path[len(name) + 1 :]
        owner, inside = self._split(path)
        if not owner:
            return path
        place = Path(self._root_of[owner], inside)
        return os.path.relpath(place, self._root_of[name]).replace(os.sep, "/")

    def _split(self, path: str) -> tuple[str, str]:
        name = path
        while name and name not in self._root_of:
            name = name.rpartition("/")[0]
        return name, path[len(name) + 1 :] if name else path

    def _with_paths(self, value: Value, path: Callable[[str], str], before: str) -> Value:
        known: dict[Origin, Origin] = {}

        def map_value(value: Any) -> Any:
            if isinstance(value, Origin):
                found = known.get(value)
                if found is None:
                    moved = path(value.path) if value.path else ""
                    found = known[value] = msgspec.structs.replace(value, path=moved)
                return found
            if isinstance(value, Struct):
                return map_struct(value)
            if isinstance(value, tuple) and value:
                return (
                    type(value)(*map(map_value, value))
                    if hasattr(value, "_fields")
                    else tuple(map(map_value, value))
                )
            if isinstance(value, dict) and value:
                return {key: map_value(each) for key, each in value.items()}
            return value

        def map_struct(value: Struct) -> Struct:
            changed = {}
            named = _PATHS.get(type(value))
            for name in value.__struct_fields__:
                before_value = getattr(value, name)
                if name == named:
                    after = path(before_value) if before_value or named != "document" else ""
                elif name == "key" and before and isinstance(value, Reference):
                    after = before + before_value
                else:
                    after = map_value(before_value)
                if after is not before_value:
                    changed[name] = after
            return msgspec.structs.replace(value, **changed) if changed else value

        moved: Value = map_value(value)
        return moved
