"""What starting a server over standard input and output is for all of them."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from contract_scan.errors import ContractScanError, UsageError
from contract_scan.mcp_sdk import server_class


def require_folder(root: Path) -> None:
    """Raises UsageError where the root is no folder."""
    if not root.is_dir():
        raise UsageError("is not a folder", str(root))


def require_server_class() -> Callable[..., Any]:
    """The class of servers of the MCP SDK. Raises UsageError where it is missing."""
    try:
        return server_class()
    except ImportError as error:
        raise UsageError("MCP servers need an extra: pip install 'contract-scan[mcp]'") from error


def exit_status(serve: Callable[[], None]) -> int:
    """Run a server as a program of its own; what it cannot do goes to standard error."""
    try:
        serve()
    except ContractScanError as error:
        print(f"contract-scan: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        return 130
    return 0
