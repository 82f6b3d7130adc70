"""Scope contracts as programs read them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final

import yaml

from contract_scan.errors import ConfigurationError
from contract_scan.scopes.contract import (
    DEFAULT_EXECUTOR,
    LISTS,
    ROOT,
    Item,
    ScopeContract,
    ScopeContractError,
    checked_scope_id,
    texts,
)
from contract_scan.yaml_document import YamlDocument, parse_yaml_document

_MANY: Final = "scope_contracts"
_SECTIONS: Final = {
    "identity": ("scope_id", "parent_scope", "executor"),
    "interfaces": ("exports", "imports"),
    "constraints": ("shared_files", "conventions"),
}
_TOP: Final = ("name", "deliverables", *_SECTIONS)


def read_yaml(text: str, path: str = "") -> tuple[ScopeContract, ...]:
    """The scope contracts of a YAML text: one, or those listed at `scope_contracts`. Raises
    ScopeContractError, with the line."""
    try:
        document = parse_yaml_document(text, path)
    except ConfigurationError as error:
        raise ScopeContractError(error.message, path, error.line) from error
    if _MANY not in document.values:
        return (_contract(document, document.values, ""),)
    _refuse_unknown(document, document.values, "", (_MANY,))
    listed = document.values[_MANY]
    if not isinstance(listed, list):
        raise ScopeContractError(f"`{_MANY}` must be a list", path, document.line(_MANY))
    return tuple(
        _contract(document, one, f"{_MANY}.{position}.") for position, one in enumerate(listed)
    )


def write_yaml(contracts: Iterable[ScopeContract]) -> str:
    """Contracts in the form that `read_yaml` reads."""
    found = [contract_values(one) for one in contracts]
    whole = found[0] if len(found) == 1 else {_MANY: found}
    text: str = yaml.safe_dump(whole, sort_keys=False, allow_unicode=True, width=100)
    return text


def contract_values(contract: ScopeContract) -> dict[str, Any]:
    """A contract as the plain values that its YAML form holds."""

    def list_at(key: str) -> list[str]:
        return [*texts(getattr(contract, key))]

    return {
        "name": contract.name,
        "identity": {key: getattr(contract, key) for key in _SECTIONS["identity"]},
        "deliverables": list_at("deliverables"),
        "interfaces": {key: list_at(key) for key in _SECTIONS["interfaces"]},
        "constraints": {key: list_at(key) for key in _SECTIONS["constraints"]},
    }


def _contract(document: YamlDocument, values: object, prefix: str) -> ScopeContract:
    here = document.line(prefix.rstrip("."))
    if not isinstance(values, Mapping):
        raise ScopeContractError("a scope contract must hold keys with values", document.path, here)
    _refuse_unknown(document, values, prefix, _TOP)
    fields: dict[str, Any] = {"deliverables": (values.get("deliverables"), f"{prefix}deliverables")}
    for section, keys in _SECTIONS.items():
        inner = values.get(section) or {}
        if not isinstance(inner, Mapping):
            raise ScopeContractError(
                f"`{section}` must hold keys with values",
                document.path,
                document.line(prefix + section),
            )
        _refuse_unknown(document, inner, f"{prefix}{section}.", keys)
        fields.update((key, (inner.get(key), f"{prefix}{section}.{key}")) for key in keys)

    def scalar(key: str, where: str, value: object, default: str) -> str:
        if value is None and default:
            return default
        if not isinstance(value, str) or not value.strip():
            raise ScopeContractError(f"`{key}` must be a text", document.path, document.line(where))
        return value.strip()

    scope_id, where = fields["scope_id"]
    parent, parent_where = fields["parent_scope"]
    executor, executor_where = fields["executor"]
    return ScopeContract(
        name=scalar("name", f"{prefix}name", values.get("name"), ""),
        scope_id=checked_scope_id(
            scalar("scope_id", where, scope_id, ""), document.path, document.line(where)
        ),
        parent_scope=checked_scope_id(
            scalar("parent_scope", parent_where, parent, ROOT),
            document.path,
            document.line(parent_where),
        ),
        executor=scalar("executor", executor_where, executor, DEFAULT_EXECUTOR),
        line=here,
        **{key: _items(document, *fields[key]) for key in LISTS},
    )


def _items(document: YamlDocument, value: object, where: str) -> tuple[Item, ...]:
    if value is None:
        return ()
    if not isinstance(value, list):
        key = where.rpartition(".")[2]
        raise ScopeContractError(f"`{key}` must be a list", document.path, document.line(where))
    found: list[Item] = []
    for position, one in enumerate(value):
        line = document.line(f"{where}.{position}")
        if not isinstance(one, str) or not one.strip():
            raise ScopeContractError(
                "an item must be a text; put it in quotes", document.path, line
            )
        found.append(Item(" ".join(one.split()), line))
    return tuple(found)


def _refuse_unknown(
    document: YamlDocument, values: Mapping[Any, Any], prefix: str, known: Iterable[str]
) -> None:
    known = tuple(known)
    for key in values:
        if key not in known:
            raise ScopeContractError(
                f"there is no key `{key}` here; known are {', '.join(known)}",
                document.path,
                document.line(f"{prefix}{key}"),
            )
