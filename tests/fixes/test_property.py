"""Whatever stands around it, a fix mends its finding and leaves every other byte as it was."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from contract_scan.api import scan
from contract_scan.fixes.apply import apply_fixes, write
from contract_scan.fixes.parsing import parse_of
from contract_scan.fixes.plan import plan
from contract_scan.ir.violation import Finding
from tests.fixes.projects import NAMES, contract, csharp, java, python, typescript
from tests.fixes.projects import write as write_project

WORDS = st.text(st.sampled_from("abZ 09_é日𝒳'\"`{}()<>;,@#$-"), max_size=12)
BLANKS = st.text(st.sampled_from(" \t"), max_size=3)


@st.composite
def around(draw: st.DrawFn) -> tuple[str, str, str]:
    """Lines before a member, what stands behind it on its line, and the end of every line."""
    above = draw(st.lists(WORDS, max_size=2))
    return "\n".join(above), draw(BLANKS) + draw(WORDS), draw(st.sampled_from(["\n", "\r\n"]))


def comments(text: str, mark: str, indent: str) -> str:
    return "".join(f"{indent}{mark} {line}\n" for line in text.split("\n") if text)


def assert_mended(language: str, source: str, kept: Sequence[str], end: str, mark: bool) -> None:
    """`kept`: pieces of the text that have nothing to do with the finding, in their order."""
    raw = (b"\xef\xbb\xbf" if mark else b"") + source.replace("\n", end).encode()
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder).resolve()
        file = write_project(root, NAMES[language], "", contract())
        file.write_bytes(raw)
        findings = planned(root)
        fixes = [finding.fix for finding in findings if finding.fix is not None]
        assert len(fixes) == len(findings) == 1
        (mended,), refused = apply_fixes(root, fixes)
        assert (refused, mended.before, mended.put_off) == ([], raw, ())
        assert write(root, mended) is None
        after = file.read_bytes()
        assert planned(root) == ()
    text = after.decode()
    assert text.startswith("\ufeff") == mark
    assert text.count("\n") == text.count(end)
    at = 0
    for piece in kept:
        at = text.index(piece.replace("\n", end), at) + len(piece)
    assert not parse_of(file.name)(after.removeprefix(b"\xef\xbb\xbf")).has_error


def planned(root: Path) -> tuple[Finding, ...]:
    since = time.time_ns()
    return plan(root, scan(root, cache=False).findings, since)


@settings(max_examples=20, deadline=None)
@given(around(), st.booleans())
def test_java(noise: tuple[str, str, str], mark: bool) -> None:
    above, behind, end = noise
    above = comments(above, "//", "    ")
    member = f"\n    String id,\n{above}    double unit_price // {behind}\n"
    kept = [f"String id,\n{above}", f"double unit_price // {behind}\n", "class OrderController"]
    assert_mended("java", java(member), kept, end, mark)


@settings(max_examples=20, deadline=None)
@given(around(), st.booleans())
def test_csharp(noise: tuple[str, str, str], mark: bool) -> None:
    above, behind, end = noise
    above = comments(above, "//", "    ")
    price = f"public double Unit_Price {{ get; init; }} // {behind}"
    source = csharp(f"    public string Id {{ get; init; }}\n{above}    {price}")
    kept = ["{ get; init; }\n" + above, price + "\n", "class OrdersController"]
    assert_mended("csharp", source, kept, end, mark)


@settings(max_examples=20, deadline=None)
@given(around(), st.booleans())
def test_typescript(noise: tuple[str, str, str], mark: bool) -> None:
    above, behind, end = noise
    above = comments(above, "//", "  ")
    source = typescript(f"  id: string;\n{above}  unit_price /* x */ : number; // {behind}")
    kept = [f"  id: string;\n{above}  ", f" /* x */ : number; // {behind}\n", "class OrdersCon"]
    assert_mended("typescript", source, kept, end, mark)


@settings(max_examples=8, deadline=None)
@given(around(), st.booleans())
def test_python(noise: tuple[str, str, str], mark: bool) -> None:
    above, behind, end = noise
    above = comments(above, "#", "    ")
    source = python(
        f"    id: str\n{above}    unit_price: float = Field(\n        gt=0 , # {behind}\n    )\n"
    )
    kept = [f"    id: str\n{above}    unit_price: float = Field(", "gt=0", f" , # {behind}\n    )"]
    assert_mended("python", source, kept, end, mark)
