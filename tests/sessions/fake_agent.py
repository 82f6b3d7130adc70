"""A stand-in for an agent: does what the lines of its task say, one after the other.

`say TEXT` prints, `sleep SECONDS` waits, `write PATH TEXT` writes a file, `leave-behind FILE`
starts a process that leaves its parent, group and session and writes its id down, `ignore-hangup`
goes on when its terminal closes, `git WORDS` runs git, `show VARIABLE` prints a variable, `fail
STATUS` ends.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path


def do(line: str) -> None:
    word, _, rest = line.partition(" ")
    match word:
        case "say":
            print(rest, flush=True)
        case "sleep":
            time.sleep(float(rest))
        case "write":
            name, _, text = rest.partition(" ")
            Path(name).parent.mkdir(parents=True, exist_ok=True)
            Path(name).write_text(text.replace("\\n", "\n") + "\n")
        case "leave-behind":
            program = "import time; time.sleep(600)"
            process = subprocess.Popen(
                [sys.executable, "-S", "-c", program],
                start_new_session=True,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
            )
            Path(rest).write_text(str(process.pid))
        case "ignore-hangup":
            signal.signal(signal.SIGHUP, signal.SIG_IGN)
            signal.signal(signal.SIGTERM, signal.SIG_IGN)
        case "git":
            subprocess.run(["git", *rest.split()], capture_output=True, check=False)
        case "show":
            print(f"{rest}={os.environ.get(rest)}", flush=True)
        case "fail":
            print("no such model", file=sys.stderr)
            sys.exit(int(rest))


def task_of(prompt: str) -> list[str]:
    """The lines between the heading of the task and the next one."""
    lines = prompt.split("# Task\n\n", 1)[-1].splitlines()
    end = next((n for n, line in enumerate(lines) if line.startswith("## ")), len(lines))
    return lines[:end]


if __name__ == "__main__":
    for each in task_of(sys.stdin.read()):
        do(each)
