"""Clients of MCP servers: sessions with server processes, and one typed client for each server.

    async with create_contract_engine_session(ContractEngineConfig()) as session:
        contract = await ContractEngineClient(session).get_contract("orders-1")

Needs the extra `mcp`, which is imported when a session is opened.
"""

from contract_scan.clients.mcp.architect import ArchitectClient
from contract_scan.clients.mcp.codebase_intelligence import (
    ArtifactResult,
    CodebaseIntelligenceClient,
    DefinitionResult,
    DependencyResult,
)
from contract_scan.clients.mcp.config import (
    ArchitectConfig,
    CodebaseIntelligenceConfig,
    ContractEngineConfig,
)
from contract_scan.clients.mcp.contract_engine import (
    ContractEngineClient,
    ContractInfo,
    ContractListing,
    ContractValidation,
    spec_hash,
)
from contract_scan.clients.mcp.entries import (
    get_contract_aware_servers,
    get_mcp_servers,
    get_project_servers,
)
from contract_scan.clients.mcp.faults import (
    MCPConnectionError,
    MCPTimeoutError,
    ToolCallError,
)
from contract_scan.clients.mcp.sessions import (
    MCPSession,
    create_architect_session,
    create_codebase_intelligence_session,
    create_contract_engine_session,
)

__all__ = [
    "ArchitectClient",
    "ArchitectConfig",
    "ArtifactResult",
    "CodebaseIntelligenceClient",
    "CodebaseIntelligenceConfig",
    "ContractEngineClient",
    "ContractEngineConfig",
    "ContractInfo",
    "ContractListing",
    "ContractValidation",
    "DefinitionResult",
    "DependencyResult",
    "MCPConnectionError",
    "MCPSession",
    "MCPTimeoutError",
    "ToolCallError",
    "create_architect_session",
    "create_codebase_intelligence_session",
    "create_contract_engine_session",
    "get_contract_aware_servers",
    "get_mcp_servers",
    "get_project_servers",
    "spec_hash",
]
