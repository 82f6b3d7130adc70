"""A function as it runs with the literals that a call gives it."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.parsers.source.analysis.support import returned

DUMP = """
def has_short(value):
    if isinstance(value, list):
        return False
    return "short" in value


def dump(x, summary=False, mode="all", extra=None):
    data = {"id": 1}
    if TEST:
        data["a"] = 2
    return data

"""

ALWAYS = "{idTrue:integer:(1,),aTrue:integer:(2,);;}"
PERHAPS = "{idTrue:integer:(1,),aFalse:integer:(2,);;}"
NEVER = "{idTrue:integer:(1,);;}"


def dumped(root: Path, test: str, call: str) -> str:
    """What a call of `dump` gives, which sets `a` under the test."""
    return returned(root, f"{DUMP.replace('TEST', test)}\ndef f(x, flag):\n    return {call}\n")[0]


@pytest.mark.parametrize(
    ("test", "call", "expected"),
    [
        ("summary", "dump(x)", NEVER),
        ("not summary", "dump(x)", ALWAYS),
        ("not summary", "dump(x, True)", NEVER),
        ("not summary", "dump(x, summary=True)", NEVER),
        ("summary is True", "dump(x, True)", ALWAYS),
        ("extra is None", "dump(x)", ALWAYS),
        ("extra is not None", "dump(x)", NEVER),
        ("extra is None", "dump(x, extra=1)", NEVER),
        ("extra", "dump(x, extra='')", NEVER),
        ("mode == 'all'", "dump(x)", ALWAYS),
        ("mode != 'all'", "dump(x)", NEVER),
        ("mode == 'all'", "dump(x, mode='few')", NEVER),
        ("'few' == mode", "dump(x, mode='few')", ALWAYS),
        ("not summary and mode == 'all'", "dump(x)", ALWAYS),
        ("summary and x", "dump(x)", NEVER),
        ("not summary or x", "dump(x)", ALWAYS),
        ("not (summary or extra)", "dump(x)", ALWAYS),
        ("mode in ('few', 'all')", "dump(x)", ALWAYS),
        ("mode not in ('few', 'all')", "dump(x)", NEVER),
        ("isinstance(x, list)", "dump([1])", ALWAYS),
        ("isinstance(x, (str, int))", "dump('a')", ALWAYS),
        ("isinstance(x, dict)", "dump([1])", NEVER),
        ("x['short']", "dump({'short': True})", ALWAYS),
        ("x.get('short')", "dump({'long': True})", NEVER),
        ("'short' in x", "dump({'long': True})", NEVER),
        ("has_short(x)", "dump({'short': 1})", ALWAYS),
        ("has_short(x)", "dump({'long': 1})", NEVER),
    ],
)
def test_the_block_runs_or_does_not(tmp_path: Path, test: str, call: str, expected: str) -> None:
    assert dumped(tmp_path, test, call) == expected


@pytest.mark.parametrize(
    ("test", "call"),
    [
        ("summary", "dump(x, flag)"),
        ("summary", "dump(x, *flag)"),
        ("summary", "dump(x, **flag)"),
        ("not summary and x", "dump(x)"),
        ("summary or x", "dump(x)"),
        ("x", "dump(x)"),
        ("mode == x", "dump(x)"),
        ("summary == 0", "dump(x)"),
        ("mode.upper()", "dump(x)"),
        ("summary < 1", "dump(x)"),
    ],
)
def test_the_call_does_not_tell(tmp_path: Path, test: str, call: str) -> None:
    assert dumped(tmp_path, test, call) == PERHAPS


def test_the_other_block_runs_and_what_follows_a_return_does_not(tmp_path: Path) -> None:
    source = """
    def dump(kind):
        if kind == "a":
            return {"a": 1}
        elif kind == "b":
            body = {"b": 2}
        else:
            body = {"c": 3}
        return body

    def f():
        if 1:
            return dump("a")
        if 2:
            return dump("b")
        return dump("c")
    """
    assert returned(tmp_path, source) == [
        "{aTrue:integer:(1,);;}",
        "{bTrue:integer:(2,);;}",
        "{cTrue:integer:(3,);;}",
    ]


def test_a_literal_is_handed_on(tmp_path: Path) -> None:
    source = """
    class Order:
        def to_json(self, full=False):
            return self.base(full)

        def base(self, full):
            body = {"id": 1}
            if full:
                body["a"] = 2
            return body

    def f():
        order = Order()
        if 1:
            return order.to_json()
        return order.to_json(full=True)
    """
    assert returned(tmp_path, source) == [NEVER, ALWAYS]


def test_a_conditional_expression_is_decided(tmp_path: Path) -> None:
    source = """
    def dump(full=False):
        return {"a": 1 if full else "short"}

    def f():
        return dump()
    """
    assert returned(tmp_path, source) == ["{aTrue:string:('short',);;}"]


def test_one_of_several_declared_types_is_given(tmp_path: Path) -> None:
    source = """
    class Short:
        id: int

    class Long:
        id: int
        name: str

    def load(full: bool = False) -> Short | Long:
        if full:
            return Long(id=1, name="n")
        return Short(id=1)

    def f():
        if 1:
            return load()
        return load(full=True)
    """
    assert returned(tmp_path, source) == [
        "{idTrue:integer:;;}",
        "{idTrue:integer:,nameTrue:string:;;}",
    ]


def test_a_function_that_fills_an_object_is_decided(tmp_path: Path) -> None:
    source = """
    def fill(body, full=False):
        if full:
            body["a"] = 2

    def f():
        few = {"id": 1}
        fill(few)
        all = {"id": 1}
        fill(all, True)
        if 1:
            return few
        return all
    """
    assert returned(tmp_path, source) == [NEVER, ALWAYS]


@pytest.mark.parametrize(
    "source",
    [
        # The parameter is assigned, by the function itself or by one inside it.
        """
    def dump(full=False):
        full = full or load()
        body = {"id": 1}
        if full:
            body["a"] = 2
        return body

    def f():
        return dump()
    """,
        """
    def dump(full=False):
        def change():
            nonlocal full
            full = True
        change()
        body = {"id": 1}
        if full:
            body["a"] = 2
        return body

    def f():
        return dump()
    """,
        # The decorator may hand the function something else.
        """
    @changed
    def dump(full=False):
        body = {"id": 1}
        if full:
            body["a"] = 2
        return body

    def f():
        return dump()
    """,
        # The first argument is the object.
        """
    class Order:
        def dump(self, full, some=False):
            body = {"id": 1}
            if full:
                body["a"] = 2
            return body

    def f(order):
        return Order.dump(order, True)
    """,
        # A parameter of a function inside bears the same name.
        """
    def dump(full=False):
        def inner(full):
            body = {"id": 1}
            if full:
                body["a"] = 2
            return body
        return inner(load())

    def f():
        return dump()
    """,
    ],
)
def test_what_may_have_changed_is_not_decided(tmp_path: Path, source: str) -> None:
    assert returned(tmp_path, source) == [PERHAPS]


@pytest.mark.parametrize(
    "change",
    [
        "options['short'] = False",
        "options[x] = False",
        "options.update(x)",
        "turn_off(options)",
        "options = x",
    ],
)
def test_what_the_function_changes_decides_nothing(tmp_path: Path, change: str) -> None:
    source = f"""
def turn_off(given):
    given["short"] = False


def dump(options, x):
    data = {{"id": 1}}
    {change}
    if options["short"]:
        data["a"] = 2
    return data


def f(x):
    return dump({{"short": True}}, x)
"""
    assert returned(tmp_path, source) == [PERHAPS]


def test_a_member_of_an_object_decides_through_two_calls(tmp_path: Path) -> None:
    source = """
def inner(given):
    return {"id": 1} if given["short"] else {"id": 1, "a": 2}


def outer(options):
    return inner(options)


def f(x):
    options = {"short": True}
    return outer(options)
"""
    assert returned(tmp_path, source) == [NEVER]


def test_a_function_may_call_itself_with_other_facts(tmp_path: Path) -> None:
    source = """
def dump(rows):
    if isinstance(rows, list):
        return [dump(row) for row in rows]
    return {"id": 1}


def f(x):
    return dump([{"id": 1}])
"""
    assert returned(tmp_path, source) == ["[;{idTrue:integer:(1,);;}]"]


def test_a_loop_over_constant_keys_replaces_them(tmp_path: Path) -> None:
    source = """
KEYS = ("a", "b")


def f(x):
    data = {"id": 1, "a": "x", "b": "y", "c": "z"}
    for key in KEYS:
        data[key] = 2
    for key in ["c"]:
        data.pop(key)
    data.setdefault("id", "none")
    return data
"""
    assert returned(tmp_path, source) == [
        "{idTrue:integer:(1,),aTrue:integer:(2,),bTrue:integer:(2,);;}"
    ]
