"""What is installed: wheel and sdist that anybody can build again, with pinned versions."""

from __future__ import annotations

import io
import json
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tomllib
import zipfile
from collections.abc import Iterator, Mapping
from importlib.metadata import requires
from pathlib import Path

import pytest
import yaml
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from contract_scan import __version__
from tests.ci.support import ROOT

PACKED = (
    ".ci",
    ".pre-commit-hooks.yaml",
    "ARCHITECTURE.md",
    "CHANGELOG.md",
    "CONTRIBUTING.md",
    "Dockerfile",
    "LICENSE",
    "Makefile",
    "README.md",
    "SECURITY.md",
    "action.yml",
    "bench",
    "constraints.txt",
    "contract_scan",
    "docs",
    "editors",
    "fixtures",
    "mkdocs.yml",
    "pyproject.toml",
    "tests",
)
"""What the sdist holds: the product with its documents and its tests."""
MOST_PACKAGES = 12
"""Packages that the command needs, what these need included."""
EPOCH = "1700000000"
USED_EXTRAS = ("fix", "lsp", "more-languages", "validate")


def build(folder: Path, *, umask: int, modified: int, **environment: str) -> dict[str, bytes]:
    """Wheel and sdist of a copy of the product, by name."""
    for name in packed():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, folder / name)
    for path in folder.rglob("*"):
        os.utime(path, (modified, modified))
        path.chmod(path.stat().st_mode & ~umask)
    subprocess.run(
        [sys.executable, "-m", "build", "--no-isolation", "--outdir", "dist"],
        cwd=folder,
        env={**os.environ, "SOURCE_DATE_EPOCH": EPOCH, **environment},
        umask=umask,
        capture_output=True,
        check=True,
        timeout=300,
    )
    return {path.name: path.read_bytes() for path in (folder / "dist").iterdir()}


def packed() -> list[str]:
    """The files of the repository that the sdist holds."""
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard", "--", *PACKED],
        cwd=ROOT,
        capture_output=True,
        check=True,
    )
    names = listed.stdout.decode().split("\0")
    return [name for name in names if name and (ROOT / name).is_file()]


def test_two_builds_give_the_same_bytes_every_file_of_the_product_and_nothing_else(
    tmp_path: Path,
) -> None:
    """One test, since a build takes seconds: elsewhere each of two processes would build again."""
    built = build(
        tmp_path / "one", umask=0o022, modified=1_600_000_000, PYTHONHASHSEED="1", TZ="UTC"
    )
    other = build(
        tmp_path / "with blank" / "two",
        umask=0o077,
        modified=1_650_000_001,
        PYTHONHASHSEED="2",
        TZ="Asia/Tokyo",
    )
    assert sorted(built) == [
        f"contract_scan-{__version__}-py3-none-any.whl",
        f"contract_scan-{__version__}.tar.gz",
    ]
    assert [name for name in built if built[name] != other.get(name)] == []
    assert built.keys() == other.keys()

    wheel, sdist = (io.BytesIO(built[name]) for name in sorted(built))
    with zipfile.ZipFile(wheel) as archive:
        names = {name for name in archive.namelist() if ".dist-info/" not in name}
    assert names == {name for name in packed() if name.startswith("contract_scan/")}
    with tarfile.open(fileobj=sdist) as archive:
        members = {name.partition("/")[2] for name in archive.getnames()}
    assert members == {*packed(), "PKG-INFO"}


@pytest.mark.skipif(shutil.which("make") is None, reason="needs make: apt-get install make")
def test_packages_are_dated_by_the_commit() -> None:
    done = subprocess.run(
        ["make", "--dry-run", "package"], cwd=ROOT, capture_output=True, text=True, check=True
    )
    (line,) = (line for line in done.stdout.splitlines() if " -m build " in line)
    assert line.startswith("SOURCE_DATE_EPOCH=$(git log -1 --format=%ct) ")


def test_every_library_that_is_installed_is_pinned_to_a_version_that_fits() -> None:
    pinned = pins()
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    asked = [
        *project["project"]["dependencies"],
        *project["build-system"]["requires"],
        *(
            each
            for extra in USED_EXTRAS
            for each in project["project"]["optional-dependencies"][extra]
        ),
    ]
    missing = {
        str(requirement)
        for requirement in closure(map(Requirement, asked), pinned)
        if not requirement.specifier.contains(
            pinned.get(canonicalize_name(requirement.name), ""), prereleases=True
        )
    }
    assert missing == set()


def test_the_command_needs_at_most_twelve_packages() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    needed = {
        canonicalize_name(requirement.name)
        for requirement in closure(map(Requirement, project["dependencies"]), pins())
    }
    assert len(needed) <= MOST_PACKAGES, sorted(needed)


def test_the_version_is_written_in_one_place() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    assert "version" not in project["project"]
    assert project["tool"]["hatch"]["version"]["path"] == "contract_scan/__init__.py"


def test_links_of_the_readme_lead_somewhere_from_an_index_as_well() -> None:
    """An index shows the README without the repository around it."""
    text = (ROOT / "README.md").read_text("utf-8")
    links = re.findall(r"\]\(([^)#]*)", text)
    assert [link for link in links if not link.startswith("https://")] == []
    own = re.compile(
        r"https://(?:github|raw\.githubusercontent)\.com/contract-scan/contract-scan/(.*)"
    )
    paths = [found[1] for found in map(own.fullmatch, links) if found]
    paths = [path.removeprefix("blob/").removeprefix("main/") for path in paths]
    assert paths and [path for path in paths if not (ROOT / path).exists()] == []


def test_constraints_are_versions_and_nothing_else() -> None:
    lines = (ROOT / "constraints.txt").read_text("utf-8").splitlines()
    odd = [each for each in lines if not re.fullmatch(r"#.*|[A-Za-z0-9._-]+==[A-Za-z0-9.]+", each)]
    assert odd == []


def test_action_and_image_install_by_the_constraints() -> None:
    action = yaml.safe_load((ROOT / "action.yml").read_text("utf-8"))
    installing = [
        step["run"] for step in action["runs"]["steps"] if "pip install" in step.get("run", "")
    ]
    image = (ROOT / "Dockerfile").read_text("utf-8")
    assert len(installing) == 1
    for text in (*installing, image[: image.index("pip wheel")]):
        # pip before 25.3 takes the first for what a build needs, too; later ones take the second.
        assert re.search(r"(?<!BUILD_)PIP_CONSTRAINT=\S*constraints\.txt", text)
        assert re.search(r"PIP_BUILD_CONSTRAINT=\S*constraints\.txt", text)


def pins() -> Mapping[str, str]:
    """Versions by name."""
    lines = (ROOT / "constraints.txt").read_text("utf-8").splitlines()
    named = (line.split("==") for line in lines if not line.startswith("#"))
    return {canonicalize_name(name): version for name, version in named}


def closure(asked: Iterator[Requirement], pinned: Mapping[str, str]) -> list[Requirement]:
    """What is needed, and what that needs in turn, as far as it is installed here."""
    waiting = list(asked)
    found: dict[str, Requirement] = {}
    while waiting:
        requirement = waiting.pop()
        if str(requirement) in found:
            continue
        found[str(requirement)] = requirement
        try:
            further = [Requirement(each) for each in requires(requirement.name) or ()]
        except ModuleNotFoundError:  # an extra that developers do not have
            continue
        extras = {*requirement.extras, ""}
        waiting += [
            each
            for each in further
            if each.marker is None or any(each.marker.evaluate({"extra": e}) for e in extras)
        ]
    return list(found.values())


def test_the_readme_names_how_to_run_the_tests_how_long_that_takes_and_what_is_skipped() -> None:
    (told,) = (
        paragraph
        for paragraph in (ROOT / "README.md").read_text(encoding="utf-8").split("\n\n")
        if paragraph.startswith("`make test`")
    )
    assert "minutes" in told and "skipped" in told
    assert re.search(r"^test:", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE)


def test_the_extension_for_vs_code_has_the_version_of_the_command() -> None:
    described = (ROOT / "editors" / "vscode" / "package.json").read_text("utf-8")
    assert json.loads(described)["version"] == __version__
