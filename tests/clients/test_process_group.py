"""Programs that run beside us."""

from __future__ import annotations

import asyncio
import os
import sys
from pathlib import Path

import pytest

from contract_scan.clients.process_group import LONGEST_LINE, ProcessGroup
from contract_scan.clients.processes import ProcessError
from tests.processes import is_running


def start(program: str, folder: Path, *arguments: str) -> ProcessGroup:
    return ProcessGroup.start([sys.executable, "-c", program, *arguments], cwd=folder)


async def all_lines(process: ProcessGroup) -> list[bytes]:
    return [line async for line in process.lines()]


async def is_gone(pid: int) -> bool:
    while is_running(pid):
        await asyncio.sleep(0.01)
    return True


def test_lines_come_as_they_are_written(tmp_path: Path) -> None:
    program = """
for line in iter(input, "enough"):
    print(f"got {line}", flush=True)
print("no end of line", end="")
"""

    async def talk() -> tuple[list[bytes], int]:
        process = start(program, tmp_path)
        lines = process.lines()
        heard = []
        for word in (b"one", b"two"):
            process.write(word + b"\n")
            heard.append(await anext(lines))
        process.write(b"enough\n")
        return heard + await all_lines(process), await process.wait_exit()

    assert asyncio.run(talk()) == ([b"got one", b"got two", b"no end of line"], 0)


def test_what_a_program_says_of_its_failure(tmp_path: Path) -> None:
    async def fail() -> tuple[int, str]:
        process = start(
            "import sys; print('no such model\\n', file=sys.stderr); sys.exit(3)", tmp_path
        )
        return await process.wait_exit(), process.complaint

    assert asyncio.run(fail()) == (3, "no such model")


def test_a_program_runs_where_and_with_what_it_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("INHERITED", "1")
    monkeypatch.setenv("HIDDEN", "1")
    program = """
import os
print(os.getcwd(), *(os.environ.get(name) for name in ("INHERITED", "HIDDEN", "GIVEN")))
"""

    async def run() -> list[bytes]:
        process = ProcessGroup.start(
            [sys.executable, "-c", program],
            cwd=tmp_path,
            environment={"GIVEN": "1"},
            without=["HIDDEN"],
        )
        return await all_lines(process)

    assert asyncio.run(run()) == [f"{tmp_path} 1 None 1".encode()]


@pytest.mark.parametrize(
    ("command", "why"),
    [
        ("no-such-program", "No such file or directory"),
        ("nul\0", "embedded null byte"),
    ],
)
def test_a_program_that_is_not_there(command: str, why: str, tmp_path: Path) -> None:
    async def run() -> None:
        ProcessGroup.start([command], cwd=tmp_path)

    with pytest.raises(ProcessError) as caught:
        asyncio.run(run())
    assert str(caught.value) == f"cannot start `{command}`: {why}"


STUBBORN = """
import os, signal, subprocess, sys, time
signal.signal(signal.SIGTERM, signal.SIG_IGN)
child = subprocess.Popen([sys.executable, "-c", sys.argv[1]])
print(child.pid, flush=True)
time.sleep(600)
"""
ITS_CHILD = """
import signal, time
signal.signal(signal.SIGTERM, signal.SIG_IGN)
print("ready", flush=True)
time.sleep(600)
"""


def test_a_stubborn_program_is_killed_with_its_children(tmp_path: Path) -> None:
    async def run() -> tuple[int | None, bool, bool]:
        process = start(STUBBORN, tmp_path, ITS_CHILD)
        lines = process.lines()
        told = {await anext(lines), await anext(lines)} - {b"ready"}
        child = int(told.pop())
        assert is_running(child)
        await process.end(patience=0.05)
        return process.status, await is_gone(child), await is_gone(process.pid)

    assert asyncio.run(run()) == (-9, True, True)


def test_a_program_that_ends_by_itself_leaves_nothing_in_the_background(tmp_path: Path) -> None:
    program = """
import subprocess, sys
child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
print(child.pid)
"""

    async def run() -> tuple[bool, int]:
        process = start(program, tmp_path)
        (line,) = await all_lines(process)  # comes to its end though the child holds the pipe
        return await is_gone(int(line)), await process.wait_exit()

    assert asyncio.run(run()) == (True, 0)


def test_a_program_that_listens_is_ended_by_the_end_of_its_input(tmp_path: Path) -> None:
    async def run() -> int | None:
        process = start("import sys; sys.stdin.read(); sys.exit(7)", tmp_path)
        await process.end(patience=60)
        return process.status

    assert asyncio.run(run()) == 7


def test_a_cancelled_end_kills(tmp_path: Path) -> None:
    async def run() -> bool:
        process = start(STUBBORN, tmp_path, ITS_CHILD)
        await anext(process.lines())
        ending = asyncio.create_task(process.end(patience=600))
        await asyncio.sleep(0)
        ending.cancel()
        with pytest.raises(asyncio.CancelledError):
            await ending
        return await process.wait_exit() == -9 and await is_gone(process.pid)

    assert asyncio.run(run())


def test_input_that_nobody_reads_blocks_nothing(tmp_path: Path) -> None:
    async def run() -> int:
        process = start("import time; print('there', flush=True); time.sleep(600)", tmp_path)
        await anext(process.lines())
        process.write(b"x" * 10_000_000)
        await process.end(patience=0.05)
        return await process.wait_exit()

    assert asyncio.run(run()) == -15


def test_a_line_without_end_is_cut(tmp_path: Path) -> None:
    program = f"import sys; sys.stdout.write('x' * {LONGEST_LINE + 100_000} + '\\nnext\\n')"

    async def run() -> list[int]:
        return [len(line) for line in await all_lines(start(program, tmp_path))]

    assert asyncio.run(run()) == [LONGEST_LINE, 4]


def test_an_interrupt_of_the_terminal_does_not_reach_it(tmp_path: Path) -> None:
    async def run() -> bool:
        process = start("import os; print(os.getsid(0), os.getpgrp())", tmp_path)
        (line,) = await all_lines(process)
        return line == f"{process.pid} {process.pid}".encode() and process.pid != os.getsid(0)

    assert asyncio.run(run())


def test_a_program_in_a_terminal_is_typed_to(tmp_path: Path) -> None:
    """What it shows is dropped, however much it is; what it writes to its errors is kept."""
    program = """
import os, sys
print("x" * 1_000_000, flush=True)
assert os.isatty(0) and os.isatty(1)
sys.exit(f"{os.environ['TERM']} {input()}")
"""

    async def talk() -> tuple[list[bytes], int, str]:
        process = ProcessGroup.start_in_terminal([sys.executable, "-c", program], cwd=tmp_path)
        process.write(b"go on\r")
        return await all_lines(process), await process.wait_exit(), process.complaint

    assert asyncio.run(talk()) == ([], 1, "xterm-256color go on")


def test_a_program_in_a_terminal_ends_with_what_it_started(tmp_path: Path) -> None:
    program = """
import subprocess, sys, time
child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
open("child", "w").write(str(child.pid))
open("ready", "w").close()
time.sleep(600)
"""

    async def end() -> bool:
        process = ProcessGroup.start_in_terminal([sys.executable, "-c", program], cwd=tmp_path)
        while not (tmp_path / "ready").exists():
            await asyncio.sleep(0.01)
        await process.end(patience=5)
        return await is_gone(int((tmp_path / "child").read_text()))

    assert asyncio.run(end())


def test_a_program_for_a_terminal_that_is_not_there(tmp_path: Path) -> None:
    async def start_none() -> None:
        ProcessGroup.start_in_terminal(["no-such-program"], cwd=tmp_path)

    with pytest.raises(ProcessError, match="cannot start `no-such-program`: No such file"):
        asyncio.run(start_none())
