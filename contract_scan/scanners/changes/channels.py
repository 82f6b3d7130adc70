"""What differs between the channels of two documents."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from msgspec.structs import replace

from contract_scan.ir.contract_changes import ChangeSubject
from contract_scan.ir.origin import Origin
from contract_scan.ir.wire_contract import (
    ChannelUse,
    Fact,
    WireChannel,
    WireContract,
    WireMessage,
)
from contract_scan.scanners.changes.endpoints import compare_servers
from contract_scan.scanners.changes.found import Findings
from contract_scan.scanners.changes.judgements.judgement import Prefix
from contract_scan.scanners.changes.schemas import Pair

_PLACEHOLDER = re.compile(r"\{[^{}]*\}")
_PREFIXES: dict[str, Prefix] = {"receive": "received", "send": "sent"}


def compare_channels(base: WireContract, revision: WireContract, findings: Findings) -> None:
    """Compare everything that two documents say of messages."""
    document = ChangeSubject(contract=base.path)
    compare_servers(base, revision, findings)
    pairs = _pairs(base.channels, revision.channels)
    old_left = [one for one in base.channels if all(one is not old for old, _ in pairs)]
    new_left = [one for one in revision.channels if all(one is not new for _, new in pairs)]
    for one in old_left:
        subject = replace(document, channel=one.address.text)
        findings.add("channel-removed", "", subject, one.origin, Origin(revision.path),
                     before=one.address.text)  # fmt: skip
    for one in new_left:
        subject = replace(document, channel=one.address.text)
        findings.add("channel-added", "", subject, Origin(base.path), one.origin,
                     after=one.address.text)  # fmt: skip
    for old, new in pairs:
        _channel(old, new, replace(document, channel=old.address.text), findings)


def _pairs(
    base: Sequence[WireChannel], revision: Sequence[WireChannel]
) -> list[tuple[WireChannel, WireChannel]]:
    """Channels of one address, then those of one key."""
    pairs: list[tuple[WireChannel, WireChannel]] = []
    by_address = {_address(one): one for one in revision}
    for one in base:
        other = by_address.pop(_address(one), None)
        if other is not None:
            pairs.append((one, other))
    matched = {id(one) for one, _ in pairs}
    by_key = {one.key: one for one in by_address.values()}
    left = [one for one in base if id(one) not in matched and one.key in by_key]
    return [*pairs, *((one, by_key[one.key]) for one in left)]


def _address(channel: WireChannel) -> str:
    return _PLACEHOLDER.sub("{}", channel.address.text)


def _channel(
    old: WireChannel, new: WireChannel, subject: ChangeSubject, findings: Findings
) -> None:
    if _address(old) != _address(new):
        findings.add_text("channel-address-changed", "", subject, old.address, new.address)
    _bindings("binding-changed", "", subject, (old.bindings, old.origin),
              (new.bindings, new.origin), findings)  # fmt: skip
    for action in ("receive", "send"):
        before = [use for use in old.uses if use.direction == action]
        after = [use for use in new.uses if use.direction == action]
        of_action = replace(subject, action="send" if action == "send" else "receive")
        if before and not after:
            findings.add("channel-use-removed", "", of_action, before[0].origin, new.origin,
                         before=action)  # fmt: skip
        elif after and not before:
            findings.add("channel-use-added", "", of_action, old.origin, after[0].origin,
                         after=action)  # fmt: skip
        elif before:
            _uses(before, after, _PREFIXES[action], of_action, findings)
    if not old.uses and not new.uses:
        _messages(
            (old.messages, old.origin), (new.messages, new.origin), "sent", "model", subject,
            findings,
        )  # fmt: skip


def _uses(
    before: Sequence[ChannelUse],
    after: Sequence[ChannelUse],
    prefix: Prefix,
    subject: ChangeSubject,
    findings: Findings,
) -> None:
    old = {message.origin: message for use in before for message in use.messages}
    new = {message.origin: message for use in after for message in use.messages}
    both = {key: fact for use in before for key, fact in use.bindings.items()}
    others = {key: fact for use in after for key, fact in use.bindings.items()}
    places = before[0].origin, after[0].origin
    _bindings("binding-changed", "", subject, (both, places[0]), (others, places[1]), findings)
    _messages(
        (tuple(old.values()), places[0]), (tuple(new.values()), places[1]), prefix, prefix,
        subject, findings,
    )  # fmt: skip


def _messages(
    base: tuple[Sequence[WireMessage], Origin],
    revision: tuple[Sequence[WireMessage], Origin],
    prefix: Prefix,
    of_values: Prefix,
    around: ChangeSubject,
    findings: Findings,
) -> None:
    pairs = _paired_messages(base[0], revision[0], findings)
    for one in base[0]:
        if all(one is not old for old, _ in pairs):
            subject = replace(around, message=one.name)
            findings.add("message-removed", prefix, subject, one.origin, revision[1],
                         before=one.name)  # fmt: skip
    for one in revision[0]:
        if all(one is not new for _, new in pairs):
            subject = replace(around, message=one.name)
            findings.add("message-added", prefix, subject, base[1], one.origin,
                         after=one.name)  # fmt: skip
    for old, new in pairs:
        subject = replace(around, message=old.name)
        _message(old, new, prefix, of_values, subject, findings)


def _paired_messages(
    base: Sequence[WireMessage], revision: Sequence[WireMessage], findings: Findings
) -> list[tuple[WireMessage, WireMessage]]:
    """Messages of one name, then those of one payload, then the only ones that are left."""
    by_name = {one.name: one for one in revision if one.name}
    pairs: list[tuple[WireMessage, WireMessage]] = []
    for one in base:
        other = by_name.pop(one.name, None) if one.name else None
        if other is not None:
            pairs.append((one, other))
    left = [one for one in revision if all(one is not new for _, new in pairs)]
    for one in [one for one in base if all(one is not old for old, _ in pairs)]:
        for other in left:
            pair = Pair(one.payload, other.payload)
            if not findings.schemas.effects(pair, "model") - {"none"}:
                pairs.append((one, other))
                left.remove(other)
                break
    old_left = [one for one in base if all(one is not old for old, _ in pairs)]
    if len(old_left) == len(left) == 1:
        pairs.append((old_left[0], left[0]))
    return pairs


def _message(
    old: WireMessage,
    new: WireMessage,
    prefix: Prefix,
    of_values: Prefix,
    subject: ChangeSubject,
    findings: Findings,
) -> None:
    findings.add_text(
        "message-content-type-changed", prefix, subject, old.content_type, new.content_type
    )
    findings.add_text(
        "message-correlation-changed", prefix, subject, old.correlation, new.correlation
    )
    _bindings("message-binding-changed", prefix, subject, (old.bindings, old.origin),
              (new.bindings, new.origin), findings)  # fmt: skip
    payload = replace(subject, part="payload")
    findings.compare_values(Pair(old.payload, new.payload), of_values, payload)
    headers = replace(subject, part="headers")
    findings.compare_values(Pair(old.headers, new.headers), of_values, headers)


def _bindings(
    kind: str,
    prefix: Prefix,
    subject: ChangeSubject,
    base: tuple[Mapping[str, Fact], Origin],
    revision: tuple[Mapping[str, Fact], Origin],
    findings: Findings,
) -> None:
    for name in dict.fromkeys((*base[0], *revision[0])):
        before = base[0].get(name) or Fact("", base[1])
        after = revision[0].get(name) or Fact("", revision[1])
        findings.add_text(kind, prefix, replace(subject, part=name), before, after)
