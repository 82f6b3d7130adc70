"""The type of a member is changed only where nothing in its file uses the member."""

from __future__ import annotations

from pathlib import Path

import pytest

from contract_scan.cli.main import main
from tests.fixes.projects import contract, csharp, java, write


def mended(folder: Path, name: str, source: str) -> str:
    schema = {
        "type": "object",
        "required": ["id", "state"],
        "properties": {"id": {"type": "string"}, "state": {"type": "integer"}},
    }
    file = write(folder, name, source, contract(schema))
    main(["check", str(folder), "--isolated", "--no-cache", "--fix", "--unsafe-fixes"])
    return file.read_text()


CSHARP = csharp(
    "    public required string Id { get; init; }\n"
    "    public required string State { get; init; }\n    MORE"
)
JAVA = java("String id, String state", extra="class Other { MORE }\n")
FIELDS = JAVA.replace(
    "record Order(String id, String state) {}",
    "MORE class Order { public String id; public String state; }",
).replace("class Other { MORE }", "")
LOMBOK = FIELDS.replace("import com", "import lombok.*;\nimport com")
FIELD_OF_LOMBOK = LOMBOK.replace("MORE", "").replace("public String state", "MORE String state")


@pytest.mark.parametrize(
    ("name", "source", "more", "old", "new"),
    [
        ("App.cs", CSHARP, "", "string State", "int State"),
        ("App.cs", CSHARP, "public string Shown() => State.Trim();", "string State", None),
        ("App.java", JAVA, "", "String state", "Integer state"),
        ("App.java", JAVA, "String of(Order o) { return o.state(); }", "String state", None),
        ("App.java", FIELDS, "", "String state", "Integer state"),
        ("App.java", LOMBOK, "@Data", "String state", None),
        ("App.java", FIELD_OF_LOMBOK, "@Getter private", "String state", None),
    ],
    ids=["C#", "C#, used", "Java", "Java, used", "fields", "Lombok's class", "Lombok's field"],
)
def test_a_type_is_changed_where_nothing_uses_it(
    tmp_path: Path, name: str, source: str, more: str, old: str, new: str | None
) -> None:
    text = source.replace("MORE", more)
    found = mended(tmp_path, name, text)
    assert (old in found) == (new is None)
    assert new is None or new in found
