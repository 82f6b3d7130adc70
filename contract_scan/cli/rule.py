"""`contract-scan rule`: what a rule promises, why, and when it stays silent."""

from __future__ import annotations

import sys

import click

from contract_scan.cli import status
from contract_scan.cli.completing import complete_words
from contract_scan.cli.options import option
from contract_scan.cli.selection import unknown_rule
from contract_scan.cli.terminal import ColorChoice, wants_color
from contract_scan.errors import UsageError
from contract_scan.ir.violation import RULE_IDS


@click.command("rule")
@click.argument(
    "rule_id",
    metavar="[ID]",
    required=False,
    shell_complete=complete_words(sorted(RULE_IDS)),
)
@option(
    "--color",
    type=click.Choice(("auto", "always", "never")),
    default="auto",
    help="When to render the page for a terminal; Markdown otherwise.  [default: auto]",
)
def command(rule_id: str | None, color: ColorChoice) -> int:
    """Print the page of a rule, or list the rules."""
    from contract_scan.scanners.rules import RULES

    if rule_id is None:
        for each in RULES:
            click.echo(f"{each.id}  {each.summary}")
        return status.CLEAN
    pages = {each.id: each.documentation for each in RULES}
    wanted = rule_id.upper()
    for known, page in pages.items():
        if known == wanted:
            _print_page(page, rendered=wants_color(color, sys.stdout))
            return status.CLEAN
    raise UsageError(unknown_rule(rule_id, list(pages)))


def _print_page(page: str, *, rendered: bool) -> None:
    if not rendered:
        click.echo(page, nl=not page.endswith("\n"))
        return
    from rich.console import Console
    from rich.markdown import Markdown

    Console(force_terminal=True).print(Markdown(page))
