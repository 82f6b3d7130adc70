"""What a scope hands back: six fields, and which items of its contract it fulfilled.

Contract Fulfillment:
  Deliverables:
    - ✅ src/orders/api.py → src/orders/api.py
    - ❌ POST /refunds → needs the payment provider's sandbox
  Interfaces:
    exports: GET /orders/{id}
    imports: none
  Deviations: none
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from msgspec import Struct

from contract_scan.scopes.contract import Item, ScopeContractError
from contract_scan.scopes.outline import Grammar, Outline, list_lines, read_outlines

FULFILLMENT: Final = "Contract Fulfillment"
HANDOFF: Final = "Handoff"

_FULFILLMENT_GRAMMAR: Final = Grammar(
    FULFILLMENT,
    {name: name for name in ("deliverables", "interfaces", "exports", "imports", "deviations")},
    frozenset({"interfaces"}),
    (HANDOFF,),
)
_FIELDS: Final = (
    "produced",
    "key_decisions",
    "reasoning_chain",
    "areas_of_uncertainty",
    "integration_points",
    "open_questions",
)
_RECOMMENDED: Final = "reasoning_chain"
"""The one field that may be missing."""
_HANDOFF_GRAMMAR: Final = Grammar(
    HANDOFF, {field.replace("_", " "): field for field in _FIELDS}, frozenset(), (FULFILLMENT,)
)
_DELIVERED: Final = re.compile(r"(?:✅|✔️?|\[[xX]\])\s*(.+)")
_UNDELIVERED: Final = re.compile(r"(?:❌|✘|✖️?|\[ \])\s*(.+)")
_ARROW: Final = re.compile(r"→|=>|->")


class DeliverableOutcome(Struct, frozen=True):
    """What became of one deliverable."""

    item: str
    delivered: bool
    detail: str = ""
    """The file or artifact that it became, or the reason why it is missing."""
    line: int = 0


class Fulfillment(Struct, frozen=True):
    """What a scope says that it did of its contract."""

    outcomes: tuple[DeliverableOutcome, ...] = ()
    exports: tuple[Item, ...] = ()
    imports: tuple[Item, ...] = ()
    deviations: tuple[Item, ...] = ()
    line: int = 0


class Handoff(Struct, frozen=True, kw_only=True):
    """The answer of a scope as a whole."""

    produced: tuple[Item, ...]
    key_decisions: tuple[Item, ...]
    reasoning_chain: tuple[Item, ...] = ()
    """Recommended; the others are required, and may say `none`."""
    areas_of_uncertainty: tuple[Item, ...]
    integration_points: tuple[Item, ...]
    open_questions: tuple[Item, ...]
    fulfillment: Fulfillment
    line: int = 0


def read_handoff(text: str, path: str = "") -> Handoff:
    """The handoff that a text holds, with its section about the contract.

    Raises ScopeContractError where the text holds none or several, or one without a required field.
    """
    outline = _only(read_outlines(text, _HANDOFF_GRAMMAR, path), HANDOFF, path)
    missing = [field for field in _FIELDS if field != _RECOMMENDED and outline.entry(field) is None]
    if missing:
        names = ", ".join(f"`{field.replace('_', ' ')}`" for field in missing)
        raise ScopeContractError(
            f"the handoff misses {names}; write `none` where there is nothing", path, outline.line
        )
    return Handoff(
        **{field: outline.items(field) for field in _FIELDS},
        fulfillment=read_fulfillment(text, path),
        line=outline.line,
    )


def found_handoff(text: str, path: str = "") -> Handoff | None:
    """The handoff that a text holds among other things; None where there is no trace of one. Raises
    ScopeContractError as `read_handoff`."""
    grammars = (_HANDOFF_GRAMMAR, _FULFILLMENT_GRAMMAR)
    if not any(read_outlines(text, grammar, path) for grammar in grammars):
        return None
    return read_handoff(text, path)


def read_fulfillment(text: str, path: str = "") -> Fulfillment:
    """The section about the contract that a text holds.

    Raises ScopeContractError where it holds none or several, or where a deliverable is neither
    marked as delivered (✅) nor as undelivered (❌).
    """
    outline = _only(read_outlines(text, _FULFILLMENT_GRAMMAR, path), FULFILLMENT, path)
    return Fulfillment(
        tuple(_outcome(item, path) for item in outline.items("deliverables")),
        outline.items("exports"),
        outline.items("imports"),
        outline.items("deviations"),
        outline.line,
    )


def write_fulfillment(fulfillment: Fulfillment) -> str:
    """The section in the form that `read_fulfillment` reads."""
    return "".join(f"{line}\n" for line in _lines(fulfillment))


def _only(found: list[Outline], title: str, path: str) -> Outline:
    if len(found) != 1:
        problem = (
            f"has no section `{title}:`"
            if not found
            else f"has a second section `{title}:`; the first is in line {found[0].line}"
        )
        raise ScopeContractError(problem, path, found[1].line if found else 0)
    return found[0]


def _outcome(item: Item, path: str) -> DeliverableOutcome:
    for delivered, mark in ((True, _DELIVERED), (False, _UNDELIVERED)):
        if found := mark.fullmatch(item.text):
            promised, *detail = _ARROW.split(found[1], maxsplit=1)
            return DeliverableOutcome(
                promised.strip(), delivered, "".join(detail).strip(), item.line
            )
    raise ScopeContractError(
        f"{item.text!r:.60} must begin with ✅ (delivered) or ❌ (undelivered)", path, item.line
    )


def _lines(fulfillment: Fulfillment) -> Iterator[str]:
    yield f"{FULFILLMENT}:"
    yield from _list("Deliverables", tuple(map(_outcome_item, fulfillment.outcomes)), "  ")
    yield "  Interfaces:"
    yield from _list("exports", fulfillment.exports, "    ")
    yield from _list("imports", fulfillment.imports, "    ")
    yield from _list("Deviations", fulfillment.deviations, "  ")


def _list(key: str, items: tuple[Item, ...], indent: str) -> Iterator[str]:
    yield f"{indent}{key}:" if items else f"{indent}{key}: none"
    yield from list_lines(items, f"{indent}  ")


def _outcome_item(outcome: DeliverableOutcome) -> Item:
    mark = "✅" if outcome.delivered else "❌"
    arrow = f" → {outcome.detail}" if outcome.detail else ""
    return Item(f"{mark} {outcome.item}{arrow}")
