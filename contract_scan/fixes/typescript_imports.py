"""Imports that fixes of TypeScript need."""

from __future__ import annotations

from typing import TYPE_CHECKING

from contract_scan.fixes.syntax import Replacement, Syntax, child, children

if TYPE_CHECKING:
    from tree_sitter import Node


def add_import(syntax: Syntax, module: str, name: str) -> list[Replacement] | None:
    """What brings a name of a module into a file that imports from it by name already; nothing
    where it is there. None where the file imports nothing from it, or another thing so called."""
    wanted = None
    for statement in children(syntax.root, "import_statement"):
        source = statement.child_by_field_name("source")
        named = child(child(statement, "import_clause"), "named_imports")
        words = [syntax.source(each) for each in children(named, "import_specifier")]
        is_wanted = source is not None and syntax.source(source)[1:-1] == module
        if name in words:
            return [] if is_wanted else None
        if is_wanted and named is not None and words and "type" not in _keywords(syntax, statement):
            wanted = children(named, "import_specifier")[-1]
    if wanted is None:
        return None
    own_line = syntax.begins_line(wanted)
    before = f"{syntax.text.line_end}{syntax.indent(wanted)}" if own_line else " "
    return [syntax.after(wanted, f",{before}{name}")]


def _keywords(syntax: Syntax, statement: Node) -> list[str]:
    return [syntax.source(each) for each in statement.children if not each.is_named]
