"""What a person sees of a build while it runs: a line for what happened, and on a terminal one line
below them for what goes on."""

from __future__ import annotations

import os
import sys
from typing import TextIO

from contract_scan.counted import counted
from contract_scan.orchestrator.execution import (
    CostAdded,
    ProgressWarning,
    TaskEnded,
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
from contract_scan.reports.display import clip, display


class BuildView:
    """Shows the progress of one build on a stream."""

    def __init__(self, stream: TextIO | None = None, *, width: int = 80) -> None:
        self._stream = sys.stderr if stream is None else stream
        self._is_live = self._stream.isatty() and os.environ.get("TERM") != "dumb"
        self._width = width
        self._stage = ""
        self._running: set[str] = set()
        self._findings: dict[str, int] = {}
        self._cost = 0.0

    def __call__(self, progress: BuildProgress) -> None:
        """Show something that happened."""
        self._record_progress(progress)
        line = self._line(progress)
        if not self._is_live:
            if line:
                print(display(line), file=self._stream, flush=True)
            return
        before = f"{display(line)}\n" if line else ""
        status = "" if self._is_over(progress) else clip(display(self._status()), self._width - 1)
        self._stream.write(f"\r\x1b[K{before}{status}")
        self._stream.flush()

    def close(self) -> None:
        """Wipe the line of what goes on."""
        if self._is_live:
            self._stream.write("\r\x1b[K")
            self._stream.flush()

    def _record_progress(self, progress: BuildProgress) -> None:
        match progress:
            case StageStarted():
                self._stage = f"[{progress.number}/{progress.total}] {progress.title}"
            case TaskStarted():
                self._running.add(progress.task_id)
            case TaskEnded():
                self._running.discard(progress.result.task_id)
            case FindingsCounted():
                self._findings[progress.loop] = progress.findings
            case CostAdded():
                self._cost += progress.usd

    def _line(self, progress: BuildProgress) -> str:
        """What is said of it for good; empty for what only moves the line below."""
        match progress:
            case StageStarted():
                return self._stage
            case StageSkipped():
                return f"[{progress.number}/{progress.total}] {progress.title}: {progress.why}"
            case TaskStarted():
                return f"  {progress.task_id} begins"
            case ToolUsed():
                name = progress.task_id or "lead"
                return f"  {name}: {progress.tool} {progress.target}".rstrip()
            case TaskEnded():
                result = progress.result
                why = f": {result.error}" if result.error else ""
                took = f"{result.duration_seconds:.0f} s"
                return f"  {result.task_id} {result.status} after {took}{self._costs()}{why}"
            case FindingsCounted():
                return (
                    f"  {progress.loop}: {counted(progress.findings, 'finding')}"
                    f" in round {progress.round}"
                )
            case ProgressWarning():
                return f"  Note: {progress.message}"
        return ""

    def _costs(self) -> str:
        return f", ${self._cost:.2f} so far" if self._cost else ""

    def _status(self) -> str:
        parts = [self._stage]
        if self._running:
            parts.append(", ".join(sorted(self._running)))
        if findings := sum(self._findings.values()):
            parts.append(counted(findings, "finding"))
        if self._cost:
            parts.append(f"${self._cost:.2f}")
        return " · ".join(parts)

    def _is_over(self, progress: BuildProgress) -> bool:
        return isinstance(progress, StageEnded) and not self._running
