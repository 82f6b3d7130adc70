"""Whether a contract is valid by its own specification. On request only: it is slow.

OpenAPI documents and JSON Schemas are checked against the official schemas in a child process that
can open and fetch nothing, under a time limit, and only after the gates every contract passes
(size, depth, number of values, confined references). AsyncAPI documents are checked for the
connections between their parts.
"""

from __future__ import annotations

import json
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from hashlib import blake2b
from importlib.util import find_spec
from pathlib import Path
from re import compile as regex

import msgspec

from contract_scan.errors import ContractError, ContractScanError, UsageError
from contract_scan.ir.document import NotAnalysed
from contract_scan.ir.reasons import Reason
from contract_scan.parsers.contracts.kinds import read_document
from contract_scan.parsers.contracts.load import Cache
from contract_scan.parsers.contracts.located_tree import (
    DEFAULT_LIMITS,
    File,
    Limits,
    Node,
    shortened_text,
)
from contract_scan.parsers.contracts.refs import Documents, RefError

Run = Callable[[Sequence[str]], bytes]
"""Runs a program to its end under a time limit and returns what it printed; raises a
`ContractScanError` when it fails or is too slow."""

_CHILD = Path(__file__).with_name("validate_child.py")
_ADDRESS = "http://contract.invalid/"
"""Made-up addresses, by which the child tells the files of a contract apart."""
_VALIDATORS = ("jsonschema", "referencing", "openapi_spec_validator")
"""What the extra `validate` installs."""
_PARAMETER = regex(r"\{([^{}]*)\}")


def require_validators() -> None:
    """Raise UsageError where what validates documents and values is not installed. It is looked
    for, not imported: the child processes do that."""
    if any(find_spec(name) is None for name in _VALIDATORS):
        raise UsageError(
            "documents and values are validated by an extra: pip install 'contract-scan[validate]'"
        )


def validate_contract(
    path: Path,
    root: Path,
    run: Run,
    *,
    cache: Cache | None = None,
    cache_version: str = "",
    limits: Limits = DEFAULT_LIMITS,
) -> tuple[NotAnalysed, ...]:
    """Everything in a contract that its specification forbids, with its lines.

    Empty where it is valid, and for kinds without a published schema (SVC tables). Raises
    `ContractError` where the contract cannot be read at all, or the check did not come to an end,
    UsageError without the extra `validate`.
    """
    if path.suffix.lower() in (".md", ".markdown"):
        return ()
    sources = Documents(root, limits)
    file = sources.add(path)
    document = read_document(file.root, sources)  # the gates, and every file it refers to
    if document.kind == "asyncapi":
        return tuple(_check_asyncapi(file.root, sources))
    require_validators()
    given = json.dumps(
        {
            "kind": document.kind,
            "version": document.version,
            "base": _ADDRESS + file.path,
            "files": {_ADDRESS + one.path: one.tree.value for one in sources.files},
        }
    ).encode("utf-8", "replace")
    key = blake2b(given, digest_size=16, person=b"validate").digest()
    key += blake2b(cache_version.encode(), digest_size=8).digest()
    known = cache.get(key) if cache is not None else None
    printed = known if known is not None else _run_child(given, file, run)
    if cache is not None and known is None:
        cache.put(key, printed)
    return tuple(_problems(printed, file))


def _run_child(given: bytes, file: File, run: Run) -> bytes:
    with tempfile.TemporaryDirectory(prefix="contract-scan-") as folder:
        handed = Path(folder) / "document.json"
        handed.write_bytes(given)
        try:
            return run((sys.executable, "-P", str(_CHILD), str(handed)))
        except ContractScanError as error:
            raise ContractError(f"could not be validated: {error.message}", file.path) from error


def _problems(printed: bytes, file: File) -> Iterator[NotAnalysed]:
    try:
        errors = msgspec.json.decode(printed, type=list[tuple[str, str]])
    except msgspec.DecodeError as error:
        raise ContractError("could not be validated: the answer is damaged", file.path) from error
    for pointer, message in errors:
        place = _nearest(file.root, pointer)
        reason = Reason("contract-not-valid", what=message)
        yield NotAnalysed(path=place.file.path, line=place.line, reason=reason, fatal=False)


def _nearest(root: Node, pointer: str) -> Node:
    """The place of a pointer, or of the nearest part of it that exists."""
    while pointer:
        place = root.resolve_pointer(pointer)
        if place is not None:
            return place
        pointer = pointer.rpartition("/")[0]
    return root


def _check_asyncapi(root: Node, documents: Documents) -> Iterator[NotAnalysed]:
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
