"""Builds in processes that are killed amid their work."""

from __future__ import annotations

import json
import multiprocessing
import os
import re
import resource
from multiprocessing import forkserver
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

from contract_scan.errors import ContractScanError
from contract_scan.orchestrator.execution import TaskStarted
from contract_scan.orchestrator.pipeline import (
    BuildProgress,
    FindingsCounted,
    StageEnded,
    StageStarted,
    build,
)
from tests.orchestrator.pipeline.shop import Shop, configured

KILLED = 9
_CHILDREN = multiprocessing.get_context("forkserver")
_CHILDREN.set_forkserver_preload([__name__, "contract_scan.api", "mcp"])


def _start_server() -> None:
    """Start what children are forked from; anew where other tests of this process reaped it."""
    try:
        forkserver.ensure_running()
    except ChildProcessError:
        vars(forkserver)["_forkserver"]._forkserver_pid = None
        forkserver.ensure_running()


def boundary(progress: BuildProgress) -> str:
    """The name of a moment at which all that was done before is in the state; else empty."""
    match progress:
        case StageStarted():
            return f"before {progress.name}"
        case StageEnded():
            return f"after {progress.name}"
        case FindingsCounted(round=0):
            return f"amid scans, {progress.loop}"
        case TaskStarted() if progress.task_id.startswith("milestone-"):
            return f"amid milestones, {progress.task_id}"
    return ""


def run_until_killed(shop: Shop, settings: dict[str, object], *, resume: bool) -> int:
    """Build in a process that is killed at the first boundary at which none was killed before:
    the exit status. The boundaries stand in `killed_at(shop)`."""
    _start_server()
    child = _CHILDREN.Process(target=_build, args=(dict(os.environ), shop, settings, resume))
    child.start()
    child.join(300)
    assert child.exitcode is not None
    return child.exitcode


def run_with_little_room(shop: Shop, settings: dict[str, object], room: int) -> str:
    """Build in a process none of whose files may have more than so many bytes: what it ends with
    (a full disk cannot be had without being root; the system refuses to write in the same way)."""
    _start_server()
    receiving, sending = _CHILDREN.Pipe(duplex=False)
    child = _CHILDREN.Process(
        target=_build_small, args=(dict(os.environ), shop, settings, room, sending)
    )
    child.start()
    sending.close()
    said: str = receiving.recv()
    child.join(300)
    return said


def _build_small(
    environment: dict[str, str],
    shop: Shop,
    settings: dict[str, object],
    room: int,
    sending: Connection[str, str],
) -> None:
    os.environ.update(environment)
    resource.setrlimit(resource.RLIMIT_FSIZE, (room, room))
    try:
        build(shop.prd, configured(settings), project_dir=shop.folder)
    except ContractScanError as error:
        sending.send(str(error))


def killed_at(shop: Shop) -> list[str]:
    """The boundaries at which builds of a shop were killed, in their order."""
    path = _record(shop)
    return path.read_text().splitlines() if path.exists() else []


def _record(shop: Shop) -> Path:
    return shop.prd.with_name("killed.txt")


def _build(
    environment: dict[str, str], shop: Shop, settings: dict[str, object], resume: bool
) -> None:
    os.environ.update(environment)
    before = killed_at(shop)

    def watch(progress: BuildProgress) -> None:
        name = boundary(progress)
        if name and name not in before:
            with _record(shop).open("a") as file:
                file.write(f"{name}\n")
            os._exit(KILLED)

    config = configured(settings)
    build(shop.prd, config, project_dir=shop.folder, resume=resume, observe=watch)


def remains(shop: Shop) -> dict[str, Any]:
    """What is left of a build, without times and ids."""
    folder = shop.folder / ".agent-team"
    documents = {
        path.relative_to(shop.folder).as_posix(): path.read_text()
        for path in sorted(shop.folder.rglob("*"))
        if path.is_file() and not {"runs", "hooks"} & {*path.relative_to(shop.folder).parts}
    }
    state = json.loads(documents.pop(".agent-team/STATE.json"))
    for name in ("run_id", "started_at", "updated_at", "requirements_path"):
        del state[name]
    text = json.dumps({"state": state, "documents": documents})
    unnamed: dict[str, Any] = json.loads(re.sub(re.escape(str(folder.parents[1])), "", text))
    return unnamed
