"""What an AsyncAPI document must keep beyond being readable: its parts must fit together."""

from __future__ import annotations

from collections.abc import Iterator
from re import compile as regex

from contract_scan.ir.document import NotAnalysed
from contract_scan.ir.reasons import Reason
from contract_scan.parsers.contracts.located_tree import Node, shortened_text
from contract_scan.parsers.contracts.refs import Documents, RefError

_PARAMETER = regex(r"\{([^{}]*)\}")


def check_asyncapi(root: Node, documents: Documents) -> Iterator[NotAnalysed]:
    """Every breach of the specification's rules that connect parts of a document."""
    version_2 = str(_value(root, "asyncapi")).startswith("2")
    info = root.get("info")
    if info is None:
        yield _problem(root, "`info` is missing")
    else:
        for word in ("title", "version"):
            if not info.has(word):
                yield _problem(info, f"`{word}` is missing")
    if version_2 and not root.has("channels"):
        yield _problem(root, "`channels` is missing")
    channels = root.get("channels")
    for key, given in channels.members() if channels is not None else ():
        channel = _follow(given, documents)
        if channel is None:
            continue
        address = key if version_2 else channel.text("address")
        yield from _check_parameters(address, given, channel)
        yield from _check_servers(given, channel, root, version_2)
    if version_2:
        yield from _check_unique_operations(root, documents)
    else:
        yield from _check_operations(root, documents)


def _check_parameters(address: str, given: Node, channel: Node) -> Iterator[NotAnalysed]:
    named = _PARAMETER.findall(address)
    declared = channel.get("parameters")
    known = {name for name, _ in declared.members()} if declared is not None else set()
    for name in named:
        if name not in known:
            yield _problem(
                given, f"the parameter `{shortened_text(name)}` of the address is not declared"
            )
    for name, node in declared.members() if declared is not None else ():
        if address and name not in named:
            yield _problem(node, f"the address has no parameter `{shortened_text(name)}`")


def _check_servers(
    given: Node, channel: Node, root: Node, version_2: bool
) -> Iterator[NotAnalysed]:
    servers = channel.get("servers")
    declared = root.get("servers")
    for server in servers.elements() if servers is not None and version_2 else ():
        name = server.value
        if isinstance(name, str) and (declared is None or not declared.has(name)):
            yield _problem(
                server, f"there is no server `{shortened_text(name)}` for `{given.name}`"
            )


def _check_unique_operations(root: Node, documents: Documents) -> Iterator[NotAnalysed]:
    seen: dict[str, Node] = {}
    channels = root.get("channels")
    for _, given in channels.members() if channels is not None else ():
        channel = _follow(given, documents)
        for verb in ("publish", "subscribe"):
            operation = channel.get(verb) if channel is not None else None
            identity = operation.text("operationId") if operation is not None else ""
            if operation is None or not identity:
                continue
            if identity in seen:
                line = seen[identity].line
                yield _problem(
                    operation,
                    f"the operationId `{shortened_text(identity)}` is also in line {line}",
                )
            seen[identity] = operation


def _check_operations(root: Node, documents: Documents) -> Iterator[NotAnalysed]:
    operations = root.get("operations")
    for name, given in operations.members() if operations is not None else ():
        operation = _follow(given, documents)
        if operation is None:
            continue
        if operation.text("action") not in ("send", "receive"):
            yield _problem(given, f"the operation `{shortened_text(name)}` needs an `action`")
        place = operation.get("channel")
        channel = _follow(place, documents) if place is not None else None
        if place is None:
            yield _problem(given, f"the operation `{shortened_text(name)}` names no channel")
        elif channel is not None:
            yield from _check_messages(name, operation, channel, documents)


def _check_messages(
    name: str, operation: Node, channel: Node, documents: Documents
) -> Iterator[NotAnalysed]:
    listed = channel.get("messages")
    known = {
        target.id
        for _, message in (listed.members() if listed is not None else ())
        if (target := _follow(message, documents)) is not None
    }
    chosen = operation.get("messages")
    for message in chosen.elements() if chosen is not None else ():
        target = _follow(message, documents)
        if target is not None and target.id not in known:
            yield _problem(
                message, f"a message of `{shortened_text(name)}` is none of its channel's messages"
            )


def _follow(node: Node, documents: Documents) -> Node | None:
    try:
        return documents.follow(node)
    except RefError:
        return None  # said when the document was read


def _value(node: Node, key: str) -> object:
    place = node.get(key)
    return place.value if place is not None else None


def _problem(node: Node, what: str) -> NotAnalysed:
    return NotAnalysed(
        path=node.file.path,
        line=node.line,
        reason=Reason("contract-not-valid", what=what),
        fatal=False,
    )
