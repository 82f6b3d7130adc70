"""JSON text is the text of the standard library, only sooner there."""

from __future__ import annotations

import json
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from contract_scan.reports.json_text import indented_json

values = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53), 2**53) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)


@given(values)
def test_it_is_what_the_standard_library_writes(value: Any) -> None:
    assert indented_json(value) == json.dumps(value, indent=2) + "\n"


def test_letters_that_are_alike_those_of_ascii_in_another_case_are_escaped() -> None:
    assert indented_json("\u0130\u017f\u212a") == '"\\u0130\\u017f\\u212a"\n'


def test_names_that_are_no_text_are_written_too() -> None:
    assert indented_json({"path": "caf\udce9"}) == '{\n  "path": "caf\\udce9"\n}\n'
