"""The naming that a project states, where the code has one that is undetermined."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from contract_scan.cli.main import main
from tests.cli.test_check import CONTRACT, checked

PYTHON = """\
from elsewhere import generator
from fastapi import FastAPI
from pydantic import BaseModel, ConfigDict

app = FastAPI()


class Order(BaseModel):
    model_config = ConfigDict(alias_generator=generator)
    id: str
    total_price: float


@app.get("/orders/{id}")
def get_order(id: str) -> Order:
    return load(id)
"""
JAVA = """\
package shop;

import com.fasterxml.jackson.databind.annotation.JsonNaming;
import org.springframework.web.bind.annotation.*;

@RestController
class Orders {
  @JsonNaming(com.elsewhere.Strategy.class)
  record Order(String id, double totalPrice) {}

  @GetMapping("/orders/{id}")
  Order get(@PathVariable String id) { return load(id); }
}
"""
CSHARP = """\
using Microsoft.AspNetCore.Builder;
using Elsewhere;

var builder = WebApplication.CreateBuilder(args);
builder.Services.ConfigureHttpJsonOptions(options =>
    options.SerializerOptions.PropertyNamingPolicy = new Policy());
var app = builder.Build();
app.MapGet("/orders/{id}", (string id) => new Order("o-" + id, 1));
app.Run();

record Order(string Id, double TotalPrice);
"""


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    text = json.dumps(CONTRACT).replace('"total"', '"totalPrice"')
    (tmp_path / "openapi.json").write_text(text)
    return tmp_path


def state(project: Path, naming: str) -> None:
    (project / "contract-scan.toml").write_text(
        f"[[services]]\nname = 'orders'\ncontracts = ['openapi.json']\n{naming}\n"
    )


@pytest.mark.parametrize(
    ("name", "source"), [("app.py", PYTHON), ("Orders.java", JAVA), ("Program.cs", CSHARP)]
)
def test_it_is_believed_where_the_code_does_not_tell(
    project: Path, capsys: pytest.CaptureFixture[str], name: str, source: str
) -> None:
    (project / name).write_text(source)
    state(project, "")
    summary = checked(capsys)[1]["summary"]
    assert (summary["verified"], summary["undetermined"]) == (0, 1)
    state(project, "naming = 'camelCase'")
    assert checked(capsys)[1]["summary"]["verified"] == 1
    state(project, "naming = 'kebab-case'")
    report = checked(capsys)[1]
    assert {each["field"] for each in report["findings"]} == {"totalPrice"}


def test_what_the_code_tells_counts(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    told = PYTHON.replace(
        "from elsewhere import generator",
        "from pydantic.alias_generators import to_camel as generator",
    )
    (project / "app.py").write_text(told)
    state(project, "naming = 'kebab-case'")
    assert checked(capsys)[1]["summary"]["verified"] == 1


def test_an_unknown_naming_is_refused(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    state(project, "naming = 'snakecase'")
    assert main(["check"]) == 2
    assert capsys.readouterr().err == (
        "contract-scan: contract-scan.toml:4: `services[0].naming` must be one of as-declared,"
        " camelCase, PascalCase, snake_case, kebab-case; did you mean `snake_case`?\n"
    )
