"""What a program says of its files is the same whether files are filtered or not."""

from __future__ import annotations

from pathlib import Path

import pytest

from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import ClassValue
from contract_scan.parsers.source.analysis.session import Session
from contract_scan.parsers.source.discovery.discover import SourceTree
from contract_scan.parsers.source.languages import SUFFIXES
from contract_scan.parsers.source.reader import SourceReader
from contract_scan.parsers.source.store import Store
from tests.parsers.source.analysis.support import BARE_PYTHON

FILES = {
    "base.py": "class Base: ...\n",
    "middle.py": "from base import Base\nclass Middle(Base): ...\nclass Inner(Middle): ...\n",
    "outer.py": "from middle import Middle\nclass Outer(Middle): ...\n",
}


@pytest.fixture(params=[True, False], ids=["filtered", "unfiltered"])
def linked(request: pytest.FixtureRequest, tmp_path: Path) -> Program:
    for name, text in FILES.items():
        (tmp_path / name).write_text(text)
    tree = SourceTree(tmp_path, SUFFIXES)
    reader = SourceReader(tree, {"python": BARE_PYTHON}, Store(None), filter=request.param)
    return Session(BARE_PYTHON, reader)


def test_a_text_is_mentioned_where_it_stands(linked: Program) -> None:
    assert linked.any_file_contains(b"class Outer", b"class Nobody")
    assert not linked.any_file_contains(b"class Nobody")


def test_implementations_are_looked_for_where_the_class_is_named(linked: Program) -> None:
    base = linked.names.lookup("Base", linked.module_scope(linked.facts("base.py")))
    assert isinstance(base, ClassValue)
    found = linked.names.classes.implementations(base.symbol)
    assert [symbol.decl.name for symbol in found] == ["Middle", "Inner"]
