"""The bookshop is real code: every file of it is valid for the tools that its teams would use."""

from __future__ import annotations

import ast
import json
from pathlib import Path

import pytest
import tree_sitter_c_sharp
import tree_sitter_java
import tree_sitter_typescript
import yaml
from jsonschema import Draft202012Validator
from openapi_spec_validator import validate
from tree_sitter import Language, Node, Parser

PROJECTS = Path(__file__).parents[2] / "fixtures" / "projects"
SHOPS = ("bookshop", "bookshop-clean")
GRAMMARS = {
    ".ts": tree_sitter_typescript.language_typescript,
    ".java": tree_sitter_java.language,
    ".cs": tree_sitter_c_sharp.language,
}


def files(*suffixes: str) -> list[str]:
    return sorted(
        path.relative_to(PROJECTS).as_posix()
        for shop in SHOPS
        for path in (PROJECTS / shop).rglob("*")
        if path.suffix in suffixes
    )


def broken_lines(node: Node) -> list[int]:
    lines, waiting = [], [node]
    while waiting:
        current = waiting.pop()
        if current.is_error or current.is_missing:
            lines.append(current.start_point[0] + 1)
        waiting.extend(current.children)
    return lines


@pytest.mark.parametrize("path", files(".py"))
def test_python_compiles(path: str) -> None:
    compile((PROJECTS / path).read_text(), path, "exec", flags=ast.PyCF_ONLY_AST)


@pytest.mark.parametrize("suffix", GRAMMARS)
def test_the_grammar_understands_every_file(suffix: str) -> None:
    parser = Parser(Language(GRAMMARS[suffix]()))
    broken = {
        path: broken_lines(parser.parse((PROJECTS / path).read_bytes()).root_node)
        for path in files(suffix)
    }
    assert {path: lines for path, lines in broken.items() if lines} == {}
    assert broken


@pytest.mark.parametrize("path", files(".json"))
def test_json_parses(path: str) -> None:
    json.loads((PROJECTS / path).read_text())


@pytest.mark.parametrize("path", files(".yaml", ".yml"))
def test_yaml_parses(path: str) -> None:
    yaml.safe_load((PROJECTS / path).read_text())


@pytest.mark.parametrize(
    "path", [path for path in files(".yaml", ".json") if Path(path).stem == "openapi"]
)
def test_openapi_documents_are_valid(path: str) -> None:
    file = PROJECTS / path
    document = yaml.safe_load(file.read_text())
    validate(document, base_uri=file.as_uri())


@pytest.mark.parametrize("path", [path for path in files(".json") if path.endswith(".schema.json")])
def test_shared_models_are_valid_schemas(path: str) -> None:
    Draft202012Validator.check_schema(json.loads((PROJECTS / path).read_text()))
