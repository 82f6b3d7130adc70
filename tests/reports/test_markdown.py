from __future__ import annotations

from pathlib import Path

import msgspec
from markdown_it import MarkdownIt

from contract_scan.ir.document import NotAnalysed
from contract_scan.ir.origin import Origin, Span
from contract_scan.reports.markdown import ROOM, render
from contract_scan.reports.markdown_text import code, escape_text, prose
from contract_scan.scanners.report import Report
from tests.reports.hostile import HOSTILE, NASTY
from tests.reports.samples import BUSY, CLEAN, FIXABLE, WRONG_MODEL, WRONG_STATUS, project


def test_the_counts_then_problems_then_what_stayed_open(tmp_path: Path) -> None:
    assert "".join(render(BUSY, project(tmp_path))) == (
        """\
<!-- contract-scan -->
## contract-scan: 3 problems (2 errors, 1 warning); the scan is incomplete

| promises | total | verified | violated | missing | undetermined |
|---|--:|--:|--:|--:|--:|
| operations | 3 | 0 | 1 | 1 | 1 |
| models | 1 | 0 | 1 | 0 | 0 |

- **CONTRACT-002/missing-endpoint** error, `contracts/orders.yaml:8`: \
`POST /orders` is contracted, but no route answers it\x20\x20
  *add a route, or remove the operation from the contract*
- **CONTRACT-001/status** error, `src/orders.py:7`: \
`GET /orders/{id}` returns 201; the contract allows 200\x20\x20
  expected `200` · found `201` · contract `contracts/orders.yaml:6`\x20\x20
  *return 200, or add 201 to the contract*
- **CONTRACT-004/type** warning, `src/orders.py:11`: \
`Order.price` is a string; the model says number\x20\x20
  expected `number` · found `string` · contract `contracts/orders.yaml:13` \
· reached from `src/orders.py:6`

<details><summary>Undetermined: 1</summary>

- 1 × the handler's return type is declared as any: `GET /orders 200 response items[]`, \
`src/orders.py:6`

</details>

<details><summary>Not analysed: 1</summary>

- `src/old.py:3`: is not UTF-8; save it as UTF-8

</details>

"""
    )


def test_what_can_be_mended_is_named_with_the_command(tmp_path: Path) -> None:
    written = "".join(render(Report(findings=FIXABLE), project(tmp_path)))
    assert (
        "\n1 fixable with `contract-scan check --fix`, 1 more with `--fix --unsafe-fixes`.\n"
        in (written)
    )
    assert [line.rpartition(" · ")[2] for line in written.splitlines() if "fix: " in line] == [
        "fix: answer with status `200`  ",
        "unsafe fix: add `note` to the contract",
    ]
    unsafe = "".join(render(Report(findings=FIXABLE[1:]), project(tmp_path / "other")))
    assert "\n1 fixable with `contract-scan check --fix --unsafe-fixes`.\n" in unsafe


def test_a_clean_scan(tmp_path: Path) -> None:
    assert "".join(render(CLEAN, project(tmp_path))) == (
        """\
<!-- contract-scan -->
## contract-scan: no violation

| promises | total | verified | violated | missing | undetermined |
|---|--:|--:|--:|--:|--:|
| operations | 2 | 2 | 0 | 0 | 0 |

"""
    )


def test_foreign_text_makes_no_markup(tmp_path: Path) -> None:
    written = "".join(render(HOSTILE, project(tmp_path)))
    tokens = MarkdownIt("commonmark").enable(["table", "strikethrough"]).parse(written)
    inline = [child for token in tokens for child in token.children or ()]
    assert {token.type for token in (*tokens, *inline)} & {
        "link_open",
        "image",
        "html_inline",
        "s_open",
        "fence",
        "code_block",
        "blockquote_open",
    } == set()
    html = [token.content for token in tokens if token.type == "html_block"]
    assert all("script" not in block and "img" not in block for block in html)
    text = "".join(child.content for child in inline if child.type == "text")
    for word in ("@octocat", "#1", "http://", "https://", "www.e", "\x1b", "\u202e"):
        assert word not in text
    assert "<script>alert(1)</script>" in "".join(child.content for child in inline)


def test_texts_one_by_one() -> None:
    assert escape_text("a*b_c|<d>&") == r"a\*b\_c\|&lt;d>&amp;"
    assert code("a`b") == "``a`b``"
    assert code("`a`") == "`` `a` ``"
    assert code("") == "`  `"
    assert prose("`GET /a_b` has_no `x") == r"`GET /a_b` has\_no \`x"


def test_a_comment_stays_within_what_github_takes(tmp_path: Path) -> None:
    many = tuple(
        msgspec.structs.replace(
            finding,
            kind="method",
            message=NASTY * 20,
            origin=Origin(f"src/{number}.py", Span(number, 1, number, 2)),
        )
        for number in range(1, 400)
        for finding in (WRONG_MODEL, WRONG_STATUS)
    )
    problems = tuple(NotAnalysed(path=f"{n}.py", reason=NASTY * 20) for n in range(400))
    report = Report(findings=many, not_analysed=problems, undetermined=HOSTILE.undetermined)
    written = "".join(render(report, project(tmp_path)))
    assert ROOM / 2 < len(written) < 65_536
    assert "more problems, which did not fit here." in written
    assert "** warning, " not in written
