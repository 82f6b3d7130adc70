"""The tools of the MCP servers that agents may call, as their instructions describe them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True)
class Tool:
    """A tool: its name, what it does, and its parameters with what they mean."""

    name: str
    purpose: str
    parameters: tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class Server:
    """An MCP server: its title, and its tools."""

    title: str
    tools: tuple[Tool, ...]


_CONTRACT_ID: Final = ("contract_id", "id of the contract")
_SERVICE: Final = ("service_name", "name of the service")
_ONE_SERVICE: Final = ("service_name", "optional: this service only")
_LANGUAGE: Final = ("language", "optional: this programming language only")

SERVERS: Final[Mapping[str, Server]] = {
    "contract-engine": Server(
        "Contract Engine",
        (
            Tool("get_contract", "a contract with its specification", (_CONTRACT_ID,)),
            Tool(
                "validate_endpoint",
                "whether a response keeps the contract of its endpoint",
                (
                    _SERVICE,
                    ("method", "HTTP method"),
                    ("path", "path of the request"),
                    ("response_body", "the response, as JSON"),
                    ("status_code", "status of the response; 200 by default"),
                ),
            ),
            Tool(
                "generate_tests",
                "tests that hold an implementation against its contract",
                (
                    _CONTRACT_ID,
                    ("framework", "`pytest` (default) or `jest`"),
                    ("include_negative", "also requests that have to be refused"),
                ),
            ),
            Tool(
                "check_breaking_changes",
                "what a new specification breaks for consumers",
                (_CONTRACT_ID, ("new_spec", "the whole new specification, as JSON")),
            ),
            Tool(
                "mark_implemented",
                "says that a service implements a contract",
                (
                    _CONTRACT_ID,
                    _SERVICE,
                    ("evidence_path", "file that implements it, relative to the project"),
                ),
            ),
            Tool(
                "get_unimplemented_contracts",
                "the contracts that nothing implements yet",
                (_ONE_SERVICE,),
            ),
        ),
    ),
    "codebase-intelligence": Server(
        "Codebase Intelligence",
        (
            Tool(
                "find_definition",
                "where a symbol is defined",
                (("symbol", "name of the symbol"), _LANGUAGE),
            ),
            Tool(
                "find_callers",
                "what calls a symbol",
                (("symbol", "name of the symbol"), ("max_results", "at most as many; 50")),
            ),
            Tool(
                "find_dependencies",
                "what a file imports, and what imports it",
                (("file_path", "path of the file"),),
            ),
            Tool(
                "search_semantic",
                "code by what it does",
                (
                    ("query", "what the code does, in words"),
                    _LANGUAGE,
                    _ONE_SERVICE,
                    ("n_results", "at most as many; 10"),
                ),
            ),
            Tool(
                "get_service_interface",
                "the endpoints of a service, and its events",
                (_SERVICE,),
            ),
            Tool("check_dead_code", "what nothing uses", (_ONE_SERVICE,)),
            Tool(
                "register_artifact",
                "puts a file that was written into the index",
                (("file_path", "path of the file"), _SERVICE),
            ),
        ),
    ),
}
"""By the name that the server has in configurations."""

FIRST_TOOLS: Final[Mapping[str, tuple[str, ...]]] = {
    "architect": ("get_unimplemented_contracts", "get_contract", "search_semantic"),
    "code-writer": ("get_contract", "validate_endpoint", "register_artifact"),
    "code-reviewer": ("get_contract", "find_callers", "find_dependencies"),
    "test-engineer": ("generate_tests", "get_contract", "get_service_interface"),
    "wiring-verifier": ("find_dependencies", "check_dead_code", "get_service_interface"),
}
"""Role -> the tools that it needs most."""
