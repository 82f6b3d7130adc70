"""Messages of AsyncAPI documents, and what objects take from their traits."""

from __future__ import annotations

from collections.abc import Callable
from itertools import islice
from typing import TypeAlias

from msgspec import Struct

from contract_scan.ir.event import Message
from contract_scan.ir.reasons import Reason
from contract_scan.ir.schema import Schema, Unknown
from contract_scan.parsers.contracts.located_tree import Node
from contract_scan.parsers.contracts.problems import Problems
from contract_scan.parsers.contracts.schema import SchemaReader

_MAX_TRAITS = 100

Follow: TypeAlias = Callable[[Node], Node | None]
"""Where a node's `$ref`s lead in the end; None where they lead nowhere."""


class Context(Struct, frozen=True):
    schemas: SchemaReader
    problems: Problems
    default_content_type: str


def message_of(node: Node, key: str, context: Context) -> Message:
    """A message; `key` names it where it does not say its name itself."""
    follow = context.schemas.follow
    payload = node.get("payload")
    if payload is None:
        schema: Schema = Unknown(
            reason=Reason("contract-message-without-payload"),
            nullable=None,
            origin=node.origin,
        )
    elif text_with_traits(node, "schemaFormat", follow):
        schema = context.schemas.read_formatted(
            node, "payload", text_with_traits(node, "schemaFormat", follow)
        )
    else:
        schema = context.schemas.read(payload)
    words = [text_with_traits(node, word, follow) for word in ("name", "messageId")]
    names = [name for name in (*words, key, text_with_traits(node, "title", follow)) if name]
    return Message(
        name=names[0] if names else "",
        aliases=tuple(dict.fromkeys(names[1:])),
        payload=schema,
        content_type=text_with_traits(node, "contentType", follow) or context.default_content_type,
        origin=node.origin,
    )


def key_of(message: Node) -> str:
    """The key of a message among the components; empty for one written on the spot."""
    above = message.pointer.rpartition("/")[0]
    return message.name if above.endswith("/messages") else ""


def text_with_traits(node: Node, word: str, follow: Follow) -> str:
    """The text of an object's own keyword, else that of the first of its traits which has it."""
    for holder in with_traits(node, follow):
        text = holder.text(word)
        if text:
            return text
    return ""


def with_traits(node: Node, follow: Follow) -> list[Node]:
    """An object and its traits, in the order in which they speak."""
    holders = [node]
    traits = node.get("traits")
    for trait in islice(traits.elements(), _MAX_TRAITS) if traits is not None else ():
        target = follow(trait)
        if target is not None:
            holders.append(target)
    return holders
