"""Constants that constructors set members to."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.parsers.source.csharp.project import models

ANSWER = "public abstract class Answer { protected Answer(int c) { Code = c; } \
public int Code { get; } }"


@pytest.mark.parametrize(
    ("source", "shown"),
    [
        (f"{ANSWER} public class Fine : Answer {{ public Fine() : base(0) {{ }} }}", "0"),
        (f"{ANSWER} public class Fine() : Answer(5);", "5"),
        (
            f"{ANSWER} public class Fine : Answer {{ public Fine(int n) : base(n) {{ }} "
            "public Fine() : this(3) { } }",
            "integer(int32)",
        ),
        ("public class Fine { public Fine() { Code = 2; } public int Code { get; } }", "2"),
        (
            "public class Fine { public Fine() { Code = 2; } public int Code { get; set; } }",
            "integer(int32)",
        ),
        (f"{ANSWER} public class Fine(int n) : Answer(n);", "integer(int32)"),
    ],
)
def test_a_member_that_is_set_once(tmp_path: Path, source: str, shown: str) -> None:
    found = models(tmp_path, f"namespace App; {source}").shape("Fine", "http")
    assert found.replace("-", "") == f"{{code: {shown}}}"
