"""Constants that go through constructors, fields and getters."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.parsers.source.java.project import Project

ANSWER = """
    abstract class Answer {
      private final int code;
      protected Answer(int code) { this.code = code; }
      public int getCode() { return code; }
    }
"""


def model(folder: Path, source: str, name: str = "Fine") -> str:
    text = f"package codes; import com.fasterxml.jackson.annotation.*; {source}"
    return Project(folder, {"src/main/java/codes/Codes.java": text}).model(name)


@pytest.mark.parametrize(
    ("source", "shown"),
    [
        (f"{ANSWER} class Fine extends Answer {{ Fine() {{ super(0); }} }}", "0(int32)"),
        (
            f"{ANSWER} class Fine extends Answer {{ Fine() {{ this(3); }} "
            "private Fine(int n) { super(n); } }",
            "integer(int32)",
        ),
        (
            f"{ANSWER} class Middle extends Answer {{ Middle(String s) {{ super(7); }} }} "
            'class Fine extends Middle { Fine() { super("x"); } }',
            "7(int32)",
        ),
        (
            f"{ANSWER} class Codes {{ static final int OK = 2; }} "
            "class Fine extends Answer { Fine() { super(Codes.OK); } }",
            "2(int32)",
        ),
        (
            f"{ANSWER} class Fine extends Answer {{ Fine() {{ super(0); }} "
            "Fine(String why) { super(1); } }",
            "0 1(int32)",
        ),
        # Any number may be given.
        (f"{ANSWER} class Fine extends Answer {{ Fine(int n) {{ super(n); }} }}", "integer(int32)"),
        # A class below may give another one.
        (
            f"{ANSWER} class Fine extends Answer {{ Fine() {{ super(0); }} "
            "Fine(int n) { super(n); } } class Finer extends Fine { Finer() { super(9); } }",
            "integer(int32)",
        ),
        # What is not final may be set to anything later.
        (
            "class Fine { private int code; Fine() { this.code = 0; } "
            "public int getCode() { return code; } }",
            "integer(int32)",
        ),
        # The getter gives something else.
        (
            "class Fine { private final int code; Fine() { code = 0; } "
            "public int getCode() { return code + offset(); } }",
            "integer(int32)",
        ),
        (
            "class Fine { private final int code; Fine() { code = 4; } "
            "public int getCode() { return this.code; } }",
            "4(int32)",
        ),
    ],
)
def test_what_every_constructor_sets_a_final_field_to(
    tmp_path: Path, source: str, shown: str
) -> None:
    assert model(tmp_path, source).removesuffix(" (sent only)}") in (
        f"{{code: {shown}",
        f"{{code: {shown}}}",
    )


OPERATIONS = """
    package duck;
    enum Op {
      LIST("ducks", true), NAME("names", false);
      private final String id; private final boolean open;
      Op(String id, boolean open) { this.id = id; this.open = open; }
      String getId() { return id; }
      String path() { return "/" + this.id; }
      String below(String shown, String hidden) { return open ? shown : hidden; }
      String byName() { return name().toLowerCase(); }
      @Override public String toString() { return id; }
    }
    class Ducks {
      public static void main(String[] args) {
        Spark.get(PATH, (request, response) -> "");
      }
    }
"""


@pytest.mark.parametrize(
    ("expression", "path"),
    [
        ('"/" + Op.LIST.getId()', "/ducks"),
        ("Op.NAME.path()", "/names"),
        ('"/" + Op.NAME.toString()', "/names"),
        ('Op.LIST.below("/public", "/private")', "/public"),
        ('Op.NAME.below("/public", "/private")', "/private"),
    ],
)
def test_methods_of_a_constant_of_an_enum(tmp_path: Path, expression: str, path: str) -> None:
    source = OPERATIONS.replace("package duck;", "package duck; import spark.Spark;")
    files = {"src/main/java/duck/Ducks.java": source.replace("PATH", expression)}
    assert Project(tmp_path, files).routes() == [f"GET {path}"]
