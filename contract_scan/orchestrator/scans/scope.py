"""Which files scans report on (WIRE-014A, INT-019)."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path
from typing import Literal

from contract_scan.clients import git
from contract_scan.compliance import ScanScope
from contract_scan.errors import ContractScanError

ScopeMode = Literal["full", "changed"]


def compute_changed_files(
    project_dir: Path,
    scan_scope_mode: ScopeMode,
    written: Collection[str] = (),
    *,
    changed_since: str = "HEAD",
) -> ScanScope | None:
    """The scope of the scans after a build; None: everything.

    What changed is what the tasks of the build have `written` (paths relative to the project), and
    what differs from the commit `changed_since`, where git can tell. Empty: the repository had no
    commit when the build began, so that everything has changed. Scans read all files in any case.
    """
    if scan_scope_mode == "full":
        return None
    if not changed_since and git.inside_work_tree(project_dir):
        return None
    files = {project_dir / name for name in written}
    try:
        changes = git.changed_since(project_dir, changed_since, ())
    except ContractScanError:
        return ScanScope("changed", tuple(sorted(files)))
    return ScanScope("changed", tuple(sorted({*files, *changes.files})), changes.removed)
