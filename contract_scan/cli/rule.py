"""`contract-scan rule`: what a rule promises, why, and when it stays silent."""

from __future__ import annotations

import sys
from collections.abc import Iterator

import click

from contract_scan.cli import status
from contract_scan.cli.completing import complete_words
from contract_scan.cli.options import option
from contract_scan.cli.terminal import ColorChoice, wants_color
from contract_scan.config.rules import KINDS_WITH_PAGES, SCOPE_NAMES, SELECTORS, unknown_rule
from contract_scan.errors import UsageError

WIDEST = 100
"""Columns: longer lines are hard to read."""
NAMES = (*SELECTORS, *SCOPE_NAMES)
"""What has a page."""


@click.command("rule")
@click.argument("rule_id", metavar="[ID]", required=False, shell_complete=complete_words(NAMES))
@option(
    "--color",
    type=click.Choice(("auto", "always", "never")),
    default="auto",
    help="When to render the page for a terminal; Markdown otherwise.  [default: auto]",
)
def command(rule_id: str | None, color: ColorChoice) -> int:
    """Print the page of a rule (CONTRACT-001) or kind (CONTRACT-001/nullable), or list them all.

    CONTRACT rules are those of `check`, SCOPE rules those of `scopes`.
    """
    if rule_id is None:
        for line in _rule_lines():
            click.echo(line)
        return status.CLEAN
    _print_page(_page(rule_id), rendered=wants_color(color, sys.stdout))
    return status.CLEAN


def _rule_lines() -> Iterator[str]:
    """Every rule, with its kinds below it."""
    from contract_scan.scanners.kinds.page import summary_of
    from contract_scan.scanners.rules import RULES

    widest = max(map(len, NAMES))
    for rule in RULES:
        yield f"{rule.id}  {rule.summary}"
        for name in NAMES:
            if name.startswith(f"{rule.id}/"):
                yield f"  {name:<{widest}}  {summary_of(name)}"


def _page(rule_id: str) -> str:
    """The page of a rule or kind. Raises UsageError where there is none of this name."""
    from contract_scan.scanners.kinds.page import page_of
    from contract_scan.scanners.rules import RULES

    rule, slash, kind = rule_id.partition("/")
    name = f"{rule.upper()}{slash}{kind.lower()}"
    if name not in NAMES:
        raise UsageError(unknown_rule(rule_id, KINDS_WITH_PAGES))
    if "/" in name:
        return page_of(name)
    return next(rule.documentation for rule in RULES if rule.id == name)


def _print_page(page: str, *, rendered: bool) -> None:
    if not rendered:
        click.echo(page, nl=not page.endswith("\n"))
        return
    import shutil

    from contract_scan.cli.markdown_page import rendered_page

    columns = min(shutil.get_terminal_size().columns, WIDEST)
    for line in rendered_page(page, columns):
        click.echo(line, color=True)
