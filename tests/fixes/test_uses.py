"""A fix that other files would not compile with any more is not offered."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from contract_scan.cli.main import main
from tests.fixes.projects import (
    contract,
    csharp,
    java,
    python,
    request_contract,
    typescript,
    write,
)

STRING = {"type": "string"}


def schema(**fields: Any) -> dict[str, Any]:
    """An order with an identifier and more, all of it required."""
    properties = {"id": STRING, **fields}
    return {"type": "object", "required": [*properties], "properties": properties}


COUNTED = schema(count={"type": "integer"})
TIMED = schema(at=STRING, count={"type": "integer"})
NULLABLE = schema(count={"type": ["integer", "null"]})
STATED = schema(state={"type": "string", "enum": ["open", "paid"]})
NAMED = schema(unitPrice=STRING)


def is_mended(folder: Path, name: str, source: str, asked: Any, other: tuple[str, str]) -> bool:
    """Whether a file is changed that has another one beside it."""
    file = write(folder, name, source, contract(asked))
    beside = folder / other[0]
    beside.parent.mkdir(exist_ok=True)
    beside.write_text(other[1])
    options = ["--isolated", "--fix", "--unsafe-fixes", "--exit-zero"]
    main(["check", str(folder), *options])
    changed = file.read_text() != source
    assert beside.read_text() == other[1]
    return changed


TYPESCRIPT = typescript("  id: string;\n  count: string;")
TYPESCRIPT_VALUES = typescript('  id: string;\n  state: "open" | "paid" | "lost";')
TYPESCRIPT_ALIAS = typescript("  id: string;\n  state: State;") + 'type State = "open" | "sent";\n'
TYPESCRIPT_NAME = typescript("  id: string;\n  unit_price: string;")
TYPESCRIPT_LACKS = typescript("  id: string;\n  at: string;")


@pytest.mark.parametrize(
    ("source", "asked", "other", "mended"),
    [
        (TYPESCRIPT, COUNTED, "export const a = 1;", True),
        (TYPESCRIPT, COUNTED, "interface Other { count: string }", True),
        (TYPESCRIPT, COUNTED, "const count = 1; console.log(count);", True),
        (TYPESCRIPT, COUNTED, "export const f = (o) => o.count.trim();", False),
        (TYPESCRIPT, COUNTED, 'save({ id: "1", count: "2" });', False),
        (TYPESCRIPT, COUNTED, "const { count } = load();", False),
        (TYPESCRIPT, COUNTED, 'type Counted = Pick<Order, "count">;', False),
        (TYPESCRIPT, COUNTED, "class Big implements Order { count: string }", False),
        (TYPESCRIPT, NULLABLE, "export const f = (o) => o.count;", False),
        (TYPESCRIPT_NAME, NAMED, "export const f = (o) => o.id;", True),
        (TYPESCRIPT_NAME, NAMED, "export const f = (o) => o.unit_price;", False),
        (TYPESCRIPT_VALUES, STATED, 'const a = "open";', True),
        (TYPESCRIPT_VALUES, STATED, 'const a = "lost";', False),
        (TYPESCRIPT_ALIAS, STATED, "const texts: Texts<State> = {};", True),
        (TYPESCRIPT_ALIAS, STATED, "const texts: Record<State, string> = all;", False),
        (TYPESCRIPT_ALIAS, STATED, "type Texts = { [K in State]: string };", False),
        (TYPESCRIPT_LACKS, TIMED, "export const f = (o: Order) => o.id;", True),
        (TYPESCRIPT_LACKS, TIMED, 'const o: Order = { id: "1", at: "now" };', False),
        (TYPESCRIPT_LACKS, TIMED, "const o: Order = { ...old };", False),
        (TYPESCRIPT_LACKS, TIMED, "class Big implements Order {}", False),
    ],
)
def test_typescript(tmp_path: Path, source: str, asked: Any, other: str, mended: bool) -> None:
    assert is_mended(tmp_path, "app.ts", source, asked, ("src/other.ts", other)) == mended


CSHARP = csharp(
    "    public required string Id { get; init; }\n    public required string Count { get; init; }"
)
CSHARP_NUMBER = CSHARP.replace("string Count", "int Count")
CSHARP_STATE = (
    CSHARP.replace("string Count", "State State")
    + "\n[JsonConverter(typeof(JsonStringEnumConverter))]\npublic enum State { open, paid, lost }\n"
)
CSHARP_LACKS = csharp("    public required string Id { get; init; }")
CSHARP_FREE = csharp("    public string Id { get; init; }")
CSHARP_RECORD = csharp("").replace(
    "public sealed class Order\n{\n\n}", "public sealed record Order(string Id);"
)


@pytest.mark.parametrize(
    ("source", "asked", "other", "mended"),
    [
        (CSHARP, COUNTED, "class A {}", True),
        (CSHARP, COUNTED, "class A { public string Count { get; set; } }", True),
        (CSHARP, COUNTED, "class A { string F(Order o) => o.Count.Trim(); }", False),
        (CSHARP, COUNTED, 'class A { Order F() => new() { Count = "1" }; }', False),
        (CSHARP_NUMBER, NULLABLE, "class A { int F(Order o) => o.Count; }", False),
        (CSHARP_STATE, STATED, "class A { State F() => State.paid; }", True),
        (CSHARP_STATE, STATED, "class A { State F() => State.lost; }", False),
        (CSHARP_LACKS, COUNTED, 'class A { Order F() => new Order { Id = "1" }; }', False),
        (CSHARP_FREE, COUNTED, 'class A { Order F() => new Order { Id = "1" }; }', False),
        (CSHARP_RECORD, COUNTED, 'class A { Other F() => new Other("1"); }', True),
        (CSHARP_RECORD, COUNTED, 'class A { Order F() => new Order("1"); }', False),
        (CSHARP_RECORD, COUNTED, 'class A { Order F() => new("1"); }', False),
        (CSHARP_RECORD, COUNTED, "record Big(string Id) : Order(Id);", False),
    ],
)
def test_csharp(tmp_path: Path, source: str, asked: Any, other: str, mended: bool) -> None:
    assert is_mended(tmp_path, "App.cs", source, asked, ("src/Other.cs", other)) == mended


JAVA = java("String id, String count")
JAVA_LACKS = java("String id")
JAVA_STATE = java("String id, State state", extra="enum State { open, sent }\n")


@pytest.mark.parametrize(
    ("source", "asked", "other", "mended"),
    [
        (JAVA, COUNTED, "class A { int count = 1; int f() { return count; } }", True),
        (JAVA, COUNTED, "class A { String f(Order o) { return o.count(); } }", False),
        (JAVA, COUNTED, 'class A { Order f() { return new Order("1", "2"); } }', False),
        (JAVA_LACKS, COUNTED, "class A { Order f(Order o) { return o; } }", True),
        (JAVA_LACKS, COUNTED, 'class A { Order f() { return new Order("1"); } }', False),
        (JAVA_LACKS, COUNTED, "class A { Object f() { return all.map(Order::new); } }", False),
    ],
)
def test_java(tmp_path: Path, source: str, asked: Any, other: str, mended: bool) -> None:
    assert is_mended(tmp_path, "App.java", source, asked, ("src/Other.java", other)) == mended


PYTHON_ENUM = python(
    "    id: str\n    state: State",
    imports="from enum import Enum\n\nclass State(str, Enum):\n"
    '    open = "open"\n    paid = "paid"\n    lost = "lost"\n    none = "gone"\n',
)
PYTHON_LITERAL = python(
    '    id: str\n    state: Literal["open", "paid", "lost", "gone"]',
    imports="from typing import Literal",
)


@pytest.mark.parametrize("source", [PYTHON_ENUM, PYTHON_LITERAL])
@pytest.mark.parametrize(
    ("other", "mended"),
    [
        ("lost = 1\nprint(lost)\n", True),
        ('print("open", "paid")\n', True),
        ('state = "lost"\n', False),
        ("print({'was': 'gone'})\n", False),
    ],
)
def test_values_of_python(tmp_path: Path, source: str, other: str, mended: bool) -> None:
    assert is_mended(tmp_path, "app.py", source, STATED, ("src/other.py", other)) == mended


@pytest.mark.parametrize("other", ["print(State.lost)\n", "print(State.none)\n"])
def test_members_of_python(tmp_path: Path, other: str) -> None:
    assert not is_mended(tmp_path, "app.py", PYTHON_ENUM, STATED, ("src/other.py", other))
    own = PYTHON_ENUM.replace("load(id)", "Order(id=id, state=State.lost)")
    assert not is_mended(tmp_path, "app.py", own, STATED, ("src/other.py", "pass\n"))


SWITCH = "class A { int f(State s) { return switch (s) { case open -> 1; MORE }; } }"


@pytest.mark.parametrize(("more", "mended"), [("case sent -> 2;", False), ("default -> 2;", True)])
def test_a_switch_over_all_values_of_java(tmp_path: Path, more: str, mended: bool) -> None:
    asked = schema(state={"type": "string", "enum": ["open", "sent", "paid"]})
    other = ("src/Other.java", SWITCH.replace("MORE", more))
    source = JAVA_STATE.replace("enum State { open, sent }", "enum State { open, sent, lost }")
    assert is_mended(tmp_path, "App.java", source, asked, other) == mended


TAKES = """\
import { Body, Controller, HttpCode, Post } from "@nestjs/common";

export class Wish {
  state: "open" | "sent";
}

@Controller("orders")
export class OrdersController {
  @Post()
  @HttpCode(204)
  add(@Body() body: Wish): void {}
}
"""


def test_a_value_more_of_a_property_concerns_no_other_file(tmp_path: Path) -> None:
    state = {"type": "string", "enum": ["open", "sent", "paid"]}
    asked = {"type": "object", "required": ["state"], "properties": {"state": state}}
    file = write(tmp_path, "app.ts", TAKES, request_contract(asked))
    for number in range(200):
        (tmp_path / f"other{number}.ts").write_text("export const a = 1;\n")
    main(["check", str(tmp_path), "--isolated", "--fix", "--unsafe-fixes", "--no-cache"])
    assert '"open" | "sent" | "paid"' in file.read_text()


def test_what_is_planned_again_is_looked_at_again(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = write(tmp_path, "app.ts", TYPESCRIPT, contract(COUNTED))
    command = ["check", str(tmp_path), "--isolated", "--fix", "--unsafe-fixes"]
    showing = [*command, "--diff"]
    assert main(showing) == 1
    (tmp_path / "other.ts").write_text("export const f = (o) => o.count;")
    capsys.readouterr()
    assert main(showing) == 0
    assert capsys.readouterr().out == ""
    (tmp_path / "other.ts").unlink()
    main(command)
    assert "count: number" in file.read_text()
