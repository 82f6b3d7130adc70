"""What the verifier writes: `verify_report.json`, `TRACE.md`, and how two reports contrast."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import msgspec
from msgspec import Struct

from contract_scan.roles.key_lines import ArtifactError


class CommandRun(Struct, frozen=True):
    """A command that was run to its end."""

    cmd: tuple[str, ...]
    exit_code: int


class Failure(Struct, frozen=True, order=True):
    """Something that keeps a patch from passing."""

    kind: str
    id: str
    message: str


class VerifyReport(Struct, frozen=True, kw_only=True):
    """Facts about one patch."""

    result: Literal["PASS", "FAIL"]
    gate: Literal["full"] = "full"
    iteration: int
    max_iterations: int
    plan_sha256: str
    patch_sha256: str
    commands: tuple[CommandRun, ...]
    failures: tuple[Failure, ...] = ()
    paths: dict[str, str] = {}


def read_report(raw: bytes, path: str) -> VerifyReport:
    """A report. Raises ArtifactError where it is no JSON of that form."""
    try:
        return msgspec.json.decode(raw, type=VerifyReport)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise ArtifactError(f"is no report of a verification: {error}", path) from None


def write_report(report: VerifyReport) -> bytes:
    """A report as indented JSON."""
    return msgspec.json.format(msgspec.json.encode(report), indent=2) + b"\n"


def verification_trace(
    report: VerifyReport, *, run_id: str, base: str, last_lines: Sequence[str]
) -> str:
    """What was done to verify a patch, for people."""
    commands = "".join(
        f"- `{' '.join(one.cmd)}`: exit status {one.exit_code}\n" for one in report.commands
    )
    failures = "".join(f"- {one.kind} `{one.id}`: {one.message}\n" for one in report.failures)
    said = "".join(f"    {line}\n" for line in last_lines)
    return (
        f"# Trace of {run_id}, iteration {report.iteration} of {report.max_iterations}\n\n"
        f"- result: {report.result}\n- base: {base}\n- plan: {report.plan_sha256}\n"
        f"- patch: {report.patch_sha256}\n\n## Commands\n\n{commands}"
        + (f"\n## Failures\n\n{failures}" if failures else "")
        + (f"\n## Last lines\n\n{said}" if said else "")
    )


def contrast(before: VerifyReport, after: VerifyReport) -> str:
    """What a further patch changed: failures that are gone, those that are new, and those that
    stay, each sorted."""
    old, new = {*before.failures}, {*after.failures}
    parts = (("Gone", old - new), ("New", new - old), ("Still there", old & new))
    listed = "".join(
        f"\n## {title}\n\n"
        + (
            "".join(f"- {one.kind} `{one.id}`: {one.message}\n" for one in sorted(some))
            or "None.\n"
        )
        for title, some in parts
    )
    return (
        f"# Iteration {before.iteration} and iteration {after.iteration}\n\n"
        f"{before.result} -> {after.result}\n{listed}"
    )
