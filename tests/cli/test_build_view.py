"""What a person sees of a build while it runs."""

from __future__ import annotations

import io

from contract_scan.cli.build_view import BuildView
from contract_scan.orchestrator.execution import (
    CostAdded,
    ProgressWarning,
    TaskEnded,
    TaskResult,
    TaskStarted,
    ToolUsed,
)
from contract_scan.orchestrator.pipeline import (
    BuildProgress,
    FindingsCounted,
    StageEnded,
    StageSkipped,
    StageStarted,
)

SEEN: list[BuildProgress] = [
    StageSkipped("plan", "Plan milestones", 6, 15, "completed before"),
    StageStarted("milestones", "Build milestones", 8, 15),
    TaskStarted("milestone-1/code-writer", "Orders"),
    ToolUsed("milestone-1/code-writer", "Write", "app\x1b[2J.py"),
    CostAdded(0.5),
    TaskEnded(TaskResult("milestone-1/code-writer", "failed", "", "it broke", [], [], 61.4)),
    StageEnded("milestones"),
    StageStarted("scans", "Scan and fix", 11, 15),
    FindingsCounted("sdl", 0, 3),
    FindingsCounted("xref", 0, 1),
    FindingsCounted("sdl", 1, 0),
    ProgressWarning("something went otherwise"),
]


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def shown(stream: io.StringIO, width: int = 80) -> str:
    view = BuildView(stream, width=width)
    for progress in SEEN:
        view(progress)
    view.close()
    return stream.getvalue()


def test_a_log_has_a_line_for_what_happened() -> None:
    assert shown(io.StringIO()).splitlines() == [
        "[6/15] Plan milestones: completed before",
        "[8/15] Build milestones",
        "  milestone-1/code-writer begins",
        "  milestone-1/code-writer: Write app\\x1b[2J.py",
        "  milestone-1/code-writer failed after 61 s, $0.50 so far: it broke",
        "[11/15] Scan and fix",
        "  sdl: 3 findings in round 0",
        "  xref: 1 finding in round 0",
        "  sdl: 0 findings in round 1",
        "  Note: something went otherwise",
    ]


def test_a_terminal_shows_what_goes_on_below() -> None:
    drawn = [line for line in shown(Terminal()).split("\r\x1b[K") if line]
    assert [line.rpartition("\n")[2] for line in drawn] == [
        "",
        "[8/15] Build milestones",
        "[8/15] Build milestones · milestone-1/code-writer",
        "[8/15] Build milestones · milestone-1/code-writer",
        "[8/15] Build milestones · milestone-1/code-writer · $0.50",
        "[8/15] Build milestones · $0.50",
        "[11/15] Scan and fix · $0.50",
        "[11/15] Scan and fix · 3 findings · $0.50",
        "[11/15] Scan and fix · 4 findings · $0.50",
        "[11/15] Scan and fix · 1 finding · $0.50",
        "[11/15] Scan and fix · 1 finding · $0.50",
    ]
    assert drawn[-1].startswith("  Note: something went otherwise\n")


def test_the_line_of_a_narrow_terminal_is_cut() -> None:
    drawn = shown(Terminal(), width=20).split("\r\x1b[K")
    assert max(len(line.rpartition("\n")[2]) for line in drawn) == 19
