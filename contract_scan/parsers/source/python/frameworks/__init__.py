"""The libraries whose routes and events are read, one file each."""

from __future__ import annotations

from contract_scan.parsers.source.language import Framework
from contract_scan.parsers.source.python.frameworks import fastapi

FRAMEWORKS: tuple[Framework, ...] = (fastapi.FRAMEWORK,)
"""Every framework that is read."""
