"""Mutants of endpoints and channels: renamed, dropped, added, turned round."""

from __future__ import annotations

import copy
import random
import re
from collections.abc import Callable, Iterator
from typing import TypeAlias

from bench.accuracy.contract_text import Json, resolved
from bench.accuracy.mutant import Expected, Mutant
from bench.accuracy.mutate_names import renamed_path
from bench.accuracy.sites import METHODS, operations

_PARAMETER = re.compile(r"\{(\w+)\}")
_OTHER_METHODS = ("put", "post", "patch", "delete", "get")


def _endpoint(kinds: str, method: str, path: str) -> Expected:
    accepted = frozenset(kinds.split())
    return Expected("CONTRACT-002", accepted, f"{method.upper()} {path}", frozenset({""}))


def _methods_of(item: Json) -> list[str]:
    return [method for method in METHODS if isinstance(item.get(method), dict)]


def _with_path_renamed(document: Json, old: str, new: str) -> None:
    document["paths"] = {
        new if path == old else path: item for path, item in document["paths"].items()
    }


def rename_path(document: Json, path: str, _method: str) -> tuple[Expected, ...] | None:
    """The contract has the endpoint elsewhere."""
    new = renamed_path(path)
    if new in document["paths"]:
        return None
    methods = _methods_of(document["paths"][path])
    _with_path_renamed(document, path, new)
    return tuple(_endpoint("missing-endpoint", method, new) for method in methods)


def change_method(document: Json, path: str, method: str) -> tuple[Expected, ...] | None:
    """The contract has another method."""
    item = document["paths"][path]
    free = [other for other in _OTHER_METHODS if other not in item]
    if not free:
        return None
    document["paths"][path] = {
        free[0] if key == method else key: value for key, value in item.items()
    }
    return (_endpoint("method missing-endpoint", free[0], path),)


def add_endpoint(document: Json, _path: str, _method: str) -> tuple[Expected, ...] | None:
    """An endpoint that no code has."""
    new = "/zz-not-implemented"
    operation = {"operationId": "zzNotImplemented", "responses": {"200": {"description": "ok"}}}
    document["paths"][new] = {"get": operation}
    return (_endpoint("missing-endpoint", "get", new),)


def drop_endpoint(document: Json, path: str, method: str) -> tuple[Expected, ...] | None:
    """The contract does not know an endpoint that the code has."""
    del document["paths"][path][method]
    if not _methods_of(document["paths"][path]):
        del document["paths"][path]
    return (_endpoint("undocumented-endpoint method", method, path),)


def control_rename_path_parameter(
    document: Json, path: str, _method: str
) -> tuple[Expected, ...] | None:
    """Names of path parameters mean nothing to callers."""
    new = _PARAMETER.sub(lambda name: f"{{{name[1]}Q}}", path)
    if new == path or new in document["paths"]:
        return None
    item = document["paths"][path]
    places = [("paths", path), *(("paths", path, method) for method in _methods_of(item))]
    for place in places:
        holder = item if len(place) == 2 else item[place[2]]
        for index in range(len(holder.get("parameters") or [])):
            _, parameter = resolved(document, (*place, "parameters", str(index)))
            if isinstance(parameter, dict) and parameter.get("in") == "path":
                holder["parameters"][index] = {**parameter, "name": parameter["name"] + "Q"}
    _with_path_renamed(document, path, new)
    return ()


def _channel(kinds: str, name: str, instead: str = "") -> tuple[Expected, ...]:
    accepted = frozenset(kinds.split())
    return (Expected("CONTRACT-003", accepted, name, frozenset({""}), instead=instead),)


def rename_channel(document: Json, key: str) -> tuple[Expected, ...] | None:
    """The contract has the channel elsewhere: the new name is missing, or (where a pattern that
    the code listens to covers it) the old one undocumented."""
    channel = document["channels"][key]
    if not _is_version_3(document):
        new = key + ".renamed"
        document["channels"] = {
            new if name == key else name: item for name, item in document["channels"].items()
        }
        _rename_bindings(document["channels"][new], key, new)
        return _channel("missing-channel undocumented-channel", new, key)
    if not isinstance(channel.get("address"), str):
        return None
    if not channel.get("messages") and not _operations_of(document, key):
        return None  # a queue that is only described promises nothing
    old = channel["address"]
    channel["address"] += ".renamed"
    _rename_bindings(channel, old, channel["address"])
    return _channel("missing-channel undocumented-channel", key, old)


def _rename_bindings(channel: Json, old: str, new: str) -> None:
    """Bindings name the queue, exchange or topic once more, or call it by another name, which is
    changed as well: it is what code uses."""
    holders = [channel, *(channel[verb] for verb in ("publish", "subscribe") if verb in channel)]
    for holder in holders:
        for binding in (holder.get("bindings") or {}).values() if _is_map(holder) else ():
            for named in (binding, *(binding.values() if _is_map(binding) else ())):
                for word in ("name", "topic"):
                    if not _is_map(named) or not isinstance(named.get(word), str):
                        continue
                    if named[word] == old:
                        named[word] = new
                    elif named is binding and word == "topic":
                        named[word] += ".renamed"


def _is_map(value: Json) -> bool:
    return isinstance(value, dict)


def flip_direction(document: Json, key: str) -> tuple[Expected, ...] | None:
    """The contract has the application at the other end."""
    if _is_version_3(document):
        return _flip_action(document, key)
    channel = document["channels"][key]
    verbs = [verb for verb in ("publish", "subscribe") if verb in channel]
    if len(verbs) != 1:
        return None
    other = "subscribe" if verbs[0] == "publish" else "publish"
    document["channels"][key] = {
        other if word == verbs[0] else word: value for word, value in channel.items()
    }
    return _channel("missing-channel undocumented-channel", key)


def _flip_action(document: Json, key: str) -> tuple[Expected, ...] | None:
    for operation in _operations_of(document, key):
        operation["action"] = "receive" if operation.get("action") == "send" else "send"
        return _channel("missing-channel undocumented-channel", key)
    return None


def _operations_of(document: Json, key: str) -> list[Json]:
    """The operations of a channel, in a document of version 3."""
    reference = "#/channels/" + key.replace("~", "~0").replace("/", "~1")
    every = (document.get("operations") or {}).values()
    return [one for one in every if (one.get("channel") or {}).get("$ref") == reference]


def _is_version_3(document: Json) -> bool:
    return str(document.get("asyncapi", "")).startswith("3")


EndpointOperator: TypeAlias = Callable[[Json, str, str], tuple[Expected, ...] | None]
ChannelOperator: TypeAlias = Callable[[Json, str], tuple[Expected, ...] | None]
ENDPOINT_OPERATORS: tuple[EndpointOperator, ...] = (
    rename_path,
    change_method,
    add_endpoint,
    drop_endpoint,
    control_rename_path_parameter,
)
CHANNEL_OPERATORS: tuple[ChannelOperator, ...] = (rename_channel, flip_direction)


def endpoint_mutants(document: Json, count: int, seed: int) -> Iterator[Mutant]:
    """At most `count` mutants per operator, each of one endpoint."""
    for operator in ENDPOINT_OPERATORS:
        pool = operations(document)
        random.Random(f"{seed}/{operator.__name__}").shuffle(pool)
        wanted = 1 if operator is add_endpoint else count
        done: set[tuple[str, str]] = set()
        for path, method in pool:
            if len(done) == wanted:
                break
            changed = copy.deepcopy(document)
            expected = operator(changed, path, method)
            # Renaming a path is one mutant, however many methods it has.
            site = (path, "" if operator is rename_path else method)
            if expected is not None and site not in done:
                done.add(site)
                also = frozenset(f"{each.upper()} {path}" for each in METHODS)
                yield Mutant(changed, operator.__name__, expected, frozenset(), also=also)


def channel_mutants(document: Json, count: int, seed: int) -> Iterator[Mutant]:
    """At most `count` mutants per operator, each of one channel. In which direction a document of
    AsyncAPI 2 means its channels is for its reader to find out, so flipping one is conditional."""
    for operator in CHANNEL_OPERATORS:
        pool = sorted(document.get("channels") or {})
        random.Random(f"{seed}/{operator.__name__}").shuffle(pool)
        made = 0
        for key in pool:
            if made == count:
                break
            changed = copy.deepcopy(document)
            expected = operator(changed, key)
            if expected is not None:
                made += 1
                loose = operator is flip_direction and not _is_version_3(document)
                also = frozenset({key, *_addresses(document["channels"][key])})
                also |= _replies(document, key)
                yield Mutant(
                    changed, operator.__name__, expected, frozenset(), conditional=loose, also=also
                )


def _replies(document: Json, key: str) -> frozenset[str]:
    """The channels on which what comes by a channel is answered: they turn round with it."""
    return frozenset(
        reference.rpartition("/")[2]
        for operation in (document.get("operations") or {}).values()
        if (operation.get("channel") or {}).get("$ref") == f"#/channels/{key}"
        for reference in [((operation.get("reply") or {}).get("channel") or {}).get("$ref", "")]
        if reference
    )


def _addresses(channel: Json) -> set[str]:
    address = channel.get("address")
    return {address} if isinstance(address, str) else set()
