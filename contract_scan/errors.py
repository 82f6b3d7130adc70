"""Errors that a user can mend: one clear line, exit status 2, no traceback."""

from __future__ import annotations


class ContractScanError(Exception):
    """Base of all errors that contract-scan raises on purpose.

    `str(error)` is the one line a user sees: it names the file (and line, where there is one) and
    what to do.
    """

    def __init__(self, message: str, path: str = "", line: int = 0) -> None:
        self.message = message
        self.path = path
        self.line = line
        place = f"{path}:{line}: " if path and line else f"{path}: " if path else ""
        super().__init__(place + message)


class UsageError(ContractScanError):
    """The command line or an argument of the library is wrong."""


class ConfigurationError(ContractScanError):
    """A configuration file cannot be read or says something that is not allowed."""


class ContractError(ContractScanError):
    """A contract cannot be read."""


class SourceError(ContractScanError):
    """Source code cannot be read."""
