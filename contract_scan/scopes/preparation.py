"""What the PREPARE phase of a feature hands on: the parts it can be divided into, with the files
and interfaces that each is expected to touch. docs/scope-contracts.md describes the format.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from msgspec import Struct

from contract_scan.errors import ConfigurationError
from contract_scan.scopes.contract import Item, ScopeContractError, checked_scope_id
from contract_scan.scopes.items import path_in_root
from contract_scan.yaml_document import YamlDocument, parse_yaml_document

_TOP: Final = ("feature", "conventions", "scopes")
_SCOPE: Final = ("name", "id", "keywords", "files", "artifacts", "provides", "uses", "notes")
_FILE: Final = ("path", "change")


class PreparedFile(Struct, frozen=True):
    """A file, or a pattern of files, that a part is expected to change."""

    path: str
    change: int = 0
    """How much of it: lines, or any other measure that is the same for all parts."""
    line: int = 0


class PreparedScope(Struct, frozen=True, kw_only=True):
    """A part of the feature, as it was found by whoever looked for boundaries."""

    name: str
    id: str = ""
    """Empty: to be made from keywords or name."""
    keywords: tuple[Item, ...] = ()
    """Words of its domain, the most telling first."""
    files: tuple[PreparedFile, ...] = ()
    artifacts: tuple[Item, ...] = ()
    """What it produces that is no file: endpoints, schemas, migrations."""
    provides: tuple[Item, ...] = ()
    uses: tuple[Item, ...] = ()
    notes: tuple[Item, ...] = ()
    """Prose; what stands in code marks and a sibling provides is used."""
    line: int = 0


class Preparation(Struct, frozen=True):
    """The output of PREPARE."""

    feature: str
    conventions: tuple[Item, ...] = ()
    scopes: tuple[PreparedScope, ...] = ()


def read_preparation(text: str, path: str = "") -> Preparation:
    """Read the YAML of a PREPARE output. Raises ScopeContractError, with the line."""
    try:
        document = parse_yaml_document(text, path)
    except ConfigurationError as error:
        raise ScopeContractError(error.message, path, error.line) from error
    return _Reader(document).preparation()


class _Reader:
    def __init__(self, document: YamlDocument) -> None:
        self._document = document

    def preparation(self) -> Preparation:
        values = self._document.values
        self._refuse_unknown_keys(values, "", _TOP)
        scopes = values.get("scopes")
        if not isinstance(scopes, list) or not scopes:
            raise self._error("`scopes` must list the parts of the feature", "scopes")
        return Preparation(
            self._text(values.get("feature"), "feature"),
            self._items(values.get("conventions"), "conventions"),
            tuple(self._scope(one, f"scopes.{number}") for number, one in enumerate(scopes)),
        )

    def _scope(self, value: object, where: str) -> PreparedScope:
        if not isinstance(value, Mapping):
            raise self._error("a scope must hold keys with values", where)
        self._refuse_unknown_keys(value, f"{where}.", _SCOPE)
        given = value.get("id")
        key = f"{where}.id"
        line = self._document.line(key)
        lists = {
            name: self._items(value.get(name), f"{where}.{name}")
            for name in ("keywords", "artifacts", "provides", "uses", "notes")
        }
        return PreparedScope(
            name=self._text(value.get("name"), f"{where}.name"),
            id=""
            if given is None
            else checked_scope_id(self._text(given, key), self._document.path, line),
            files=tuple(self._files(value.get("files"), f"{where}.files")),
            line=self._document.line(where),
            **lists,
        )

    def _files(self, value: object, where: str) -> Iterator[PreparedFile]:
        for position, one in enumerate(self._list(value, where)):
            key = f"{where}.{position}"
            line = self._document.line(key)
            fields: Mapping[Any, Any] = one if isinstance(one, Mapping) else {"path": one}
            self._refuse_unknown_keys(fields, f"{key}.", _FILE)
            change = fields.get("change", 0)
            if isinstance(change, bool) or not isinstance(change, int) or change < 0:
                raise self._error("`change` must be a number of 0 or more", f"{key}.change")
            path = self._text(fields.get("path"), f"{key}.path")
            yield PreparedFile(path_in_root(path, self._document.path, line), change, line)

    def _items(self, value: object, where: str) -> tuple[Item, ...]:
        return tuple(
            Item(self._text(one, f"{where}.{position}"), self._document.line(f"{where}.{position}"))
            for position, one in enumerate(self._list(value, where))
        )

    def _list(self, value: object, where: str) -> list[Any]:
        if value is None:
            return []
        if not isinstance(value, list):
            raise self._error(f"`{where.rpartition('.')[2]}` must be a list", where)
        return value

    def _text(self, value: object, where: str) -> str:
        if not isinstance(value, str) or not value.strip():
            name = where.rpartition(".")[2]
            what = "an item" if name.isdigit() else f"`{name}`"
            raise self._error(f"{what} must be a text; put it in quotes", where)
        return " ".join(value.split())

    def _refuse_unknown_keys(
        self, values: Mapping[Any, Any], prefix: str, known: tuple[str, ...]
    ) -> None:
        for key in values:
            if key not in known:
                raise self._error(
                    f"there is no key `{key}` here; known are {', '.join(known)}", f"{prefix}{key}"
                )

    def _error(self, message: str, where: str) -> ScopeContractError:
        return ScopeContractError(message, self._document.path, self._document.line(where))
