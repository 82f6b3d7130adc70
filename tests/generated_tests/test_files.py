"""What generated files hold: the same each time, and nothing of a contract but literals."""

from __future__ import annotations

import ast
import json
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

from contract_scan import api
from contract_scan.cli.main import main
from contract_scan.errors import ContractError

HERE = Path(__file__).parent
ATTACKS = (
    '"""\nimport os; os.abort()\n"""',
    "'); process.exit(1); ('",
    "*/ process.exit(1) /*",
    "`${process.exit(1)}`",
    "\u2028process.exit(1)//",
    "</script>\\u0027\\",
    "__proto__",
)


def hostile(text: str) -> dict[str, Any]:
    schema = {
        "type": "object",
        "title": text,
        "description": text,
        "required": [text],
        "properties": {text: {"type": "string", "enum": [text]}},
    }
    return {
        "openapi": "3.1.0",
        "info": {"title": text, "version": text},
        "paths": {
            f"/a/{text}".replace("\n", " "): {
                "post": {
                    "operationId": text,
                    "summary": text,
                    "description": text,
                    "tags": [text],
                    "parameters": [
                        {"name": text, "in": "query", "schema": {"type": "string", "enum": [text]}}
                    ],
                    "requestBody": {
                        "required": True,
                        "content": {"application/json": {"schema": schema}},
                    },
                    "responses": {
                        "200": {
                            "description": text,
                            "content": {"application/json": {"schema": schema}},
                        }
                    },
                }
            }
        },
    }


@pytest.mark.parametrize("text", ATTACKS)
def test_a_hostile_contract_puts_no_code_into_pytest_files(text: str) -> None:
    plain = ast.parse(api.generate_tests(hostile("a"), "pytest"))
    file = ast.parse(api.generate_tests(hostile(text), "pytest"))
    assert [_statement(one) for one in file.body] == [_statement(one) for one in plain.body]
    tables = [one for one in file.body if isinstance(one, ast.Assign) and _is_table(one)]
    assert len(tables) == 4
    for table in tables:
        ast.literal_eval(table.value)


@pytest.mark.parametrize("base", ["@elsewhere.test", ".elsewhere.test", "//elsewhere.test", "0/v1"])
def test_tests_speak_to_no_other_host_than_they_are_told_of(base: str) -> None:
    paths = {"@elsewhere.test": {"get": {"responses": {"200": {"description": "fine"}}}}}
    info = {"title": "t", "version": "1"}
    for versioned in (
        {"swagger": "2.0", "basePath": base},
        {"openapi": "3.0.3", "servers": [{"url": base}]},
    ):
        file = ast.parse(api.generate_tests({**versioned, "info": info, "paths": paths}, "pytest"))
        tables = [one for one in file.body if isinstance(one, ast.Assign) and _is_table(one)]
        address, operations = (ast.literal_eval(tables[number].value) for number in (1, 3))
        path = operations["get_elsewhere_test"]["path"]
        assert urlsplit(address + path).netloc == "localhost:8000"


def _is_table(statement: ast.Assign) -> bool:
    (target,) = statement.targets
    names = ("CONTRACT", "DEFAULT_BASE_URL", "DEFINITIONS", "OPERATIONS")
    return isinstance(target, ast.Name) and target.id in names


def _statement(statement: ast.stmt) -> str:
    """A statement without what is data, and without the words in names of tests."""
    if isinstance(statement, ast.Assign) and _is_table(statement):
        return "table"
    return re.sub(r"post_a_\w*", "post", ast.dump(statement))


@pytest.mark.skipif(shutil.which("node") is None, reason="node is not installed")
@pytest.mark.parametrize("text", ATTACKS)
def test_a_hostile_contract_puts_no_code_into_jest_files(text: str, tmp_path: Path) -> None:
    file = api.generate_tests(hostile(text), "jest")
    assert file.isascii()
    # Run it to its end with stand-ins for the packages: whatever was injected would run, too.
    runner = (
        "const seen = []; const describe = (name, body) => { seen.push(name); body(); };\n"
        "const test = (name) => seen.push(name); test.skip = test;\n"
        "const require = () => Object.assign(function () {}, { default() {} });\n"
        f"{file}\n"
        "console.log(JSON.stringify([seen, Object.values(OPERATIONS).map((one) => one.path)]));\n"
    )
    (tmp_path / "run.js").write_text(runner)
    done = subprocess.run(
        ["node", "run.js"], cwd=tmp_path, capture_output=True, text=True, check=False, timeout=300
    )
    assert done.returncode == 0, done.stderr
    names, paths = json.loads(done.stdout)
    assert names[0] == f"{text} {text}".strip()
    assert all(re.fullmatch(r"[a-z0-9_]+", name) for name in names[1:])
    assert paths == [f"/a/{text}".replace("\n", " ").partition("?")[0].partition("#")[0]]


@pytest.mark.parametrize("framework", ["pytest", "jest"])
def test_the_same_contract_gives_the_same_file(framework: Any) -> None:
    files = {api.generate_tests(HERE / "shop.yaml", framework) for _ in range(2)}
    assert len(files) == 1


def test_the_verb_writes_a_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "test_shop.py"
    contract = str(HERE / "shop.yaml")
    assert main(["generate-tests", contract, "--output-file", str(file)]) == 0
    assert file.read_text() == api.generate_tests(HERE / "shop.yaml", "pytest")
    assert main(["generate-tests", contract, "--framework", "jest", "--no-negative"]) == 0
    expected = api.generate_tests(HERE / "shop.yaml", "jest", include_negative=False)
    assert capsys.readouterr().out == expected
    assert '"negative"' not in expected.partition("const Ajv")[0]


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ({}, "is no OpenAPI document: it gives no `openapi` or `swagger` version"),
        ({"openapi": "4.0.0"}, "`openapi: 4.0.0` is a version that is not read"),
        ({"openapi": "3.1.0", "paths": []}, "`paths` must be a mapping"),
        (
            {"openapi": "3.1.0", "paths": {"/a": {"$ref": "other.yaml"}}},
            "$ref `other.yaml` leads to a file that does not exist",
        ),
    ],
)
def test_contracts_that_cannot_be_read(spec: dict[str, Any], message: str) -> None:
    with pytest.raises(ContractError) as refused:
        api.generate_tests(spec)
    assert refused.value.message == message
