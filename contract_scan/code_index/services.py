"""Which service a file belongs to."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from contract_scan.assignment import relative
from contract_scan.config import Config

_BUILD_FILES = frozenset(
    {"build.gradle", "build.gradle.kts", "package.json", "pom.xml", "pyproject.toml", "setup.py"}
)


class Services:
    """Names of services by folders: those of the configuration, else the folders that have a build
    file of their own, else the root."""

    def __init__(self, root: Path, paths: Iterable[str], config: Config) -> None:
        """`paths` are all files of the tree."""
        self._names: dict[str, str] = {"": root.name}
        if config.services:
            for service in config.services:
                for source in service.sources:
                    self._names[relative(source, root)] = service.name
            return
        for path in paths:
            folder, _, name = path.rpartition("/")
            if folder and not path.startswith("../") and _is_build_file(name):
                self._names[folder] = folder.rpartition("/")[2]

    def service_of(self, path: str) -> str:
        """The service of a root-relative path: that of the innermost folder that has one."""
        folder = path.rpartition("/")[0]
        while folder and folder not in self._names:
            folder = folder.rpartition("/")[0]
        return self._names[folder]


def _is_build_file(name: str) -> bool:
    return name in _BUILD_FILES or name.endswith(".csproj")
