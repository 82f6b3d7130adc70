"""What the extract verb prints and how it ends."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from openapi_spec_validator import OpenAPIV31SpecValidator

from contract_scan.api import open_code_index
from contract_scan.cli.main import main
from contract_scan.orchestrator.codebase_map import generate_codebase_map
from tests.cli.test_check import SOURCE


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / ".git").mkdir()
    (tmp_path / "app.py").write_text(SOURCE)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def extracted(capsys: pytest.CaptureFixture[str], *arguments: str) -> dict[str, Any]:
    assert main(["extract", "--no-cache", *arguments]) == 0
    out, err = capsys.readouterr()
    assert err == ""
    value = json.loads(out)
    assert isinstance(value, dict)
    return value


def test_json_is_the_default(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    said = extracted(capsys)
    (endpoint,) = said["endpoints"]
    assert (endpoint["method"], endpoint["path"]) == ("GET", "/orders/{id}")
    assert (endpoint["framework"], endpoint["file"], endpoint["line"]) == ("FastAPI", "app.py", 12)
    assert endpoint["responses"]["200"]["required"] == ["id", "total"]
    assert [model["name"] for model in said["models"]] == ["Order"]
    assert said["not_analysed"] == []


def test_openapi_is_valid(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    document = extracted(capsys, "--format", "openapi")
    assert list(OpenAPIV31SpecValidator(document).iter_errors()) == []
    assert list(document["paths"]) == ["/orders/{id}"]


@pytest.mark.parametrize(
    ("name", "key"), [("asyncapi", "channels"), ("jsonschema", "$defs"), ("json", "events")]
)
def test_every_format(
    project: Path, capsys: pytest.CaptureFixture[str], name: str, key: str
) -> None:
    assert key in extracted(capsys, "--format", name)


def test_into_a_file(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["extract", "--no-cache", "-o", "out.json", "."]) == 0
    assert capsys.readouterr() == ("", "")
    assert json.loads((project / "out.json").read_text())["schema_version"] == 1


def test_no_source_is_an_error_unless_allowed(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (project / "app.py").unlink()
    assert main(["extract", "--no-cache"]) == 2
    assert "no source file" in capsys.readouterr().err
    assert main(["extract", "--no-cache", "--allow-empty"]) == 0


def test_what_was_not_read_is_named(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (project / "broken.py").write_text(SOURCE + "\n\nclass Item((:\n  )x = \n")
    for options, status, lines in (([], 2, 1), (["--quiet"], 2, 0), (["--exit-zero"], 0, 1)):
        assert main(["extract", "--no-cache", *options]) == status
        out, err = capsys.readouterr()
        assert [each["path"] for each in json.loads(out)["not_analysed"]] == ["broken.py"]
        assert err.count("\n") == lines
        assert err.startswith("broken.py:" if lines else "")


def test_paths_limit_what_is_printed(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (project / "more").mkdir()
    (project / "more" / "api.py").write_text(SOURCE.replace("/orders", "/more"))
    everything = ["/more/{id}", "/orders/{id}"]
    for paths, endpoints in (
        ([], everything),
        (["app.py"], ["/orders/{id}"]),
        (["app.py", "more"], everything),
        (["more/api.py"], ["/more/{id}"]),
    ):
        said = extracted(capsys, *paths)
        assert [each["path"] for each in said["endpoints"]] == endpoints
        assert len(said["models"]) == len(endpoints)


def test_routes_that_a_framework_adds_are_listed_on_request(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / ".git").mkdir()
    code = tmp_path / "src" / "main" / "java" / "shop"
    resources = tmp_path / "src" / "main" / "resources"
    code.mkdir(parents=True)
    resources.mkdir()
    (tmp_path / "pom.xml").write_text(
        "<project><dependencies><dependency><groupId>org.springframework.boot</groupId>"
        "<artifactId>spring-boot-starter-actuator</artifactId></dependency></dependencies>"
        "</project>"
    )
    (resources / "application.properties").write_text(
        "server.servlet.context-path=/shop\nmanagement.endpoints.web.base-path=/manage\n"
    )
    (code / "Shop.java").write_text(
        "package shop;\n"
        "import org.springframework.boot.autoconfigure.SpringBootApplication;\n"
        "import org.springframework.web.bind.annotation.*;\n"
        "@SpringBootApplication\n@RestController\n"
        "public class Shop {\n"
        '  @GetMapping(value = "/orders", produces = {"application/json", "application/xml"})\n'
        "  public String orders() { return null; }\n"
        '  @GetMapping(System.getenv("X"))\n'
        "  public String other() { return null; }\n"
        "}\n"
    )
    monkeypatch.chdir(tmp_path)

    def endpoints(*words: str) -> list[dict[str, object]]:
        assert main(["extract", "--no-cache", *words]) == 0
        found: list[dict[str, object]] = json.loads(capsys.readouterr().out)["endpoints"]
        return found

    written = endpoints()
    monkeypatch.setenv("CONTRACT_SCAN_CACHE_DIR", str(tmp_path / "cache"))
    with open_code_index(tmp_path) as index:
        index.update()
        indexed = [*index.interface().endpoints]
    marked = {each["path"] for each in indexed if "added_by_framework" in each}
    assert {each["path"] for each in indexed} - marked == {each["path"] for each in written}
    assert "/manage/health" not in generate_codebase_map(tmp_path)
    assert [(each["path"], each["handler"]) for each in written if "unresolved" not in each] == [
        ("/shop/orders", "Shop.orders")
    ]
    (unresolved,) = (each for each in written if "unresolved" in each)
    assert "{computed}" not in str(unresolved["path"]) and unresolved["unresolved"]
    added = [each for each in endpoints("--framework-routes") if each not in written]
    assert {each["added_by_framework"] for each in added} == {True}
    assert marked and marked <= {each["path"] for each in added}
    assert {each["path"] for each in added} == {
        "/shop/error",
        "/shop/manage",
        "/shop/manage/{name}",
        "/shop/manage/{name}/{path*}",
    }
