"""`contract-scan init`: a configuration for what is found."""

from __future__ import annotations

import shutil
import tomllib
from pathlib import Path

import pytest

from contract_scan.api import scan
from contract_scan.cli.main import main
from contract_scan.config import read_configuration
from tests.cli.test_check import SOURCE, write_project

BOOKSHOP = Path(__file__).parents[2] / "fixtures" / "projects" / "bookshop"

WRITTEN = """\
#:schema https://raw.githubusercontent.com/contract-scan/contract-scan/main/docs/schema/\
config.schema.json
# Configuration of contract-scan, made by `contract-scan init`.
# `contract-scan config` lists all keys, `contract-scan config KEY` explains one.

# The mildest severity that makes the exit status 1: error, warning, note; or never.
fail-on = "error"

# What is known already and left out. The file of this name beside this one is used by
# itself, as soon as `contract-scan baseline create` has written it.
# baseline = "contract-scan-baseline.json"

[[services]]
name = "shop"
source = "."  # FastAPI (1 endpoint)
contracts = [
    "openapi.json",  # openapi, 1 operation
]

# What to leave out, as in .gitignore. Test code is left out anyway.
# exclude = ["legacy/"]

# An exception: counted in the report, back again after its last day.
# [[exceptions]]
# rules = ["CONTRACT-002"]
# operation = "GET /internal/*"
# reason = "not for clients"
# owner = "team"
# expires = 2027-12-31
"""
SAID = """\
Found 1 contract and 1 source file:
  shop (shop): FastAPI (1 endpoint)
    shop/openapi.json: openapi, 1 operation
`contract-scan check` compares them; with --show-files it says what it reads.
"""


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return write_project(tmp_path / "shop", SOURCE)


def test_it_writes_what_it_found_and_says_so(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["init", "shop"]) == 0
    assert capsys.readouterr() == (f"Wrote shop/contract-scan.toml.\n{SAID}", "")
    assert (project / "contract-scan.toml").read_text() == WRITTEN
    assert main(["check", "shop", "--no-cache", "--quiet"]) == 0


def test_the_examples_in_its_comments_can_be_used(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    main(["init", "shop"])
    file = project / "contract-scan.toml"
    head, comments = file.read_text().split("# exclude = ")
    lines = [line.removeprefix("# ") for line in f"# exclude = {comments}".splitlines()]
    used = [line for line in lines if not line.endswith("day.")]
    file.write_text("\n".join([*used[:1], head, *used[1:]]))
    assert len(read_configuration(file).exceptions) == 1


def test_a_dry_run_prints_and_writes_nothing(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    before = sorted(project.rglob("*"))
    assert main(["init", "shop", "--dry-run"]) == 0
    assert capsys.readouterr() == (WRITTEN, f"Would write shop/contract-scan.toml.\n{SAID}")
    assert sorted(project.rglob("*")) == before


@pytest.mark.parametrize("name", ["contract-scan.toml", ".contract-scan.toml"])
def test_nothing_is_overwritten_unless_asked_for(
    project: Path, capsys: pytest.CaptureFixture[str], name: str
) -> None:
    (project / name).write_text("# mine\n")
    assert main(["init", "shop"]) == 2
    assert capsys.readouterr() == (
        "",
        f"contract-scan: shop/{name}: exists already; --force replaces it\n",
    )
    assert (project / name).read_text() == "# mine\n"
    assert main(["init", "shop", "--force"]) == 0
    assert (project / name).read_text() == WRITTEN


def test_a_table_in_pyproject_is_a_configuration(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (project / "pyproject.toml").write_text("[tool.contract-scan]\n")
    assert main(["init", "shop"]) == 2
    assert capsys.readouterr().err == (
        "contract-scan: shop/pyproject.toml: configures contract-scan already;"
        " --force writes a contract-scan.toml beside\n"
    )
    assert not (project / "contract-scan.toml").exists()


def test_a_link_is_not_replaced(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (project / "contract-scan.toml").symlink_to(project / "elsewhere")
    assert main(["init", "shop", "--force"]) == 2
    assert capsys.readouterr().err == (
        "contract-scan: shop/contract-scan.toml: is no regular file and is not replaced\n"
    )
    assert not (project / "elsewhere").exists()


def test_without_a_contract_there_is_nothing_to_configure(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (project / "openapi.json").unlink()
    assert main(["init", "shop"]) == 2
    assert capsys.readouterr().err == (
        "contract-scan: shop: no contract was found, so that there is nothing to configure"
        " (looked for openapi, swagger and asyncapi files, JSON Schemas, SVC tables)\n"
    )
    assert main(["init", "nowhere"]) == 2
    assert capsys.readouterr().err == "contract-scan: nowhere: is no folder\n"


def test_a_contract_among_pages_is_given_to_the_code_that_serves_it(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (project / "web").mkdir()
    (project / "web" / "package.json").write_text("{}")
    (project / "web" / "pages.ts").write_text("export const title = 'Shop';\n")
    (project / "openapi.json").rename(project / "web" / "openapi.json")
    found = scan(project, cache=False).summary
    assert found.operations.verified == 1
    assert main(["init", "shop", "--no-cache"]) == 0
    assert "  shop (shop): FastAPI (1 endpoint)\n" in capsys.readouterr().out
    config = read_configuration(project / "contract-scan.toml")
    assert [service.sources for service in config.services] == [(project,)]
    assert scan(project, config=config, cache=False).summary == found


def test_a_configured_system_is_judged_as_before(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    shop = Path(shutil.copytree(BOOKSHOP, tmp_path / "bookshop"))
    (shop / ".git").mkdir()
    found = scan(shop, cache=False)
    assert main(["init", str(shop), "--no-cache"]) == 0
    config = read_configuration(shop / "contract-scan.toml")
    assert [service.name for service in config.services] == [
        "admin",
        "catalog",
        "gateway",
        "orders",
        "payments",
    ]
    assert scan(shop, config=config, cache=False) == found
    names = tomllib.loads((shop / "contract-scan.toml").read_text())["contracts"]
    assert names[0] == "contracts/asyncapi.yaml"
