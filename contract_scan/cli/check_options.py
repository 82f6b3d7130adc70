"""The options of `contract-scan check`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal

import click

from contract_scan.cli.completing import complete_files, complete_reports, complete_words
from contract_scan.cli.fix import FixOptions
from contract_scan.cli.options import Command, option, scanning
from contract_scan.cli.settings import ScanOptions
from contract_scan.cli.terminal import ColorChoice
from contract_scan.config import FAIL_ON, LEVELS, FailOn, Level
from contract_scan.config.rules import SELECTORS
from contract_scan.ir.evidence import GRADES, Grade
from contract_scan.reports.formats import FORMATS
from contract_scan.reports.listing_choice import SHOWN


class CheckOptions(ScanOptions, FixOptions):
    """The values of all options of the verb."""

    changed: str | None
    add_ignore: str | None
    staged: bool
    stdin_filename: str | None
    files_from: str | None

    contracts: tuple[str, ...]
    select: tuple[str, ...]
    extend_select: tuple[str, ...]
    ignore: tuple[str, ...]
    output_formats: tuple[str, ...]
    output_file: str | None
    exit_zero: bool
    fixable: tuple[str, ...]
    unfixable: tuple[str, ...]
    fail_on: FailOn | None
    max_warnings: int | None
    min_verified: int | None
    min_confidence: Grade | None
    min_severity: Level | None
    validate: bool
    allow_empty: bool
    watch: bool
    baseline: str | None
    color: ColorChoice
    suppressed: Literal["auto", "always", "never"]
    show_settings: bool
    show_files: bool
    show: tuple[str, ...]
    statistics: bool
    quiet: bool
    verbose: bool


_ALONE = {"--changed": "HEAD", "--add-ignore": "say why"}
"""Options that may stand without a value, and what is meant then."""


_HEADINGS = {
    "Files": "--contract --exclude --extend-exclude --changed --staged --files-from"
    " --stdin-filename --show-files",
    "Rules": "--select --extend-select --ignore --min-severity --min-confidence --baseline"
    " --no-baseline --add-ignore --validate",
    "Fixes": "--fix --unsafe-fixes --fixable --unfixable --diff --show-fixes",
    "Output": "--output-format --output-file --show --statistics --quiet --verbose --color"
    " --suppressed",
    "Exit status": "--fail-on --max-warnings --min-verified --allow-empty --exit-zero",
    "Settings": "--config --isolated --show-settings",
    "Run": "--watch --no-cache --cache-dir --jobs --memory-limit --help",
}
"""What the help lists options under: forty are too many for one list."""


class CheckCommand(click.Command):
    """A command of which some options may stand with or without a value."""

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The options below their headings; one without a heading at the end."""
        records = {
            max(parameter.opts, key=len): record
            for parameter in self.get_params(ctx)
            if isinstance(parameter, click.Option)
            and (record := parameter.get_help_record(ctx)) is not None
        }
        for heading, names in _HEADINGS.items():
            with formatter.section(heading):
                formatter.write_dl([records.pop(name) for name in names.split()])
        if records:
            with formatter.section("Options"):
                formatter.write_dl([*records.values()])

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Such an option alone has a default value, and never takes the next word for one."""
        words = args[: args.index("--")] if "--" in args else args
        given = [f"{word}={_ALONE[word]}" if word in _ALONE else word for word in words]
        return super().parse_args(ctx, [*given, *args[len(words) :]])


def check_options(command: Command) -> Command:
    """All options of the verb."""
    for decorate in reversed(_CHECKING):
        command = decorate(command)
    return scanning(command)


_CHECKING: tuple[Callable[[Any], Any], ...] = (
    option(
        "--changed",
        metavar="[=REF]",
        help="Report only what concerns files that differ from the last commit (or from where the"
        " branch parted from REF). Everything is read all the same.",
    ),
    option(
        "--staged", is_flag=True, help="Report only what concerns the files of the next commit."
    ),
    option(
        "--stdin-filename",
        metavar="PATH",
        shell_complete=complete_files,
        help="Read this file's text from standard input (PATHS: `-`), and report what concerns it."
        " With --fix its text is printed as mended.",
    ),
    option(
        "--files-from",
        metavar="FILE",
        shell_complete=complete_files,
        help="Report only what concerns the files that FILE (`-`: standard input) lists: one a"
        " line, or each before a NUL.",
    ),
    option(
        "--contract",
        "contracts",
        multiple=True,
        metavar="FILE",
        shell_complete=complete_files,
        help="Contract to compare with, instead of the ones configured or found.",
    ),
    option(
        "--select",
        multiple=True,
        metavar="IDS",
        shell_complete=complete_words(SELECTORS, lists=True),
        help="What to report, separated by commas: ids of rules, their beginnings, or kinds as"
        " CONTRACT-001/nullable.  [default: ALL]",
    ),
    option(
        "--extend-select",
        multiple=True,
        metavar="IDS",
        shell_complete=complete_words(SELECTORS, lists=True),
        help="Rules and kinds to report besides.",
    ),
    option(
        "--ignore",
        multiple=True,
        metavar="IDS",
        shell_complete=complete_words(SELECTORS, lists=True),
        help="Rules and kinds not to report.",
    ),
    option(
        "--output-format",
        "output_formats",
        multiple=True,
        metavar="FORMAT[=FILE]",
        shell_complete=complete_reports(FORMATS),
        help=f"One of {', '.join(FORMATS)}; may be repeated.  [default: full]",
    ),
    option(
        "--output-file",
        "-o",
        metavar="FILE",
        help="Write the report there.",
        shell_complete=complete_files,
    ),
    option("--fix", is_flag=True, help="Mend what can safely be mended, and report what is left."),
    option(
        "--unsafe-fixes", is_flag=True, help="Count fixes in that change types or names in code."
    ),
    option(
        "--fixable",
        multiple=True,
        metavar="IDS",
        shell_complete=complete_words(SELECTORS, lists=True),
        help="Rules and kinds that --fix may mend.  [default: ALL]",
    ),
    option(
        "--unfixable",
        multiple=True,
        metavar="IDS",
        shell_complete=complete_words(SELECTORS, lists=True),
        help="Rules and kinds that --fix leaves alone.",
    ),
    option("--diff", is_flag=True, help="Show what --fix would change, and change nothing."),
    option("--show-fixes", is_flag=True, help="Name every fix that is made."),
    option(
        "--add-ignore",
        metavar="[=REASON]",
        help="Write a comment that ignores it at everything that is reported, with the reason; what"
        " no comment can stand at is reported.",
    ),
    option("--exit-zero", "-e", is_flag=True, help="Exit with 0 whatever is found or missed."),
    option(
        "--fail-on",
        type=click.Choice(FAIL_ON),
        help="Mildest severity that makes the exit status 1.  [default: error]",
    ),
    option(
        "--max-warnings",
        type=click.IntRange(min=0),
        metavar="N",
        help="Exit with 1 where more problems than that are warnings.  [default: any number]",
    ),
    option(
        "--min-verified",
        type=click.IntRange(0, 100),
        metavar="PERCENT",
        help="Exit with 2 where less of what contracts promise could be verified.  [default: 0]",
    ),
    option(
        "--min-confidence",
        type=click.Choice(GRADES),
        help="Weakest evidence of which findings are reported.  [default: guessed, which is all]",
    ),
    option(
        "--min-severity",
        type=click.Choice(LEVELS),
        help="Mildest severity of which findings are reported.  [default: note, which is all]",
    ),
    option(
        "--validate",
        is_flag=True,
        help="Check contracts against their own specification, too (needs the extra `validate`).",
    ),
    option("--allow-empty", is_flag=True, help="Nothing to compare is no reason to fail."),
    option(
        "--baseline",
        metavar="FILE",
        shell_complete=complete_files,
        help="Leave out what this file knows.  [default: contract-scan-baseline.json beside the"
        " configuration file or in the scanned folder, where there is one]",
    ),
    option("--no-baseline", is_flag=True, help="Report what a baseline knows, too."),
    option(
        "--color",
        type=click.Choice(("auto", "always", "never")),
        default="auto",
        help="When to use colours.  [default: auto]",
    ),
    option(
        "--suppressed",
        type=click.Choice(("auto", "always", "never")),
        default="auto",
        help="Whether SARIF lists what was left out on purpose, marked as suppressed.  [default:"
        " auto: unless GitHub Actions runs it, whose code scanning takes it for open alerts]",
    ),
    option(
        "--show-settings", is_flag=True, help="Show what is in force and where it comes from, only."
    ),
    option("--show-files", is_flag=True, help="Show what would be read and what left out, only."),
    option(
        "--watch", "-w", is_flag=True, help="Check again after every change, until interrupted."
    ),
    option(
        "--show",
        multiple=True,
        metavar="WHAT",
        shell_complete=complete_words(SHOWN, lists=True),
        help=f"What reports for people list, separated by commas: {', '.join(SHOWN)}."
        "  [default: problems]",
    ),
    option(
        "--statistics",
        is_flag=True,
        help="Count problems and their places by kind instead of listing.",
    ),
    option("--quiet", "-q", is_flag=True, help="Print problems only."),
    option("--verbose", "-v", is_flag=True, help="Name every place that is undetermined."),
)
