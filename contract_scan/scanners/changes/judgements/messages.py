"""Judgements of what differs between channels and messages, and between shared schemas."""

from __future__ import annotations

from contract_scan.ir.contract_changes import ChangeLevel
from contract_scan.scanners.changes.judgements.judgement import (
    OF_CONTRACTS,
    OF_MESSAGES,
    Example,
    Judgement,
    Prefix,
)

_B: ChangeLevel = "breaking"
_D: ChangeLevel = "dangerous"
_S: ChangeLevel = "safe"

_ENTRY = "what is new can be passed over, what is gone cannot"
_KINDS_GROW = (
    "readers are expected to pass over a kind of message that they do not know, and to wait in vain"
    " for one that does not come any more; what is refused is lost"
)


def _row(
    kind: str,
    sentence: str,
    request: ChangeLevel,
    response: ChangeLevel,
    mirror: str,
    example: Example,
    asymmetry: str = "",
    prefixes: tuple[Prefix, ...] = OF_MESSAGES,
) -> Judgement:
    return Judgement(
        kind=kind,
        sentence=sentence,
        request=request,
        response=response,
        mirror=mirror,
        example=example,
        asymmetry=asymmetry,
        prefixes=prefixes,
    )


_CHANNELS = "{channels: {a: {address: a, messages: {m: {name: m}}}}}"
_TWO = f"{_CHANNELS[:-2]}, b: {{address: b, messages: {{m: {{name: m}}}}}}}}}}"
_USED = (
    "{channels: {a: {address: a, messages: {m: {name: m}}}},"
    " operations: {o: {action: send, channel: {$ref: '#/channels/a'}}}}"
)

_BOUND = _USED.replace("address: a", "address: a, bindings: {ws: {method: GET}}")

MESSAGES: tuple[Judgement, ...] = (
    _row("channel-removed", "the channel is gone", _B, _B, "channel-added",
         Example("asyncapi", _TWO, _CHANNELS), _ENTRY, OF_CONTRACTS),
    _row("channel-added", "the channel is new", _S, _S, "channel-removed",
         Example("asyncapi", _CHANNELS, _TWO), _ENTRY, OF_CONTRACTS),
    _row("channel-address-changed", "the channel has another address", _B, _B,
         "channel-address-changed",
         Example("asyncapi", _CHANNELS, _CHANNELS.replace("address: a", "address: z")), "",
         OF_CONTRACTS),
    _row("channel-use-removed", "the application no longer sends to the channel, or no longer"
         " receives from it", _B, _B, "channel-use-added", Example("asyncapi", _USED, _CHANNELS),
         _ENTRY, OF_CONTRACTS),
    _row("channel-use-added", "the application now sends to the channel, or receives from it", _S,
         _S, "channel-use-removed", Example("asyncapi", _CHANNELS, _USED), _ENTRY, OF_CONTRACTS),
    _row("binding-changed", "the broker is used otherwise", _D, _D, "binding-changed",
         Example("asyncapi", _BOUND, _BOUND.replace("GET", "POST")),
         "", OF_CONTRACTS),
    _row("message-removed", "a kind of message is gone", _B, _D, "message-added",
         Example("message", "{a: {name: a}, b: {name: b, payload: {type: string}}}",
                 "{a: {name: a}}"), _KINDS_GROW),
    _row("message-added", "there is a further kind of message", _S, _D, "message-removed",
         Example("message", "{a: {name: a}}",
                 "{a: {name: a}, b: {name: b, payload: {type: string}}}"), _KINDS_GROW),
    _row("message-content-type-changed", "messages have another media type", _B, _B,
         "message-content-type-changed",
         Example("message", "{a: {contentType: application/json}}",
                 "{a: {contentType: application/cbor}}")),
    _row("message-correlation-changed", "messages are correlated by something else", _D, _D,
         "message-correlation-changed",
         Example("message", "{a: {correlationId: {location: '$message.header#/a'}}}",
                 "{a: {correlationId: {location: '$message.header#/b'}}}")),
    _row("message-binding-changed", "messages use the broker otherwise", _D, _D,
         "message-binding-changed",
         Example("message", "{a: {bindings: {kafka: {key: {type: string}}}}}",
                 "{a: {bindings: {kafka: {key: {type: integer}}}}}")),
    # Documents and their shared schemas
    _row("model-removed", "the shared schema is gone", _B, _B, "model-added",
         Example("schema", "{$defs: {A: {type: object}, B: {type: object}}}",
                 "{$defs: {A: {type: object}}}"), _ENTRY, OF_CONTRACTS),
    _row("model-added", "the shared schema is new", _S, _S, "model-removed",
         Example("schema", "{$defs: {A: {type: object}}}",
                 "{$defs: {A: {type: object}, B: {type: object}}}"), _ENTRY, OF_CONTRACTS),
    _row("contract-removed", "the document is gone", _B, _B, "contract-added",
         Example("schema", "{type: object}", ""), _ENTRY, OF_CONTRACTS),
    _row("contract-added", "the document is new", _S, _S, "contract-removed",
         Example("schema", "", "{type: object}"), _ENTRY, OF_CONTRACTS),
)  # fmt: skip
"""Every kind of difference between channels, and between whole documents."""
