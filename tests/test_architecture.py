"""The shape of the code base, held by tests: layers, equal folders, sizes, imports at start-up."""

from __future__ import annotations

import ast
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import grimp
import pytest

from contract_scan.parsers.source.languages import load

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "contract_scan"
LANGUAGES = ("csharp", "java", "python", "typescript")

FOLDERS = frozenset(
    {
        *("frameworks", "library_calls", "lowering", "messaging"),
        *("resolution", "serialization", "web"),
    }
)
"""The folders of every language. Knowing one language is knowing all."""

MODULES = frozenset({"__init__", "front", "language"})
"""The modules beside them."""

NEEDED = {
    "frameworks": {"registry", "unsupported"},
    "library_calls": {"table"},
    "resolution": {"modules"},
    "serialization": {"classes", "library_types"},
}
"""What a folder of every language has."""

LOWERING = frozenset({"lower", "declarations", "expressions", "statements", "types"})
"""What the lowering of every language has."""

LONGEST = 640
"""Lines. A file over 400 probably holds two things; at this length it certainly does."""

HEAVY = (
    "asyncio",
    "importlib.metadata",
    "jsonschema",
    "libcst",
    "lsprotocol",
    "markdown_it",
    "mcp",
    "openapi_spec_validator",
    "psutil",
    "pygls",
    "referencing",
    "rich",
    "textual",
    "watchfiles",
)
"""Libraries that take long to import: only the verb or option that needs one may."""

QUICK_WITHOUT = (
    "click",
    "dataclasses",
    "datetime",
    "enum",
    "hashlib",
    "inspect",
    "json",
    "logging",
    "msgspec",
    "pathlib",
    "re",
    "sqlite3",
    "subprocess",
    "tree_sitter",
    "typing",
    "yaml",
)
"""Libraries, small ones too, without which what was said is said again."""


def test_the_comparison_knows_no_framework_by_its_name() -> None:
    """What routes of a library are like, its `RouteTraits` say. Fixes do know the packages that
    they write into code, whose names are in small letters."""
    names = {f.name for language in LANGUAGES for f in load(language).frameworks if f.operations}
    uses: set[str] = set()
    compared: set[str] = set()
    for folder in ("scanners", "fixes"):
        for file in (PACKAGE / folder).rglob("*.py"):
            nodes = list(ast.walk(ast.parse(file.read_text(encoding="utf-8"))))
            told = {id(node.value) for node in nodes if isinstance(node, ast.Expr)}
            for node in nodes:
                if isinstance(node, ast.Constant) and id(node) not in told:
                    value = node.value if isinstance(node.value, str) else ""
                    if (
                        value[3:]
                        and value[0].isupper()
                        and value.lower() not in LANGUAGES
                        and any(name.startswith(value) for name in names)
                    ):
                        uses.add(f"{file.name}: {value}")
                elif isinstance(node, ast.Attribute) and node.attr == "framework":
                    compared.add(file.name)
    assert uses == set()
    assert compared == {"provenance.py"}  # shows it to people


def test_who_imports_whom() -> None:
    script = "import sys; from importlinter.cli import lint_imports_command; lint_imports_command()"
    done = subprocess.run(
        [sys.executable, "-c", script, "--no-cache"],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_language_has_the_same_parts(language: str) -> None:
    folder = PACKAGE / "parsers" / "source" / language
    assert {path.parent.name for path in folder.glob("*/__init__.py")} == FOLDERS
    assert {path.stem for path in folder.glob("*.py")} == MODULES
    for name, needed in NEEDED.items():
        assert needed - {path.stem for path in (folder / name).glob("*.py")} == set()
    lowering = {path.stem for path in (folder / "lowering").glob("*.py")}
    assert LOWERING - lowering == set()


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_library_that_needs_more_than_one_file_is_a_folder(language: str) -> None:
    """Every file of `frameworks` is a library of its own, or a family of libraries in one table;
    what a library needs besides is in its folder."""
    folder = PACKAGE / "parsers" / "source" / language / "frameworks"
    assert {
        path.stem
        for path in folder.glob("*.py")
        if not re.search(r"^FRAMEWORKS? = ", path.read_text(encoding="utf-8"), re.MULTILINE)
    } == {"__init__", "registry"}


def test_there_is_no_language_besides() -> None:
    folder = PACKAGE / "parsers" / "source"
    packages = {path.name for path in folder.iterdir() if (path / "__init__.py").is_file()}
    assert packages == {*LANGUAGES, "analysis", "discovery", "facts", "messaging", "web"}


def test_no_file_is_too_long() -> None:
    longer = {
        path.relative_to(PACKAGE).as_posix(): lines
        for path in PACKAGE.rglob("*.py")
        if (lines := len(path.read_text(encoding="utf-8").splitlines())) > LONGEST
    }
    assert longer == {}


def test_every_folder_of_code_is_a_package() -> None:
    folders = {path.parent for path in PACKAGE.rglob("*.py")}
    assert {folder for folder in folders if not (folder / "__init__.py").is_file()} == set()


def imported(folder: Path, *arguments: str) -> set[str]:
    """The modules that a run of the command has brought: the way in which the package is installed
    may bring some before it."""
    script = (
        "import sys\n"
        "before = {*sys.modules}\n"
        "from contract_scan.cli.main import main\n"
        "main(sys.argv[1:])\n"
        "print(*({*sys.modules} - before), file=sys.stderr)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", script, *arguments],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=True,
        timeout=300,
    )
    return set(done.stderr.splitlines()[-1].split())


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """One endpoint, kept."""
    (tmp_path / "openapi.json").write_text(
        json.dumps(
            {
                "openapi": "3.1.0",
                "info": {"title": "t", "version": "1"},
                "paths": {"/ping": {"get": {"responses": {"200": {"description": "pong"}}}}},
            }
        )
    )
    (tmp_path / "app.py").write_text(
        "from fastapi import FastAPI\n\napp = FastAPI()\n\n\n"
        '@app.get("/ping")\ndef ping() -> None:\n    return None\n'
    )
    return tmp_path


@pytest.mark.parametrize(
    "arguments",
    [["--version"], ["--help"], ["check", "--help"], ["rule", "CONTRACT-001"], ["check", "."]],
    ids=" ".join,
)
def test_nothing_heavy_is_imported(arguments: list[str], project: Path) -> None:
    names = imported(project, *arguments)
    assert {heavy for heavy in HEAVY if heavy in names} == set()


def test_the_version_needs_no_more_than_its_own_module(tmp_path: Path) -> None:
    names = imported(tmp_path, "--version")
    assert {
        name for name in names if name.partition(".")[0] in ("click", "msgspec", "yaml")
    } == set()
    assert {name for name in names if name.startswith("contract_scan.")} == {
        "contract_scan.cli",
        "contract_scan.cli.main",
        "contract_scan.cli.status",
    }


def test_what_is_said_again_needs_next_to_nothing(project: Path) -> None:
    subprocess.run(["git", "init", "--quiet", str(project)], check=True)
    for file in project.glob("*.*"):
        os.utime(file, (0, 0))  # what has just been written may be written again unseen
    imported(project, "check", ".")
    names = imported(project, "check", "app.py") & imported(project, "check", ".")
    assert {name for name in names if name.startswith("contract_scan.")} == {
        "contract_scan.cache",
        "contract_scan.cli",
        "contract_scan.cli.directory_snapshot",
        "contract_scan.cli.main",
        "contract_scan.cli.output_replay",
        "contract_scan.cli.replay_record",
        "contract_scan.cli.status",
        "contract_scan.clients",
        "contract_scan.clients.git_command",
        "contract_scan.clients.index",
        "contract_scan.clients.listing",
        "contract_scan.parsers",
        "contract_scan.parsers.source",
        "contract_scan.parsers.source.dependency_snapshot",
        "contract_scan.parsers.source.discovery",
        "contract_scan.parsers.source.discovery.minified",
        "contract_scan.parsers.source.discovery.record_codec",
        "contract_scan.parsers.source.version",
        "contract_scan.private_folder",
        "contract_scan.regular_file",
    }
    assert names & {*QUICK_WITHOUT} == set()


def test_a_changed_file_is_judged_with_hardly_more(project: Path) -> None:
    """Not the packages around the parser, nor anything that lowers."""
    subprocess.run(["git", "init", "--quiet", str(project)], check=True)
    for file in project.glob("*.*"):
        os.utime(file, (0, 0))
    imported(project, "check", "--staged", "--select", "CONTRACT-004")
    file = project / "app.py"
    file.write_text(file.read_text() + "\n\n# the end\n")
    names = imported(project, "check", "--staged", "--select", "CONTRACT-004")
    assert {
        "contract_scan.clients.changes",
        "contract_scan.parsers.source.discovery.normalised_source",
        "contract_scan.parsers.source.discovery.surface_fingerprint",
        "contract_scan.parsers.source.discovery.file_fingerprints",
    } <= names
    assert {"contract_scan.cli.check", "contract_scan.ir", "tree_sitter"} & names == set()
    # An installation may have brought them before the command (files that end in `.pth`).
    assert names & {*QUICK_WITHOUT} <= {"enum", "re"}


def test_one_language_does_not_load_the_grammars_of_others(project: Path) -> None:
    names = imported(project, "check", ".", "--no-cache")
    grammars = {name for name in names if name.startswith("tree_sitter_") and "." not in name}
    assert grammars == {"tree_sitter_python"}


def test_modules_that_import_each_other_are_few_and_stand_in_one_package() -> None:
    imports = grimp.build_graph("contract_scan", exclude_type_checking_imports=True)
    circles = {
        frozenset({module, *others})
        for module in imports.modules
        if (
            others := imports.find_upstream_modules(module)
            & imports.find_downstream_modules(module)
        )
    }
    assert [sorted(circle) for circle in circles if len(circle) > 3] == []
    packages = [{module.rpartition(".")[0] for module in circle} for circle in circles]
    assert [sorted(names) for names in packages if len(names) > 1] == []
