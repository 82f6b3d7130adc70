"""JSON text -> positioned tree.

The standard library decides what is valid (and says where it is not); a second, linear pass then
builds the tree with its offsets and may rely on the text being well formed.
"""

from __future__ import annotations

import json
from json.decoder import scanstring  # type: ignore[attr-defined]
from re import compile as regex
from typing import NoReturn

from contract_scan.errors import ContractError
from contract_scan.parsers.contracts.located_tree import DATA_KEYS, Limits, Mapping, Sequence, Tree

_STRING = r'"([^"\\]*(?:\\.[^"\\]*)*)"'
_KEY = regex(r"[\s,]*(?:" + _STRING + r"\s*:|(\}))")
_VALUE = regex(r"[\s,]*(?:" + _STRING + r"|([{\[\]])|([^\s,\]}]+))")
_SURROGATE = regex("[\ud800-\udfff]")
_LITERALS = {"true": True, "false": False, "null": None}
_LONGEST_NUMBER = 300


def read_json(text: str, path: str, limits: Limits) -> Tree:
    """Read a JSON text. Raises `ContractError` with the line."""
    try:
        json.loads(text, parse_int=str, parse_float=str, parse_constant=_refuse_constant)
    except json.JSONDecodeError as error:
        raise ContractError(
            f"is not valid JSON: {error.msg[:1].lower()}{error.msg[1:]}", path, error.lineno
        ) from error
    except RecursionError:
        raise _too_deep(path, limits, 0) from None
    except ValueError as error:
        raise ContractError(f"is not valid JSON: {error}", path) from error
    return _build(text, path, limits)


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not a JSON value")


def _too_deep(path: str, limits: Limits, line: int) -> ContractError:
    return ContractError(
        f"is nested more than {limits.max_depth} levels deep; flatten it", path, line
    )


def _string(text: str, raw: str, start: int) -> str:
    """The string whose raw text begins after the quote at `start`."""
    if "\\" not in raw:
        return raw
    value: str = scanstring(text, start + 1)[0]
    return _SURROGATE.sub("\ufffd", value)


def _literal(raw: str) -> str | int | float | bool | None:
    if raw in _LITERALS:
        return _LITERALS[raw]
    if len(raw) > _LONGEST_NUMBER:
        return raw
    return int(raw) if raw.lstrip("-").isdigit() else float(raw)


def _build(text: str, path: str, limits: Limits) -> Tree:
    match_key, match_value = _KEY.match, _VALUE.match
    duplicates: list[tuple[str, int]] = []
    stack: list[tuple[Mapping | Sequence, int, str, int, int]] = []
    container: Mapping | Sequence | None = None
    start_of_container = 0
    key, key_start, key_end = "", 0, 0
    count = 0
    offset = 0
    while True:
        if type(container) is Mapping:
            found = match_key(text, offset)
            assert found is not None
            offset = found.end()
            raw_key = found[1]
            closed = raw_key is None
            if not closed:
                key_start, key_end = found.start(1) - 1, found.end(1) + 1
                key = _string(text, raw_key, key_start)
                if key in container and not any(above[2] in DATA_KEYS for above in stack):
                    duplicates.append((key, key_start))
        else:
            closed = False
        value: object = None
        if not closed:
            found = match_value(text, offset)
            assert found is not None
            offset = found.end()
            kind = found.lastindex
            if kind == 1:
                start = found.start(1) - 1
                value = _string(text, found[1], start)
            elif kind == 3:
                start = found.start(3)
                value = _literal(found[3])
            elif found[2] == "]":
                closed = True
            else:
                if len(stack) >= limits.max_depth:
                    raise _too_deep(path, limits, text.count("\n", 0, offset) + 1)
                if container is not None:
                    stack.append((container, start_of_container, key, key_start, key_end))
                else:
                    stack.append((Sequence(), 0, "", 0, 0))
                container = Mapping() if found[2] == "{" else Sequence()
                start_of_container = offset - 1
                continue
            count += 1
            if count > limits.max_nodes:
                raise ContractError(
                    f"holds more than {limits.max_nodes:,} values; split it, or raise the limit",
                    path,
                    text.count("\n", 0, offset) + 1,
                )
        if closed:
            value, start = container, start_of_container
            container, start_of_container, key, key_start, key_end = stack.pop()
            count += 1
            if not stack:
                return Tree(value, start, offset, tuple(duplicates))
        if type(container) is Mapping:
            container[key] = value
            container.places[key] = (key_start, key_end, start, offset)
        elif container is not None:
            assert type(container) is Sequence
            container.append(value)
            container.places.append((start, offset))
        else:
            return Tree(value, start, offset)
