"""`contract-scan fleet`: compare many repositories as one."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

import click
from msgspec.structs import replace

from contract_scan.cli import status
from contract_scan.cli.completing import complete_files, complete_reports, complete_words
from contract_scan.cli.options import available_cores, caching, option
from contract_scan.cli.outputs import Output, parse_outputs, shown_sorts, write, write_report
from contract_scan.cli.terminal import (
    PLAIN_COLUMNS,
    ColorChoice,
    Progress,
    columns_of,
    shows_links,
    wants_color,
)
from contract_scan.config import FAIL_ON, FailOn
from contract_scan.config.confinement import is_confined
from contract_scan.errors import UsageError
from contract_scan.reports.display import display
from contract_scan.reports.formats import FORMATS
from contract_scan.reports.listing_choice import SHOWN, Show

if TYPE_CHECKING:
    from contract_scan.fleet.repositories import Repository
    from contract_scan.fleet.run import FinishedRepository, FleetOutcome
    from contract_scan.reports.report import Setting


@click.command("fleet")
@click.argument("file", metavar="FILE-OF-REPOSITORIES", shell_complete=complete_files)
@option(
    "--executor",
    default="processes",
    metavar="NAME[:ADDRESS]",
    shell_complete=complete_words(("processes", "dask:")),
    help="What reads the repositories: `processes` of this machine, or the workers of"
    " `dask:HOST:PORT`.  [default: processes]",
)
@option(
    "--jobs",
    "-j",
    type=click.IntRange(min=1),
    metavar="N",
    help="Processes that read at a time.  [default: all cores]",
)
@option("--resume", is_flag=True, help="Take what an interrupted run of this list had read.")
@option(
    "--output-format",
    "output_formats",
    multiple=True,
    metavar="FORMAT[=FILE]",
    shell_complete=complete_reports(FORMATS),
    help=f"One of {', '.join(FORMATS)}; may be repeated.  [default: full]",
)
@option(
    "--output-file",
    "-o",
    metavar="FILE",
    help="Write the report there.",
    shell_complete=complete_files,
)
@option(
    "--team-report",
    metavar="FILE",
    shell_complete=complete_files,
    help="Write each team's share there: JSON for a name that ends in .json, else Markdown.",
)
@option("--exit-zero", "-e", is_flag=True, help="Exit with 0 whatever is found or missed.")
@option(
    "--fail-on",
    type=click.Choice(FAIL_ON),
    default="error",
    help="Mildest severity that makes the exit status 1.  [default: error]",
)
@option(
    "--color",
    type=click.Choice(("auto", "always", "never")),
    default="auto",
    help="When to use colours.  [default: auto]",
)
@option(
    "--show",
    multiple=True,
    metavar="WHAT",
    shell_complete=complete_words(SHOWN, lists=True),
    help=f"What reports for people list, separated by commas: {', '.join(SHOWN)}."
    "  [default: problems]",
)
@caching
@option("--quiet", "-q", is_flag=True, help="Print problems only, and no progress.")
@option("--verbose", "-v", is_flag=True, help="Name every place that is undetermined.")
def command(
    file: str,
    executor: str,
    jobs: int | None,
    resume: bool,
    output_formats: tuple[str, ...],
    output_file: str | None,
    team_report: str | None,
    exit_zero: bool,
    fail_on: FailOn,
    color: ColorChoice,
    show: tuple[str, ...],
    no_cache: bool,
    cache_dir: str | None,
    quiet: bool,
    verbose: bool,
) -> int:
    """Compare the repositories that a file lists, as one: what a contract of one of them says is
    held against the code of the others, too.

    The file names a folder a line, or says more of each in TOML or YAML (docs/fleet.md). Nothing is
    fetched.

    Exit status: 0 clean, 1 violations, 2 a repository was not scanned or something could not be
    judged, 130 interrupted.
    """
    from contract_scan.fleet.executors import open_executor
    from contract_scan.fleet.journal import Journal
    from contract_scan.fleet.repositories import read_repositories
    from contract_scan.fleet.run import scan_fleet

    outputs = parse_outputs(output_formats, output_file)
    shown = shown_sorts(show, fail_on)
    if team_report is not None and not Path(team_report).absolute().parent.is_dir():
        raise UsageError("the folder to write to does not exist", team_report)
    listed = Path(file).absolute()
    repositories = read_repositories(listed)
    place = False if no_cache else str(Path(cache_dir).absolute()) if cache_dir else True
    if resume and no_cache:
        raise UsageError("--resume and --no-cache exclude each other")
    progress = _FleetProgress(quiet=quiet)
    with (
        open_executor(executor, jobs or available_cores()) as opened,
        closing(Journal(str(listed.resolve()), place)) as journal,
    ):
        if not resume:
            journal.clear()
        outcome = scan_fleet(
            repositories, opened, cache=place, journal=journal, finished=progress.show_finished
        )
        progress.clear()
        if not outcome.failures:
            journal.clear()
    with _common_root(repositories, listed.parent) as root:
        for output in outputs:
            setting = _setting(output, root, fail_on, color, shown)
            setting = replace(setting, quiet=quiet, verbose=verbose)
            write_report(output, outcome.report, setting)
    if team_report is not None:
        _write_teams(outcome, repositories, Path(team_report))
    _name_failures(outcome)
    if exit_zero:
        return status.CLEAN
    if outcome.failures:
        return status.COULD_NOT_JUDGE
    return status.of_report(outcome.report, fail_on)


class _FleetProgress:
    """A line for each repository, and on a terminal one that is redrawn."""

    def __init__(self, *, quiet: bool) -> None:
        self._quiet = quiet
        self._line = Progress(enabled=not quiet)

    def show_finished(self, one: FinishedRepository) -> None:
        """Say how it went with a repository."""
        if self._quiet:
            return
        self._line.clear()
        files = "1 file" if one.files == 1 else f"{one.files} files"
        went = f"not scanned: {one.failure}" if one.failure else f"{files}, {one.cpu:.1f} s"
        before = " (read before)" if one.resumed else ""
        print(display(f"[{one.done}/{one.total}] {one.name}: {went}{before}"), file=sys.stderr)
        if one.done < one.total:
            self._line("repositories", one.done, one.total)

    def clear(self) -> None:
        """Wipe the line that is redrawn."""
        self._line.clear()


@contextmanager
def _common_root(repositories: Sequence[Repository], base: Path) -> Iterator[Path]:
    """A folder in which every path of the report leads to its file: that of the list, else one with
    a link to each repository."""
    own = base.resolve()
    if all(own / repository.name == repository.path for repository in repositories):
        yield own
        return
    with TemporaryDirectory(prefix="contract-scan-") as folder:
        for repository in repositories:
            link = Path(folder, repository.name)
            if not is_confined(link.parent, Path(folder).resolve()):
                continue  # it lies in another one, into which nothing is written
            try:
                link.parent.mkdir(parents=True, exist_ok=True)
                link.symlink_to(repository.path, target_is_directory=True)
            except OSError:
                continue  # its lines are not shown, its findings are
        yield Path(folder)


def _setting(
    output: Output, root: Path, fail_on: FailOn, color: ColorChoice, shown: frozenset[Show]
) -> Setting:
    from contract_scan import __version__
    from contract_scan.reports.report import Setting
    from contract_scan.scanners.kinds.page import kind_infos

    return Setting(
        root=root,
        version=__version__,
        rules=kind_infos() if output.format == "sarif" else (),
        color=output.file is None and wants_color(color, sys.stdout),
        links=output.file is None and shows_links(color, sys.stdout),
        columns=columns_of(sys.stdout) if output.file is None else PLAIN_COLUMNS,
        fail_on=fail_on,
        show=shown,
    )


def _write_teams(outcome: FleetOutcome, repositories: Sequence[Repository], file: Path) -> None:
    from contract_scan.fleet.teams import shares_of_teams, team_json, team_markdown

    shares = shares_of_teams(outcome.report, repositories, outcome.failures)
    write([team_json(shares) if file.suffix == ".json" else team_markdown(shares)], file)


def _name_failures(outcome: FleetOutcome) -> None:
    number = len(outcome.failures)
    if number:
        said = "1 repository was" if number == 1 else f"{number} repositories were"
        print(f"contract-scan: {said} not scanned:", file=sys.stderr)
    for name, why in sorted(outcome.failures.items()):
        print(display(f"  {name}: {why}"), file=sys.stderr)
