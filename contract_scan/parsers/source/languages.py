"""The languages that are read, each loaded when its first file is met."""

from __future__ import annotations

from importlib import import_module

from contract_scan.parsers.source.language import FrontEnd, Language

LANGUAGES = ("typescript", "python", "csharp", "java")

SUFFIXES: dict[str, str] = {
    ".ts": "typescript",
    ".tsx": "typescript",
    ".mts": "typescript",
    ".cts": "typescript",
    ".js": "typescript",
    ".jsx": "typescript",
    ".mjs": "typescript",
    ".cjs": "typescript",
    ".py": "python",
    ".cs": "csharp",
    ".java": "java",
}
"""File suffix -> language."""


def front(name: str, calls: tuple[bytes, ...]) -> FrontEnd:
    """The part of a language that reads one file alone; `calls` as in its record, which takes
    longer to load."""
    made = import_module(f"contract_scan.parsers.source.{name}.front").front(calls)
    assert isinstance(made, FrontEnd)
    return made


def load(name: str) -> Language:
    """The record of a language, its front end imported now."""
    module = import_module(f"contract_scan.parsers.source.{name}.language")
    language = module.LANGUAGE
    assert isinstance(language, Language)
    return language
