"""`contract-scan results`: what agents hand back, checked and merged."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from contract_scan.cli import status
from contract_scan.cli.completing import complete_files
from contract_scan.cli.options import option
from contract_scan.cli.outputs import write
from contract_scan.cli.small_files import read_bytes, read_text
from contract_scan.errors import UsageError
from contract_scan.reports.display import display

if TYPE_CHECKING:
    from contract_scan.agent_results.result import AgentResult

_LARGEST_REPORT = 1_000_000_000
"""Bytes of a JSON report that is read."""

_files = click.argument(
    "files", metavar="FILES...", nargs=-1, required=True, shell_complete=complete_files
)
_output_file = option(
    "--output-file",
    metavar="FILE",
    help="Write to this file rather than to standard output.",
    shell_complete=complete_files,
)


@click.group("results")
def command() -> None:
    """Check and merge the results that agents hand back.

    docs/agent-results.md describes their form.
    """


@command.command("check")
@_files
@option(
    "--root",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    help="The folder in which the places that results name must exist.",
)
def check(files: tuple[str, ...], root: Path | None) -> int:
    """Say what the results in FILES should have said and do not.

    Exit status: 0 nothing is wrong with them, 1 something is, 2 a file cannot be used.
    """
    from contract_scan.agent_results.checks import defects

    found = 0
    checked = 0
    for name, results in _read_results(files):
        for result in results:
            checked += 1
            for defect in defects(result, root):
                found += 1
                click.echo(
                    f"{display(name)}:{defect.line}: {defect.kind}: {display(defect.message)}"
                )
    click.echo(f"{checked} results, {found} defects")
    return status.VIOLATIONS if found else status.CLEAN


@command.command("merge")
@_files
@option(
    "--weight",
    "weights",
    metavar="AGENT=NUMBER",
    multiple=True,
    help="What the confidence of an agent counts; may be repeated.  [default: 1]",
)
@_output_file
def merge(files: tuple[str, ...], weights: tuple[str, ...], output_file: str | None) -> int:
    """Write the results in FILES as one: each issue once, conflicts for a person to decide.

    Exit status: 0 all succeeded and agree, 1 some did not, or they are in conflict, 2 they cannot
    be merged.
    """
    from contract_scan.agent_results.aggregation import aggregate, merged_result

    results = [result for _, group in _read_results(files) for result in group]
    whole = aggregate(results, dict(map(_weight, weights)))
    _write(merged_result(whole), output_file)
    agree = whole.status == "SUCCESS" and not whole.conflicts
    return status.CLEAN if agree else status.VIOLATIONS


@command.command("from-report")
@click.argument("report", metavar="REPORT", shell_complete=complete_files)
@_output_file
def from_report(report: str, output_file: str | None) -> int:
    """Write the JSON report of a scan as a result, so that it can be merged with those of agents.

    Exit status: 0 written, 2 the report cannot be read.
    """
    from contract_scan.agent_results.scan_report import read_scan_report, result_of_scan

    read = read_scan_report(read_bytes(report, _LARGEST_REPORT), report)
    _write(result_of_scan(read, report), output_file)
    return status.CLEAN


@command.command("problems")
@_files
@option(
    "--report",
    metavar="REPORT",
    required=True,
    help="The JSON report of the scan.",
    shell_complete=complete_files,
)
def problems(files: tuple[str, ...], report: str) -> int:
    """List the problems of a scan that issues in FILES stand for, by their fingerprints.

    Exit status: 0 there are none, 1 there are some, 2 a file cannot be used.
    """
    from contract_scan.agent_results.scan_report import problems_of, read_scan_report

    read = read_scan_report(read_bytes(report, _LARGEST_REPORT), report)
    results = [result for _, group in _read_results(files) for result in group]
    found = problems_of(results, read)
    for problem in found:
        place = problem.code or problem.contract
        at = f"{place.path}:{place.line}: " if place else ""
        click.echo(display(f"{problem.fingerprint} {at}{problem.name}: {problem.title}"))
    return status.VIOLATIONS if found else status.CLEAN


# Private helpers


def _read_results(files: Sequence[str]) -> list[tuple[str, tuple[AgentResult, ...]]]:
    from contract_scan.agent_results.markdown_form import read_results

    return [(name, read_results(read_text(name), name)) for name in files]


def _weight(text: str) -> tuple[str, float]:
    agent, _, number = text.rpartition("=")
    try:
        return agent.strip(), float(number)
    except ValueError:
        raise UsageError(f"--weight {text!r:.80}: say AGENT=NUMBER, such as auditor=2") from None


def _write(result: AgentResult, output_file: str | None) -> None:
    from contract_scan.agent_results.markdown_form import write_result

    text = write_result(result)
    if output_file is not None:
        write(iter((text,)), Path(output_file))
    else:
        write((f"{display(line)}\n" for line in text.splitlines()), None)
