"""Reasons about what contracts say."""

from __future__ import annotations

SECTIONS = ()
