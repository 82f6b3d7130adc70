"""The JSON Schema of a configuration, for editors."""

from __future__ import annotations

import json
from typing import Any

import msgspec

from contract_scan.config.raw_configuration import WrittenFile

_SELECTORS = ("path", "operation", "channel", "model", "field")


def config_schema() -> dict[str, Any]:
    """The schema, made of the classes that the reader uses."""
    made = msgspec.json.schema(WrittenFile)
    named = json.loads(json.dumps(made).replace("Written", ""))
    definitions = named["$defs"]
    top = definitions.pop("File")
    for definition in definitions.values():
        definition.pop("title", None)
    definitions["Exception"]["anyOf"] = [{"required": [name]} for name in _SELECTORS]
    top["title"] = "Configuration of contract-scan"
    top["description"] = "contract-scan.toml, or the table tool.contract-scan of pyproject.toml"
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        **top,
        "$defs": definitions,
    }


def config_schema_text() -> str:
    """The schema as it is published."""
    return json.dumps(config_schema(), indent=2, ensure_ascii=False) + "\n"
