"""`contract-scan build`: have agents build what requirements ask for."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import TYPE_CHECKING, get_args

import click

from contract_scan.cli import status
from contract_scan.cli.completing import complete_files
from contract_scan.cli.options import option
from contract_scan.counted import counted
from contract_scan.errors import UsageError
from contract_scan.reports.display import display

if TYPE_CHECKING:
    from contract_scan.orchestrator.config import AgentTeamConfig
    from contract_scan.orchestrator.state import RunState

_CONFIGURATION = Path(".agent-team", "config.yaml")
_DEPTHS = ("quick", "standard", "thorough", "exhaustive")


@click.command("build")
@click.argument("project", default=".", metavar="[FOLDER]", shell_complete=complete_files)
@option("--prd", metavar="FILE", help="The requirements.", shell_complete=complete_files)
@option(
    "--build-config",
    "configuration",
    metavar="FILE",
    help=f"The configuration of the build.  [default: {_CONFIGURATION.as_posix()}]",
    shell_complete=complete_files,
)
@option("--depth", type=click.Choice(_DEPTHS), help="How much is done besides writing code.")
@option("--plain", is_flag=True, help="No MCP server, no agent team and no contract scan.")
@option("--resume", is_flag=True, help="Go on where the last run was interrupted.")
@option("--dry-run", is_flag=True, help="Show the stages and the configuration, and do nothing.")
@option("--status", "show_status", is_flag=True, help="Show how far the last run is.")
def command(
    project: str,
    prd: str | None,
    configuration: str | None,
    depth: str | None,
    plain: bool,
    resume: bool,
    dry_run: bool,
    show_status: bool,
) -> int:
    """Have agents build in FOLDER what requirements ask for.

    The agent (Claude Code, Codex or Aider, with whatever it may do) is a program that you have
    installed; it costs what it costs. Code is written by it, scanned by contract-scan, and handed
    back with what is wrong, until contracts are kept or a limit is reached.

    Exit status: 0 the build has passed; 1 something is left, or nothing was verified; 2 could
    not be built.
    """
    folder = Path(project)
    if show_status:
        return _show_status(folder)
    if prd is None:
        raise UsageError("name the requirements with --prd FILE")
    config = _load_configuration(folder, configuration, depth, plain=plain)
    if dry_run:
        return _show_stages(Path(prd), config)
    from contract_scan.cli.build_view import BuildView
    from contract_scan.orchestrator.pipeline import build

    view = BuildView(width=shutil.get_terminal_size().columns)
    try:
        state = build(Path(prd), config, project_dir=folder, resume=resume, observe=view)
    except KeyboardInterrupt:
        view.close()
        click.echo("Interrupted; go on with --resume.", err=True)
        raise
    finally:
        view.close()
    _print_state(state)
    return status.CLEAN if state.health == "passed" else status.VIOLATIONS


def _load_configuration(
    folder: Path, configuration: str | None, depth: str | None, *, plain: bool
) -> AgentTeamConfig:
    from contract_scan.orchestrator.config import (
        Depth,
        apply_depth_quality_gating,
        load_config,
        load_found_config,
        without_features,
    )

    found = folder / _CONFIGURATION
    if configuration is None and found.is_file():
        config, user_overrides = load_found_config(found)
    else:
        config, user_overrides = load_config(Path(configuration) if configuration else None)
    wanted = next((known for known in get_args(Depth) if known == depth), config.depth)
    config = apply_depth_quality_gating(wanted, config, user_overrides)
    return without_features(config) if plain else config


def _show_stages(prd: Path, config: AgentTeamConfig) -> int:
    from contract_scan.orchestrator.config import config_as_yaml
    from contract_scan.orchestrator.pipeline import LOOPS, read_requirements, stages_of
    from contract_scan.orchestrator.plan import milestone_waves, parse_master_plan

    text, _ = read_requirements(prd)
    for stage, enabled in stages_of(config):
        click.echo(f"{'run ' if enabled else 'skip'}  {stage.name}: {stage.title}")
    names = [loop.name for loop in LOOPS if loop.is_enabled(config)]
    click.echo(f"\nLoops of fixes: {', '.join(names) or 'none'}")
    plan = parse_master_plan(text, str(prd))
    if plan is None:
        click.echo("\nThe requirements have no milestones; an agent will plan them.")
    else:
        for number, wave in enumerate(milestone_waves(plan), start=1):
            ids = ", ".join(display(milestone.id) for milestone in wave)
            click.echo(f"{'' if number > 1 else chr(10)}Wave {number}: {ids}")
    click.echo(f"\n{config_as_yaml(config)}", nl=False)
    return status.CLEAN


def _show_status(folder: Path) -> int:
    from contract_scan.orchestrator.execution import BUILDER_FOLDER
    from contract_scan.orchestrator.state import load_state

    state = load_state(folder / BUILDER_FOLDER)
    if state is None:
        raise UsageError("there is no run", str(folder / BUILDER_FOLDER))
    _print_state(state)
    return status.CLEAN


def _print_state(state: RunState) -> None:
    click.echo(
        f"Run {display(state.run_id)} of {display(state.requirements_path)}:"
        f" {_state_in_words(state)}"
    )
    for name, milestone in state.milestones.items():
        click.echo(f"  {display(name)}: {milestone}")
    checked, total = state.requirements_checked, state.requirements_total
    click.echo(f"  Requirements: {checked} of {total}")
    report = state.contract_report
    if report is not None:
        click.echo(
            f"  Contracts: {report.verified_contracts} of {report.total_contracts} verified,"
            f" {report.violated_contracts} violated,"
            f" {report.missing_implementations} not implemented"
        )
    for name, left in state.open_findings.items():
        if left:
            click.echo(f"  {display(name)}: {counted(left, 'finding')} left")
    click.echo(f"  Cost: ${state.total_cost:.2f}")
    for note in state.notes:
        click.echo(f"  Note: {display(note)}")


def _state_in_words(state: RunState) -> str:
    if state.current_stage:
        verb = "interrupted" if state.interrupted else "is"
        return f"{verb} in the stage {display(state.current_stage)}"
    return state.health
