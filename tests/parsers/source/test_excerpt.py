"""Parts of a text that are enough to answer a question."""

from __future__ import annotations

import re

import pytest

from contract_scan.parsers.source.csharp.resolution import extensions
from contract_scan.parsers.source.csharp.resolution import modules as csharp
from contract_scan.parsers.source.csharp.web import parameter_sources as sources
from contract_scan.parsers.source.discovery.text_probe import Excerpt
from contract_scan.parsers.source.java.resolution import modules as java

TEXT = (
    b"namespace Shop.Orders;\npackage shop.orders ;\n// AddScoped<IOrders>\nstatic class X {\n"
    b"  static string Text(this Order order) => order.Id;\n} namespace Last"
)
TAILS = (b"\n", b"\n\n\n\n", b" \n", b"\t\n\r\n \n")


@pytest.mark.parametrize(
    "pattern",
    [csharp._NAMESPACE, extensions._DECLARATION, sources._REGISTRATION, java._PACKAGE],
    ids=lambda pattern: pattern.pattern[:20],
)
def test_patterns_that_end_before_blanks_find_the_same_whatever_follows(
    pattern: re.Pattern[bytes],
) -> None:
    excerpt = Excerpt(pattern.pattern, pattern.flags)
    assert excerpt.is_before(0)
    assert len({tuple(excerpt.of(TEXT + tail)) for tail in TAILS}) == 1


@pytest.mark.parametrize(
    "pattern",
    [
        rb"\w+\s*",
        rb"(\w+)\s+",
        rb"(\w+)$",
        rb"(\w+)\Z",
        rb"\s|(\w+)",
        rb"(\w+)(?=\s*\w+)",
        rb"(?!x)(\w+)",
        rb"[^;]+",
        rb"\s",
    ],
)
def test_other_patterns_may_look_at_what_follows(pattern: bytes) -> None:
    assert not Excerpt(pattern).is_before(9)


def test_lines_before_the_last_are_the_same_whatever_follows() -> None:
    lines = TEXT.count(b"\n")
    assert [Excerpt(first=1, last=last).is_before(lines) for last in (1, lines, lines + 1)] == [
        True,
        True,
        False,
    ]
