"""The pipeline of a build: its stages, its loops of fixes, and the run through them."""

from contract_scan.orchestrator.pipeline.build import build, stages_of
from contract_scan.orchestrator.pipeline.loops import LOOPS, SCAN_LOOPS, FixLoop
from contract_scan.orchestrator.pipeline.run import (
    BuildError,
    BuildObserver,
    BuildProgress,
    BuildRun,
    FindingsCounted,
    StageEnded,
    StageSkipped,
    StageStarted,
    read_requirements,
)
from contract_scan.orchestrator.pipeline.stages import STAGES, Stage

__all__ = [
    "LOOPS",
    "SCAN_LOOPS",
    "STAGES",
    "BuildError",
    "BuildObserver",
    "BuildProgress",
    "BuildRun",
    "FindingsCounted",
    "FixLoop",
    "Stage",
    "StageEnded",
    "StageSkipped",
    "StageStarted",
    "build",
    "read_requirements",
    "stages_of",
]
