"""What the configuration file of a repository may not do."""

from __future__ import annotations

from pathlib import Path

import pytest

from contract_scan.cli.main import main
from contract_scan.reports.formats import FORMATS
from tests.cli.test_changed import project

__all__ = ["project"]


def refused(project: Path, text: str, capsys: pytest.CaptureFixture[str]) -> str:
    """What is said of a configuration, which is refused."""
    (project / "contract-scan.toml").write_text(text + "\n", encoding="utf-8")
    assert main(["check"]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    start = "contract-scan: contract-scan.toml:1: "
    assert err.startswith(start) and err.count("\n") == 1
    return err.removeprefix(start).rstrip("\n")


@pytest.mark.parametrize("name", [".git/config", ".GIT/hooks/new", ".git/new"])
def test_no_output_goes_to_git(
    project: Path, name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    before = (project / ".git" / "config").read_bytes()
    (project / ".GIT" / "hooks").mkdir(parents=True, exist_ok=True)
    said = refused(project, f'output-format = ["full={name}"]', capsys)
    assert said == f"`output-format`: `{name}` belongs to git"
    assert (project / ".git" / "config").read_bytes() == before


def test_no_output_replaces_what_is_no_report(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    before = (project / "app.py").read_bytes()
    (project / "linked.txt").symlink_to("app.py")
    (project / "empty.py").touch()
    for name in ("app.py", "linked.txt", "empty.py"):
        said = refused(project, f'output-format = ["full={name}"]', capsys)
        assert "is there already and is no report of contract-scan" in said
    assert (project / "app.py").read_bytes() == before


@pytest.mark.parametrize("name", FORMATS)
@pytest.mark.parametrize("drift", [True, False])
def test_every_report_is_replaced_by_the_next_one(
    project: Path, name: str, *, drift: bool, capsys: pytest.CaptureFixture[str]
) -> None:
    if not drift:
        text = (project / "items.py").read_text().replace("sku: int", "sku: str")
        (project / "items.py").write_text(text)
    (project / "contract-scan.toml").write_text(f'output-format = ["{name}=report"]\n')
    expected = 1 if drift else 0
    assert [main(["check"]), main(["check"])] == [expected, expected]
    assert capsys.readouterr().err == ""


def test_nothing_outside_is_read(
    project: Path, tmp_path_factory: pytest.TempPathFactory, capsys: pytest.CaptureFixture[str]
) -> None:
    outside = tmp_path_factory.mktemp("outside")
    (outside / "openapi.yaml").write_bytes((project / "openapi.yaml").read_bytes())
    (outside / "known.json").write_text("{}")
    (project / "linked").symlink_to(outside)
    way = f"../{outside.name}"
    (project.parent / outside.name).exists()
    for key, value in (
        ("contracts", f'["{outside}/openapi.yaml"]'),
        ("contracts", '["linked/openapi.yaml"]'),
        ("contracts", '["linked/*.yaml"]'),
        ("contracts", f'["{way}/*"]'),
        ("baseline", '"linked/known.json"'),
        ("baseline", f'"{outside}/known.json"'),
    ):
        said = refused(project, f"{key} = {value}", capsys)
        assert said.startswith(f"`{key}`: ") and "leads out of the repository" in said


def test_a_configuration_that_is_a_link_out_is_not_read(
    project: Path, tmp_path_factory: pytest.TempPathFactory, capsys: pytest.CaptureFixture[str]
) -> None:
    other = tmp_path_factory.mktemp("outside") / "secret.toml"
    other.write_text("secret = 1\n")
    (project / "contract-scan.toml").symlink_to(other)
    assert main(["check"]) == 2
    assert capsys.readouterr().err == (
        "contract-scan: contract-scan.toml: is a link out of the repository;"
        " name it with --config to read it\n"
    )


def test_patterns_are_bounded(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    said = refused(project, 'contracts = ["**/**/**/**/**/**/x.yaml"]', capsys)
    assert said == "`**/**/**/**/**/**/x.yaml` has more than 2 `**`"


def test_source_behind_a_link_is_not_read(
    project: Path, tmp_path_factory: pytest.TempPathFactory, capsys: pytest.CaptureFixture[str]
) -> None:
    from tests.cli.test_changed import OLD, git, orders, told

    outside = tmp_path_factory.mktemp("outside")
    (outside / "orders.py").write_text(orders("int"))
    (project / "d").mkdir()
    (project / "orders.py").rename(project / "d" / "orders.py")
    git(project, "add", "--all")
    git(project, "commit", "--quiet", "--message=Move")
    (project / "d" / "orders.py").unlink()
    (project / "d").rmdir()
    (project / "d").symlink_to(outside)
    assert [each for each in told(capsys) if each[0] == "type"] == [OLD]
