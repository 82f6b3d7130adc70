"""The local verifier: runs the command that verifies on a patch, compares the code with its
contracts before and after it, and says what happened. It judges nothing: a patch passes where that
command exits with 0 and no promise of a contract is broken that was not broken before.
"""

from __future__ import annotations

import io
import tempfile
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Final, Literal

import msgspec
from msgspec import Struct

from contract_scan.clients.git_patches import apply_patch
from contract_scan.clients.git_worktrees import add_detached_worktree, discard_worktree, worktrees
from contract_scan.clients.processes import ProcessError, run_program
from contract_scan.errors import ContractScanError
from contract_scan.roles import layout
from contract_scan.roles.key_lines import ArtifactError
from contract_scan.roles.run_folder import LARGEST_ARTIFACT, RunFolder
from contract_scan.roles.state import RunState

if TYPE_CHECKING:
    from contract_scan.config import Config

_LAST_LINES: Final = 20
_NOT_RUN: Final = 127
"""The exit status of a command that could not be started or took too long, as shells have it."""
_ANY_STATUS: Final = range(-64, 256)
_BUNDLED: Final = (
    layout.TRACE,
    layout.REPORT,
    layout.STDOUT_LOG,
    layout.STDERR_LOG,
    layout.PLAN,
    layout.PATCH,
)


def verify(root: Path, folder: RunFolder, state: RunState) -> _VerifyReport:
    """Apply the patch of a run to a working tree of its base, run the command there, and write
    what happened: trace, report, logs, how it contrasts with the report before, and where it failed
    a bundle for whoever mends it.

    The working tree is made for this alone and removed afterwards. Raises UsageError where git
    cannot make it.
    """
    iteration = state.iteration + 1
    prefix = f"contract-scan-verify-{state.run_id}-"
    for left in worktrees(root):
        if left.path.parent.name.startswith(prefix):
            discard_worktree(root, left.path)  # of a driver that was killed
            with suppress(OSError):
                left.path.parent.rmdir()
    with _patched_tree(root, state.base, folder.path / layout.PATCH, prefix) as (tree, broken):
        status, stdout, stderr = _run_verification(state, tree)
    last = _last_lines(stdout, stderr)
    command = " ".join(state.verify)
    failures = broken
    if status != 0:
        failed = _Failure("command", command, f"exit status {status}: {_last_line(last)}")
        failures = (failed, *broken)
    passed = not failures
    report = _VerifyReport(
        result="PASS" if passed else "FAIL",
        iteration=iteration,
        max_iterations=state.limits.max_iterations,
        plan_sha256=state.signature,
        patch_sha256=folder.hash_of(layout.PATCH),
        commands=(_CommandRun(state.verify, status),),
        failures=failures,
        paths=_paths(passed),
    )
    before = folder.raw(layout.REPORT)
    if before is not None:
        text = _contrast(_read_report(before, layout.REPORT), report)
        folder.write(layout.CONTRAST, text.encode())
    folder.write(layout.STDOUT_LOG, stdout)
    folder.write(layout.STDERR_LOG, stderr)
    folder.write(layout.REPORT, _write_report(report))
    text = _verification_trace(report, run_id=state.run_id, base=state.base, last_lines=last)
    folder.write(layout.TRACE, text.encode())
    if not passed:
        files = {name: folder.raw(name) or b"" for name in _BUNDLED}
        folder.write(layout.BUNDLE, _reproducible_zip(files))
    return report


# Private helpers


@contextmanager
def _patched_tree(
    root: Path, base: str, patch: Path, prefix: str
) -> Iterator[tuple[Path, tuple[_Failure, ...]]]:
    """A working tree of a commit with a patch applied, and the promises of contracts that the patch
    breaks. The configuration is that of the commit: a patch cannot make it milder for itself."""
    with tempfile.TemporaryDirectory(prefix=prefix) as place:
        tree = Path(place).resolve() / "tree"
        add_detached_worktree(root, tree, base)
        try:
            config = _configuration(tree)
            before = _broken_promises(tree, config)
            apply_patch(tree, patch)
            after = _broken_promises(tree, config)
            yield tree, tuple(one for name, one in after.items() if name not in before)
        finally:
            discard_worktree(root, tree)


def _configuration(tree: Path) -> Config:
    """The configuration of a working tree; that of none where it cannot be read, which a scan of
    the project itself says."""
    from contract_scan.config import Config
    from contract_scan.config.effective import configuration_of

    try:
        return configuration_of(tree)
    except ContractScanError:
        return Config()


def _broken_promises(tree: Path, config: Config) -> dict[str, _Failure]:
    """The errors of a scan, and the contracts and files that it could not read, by what they are
    known by again."""
    from contract_scan.api import scan  # heavy, and most looks at a run verify nothing

    report = scan(tree, config=config, allow_empty=True)
    found = {
        one.fingerprint: _failure(one.fingerprint, one.places[0].origin.path, one.name, one.title)
        for one in report.problems
        if one.severity == "error"
    }
    unread = [one for one in report.not_analysed if one.is_grave and one.path]
    return found | {
        f"{one.path}\0{one.reason}": _failure(one.path, one.path, "not-analysed", one.reason)
        for one in unread
    }


def _failure(name: str, path: str, what: str, message: str) -> _Failure:
    """Without a line, which would differ from one patch to the next."""
    return _Failure("contract", name, f"{path}: {what}: {message}")


def _run_verification(state: RunState, tree: Path) -> tuple[int, bytes, bytes]:
    seconds = state.limits.verify_seconds
    try:
        done = run_program(state.verify, cwd=tree, timeout=seconds, accepted=_ANY_STATUS)
    except ProcessError as error:
        return _NOT_RUN, b"", f"{error}\n".encode()
    return done.status, done.stdout[-LARGEST_ARTIFACT:], done.stderr[-LARGEST_ARTIFACT:]


def _last_lines(stdout: bytes, stderr: bytes) -> list[str]:
    for output in (stderr, stdout):
        lines = [line.rstrip() for line in output.decode("utf-8", "replace").splitlines()]
        lines = [line[:500] for line in lines if line]
        if lines:
            return lines[-_LAST_LINES:]
    return []


def _last_line(lines: list[str]) -> str:
    return lines[-1] if lines else "it printed nothing"


def _paths(passed: bool) -> dict[str, str]:
    paths = {
        "trace": layout.TRACE,
        "verify_report": layout.REPORT,
        "stdout_log": layout.STDOUT_LOG,
        "stderr_log": layout.STDERR_LOG,
        "plan": layout.PLAN,
        "patch": layout.PATCH,
    }
    return paths if passed else {**paths, "bundle": layout.BUNDLE}


def _reproducible_zip(files: Mapping[str, bytes]) -> bytes:
    """An archive that is the same for the same files."""
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as opened:
        for name, raw in files.items():
            opened.writestr(zipfile.ZipInfo(name), raw)
    return archive.getvalue()


class _CommandRun(Struct, frozen=True):
    """A command that was run to its end."""

    cmd: tuple[str, ...]
    exit_code: int


class _Failure(Struct, frozen=True, order=True):
    """Something that keeps a patch from passing."""

    kind: str
    id: str
    message: str


class _VerifyReport(Struct, frozen=True, kw_only=True):
    """Facts about one patch."""

    result: Literal["PASS", "FAIL"]
    gate: Literal["full"] = "full"
    iteration: int
    max_iterations: int
    plan_sha256: str
    patch_sha256: str
    commands: tuple[_CommandRun, ...]
    failures: tuple[_Failure, ...] = ()
    paths: dict[str, str] = {}


def _read_report(raw: bytes, path: str) -> _VerifyReport:
    """A report. Raises ArtifactError where it is no JSON of that form."""
    try:
        return msgspec.json.decode(raw, type=_VerifyReport)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise ArtifactError(f"is no report of a verification: {error}", path) from None


def _write_report(report: _VerifyReport) -> bytes:
    """A report as indented JSON."""
    return msgspec.json.format(msgspec.json.encode(report), indent=2) + b"\n"


def _verification_trace(
    report: _VerifyReport, *, run_id: str, base: str, last_lines: Sequence[str]
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


def _contrast(before: _VerifyReport, after: _VerifyReport) -> str:
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
