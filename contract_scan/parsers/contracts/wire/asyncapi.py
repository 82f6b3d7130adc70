"""AsyncAPI 2.x and 3.x -> channels as they show on the wire."""

from __future__ import annotations

from collections.abc import Iterator

from contract_scan.errors import ContractError
from contract_scan.ir.wire_contract import (
    ChannelUse,
    Fact,
    WireChannel,
    WireContract,
    WireMessage,
)
from contract_scan.parsers.contracts.asyncapi import key_of, text_with_traits, with_traits
from contract_scan.parsers.contracts.dialects import ASYNCAPI
from contract_scan.parsers.contracts.located_tree import Node, Sequence
from contract_scan.parsers.contracts.problems import Problems
from contract_scan.parsers.contracts.refs import Documents
from contract_scan.parsers.contracts.wire.schemas import WireSchemas, canonical, text_fact

_VERBS_OF_VERSION_2 = (("publish", "receive"), ("subscribe", "send"))
_OPPOSITE = {"send": "receive", "receive": "send"}


class _Reader:
    """Reads the channels of one document."""

    def __init__(self, root: Node, schemas: WireSchemas, problems: Problems) -> None:
        self.root = root
        self.schemas = schemas
        self.problems = problems
        self.default_content_type = root.text("defaultContentType")

    def channels_2(self) -> Iterator[WireChannel]:
        for key, item, given in self._items():
            uses: list[ChannelUse] = []
            for verb, direction in _VERBS_OF_VERSION_2:
                node = item.get(verb)
                if node is None:
                    continue
                if not node.is_mapping:
                    self.problems.add(node, f"`{verb}` must be a mapping")
                    continue
                messages = tuple(
                    self._message(*one) for one in self._operation_messages(node.get("message"))
                )
                uses.append(self._use(direction, key, key, messages, node))
            yield WireChannel(
                key=key,
                address=Fact(key, given.origin),
                bindings=self._bindings(item),
                uses=tuple(uses),
                origin=given.origin,
            )

    def channels_3(self) -> Iterator[WireChannel]:
        channels = {item.id: (key, item, given) for key, item, given in self._items()}
        messages = {
            identity: {one.id: (name, one) for name, one in self._messages_of(item)}
            for identity, (_, item, _) in channels.items()
        }
        uses: dict[str, list[ChannelUse]] = {identity: [] for identity in channels}
        listed = self.root.get("operations")
        for name, given in listed.members() if listed is not None else ():
            node = self.schemas.follow(given)
            if node is None or not node.is_mapping:
                continue
            direction = node.text("action")
            if direction not in _OPPOSITE:
                self.problems.add(node, "`action` must be `send` or `receive`")
                continue
            self._operation(direction, node, name, channels, messages, uses)
            reply = node.get("reply")
            target = None if reply is None else self.schemas.follow(reply)
            if target is not None and target.has("channel"):
                self._operation(
                    _OPPOSITE[direction], target, f"{name} (reply)", channels, messages, uses
                )
        for identity, (key, item, given) in channels.items():
            address = text_fact(item, "address") or Fact(key, given.origin)
            yield WireChannel(
                key=key,
                address=address,
                bindings=self._bindings(item),
                uses=tuple(uses[identity]),
                messages=tuple(self._message(*one) for one in messages[identity].values()),
                origin=given.origin,
            )

    def _operation(
        self,
        direction: str,
        node: Node,
        name: str,
        channels: dict[str, tuple[str, Node, Node]],
        messages: dict[str, dict[str, tuple[str, Node]]],
        uses: dict[str, list[ChannelUse]],
    ) -> None:
        place = node.get("channel")
        channel = None if place is None else self.schemas.follow(place)
        if channel is None or channel.id not in channels:
            self.problems.add(node, f"the operation `{name}` names no channel of the document")
            return
        chosen = list(messages[channel.id].values())
        selection = node.get("messages")
        if selection is not None:
            targets = [self.schemas.follow(one) for one in selection.elements()]
            known = messages[channel.id]
            chosen = [known.get(one.id, (key_of(one), one)) for one in targets if one is not None]
        key, item, _ = channels[channel.id]
        address = item.text("address") or key
        found = tuple(self._message(*one) for one in chosen)
        uses[channel.id].append(self._use(direction, address, key, found, node))

    def _use(
        self,
        direction: str,
        address: str,
        key: str,
        messages: tuple[WireMessage, ...],
        node: Node,
    ) -> ChannelUse:
        return ChannelUse(
            direction="send" if direction == "send" else "receive",
            channel=address,
            key=key,
            messages=messages,
            bindings=self._bindings(node),
            origin=node.origin,
        )

    def _items(self) -> Iterator[tuple[str, Node, Node]]:
        listed = self.root.get("channels")
        for key, given in listed.members() if listed is not None else ():
            item = None if key.startswith("x-") else self.schemas.follow(given)
            if item is None:
                continue
            if not item.is_mapping:
                self.problems.add(given, f"the channel `{key}` must be a mapping")
                continue
            yield key, item, given

    def _messages_of(self, item: Node) -> Iterator[tuple[str, Node]]:
        listed = item.get("messages")
        for key, given in listed.members() if listed is not None else ():
            target = self.schemas.follow(given)
            if target is not None:
                yield key, target

    def _operation_messages(self, node: Node | None) -> Iterator[tuple[str, Node]]:
        """The messages of a version 2 operation: one, or those under `oneOf`."""
        target = None if node is None else self.schemas.follow(node)
        if target is None:
            return
        alternatives = target.get("oneOf")
        if alternatives is None or not isinstance(alternatives.value, Sequence):
            yield key_of(target), target
            return
        for one in alternatives.elements():
            inner = self.schemas.follow(one)
            if inner is not None:
                yield key_of(inner), inner

    def _message(self, key: str, node: Node) -> WireMessage:
        holders = with_traits(node, self.schemas.follow)
        payload = next((one for each in holders if (one := each.get("payload"))), None)
        headers = next((one for each in holders if (one := each.get("headers"))), None)
        correlation = next((one for each in holders if (one := each.get("correlationId"))), None)
        followed = None if correlation is None else self.schemas.follow(correlation)
        location = None if followed is None else text_fact(followed, "location")
        names = [
            text_with_traits(node, word, self.schemas.follow) for word in ("name", "messageId")
        ]
        content_type = (
            text_with_traits(node, "contentType", self.schemas.follow) or self.default_content_type
        )
        return WireMessage(
            name=next((name for name in (*names, key) if name), ""),
            payload=self._schema(
                payload, text_with_traits(node, "schemaFormat", self.schemas.follow)
            ),
            headers=self._schema(headers, ""),
            content_type=Fact(content_type.lower(), (node.get("contentType") or node).origin),
            correlation=location or Fact("", node.origin),
            bindings=self._bindings(node),
            origin=node.origin,
        )

    def _schema(self, place: Node | None, schema_format: str) -> str:
        """The schema of a payload, which may itself hold the name of its language (version 3)."""
        if place is None:
            return self.schemas.read(None)
        target = place
        if place.has("$ref") and not schema_format:
            target = self.schemas.follow(place) or place
        inner = target.get("schema")
        if inner is not None and target.text("schemaFormat"):
            return self.schemas.read_formatted(inner, target.text("schemaFormat"))
        return self.schemas.read_formatted(place, schema_format)

    def _bindings(self, node: Node) -> dict[str, Fact]:
        """What bindings say, by `protocol/key`: of the object, else of its first trait with any."""
        found: dict[str, Fact] = {}
        for holder in with_traits(node, self.schemas.follow):
            place = holder.get("bindings")
            target = None if place is None else self.schemas.follow(place)
            for protocol, binding in target.members() if target is not None else ():
                inner = self.schemas.follow(binding)
                for key, value in inner.members() if inner is not None else ():
                    if key not in ("bindingVersion", "description") and not key.startswith("x-"):
                        fact = Fact(canonical(value.value), value.origin)
                        found.setdefault(f"{protocol}/{key}", fact)
        return found


def read_wire_asyncapi(root: Node, documents: Documents, version: str) -> WireContract:
    """Read a document whose root is `root`.

    Raises `ContractError` where `channels` or `operations` is no mapping.
    """
    problems = Problems()
    schemas = WireSchemas(documents, ASYNCAPI, problems)
    for word in ("channels", "operations"):
        place = root.get(word)
        if place is not None and not place.is_mapping:
            raise ContractError(f"`{word}` must be a mapping", place.file.path, place.line)
    reader = _Reader(root, schemas, problems)
    channels = reader.channels_2() if version.startswith("2.") else reader.channels_3()
    info = root.get("info")
    return WireContract(
        path=root.file.path,
        kind="asyncapi",
        version=version,
        title=info.text("title") if info is not None else "",
        servers=tuple(_servers(root, schemas, version)),
        channels=tuple(channels),
        schemas=schemas.schemas(),
        problems=problems.all(),
    )


def _servers(root: Node, schemas: WireSchemas, version: str) -> Iterator[Fact]:
    listed = root.get("servers")
    for _, given in listed.members() if listed is not None else ():
        server = schemas.follow(given)
        if server is None:
            continue
        address = server.text("url" if version.startswith("2.") else "host").rpartition("://")[2]
        yield Fact(f"{server.text('protocol')} {address}", given.origin)
