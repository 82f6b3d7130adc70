"""Base paths of the servers of OpenAPI and AsyncAPI documents."""

from __future__ import annotations

import re
from collections.abc import Callable
from itertools import product
from urllib.parse import urlsplit

from contract_scan.parsers.contracts.located_tree import Mapping, Node

_MAX_ADDRESSES = 64
_PLACEHOLDER = re.compile(r"\{\{[^{}]*\}\}|\$\{[^{}]*\}|\{[^{}]*\}|<[^<>]*>")


def base_paths(node: Node, version_2: bool, follow: Callable[[Node], Node | None]) -> list[str]:
    """The path parts of every server that a document, path or operation names; may be empty."""
    if version_2:
        return [_absolute_path(node.text("basePath").rstrip("/"))]
    servers = node.get("servers")
    found: list[str] = []
    for server in servers.elements() if servers is not None else ():
        target = follow(server)
        if target is None or not target.is_mapping:
            continue
        found.extend(_path_of(address) for address in _addresses(target, target.text("url")))
    return found


def open_base_paths(node: Node, follow: Callable[[Node], Node | None]) -> list[str]:
    """The path parts of those servers of OpenAPI 3 of which a segment is a variable that takes any
    value (one without `enum`), behind a word: `/tenants/{tenant}`."""
    servers = node.get("servers")
    found: list[str] = []
    for server in servers.elements() if servers is not None else ():
        target = follow(server)
        path = _path_of(target.text("url")) if target is not None and target.is_mapping else ""
        variables = target.get("variables") if target is not None else None
        named = dict(variables.members()) if variables is not None else {}
        parts = [part for part in path.split("/") if part]
        is_open = [named.get(part[1:-1]) for part in parts if _PLACEHOLDER.fullmatch(part)]
        if (
            is_open
            and not _PLACEHOLDER.search(parts[0])
            and all(v is None or v.get("enum") is None for v in is_open)
        ):
            found.append(path)
    return found


def is_filled_in_elsewhere(
    node: Node, version_2: bool, follow: Callable[[Node], Node | None]
) -> bool:
    """Whether nothing in the document says what the path of one of its servers is: its whole
    address is a placeholder, or its path holds a variable of any value (one without `enum`)."""
    servers = None if version_2 else node.get("servers")
    for server in servers.elements() if servers is not None else ():
        url = server.text("url")
        if _PLACEHOLDER.fullmatch(url.rstrip("/")):
            return True
        target = follow(server)
        variables = target.get("variables") if target is not None else None
        path = _path_of(url)
        for name, variable in variables.members() if variables is not None else ():
            if "{" + name + "}" in path and variable.get("enum") is None:
                return True
    return False


def hosts(node: Node, follow: Callable[[Node], Node | None]) -> list[str]:
    """The host and port of every server that a document, path or operation of OpenAPI 3 names; an
    empty text for one whose address names none, or leaves it to be filled in."""
    servers = node.get("servers")
    found: list[str] = []
    for server in servers.elements() if servers is not None else ():
        target = follow(server)
        if target is not None and target.is_mapping:
            found.extend(_host_of(address) for address in _addresses(target, target.text("url")))
    return found


def socket_paths(server: Node, version_2: bool) -> list[str]:
    """The path parts of a server of web sockets in an AsyncAPI document; may be empty."""
    url = server.text("url") if version_2 else server.text("host") + server.text("pathname")
    if "://" not in url:
        url = f"ws://{url}"
    return [_path_of(address) for address in _addresses(server, url)]


def _addresses(server: Node, url: str) -> list[str]:
    """The server's URL with every combination of its variables' values."""
    variables = server.get("variables")
    names: list[str] = []
    values: list[list[str]] = []
    for name, variable in variables.members() if variables is not None else ():
        default = variable.value.get("default") if isinstance(variable.value, Mapping) else None
        choices = [] if default is None else [str(default)]
        listed = variable.get("enum")
        if listed is not None:
            choices += [str(one.value) for one in listed.elements()]
        if choices and "{" + name + "}" in url:
            names.append(name)
            values.append(list(dict.fromkeys(choices)))
    found: list[str] = []
    for chosen in product(*values):
        address = url
        for name, text in zip(names, chosen, strict=True):
            address = address.replace("{" + name + "}", text)
        found.append(address)
        if len(found) == _MAX_ADDRESSES:
            break
    return found


def _path_of(address: str) -> str:
    try:
        path = urlsplit(address).path
    except ValueError:
        return ""
    head, _, rest = path.partition("/")
    if _PLACEHOLDER.fullmatch(head):
        path = f"/{rest}" if rest else ""  # `{{base_url}}/v1` of Postman stands for a whole address
    return _absolute_path(path.rstrip("/"))


def _host_of(address: str) -> str:
    try:
        host = urlsplit(address).netloc.lower()
    except ValueError:
        return ""
    return "" if _PLACEHOLDER.search(host) else host


def _absolute_path(path: str) -> str:
    """A path as one below a host: whatever it begins with is no part of the host's name."""
    return path if not path or path.startswith("/") else "/" + path.removeprefix("./")
