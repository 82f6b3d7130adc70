"""Import syntax -> what a file takes from other modules."""

from __future__ import annotations

from typing import TYPE_CHECKING

from contract_scan.parsers.source.facts.nodes import (
    Assign,
    Attribute,
    Expr,
    Import,
    Name,
    ObjectLiteral,
)
from contract_scan.parsers.source.typescript.lowering.context import (
    Lowering,
    named_children,
    tokens,
)

if TYPE_CHECKING:
    from tree_sitter import Node

_MODULE_PREFIX = "module<"

Words = tuple[str, ...]


def lower_import(context: Lowering, node: Node) -> list[Import]:
    """What an `import …` statement names, in order; a bare `import "m"` is there for its effect."""
    source = node.child_by_field_name("source")
    clause = next((c for c in named_children(node) if c.type.startswith("import_")), None)
    if clause is not None and clause.type == "import_require_clause":
        source = clause.child_by_field_name("source")
        name = next(named_children(clause), None)
        if source is None or name is None:
            return []
        return [Import(module=context.string(source), local=context.text(name))]
    if source is None:
        return []
    module = context.string(source)
    words = ("type",) if "type" in tokens(node) else ()
    if clause is None or clause.type == "import_attribute":
        return [Import(module=module, modifiers=("effect",))]
    found: list[Import] = []
    for child in named_children(clause):
        if child.type == "identifier":
            local = context.text(child)
            found.append(Import(module=module, name="default", local=local, modifiers=words))
        elif child.type == "namespace_import":
            local = context.text(child.named_children[-1])
            found.append(Import(module=module, local=local, modifiers=words))
        elif child.type == "named_imports":
            found.extend(
                Import(module=module, name=name, local=local, modifiers=words or own)
                for name, local, own in specifiers(context, child)
            )
    return found


def specifiers(context: Lowering, node: Node) -> list[tuple[str, str, Words]]:
    """(name, alias or name, modifiers) of `{ a, type b as c }`."""
    found: list[tuple[str, str, Words]] = []
    for child in named_children(node):
        name = child.child_by_field_name("name")
        if name is None:
            continue
        alias = child.child_by_field_name("alias")
        first = specifier_name(context, name)
        second = specifier_name(context, alias) if alias is not None else first
        found.append((first, second, ("type",) if "type" in tokens(child) else ()))
    return found


def specifier_name(context: Lowering, node: Node) -> str:
    """A name as it stands in a specifier: an identifier, or a text in quotes."""
    return context.string(node) if node.type == "string" else context.text(node)


def require_imports(context: Lowering, statement: Assign) -> list[Import] | None:
    """`const x = require("m")`, `const { a } = require("m")`, `const a = require("m").a` are
    imports; None where the statement is no such thing."""
    value: Expr | None = statement.value
    name = ""
    if isinstance(value, Attribute):
        name, value = value.name, value.value
    if not isinstance(value, Name) or not value.id.startswith(_MODULE_PREFIX):
        return None
    made = context.imports.get(value.id)
    if made is None:
        return None
    target = statement.target
    if isinstance(target, Name):
        return [_require(made.module, name, target.id)]
    if name or not isinstance(target, ObjectLiteral):
        return None
    if not all(
        entry.key and isinstance(entry.value, Name) and not entry.spread for entry in target.entries
    ):
        return None
    return [
        _require(made.module, entry.key or "", entry.value.id)
        for entry in target.entries
        if isinstance(entry.value, Name)
    ]


def _require(module: str, name: str, local: str) -> Import:
    return Import(module=module, name=name, local=local, modifiers=("require",))
