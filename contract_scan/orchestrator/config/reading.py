"""From a YAML file to the configuration, and which keys the user has set."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Callable, Iterator, Mapping
from difflib import get_close_matches
from pathlib import Path
from typing import Annotated, Any, Final, Literal, get_args, get_origin, get_type_hints

import msgspec
import yaml

from contract_scan.errors import ConfigurationError
from contract_scan.orchestrator.config.sections import AgentTeamConfig
from contract_scan.yaml_document import YamlDocument, read_yaml_document

Place = Callable[[str], tuple[str, int]]
"""Key -> path and line of the file it stands in."""

_POSITIVE: Final = Annotated[int, msgspec.Meta(ge=1)]
_KINDS: Final[tuple[tuple[type, str], ...]] = (
    (bool, "true or false"),
    (int, "a whole number"),
    (float, "a number"),
    (str, "a text"),
    (list, "a list of texts"),
    (dict, "a mapping"),
)
_BOUND: Final = re.compile(r"^Expected `\w+` (<=|>=) ([\d.]+)")


@dataclasses.dataclass(frozen=True)
class Key:
    """One thing that can be configured."""

    name: str
    """With its section: `agent_teams.enabled`."""
    type: Any
    """The annotation of the field."""
    default: object


def load_config(path: Path | None = None) -> tuple[AgentTeamConfig, set[str]]:
    """Read a configuration file; without one, the defaults.

    Gives the configuration as written, before any depth is applied, and the keys that the file
    sets (`agent_teams.enabled`). Raises ConfigurationError, with the line, for a file that cannot
    be read, is no YAML, has an unknown key or a value of another type than the key takes.
    """
    if path is None:
        return _dict_to_config({})
    document = read_yaml_document(path)
    return _dict_to_config(document.values, _line_of_key(document))


def _line_of_key(document: YamlDocument) -> Place:
    return lambda key: (document.path, document.line(key))


def _no_line(_: str) -> tuple[str, int]:
    return "", 0


def _dict_to_config(
    values: Mapping[Any, Any], place: Place = _no_line
) -> tuple[AgentTeamConfig, set[str]]:
    """The configuration that plain values describe, and the keys that they set.

    Sections and keys that are missing have their defaults. Raises ConfigurationError.
    """
    user_overrides: set[str] = set()
    return _record(AgentTeamConfig, values, "", place, user_overrides), user_overrides


def _record(
    kind: type[Any], values: Mapping[Any, Any], prefix: str, place: Place, found: set[str]
) -> Any:
    hints = get_type_hints(kind, include_extras=True)
    changes: dict[str, Any] = {}
    for key, value in values.items():
        name = f"{prefix}{key}"
        if not isinstance(key, str) or key not in hints:
            raise _unknown_key_error(str(key), name, hints, place)
        hint = hints[key]
        if not dataclasses.is_dataclass(hint):
            changes[key] = _value(hint, value, name, place)
            found.add(name)
        elif isinstance(value, Mapping):
            changes[key] = _record(_class(hint), value, f"{name}.", place, found)
        elif value is not None:
            raise ConfigurationError(f"`{name}` takes keys with values", *place(name))
    return kind(**changes)


def _class(hint: Any) -> type[Any]:
    assert isinstance(hint, type)
    return hint


def _unknown_key_error(
    key: str, name: str, known: Mapping[str, object], place: Place
) -> ConfigurationError:
    close = get_close_matches(key, known, n=1)
    prefix = name[: len(name) - len(key)]
    advice = f"did you mean `{prefix}{close[0]}`?" if close else f"known: {', '.join(known)}"
    return ConfigurationError(f"unknown key `{name}`; {advice}", *place(name))


def _value(hint: Any, value: object, name: str, place: Place) -> Any:
    try:
        return msgspec.convert(value, _POSITIVE if hint is int else hint)
    except msgspec.ValidationError as error:
        raise ConfigurationError(
            f"`{name}` must be {_allowed_values(hint, str(error))}, not {_value_in_words(value)}",
            *place(name),
        ) from None


def _allowed_values(hint: Any, complaint: str) -> str:
    if get_origin(hint) is Literal:
        return f"one of {', '.join(map(str, get_args(hint)))}"
    plain = get_args(hint)[0] if get_origin(hint) is Annotated else hint
    kind = get_origin(plain) or plain
    described = dict(_KINDS)[kind]
    bound = _BOUND.match(complaint)
    if bound is None:
        return described
    return (
        f"{described} of at {'most' if bound[1] == '<=' else 'least'} {bound[2].removesuffix('.0')}"
    )


def _value_in_words(value: object) -> str:
    if value is None:
        return "nothing"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (int, float)):
        return str(value)
    if isinstance(value, str):
        return f"the text `{value if len(value) <= 40 else value[:39] + '…'}`"
    return "a mapping" if isinstance(value, Mapping) else "a list"


def all_keys(kind: type[Any] = AgentTeamConfig, prefix: str = "") -> Iterator[Key]:
    """Every key of the configuration, in the order of the records."""
    default = kind()
    for name, hint in get_type_hints(kind, include_extras=True).items():
        if dataclasses.is_dataclass(hint):
            yield from all_keys(_class(hint), f"{prefix}{name}.")
        else:
            yield Key(f"{prefix}{name}", hint, getattr(default, name))


PROGRAM_KEYS: Final = frozenset(
    {
        "agent.command",
        "agent.permission_mode",
        "agent_teams.teammate_permission_mode",
        "mcp_servers",
        *(
            f"{server}.{name}"
            for server in ("architect", "codebase_intelligence", "contract_engine")
            for name in ("mcp_args", "mcp_command", "server_root")
        ),
    }
)
"""Keys that decide which programs are started, and what agents may do without asking."""


def load_found_config(path: Path) -> tuple[AgentTeamConfig, set[str]]:
    """Read a file that lies in the project rather than one that the user has named.

    Whoever wrote the project must not decide which programs are started: keys that do so are
    refused. Raises ConfigurationError.
    """
    document = read_yaml_document(path)
    config, user_overrides = _dict_to_config(document.values, _line_of_key(document))
    for key in sorted(user_overrides & PROGRAM_KEYS):
        raise ConfigurationError(
            f"`{key}` is taken only from a file that is named with --build-config",
            *_line_of_key(document)(key),
        )
    return config, user_overrides


def config_as_yaml(config: AgentTeamConfig) -> str:
    """The whole configuration as a file that `load_config` reads."""
    text: str = yaml.safe_dump(dataclasses.asdict(config), sort_keys=False, allow_unicode=True)
    return text
