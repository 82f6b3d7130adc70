"""The file that lists the repositories of a fleet.

Plain text names one folder a line. TOML and YAML say more of each: `[[repositories]]` with `path`
and, if need be, `name`, `team`, `contracts`, `base-path`, `shared`, `seconds` and `memory`
(docs/fleet.md). Nothing is fetched: the folders are checked out before.
"""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Annotated, Any, Final

import msgspec
from msgspec import Meta, Struct

from contract_scan.config import toml
from contract_scan.config.validation_errors import suggestion
from contract_scan.errors import ConfigurationError
from contract_scan.memory_limit import DEFAULT, LEAST, MOST
from contract_scan.yaml_document import parse_yaml_document

SECONDS: Final = 600.0
"""How long one repository may take, unless the list says otherwise."""
_ADDRESS = re.compile(r"^(?:[a-z][a-z0-9+.-]*://|[\w.-]+@[\w.-]+:)", re.IGNORECASE)
"""How the address of a repository of git begins, which is no folder."""
_TEXT_ENDINGS = ("", ".txt", ".list", ".lst")
_Seconds = Annotated[float, Meta(gt=0)]
_Memory = Annotated[int, Meta(ge=LEAST, le=MOST)]
_Place = tuple[str | int, ...]


class Repository(Struct, frozen=True, kw_only=True):
    """One repository of a fleet."""

    name: str
    """What its paths begin with in reports."""
    path: Path
    """Absolute; whether it is there is found out when it is read."""
    team: str = ""
    contracts: tuple[Path, ...] = ()
    """Absolute; empty: those configured or found."""
    base_path: str = ""
    """Put before every path of those contracts."""
    shared: bool = False
    """Whether its AsyncAPI documents and JSON Schemas hold for all repositories."""
    seconds: float = SECONDS
    """How long it may take."""
    memory: int = DEFAULT
    """MiB that the process that reads it may take."""


class _Written(Struct, frozen=True, kw_only=True, rename="kebab", forbid_unknown_fields=True):
    path: Annotated[str, Meta(min_length=1)]
    name: Annotated[str, Meta(min_length=1)] | None = None
    team: str = ""
    contracts: tuple[str, ...] = ()
    base_path: str = ""
    shared: bool = False
    seconds: _Seconds | None = None
    memory: _Memory | None = None


class _WrittenList(Struct, frozen=True, kw_only=True, rename="kebab", forbid_unknown_fields=True):
    repositories: Annotated[tuple[_Written, ...], Meta(min_length=1)]
    seconds: _Seconds = SECONDS
    memory: _Memory = DEFAULT


def read_repositories(file: Path) -> tuple[Repository, ...]:
    """The repositories that a file lists, sorted by name.

    Raises ConfigurationError, with the line, for a file that cannot be read or is not as it should
    be: an unknown key, the address of a repository of git, two repositories of one name.
    """
    text = toml.read_text(file)
    shown = str(file)
    if file.suffix == ".toml":
        values: Any = toml.parse(text, shown)
        written = _check_list(values, shown, lambda place: toml.line_in(text, place))
        lines = toml.lines_in(text, [("repositories", n) for n in range(len(written.repositories))])
    elif file.suffix in (".yaml", ".yml"):
        document = parse_yaml_document(text, shown)

        def line(place: _Place) -> int:
            return document.line(".".join(map(str, place)))

        written = _check_list(document.values, shown, line)
        lines = [line(("repositories", n)) for n in range(len(written.repositories))]
    elif file.suffix in _TEXT_ENDINGS:
        written, lines = _plain_list(text, shown)
    else:
        known = ", ".join((".toml", ".yaml", *_TEXT_ENDINGS[1:]))
        raise ConfigurationError(f"is no list of repositories: call it {known}", shown)
    base = file.absolute().parent
    found = [
        _repository(each, written, base, shown, line)
        for each, line in zip(written.repositories, lines, strict=True)
    ]
    _refuse_namesakes(found, shown, lines)
    return tuple(sorted(found, key=lambda repository: repository.name))


def _plain_list(text: str, shown: str) -> tuple[_WrittenList, list[int]]:
    numbered = [
        (number, line.strip())
        for number, line in enumerate(text.splitlines(), start=1)
        if line.strip() and not line.lstrip().startswith("#")
    ]
    if not numbered:
        raise ConfigurationError("lists no repository: write the path of a folder a line", shown, 1)
    repositories = tuple(_Written(path=path) for _, path in numbered)
    return _WrittenList(repositories=repositories), [number for number, _ in numbered]


def _check_list(values: Any, shown: str, line: Callable[[_Place], int]) -> _WrittenList:
    try:
        return msgspec.convert(values, _WrittenList)
    except msgspec.ValidationError as error:
        said, _, place = str(error).partition(" - at `$")
        keys: _Place = tuple(
            int(part[1]) if part[1] else part[2]
            for part in re.finditer(r"\[(\d+)\]|\.([\w-]+)", place)
        )
        keys = tuple(key for key in keys if key != "...")
    unknown = re.match(r"Object contains unknown field `(.*)`", said)
    if unknown is not None:
        known = _Written if keys else _WrittenList
        names = [field.encode_name for field in msgspec.structs.fields(known)]
        said = f"unknown key `{unknown[1]}`{suggestion(unknown[1], names)}"
        keys = (*keys, unknown[1])
    elif said.startswith("Object missing required field `path`"):
        said = "a repository has no `path`: write the folder that it is checked out in"
    elif "repositories" in said or (keys == ("repositories",) and "length" in said):
        said = "lists no repository: write `repositories` with a `path` each"
    elif [key for key in keys if isinstance(key, str)] == ["repositories"]:
        said = "`repositories` is a list of tables: write a `path` for each, and a `team`"
    else:
        name = next((key for key in reversed(keys) if isinstance(key, str)), "")
        said = f"`{name}`: {said[:1].lower()}{said[1:]}" if name else said
    raise ConfigurationError(said, shown, line(keys) or 1) from None


def _repository(
    written: _Written, of_all: _WrittenList, base: Path, shown: str, line: int
) -> Repository:
    for text in (written.path, *written.contracts):
        if _ADDRESS.match(text):
            raise ConfigurationError(
                f"`{text}` is an address: check it out first (`git clone --depth 1`), and write the"
                " folder",
                shown,
                line,
            )
    if written.base_path and not written.contracts:
        message = "`base-path` goes with `contracts`: name those whose paths it stands before"
        raise ConfigurationError(message, shown, line)
    path = _absolute_path(base, written.path)
    contracts = tuple(_absolute_path(path, contract) for contract in written.contracts)
    name = written.name or _name_of(path, base)
    if written.name and (name.startswith("/") or {"", ".", ".."} & {*name.split("/")}):
        message = f"`{name}` is no name: paths begin with it, so write words with `/` between them"
        raise ConfigurationError(message, shown, line)
    base_path = f"/{written.base_path.strip('/')}" if written.base_path.strip("/") else ""
    return Repository(
        name=name,
        path=path,
        team=written.team,
        contracts=contracts,
        base_path=base_path,
        shared=written.shared,
        seconds=written.seconds or of_all.seconds,
        memory=written.memory or of_all.memory,
    )


def _absolute_path(base: Path, text: str) -> Path:
    try:
        return Path(os.path.realpath(base / Path(text).expanduser()))
    except (OSError, ValueError, RuntimeError):
        return base / text.replace("\0", "")


def _name_of(path: Path, base: Path) -> str:
    """The path below the list's own folder; of one that lies elsewhere its last part."""
    own = Path(os.path.realpath(base))
    if path != own and path.is_relative_to(own):
        return path.relative_to(own).as_posix()
    return path.name or "root"


def _refuse_namesakes(found: Sequence[Repository], shown: str, lines: Sequence[int]) -> None:
    names = Counter(repository.name for repository in found)
    paths = Counter(repository.path for repository in found)
    for repository, line in zip(found, lines, strict=True):
        if paths[repository.path] > 1:
            raise ConfigurationError(f"`{repository.path}` is listed twice", shown, line)
        if names[repository.name] > 1:
            message = f"two repositories are called `{repository.name}`: give one another `name`"
            raise ConfigurationError(message, shown, line)
