"""What each key of a configuration is for, read off the classes that the reader uses."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin, get_type_hints

import msgspec
from msgspec import Meta, Struct

from contract_scan.config.raw_configuration import WrittenFile
from contract_scan.config.toml_text import toml_of
from contract_scan.config.validation_errors import keys_of
from contract_scan.config.values import ContractEngine, Limits


class Key(Struct, frozen=True, kw_only=True):
    """One key, with the tables that it stands in."""

    name: str
    """`services.base-path`."""
    holds: str
    """What it holds, in words."""
    meaning: str
    required: bool = False
    default: str = ""
    """As TOML; empty where there is none but what `meaning` says."""
    examples: tuple[Any, ...] = ()
    inner: tuple[Key, ...] = ()
    """The keys of a table."""
    repeated: bool = False
    """Whether it is a list of tables."""


def keys() -> tuple[Key, ...]:
    """Every key at the top of a configuration, in the order in which they are shown."""
    return tuple(_keys(WrittenFile, ""))


def every_key() -> Iterator[Key]:
    """Every key, those in tables after their table."""
    for key in keys():
        yield key
        yield from key.inner


def example(key: Key) -> str:
    """Lines of a configuration that use a key."""
    _, dot, last = key.name.rpartition(".")
    if key.inner:
        head = f"[[{key.name}]]" if key.repeated else f"[{key.name}]"
        lines = [f"{_last_part(inner)} = {toml_of(inner.examples[0])}" for inner in key.inner]
        return "\n".join([head, *lines])
    if dot:
        return "\n".join(f"{last} = {toml_of(each)}" for each in key.examples)
    first = key.examples[0]
    if isinstance(first, dict):
        return "\n".join(
            [f"[{key.name}]", *(f"{_key(k)} = {toml_of(v)}" for k, v in first.items())]
        )
    return "\n".join(f"{key.name} = {toml_of(each)}" for each in key.examples)


def _key(name: str) -> str:
    return toml_of({name: 0})[2:].removesuffix(" = 0 }")


def _last_part(key: Key) -> str:
    return key.name.rpartition(".")[2]


_DEFAULTS: dict[str, Struct] = {"limits.": Limits(), "contract-engine.": ContractEngine()}
"""What counts where a key of a table is not set."""


def _keys(table: type[Struct], before: str) -> Iterator[Key]:
    hints = get_type_hints(table, include_extras=True)
    defaults = {field.name: field for field in msgspec.structs.fields(table)}
    for name, written in zip(table.__struct_fields__, keys_of(table), strict=True):
        held, meta = _type_and_meta(hints[name])
        inner, repeated = _table(held)
        field = defaults[name]
        way = f"{before}{written}"
        yield Key(
            name=way,
            holds="tables" if repeated else "table" if inner else _type_in_words(held),
            meaning=(meta.description or "") if meta else "",
            required=field.required,
            default="" if inner else _default(field, _DEFAULTS.get(before)),
            examples=tuple(map(_example, meta.examples or ())) if meta else (),
            inner=tuple(_keys(inner, f"{way}.")) if inner else (),
            repeated=repeated,
        )


def _type_and_meta(hint: Any) -> tuple[Any, Meta | None]:
    if get_origin(hint) is Annotated:
        held, *metas = get_args(hint)
        return held, next((meta for meta in metas if isinstance(meta, Meta)), None)
    return hint, None


def _table(held: Any) -> tuple[type[Struct] | None, bool]:
    """The table that a key holds, and whether there may be several."""
    if isinstance(held, type) and issubclass(held, Struct):
        return held, False
    inside = get_args(held)[0] if get_origin(held) is tuple else None
    if isinstance(inside, type) and issubclass(inside, Struct):
        return inside, True
    return None, False


def _default(field: msgspec.structs.FieldInfo, values: Struct | None) -> str:
    if values is not None:
        return toml_of(getattr(values, field.name))
    if field.default_factory is not msgspec.NODEFAULT:
        return toml_of(field.default_factory())
    if field.default is msgspec.NODEFAULT or field.default is None:
        return ""
    return toml_of(field.default)


def _example(value: Any) -> Any:
    """Dates stand as texts in the examples, since JSON has none."""
    if isinstance(value, str) and len(value) == 10:
        try:
            return date.fromisoformat(value)
        except ValueError:
            return value
    return value


_SIMPLE = {str: "text", int: "number", bool: "true or false", date: "date"}


def _type_in_words(held: Any) -> str:
    """A type in words."""
    held, _ = _type_and_meta(held)
    if held in _SIMPLE:
        return _SIMPLE[held]
    origin, inside = get_origin(held), get_args(held)
    if origin is Literal:
        *others, last = (f'"{word}"' for word in inside)
        return f"{', '.join(others)} or {last}"
    if origin is tuple:
        return f"list of {_type_in_words(inside[0])}s"
    if origin is dict:
        return f"table of {_plural_type(inside[1])}"
    if origin in (Union, UnionType):
        return " or ".join(_type_in_words(each) for each in inside if each is not NoneType)
    return str(held)


def _plural_type(held: Any) -> str:
    origin, inside = get_origin(held), get_args(held)
    if origin is tuple:
        return f"lists of {_type_in_words(inside[0])}s"
    if origin in (Union, UnionType):
        return _plural_type(inside[0])
    return _type_in_words(held)
