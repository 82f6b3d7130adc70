"""Default exports of TypeScript: what a module exports without a name, and the names that other
modules give it."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import TYPE_CHECKING

from contract_scan.fixes.constructions import text_of
from contract_scan.fixes.syntax import child, children

if TYPE_CHECKING:
    from tree_sitter import Node


def module_name(path: str) -> str:
    """By what imports name a module last: its file, or the folder whose `index` it is."""
    *folders, last = path.split("/")
    name = last.partition(".")[0]
    return folders[-1] if name == "index" and folders else name


def import_pattern(modules: Iterable[str]) -> re.Pattern[bytes]:
    """Finds a text that names one of the modules as imports do."""
    names = b"|".join(sorted(re.escape(name).encode() for name in modules))
    return re.compile(rb"[\x22\x27/](?:" + names + rb")(?:/index)?(?:\.[\w.-]{1,40})?[\x22\x27]")


def exported_by_default(statement: Node) -> str:
    """The class that a statement of TypeScript makes the default export; empty where it is none."""
    if child(statement, "default") is not None:
        exported = statement.child_by_field_name("declaration") or child(statement, "identifier")
        named = exported.child_by_field_name("name") if exported is not None else None
        return text_of(named or exported)
    for each in children(child(statement, "export_clause"), "export_specifier"):
        if text_of(each.child_by_field_name("alias")) == "default":
            return text_of(each.child_by_field_name("name"))
    return ""


def imported_by_default(statement: Node) -> dict[str, str]:
    """The names that a statement of TypeScript gives to what a module exports by default, each with
    the name of the module."""
    source = text_of(statement.child_by_field_name("source")).strip("\"'")
    clause = child(statement, "import_clause")
    names = [text_of(each) for each in children(clause, "identifier")]
    listed = child(clause, "named_imports") or child(statement, "export_clause")
    names += [
        text_of(each.child_by_field_name("alias"))
        for each in children(listed, "import_specifier", "export_specifier")
        if source and text_of(each.child_by_field_name("name")) == "default"
    ]
    return dict.fromkeys(filter(None, names), module_name(source))
