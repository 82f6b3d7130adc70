"""Scope contracts in text and YAML: what is read, what is written, what is refused."""

from __future__ import annotations

import pytest

from contract_scan.scopes.contract import (
    Item,
    ScopeContract,
    ScopeContractError,
    checked_set,
)
from contract_scan.scopes.markdown_form import read_markdown, write_markdown
from contract_scan.scopes.yaml_form import read_yaml, write_yaml

TEXT = """\
Scope Contract: Orders API

Identity:
  scope_id: backend-api
  parent_scope: root
  executor: Agent Teams
Deliverables:
  - src/orders/api.py
  - POST /orders/{id}: creates
Interfaces:
  exports:
    - GET /orders/{id}
  imports:
    - Order from database
Constraints:
  shared_files: []
  conventions:
    - imports: sorted
"""
CONTRACT = ScopeContract(
    name="Orders API",
    scope_id="backend-api",
    executor="Agent Teams",
    deliverables=(Item("src/orders/api.py", 8), Item("POST /orders/{id}: creates", 9)),
    exports=(Item("GET /orders/{id}", 12),),
    imports=(Item("Order from database", 14),),
    conventions=(Item("imports: sorted", 18),),
    line=1,
)


def said(contract: ScopeContract) -> tuple[object, ...]:
    """What a contract says, wherever it is written."""
    lists = (
        contract.deliverables,
        contract.exports,
        contract.imports,
        contract.shared_files,
        contract.conventions,
    )
    return (
        (contract.name, contract.scope_id, contract.parent_scope, contract.executor),
        *(tuple(item.text for item in items) for items in lists),
    )


def test_the_form_of_the_document_is_read_with_the_line_of_everything() -> None:
    assert read_markdown(TEXT) == (CONTRACT,)


MARKDOWN = """\
The contracts of this feature:

## Scope Contract: **Orders API**

**Identity**
- scope_id: `backend-api`
- Executor: Agent Teams

### Deliverables
1. src/orders/api.py
2. POST /orders/{id}:
   creates
### Interfaces
- exports: [GET /orders/{id}]
- imports:
  - Order from database
### Constraints
* **Shared Files**: none
* conventions: imports: sorted  # as everywhere

## What comes after

- no item of the contract
"""
FENCED = f"Your contract:\n\n```text\n{TEXT}```\n\nKeep it.\n- not an item\n"
RULED = f"{TEXT}\n---\nKeep it.\n"


@pytest.mark.parametrize("text", [FENCED, RULED], ids=["fenced", "ruled"])
def test_what_stands_around_a_contract_is_no_part_of_it(text: str) -> None:
    assert [*map(said, read_markdown(text))] == [said(CONTRACT)]


def test_contracts_as_agents_write_markdown() -> None:
    assert [*map(said, read_markdown(MARKDOWN))] == [said(CONTRACT)]


@pytest.mark.parametrize("contracts", [(CONTRACT,), (CONTRACT, CONTRACT)], ids=["one", "two"])
def test_what_is_written_is_read_again(contracts: tuple[ScopeContract, ...]) -> None:
    expected = [*map(said, contracts)]
    assert [*map(said, read_markdown(write_markdown(contracts)))] == expected
    assert [*map(said, read_yaml(write_yaml(contracts)))] == expected
    assert write_markdown((CONTRACT,)) == TEXT


def test_a_contract_may_leave_out_all_but_its_name_and_id() -> None:
    expected = ScopeContract(name="X", scope_id="x", line=1)
    assert read_markdown("Scope Contract: X\nscope_id: x\n") == (expected,)
    assert read_yaml("name: X\nidentity: {scope_id: x}\n") == (expected,)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("Scope Contract:\nscope_id: x\n", "1: a scope contract needs a name"),
        ("Scope Contract: X\nDeliverables: a\n", "1: a scope contract needs a `scope_id`"),
        (
            "Scope Contract: X\nscope_id: Back End\n",
            "2: the scope_id 'Back End' must be kebab-case",
        ),
        (f"Scope Contract: X\nscope_id: {'x' * 65}\n", "2: the scope_id 'xxx"),
        ("Scope Contract: X\nscope_id: ../x\n", "2: the scope_id '../x' must be kebab-case"),
        ("Scope Contract: X\nscope_id: [a, b]\n", "2: `scope_id` must be one value"),
        ("Scope Contract: X\nscope_id: x\nscope_id: y\n", "3: `scope_id` is given twice, first in"),
        ("Scope Contract: X\nscope_id: x\nSize: big\n", "3: 'Size: big' is no key of 'X' and no"),
        ("Scope Contract: X\nIdentity:\n- x\n", "3: 'x' is no key of 'X' and no item of a list"),
        ("Scope Contract: X\nIdentity: x\n", "2: `identity` holds keys of its own, no value"),
    ],
)
def test_a_text_that_is_no_contract_is_refused_with_its_line(text: str, message: str) -> None:
    with pytest.raises(ScopeContractError) as raised:
        read_markdown(text, "plan.md")
    assert str(raised.value).startswith(f"plan.md:{message}")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("name: X\n", "1: `scope_id` must be a text"),
        ("identity: {scope_id: x}\n", "1: `name` must be a text"),
        ("name: X\nidentity: x\n", "2: `identity` must hold keys with values"),
        ("name: X\nidentity:\n  scope_id: X\n", "3: the scope_id 'X' must be kebab-case"),
        (
            "name: X\nidentity: {scope_id: x}\nsize: 1\n",
            "3: there is no key `size` here; known are ",
        ),
        ("name: X\nidentity: {scope_id: x}\ndeliverables: a\n", "3: `deliverables` must be a list"),
        (
            "name: X\nidentity: {scope_id: x}\ndeliverables:\n- a\n- POST /x: y\n",
            "5: an item must be a text; put it in quotes",
        ),
        ("scope_contracts: {}\n", "1: `scope_contracts` must be a list"),
        ("scope_contracts:\n- x\n", "2: a scope contract must hold keys with values"),
        ("scope_contracts: []\nname: X\n", "2: there is no key `name` here; known are scope_"),
        ("name: [\n", "2: is not valid YAML: "),
        ("- x\n", "1: must hold keys with values"),
    ],
)
def test_yaml_that_is_no_contract_is_refused_with_its_line(text: str, message: str) -> None:
    with pytest.raises(ScopeContractError) as raised:
        read_yaml(text, "plan.yaml")
    assert str(raised.value).startswith(f"plan.yaml:{message}")


def test_scopes_that_cannot_hold_together_are_refused() -> None:
    inner = ScopeContract(name="B", scope_id="b", parent_scope="a", line=9)
    outer = ScopeContract(name="A", scope_id="a", parent_scope="feature-x", line=3)
    checked_set((outer,))
    with pytest.raises(ScopeContractError) as nested:
        checked_set((outer, inner), "plan.md")
    assert str(nested.value) == (
        "plan.md:9: `b` lies in the scope `a`; scopes are not divided again: make it a sibling"
    )
    with pytest.raises(ScopeContractError) as twice:
        checked_set((outer, outer.__class__(name="C", scope_id="a", line=7)), "plan.md")
    assert str(twice.value) == (
        "plan.md:7: the scope_id `a` is taken by the scope in line 3; choose another"
    )
