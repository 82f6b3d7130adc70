"""Which comments speak to contract-scan, and which lines they are about."""

from __future__ import annotations

import pytest

from contract_scan.parsers.source.comments import comments

PYTHON = '''\
class Order(BaseModel):
    total: str  # contract-scan: ignore[CONTRACT-001] both are read
    text = "# contract-scan: ignore[CONTRACT-001]"
    """
    # contract-scan: ignore[CONTRACT-001]
    """

    # contract-scan: ignore[CONTRACT-004]
    # a comment between
    name: str  # noqa: E501  # contract-scan: ignore[CONTRACT-003]
    # how contract-scan: ignore works is told elsewhere
'''

TYPESCRIPT = """\
const a = "// contract-scan: ignore[CONTRACT-001]", b = `
// contract-scan: ignore[CONTRACT-001] ${1 /* contract-scan: ignore[CONTRACT-002] inside */}`;
/* contract-scan: ignore[CONTRACT-001] */ router.get("/a", handler);
/**
 * contract-scan: ignore[CONTRACT-002] for now
 */
router.get("/é", handler); // contract-scan: ignore[CONTRACT-003]
const pattern = /\\/\\/ contract-scan: ignore[CONTRACT-001]/;
"""

TSX = """\
const page = (
  <div>
    {/* contract-scan: ignore[CONTRACT-001] shown below */}
    <Price />
    // contract-scan: ignore[CONTRACT-002]
  </div>
);
"""

CSHARP = '''\
/// contract-scan: ignore[CONTRACT-004] a documentation comment
public record Order(
    [property: JsonPropertyName("a")] string A, // contract-scan: ignore[CONTRACT-001]
    string B);
var s = @"
// contract-scan: ignore[CONTRACT-001]";
var r = """
  // contract-scan: ignore[CONTRACT-001]
  """;
'''

JAVA = '''\
class Order {
  /* contract-scan: ignore[CONTRACT-004] */
  private String isbn; // contract-scan: ignore[CONTRACT-001, CONTRACT-003] old
  String s = "// contract-scan: ignore[CONTRACT-001]";
  String t = """
    // contract-scan: ignore[CONTRACT-001]
    """;
}
'''

PlacedComments = list[tuple[int, int, str, tuple[int, ...]]]


@pytest.mark.parametrize(
    ("path", "source", "expected"),
    [
        (
            "a.py",
            PYTHON,
            [
                (2, 19, "ignore[CONTRACT-001] both are read", (2,)),
                (8, 7, "ignore[CONTRACT-004]", (10,)),
                (10, 32, "ignore[CONTRACT-003]", (10,)),
            ],
        ),
        (
            "a.ts",
            TYPESCRIPT,
            [
                (2, 47, "ignore[CONTRACT-002] inside", (2,)),
                (3, 4, "ignore[CONTRACT-001]", (3,)),
                (5, 4, "ignore[CONTRACT-002] for now", (7,)),
                (7, 31, "ignore[CONTRACT-003]", (7,)),
            ],
        ),
        ("a.tsx", TSX, [(3, 9, "ignore[CONTRACT-001] shown below", (3, 4))]),
        (
            "a.cs",
            CSHARP,
            [
                (1, 5, "ignore[CONTRACT-004] a documentation comment", (2,)),
                (3, 52, "ignore[CONTRACT-001]", (3,)),
            ],
        ),
        (
            "A.java",
            JAVA,
            [
                (2, 6, "ignore[CONTRACT-004]", (3,)),
                (3, 27, "ignore[CONTRACT-001, CONTRACT-003] old", (3,)),
            ],
        ),
    ],
)
def test_comments_are_told_from_strings(path: str, source: str, expected: PlacedComments) -> None:
    assert placed_comments(source.encode(), path) == expected


@pytest.mark.parametrize(
    ("path", "source", "lines"),
    [
        ("a.py", "# {}\n@app.get(\n  '/a')\n@other\ndef f(): ...\n", (2, 3, 4, 5)),
        ("a.py", "@app.get(\n  '/a')  # {}\n@other\ndef f(): ...\n", (1, 2, 3, 4)),
        ("a.py", "@app.get('/a')\n@other\ndef f(): ...  # {}\n", (1, 2, 3)),
        ("a.ts", "class A {{\n  @Get()\n  f() {{}} // {}\n}}", (2, 3)),
        ("a.ts", "class A {{\n  @Get() // {}\n  // why\n  f() {{}}\n}}", (2, 4)),
        ("a.cs", "class A {{\n // {}\n [Get]\n [X] public int F() => 1;\n}}", (3, 4)),
        ("a.cs", "class A {{\n [Get]\n // {}\n [X]\n int F() => 1;\n}}", (2, 4, 5)),
        ("A.java", 'class A {{\n // {}\n @Get\n @X("a")\n int f;\n}}', (3, 4, 5)),
    ],
)
def test_attributes_belong_to_what_they_stand_on(
    path: str, source: str, lines: tuple[int, ...]
) -> None:
    content = source.format("contract-scan: ignore[CONTRACT-001]").encode()
    assert [each[3] for each in placed_comments(content, path)] == [lines]


def placed_comments(content: bytes, path: str) -> PlacedComments:
    found = comments(content, path)
    return [(c.origin.span.line, c.origin.span.column, c.said, c.lines) for c in found]


def test_line_ends_and_byte_order_marks_move_nothing() -> None:
    for content in (
        b"\xef\xbb\xbf" + PYTHON.encode(),
        PYTHON.replace("\n", "\r\n").encode(),
        PYTHON.replace("\n", "\r").encode(),
    ):
        assert placed_comments(content, "a.py") == placed_comments(PYTHON.encode(), "a.py")


def test_what_is_no_utf_8_text_says_nothing() -> None:
    assert placed_comments(PYTHON.encode("utf-16"), "a.py") == []


def test_a_file_of_nothing_but_comments_is_read_in_one_pass() -> None:
    many = 20_000
    found = placed_comments(b"// contract-scan: ignore[CONTRACT-001]\n" * many, "a.ts")
    assert (len(found), {each[3] for each in found}) == (many, {(many + 1,)})
