"""JSON text -> positioned tree.

The standard library decides what is valid (and says where it is not); a second, linear pass then
builds the tree with its offsets and may rely on the text being well formed. A comma behind the last
member or item is let pass: readers of YAML, which most tools read documents with, take it.
"""

from __future__ import annotations

import json
from json.decoder import scanstring  # type: ignore[attr-defined]
from re import compile as regex
from typing import Final, NoReturn

from contract_scan.errors import ContractError
from contract_scan.parsers.contracts.located_tree import DATA_KEYS, Limits, Mapping, Sequence, Tree

_STRING = r'"([^"\\]*(?:\\.[^"\\]*)*)"'
_SCALAR_OR_BRACKET = _STRING + r"|([{\[])|([^\s,\]}]+)"
_MEMBER = regex(r"[\s,]*(?:" + _STRING + r"\s*:\s*(?:" + _SCALAR_OR_BRACKET + r")|\})")
"""A key with what follows it, or the end of a mapping. Groups: key, string, bracket, literal."""
_ELEMENT = regex(r"[\s,]*(?:()(?:" + _SCALAR_OR_BRACKET + r")|\])")
"""The same of a list; the key is empty."""
_TEXT: Final = 2
_BRACKET: Final = 3
_LAST_COMMA = regex(r'("[^"\\]*(?:\\.[^"\\]*)*"?)|,(?=\s*[}\]])')
"""A comma that nothing follows. Texts (group 1) are passed over, also one that does not end:
nothing begins anew inside it."""
_SURROGATE = regex("[\ud800-\udfff]")
_LITERALS = {"true": True, "false": False, "null": None}
_LONGEST_NUMBER = 300


def read_json(text: str, path: str, limits: Limits) -> Tree:
    """Read a JSON text. Raises `ContractError` with the line."""
    try:
        _check(text, path, limits)
    except ContractError:
        plain = _LAST_COMMA.sub(lambda match: match[1] or " ", text)
        if plain == text:
            raise
        _check(plain, path, limits)
        text = plain
    return _build(text, path, limits)


def _check(text: str, path: str, limits: Limits) -> None:
    """Refuse a text that is no JSON. Raises `ContractError` with the line."""
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
    duplicates: list[tuple[str, int]] = []
    stack: list[tuple[Mapping | Sequence, int, str, int, int]] = []
    around = Sequence()
    """Holds the outermost value alone."""
    container: Mapping | Sequence = around
    start_of_container = 0
    match = _ELEMENT.match
    key, key_start, key_end = "", 0, 0
    count = 0
    offset = 0
    value: object
    while True:
        found = match(text, offset)
        assert found is not None
        offset = found.end()
        kind = found.lastindex
        if kind is None:  # the container ends
            value, start = container, start_of_container
            container, start_of_container, key, key_start, key_end = stack.pop()
            match = _MEMBER.match if type(container) is Mapping else _ELEMENT.match
        else:
            if type(container) is Mapping:
                key_start, key_end = found.start(1) - 1, found.end(1) + 1
                key = _string(text, found[1], key_start)
                if key in container and not any(above[2] in DATA_KEYS for above in stack):
                    duplicates.append((key, key_start))
            if kind == _BRACKET:
                if len(stack) >= limits.max_depth:
                    raise _too_deep(path, limits, text.count("\n", 0, offset) + 1)
                stack.append((container, start_of_container, key, key_start, key_end))
                start_of_container = offset - 1
                if found[_BRACKET] == "{":
                    container, match = Mapping(), _MEMBER.match
                else:
                    container, match = Sequence(), _ELEMENT.match
                continue
            start = found.start(kind)
            if kind == _TEXT:
                start -= 1
                value = _string(text, found[_TEXT], start)
            else:
                value = _literal(found[kind])
        count += 1
        if count > limits.max_nodes:
            raise ContractError(
                f"holds more than {limits.max_nodes:,} values; split it, or raise the limit",
                path,
                text.count("\n", 0, offset) + 1,
            )
        if container is around:
            return Tree(value, start, offset, tuple(duplicates))
        if type(container) is Mapping:
            container[key] = value
            container.places[key] = (key_start, key_end, start, offset)
        else:
            assert type(container) is Sequence
            container.append(value)
            container.places.append((start, offset))
