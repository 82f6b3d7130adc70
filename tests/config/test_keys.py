"""Keys, their examples, the published schema and the table in the documentation are one.

`UPDATE_DOCS=1` writes the schema and the table anew.
"""

from __future__ import annotations

import json
import os
import tomllib
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from contract_scan.config import read_configuration
from contract_scan.config.keys import Key, every_key, example, keys
from contract_scan.config.schema import config_schema, config_schema_text
from contract_scan.config.toml_text import toml_of
from contract_scan.errors import ConfigurationError

ROOT = Path(__file__).parents[2]
SCHEMA = ROOT / "docs" / "schema" / "config.schema.json"
PAGE = ROOT / "docs" / "configuration.md"
BEGIN, END = "<!-- keys -->\n", "<!-- end of keys -->\n"

VALIDATOR = jsonschema.Draft202012Validator(
    config_schema(), format_checker=jsonschema.Draft202012Validator.FORMAT_CHECKER
)


def table() -> str:
    """The keys as the documentation lists them."""
    rows = ["| key | holds | meaning |", "|---|---|---|"]
    for key in every_key():
        name = f"[[{key.name}]]" if key.repeated else f"[{key.name}]" if key.inner else key.name
        more = " Required." if key.required else ""
        more += f" Default `{key.default}`." if key.default not in ("", "[]", "{}", '""') else ""
        rows.append(f"| `{name}` | {key.holds} | {key.meaning}{more} |")
    return "\n".join(rows) + "\n"


def test_the_published_schema_is_made_of_the_keys() -> None:
    if os.environ.get("UPDATE_DOCS") == "1":
        SCHEMA.write_text(config_schema_text(), encoding="utf-8")
    assert SCHEMA.read_text(encoding="utf-8") == config_schema_text()
    jsonschema.Draft202012Validator.check_schema(config_schema())


def test_the_documentation_lists_the_keys() -> None:
    page = PAGE.read_text(encoding="utf-8")
    before, _, rest = page.partition(BEGIN)
    _, _, after = rest.partition(END)
    wanted = before + BEGIN + table() + END + after
    if os.environ.get("UPDATE_DOCS") == "1":
        PAGE.write_text(wanted, encoding="utf-8")
    assert PAGE.read_text(encoding="utf-8") == wanted


def as_json(value: Any) -> Any:
    """What an editor makes of TOML before it asks the schema."""
    return json.loads(json.dumps(value, default=str))


@pytest.mark.parametrize("key", keys(), ids=lambda key: key.name)
def test_the_example_of_every_key_is_valid(key: Key, tmp_path: Path) -> None:
    for name in ("contracts", "services/orders", "services/orders-worker"):
        (tmp_path / name).mkdir(parents=True)
    (tmp_path / "contracts" / "orders.openapi.yaml").touch()
    text = example(key).replace('source = ["services/orders", "services/orders-worker"]\n', "")
    VALIDATOR.validate(as_json(tomllib.loads(text)))
    file = tmp_path / "contract-scan.toml"
    file.write_text(text)
    read_configuration(file)


def test_every_key_is_explained() -> None:
    assert [key.name for key in every_key() if not key.meaning] == []
    assert [key.name for key in every_key() if not key.inner and not key.examples] == []


@pytest.mark.parametrize(
    "text",
    [
        "selct = []",
        "jobs = 0",
        "jobs = 'many'",
        "fail-on = 'errors'",
        "[severities]\nCONTRACT-001 = 'warn'",
        "[severities]\nCONTRACT-001.type = 'warn'",
        "[limits]\nsource-bytes = 6_000_000",
        "[[services]]\nsource = '.'",
        "[[services]]\nname = ''",
        "[[exceptions]]\nrules = ['ALL']\nreason = 'r'\nowner = 'o'",
        "[[exceptions]]\nrules = []\nreason = 'r'\nowner = 'o'\npath = 'p'",
        "[[exceptions]]\nrules = ['ALL']\nreason = 'r'\npath = 'p'",
        "[[exceptions]]\nrules = ['ALL']\nreason = 'r'\nowner = 'o'\npath = 'p'\nexpires = 'soon'",
        "[contract-engine]\nenabled = 1",
    ],
)
def test_what_the_schema_refuses_the_reader_refuses(text: str, tmp_path: Path) -> None:
    assert not VALIDATOR.is_valid(as_json(tomllib.loads(text)))
    file = tmp_path / "contract-scan.toml"
    file.write_text(text)
    with pytest.raises(ConfigurationError):
        read_configuration(file)


@pytest.mark.parametrize(
    "value",
    [
        'quotes " and \\ and\nlines\ttabs',
        "control \x00 \x1f \x7f",
        "umlauts äöü 日本 🙂",
        {"a b": [1, True, {"c.d": "x"}], "e": {}},
        [],
    ],
)
def test_values_are_written_so_that_they_are_read_again(value: Any) -> None:
    assert tomllib.loads(f"x = {toml_of(value)}") == {"x": value}
