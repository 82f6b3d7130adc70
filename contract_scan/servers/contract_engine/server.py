"""The Contract Engine as a server of the MCP SDK: tools, resources and a prompt by their names."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from contract_scan import api
from contract_scan.servers.contract_engine.app import ContractEngine
from contract_scan.servers.tools import add_tools

INSTRUCTIONS = """\
A registry of the contracts between services (OpenAPI, AsyncAPI, JSON Schema), and a scanner that
says whether source code keeps them. Call `scan` after an edit: every finding names the place in the
code and the place in the contract. A result with the key `error` says what to do differently.
"""


def build_server(server_class: Callable[..., Any], engine: ContractEngine) -> Any:
    """The server of the MCP SDK (either major) with everything in it, ready to `run("stdio")`."""
    server = server_class("contract-engine", instructions=INSTRUCTIONS)
    add_tools(
        server,
        (
            engine.create_contract,
            engine.list_contracts,
            engine.get_contract,
            engine.validate_spec,
            engine.mark_implemented,
            engine.get_unimplemented_contracts,
            engine.check_breaking_changes,
            engine.generate_tests,
            engine.check_compliance,
            engine.validate_endpoint,
            engine.get_history,
            engine.scan,
            engine.explain,
        ),
    )
    server.resource(
        "contract://{contract_id}",
        name="contract",
        description="A registered contract: its record with the specification.",
        mime_type="application/json",
    )(_contract_reader(engine))
    for rule_id in sorted(api.rule_pages()):
        server.resource(
            f"rule://{rule_id}",
            name=rule_id,
            description=f"What {rule_id} promises, why, and when it stays silent.",
            mime_type="text/markdown",
        )(_page(engine, rule_id))
    server.prompt(name="fix-finding", description="Ask for a finding of `scan` to be fixed.")(
        _prompt(engine)
    )
    return server


def _contract_reader(engine: ContractEngine) -> Callable[..., Any]:
    async def read(contract_id: str) -> str:
        from anyio import to_thread

        return await to_thread.run_sync(engine.contract_text, contract_id)

    return read


def _page(engine: ContractEngine, rule_id: str) -> Callable[[], str]:
    def read() -> str:
        return engine.rule_text(rule_id)

    return read


def _prompt(engine: ContractEngine) -> Callable[..., Any]:
    async def fix_finding(finding: str, path: str = ".") -> str:
        """Ask for a finding (its fingerprint or place) to be fixed."""
        from anyio import to_thread

        return await to_thread.run_sync(engine.fix_request, finding, path)

    return fix_finding
