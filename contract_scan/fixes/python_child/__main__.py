"""Says what to write where: `python -m contract_scan.fixes.python_child`.

Requests and answers are those of `contract_scan.clients.request_process`. A request is a JSON list
of `{"path", "root", "text", "changes": [{"kind", "span", …}]}`. The answer is a JSON object:
`answers` is a list with, for each file, a list with, for each change, null or `{"title", "safe",
"edits"}`; `consulted` are the other files that were looked for or read. It is empty where the code
brought libcst down.

Every request is answered by a copy of this process, so that none finds anything that another one
left behind, and each has all the memory and time that one may take. Where no process can be copied,
this one answers once.
"""

from __future__ import annotations

import contextlib
import json
import os
import sys
from pathlib import Path
from typing import Any

from contract_scan.clients.request_process import read_message, write_message
from contract_scan.fixes.python_child.answer import answer
from contract_scan.fixes.python_child.classes import CONSULTED
from contract_scan.fixes.python_child.source import Source

_MEMORY = 2_000_000_000
_TIME = 30
"""Seconds of processor time for one request. Who asks waits no longer; it ends a copy whose asker
was killed."""


def main() -> None:
    """Answer requests until there are no more."""
    requests = sys.stdin.buffer
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # nothing that prints may come between answers
    write_message(answers, b"")
    while request := read_message(requests):
        if not hasattr(os, "fork"):
            write_message(answers, _answer(request))
            return
        write_message(answers, _answer_of_copy(request))


def _answer_of_copy(request: bytes) -> bytes:
    reading, writing = os.pipe()
    copy = os.fork()
    if not copy:
        try:
            _limit("RLIMIT_AS", _MEMORY)
            _limit("RLIMIT_CPU", _TIME)
            with os.fdopen(writing, "wb") as pipe:
                pipe.write(_answer(request))
        finally:
            os._exit(0)
    os.close(writing)
    with os.fdopen(reading, "rb") as pipe:
        found = pipe.read()
    _, status = os.waitpid(copy, 0)
    return found if status == 0 else b""


def _answer(request: bytes) -> bytes:
    answers = [_answers(file) for file in json.loads(request)]
    return json.dumps({"answers": answers, "consulted": sorted(map(str, CONSULTED))}).encode()


def _answers(file: dict[str, Any]) -> list[dict[str, Any] | None]:
    changes = file["changes"]
    try:
        source = Source(file["text"], Path(file["path"]), Path(file["root"]))
        return [answer(change, source) for change in changes]
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return [None for _ in changes]


def _limit(resource_name: str, most: int) -> None:
    import resource

    with contextlib.suppress(ValueError, OSError):
        resource.setrlimit(getattr(resource, resource_name), (most, most))


if __name__ == "__main__":
    main()
