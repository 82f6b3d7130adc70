"""Handoffs: six fields and the section about the contract."""

from __future__ import annotations

import pytest

from contract_scan.scopes.contract import Item, ScopeContractError
from contract_scan.scopes.handoff import (
    DeliverableOutcome,
    Fulfillment,
    Handoff,
    read_fulfillment,
    read_handoff,
    write_fulfillment,
)

FULFILLMENT = """\
Contract Fulfillment:
  Deliverables:
    - ✅ src/api.py → src/orders/api.py
    - ❌ POST /refunds → needs the sandbox -> later
  Interfaces:
    exports:
      - GET /orders/{id}
    imports: none
  Deviations:
    - one file more
"""
HANDOFF = f"""\
The refunds are done.

## Handoff

1. **Produced**: src/orders/api.py
2. **Key decisions**:
   - amounts are integers
   - no retries
3. Areas of uncertainty: none
4. Integration points: GET /orders/{{id}}
5. Open questions: none

{FULFILLMENT}"""
OUTCOMES = (
    DeliverableOutcome("src/api.py", True, "src/orders/api.py", 3),
    DeliverableOutcome("POST /refunds", False, "needs the sandbox -> later", 4),
)


def test_the_section_about_the_contract() -> None:
    read = read_fulfillment(FULFILLMENT)
    assert read == Fulfillment(
        OUTCOMES, (Item("GET /orders/{id}", 7),), (), (Item("one file more", 10),), 1
    )
    assert write_fulfillment(read) == FULFILLMENT


def test_a_handoff_with_its_six_fields() -> None:
    handoff = read_handoff(HANDOFF)
    assert handoff == Handoff(
        produced=(Item("src/orders/api.py", 5),),
        key_decisions=(Item("amounts are integers", 7), Item("no retries", 8)),
        areas_of_uncertainty=(),
        integration_points=(Item("GET /orders/{id}", 10),),
        open_questions=(),
        fulfillment=handoff.fulfillment,
        line=3,
    )
    assert [(one.item, one.delivered) for one in handoff.fulfillment.outcomes] == [
        ("src/api.py", True),
        ("POST /refunds", False),
    ]


def test_other_marks_for_what_was_delivered() -> None:
    text = "Contract Fulfillment:\nDeliverables:\n- [x] a.py -> b.py\n- [ ] c.py\n"
    assert read_fulfillment(text).outcomes == (
        DeliverableOutcome("a.py", True, "b.py", 3),
        DeliverableOutcome("c.py", False, "", 4),
    )


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("Nothing.\n", "has no section `Handoff:`"),
        ("Handoff:\nProduced: x\n", "the handoff misses `key decisions`, `areas of uncertainty`, "),
        (HANDOFF.replace("Contract Fulfillment", "Contract"), "'Contract:' is no key of '' and no"),
        (HANDOFF + FULFILLMENT, "has a second section `Contract Fulfillment:`; the first is in "),
        (
            HANDOFF.replace("✅", "done:"),
            "'done: src/api.py → src/orders/api.py' must begin with ✅",
        ),
    ],
)
def test_a_handoff_that_cannot_be_used_is_refused(text: str, message: str) -> None:
    with pytest.raises(ScopeContractError) as raised:
        read_handoff(text, "handoff.md")
    assert raised.value.message.startswith(message)
