"""What kind of application a project is."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from contract_scan.orchestrator.application import AppTypeInfo, detect_app_type


def write(folder: Path, files: dict[str, str]) -> Path:
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return folder


@pytest.mark.parametrize(
    ("files", "backend", "frontend"),
    [
        ({"package.json": '{"dependencies": {"express": "4"}}'}, ("Express",), ()),
        (
            {"web/package.json": '{"devDependencies": {"react": "19", "next": "16"}}'},
            (),
            ("Next.js", "React"),
        ),
        ({"requirements.txt": "# web\nFlask==3.1 ; python_version > '3.10'\n"}, ("Flask",), ()),
        ({"requirements-dev.txt": "fastapi[all]>=0.110\n"}, ("FastAPI",), ()),
        ({"pyproject.toml": '[project]\ndependencies = ["Django>=5"]\n'}, ("Django",), ()),
        ({"pyproject.toml": '[tool.poetry.dependencies]\nlitestar = "*"\n'}, ("Litestar",), ()),
        ({"Api/Api.csproj": '<Project Sdk="Microsoft.NET.Sdk.Web">'}, ("ASP.NET Core",), ()),
        ({"pom.xml": "<artifactId>spring-boot-starter-web</artifactId>"}, ("Spring Boot",), ()),
        (
            {"api/build.gradle.kts": 'id("org.springframework.boot")', "ui/package.json": "{}"},
            ("Spring Boot",),
            (),
        ),
        (
            {
                "api/requirements.txt": "fastapi\n",
                "ui/package.json": '{"dependencies": {"vue": "3"}}',
            },
            ("FastAPI",),
            ("Vue",),
        ),
        ({"node_modules/x/package.json": '{"dependencies": {"express": "4"}}'}, (), ()),
        ({"package.json": "{", "pyproject.toml": "[", "requirements.txt": "\0"}, (), ()),
        ({"package.json": "[]", "pyproject.toml": "project = 1\ntool = 2\n"}, (), ()),
        ({}, (), ()),
    ],
)
def test_frameworks_are_told_by_build_files(
    files: dict[str, str], backend: tuple[str, ...], frontend: tuple[str, ...], tmp_path: Path
) -> None:
    found = detect_app_type(write(tmp_path, files))
    assert found == AppTypeInfo(backend_frameworks=backend, frontend_frameworks=frontend)


@pytest.mark.requirement("REQ-082", "TEST-077")
@pytest.mark.parametrize(
    ("names", "engine", "intelligence"),
    [
        (["contract-engine"], True, False),
        (["codebase-intelligence", "docs"], False, True),
        (["contract-engine", "codebase-intelligence"], True, True),
        (["docs"], False, False),
    ],
)
def test_servers_are_told_by_the_file_of_the_project(
    names: list[str], engine: bool, intelligence: bool, tmp_path: Path
) -> None:
    servers = {name: {"command": "python"} for name in names}
    write(tmp_path, {".mcp.json": json.dumps({"mcpServers": servers})})
    found = detect_app_type(tmp_path)
    assert (found.has_contract_engine, found.has_codebase_intelligence) == (engine, intelligence)


def test_a_file_of_servers_that_is_none(tmp_path: Path) -> None:
    assert detect_app_type(write(tmp_path, {".mcp.json": "{"})) == AppTypeInfo()


def test_links_are_not_followed(tmp_path: Path) -> None:
    write(tmp_path / "outside", {"package.json": '{"dependencies": {"express": "4"}}'})
    (tmp_path / "project").mkdir()
    (tmp_path / "project" / "api").symlink_to(tmp_path / "outside")
    assert detect_app_type(tmp_path / "project") == AppTypeInfo()
