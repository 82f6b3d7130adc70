"""Configuration: found nearest upwards, read strictly, every complaint with its place.

A key that is not known is an error, since a misspelt `ignore` that silently does nothing is worse
than none. Paths in a configuration are relative to the folder it stands in.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Literal, TypeAlias, get_args

import msgspec
from msgspec import Struct

from contract_scan.errors import ConfigurationError

Level: TypeAlias = Literal["error", "warning", "note"]
LEVELS: tuple[Level, ...] = get_args(Level)

OWN_NAMES = ("contract-scan.toml", ".contract-scan.toml")
PYPROJECT = "pyproject.toml"
TABLE = ("tool", "contract-scan")
LARGEST = 1_000_000
MAX_LINES = 1_000
"""Lines of a configuration in which the place of a mistake is looked for."""

KeyPath: TypeAlias = "tuple[str | int, ...]"
"""The way to a value: `("services", 1, "name")`."""


class Service(Struct, frozen=True, kw_only=True):
    """Which contracts govern which source folder."""

    name: str
    contracts: tuple[Path, ...] = ()
    source: Path
    base_path: str = ""
    """Put before every path of the contracts, with a leading and without a trailing slash."""


class ContractEngine(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Whether contracts come from a Contract Engine (see `run_contract_compliance_scan`)."""

    enabled: bool = False


class Config(Struct, frozen=True, kw_only=True):
    """Everything a scan can be told. All paths are absolute."""

    file: Path | None = None
    """Where it was read; None without a configuration file."""
    contracts: tuple[Path, ...] = ()
    """Contract documents, or folders of JSON Schemas."""
    exclude: tuple[str, ...] = ()
    """Patterns as in `.gitignore`, relative to the scanned folder."""
    select: tuple[str, ...] = ()
    """Rules to run; empty: all."""
    ignore: tuple[str, ...] = ()
    """Rules not to run."""
    fail_on: Level = "error"
    """The mildest severity that makes the exit status 1."""
    services: tuple[Service, ...] = ()
    contract_engine: ContractEngine = ContractEngine()


class _Service(Struct, frozen=True, kw_only=True, rename="kebab", forbid_unknown_fields=True):
    name: str
    contracts: tuple[str, ...] = ()
    source: str = "."
    base_path: str = ""


class _File(Struct, frozen=True, kw_only=True, rename="kebab", forbid_unknown_fields=True):
    """The keys as they are written."""

    contracts: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    select: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    fail_on: Level = "error"
    services: tuple[_Service, ...] = ()
    contract_engine: ContractEngine = ContractEngine()


def find_configuration(start: Path) -> Path | None:
    """The nearest configuration file at or above a folder, up to the root of its repository.

    In one folder a file of our own wins over `pyproject.toml`, which counts only where it has a
    `[tool.contract-scan]` table.
    """
    for folder in (start, *start.parents):
        for name in OWN_NAMES:
            if (folder / name).is_file():
                return folder / name
        if _has_table(folder / PYPROJECT):
            return folder / PYPROJECT
        if (folder / ".git").exists():
            return None
    return None


def read_configuration(file: Path) -> Config:
    """Read a configuration file.

    Raises ConfigurationError with file and line: not TOML, an unknown key, a value of the wrong
    type, a contract or source folder that does not exist.
    """
    text = _read_text(file)
    table = _table(_parse(text, file), file)
    try:
        written = msgspec.convert(table, _File)
    except msgspec.ValidationError as error:
        message, keys = _explain(str(error), table)
        raise ConfigurationError(message, str(file), _line(text, file, keys)) from None
    return _resolve(written, file, text)


def line_of(file: Path, keys: KeyPath) -> int:
    """The line a key of a configuration file stands on; 0 where it cannot be told."""
    return _line(_read_text(file), file, keys)


def _has_table(file: Path) -> bool:
    if not file.is_file():
        return False
    try:
        with file.open("rb") as opened:
            return b"tool.contract-scan" in opened.read(LARGEST)
    except OSError:
        return False


def _read_text(file: Path) -> str:
    try:
        with file.open("rb") as opened:
            data = opened.read(LARGEST + 1)
    except OSError as error:
        reason = error.strerror or "the file cannot be opened"
        raise ConfigurationError(f"cannot be read: {reason}", str(file)) from None
    if len(data) > LARGEST:
        raise ConfigurationError("is larger than 1 MB: not a configuration", str(file))
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise ConfigurationError("is not UTF-8; save it as UTF-8", str(file), line) from None


def _parse(text: str, file: Path) -> dict[str, Any]:
    import tomllib

    try:
        return tomllib.loads(text)
    except RecursionError:
        raise ConfigurationError("is nested too deeply", str(file)) from None
    except ValueError as error:
        said = re.sub(r"\s*\(at .*\)$", "", str(error))
        place = re.search(r"\(at line (\d+)", str(error))
        line = int(place.group(1)) if place else text.count("\n") + 1
        raise ConfigurationError(f"is not valid TOML: {said}", str(file), line) from None


def _table(document: dict[str, Any], file: Path) -> Any:
    for key in _prefix(file):
        document = document.get(str(key), {})
        if not isinstance(document, dict):
            raise ConfigurationError(f"`{'.'.join(TABLE)}` must be a table", str(file))
    return document


def _prefix(file: Path) -> KeyPath:
    return TABLE if file.name == PYPROJECT else ()


def _resolve(written: _File, file: Path, text: str) -> Config:
    folder = file.parent.absolute()

    def contracts(patterns: Sequence[str], keys: KeyPath) -> tuple[Path, ...]:
        found: dict[Path, None] = {}
        for index, pattern in enumerate(patterns):
            matches = sorted(_matches(folder, pattern))
            if not matches:
                line = _line(text, file, (*keys, index))
                raise ConfigurationError(f"no contract matches `{pattern}`", str(file), line)
            found.update(dict.fromkeys(matches))
        return tuple(found)

    def source(service: _Service, index: int) -> Path:
        path = folder / service.source
        if not path.is_dir():
            line = _line(text, file, ("services", index, "source"))
            message = f"the source folder `{service.source}` does not exist"
            raise ConfigurationError(message, str(file), line)
        return path.resolve()

    return Config(
        file=file,
        contracts=contracts(written.contracts, ("contracts",)),
        exclude=written.exclude,
        select=written.select,
        ignore=written.ignore,
        fail_on=written.fail_on,
        services=tuple(
            Service(
                name=service.name,
                contracts=contracts(service.contracts, ("services", index, "contracts")),
                source=source(service, index),
                base_path=_base_path(service.base_path),
            )
            for index, service in enumerate(written.services)
        ),
        contract_engine=written.contract_engine,
    )


def _matches(folder: Path, pattern: str) -> Iterator[Path]:
    """The files and folders a pattern stands for; a path without wildcards stands for itself."""
    plain = folder / pattern
    try:
        if plain.exists():
            yield plain.resolve()
        elif pattern and not Path(pattern).is_absolute():
            yield from (path.resolve() for path in folder.glob(pattern))
    except (OSError, ValueError, NotImplementedError):
        return


def _base_path(written: str) -> str:
    path = written.strip("/")
    return f"/{path}" if path else ""


# Errors in words, with their line.

_UNKNOWN = re.compile(r"^Object contains unknown field `(.*?)`")
_REQUIRED = re.compile(r"^Object missing required field `(.*?)`")
_EXPECTED = re.compile(r"^Expected `(.*?)`, got `(.*?)`")
_INVALID = re.compile(r"^Invalid enum value (.*?)(?: - at|$)")
_PLACE = re.compile(r" - at `\$(.*)`$")
_WORDS = {
    "array": "a list",
    "str": "a string",
    "bool": "true or false",
    "int": "a number",
    "float": "a number",
    "object": "a table",
}


def _explain(said: str, table: Any) -> tuple[str, KeyPath]:
    """What is wrong, in a user's words, and where."""
    place = _PLACE.search(said)
    keys = _keys(place.group(1)) if place else ()
    name = _name(keys)
    if unknown := _UNKNOWN.match(said):
        key = unknown.group(1)
        hint = _suggestion(key, _known(keys))
        return f"unknown key `{_name((*keys, key))}`{hint}", (*keys, key)
    if missing := _REQUIRED.match(said):
        return f"`{name}` needs the key `{missing.group(1)}`", keys
    if expected := _EXPECTED.match(said):
        wanted, got = (_WORDS.get(word, word) for word in expected.groups())
        return f"`{name}` must be {wanted}, not {got}", keys
    if invalid := _INVALID.match(said):
        hint = _suggestion(invalid.group(1).strip("'"), LEVELS)
        return f"`{name}` must be one of {', '.join(LEVELS)}{hint}", keys
    return f"`{name}`: {said}", keys


def _keys(written: str) -> KeyPath:
    """The way that `.services[0].base-path` says."""
    parts = re.findall(r"\.([A-Za-z0-9_-]+)|\[(\d+)\]", written)
    return tuple(name or int(index) for name, index in parts)


def _name(keys: KeyPath) -> str:
    name = ""
    for key in keys:
        name += f"[{key}]" if isinstance(key, int) else f".{key}" if name else key
    return name


def _known(keys: KeyPath) -> Sequence[str]:
    if not keys:
        return _File.__struct_encode_fields__
    owner = _Service if keys[0] == "services" else ContractEngine
    return owner.__struct_encode_fields__


def _suggestion(word: str, known: Sequence[str]) -> str:
    import difflib

    close = difflib.get_close_matches(word.replace("_", "-").lower(), known, n=1)
    return f"; did you mean `{close[0]}`?" if close else f"; known are {', '.join(known)}"


def _line(text: str, file: Path, keys: KeyPath) -> int:
    """The line a key starts on.

    Found by reading ever longer beginnings of the file: the first one in which the key is there
    ends with the statement that sets it, and that statement starts after the last beginning that
    could be read before. TOML readers give no positions, and this needs no second one.
    """
    import tomllib

    lines = text.split("\n", MAX_LINES)[:MAX_LINES]
    wanted = (*_prefix(file), *keys)
    for depth in range(len(wanted), 0, -1):
        start = 0
        for end in range(1, len(lines) + 1):
            try:
                document = tomllib.loads("\n".join(lines[:end]))
            except ValueError:
                continue
            if _contains(document, wanted[:depth]):
                return start + 1
            start = end
    return 0


def _contains(document: Any, keys: KeyPath) -> bool:
    for key in keys:
        if isinstance(key, int):
            if not isinstance(document, list) or key >= len(document):
                return False
            document = document[key]
        elif not isinstance(document, dict) or key not in document:
            return False
        else:
            document = document[key]
    return True
