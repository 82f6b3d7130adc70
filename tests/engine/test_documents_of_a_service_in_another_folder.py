"""A service with a contract of its own, and further documents of it in another folder."""

from __future__ import annotations

import json
from pathlib import Path

from contract_scan.api import scan

NAMES = ("wards", "beds", "theatres")
OWN = ("/health",)


def document(title: str, *paths: str) -> str:
    content = {"application/json": {"schema": {"type": "integer"}}}
    answers = {"get": {"responses": {"200": {"description": "", "content": content}}}}
    return json.dumps(
        {
            "openapi": "3.1.0",
            "info": {"title": title, "version": "1"},
            "paths": dict.fromkeys(paths, answers),
        }
    )


def service(prefix: str, *names: str) -> str:
    routes = [f'@app.get("{prefix}/{name}")\ndef {name}() -> int: ...' for name in names]
    health = '@app.get("/health")\ndef health() -> int: ...'
    return "\n".join(["from fastapi import FastAPI", "app = FastAPI()", *routes, health])


def project(root: Path, files: dict[str, str]) -> Path:
    for path, text in files.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text)
    return root


def hospital(root: Path, *promised: str) -> Path:
    return project(
        root,
        {
            "backend/pyproject.toml": "",
            "backend/openapi.json": document("Monitoring", *OWN),
            "backend/app.py": service("/api", *NAMES),
            "docs/rooms.json": document("Rooms", *promised),
        },
    )


def test_they_are_held_against_the_service_as_well(tmp_path: Path) -> None:
    report = scan(hospital(tmp_path, *(f"/api/{name}" for name in NAMES)), cache=False)
    assert report.summary.operations.verified == 4
    assert report.findings == ()
    assert report.not_analysed == ()


def test_what_is_missing_of_them_is_told(tmp_path: Path) -> None:
    promised = ("/api/wards", "/api/beds", "/api/kitchens")
    report = scan(hospital(tmp_path, *promised), cache=False)
    assert report.summary.operations.verified == 3
    assert [(f.kind, f.operation and f.operation.path) for f in report.findings] == [
        ("undocumented-endpoint", "/api/theatres"),
        ("missing-endpoint", "/api/kitchens"),
    ]


def test_a_document_of_which_the_service_has_less_than_half_is_not_its_own(tmp_path: Path) -> None:
    promised = ("/api/wards", "/api/kitchens", "/api/gardens")
    report = scan(hospital(tmp_path, *promised), cache=False)
    assert (report.summary.operations.verified, report.summary.operations.undetermined) == (1, 3)
    assert [p.path for p in report.not_analysed] == ["docs/rooms.json"]


def test_a_document_of_two_paths_is_too_short_to_tell_whose_it_is(tmp_path: Path) -> None:
    report = scan(hospital(tmp_path, "/api/wards", "/api/beds"), cache=False)
    assert (report.summary.operations.verified, report.summary.operations.undetermined) == (1, 2)
    assert [p.path for p in report.not_analysed] == ["docs/rooms.json"]


def test_a_document_that_two_services_keep_alike_is_neither_ones(tmp_path: Path) -> None:
    root = hospital(tmp_path, *(f"/api/{name}" for name in NAMES))
    project(
        root,
        {
            "replica/pyproject.toml": "",
            "replica/openapi.json": document("Replica", *OWN),
            "replica/app.py": service("/api", *NAMES),
        },
    )
    report = scan(root, cache=False)
    assert (report.summary.operations.verified, report.summary.operations.undetermined) == (2, 3)
    assert [p.path for p in report.not_analysed] == ["docs/rooms.json"]


def test_of_two_services_the_one_that_keeps_more_of_it_is_meant(tmp_path: Path) -> None:
    root = hospital(tmp_path, *(f"/api/{name}" for name in NAMES))
    project(
        root,
        {
            "replica/pyproject.toml": "",
            "replica/openapi.json": document("Replica", *OWN),
            "replica/app.py": service("/api", "wards", "beds"),
        },
    )
    report = scan(root, cache=False)
    assert report.summary.operations.verified == 5
    assert [f.kind for f in report.findings] == ["undocumented-endpoint"] * 2
    assert {f.origin.path for f in report.findings} == {"replica/app.py"}


def test_what_it_mounts_of_a_service_with_a_contract_of_its_own_is_not_missing(
    tmp_path: Path,
) -> None:
    paths = [f"/api/{name}" for name in NAMES]
    root = hospital(tmp_path, *paths)
    files = {
        "gateway/pyproject.toml": "",
        "gateway/openapi.json": document("Gateway", "/up", "/down", "/left", "/right", *paths),
        "gateway/app.py": service("", "up", "down", "left", "right"),
        "backend/openapi.json": document("Backend", *OWN, *paths),
    }
    report = scan(project(root, files), cache=False)
    told = {u.operation.path for u in report.undetermined if u.operation is not None}
    assert told == set(paths)
    assert [(f.kind, f.origin.path) for f in report.findings] == [
        ("undocumented-endpoint", "gateway/app.py")
    ]


def test_services_share_what_lies_between_their_folders(tmp_path: Path) -> None:
    shared = (
        "import os\nfrom fastapi import APIRouter, FastAPI\n"
        "base = APIRouter()\n"
        'app = FastAPI()\napp.include_router(base, prefix=os.environ["BASE"])\n'
        '@base.get("/errors")\ndef errors() -> int: ...\n'
        '@app.get("/shared/info")\ndef shared_info() -> int: ...\n'
    )
    files = {
        "openapi.json": document("Rooms", "/rooms", "/shared/info"),
        "rooms.py": service("", "rooms"),
        "shared/app.py": shared,
        "wards/pyproject.toml": "",
        "wards/openapi.json": document("Wards", "/wards", "/shared/info", "/wards/errors", "/beds"),
        "wards/app.py": service("", "wards"),
    }
    report = scan(project(tmp_path, files), cache=False)
    errors = [f for f in report.findings if f.severity == "error"]
    assert [(f.kind, f.operation and f.operation.path) for f in errors] == [
        ("missing-endpoint", "/beds")
    ]
    assert report.summary.operations.verified == 3
    assert [u.operation.path for u in report.undetermined if u.operation is not None] == [
        "/shared/info",
        "/wards/errors",
    ]


def test_a_second_copy_of_a_contract_in_a_folder_without_code_goes_to_the_service(
    tmp_path: Path,
) -> None:
    files = {
        "spec/openapi.json": document("Rooms", *(f"/{name}" for name in NAMES), "/health"),
        "docs/openapi.json": document("Rooms, old", *(f"/{name}" for name in NAMES)),
        "rooms/app.py": service("", *NAMES),
    }
    report = scan(project(tmp_path, files), cache=False)
    assert report.findings == ()
    assert report.summary.operations.verified == 7


def test_a_health_check_does_not_give_documents_to_a_service_of_another_folder(
    tmp_path: Path,
) -> None:
    web = '<Project Sdk="Microsoft.NET.Sdk.Web"></Project>'
    routes = "var app = WebApplication.Create();\n{}app.Run();"
    mapped = 'app.MapGet("/{}", () => 1);\n'
    root = project(
        tmp_path,
        {
            "wards/Wards.Api/Wards.Api.csproj": web,
            "wards/Wards.Api/Program.cs": routes.format(
                mapped.format("wards") + mapped.format("rooms")
            ),
            "wards/openapi.json": document("Wards", "/health", "/wards"),
            "wards/planned.openapi.json": document("Planned wards", "/health", "/gardens"),
            "kitchens/Kitchens.Api/Kitchens.Api.csproj": web,
            "kitchens/Kitchens.Api/Program.cs": routes.format(
                mapped.format("menus") + mapped.format("health")
            ),
        },
    )
    report = scan(root, cache=False)
    assert [(f.kind, f.operation and f.operation.path) for f in report.findings] == [
        ("undocumented-endpoint", "/rooms"),
    ]
    assert report.summary.operations.verified == 1
