"""Which files are sources."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from contract_scan.parsers.source.discovery.discover import (
    SourceTree,
    build_folders,
    files_around_root,
    is_inside,
    read_regular,
)

SUFFIXES = {".py": "python", ".ts": "typescript"}


def write(root: Path, *paths: str) -> None:
    for path in paths:
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text("x = 1\n", encoding="utf-8")


def test_sources_are_found_by_suffix_and_sorted(tmp_path: Path) -> None:
    write(tmp_path, "b/z.py", "a.py", "web/x.ts", "readme.md")
    tree = SourceTree(tmp_path, SUFFIXES)
    assert tree.source("python") == ("a.py", "b/z.py")
    assert tree.source("typescript") == ("web/x.ts",)


def test_installed_packages_and_build_output_are_left_out(tmp_path: Path) -> None:
    write(tmp_path, "src/a.py", "node_modules/m/a.ts", "build/a.py", ".venv/lib/b.py")
    assert SourceTree(tmp_path, SUFFIXES).paths() == {"src/a.py"}


def test_gitignore_files_count_for_their_own_folder(tmp_path: Path) -> None:
    write(tmp_path, "a.py", "gen/a.py", "web/gen/b.py", "web/keep.py", "web/skip.py")
    (tmp_path / ".gitignore").write_text("/gen/\n", encoding="utf-8")
    (tmp_path / "web/.gitignore").write_text("skip.py\n", encoding="utf-8")
    tree = SourceTree(tmp_path, SUFFIXES)
    assert tree.source("python") == ("a.py", "web/gen/b.py", "web/keep.py")


def test_a_line_of_gitignore_that_is_no_pattern_ignores_nothing(tmp_path: Path) -> None:
    write(tmp_path, "a.py", "gen/a.py")
    (tmp_path / ".gitignore").write_text("[?--]\ngen/\n", encoding="utf-8")
    assert SourceTree(tmp_path, SUFFIXES).source("python") == ("a.py",)


def test_a_list_from_git_is_taken_as_it_is_but_for_installed_packages(tmp_path: Path) -> None:
    write(tmp_path, "dist/a.py")
    listed = ["dist/a.py", "node_modules/m/a.ts"]
    assert SourceTree(tmp_path, SUFFIXES, listed=listed).paths() == {"dist/a.py"}


def test_excluded_patterns_hide_files_from_everything(tmp_path: Path) -> None:
    write(tmp_path, "a.py", "legacy/b.py")
    tree = SourceTree(tmp_path, SUFFIXES, exclude=lambda path: path.startswith("legacy/"))
    assert tree.source("python") == ("a.py",)
    assert tree.read("legacy/b.py") is None


def test_within_limits_the_sources_and_not_what_may_be_read(tmp_path: Path) -> None:
    write(tmp_path, "api/a.py", "shared/b.py")
    tree = SourceTree(tmp_path, SUFFIXES, within=["api"])
    assert tree.source("python") == ("api/a.py",)
    assert tree.has("shared/b.py")


def test_links_and_special_files_are_not_opened(tmp_path: Path) -> None:
    write(tmp_path, "real/a.py")
    (tmp_path / "link.py").symlink_to("/etc/hostname")
    (tmp_path / "loop").symlink_to(tmp_path)
    os.mkfifo(tmp_path / "pipe.py")
    tree = SourceTree(tmp_path, SUFFIXES)
    assert tree.source("python") == ("pipe.py", "real/a.py")  # so that the pipe is named
    assert [*tree.unfollowed_links()] == ["link.py"]
    assert read_regular(tmp_path / "link.py", 100) is None
    assert read_regular(tmp_path / "pipe.py", 100) is None


def test_a_file_above_the_limit_is_not_read(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_bytes(b"x" * 11)
    assert read_regular(tmp_path / "a.py", 10) is None
    assert read_regular(tmp_path / "a.py", 11) == b"x" * 11


def test_a_test_file_named_on_purpose_is_a_source(tmp_path: Path) -> None:
    write(tmp_path, "tests/a.py", "tests/b.py")
    tree = SourceTree(tmp_path, SUFFIXES, within=["tests/a.py"])
    assert tree.source("python") == ("tests/a.py",)


def test_the_build_around_a_source_folder_may_be_read_and_is_no_source(tmp_path: Path) -> None:
    write(tmp_path, "package.json", "src/app/a.ts", "src/main.ts", "lib/b.ts")
    root = tmp_path / "src" / "app"
    project = build_folders(root)[1]
    assert project == tmp_path
    tree = SourceTree(root, SUFFIXES, beyond=files_around_root(root, project, None))
    assert tree.paths() == {"a.ts"}
    assert tree.source("typescript") == ("../../lib/b.ts", "../main.ts", "a.ts")
    assert tree.has("../app/a.ts")
    assert tree.canonical("../../src/app/a.ts") == "a.ts"
    assert tree.is_near("../main.ts") is False
    assert SourceTree(root, SUFFIXES, near=1).is_near("../main.ts") is True
    assert [path for path in tree.source("typescript") if is_inside(path)] == ["a.ts"]


@pytest.mark.parametrize(
    ("files", "root", "project"),
    [
        (["pom.xml", "src/main/java/a/B.py"], "src/main/java", "."),
        (["shop.sln", "Api/Api.csproj", "Api/A.py"], "Api", "."),
        (["package.json", "packages/api/package.json"], "packages/api", "."),
        (["a/package.json", "a/b/c/d/package.json"], "a/b/c/d", "a/b/c/d"),
        (["package.json", "api/.git/HEAD", "api/a.py"], "api", "api"),
        (["a/b/c.py"], "a/b", "a/b"),
    ],
)
def test_a_build_reaches_up_while_build_files_do(
    tmp_path: Path, files: list[str], root: str, project: str
) -> None:
    write(tmp_path, *files)
    assert build_folders(tmp_path / root)[1] == tmp_path / project
