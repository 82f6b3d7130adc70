"""What the system is asked for while a hostile repository is scanned, as strace sees it."""

from __future__ import annotations

import asyncio
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from contract_scan.cache import base_folder
from tests.caches import cache_folder
from tests.cli.test_changed import git, orders, project
from tests.security.hostile_git import Listener, change, lack_an_object, trap
from tests.server.editor import editing

__all__ = ["project"]

ROOT = Path(__file__).parents[2]
CALLS = "execve,execveat,connect,bind,sendto,open,openat,openat2,creat,rename,renameat,renameat2,"
CALLS += "unlink,unlinkat,mkdir,mkdirat,link,linkat,symlink,symlinkat,truncate,chmod,fchmodat"
ADDRESSING = ("connect", "bind", "sendto")
OPENING = ("open", "openat", "openat2", "creat")
READING = ("O_RDONLY",)
SYSTEM = ("/dev/", "/etc/", "/lib", "/proc/", "/sys/", "/usr/")
"""Where libraries and settings of the system lie."""


BUILD_FILES = {
    "pom.xml": "<project><parent><relativePath>{0}/pom.xml</relativePath></parent><modules>"
    "<module>{0}</module></modules></project>",
    "settings.gradle": "include ':x'\nproject(':x').projectDir = file('{0}')\n",
    "build.gradle": "apply from: '{0}/more.gradle'\n",
    "tsconfig.json": '{{"extends": "{0}/tsconfig.json", "references": [{{"path": "{0}"}}],'
    ' "compilerOptions": {{"baseUrl": "{0}", "paths": {{"@x/*": ["{0}/*"]}}}}}}',
    "package.json": '{{"workspaces": ["{0}", "{0}/*"], "main": "{0}/index.js",'
    ' "imports": {{"#x/*": "{0}/*"}}, "dependencies": {{"express": "5", "out": "file:{0}"}}}}',
    "shop.csproj": '<Project Sdk="Microsoft.NET.Sdk.Web"><Import Project="{0}/more.props"/>'
    '<ItemGroup><ProjectReference Include="{0}/more.csproj"/></ItemGroup></Project>',
    "pyproject.toml": '[tool.setuptools]\npackage-dir = {{"" = "{0}"}}\n',
    "application.yml": 'spring: {{config: {{import: "optional:file:{0}/application.yml"}}}}\n',
    "led.ts": "import express from 'express';\nimport {{a}} from '{0}/index';\n"
    "import {{b}} from '@x/index';\nimport {{c}} from '#x/index';\nimport {{d}} from 'out';\n"
    "const app = express();\napp.use(a); app.use(b); app.use(c); app.use(d);\n",
    "led.py": "import sys\nsys.path.insert(0, '{0}')\nfrom more import router\n",
}
"""What builds and code name, by the file that names it."""


def lead_out(project: Path, outside: Path) -> None:
    """Let the build files of a project, and links in the place of some, lead to another folder."""
    files = ("pom.xml", "tsconfig.json", "application.yml", "index.ts", "index.js", "more.py")
    for name in (*files, "package.json", "more.gradle", "more.props", "more.csproj"):
        (outside / name).write_text("{}\n")
    for name, text in BUILD_FILES.items():
        (project / name).write_text(text.format(outside))
    (project / "linked").mkdir()
    for name in ("pom.xml", "tsconfig.json", "package.json", "application.yml"):
        (project / "linked" / name).symlink_to(outside / name)
    (project / "Directory.Build.props").symlink_to(outside / "more.props")


@dataclass(frozen=True)
class Call:
    """One system call that succeeded, or began to; of those that address others, any."""

    name: str
    text: str
    path: str
    """The first path it names, absolute."""

    @property
    def writes(self) -> bool:
        if self.name in OPENING:
            return (
                self.name == "creat" or re.search(r"O_(WRONLY|RDWR|CREAT)", self.text) is not None
            )
        return self.name not in ("execve", "execveat", *ADDRESSING)


@pytest.fixture(scope="module")
def strace() -> str:
    found = shutil.which("strace")
    if found is None:
        pytest.skip("needs strace")
    return found


def calls(strace: str, folder: Path, log: Path, *words: str, status: int) -> list[Call]:
    """The system calls of the command, which has to end with a status, and of everything that it
    starts. Files are opened relative to the folder that the process is in, which is the given
    one."""
    command = [strace, "-f", "-qq", "-y", "-s", "4096", "-e", f"trace={CALLS}", "-o", str(log)]
    if words[0] == "server":
        asyncio.run(_opened(folder, log.parent, *command))
        return [*_parsed(log.read_text(errors="replace"), folder)]
    options = ("--jobs", "2") if words[0] == "check" else ()
    done = subprocess.run(
        [*command, sys.executable, "-B", "-m", "contract_scan", *words, *options],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(ROOT), "TMPDIR": str(log.parent)},
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )
    assert (done.returncode, "Traceback" in done.stderr) == (status, False), done.stderr
    return [*_parsed(log.read_text(errors="replace"), folder)]


async def _opened(folder: Path, temporary: Path, *before: str) -> None:
    """Open the folder in an editor, and wait until it shows what is wrong there."""
    variables = {"TMPDIR": str(temporary)}
    async with editing(folder, words=(), before=before, variables=variables) as editor:
        editor.open(folder / "orders.py")
        await editor.until(lambda editor: editor.messages("orders") != [])
        await editor.actions(folder / "orders.py", editor.shown[f"{folder.name}/orders.py"])


def _parsed(text: str, folder: Path) -> Iterator[Call]:
    for line in text.splitlines():
        found = re.match(r"\d+\s+(\w+)\((.*)", line)
        if found is None:
            continue
        name, arguments = found.groups()
        # Nobody may listen, or an answer may take time: that somebody was called is what counts.
        if name not in ADDRESSING and re.search(r"\) = -1 E", line):
            continue
        place = re.match(r'(?:AT_FDCWD<([^>]*)>, |\d+<([^>]*)>, |AT_FDCWD, )?"([^"]*)"', arguments)
        path = "" if place is None else place[3]
        base = (place and (place[1] or place[2])) or str(folder)
        yield Call(name, arguments, os.path.normpath(os.path.join(base, path)))


def _is_below(path: str, *folders: str | Path) -> bool:
    return any(Path(path).is_relative_to(folder) for folder in folders)


@pytest.mark.parametrize(
    ("words", "status"),
    [
        (("check",), 1),
        (("check", "--changed"), 2),
        (("check", "--staged"), 2),
        (("check", "--unsafe-fixes", "--diff"), 1),
        (("extract",), 2),
        (("server",), 0),
    ],
    ids=lambda given: " ".join(given) if isinstance(given, tuple) else "",
)
def test_nothing_is_run_but_git_and_nothing_is_opened_elsewhere(
    project: Path,
    tmp_path_factory: pytest.TempPathFactory,
    strace: str,
    words: tuple[str, ...],
    status: int,
) -> None:
    outside = tmp_path_factory.mktemp("around") / "outside"
    hostile = trap(project, outside)
    temporary = tmp_path_factory.mktemp("temporary")
    listener = Listener()
    try:
        change(project)
        lack_an_object(hostile, listener.address)
        (outside / "secret").write_text("*.py\n")
        (project / "linked.py").symlink_to(outside / "secret")
        (project / "openapi2.yaml").symlink_to(outside / "secret")
        lead_out(project, outside)
        (project / ".gitattributes").write_text("*.py filter=x\n")
        hostile.configure(
            *("filter.x.clean", str(hostile.program)),
            *("core.fsmonitor", str(hostile.program)),
            *("core.excludesFile", str(outside / "secret")),
            *("core.attributesFile", str(outside / "secret")),
            *("diff.orderFile", str(outside / "secret")),
            *("core.worktree", str(project.parent)),
        )
        for file in project.glob("*.py"):
            os.utime(file, (1_000_000_000, 1_000_000_000), follow_symlinks=False)
        (project / "orders.py").write_text(orders("int"), encoding="utf-8")
        report = ("--output-format", "json=report.json") if words[0] == "check" else ()
        found = calls(strace, project, temporary / "log", *words, *report, status=status)
        assert not listener.was_called()
    finally:
        listener.close()
    assert not hostile.was_run()

    program = shutil.which("git")
    assert program is not None
    own = {str(Path(sys.executable)), str(Path(program))}
    run = {call.path for call in found if call.name in ("execve", "execveat")}
    assert run == own
    addressed = [call.text for call in found if call.name in ADDRESSING]
    names_of_users = "/nscd/socket"  # the C library asks there for what /etc/passwd may not hold
    assert [text for text in addressed if "sa_family" in text and names_of_users not in text] == []

    cache = Path(base_folder())
    output = r"report\.json|\.report\.json\..*"
    written = {call.path for call in found if call.writes}
    others = {
        path
        for path in written
        if not _is_below(path, cache, temporary, "/dev/null", "/dev/shm", "/dev/tty")
        and not (Path(path).parent == project and re.fullmatch(output, Path(path).name))
    }
    assert others == set()

    installed = (sys.prefix, sys.base_prefix, Path(sys.executable).parent, ROOT)
    home = Path.home()
    users = {home / ".gitconfig", home / ".config"}
    elsewhere = {
        call.path
        for call in found
        if call.name in OPENING
        and not _is_below(call.path, project, temporary, cache, *installed, *users)
        and not call.path.startswith(SYSTEM)
    }
    # The folders around it are looked at for build files; nothing in them is read.
    assert elsewhere <= {str(folder) for folder in project.parents}
    assert os.path.lexists(cache_folder(project)) or words[0] != "check"


def test_a_scan_outside_of_a_repository_starts_nothing(
    project: Path, tmp_path_factory: pytest.TempPathFactory, strace: str
) -> None:
    copy = tmp_path_factory.mktemp("plain")
    for file in project.glob("*.[py]*"):
        (copy / file.name).write_bytes(file.read_bytes())
    log = tmp_path_factory.mktemp("logs") / "log"
    found = calls(strace, copy, log, "check", status=1)
    assert {call.path for call in found if call.name == "execve"} == {sys.executable}


def test_the_test_sees_what_it_looks_for(
    project: Path, tmp_path_factory: pytest.TempPathFactory, strace: str
) -> None:
    """Git itself, called plainly, does what is ruled out above."""
    outside = tmp_path_factory.mktemp("around") / "outside"
    hostile = trap(project, outside)
    git(project, "config", "core.fsmonitor", str(hostile.program))
    log = outside / "log"
    command = [strace, "-f", "-qq", "-y", "-e", f"trace={CALLS}", "-o", str(log), "git", "diff"]
    for file in project.glob("*.py"):
        os.utime(file, (1_000_000_000, 1_000_000_000))
    subprocess.run(command, cwd=project, capture_output=True, check=False, timeout=300)
    found = [*_parsed(log.read_text(), project)]
    assert str(hostile.program) in {call.path for call in found if call.name == "execve"}
    assert str(project / ".git" / "index.lock") in {call.path for call in found if call.writes}
