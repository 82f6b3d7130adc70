"""Members of C# classes that requests may lack: what demands them goes, and they may be null."""

from __future__ import annotations

from pathlib import Path

import pytest

from contract_scan.cli.main import main

CONTRACT = """\
openapi: 3.0.3
info: { title: Shop, version: "1" }
paths:
  /orders:
    post:
      requestBody:
        required: true
        content:
          application/json:
            schema: { type: object, properties: { name: { type: string } } }
      responses: { "204": { description: made } }
"""
CODE = """\
using System.ComponentModel.DataAnnotations;
using Microsoft.AspNetCore.Mvc;

public class NewOrder
{
    MEMBER
}

[ApiController]
[Route("orders")]
public class OrdersController : ControllerBase
{
    [HttpPost]
    public ActionResult Create([FromBody] NewOrder order) => NoContent();
}
"""


@pytest.mark.parametrize(
    ("member", "mended"),
    [
        ("[Required]\n    public string Name { get; set; }", "public string? Name { get; set; }"),
        ("[Required] public string Name { get; set; }", "public string? Name { get; set; }"),
        (
            "[Required] [MaxLength(3)]\n    public string Name { get; set; }",
            "[MaxLength(3)]\n    public string? Name { get; set; }",
        ),
        ("public required string Name { get; set; }", "public string? Name { get; set; }"),
    ],
)
def test_what_demands_a_member_is_taken_out(tmp_path: Path, member: str, mended: str) -> None:
    (tmp_path / "openapi.yaml").write_text(CONTRACT)
    file = tmp_path / "Orders.cs"
    file.write_text(CODE.replace("MEMBER", member))
    command = ["check", str(tmp_path), "--isolated", "--no-cache", "--fix", "--unsafe-fixes"]
    assert main(command) == 0
    assert file.read_text() == CODE.replace("MEMBER", mended)


def test_attributes_in_one_pair_of_brackets_are_left_alone(tmp_path: Path) -> None:
    (tmp_path / "openapi.yaml").write_text(CONTRACT)
    file = tmp_path / "Orders.cs"
    code = CODE.replace("MEMBER", "[Required, MaxLength(3)] public string Name { get; set; }")
    file.write_text(code)
    command = ["check", str(tmp_path), "--isolated", "--no-cache", "--fix", "--unsafe-fixes"]
    assert main(command) == 1
    assert file.read_text() == code
