"""After a test that a value is not null, it is not null."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.parsers.source.analysis.support import returned

FIND = """
def find(key: int) -> str | None: ...
def other() -> int: ...
def number(of: str) -> int: ...
def word() -> str: ...
"""


def last(root: Path, body: str) -> str:
    """What the last return of a function gives, in which `x` may be null."""
    lines = "".join(f"    {line}\n" for line in body.splitlines())
    return returned(root, f"{FIND}\ndef f(flag):\n    x = find(1)\n{lines}")[-1]


@pytest.mark.parametrize(
    "test",
    [
        "x is None",
        "None is x",
        "x == None",
        "not x",
        "not x or not flag",
        "flag or x is None",
        "not (x is not None)",
        "not (flag and x)",
        "not isinstance(x, str)",
        'x != "a"',
    ],
)
def test_what_is_left_after_the_null_is_gone(tmp_path: Path, test: str) -> None:
    assert last(tmp_path, f"if {test}:\n    return 1\nreturn x") == "string:"


@pytest.mark.parametrize("test", ["flag", "flag is None", "x is None and flag", "x == flag"])
def test_other_tests_leave_the_null(tmp_path: Path, test: str) -> None:
    assert last(tmp_path, f"if {test}:\n    return 1\nreturn x") == "string:?"


def test_a_branch_that_goes_on_leaves_the_null(tmp_path: Path) -> None:
    assert last(tmp_path, "if x is None:\n    other()\nreturn x") == "string:?"


def test_a_branch_that_raises_takes_the_null_away(tmp_path: Path) -> None:
    assert last(tmp_path, "if x is None:\n    raise KeyError\nreturn x") == "string:"


@pytest.mark.parametrize("test", ["x", "x is not None", "x or flag", "not (x is None)"])
def test_nothing_but_the_null_is_left_where_the_other_way_returns(
    tmp_path: Path, test: str
) -> None:
    assert last(tmp_path, f"if {test}:\n    return 1\nreturn x") == "null"


@pytest.mark.parametrize("test", ["x", "x is not None"])
def test_what_is_made_of_a_value_where_there_is_one_stands_for_it(
    tmp_path: Path, test: str
) -> None:
    assert last(tmp_path, f"if {test}:\n    x = number(x)\nreturn x") == "integer:?"
    conditional = "x = x if x is None else number(x)\nreturn x"
    assert last(tmp_path, conditional) == "integer:?"


def test_a_value_that_is_never_null_is_left_where_it_counts_as_false(tmp_path: Path) -> None:
    assert last(tmp_path, "x = word()\nif x:\n    x = number(x)\nreturn x") == (
        "(string:|integer:)"
    )


def test_parameters_are_narrowed_as_locals_are(tmp_path: Path) -> None:
    text = "def f(x):\n    if x is not None:\n        x = number(x)\n    return x\n"
    called = text + "def g():\n    return f(find(1))\n"
    assert returned(tmp_path, FIND + called, "g")[-1] == "integer:?"


def test_a_value_put_in_the_place_of_null_joins(tmp_path: Path) -> None:
    body = "if x is None:\n    x = other()\nreturn x"
    assert last(tmp_path, body) == "(string:|integer:)"


def test_inside_the_branch_the_test_holds(tmp_path: Path) -> None:
    assert last(tmp_path, "if x is not None and flag:\n    return x") == "string:"


def test_in_the_else_branch_it_does_not(tmp_path: Path) -> None:
    assert last(tmp_path, "if x is None:\n    return 1\nelse:\n    return x") == "string:"


def test_a_later_assignment_may_bring_null_again(tmp_path: Path) -> None:
    body = "if x is None:\n    return 1\nx = find(2)\nreturn x"
    assert last(tmp_path, body) == "string:?"


def test_null_that_was_assigned_before_is_gone(tmp_path: Path) -> None:
    body = "x = None\nif flag:\n    x = other()\nif x is None:\n    return 1\nreturn x"
    assert last(tmp_path, body) == "integer:"


def test_the_loop_after_a_test_keeps_what_is_known(tmp_path: Path) -> None:
    body = "if x is None:\n    return 1\nfor y in flag:\n    other()\nreturn x"
    assert last(tmp_path, body) == "string:"


@pytest.mark.parametrize(
    ("value", "shape"),
    [
        ("x if x is not None else 1", "(string:|integer:(1,))"),
        ("1 if x is None else x", "(integer:(1,)|string:)"),
        ("x if x else 1", "(string:|integer:(1,))"),
        ("1 if flag else 2 if not x else x", "(integer:(1, 2)|string:)"),
        ("x if flag else 1", "(string:|integer:(1,))?"),
        ("{'a': x} if x else 1", "({aTrue:string:;;}|integer:(1,))"),
    ],
)
def test_a_conditional_expression_believes_its_test(tmp_path: Path, value: str, shape: str) -> None:
    assert last(tmp_path, f"return {value}") == shape


@pytest.mark.parametrize(
    ("value", "shape"),
    [
        ("x or 1", "(string:|integer:(1,))"),
        ("x or None", "string:?"),
        ("None or x", "string:?"),
        ("x or find(2)", "string:?"),
        ("x or find(2) or 1", "(string:|integer:(1,))"),
    ],
)
def test_null_gives_way_to_what_follows_or(tmp_path: Path, value: str, shape: str) -> None:
    assert last(tmp_path, f"return {value}") == shape


def test_a_pass_of_a_loop_that_is_left_early_says_as_much_as_a_return(tmp_path: Path) -> None:
    for word in ("continue", "break"):
        body = f"for key in flag:\n    y = find(key)\n    if not y:\n        {word}\n    return y"
        assert last(tmp_path / word, body) == "string:"
    guarded = "for key in flag:\n    y = find(key)\n    if y:\n        return y"
    assert last(tmp_path / "guarded", guarded) == "string:"


def test_what_the_last_pass_of_a_loop_gave_may_be_there_in_the_next_one(tmp_path: Path) -> None:
    kept = "y = word()\nfor key in flag:\n    if key:\n        return y\n    y = find(key)"
    assert last(tmp_path / "kept", kept) == "string:?"
    left = (
        "y = None\nfor key in flag:\n    y = find(key)\n    if key:\n        break\n"
        "    y = word()\nreturn y"
    )
    assert last(tmp_path / "left", left) == "string:?"
