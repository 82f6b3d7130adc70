"""`--show-files`: what would be read, as what, and what would be left out and why."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from contract_scan.cli.main import main
from tests.cli.test_check import CONTRACT, SOURCE, UNDOCUMENTED, write_project


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return write_project(tmp_path / "shop", SOURCE)


def test_files_contracts_and_what_is_left_out(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (project / "legacy").mkdir()
    (project / "legacy" / "old.ts").write_text("export const x = 1;\n")
    (project / "legacy" / "swagger.json").write_text(json.dumps(CONTRACT))
    (project / "src" / "test_app.py").write_text("def test_it(): ...\n")
    (project / "_archive").mkdir()
    (project / "_archive" / "app.py").write_text(UNDOCUMENTED)
    (project / "src/main/java-disabled").mkdir(parents=True)
    (project / "src/main/java-disabled/App.java").write_text("class App {}\n")
    (project / "src" / "big.py").write_text(UNDOCUMENTED + "#" * 2000)
    (project / "src" / "small.js").write_text("var a=1;" * 3000)
    (project / "notes.txt").write_text("nothing\n")
    (project / "docs").mkdir()
    (project / "docs" / "openapi.json").write_text(json.dumps(CONTRACT))
    (project / "docs" / "broken.openapi.yaml").write_text("openapi: 9.0.0\npaths: {}\n")
    (project / "contract-scan.toml").write_text(
        'exclude = ["legacy/"]\n[limits]\nsource-bytes = 1500\n'
    )
    assert main(["check", "shop", "--show-files", "--no-cache"]) == 0
    out, err = capsys.readouterr()
    assert err == ""
    assert out == (
        "shop: shop\n"
        "  shop/openapi.json: openapi, 1 operation\n"
        "\n"
        "Not read:\n"
        "  shop/docs/broken.openapi.yaml:1: `openapi: 9.0.0` is a version that is not read;"
        " readable are 3.0, 3.1 and 3.2 (and 2.0 under `swagger`)\n"
        "\n"
        "Read (1 file):\n"
        "  shop/src/app.py: python\n"
        "\n"
        "Left out (8 files):\n"
        "  shop/_archive/app.py: archived, by the name of its folder\n"
        "  shop/docs/openapi.json: another contract repeats it, or is a newer version of it\n"
        "  shop/legacy/old.ts: excluded\n"
        "  shop/legacy/swagger.json: excluded\n"
        "  shop/src/big.py: it is larger than 1500 bytes and may hold a route or event; split it\n"
        "  shop/src/main/java-disabled/App.java: archived, by the name of its folder\n"
        "  shop/src/small.js: it is larger than 1500 bytes\n"
        "  shop/src/test_app.py: test code\n"
    )


def test_services_of_the_configuration(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for name in ("worker", "src/admin"):
        (project / name).mkdir()
        (project / name / "app.py").write_text("x = 1\n")
    (project / "admin.yaml").write_text(json.dumps(CONTRACT))
    (project / "contract-scan.toml").write_text(
        '[[services]]\nname = "orders"\nsource = ["src", "worker"]\ncontracts = ["openapi.json"]\n'
        '[[services]]\nname = "admin"\nsource = "src/admin"\ncontracts = ["admin.yaml"]\n'
    )
    assert main(["check", "shop", "--show-files", "--no-cache"]) == 0
    assert capsys.readouterr().out.splitlines()[:5] == [
        "orders: shop/src and shop/worker without shop/src/admin",
        "  shop/openapi.json: openapi, 1 operation",
        "admin: shop/src/admin",
        "  shop/admin.yaml: openapi, 1 operation",
        "",
    ]


def test_nothing_at_all(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["check", "--show-files", "--no-cache"]) == 0
    assert capsys.readouterr() == ("No contract.\n", "")
