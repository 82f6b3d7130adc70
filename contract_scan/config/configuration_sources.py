"""Settings from several places: a file, the environment, the command line; the later wins.

A list that a later place sets replaces the one before; `extend-…` lists add up; tables are joined
key by key.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec
from msgspec import Struct

from contract_scan.config.confinement import boundary_of, is_confined
from contract_scan.config.find import TABLE, prefix_in
from contract_scan.config.toml import KeyPath, line_in, lines_in, parse, read_text
from contract_scan.config.values import Config, ContractEngine, Limits
from contract_scan.errors import ConfigurationError

_ADDED = frozenset({"extend_exclude", "extend_select"})
_JOINED = frozenset({"per_file_ignores", "severities", "limits", "contract_engine"})
"""Resolved to mappings by their keys."""


class Layer(Struct, frozen=True, kw_only=True):
    """Settings from one place."""

    values: Mapping[str, Any]
    """As they are written."""
    name: str
    """What the place is called: a path, `CONTRACT_SCAN_JOBS`, `--select`."""
    base: Path
    """The folder that its paths are relative to."""
    file: Path | None = None
    text: str = ""
    """What the file says."""
    patterns_base: Path | None = None
    """The folder that its patterns are relative to; None: the scanned one."""
    boundary: Path | None = None
    """The folder that nothing it names may lead out of; None: the user is the one who names it."""
    label: str | None = None
    """What complaints begin with where there is no file; None: the name."""


def file_layer(file: Path, *, named: bool = False) -> Layer:
    """The settings of a file. One that was found, not `named` by the user, leads nowhere out of its
    repository. Raises ConfigurationError where it does itself, or is no TOML."""
    boundary = None if named else boundary_of(file.parent)
    if boundary is not None and not is_confined(file, boundary):
        message = "is a link out of the repository; name it with --config to read it"
        raise ConfigurationError(message, str(file))
    text = read_text(file)
    table: Any = parse(text, str(file))
    for key in prefix_in(file):
        table = table.get(str(key), {})
        if not isinstance(table, dict):
            raise ConfigurationError(f"`{'.'.join(TABLE)}` must be a table", str(file))
    base = file.parent.absolute()
    return Layer(
        values=table,
        name=str(file),
        base=base,
        file=file,
        text=text,
        patterns_base=base.resolve(),
        boundary=boundary,
    )


def text_layer(text: str, name: str, base: Path) -> Layer:
    """Settings that stand as TOML in an option or a variable."""
    try:
        values = parse(text, "")
    except ConfigurationError as error:
        raise ConfigurationError(f"{name}: `{text}` {error.message}") from None
    return Layer(values=values, name=name, base=base)


def resolve(layers: Sequence[Layer]) -> Config:
    """What is in force. Raises ConfigurationError, with the place, for an unknown key, a value of
    the wrong type, and a path that leads nowhere."""
    # The last one first: a mistake in what was just typed is told before an older one.
    fields = [_resolve_layer(layer) for layer in reversed(layers)]
    values: dict[str, Any] = {}
    for found in reversed(fields):
        for name, value in found.items():
            values[name] = _combine_values(name, values.get(name), value)
    return _config(values)


def merge_layers(layers: Sequence[Layer]) -> dict[str, Any]:
    """What is set, as it is written."""
    found: dict[str, Any] = {}
    for layer in layers:
        for key, value in layer.values.items():
            found[key] = _combine_values(key.replace("-", "_"), found.get(key), value)
    return found


def origins(layers: Sequence[Layer]) -> dict[KeyPath, str]:
    """Where each value comes from, by key (and, in tables that are joined, by the key in there):
    `contract-scan.toml:3`, `CONTRACT_SCAN_JOBS`, `--select`. What is not in here is a default."""
    found: dict[KeyPath, str] = {}
    for layer in layers:
        _note(layer, found)
    return found


def read_configuration(file: Path) -> Config:
    """Read a configuration file.

    Raises ConfigurationError with file and line: not TOML, an unknown key, a value of the wrong
    type, a contract or source folder that does not exist.
    """
    return resolve([file_layer(file)])


def line_of(file: Path, keys: KeyPath) -> int:
    """The line a key of a configuration file stands on; 0 where it is undetermined."""
    return line_in(read_text(file), (*prefix_in(file), *keys))


def error_in(layer: Layer, message: str, keys: KeyPath) -> ConfigurationError:
    """A complaint about a value of a layer, with its place."""
    if layer.file is None:
        label = f"{layer.name}: " if layer.label is None else layer.label
        return ConfigurationError(label + message)
    return ConfigurationError(message, str(layer.file), _lines(layer, [keys])[0])


def _lines(layer: Layer, ways: Sequence[KeyPath]) -> list[int]:
    """The lines of keys in the file of a layer."""
    if layer.file is None:
        return [0] * len(ways)
    before = prefix_in(layer.file)
    return lines_in(layer.text, [(*before, *way) for way in ways])


def _resolve_layer(layer: Layer) -> dict[str, Any]:
    """The fields of a configuration that a layer sets."""
    # Where nothing is configured, nobody waits for what reads it.
    from contract_scan.config.raw_configuration import WrittenFile
    from contract_scan.config.resolver import Resolver
    from contract_scan.config.validation_errors import explain_complaint

    try:
        written = msgspec.convert(dict(layer.values), WrittenFile)
    except msgspec.ValidationError as error:
        message, keys = explain_complaint(str(error), layer.values)
        raise error_in(layer, message, keys) from None
    resolver = Resolver(
        base=layer.base,
        patterns_base=layer.patterns_base,
        file=layer.file,
        boundary=layer.boundary,
        complain=lambda message, keys: error_in(layer, message, keys),
    )
    return resolver.fields(written, layer.values)


def _combine_values(name: str, before: Any, value: Any) -> Any:
    if before is None:
        return value
    if name in _ADDED:
        return (*before, *value)
    return {**before, **value} if name in _JOINED else value


def _config(values: dict[str, Any]) -> Config:
    made = dict(values)
    for name in ("per_file_ignores", "severities"):
        if name in made:
            made[name] = tuple(made[name].values())
    if "limits" in made:
        made["limits"] = Limits(**made["limits"])
    if "contract_engine" in made:
        made["contract_engine"] = ContractEngine(**made["contract_engine"])
    return msgspec.structs.replace(Config(), **made)


def _note(layer: Layer, origins: dict[KeyPath, str]) -> None:
    """Say of each value of a layer where it comes from."""
    ways: list[KeyPath] = []
    for key, value in layer.values.items():
        joined = key.replace("-", "_") in _JOINED
        ways += [(key, inner) for inner in value] if joined else [(key,)]
    for way, line in zip(ways, _lines(layer, ways), strict=True):
        place = f"{layer.name}:{line}" if line else layer.name
        added = str(way[0]).replace("-", "_") in _ADDED and way in origins
        origins[way] = f"{origins[way]}, {place}" if added else place
