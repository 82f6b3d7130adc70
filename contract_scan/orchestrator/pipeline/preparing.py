"""The stages before anything is built: requirements, backend, what is known, and the plan."""

from __future__ import annotations

import json
import re
from typing import Final

from contract_scan.clients.mcp import (
    ArchitectClient,
    CodebaseIntelligenceClient,
    ContractEngineClient,
    MCPConnectionError,
    create_architect_session,
    create_codebase_intelligence_session,
    create_contract_engine_session,
)
from contract_scan.errors import ContractScanError
from contract_scan.orchestrator.application import detect_app_type
from contract_scan.orchestrator.codebase_map import (
    CodebaseMapError,
    generate_codebase_map,
    generate_codebase_map_from_mcp,
)
from contract_scan.orchestrator.execution import ScheduledTask, WaveExecutor
from contract_scan.orchestrator.pipeline.agent_files import check_agent_files
from contract_scan.orchestrator.pipeline.run import BuildError, BuildRun, read_requirements
from contract_scan.orchestrator.plan import (
    MASTER_PLAN_FILE,
    parse_master_plan,
    render_master_plan,
)
from contract_scan.orchestrator.prompts import (
    build_decomposition_prompt,
    build_orchestrator_prompt,
    codebase_index_context,
    contract_context,
)

REQUIREMENTS_FILE: Final = "REQUIREMENTS.md"
CONTRACTS_FILE: Final = "CONTRACTS.json"
CONTRACT_CONTEXT_FILE: Final = "CONTRACT_CONTEXT.md"
CODEBASE_MAP_FILE: Final = "CODEBASE_MAP.md"
CODEBASE_INDEX_FILE: Final = "CODEBASE_INDEX.md"
TECH_RESEARCH_FILE: Final = "TECH_RESEARCH.md"
CONTRACT_TESTS: Final = "contract_tests"
_NOT_IN_NAMES: Final = re.compile(r"[^A-Za-z0-9_]+")

_SERVERS_THAT_FAIL: Final = (MCPConnectionError, ImportError, ContractScanError)


async def read_prd(run: BuildRun) -> None:
    """Read the requirements, and put them where scans look for service tables."""
    run.prd_text, run.state.requirements_hash = read_requirements(run.prd)
    if run.prd.resolve() != (run.project_dir / REQUIREMENTS_FILE).resolve():
        run.write(run.folder / REQUIREMENTS_FILE, run.prd_text)


async def choose_backend(run: BuildRun) -> None:
    """Find out which backend there is (WIRE-001), and whether it can be told of the project."""
    run.executor = await WaveExecutor.create(run.config, run.workplace)
    check_agent_files(run)


async def map_codebase(run: BuildRun) -> None:
    """Describe the code that is there: by its index where a server has one (REQ-054)."""
    intelligence = run.config.codebase_intelligence
    if intelligence.enabled and intelligence.replace_static_map:
        try:
            async with create_codebase_intelligence_session(intelligence) as session:
                client = CodebaseIntelligenceClient(session)
                run.codebase_map = await generate_codebase_map_from_mcp(run.project_dir, client)
        except _SERVERS_THAT_FAIL as error:
            run.note(f"The map of the code is made without its index: {error}")
    if not run.codebase_map:
        try:
            run.codebase_map = generate_codebase_map(run.project_dir)
        except CodebaseMapError:
            return  # there is no code yet
    run.write(run.folder / CODEBASE_MAP_FILE, run.codebase_map)


async def restore_codebase_map(run: BuildRun) -> None:
    """Take the map that was made before the interruption."""
    run.codebase_map = run.read(run.folder / CODEBASE_MAP_FILE)


async def load_contracts(run: BuildRun) -> None:
    """Take the contracts of the Contract Engine, else those of last time (REQ-055), and ask the
    servers for what prompts tell of them (REQ-060B)."""
    cache = run.folder / CONTRACTS_FILE
    engine, intelligence = run.config.contract_engine, run.config.codebase_intelligence
    if engine.enabled:
        try:
            async with create_contract_engine_session(engine) as session:
                client = ContractEngineClient(session)
                if await run.registry.load_from_mcp(client, cache) == "mcp":
                    run.registry.save_local_cache(cache)
                if engine.test_generation:
                    await _generate_tests(run, client)
                run.contract_context = await contract_context(client)
        except (*_SERVERS_THAT_FAIL, OSError) as error:
            run.note(f"The contracts of last time are used: {error}")
            if cache.exists():
                run.registry.load_from_local(cache)
        run.write(run.folder / CONTRACT_CONTEXT_FILE, run.contract_context)
    if intelligence.enabled:
        try:
            async with create_codebase_intelligence_session(intelligence) as session:
                client_of_code = CodebaseIntelligenceClient(session)
                run.codebase_index_context = await codebase_index_context(client_of_code)
        except _SERVERS_THAT_FAIL as error:
            run.note(f"The index of the code is not asked: {error}")
        run.write(run.folder / CODEBASE_INDEX_FILE, run.codebase_index_context)


async def restore_contracts(run: BuildRun) -> None:
    """Take what the servers said before the interruption: all of a run rests on the same."""
    cache = run.folder / CONTRACTS_FILE
    if run.config.contract_engine.enabled:
        if cache.exists():
            run.registry.load_from_local(cache)
        run.contract_context = run.read(run.folder / CONTRACT_CONTEXT_FILE)
    if run.config.codebase_intelligence.enabled:
        run.codebase_index_context = run.read(run.folder / CODEBASE_INDEX_FILE)


async def _generate_tests(run: BuildRun, client: ContractEngineClient) -> None:
    """Write tests of a running server for each HTTP contract, for agents to take over."""
    for contract in run.registry.contracts.values():
        if contract.contract_type != "openapi":
            continue
        text = await client.generate_tests(contract.contract_id)
        if text:
            name = _NOT_IN_NAMES.sub("_", contract.contract_id)
            run.write(run.folder / CONTRACT_TESTS / f"test_{name}.py", text)


async def research_technology(run: BuildRun) -> None:
    """Have an agent write down what is worth knowing of the technologies (REQ-083)."""
    path = run.folder / TECH_RESEARCH_FILE
    task = (
        "Research the libraries and frameworks that the requirements need and the code uses:"
        " versions, idioms, and what changed lately. Write the result to the file"
        f" `{run.relative(path)}`, and nothing else.\n\n{_capabilities(run)}"
    )
    prompt = build_orchestrator_prompt(
        task,
        role="architect",
        codebase_map=run.codebase_map,
        contract_context=run.contract_context,
        codebase_index_context=run.codebase_index_context,
        resume_context=run.resume_context,
    )
    await run.execute(ScheduledTask("tech-research", "Research technologies", prompt))
    await restore_tech_research(run)


def _capabilities(run: BuildRun) -> str:
    lines = []
    if run.config.contract_engine.enabled:
        lines.append(
            "- The Contract Engine is available: it holds contracts, validates responses, says"
            " what breaks, and generates tests."
        )
    if run.config.codebase_intelligence.enabled:
        lines.append(
            "- Codebase Intelligence is available: it knows definitions, callers, dependencies,"
            " interfaces of services and dead code."
        )
    app = detect_app_type(run.project_dir)
    listed = {
        "contract-engine": app.has_contract_engine,
        "codebase-intelligence": app.has_codebase_intelligence,
    }
    lines += [
        f"- The project's own `.mcp.json` lists {name}."
        for name, is_there in listed.items()
        if is_there
    ]
    return "\n".join(lines)


async def restore_tech_research(run: BuildRun) -> None:
    """Take what was researched before the interruption."""
    run.tech_research = run.read(run.folder / TECH_RESEARCH_FILE)


async def decompose(run: BuildRun) -> None:
    """Make the plan: the requirements themselves where they have milestones, else an agent's."""
    path = run.folder / MASTER_PLAN_FILE
    plan = parse_master_plan(run.prd_text, str(run.prd))
    if plan is None:
        prompt = build_decomposition_prompt(
            run.prd_text,
            run.relative(path),
            service_map=await _service_map(run),
            codebase_map=run.codebase_map,
            tech_research_content=run.tech_research,
            contract_context=run.contract_context,
            codebase_index_context=run.codebase_index_context,
            resume_context=run.resume_context,
        )
        done = await run.execute(ScheduledTask("plan", "Plan the build", prompt, "architect"))
        if not done.all_succeeded:
            raise BuildError(f"the plan could not be made: {done.task_results[0].error}")
        try:
            plan = parse_master_plan(run.read(path), str(path))
            if plan is None:
                raise BuildError("has no milestones; the agent did not write the plan", str(path))
        except ContractScanError:
            run.state.completed_tasks.remove("plan")  # a resumed run asks for it again
            raise
    else:
        run.write(path, render_master_plan(plan))
    for milestone in plan.milestones:
        lines = [f"# {milestone.title}", "", *(f"- [ ] {each}" for each in milestone.requirements)]
        run.write(run.requirements_of(milestone), "\n".join(lines) + "\n")
        run.state.milestones[milestone.id] = "PENDING"
    run.plan = plan


async def restore_plan(run: BuildRun) -> None:
    """Take the plan that was made before the interruption."""
    path = run.folder / MASTER_PLAN_FILE
    run.plan = parse_master_plan(run.read(path), str(path))
    if run.plan is None:
        raise BuildError("has no milestones any more; start anew without --resume", str(path))


async def _service_map(run: BuildRun) -> str:
    """What the Architect makes of the requirements (INT-003); empty where it is not there."""
    if not run.config.architect.enabled:
        return ""
    try:
        async with create_architect_session(run.config.architect) as session:
            decomposed = await ArchitectClient(session).decompose(run.prd_text)
    except _SERVERS_THAT_FAIL as error:
        run.note(f"The plan is made without the Architect: {error}")
        return ""
    services = decomposed.get("service_map")
    return json.dumps(services, indent=2, ensure_ascii=False) if services else ""
