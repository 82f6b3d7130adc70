"""# CONTRACT-003: event payload

What is published or consumed on a channel has the payload that the contract says.

## What it promises

For every channel of an AsyncAPI document: the code uses it in the contracted direction; what it
sends is acceptable to a message of the channel, and it can read what the contract says it receives.
Addresses match with their parameters (`orders.{id}.created`) and the wildcards of brokers; those of
sockets with a slash at their front or without, those of SignalR in any case, those of
web sockets with the path of a server before them.

| kind | severity | meaning |
|---|---|---|
| `missing-channel` | error | nothing uses the channel, or a message of it, in its direction |
| `undocumented-channel` | warning | the code uses a channel, or a message, that is in no contract |
| all kinds of CONTRACT-001 about fields | | the payload differs |

Where a channel has several messages, a payload is compared with the one of its name, else with the
one it is most like. A handler that looks at a key of the message (or at its address) to tell kinds
of messages apart is compared for each kind that the contract names: by the channel's address, a
message's name or the constant of one of its fields. Where code tells messages by a name on the wire
(events of Socket.IO, a `type` that it looks at), every contracted message must be among them. A
contract may write such a message as an object of its name and what it carries
(`{event: "moved", data: …}`).

## Why it matters

Publisher and consumer are deployed apart and fail apart: a field that changed its name is found by
whoever reads the dead-letter queue.

## Example

The contract says that `order.created` carries `orderId` (string, required). Each of these sends
`order_id` instead:

```python
class OrderCreated(BaseModel):
    order_id: str  # error: [CONTRACT-003] name-case

await producer.send("order.created", OrderCreated(order_id=order.id).model_dump())
```

```typescript
await producer.send({
  topic: "order.created",
  messages: [{ value: JSON.stringify({ order_id: order.id }) }],  // error: [CONTRACT-003] name-case
});
```

```csharp
public record OrderCreated(
    [property: JsonPropertyName("order_id")] string OrderId);  // error: [CONTRACT-003] name-case

await producer.ProduceAsync("order.created", message);
```

```java
record OrderCreated(@JsonProperty("order_id") String orderId) {}  // error: [CONTRACT-003] name-case

kafkaTemplate.send("order.created", new OrderCreated(order.id()));
```

## How to fix

Give the payload the contract's names and types, or change the contract together with everybody who
reads the channel.

## When it stays silent

- Where an address or a payload is undetermined: the channels it may stand for, or the payload,
  are undetermined.
- Where an address is only the default of a setting (`os.getenv("TOPIC", "orders")`) and no channel
  has it: a deployment may set the contracted one, so it is an address that is undetermined.
- Where not one place that sends or receives was recognised, or none by the protocol of the
  channel's servers and bindings: that is a problem of the scan. A channel that is bound to HTTP
  alone is a request, whatever the servers speak.
- Where code sends by a protocol that no contract speaks of (a message broker behind a service whose
  contract is about web sockets): that is said once for each protocol.
- For jobs that an application gives itself (a task queue), unless a contract lists them.
- For channels of which the contract describes no message: undetermined. So are those of several
  messages of which no place was seen to send (or take) one, where nothing names them.
- Where nothing that is read uses a channel, and its address (of more than one word) stands in the
  code in quotation marks: a library that is not read may be given it, so that is undetermined.
- For payloads that are not JSON (Protobuf, XML), and for messages that SNS wraps in notifications
  for a queue: undetermined. Avro is compared with what Avro makes classes of, and with maps.
- For uses in the other direction of a contracted channel: the other application may stand in the
  same repository. Their payload is compared. A web socket is one end of a connection: what it sends
  where only receiving is contracted (or the reverse) is undocumented.
- Where code uses a queue or exchange of AMQP that only a binding of the channel names, and nothing
  uses its address: the payload is compared, and the channel is undetermined. What is sent to an
  exchange is not compared with a channel that is contracted for receiving alone.
- An AsyncAPI 2 document may describe its channels from either side. Where most channels run the
  other way round, or all that may use them (an address that is computed) is, that is said once, and
  the document is read that way. Where the code holds both
  ends of some channels and the document follows neither, directions are not compared. An AsyncAPI 3
  document is read the other way round where three channels or more (or messages that the code
  names) are, and none as it says; one that was converted from version 2 (its operations are called
  `orders.publish`) as of version 2.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby

from contract_scan.ir.origin import Origin
from contract_scan.ir.reasons import Reason
from contract_scan.ir.violation import Finding, Undetermined
from contract_scan.scanners.channel_check import (
    ID,
    ChannelCheck,
    Tools,
    undetermined_channel,
    undocumented_use,
)
from contract_scan.scanners.differences import Comparer
from contract_scan.scanners.pairing.channels import ChannelPair
from contract_scan.scanners.pairing.document_direction import REASONS, view_of
from contract_scan.scanners.rule import PairedUnit, Rule, RuleResult, documentation, mark
from contract_scan.scanners.verdicts import promised_by_channel, verdict_of

NO_EVENTS = Reason("no-events-recognised")
"""Reason given for every channel where not one place was found."""


def check(paired: PairedUnit, answer: RuleResult) -> None:
    """Compare every channel with the places that use it, and report places without a channel."""
    nothing_found = all(use.internal for use in paired.unit.code.events)
    pairing = paired.channels
    for _, group in groupby(pairing.pairs, key=lambda pair: pair.document.path):
        pairs = list(group)
        document = pairs[0].document
        view = view_of(document, pairs, paired.unit.code)
        if view in REASONS:
            answer.undetermined.append(
                Undetermined(rule=ID, reason=REASONS[view], origin=Origin(document.path))
            )
        tools = Tools(
            paired.unit.code,
            Comparer(contract=document, code=paired.unit.code, direction="response"),
            Comparer(contract=document, code=paired.unit.code, direction="consumer"),
        )
        for pair in pairs:
            if nothing_found and not pair.uses:
                said: list[Finding | Undetermined] = [undetermined_channel(pair, NO_EVENTS)]
            elif not pair.recognised and not pair.uses:
                reason = Reason(
                    "no-events-of-protocol-recognised", protocols=", ".join(pair.channel.protocols)
                )
                said = [undetermined_channel(pair, reason)]
            else:
                said = list(ChannelCheck(pair, view, tools).entries())
            _note(pair, said, answer)
    answer.findings += [undocumented_use(use) for use in pairing.undocumented]
    for use in pairing.foreign:
        reason = Reason("no-channel-of-protocol", protocols=", ".join(use.protocols))
        answer.undetermined.append(Undetermined(rule=ID, reason=reason, origin=use.origin))


def _note(pair: ChannelPair, said: Sequence[Finding | Undetermined], answer: RuleResult) -> None:
    answer.add(said)
    verdict = verdict_of(said, promised_by_channel(pair.channel, pair.document))
    mark(answer.channels, (pair.document.path, pair.channel.key), verdict)


RULE = Rule(
    id=ID,
    name="EventPayload",
    summary="What is published or consumed on a channel has the payload that the contract says.",
    severity="error",
    check=check,
    documentation=documentation(__doc__),
)
