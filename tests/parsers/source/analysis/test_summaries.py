"""What bodies give is remembered by what they ask of their arguments."""

from __future__ import annotations

from pathlib import Path
from textwrap import dedent

from contract_scan.parsers.source.analysis.domain.values import Scope
from contract_scan.parsers.source.facts.nodes import Call
from tests.parsers.source.analysis.support import function, program, returned


def test_a_function_is_followed_once_for_callers_that_hand_it_the_same(tmp_path: Path) -> None:
    long = "\n".join(f"    v{n} = make(v{n - 1})" for n in range(1, 30))
    source = dedent("""
        def make(value):
            return {{"value": value, "made": 1}}

        def build(request, log):
            v0 = {{}}
        {long}
            return v29["made"]

        def first(request):
            return build(request, request.a)

        def second(request):
            return build(request, request.b)
        """).format(long=long)
    linked = program(tmp_path, {"app.py": source})
    steps: list[int] = []
    for name in ("first", "second"):
        [exit] = linked.function_exits(function(linked, "app.py", name))
        assert isinstance(exit.value, Call)
        assert isinstance(exit.scope, Scope)
        linked.evaluate(exit.value, exit.scope)
        steps.append(linked.evaluator.budget.steps)
    assert steps[0] > 20 * steps[1]


def test_what_a_function_asks_of_its_arguments_tells_calls_apart(tmp_path: Path) -> None:
    source = dedent("""
        def pick(held, log):
            return held["id"]

        def f(request):
            if request.a:
                return pick({"id": 1}, 1)
            if request.b:
                return pick({"id": "x"}, 1)
            return pick({"id": 1}, "x")
        """)
    assert returned(tmp_path, source) == ["integer:(1,)", "string:('x',)", "integer:(1,)"]


def test_what_is_asked_later_of_a_function_tells_calls_apart(tmp_path: Path) -> None:
    source = dedent("""
        def held(first, second):
            return lambda: second

        def f(request):
            if request.a:
                return held(1, 2)()
            return held(1, "x")()
        """)
    assert returned(tmp_path, source) == ["integer:(2,)", "string:('x',)"]
