"""Reasons that a comparison of contract and code comes to."""

from __future__ import annotations

SECTIONS = ()
