"""Contracts from a PREPARE output: ids, owners of files, interfaces, what is left to decide."""

from __future__ import annotations

from typing import Any

import pytest
import yaml

from contract_scan.scopes.contract import ScopeContract, ScopeContractError, texts
from contract_scan.scopes.generation import Division, divide
from contract_scan.scopes.preparation import read_preparation


def divided(*scopes: dict[str, Any], **more: Any) -> Division:
    text = yaml.safe_dump({"feature": "Refunds", "scopes": [*scopes], **more}, sort_keys=False)
    return divide(read_preparation(text, "prepare.yaml"), "prepare.yaml")


def by_id(division: Division) -> dict[str, ScopeContract]:
    return {contract.scope_id: contract for contract in division.contracts}


def messages(division: Division) -> list[str]:
    return [note.message for note in division.notes]


def test_ids_come_from_keywords_then_names_unless_they_are_given() -> None:
    division = divided(
        {"name": "The API", "keywords": ["Backend", "API", "backend", "orders"]},
        {"name": "Web page (UI)"},
        {"name": "Tables", "id": "database-migration"},
    )
    assert [*by_id(division)] == ["backend-api", "web-page-ui", "database-migration"]


def test_a_file_belongs_to_the_scope_that_changes_most_of_it() -> None:
    division = divided(
        {"name": "A", "files": [{"path": "x.py", "change": 5}, "a.py"]},
        {"name": "B", "files": [{"path": "./x.py", "change": 40}]},
        {"name": "C", "files": ["x.py"]},
    )
    found = {
        scope: ([*texts(one.deliverables)], [*texts(one.shared_files)])
        for scope, one in by_id(division).items()
    }
    assert found == {"a": (["a.py"], ["x.py"]), "b": (["x.py"], []), "c": ([], ["x.py"])}
    assert messages(division) == []


def test_equal_claims_go_to_the_first_and_are_named() -> None:
    division = divided({"name": "A", "files": ["x.py"]}, {"name": "B", "files": ["x.py"]})
    assert [*texts(by_id(division)["b"].shared_files)] == ["x.py"]
    assert [(note.message, note.line) for note in division.notes] == [
        ("x.py is changed as much by `a`, `b`; it was given to `a`", 5)
    ]


def test_a_pattern_leaves_out_the_files_of_siblings() -> None:
    division = divided(
        {"name": "A", "files": ["src/"]},
        {"name": "B", "files": ["src/money.py", "web/**"]},
        {"name": "C", "files": ["web/*.ts"]},
    )
    assert [*texts(by_id(division)["a"].shared_files)] == ["src/money.py"]
    assert messages(division) == [
        "web/** of `b` and web/*.ts of `c` may mean the same files; name the files that both change"
    ]


def test_what_is_used_comes_from_the_sibling_that_provides_it() -> None:
    division = divided(
        {"name": "API", "artifacts": ["POST /orders/{id}/refunds"], "provides": ["type Refund"]},
        {
            "name": "Page",
            "uses": ["POST /orders/{orderId}/refunds", "event refunds.settled"],
            "notes": ["Shows a `Refund`, with `useState`."],
        },
    )
    api, page = division.contracts
    assert [*texts(api.exports)] == ["type Refund", "POST /orders/{id}/refunds"]
    assert [*texts(page.imports)] == [
        "POST /orders/{orderId}/refunds from api",
        "event refunds.settled",
        "Refund from api",
    ]
    assert messages(division) == ["`page` uses refunds.settled, but no sibling provides it"]


def test_several_providers_are_told_apart_by_the_scope() -> None:
    providers = ({"name": "A", "provides": ["Order"]}, {"name": "B", "provides": ["Order"]})
    open_ = divided(*providers, {"name": "C", "uses": ["Order"]})
    assert [*texts(by_id(open_)["c"].imports)] == ["Order"]
    assert messages(open_) == ["`c` uses Order, which `a` and `b` provide; write `from a`"]
    settled = divided(*providers, {"name": "C", "uses": ["Order from b"]})
    assert [*texts(by_id(settled)["c"].imports)] == ["Order from b"]
    assert messages(settled) == []
    wrong = divided(*providers, {"name": "C", "uses": ["Order from d"]})
    assert messages(wrong) == ["`c` uses Order, but `d` does not provide it"]


def test_conventions_go_to_every_scope() -> None:
    division = divided({"name": "A"}, {"name": "B"}, conventions=["Money is in cents"])
    assert [[*texts(one.conventions)] for one in division.contracts] == [["Money is in cents"]] * 2


@pytest.mark.parametrize(
    ("scopes", "message"),
    [
        ([], "2: `scopes` must list the parts of the feature"),
        (["a"], "3: a scope must hold keys with values"),
        ([{"id": "a"}], "3: `name` must be a text"),
        ([{"name": "A", "id": "A"}], "4: the scope_id 'A' must be kebab-case"),
        ([{"name": "注文"}], "3: no id can be made of the name '注文'; give the scope an `id`"),
        ([{"name": "A"}, {"name": "a"}], "4: the scope_id `a` is that of the scope in line 3, too"),
        ([{"name": "A", "size": 1}], "4: there is no key `size` here; known are name, id, "),
        ([{"name": "A", "files": ["../x"]}], "5: '../x' must be a path in the repository"),
        ([{"name": "A", "uses": [1]}], "5: an item must be a text; put it in quotes"),
        ([{"name": "A", "uses": "x"}], "4: `uses` must be a list"),
        (
            [{"name": "A", "files": [{"path": "x", "change": -1}]}],
            "6: `change` must be a number of 0 or more",
        ),
    ],
)
def test_a_preparation_that_cannot_be_used_is_refused_with_its_line(
    scopes: list[Any], message: str
) -> None:
    with pytest.raises(ScopeContractError) as raised:
        divided(*scopes)
    assert str(raised.value).startswith(f"prepare.yaml:{message}")
