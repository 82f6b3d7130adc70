"""What a name holds where a `try` was left, by an error or at its end."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.parsers.source.analysis.support import returned

LOAD = """
def load() -> str: ...
def check(text): ...
"""


@pytest.mark.parametrize(
    ("body", "shapes"),
    [
        pytest.param(
            "x = 1\ntry:\n    x = load()\n    check(x)\nexcept ValueError:\n    return x",
            ["(integer:(1,)|string:)"],
            id="another statement may have failed after it was given",
        ),
        pytest.param(
            "x = 1\ntry:\n    if flag:\n        x = load()\n    check(x)\n"
            "except ValueError:\n    return x",
            ["(integer:(1,)|string:)"],
            id="it is given below a test",
        ),
        pytest.param(
            "x = 1\ntry:\n    check(x)\n    x = load()\nexcept ValueError:\n    return x",
            ["integer:(1,)"],
            id="what gives it at the end gives nothing where it fails",
        ),
        pytest.param(
            "x = {}\ntry:\n    x['a'] = 1\n    check(x)\nexcept ValueError:\n    return x",
            ["{aFalse:integer:(1,);;}"],
            id="its object may have been changed",
        ),
        pytest.param(
            "x = 1\ntry:\n    x = load()\nfinally:\n    return x",
            ["string:"],
            id="finally comes behind the body",
        ),
        pytest.param(
            "x = 1\ntry:\n    x = load()\nexcept ValueError:\n    x = 2.5\nfinally:\n    return x",
            ["(string:|number:(2.5,))"],
            id="and behind what catches",
        ),
    ],
)
def test_it_holds(tmp_path: Path, body: str, shapes: list[str]) -> None:
    lines = "".join(f"    {line}\n" for line in body.splitlines())
    assert returned(tmp_path, f"{LOAD}\ndef f(flag):\n{lines}") == shapes
