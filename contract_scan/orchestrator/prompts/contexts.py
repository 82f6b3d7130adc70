"""What servers know, as texts for prompts. A server that fails gives an empty text (REQ-060B)."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from typing import Any, Final

from contract_scan.clients.mcp import CodebaseIntelligenceClient, ContractEngineClient

logger = logging.getLogger(__name__)

_QUERY: Final = "architecture overview"
_MOST: Final = 100


async def contract_context(client: ContractEngineClient) -> str:
    """The contracts that nothing implements yet, one a line."""
    try:
        contracts = await client.get_unimplemented_contracts()
    except Exception:
        logger.warning("The Contract Engine cannot be asked", exc_info=True)
        return ""
    return _lines(contracts, (("id",), ("type",), ("version",), ("expected_service",)))


async def codebase_index_context(client: CodebaseIntelligenceClient) -> str:
    """The places that matter most for the architecture, one a line."""
    try:
        places = await client.search_semantic(_QUERY)
    except Exception:
        logger.warning("Codebase Intelligence cannot be asked", exc_info=True)
        return ""
    # Servers of others than ours say `symbol_type` and `line_start`.
    return _lines(
        places, (("symbol_name",), ("kind", "symbol_type"), ("file_path",), ("line", "line_start"))
    )


def _lines(rows: Sequence[Mapping[str, Any]], columns: Sequence[Sequence[str]]) -> str:
    """A line for each row; a column is the first of its keys that the row has."""
    shown = [
        " ".join(filter(None, (_first_value(row, keys) for keys in columns)))
        for row in rows[:_MOST]
    ]
    return "\n".join(f"- {line}" for line in shown if line)


def _first_value(row: Mapping[str, Any], keys: Sequence[str]) -> str:
    return next((str(row[key]) for key in keys if row.get(key) not in (None, "")), "")
