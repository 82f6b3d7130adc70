"""The package as other programs use it: what is public, and what a call does."""

from __future__ import annotations

import inspect
import json
import pydoc
import re
import typing
from pathlib import Path

import msgspec
import pytest

import contract_scan
from contract_scan import (
    Config,
    ConfigurationError,
    ContractError,
    Report,
    UsageError,
    extract,
    load_configuration,
    open_code,
    scan,
    to_json,
)
from contract_scan.cli.main import main

PAGE = Path(__file__).parents[1] / "docs" / "library.md"
CONTRACT = """\
openapi: 3.0.3
info: {title: Shop, version: '1'}
paths:
  /orders/{id}:
    get:
      parameters: [{name: id, in: path, required: true, schema: {type: string}}]
      responses:
        '200':
          description: the order
          content:
            application/json:
              schema:
                type: object
                required: [id, total]
                properties: {id: {type: string}, total: {type: number}}
  /health:
    get: {responses: {'204': {description: fine}}}
"""
APP = """\
from fastapi import FastAPI
from pydantic import BaseModel

app = FastAPI()


class Order(BaseModel):
    id: str
    total: str


@app.get("/orders/{id}")
def order(id: str) -> Order: ...
"""


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    """A service whose total is a text, and which has no route for one operation."""
    folder = tmp_path / "shop"
    folder.mkdir()
    (folder / ".git").mkdir()
    (folder / "openapi.yaml").write_text(CONTRACT, encoding="utf-8")
    (folder / "app.py").write_text(APP, encoding="utf-8")
    return folder


def names(report: Report) -> list[str]:
    return [problem.name for problem in report.problems]


def test_a_folder_is_named_by_text_or_by_path(shop: Path) -> None:
    both = ["CONTRACT-001/type", "CONTRACT-002/missing-endpoint"]
    assert names(scan(str(shop))) == names(scan(shop)) == both


def test_the_nearest_configuration_and_its_baseline_count(
    shop: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (shop / "contract-scan.toml").write_text('ignore = ["CONTRACT-002"]\n', encoding="utf-8")
    report = scan(shop)
    assert (names(report), report.ignored) == (["CONTRACT-001/type"], 1)
    assert report.summary.operations.missing == 1  # nobody wants to hear of it, and it is so
    assert len(names(scan(shop, config=Config()))) == 2

    assert main(["baseline", "create", str(shop), "--quiet"]) == 0
    assert (names(scan(shop)), scan(shop).known) == ([], 1)
    assert names(scan(shop, baseline=False)) == ["CONTRACT-001/type"]
    assert load_configuration(shop).baseline == shop / "contract-scan-baseline.json"


def test_a_configuration_and_a_baseline_can_be_named(shop: Path, tmp_path: Path) -> None:
    other = tmp_path / "other.toml"
    other.write_text('select = ["CONTRACT-002"]\n', encoding="utf-8")
    assert names(scan(shop, config=str(other))) == ["CONTRACT-002/missing-endpoint"]
    with pytest.raises(ConfigurationError, match="there is no such baseline"):
        scan(shop, baseline=tmp_path / "none.json")


def test_rules_kinds_and_contracts_are_chosen_by_a_call(shop: Path, tmp_path: Path) -> None:
    assert names(scan(shop, select=["CONTRACT-001/type"])) == ["CONTRACT-001/type"]
    part = tmp_path / "part.yaml"
    part.write_text(CONTRACT.partition("  /health:")[0], encoding="utf-8")
    assert names(scan(shop, contracts=[str(part)])) == ["CONTRACT-001/type"]


@pytest.mark.parametrize(
    ("arguments", "error", "said"),
    [
        ({"root": "nowhere"}, UsageError, "nowhere: is not a folder"),
        ({"select": ["CONTRACT-9"]}, UsageError, "unknown rule `CONTRACT-9`; known are"),
        ({"contracts": ["gone.yaml"]}, UsageError, "gone.yaml: no such contract"),
        ({"contracts": ["broken.yaml"]}, ContractError, "broken.yaml"),
        ({"config": "broken.yaml"}, ConfigurationError, "broken.yaml"),
    ],
)
def test_what_is_wrong_is_told_in_one_line(
    arguments: dict[str, typing.Any],
    error: type[Exception],
    said: str,
    shop: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(shop)
    (shop / "broken.yaml").write_text("openapi: [3.0.3\n", encoding="utf-8")
    with pytest.raises(error) as raised:
        scan(**{"root": ".", **arguments})
    assert said in str(raised.value) and "\n" not in str(raised.value)


def test_nothing_is_written_into_the_scanned_folder(shop: Path) -> None:
    def files() -> dict[str, bytes]:
        return {str(file): file.read_bytes() for file in shop.rglob("*") if file.is_file()}

    before = files()
    scan(shop)
    extract(shop)
    assert files() == before


def test_code_is_shown_without_a_contract(shop: Path) -> None:
    found = extract(str(shop))
    assert [(each.method, each.path) for each in found.endpoints] == [("GET", "/orders/{id}")]
    assert [model.name for model in found.models] == ["Order"]
    (endpoint,) = json.loads(to_json(found))["endpoints"]
    assert endpoint["handler"] == "order"


def test_code_stays_open_for_several_contracts(shop: Path) -> None:
    with open_code(shop) as code:
        reports = [code.compare([shop / "openapi.yaml"])[0] for _ in range(2)]
    assert [names(report) for report in reports] == [names(scan(shop))] * 2


def test_a_report_is_written_as_the_command_line_does(
    shop: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(shop)
    assert main(["check", "--output-format", "json", "--exit-zero"]) == 0
    told, written = json.loads(capsys.readouterr().out), json.loads(to_json(scan(".")))
    for document in (told, written):
        for finding in document["findings"]:
            del finding["fix"]  # that is planned where it is shown
    assert written == told


def test_a_report_can_be_encoded_and_read_again(shop: Path) -> None:
    report = scan(shop)
    assert msgspec.json.decode(msgspec.json.encode(report), type=Report) == report


def test_the_example_of_the_page_runs(shop: Path, capsys: pytest.CaptureFixture[str]) -> None:
    example = PAGE.read_text("utf-8").split("```python\n")[1].partition("```")[0]
    space: dict[str, typing.Any] = {}
    exec(compile(example, str(PAGE), "exec"), space)
    assert space["gate"](str(shop)) == 1
    assert capsys.readouterr().out.splitlines() == [
        "app.py:9  CONTRACT-001/type  `GET /orders/{id}` response 200: `total` is a string, "
        "expected a number",
        "    affects GET /orders/{id}",
        "openapi.yaml:17  CONTRACT-002/missing-endpoint  `GET /health` has no route in the code",
        "    affects GET /health",
        "0 of 2 operations verified",
    ]
    assert space["gate"](str(shop), most=2) == 0
    assert space["gate"]("nowhere") == 2


PUBLIC = {
    "Config": "class",
    "ConfigurationError": "class",
    "ContractError": "class",
    "ContractScanError": "class",
    "Extraction": "class",
    "Finding": "class",
    "Member": "class",
    "NotAnalysed": "class",
    "Origin": "class",
    "Problem": "class",
    "Report": "class",
    "ScanScope": "class",
    "SourceError": "class",
    "Span": "class",
    "Summary": "class",
    "Undetermined": "class",
    "UsageError": "class",
    "Violation": "class",
    "extract": "(root, *, config, cache, jobs, models, framework_routes)",
    "load_configuration": "(root, file)",
    "open_code": "(root, *, config, cache)",
    "run_contract_compliance_scan": "(project_dir, contracts, scope, config, *, scan)",
    "run_endpoint_schema_scan": "(project_dir, contracts, scope, *, scan)",
    "run_event_schema_scan": "(project_dir, contracts, scope, *, scan)",
    "run_missing_endpoint_scan": "(project_dir, contracts, scope, *, scan)",
    "run_shared_model_scan": "(project_dir, contracts, scope, *, scan)",
    "scan": "(root, *, contracts, select, config, baseline, scope, cache, jobs, allow_empty, "
    "validate)",
    "to_json": "(answer)",
}
"""What programs rest on. Something may be added; to change or remove it takes a major version."""


def shape(value: object) -> str:
    if inspect.isclass(value):
        return "class"
    assert callable(value)
    parameters = inspect.signature(value).parameters.values()
    bare = [each.replace(annotation=each.empty, default=each.empty) for each in parameters]
    return str(inspect.Signature(bare))


def test_what_is_public_stays() -> None:
    offered = {
        name: shape(getattr(contract_scan, name))
        for name in contract_scan.__all__[:]
        if name != "__version__"
    }
    assert offered == PUBLIC
    assert {*contract_scan.__all__} <= {*dir(contract_scan)}


def test_every_public_name_is_described_and_listed_on_its_page() -> None:
    rows = dict(re.findall(r"^\| `(\w+)` \| (.*) \|$", PAGE.read_text("utf-8"), re.MULTILINE))
    assert {*PUBLIC} <= {*rows}
    assert [name for name in PUBLIC if not inspect.getdoc(getattr(contract_scan, name))] == []


def test_help_shows_every_public_name() -> None:
    shown = pydoc.render_doc(contract_scan, renderer=pydoc.plaintext)
    assert [name for name in PUBLIC if name not in shown] == []


@pytest.mark.parametrize("name", PUBLIC)
def test_type_hints_resolve_when_the_program_runs(name: str) -> None:
    assert typing.get_type_hints(getattr(contract_scan, name)) is not None
