"""The whole command on a small project: what it prints and how it ends."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from contract_scan.cli.main import main

CONTRACT: dict[str, Any] = {
    "openapi": "3.1.0",
    "info": {"title": "Shop", "version": "1"},
    "paths": {
        "/orders/{id}": {
            "get": {
                "parameters": [
                    {"name": "id", "in": "path", "required": True, "schema": {"type": "string"}}
                ],
                "responses": {
                    "200": {
                        "description": "the order",
                        "content": {
                            "application/json": {"schema": {"$ref": "#/components/schemas/Order"}}
                        },
                    }
                },
            }
        }
    },
    "components": {
        "schemas": {
            "Order": {
                "type": "object",
                "required": ["id", "total"],
                "properties": {"id": {"type": "string"}, "total": {"type": "number"}},
            }
        }
    },
}

SOURCE = """\
from fastapi import FastAPI
from pydantic import BaseModel

app = FastAPI()


class Order(BaseModel):
    id: str
    total: float


@app.get("/orders/{id}")
def get_order(id: str) -> Order:
    return load(id)
"""

DRIFT = SOURCE.replace("total: float", "total: str")
UNDOCUMENTED = (
    SOURCE
    + """

@app.get("/health")
def health() -> None:
    return None
"""
)
REFUSING = SOURCE.replace("import FastAPI", "import FastAPI, HTTPException").replace(
    "    return load(id)",
    "    if id == '0':\n        raise HTTPException(404)\n    return load(id)",
)


def write_project(folder: Path, source: str = SOURCE, contract: Any = CONTRACT) -> Path:
    (folder / "src").mkdir(parents=True)
    (folder / ".git").mkdir()
    (folder / "src" / "app.py").write_text(source, encoding="utf-8")
    text = contract if isinstance(contract, str) else json.dumps(contract, indent=2)
    (folder / "openapi.json").write_text(text, encoding="utf-8")
    return folder


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def checked(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, dict[str, Any]]:
    status = main(["check", "--no-cache", "--output-format", "json", *arguments])
    report = json.loads(capsys.readouterr().out)
    assert isinstance(report, dict)
    return status, report


def test_a_kept_contract_is_clean(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write_project(project)
    assert main(["--no-cache"]) == 0
    assert capsys.readouterr() == (
        "              total  verified  violated  missing  undetermined\n"
        "operations        1         1         0        0             0\n"
        "\n"
        "No violation in 1 file; 1 of 1 operation verified.\n",
        "",
    )


def test_drift_is_shown_with_both_places(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write_project(project, DRIFT)
    assert main(["--no-cache", "--quiet"]) == 1
    out = capsys.readouterr().out
    assert out.startswith("CONTRACT-001/type [error] `GET /orders/{id}` ")
    assert "\n  --> src/app.py:9:" in out
    assert "\n 9 |     total: str\n" in out
    assert "\n  ::: openapi.json:" in out
    assert '"total": {' in out


def test_json_says_the_same_and_fits_its_schema(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write_project(project, DRIFT)
    status, report = checked(capsys)
    schema = Path(__file__).parents[2] / "docs" / "schema" / "check.schema.json"
    jsonschema.validate(report, json.loads(schema.read_text(encoding="utf-8")))
    assert status == 1
    assert [
        (each["rule"], each["kind"], each["path"], each["line"], each["field"])
        for each in report["findings"]
    ] == [("CONTRACT-001", "type", "src/app.py", 9, "total")]
    assert (report["summary"]["operations"], report["summary"]["violated"]) == (1, 1)
    assert report["not_analysed"] == []


@pytest.mark.parametrize(
    ("source", "arguments", "status"),
    [
        (DRIFT, [], 1),
        (DRIFT, ["--exit-zero"], 0),
        (DRIFT, ["--ignore", "CONTRACT-001"], 0),
        (DRIFT, ["--select", "CONTRACT-002"], 0),
        (DRIFT, ["--select", "CONTRACT"], 1),
        (UNDOCUMENTED, [], 0),
        (UNDOCUMENTED, ["--fail-on", "warning"], 1),
        (UNDOCUMENTED, ["--fail-on", "note"], 1),
    ],
)
def test_the_exit_status(
    project: Path,
    capsys: pytest.CaptureFixture[str],
    source: str,
    arguments: list[str],
    status: int,
) -> None:
    write_project(project, source)
    assert checked(capsys, *arguments)[0] == status


def test_an_error_that_no_contract_lists_is_a_note_and_breaks_nothing(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write_project(project, REFUSING)
    contract = json.loads((project / "openapi.json").read_text())
    contract["paths"]["/orders/{id}"]["get"]["responses"]["409"] = {"description": "taken"}
    (project / "openapi.json").write_text(json.dumps(contract))
    status, report = checked(capsys)
    assert [(each["kind"], each["severity"]) for each in report["findings"]] == [("status", "note")]
    assert (status, report["summary"]["verified"]) == (0, 1)
    assert checked(capsys, "--fail-on", "warning")[0] == 0
    assert checked(capsys, "--fail-on", "note")[0] == 1


def test_the_configuration_is_used_and_options_win(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write_project(project, UNDOCUMENTED)
    (project / "contract-scan.toml").write_text("fail-on = 'warning'\n")
    assert checked(capsys)[0] == 1
    assert checked(capsys, "--fail-on", "error")[0] == 0
    assert checked(capsys, "--isolated")[0] == 0
    assert checked(capsys, "src/..")[0] == 1


def test_contracts_are_named_by_option_or_configuration(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write_project(project, DRIFT)
    (project / "openapi.json").rename(project / "odd name.txt.json")
    (project / "src" / "contract-scan.toml").write_text("contracts = ['../odd*.json']\n")
    for arguments in (["src"], ["src", "--isolated", "--contract", "odd name.txt.json"]):
        status, report = checked(capsys, *arguments)
        assert status == 1
        assert [each["path"] for each in report["findings"]] == ["app.py"]


def test_paths_limit_the_report_not_the_detection(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write_project(project, DRIFT)
    (project / "src" / "other.py").write_text("x = 1\n")
    for paths, status, findings in (
        (["src/app.py"], 1, 1),
        (["src/other.py"], 0, 0),
        (["openapi.json"], 1, 1),
        (["src", "openapi.json"], 1, 1),
    ):
        found = checked(capsys, *paths)
        assert (found[0], len(found[1]["findings"])) == (status, findings)
        assert found[1]["summary"]["violated"] == 1


def test_a_service_is_scanned_alone_by_the_configuration_of_all(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for name, source in (("one", DRIFT), ("two", SOURCE)):
        (project / name / "app").mkdir(parents=True)
        (project / name / "app" / "main.py").write_text(source)
        (project / f"{name}.json").write_text(json.dumps(CONTRACT))
    (project / "contract-scan.toml").write_text(
        "".join(
            f"[[services]]\nname = '{name}'\nsource = '{name}'\ncontracts = ['{name}.json']\n"
            for name in ("one", "two")
        )
    )
    for path, status, operations, violated in (
        (".", 1, 2, 1),
        ("one", 1, 1, 1),
        ("one/app", 1, 1, 1),
        ("two", 0, 1, 0),
    ):
        found = checked(capsys, path)
        assert found[0] == status
        assert found[1]["summary"]["operations"] == operations
        assert found[1]["summary"]["violated"] == violated
        assert found[1]["not_analysed"] == []


def test_exclude_leaves_files_out(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write_project(project)
    (project / "legacy").mkdir()
    (project / "legacy" / "old.py").write_text(UNDOCUMENTED.replace("/health", "/old"))
    assert {each["path"] for each in checked(capsys)[1]["findings"]} == {"legacy/old.py"}
    assert checked(capsys, "--exclude", "legacy/")[1]["findings"] == []


@pytest.mark.parametrize(
    ("contract", "source", "complaint"),
    [
        ("{", SOURCE, "contract-scan: openapi.json:1: "),
        (
            {**CONTRACT, "openapi": "9.0.0"},
            SOURCE,
            "contract-scan: openapi.json:2: ",
        ),
    ],
)
def test_a_contract_that_cannot_be_read(
    project: Path,
    capsys: pytest.CaptureFixture[str],
    contract: Any,
    source: str,
    complaint: str,
) -> None:
    write_project(project, source, contract)
    assert main(["--no-cache", "--contract", "openapi.json"]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith(complaint)
    assert err.count("\n") == 1


def test_code_in_which_no_route_is_recognised(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write_project(project, "x = 1\n")
    status, report = checked(capsys)
    assert status == 2
    assert report["findings"] == []
    assert report["summary"]["undetermined"] == 1
    (problem,) = report["not_analysed"]
    assert problem["path"] == "openapi.json"
    assert "not one route was recognised" in problem["reason"]
    assert checked(capsys, "--exit-zero")[0] == 0


def test_even_a_quiet_scan_does_not_fail_without_a_reason(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write_project(project, "x = 1\n")
    assert main(["--no-cache", "--quiet"]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith("openapi.json: 1 operation is contracted, but not one route was")


def test_nothing_to_compare_is_an_error_unless_allowed(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (project / "app.py").write_text(SOURCE)
    assert main(["--no-cache"]) == 2
    assert "no contract was found" in capsys.readouterr().err
    assert checked(capsys, "--allow-empty")[0] == 0
    (project / "app.py").unlink()
    (project / "openapi.json").write_text(json.dumps(CONTRACT))
    assert main(["--no-cache"]) == 2
    assert "no source file" in capsys.readouterr().err


def test_one_scan_writes_several_reports(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write_project(project, DRIFT)
    outputs = (
        "concise",
        "json=out.json",
        "json-lines=out.jsonl",
        "sarif=out.sarif",
        "full=out.txt",
    )
    formats = [word for output in outputs for word in ("--output-format", output)]
    assert main(["--no-cache", "--quiet", "--color", "always", *formats]) == 1
    assert "CONTRACT-001" in capsys.readouterr().out
    report = json.loads((project / "out.json").read_text())
    last = (project / "out.jsonl").read_text().splitlines()[-1]
    assert json.loads(last)["violated"] == report["summary"]["violated"] == 1
    (sarif,) = json.loads((project / "out.sarif").read_text())["runs"]
    assert [each["ruleId"] for each in sarif["results"]] == ["CONTRACT-001/type"]
    assert "\x1b" not in (project / "out.txt").read_text()


def test_the_same_bytes_from_anywhere_cold_or_cached(
    project: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    write_project(project / "shop", UNDOCUMENTED.replace("total: float", "total: str"))
    seen = set()
    for folder, path in ((project, "shop"), (project / "shop", "."), (project / "shop/src", "..")):
        monkeypatch.chdir(folder)
        for options in (["--no-cache"], [], ["--jobs", "2"]):
            assert main(["check", "--output-format", "json", *options, path]) == 1
            seen.add(capsys.readouterr().out)
    assert len(seen) == 1


def test_quiet_verbose_and_statistics(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write_project(project, DRIFT)
    assert main(["--no-cache", "-q", "--statistics"]) == 1
    assert capsys.readouterr().out == "1 in 1  CONTRACT-001/type\n\n"
    assert main(["--no-cache", "-q", "-v"]) == 1
    out = capsys.readouterr().out
    assert out.startswith("CONTRACT-001")
    assert "Found" not in out


def test_a_contract_is_checked_against_its_specification_on_request(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write_project(project, contract={**CONTRACT, "info": {"title": "Shop"}})
    assert checked(capsys)[0] == 0
    status, report = checked(capsys, "--validate")
    assert status == 2
    assert report["summary"]["verified"] == 1
    assert [(each["path"], each["line"], each["reason"]) for each in report["not_analysed"]] == [
        ("openapi.json", 3, "is not valid: 'version' is a required property")
    ]


OPAQUE = SOURCE.replace("-> Order:", "-> Any:").replace(
    "from fastapi import", "from typing import Any\n\nfrom fastapi import"
)


def test_a_scan_that_verified_nothing_is_no_judgement(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write_project(project, OPAQUE)
    status, report = checked(capsys)
    assert status == 2
    assert report["findings"] == []
    assert [(each["code"], each["reason"]) for each in report["not_analysed"]] == [
        (
            "nothing-verified",
            "nothing could be verified: it is declared as `Any`, which may be anything"
            " (1 of 1; src/app.py:15)",
        )
    ]
    assert main(["--no-cache"]) == 2
    assert capsys.readouterr().out.endswith(
        "No violation in 1 file; 0 of 1 operation verified; the scan is incomplete.\n"
    )


def test_a_report_about_a_change_does_not_ask_how_much_was_verified(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write_project(project, OPAQUE)
    status, report = checked(capsys, "src/app.py")
    assert (status, report["not_analysed"]) == (0, [])


@pytest.mark.parametrize(("percent", "status"), [("50", 0), ("51", 2)])
def test_a_share_that_has_to_be_verified_can_be_asked_for(
    project: Path, capsys: pytest.CaptureFixture[str], percent: str, status: int
) -> None:
    two = json.loads(json.dumps(CONTRACT))
    two["paths"]["/opaque/{id}"] = two["paths"]["/orders/{id}"]
    opaque = OPAQUE.partition("@app")[2].replace("/orders/", "/opaque/")
    write_project(project, f"from typing import Any\n\n{SOURCE}\n\n@app{opaque}", two)
    assert main(["--no-cache", "--min-verified", percent]) == status
    said = "contract-scan: 50 % of what is promised could be verified; `min-verified` asks for 51 %"
    assert capsys.readouterr().err == (f"{said}\n" if status else "")
    (project / "contract-scan.toml").write_text(f"min-verified = {percent}\n")
    assert main(["--no-cache", "--quiet"]) == status


def test_a_share_of_more_than_all_is_refused(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write_project(project)
    (project / "contract-scan.toml").write_text("min-verified = 101\n")
    assert main(["--no-cache"]) == 2
    assert "contract-scan.toml:1:" in capsys.readouterr().err
