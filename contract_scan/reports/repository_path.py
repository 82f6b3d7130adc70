"""Paths as the services that host repositories want them: relative to the repository."""

from __future__ import annotations

import posixpath

from contract_scan.reports.report import Setting


def repository_path(path: str, setting: Setting) -> str:
    """A path of a finding as seen from the repository around the root, where there is one."""
    root, repository = setting.root, setting.repository
    if repository is None or not root.is_relative_to(repository):
        return posixpath.normpath(path)
    return posixpath.normpath(posixpath.join(root.relative_to(repository).as_posix(), path))
