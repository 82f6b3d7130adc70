"""Where the files of a run lie, below `.agent-team/runs/ID`, and what each of them is."""

from __future__ import annotations

from fnmatch import fnmatchcase
from typing import Final, Literal, TypeAlias

RUNS: Final = ".agent-team/runs"
"""The folder of all runs, relative to the repository."""
POINTER: Final = f"{RUNS}/LATEST"
"""The run pointer: a file with the id of the run that was started last."""

STATE: Final = "run.json"
EVENTS: Final = "events.jsonl"
GUARDRAILS: Final = "artifacts/guardrails.md"
DISPATCH_CONFIG: Final = "artifacts/dispatch_config.json"
ANALYSIS: Final = "artifacts/analysis.md"
FIND_RESULT: Final = "artifacts/find_result.json"
FILE_REQUEST: Final = "artifacts/file_request.json"
CONTEXT_PACK: Final = "artifacts/context_pack.json"
EXTERNALS: Final = "meta/externals/*/externals_pack.json"
PLAN_DRAFT: Final = "artifacts/PLAN_draft.md"
PLAN: Final = "artifacts/PLAN.md"
CONTRACT_REVIEW: Final = "reviews/review_contract.md"
COST_REVIEW: Final = "reviews/review_cost.md"
ADJUDICATION: Final = "artifacts/adjudication.md"
DEPLOYMENT: Final = "artifacts/deployment.md"
PATCH: Final = "artifacts/diff.patch"
REPORT: Final = "artifacts/verify_report.json"
TRACE: Final = "TRACE.md"
BUNDLE: Final = "failure_bundle.zip"
CONTRAST: Final = "contrast.md"
STDOUT_LOG: Final = "logs/verify.stdout.log"
STDERR_LOG: Final = "logs/verify.stderr.log"
PROMPTS: Final = "outbox/*.md"
EVIDENCE: Final = "evidence"
HISTORY: Final = "history"
KEPT: Final = ".kept"
"""Contents of artifacts as they were at the last look, and what was refused, by hash."""

FileKind: TypeAlias = Literal[
    "analysis",
    "find result",
    "context pack",
    "externals",
    "plan",
    "review",
    "decision",
    "patch",
    "verification",
    "policy",
    "prompt",
    "run pointer",
    "record",
    "source",
    "repository",
    "other",
]
"""`policy` is what says how a run is judged, `record` what is written by the driver of gates alone,
`source` a file of the repository, `repository` what git keeps about it."""

_KINDS: Final[tuple[tuple[str, FileKind], ...]] = (
    (ANALYSIS, "analysis"),
    (FILE_REQUEST, "analysis"),
    (FIND_RESULT, "find result"),
    (CONTEXT_PACK, "context pack"),
    (EXTERNALS, "externals"),
    (PLAN_DRAFT, "plan"),
    (PLAN, "plan"),
    ("reviews/*", "review"),
    (ADJUDICATION, "decision"),
    (DEPLOYMENT, "decision"),
    (PATCH, "patch"),
    (REPORT, "verification"),
    (TRACE, "verification"),
    (BUNDLE, "verification"),
    (CONTRAST, "verification"),
    ("logs/*", "verification"),
    (GUARDRAILS, "policy"),
    (DISPATCH_CONFIG, "policy"),
    (PROMPTS, "prompt"),
    (STATE, "record"),
    (EVENTS, "record"),
    (f"{EVIDENCE}/*", "record"),
    (f"{HISTORY}/*", "record"),
    (f"{KEPT}/*", "record"),
)


def kind_of(path: str) -> FileKind:
    """What a file of a run is, by its path relative to the folder of the run."""
    return next((kind for pattern, kind in _KINDS if fnmatchcase(path, pattern)), "other")
