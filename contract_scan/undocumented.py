"""What contracts would say of the routes that are in none of them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from contract_scan.api import open_code
from contract_scan.cache import Place
from contract_scan.config import Config
from contract_scan.fixes.change import AddOperation
from contract_scan.fixes.contract_fixes import Additions
from contract_scan.ir.document import ContractDocument
from contract_scan.ir.operation import with_answers
from contract_scan.ir.violation import OperationRef
from contract_scan.reports.extract_openapi import METHODS, operation_item
from contract_scan.reports.json_schema import SchemaWriter
from contract_scan.scanners.rule import PairedUnit


def additions(
    root: Path,
    *,
    contracts: Sequence[Path] = (),
    config: Config | None = None,
    cache: Place = True,
) -> Additions:
    """An operation for each route without a contract where one OpenAPI file alone governs it, and
    the method has a word of its own. Arguments as for `scan`."""
    with open_code(root, config=config, cache=cache) as code:
        return {
            reference: addition
            for paired in code.pair(contracts)
            for reference, addition in _additions_of(paired)
        }


def _additions_of(paired: PairedUnit) -> Iterator[tuple[OperationRef, AddOperation]]:
    documents = [each for each in paired.unit.documents if _is_openapi(each)]
    if len(documents) != 1:
        return
    for entry in paired.operations.undocumented:
        method = entry.route.method.lower()
        if method not in METHODS:
            continue
        writer = SchemaWriter(paired.unit.code, "#/components/schemas", inline=True)
        items = operation_item(with_answers(entry.route), writer)
        for path, item in items.items():
            written = _contract_path(entry.path, path)
            if written is not None and method in item:
                reference = OperationRef(method=entry.route.method, path=entry.path)
                addition = AddOperation(
                    documents[0].path, method, written, item[method], entry.folds_case
                )
                yield reference, addition


def _is_openapi(document: ContractDocument) -> bool:
    return document.kind == "openapi" and bool(document.operations)


def _contract_path(path: str, template: str) -> str | None:
    """The path as the contract would write it, its parameters called as in the whole template."""
    named = template.split("/")
    parts = path.strip("/").split("/") if path.strip("/") else []
    if len(parts) >= len(named):
        return None
    both = zip(parts, named[len(named) - len(parts) :], strict=True)
    written = "/".join(name if "{" in name else part for part, name in both)
    return f"/{written}{'/' if written and path.endswith('/') else ''}"
