"""What items of scope contracts name."""

from __future__ import annotations

import pytest

from contract_scan.scopes.contract import Item, ScopeContractError
from contract_scan.scopes.items import NamedItem, named_by
from contract_scan.scopes.paths import covers, may_overlap


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("src/orders/api.py", NamedItem("file", "src/orders/api.py")),
        ("./src//api.py", NamedItem("file", "src/api.py")),
        ("package.json (the scripts)", NamedItem("file", "package.json")),
        ("docs/api.md — the page", NamedItem("file", "docs/api.md")),
        ("`src/a page.tsx` new", NamedItem("file", "src/a page.tsx")),
        ("app/orders/[id]/page.tsx", NamedItem("file", "app/orders/[id]/page.tsx")),
        ("src/orders/", NamedItem("pattern", "src/orders/**")),
        ("src/**/*.ts", NamedItem("pattern", "src/**/*.ts")),
        ("post /orders/{id}: creates", NamedItem("endpoint", "POST /orders/{id}")),
        (
            "GET /orders/{id} from backend-api",
            NamedItem("endpoint", "GET /orders/{id}", "backend-api"),
        ),
        ("event `orders.placed`", NamedItem("event", "orders.placed")),
        ("type Order from `backend-api`", NamedItem("type", "Order", "backend-api")),
        ("OrderDto", NamedItem("name", "OrderDto")),
        ("a migration of orders", NamedItem("name", "a migration of orders")),
    ],
)
def test_what_an_item_names(text: str, named: NamedItem) -> None:
    assert named_by(Item(text)) == named


@pytest.mark.parametrize("text", ["/etc/passwd", "../x.py", "a/../../x.py", "./", "a/.."])
def test_a_file_outside_of_the_repository_is_refused(text: str) -> None:
    with pytest.raises(ScopeContractError) as raised:
        named_by(Item(text, 7), "plan.md")
    assert str(raised.value) == (
        f"plan.md:7: {text!r} must be a path in the repository, relative to its root"
    )


@pytest.mark.parametrize(
    ("pattern", "path", "expected"),
    [
        ("src/*.py", "src/api.py", True),
        ("src/*.py", "src/orders/api.py", False),
        ("src/**", "src/orders/api.py", True),
        ("src/**", "srcs/api.py", False),
        ("**/api.py", "api.py", True),
        ("**/api.py", "src/orders/api.py", True),
        ("src/**/*.ts", "src/a/b/c.ts", True),
        ("src/**/*.ts", "src/c.tsx", False),
        ("a?c", "abc", True),
        ("a?c", "ac", False),
        ("*a*b*", "xaxbx", True),
        ("*a*b*", "xbxax", False),
        ("app/[id]/*", "app/[id]/page.tsx", True),
        ("app/[id]/*", "app/i/page.tsx", False),
        ("a" + "*a" * 30 + "b", "a" * 3000, False),
        ("**/" * 30 + "b", "a/" * 300 + "a", False),
    ],
)
def test_patterns(pattern: str, path: str, expected: bool) -> None:
    assert covers(pattern, path) is expected


def test_patterns_that_may_mean_the_same_file() -> None:
    assert may_overlap("src/**", "src/orders/*.py")
    assert may_overlap("**/*.py", "web/**")
    assert not may_overlap("src/orders/**", "src/shops/**")
