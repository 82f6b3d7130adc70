"""The resolver: picks the workflow of a run by its words. No role may replace its result.

Workflows are files `.agent-team/workflows/*.json`; the one that changes code by a patch is always
there.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path
from typing import Final

import msgspec
from msgspec import Struct

from contract_scan.regular_file import read_regular
from contract_scan.roles.key_lines import ArtifactError

WORKFLOWS: Final = ".agent-team/workflows"

_LARGEST: Final = 100_000
_MOST: Final = 200
_WORD: Final = re.compile(r"[^\W_]+")


class Workflow(Struct, frozen=True, forbid_unknown_fields=True):
    """A way to work."""

    workflow_id: str
    version: str
    keywords: tuple[str, ...] = ()


class Candidate(Struct, frozen=True):
    """A workflow with how well it fits."""

    workflow_id: str
    version: str
    score: float
    """The share of its keywords that the goal or the analysis has, from 0 to 1."""
    why: str


class FindResult(Struct, frozen=True, kw_only=True):
    """Which workflow is taken, and the others."""

    schema_version: str = "ctcp-find-result-v1"
    selected_workflow_id: str
    selected_version: str
    candidates: tuple[Candidate, ...]


_PATCH: Final = Workflow("patch", "1")


def workflows_of(root: Path) -> list[Workflow]:
    """The workflows of a repository, by name. Raises ArtifactError for one that cannot be read."""
    found = [_PATCH]
    folder = root / WORKFLOWS
    for file in sorted(folder.glob("*.json"))[:_MOST]:
        path = f"{WORKFLOWS}/{file.name}"
        try:
            found.append(msgspec.json.decode(read_regular(file, _LARGEST), type=Workflow))
        except OSError as error:
            raise ArtifactError(f"cannot be read: {error.strerror}", path) from None
        except (msgspec.DecodeError, UnicodeDecodeError) as error:
            raise ArtifactError(f"is no workflow: {error}", path) from None
    return found


def resolve(text: str, workflows: Iterable[Workflow]) -> FindResult:
    """The workflow with the largest share of its keywords in a text; of several, the first by its
    name. The same text gives the same answer."""
    words = {word.lower() for word in _WORD.findall(text)}
    candidates = sorted(
        (_candidate(one, words) for one in workflows),
        key=lambda one: (-one.score, one.workflow_id, one.version),
    )
    best = candidates[0]
    return FindResult(
        selected_workflow_id=best.workflow_id,
        selected_version=best.version,
        candidates=tuple(candidates),
    )


def write_find_result(result: FindResult) -> bytes:
    """A result as indented JSON."""
    return msgspec.json.format(msgspec.json.encode(result), indent=2) + b"\n"


def _candidate(workflow: Workflow, words: set[str]) -> Candidate:
    found = [one for one in workflow.keywords if one.lower() in words]
    score = round(len(found) / len(workflow.keywords), 3) if workflow.keywords else 0.0
    why = f"words found: {', '.join(found)}" if found else "none of its words is found"
    return Candidate(workflow.workflow_id, workflow.version, score, why)
