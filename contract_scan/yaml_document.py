"""A YAML file as plain values, with the line of every key and item."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import yaml

from contract_scan.errors import ConfigurationError
from contract_scan.regular_file import read_regular

_LARGEST: Final = 1_000_000
"""Bytes of a configuration."""

_LONGEST_NUMBER: Final = 300

_NULL: Final = "tag:yaml.org,2002:null"


@dataclass(frozen=True)
class YamlDocument:
    """What a file says, and where."""

    path: str
    values: Mapping[Any, Any]
    lines: Mapping[str, int]
    """Key with the sections before it (`agent_teams.enabled`, `deliverables.0`) -> its line."""

    def line(self, key: str) -> int:
        """The line of a key; of one that is not written, that of the section it is missing in."""
        while key and key not in self.lines:
            key = key.rpartition(".")[0]
        return self.lines.get(key, 1)


def read_yaml_document(path: Path) -> YamlDocument:
    """Read a file that holds one mapping. Raises ConfigurationError, with the line."""
    shown = str(path)
    try:
        raw = read_regular(path, _LARGEST + 1)
    except OSError as error:
        raise ConfigurationError(f"cannot be read: {error.strerror}", shown) from None
    if len(raw) > _LARGEST:
        raise ConfigurationError(f"is larger than {_LARGEST // 1_000_000} MB", shown)
    try:
        text = raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = raw.count(b"\n", 0, error.start) + 1
        raise ConfigurationError("is not UTF-8; save it as UTF-8", shown, line) from None
    return parse_yaml_document(text, shown)


def parse_yaml_document(text: str, shown: str) -> YamlDocument:
    """Read a text that holds one mapping; `shown` names it in errors. Raises ConfigurationError,
    with the line."""
    try:
        return _read_document(text, shown)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        what = " ".join(part for part in (error.context, error.problem) if part)
        line = mark.line + 1 if mark else 1
        raise ConfigurationError(f"is not valid YAML: {what}", shown, line) from None
    except yaml.reader.ReaderError as error:
        line = text.count("\n", 0, error.position) + 1
        raise ConfigurationError(f"is not valid YAML: {error.reason}", shown, line) from None
    except (RecursionError, ValueError) as error:
        why = "nested too deeply" if isinstance(error, RecursionError) else str(error)
        raise ConfigurationError(f"is not valid YAML: {why}", shown, 1) from None


class _Loader(yaml.SafeLoader):
    """Makes no number of a long text: one to the base of 60 (`1:1:1:…`) takes time that is
    quadratic in its length."""

    def short_int(self, node: yaml.ScalarNode) -> Any:
        return self.construct_yaml_int(self._short(node))

    def short_float(self, node: yaml.ScalarNode) -> Any:
        return self.construct_yaml_float(self._short(node))

    def _short(self, node: yaml.ScalarNode) -> yaml.ScalarNode:
        if len(node.value) > _LONGEST_NUMBER:
            what = f"a number has more than {_LONGEST_NUMBER} letters"
            raise yaml.constructor.ConstructorError(None, None, what, node.start_mark)
        return node


_Loader.add_constructor("tag:yaml.org,2002:int", _Loader.short_int)
_Loader.add_constructor("tag:yaml.org,2002:float", _Loader.short_float)


def _read_document(text: str, path: str) -> YamlDocument:
    loader = _Loader(text)
    try:
        root = loader.get_single_node()
        if root is None or root.tag == _NULL:
            return YamlDocument(path, {}, {})
        if not isinstance(root, yaml.MappingNode):
            raise ConfigurationError("must hold keys with values (`depth: quick`)", path, 1)
        lines: dict[str, int] = {}
        for key, line in _keys(root, "", set()):
            if key in lines:
                raise ConfigurationError(
                    f"`{key}` is given twice, first in line {lines[key]}; keep one", path, line
                )
            lines[key] = line
        return YamlDocument(path, loader.construct_document(root), lines)
    finally:
        loader.dispose()


def _keys(node: yaml.Node, prefix: str, seen: set[int]) -> Iterator[tuple[str, int]]:
    if isinstance(node, yaml.ScalarNode) or id(node) in seen:
        return
    seen.add(id(node))
    if isinstance(node, yaml.SequenceNode):
        for position, item in enumerate(node.value):
            yield f"{prefix}{position}", item.start_mark.line + 1
            yield from _keys(item, f"{prefix}{position}.", seen)
        return
    for key, value in node.value:
        if key.tag == "tag:yaml.org,2002:merge":
            continue
        name = f"{prefix}{key.value}"
        yield name, key.start_mark.line + 1
        yield from _keys(value, f"{name}.", seen)
