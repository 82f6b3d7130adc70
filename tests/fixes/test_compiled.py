"""Every fix of the bookshop is made, and what compilers say of the code is compared with before.

None of its libraries is installed here, so the compilers complain of that; they go on nevertheless,
and complain of nothing more than they did.
"""

from __future__ import annotations

import json
import py_compile
import re
import shutil
import subprocess
from collections import Counter
from pathlib import Path

import pytest

from contract_scan.cli.main import main
from tests.fixes.test_constructions import JAVAC, TSC, TSCONFIG

BOOKSHOP = Path(__file__).parents[2] / "fixtures" / "projects" / "bookshop"


@pytest.fixture(scope="module")
def mended(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The bookshop with every fix made."""
    folder = tmp_path_factory.mktemp("mended") / "bookshop"
    shutil.copytree(BOOKSHOP, folder)
    words = ["check", str(folder), "--isolated", "--no-cache", "--fix", "--unsafe-fixes", "--quiet"]
    assert main(words) == 1
    return folder


def changed(mended: Path, pattern: str) -> list[str]:
    """The files that fixes have changed, from the root."""
    return sorted(
        str(path.relative_to(mended))
        for path in mended.rglob(pattern)
        if path.read_bytes() != (BOOKSHOP / path.relative_to(mended)).read_bytes()
    )


def complaints(output: str, pattern: str) -> Counter[str]:
    """What a compiler complains of in each file, wherever in it that stands."""
    return Counter(": ".join(found) for found in re.findall(pattern, output, re.MULTILINE))


def test_python_that_fixes_have_changed_compiles(mended: Path, tmp_path: Path) -> None:
    files = changed(mended, "*.py")
    assert len(files) == 5
    for file in files:
        py_compile.compile(str(mended / file), str(tmp_path / "out.pyc"), doraise=True)


@pytest.mark.skipif(TSC is None, reason="needs tsc: npm install --global typescript")
def test_the_compiler_of_typescript_complains_of_nothing_new(mended: Path, tmp_path: Path) -> None:
    assert TSC is not None
    assert len(changed(mended, "*.ts")) == 5
    said = []
    for name, root in (("before", BOOKSHOP), ("after", mended)):
        copy = tmp_path / name
        shutil.copytree(root, copy, ignore=lambda *_: {"tsconfig.json"})
        (copy / "tsconfig.json").write_text(json.dumps({"compilerOptions": TSCONFIG}))
        done = subprocess.run(
            [TSC, "-p", "."], cwd=copy, capture_output=True, text=True, check=False, timeout=300
        )
        said.append(complaints(done.stdout, r"^(\S.*?)\(\d+,\d+\): (error TS.*)$"))
    before, after = said
    assert after - before == Counter()


@pytest.mark.skipif(JAVAC is None, reason="needs javac: apt-get install default-jdk-headless")
def test_the_compiler_of_java_complains_of_nothing_new(mended: Path, tmp_path: Path) -> None:
    assert JAVAC is not None
    assert len(changed(mended, "*.java")) == 9
    said = []
    for root in (BOOKSHOP, mended):
        files = sorted(str(path.relative_to(root)) for path in root.rglob("*.java"))
        words = ["-proc:none", "-XDrawDiagnostics", "-XDshould-stop.ifError=FLOW"]
        done = subprocess.run(
            [JAVAC, *words, "-Xmaxerrs", "10000", "-d", str(tmp_path), *files],
            cwd=root,
            capture_output=True,
            text=True,
            check=False,
            timeout=300,
        )
        found = complaints(done.stderr, r"^(\S+\.java):\d+:\d+: (compiler\.err\..*)$")
        imported = {Path(file).name: imports(root / file) for file in files}
        said.append(
            Counter(
                {
                    each: number
                    for each, number in found.items()
                    if not imported[each.partition(":")[0]] & {*re.findall(r"[\w.]+", each)}
                }
            )
        )
    before, after = said
    assert after - before == Counter()


def imports(file: Path) -> set[str]:
    """The packages of libraries that a file of Java imports from, and the names of that."""
    named = re.findall(r"^import (?:static )?(?!java\.)([\w.]+)\.(\w+);", file.read_text(), re.M)
    return {name for both in named for name in both}
