"""Small string functions of a project, interpreted from their text: names stay exact or unknown."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from contract_scan.parsers.source.python.serialization.naming import KNOWN
from contract_scan.parsers.source.python.serialization.string_functions import (
    Function,
    NotPlainError,
    interpret,
)


def nothing_known(name: str) -> Function | None:
    return None


def renamed(source: str, name: str = "order_line_id") -> object:
    """What a function gives; the string `unknown` where it is not interpreted."""
    function = interpret(source, nothing_known)
    if function is None:
        return "unknown"
    try:
        return function(name)
    except NotPlainError:
        return "unknown"


@pytest.mark.parametrize(
    ("source", "result"),
    [
        ("lambda s: s.upper()", "ORDER_LINE_ID"),
        ("lambda s: s.replace('_', '-')", "order-line-id"),
        ("lambda s: s[0].upper() + s[1:]", "Order_line_id"),
        ("lambda s: re.sub(r'_([a-z])', lambda m: m.group(1).upper(), s)", "orderLineId"),
        ("lambda s: ''.join(w.capitalize() for w in s.split('_') if w)", "OrderLineId"),
        ("lambda s: s if '_' not in s else f'{s.title()}!'", "Order_Line_Id!"),
        ("lambda s: ''.join(map(str.title, s.split('_')))", "OrderLineId"),
        (
            "def f(s):\n    a, *b = s.split('_')\n    return a + ''.join(x.title() for x in b)",
            "orderLineId",
        ),
        (
            "def f(s):\n"
            "    out = ''\n"
            "    upper = False\n"
            "    for c in s:\n"
            "        if c == '_':\n"
            "            upper = True\n"
            "        else:\n"
            "            out += c.upper() if upper else c\n"
            "            upper = False\n"
            "    return out",
            "orderLineId",
        ),
        (
            "def f(s):\n"
            "    for c in s:\n"
            "        if c == '_':\n"
            "            return 'found'\n"
            "    return 'none'",
            "found",
        ),
    ],
)
def test_constructs(source: str, result: str) -> None:
    assert renamed(source) == result


@pytest.mark.parametrize(
    "source",
    [
        "lambda s: open(s)",
        "lambda s: __import__('os')",
        "lambda s: s.__class__",
        "lambda s: s * 10**9",
        "lambda s: re.sub(r'(a+)+$', '', s)",
        "lambda s: eval(s)",
        "def f(s):\n    while True: pass",
        "def f(s):\n    return f(s)",
        "def f(s):\n    import os",
        "x = 1",
        "def f(:",
        "(" * 5_000,
    ],
)
def test_anything_else_is_unknown(source: str) -> None:
    assert renamed(source) == "unknown"


def test_helpers_of_the_same_module_are_followed() -> None:
    pascal = interpret("lambda s: s.title().replace('_', '')", nothing_known)
    helpers = {"to_pascal": pascal}
    function = interpret("lambda s: s[:1] + to_pascal(s)[1:]", helpers.get)
    assert function is not None
    assert function("order_id") == "orderId"


@given(st.text(max_size=60))
def test_arbitrary_text_never_raises_anything_else(source: str) -> None:
    renamed(source)


@pytest.mark.parametrize(
    ("name", "field", "result"),
    [
        ("pydantic.alias_generators.to_camel", "order_line_id", "orderLineId"),
        ("pydantic.alias_generators.to_camel", "alreadyCamel", "alreadyCamel"),
        ("pydantic.alias_generators.to_camel", "address_2b", "address2B"),
        ("pydantic.alias_generators.to_pascal", "order_id", "OrderId"),
        ("pydantic.alias_generators.to_snake", "OrderID2", "order_id2"),
        ("pydantic.utils.to_camel", "order_id", "OrderId"),
        ("pydantic.utils.to_lower_camel", "order_id", "orderId"),
        ("humps.camelize", "order_id", "orderId"),
        ("inflection.camelize", "order_id", "OrderId"),
    ],
)
def test_functions_of_libraries(name: str, field: str, result: str) -> None:
    assert KNOWN[name](field) == result


@pytest.mark.parametrize(
    ("pattern", "longest"),
    [
        ("_([a-z])", 2_000),
        ("a+_", 2_000),
        ("a*a*_", 215),
        ("a*a*a*_", 56),
        ("a?" * 20, 9),
    ],
)
def test_a_regular_expression_is_tried_on_texts_on_which_it_cannot_take_long(
    pattern: str, longest: int
) -> None:
    """Whoever writes the scanned code chooses the pattern and the names."""
    source = f"lambda s: re.sub({pattern!r}, '-', s)"
    assert renamed(source, "b" * longest) != "unknown"
    assert renamed(source, "b" * (longest + 1)) == "unknown"


@pytest.mark.parametrize("pattern", ["(a+)+$", "(?x)(a+) +$", "(?ix:(a+) #\n+$)"])
def test_no_regular_expression_with_a_repetition_of_repetitions_is_tried(pattern: str) -> None:
    assert renamed(f"lambda s: re.sub({pattern!r}, '-', s)", "a" * 30) == "unknown"
