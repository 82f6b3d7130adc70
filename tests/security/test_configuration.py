"""What the configuration file of a repository may not do."""

from __future__ import annotations

import asyncio
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from contract_scan.cli.main import main
from contract_scan.compliance import run_contract_compliance_scan
from contract_scan.config import read_configuration
from contract_scan.errors import ConfigurationError
from contract_scan.reports.display import display
from contract_scan.reports.formats import FORMATS
from contract_scan.scanners.report import Report
from tests.cli.test_changed import project
from tests.security.unprivileged import ROOT
from tests.server.editor import editing

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


@pytest.mark.parametrize(
    "name",
    [
        *(".git/config", ".git/new", ".GIT/hooks/new", ".Git/new", "GIT~1/new", "git~2/new"),
        *(".g\u200cit/new", "\ufeff.git/new", ".git::$INDEX_ALLOCATION/new", ".git./new", ".git "),
    ],
)
def test_no_output_goes_to_git(
    project: Path, name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    before = (project / ".git" / "config").read_bytes()
    (project / name).parent.mkdir(parents=True, exist_ok=True)
    said = refused(project, f'output-format = ["full={name}"]', capsys)
    assert said == f"`output-format`: `{display(name)}` belongs to git"
    assert (project / ".git" / "config").read_bytes() == before


def test_no_output_goes_to_git_whatever_its_folder_is_called(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    subprocess.run(["git", "init", "--quiet", "--bare", "depot"], cwd=project, check=True)
    subprocess.run(["git", "worktree", "add", "-q", "beside"], cwd=project, check=True)
    shutil.move(project / ".git" / "worktrees" / "beside", project / "linked")
    for name in ("depot/config", "depot/hooks/new", "linked/new"):
        said = refused(project, f'output-format = ["full={name}"]', capsys)
        assert said == f"`output-format`: `{name}` belongs to git"
    (project / ".git").rename(project / "realgit")
    (project / ".git").write_text("gitdir: realgit\n")
    said = refused(project, 'output-format = ["full=realgit/config"]', capsys)
    assert said == "`output-format`: `realgit/config` belongs to git"


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
    (project / "api").mkdir()
    (project / "api" / "linked.yaml").symlink_to(outside / "openapi.yaml")
    way = os.path.relpath(outside, project)
    for key, value in (
        ("contracts", f'["{outside}/openapi.yaml"]'),
        ("contracts", '["linked/openapi.yaml"]'),
        ("contracts", '["linked/*.yaml"]'),
        ("contracts", '["*/openapi.yaml"]'),
        ("contracts", '["api/*.yaml"]'),
        ("contracts", f'["{way}/*"]'),
        ("contracts", f'["api/../{way}/openapi.yaml"]'),
        ("baseline", '"linked/known.json"'),
        ("baseline", f'"{outside}/known.json"'),
        ("baseline", f'"{way}/known.json"'),
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


@pytest.mark.parametrize(
    "setting",
    ['contracts = ["openapi.{}"]', 'exclude = ["openapi.{}"]'],
    ids=["contracts", "exclude"],
)
def test_no_pattern_is_longer_than_a_path(
    setting: str, project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    said = refused(project, setting.format("]" * 60_000), capsys)
    assert said == f"`openapi.{']' * 72}…` has more than 4096 letters"


@pytest.mark.parametrize(
    "setting",
    [
        'contracts = ["PATH"]',
        'baseline = "PATH"',
        'output-format = ["full=PATH"]',
        'services = [{ name = "x", source = ".", contracts = ["PATH"] }]',
        'services = [{ name = "x", source = "PATH", contracts = ["openapi.yaml"] }]',
    ],
)
def test_no_path_holds_what_no_file_system_takes(
    setting: str, project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    said = refused(project, setting.replace("PATH", "a\\u0000b"), capsys)
    assert said == "`a\\x00b` holds NUL"


def test_no_pattern_of_contracts_has_more_parts_than_python_goes_into(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    said = refused(project, f'contracts = ["{"a/" * 2_000}x"]', capsys)
    assert said == f"`{'a/' * 40}…` has more than 100 parts"


@pytest.mark.parametrize("verb", ["create", "update", "prune"])
@pytest.mark.parametrize("there", [False, True])
def test_the_default_baseline_is_not_written_through_a_link_out(
    verb: str,
    *,
    there: bool,
    project: Path,
    tmp_path_factory: pytest.TempPathFactory,
    capsys: pytest.CaptureFixture[str],
) -> None:
    outside = tmp_path_factory.mktemp("outside") / "known.json"
    assert main(["baseline", "create", "--quiet", "--baseline", str(outside)]) == 0
    before = outside.read_bytes().replace(b"{", b"{ ", 1)  # else writing it anew changes nothing
    outside.unlink()
    if there:
        outside.write_bytes(before)
    (project / "contract-scan-baseline.json").symlink_to(outside)
    assert main(["baseline", verb]) == 2
    assert capsys.readouterr() == (
        "",
        "contract-scan: contract-scan-baseline.json: is a link out of the repository;"
        " name it with --baseline to use it\n",
    )
    assert (outside.read_bytes() == before) if there else not outside.exists()


def test_a_baseline_that_is_named_is_read_but_not_written_through_a_link_out(
    project: Path, tmp_path_factory: pytest.TempPathFactory, capsys: pytest.CaptureFixture[str]
) -> None:
    outside = tmp_path_factory.mktemp("outside") / "known.json"
    (project / "contract-scan-baseline.json").symlink_to(outside)
    named = ("--baseline", "contract-scan-baseline.json")
    assert main(["baseline", "create", "--quiet", *named]) == 2
    assert capsys.readouterr() == (
        "",
        "contract-scan: contract-scan-baseline.json: is led out of the repository by a link;"
        " name the file itself\n",
    )
    assert not outside.exists()
    assert main(["baseline", "create", "--quiet", "--baseline", str(outside)]) == 0
    assert main(["check", "--quiet", *named]) == 0


def test_the_library_confines_a_configuration_as_the_command_does(
    project: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    outside = tmp_path_factory.mktemp("outside")
    (outside / "openapi.yaml").write_bytes((project / "openapi.yaml").read_bytes())
    file = project / "contract-scan.toml"
    file.write_text(f'contracts = ["{outside}/openapi.yaml"]\n')
    with pytest.raises(ConfigurationError, match="leads out of the repository"):
        read_configuration(file)
    file.unlink()
    (outside / "contract-scan.toml").touch()
    file.symlink_to(outside / "contract-scan.toml")
    with pytest.raises(ConfigurationError, match="is a link out of the repository"):
        read_configuration(file)


def test_the_language_server_confines_a_configuration_as_the_command_does(
    project: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    outside = tmp_path_factory.mktemp("outside")
    (outside / "openapi.yaml").write_bytes((project / "openapi.yaml").read_bytes())
    (project / "contract-scan.toml").write_text(f'contracts = ["{outside}/openapi.yaml"]\n')

    async def test() -> None:
        async with editing(project) as editor:
            await editor.until(lambda editor: editor.messages("contract-scan") != [])
            (message,) = editor.messages("contract-scan")
            assert "leads out of the repository" in message

    asyncio.run(test())


def test_compliance_reads_no_service_table_outside(
    project: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    asked: list[Path] = []

    def scan(root: Path, **_: object) -> Report:
        asked.append(root)
        return Report()

    def scans() -> bool:
        asked.clear()
        run_contract_compliance_scan(project, [], scan=scan)
        return bool(asked)

    outside = tmp_path_factory.mktemp("outside") / "REQUIREMENTS.md"
    outside.write_text("| SVC-001 | GET /orders | list | - | 200 |\n")
    (project / "REQUIREMENTS.md").write_text(outside.read_text())
    assert scans()
    (project / "REQUIREMENTS.md").unlink()
    (project / "REQUIREMENTS.md").symlink_to(outside)
    assert not scans()
    (project / "REQUIREMENTS.md").unlink()
    os.mkfifo(project / "REQUIREMENTS.md")
    assert not scans()


LIMITED = """
import resource, sys
resource.setrlimit(resource.RLIMIT_CPU, (30, 30))
from contract_scan.cli.main import main
sys.exit(main(["check", "--no-cache", "--output-format", "json"]))
"""


@pytest.mark.skipif(os.name != "posix", reason="limits of processes are POSIX")
@pytest.mark.parametrize("place", [".gitignore", "contract-scan.toml"])
@pytest.mark.parametrize(
    ("pattern", "path"),
    [
        ("*a" * 4 + "*b", "a" * 240 + ".py"),
        ("*a*/*a*/*b", "/".join(["a" * 240, "a" * 240, "a" * 240 + ".py"])),
        ("**/a/**/a/**/a/**/a/**/b", "a/" * 400 + "a.py"),
        ("*" * 400 + "b", "a" * 240 + ".py"),
    ],
)
def test_no_pattern_takes_long(pattern: str, path: str, place: str, project: Path) -> None:
    shutil.rmtree(project / ".git")
    if place == ".gitignore":  # where nothing bounds the number of wildcards
        pattern = pattern.replace("*a", "*a" * 3).replace("**/a", "**/a" * 3)
    # Beside a line that is no pattern, `[?--]`, which git passes over.
    lines = f"[?--]\n{pattern}\n" if place == ".gitignore" else f'exclude = ["{pattern}"]\n'
    (project / place).write_text(lines)
    (project / path).parent.mkdir(parents=True, exist_ok=True)
    for copy in range(20):
        (project / path).with_name(f"{copy:03}{Path(path).name}"[:250]).write_text("x = 1\n")
    done = subprocess.run(
        [sys.executable, "-c", LIMITED],
        cwd=project,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (1, "")
    assert json.loads(done.stdout)["summary"]["files"] == 23


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
