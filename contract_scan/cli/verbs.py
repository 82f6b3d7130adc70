"""The verbs. Each is imported when it is called, so that one does not wait for another."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

DEFAULT = "check"
VERBS = {
    "check": "Compare code with its contracts (the default verb).",
    "extract": "Print the endpoints, models and events that the code has.",
    "rule": "Explain a rule.",
    "explain": "Say how a finding came about, or why something is undetermined.",
    "fleet": "Compare many repositories as one.",
    "diff": "Say what changed between two revisions of a contract, and what breaks.",
    "init": "Write a configuration for what is found.",
    "config": "Explain a key of the configuration.",
    "baseline": "Write down old findings, so that only new ones are told.",
    "hooks": "Check what a commit changes before it is made.",
    "server": "Serve an editor (Language Server Protocol).",
    "generate-tests": "Write tests of a running server from its contract.",
    "build": "Have agents build what requirements ask for, until contracts are kept.",
    "scopes": "Divide a feature into scopes that promise each other what they deliver.",
    "roles": "Serve the roles of agents that build together.",
    "results": "Check and merge the results that agents hand back.",
    "mcp": "Serve agents (Model Context Protocol).",
    "completions": "Print the completion script of a shell.",
    "clean": "Remove the cache.",
}
"""Name -> what `--help` says of it. The module of the same name holds it as `command`."""

_OTHER_WORDS = {
    "analyse": "check",
    "analyze": "check",
    "audit": "check",
    "bash": "completions",
    "compare": "diff",
    "complete": "completions",
    "completion": "completions",
    "configure": "init",
    "docs": "rule",
    "fix": "check --fix",
    "help": "--help",
    "hook": "hooks",
    "ignore": "check --add-ignore",
    "kinds": "rule",
    "lint": "check",
    "list": "rule",
    "lsp": "server",
    "routes": "extract",
    "rules": "rule",
    "run": "check",
    "scan": "check",
    "serve": "server",
    "settings": "config",
    "suppress": "baseline create",
    "test": "check",
    "tests": "generate-tests",
    "validate": "check --validate",
    "verify": "check",
    "version": "--version",
    "watch": "check --watch",
    "why": "explain",
}
"""What other tools call a verb -> what it is here."""
_OWN_OPTIONS = ("--help", "-h", "--version", "-V")


class Verbs(click.Group):
    """A group whose first word may be left out: `contract-scan services/` checks `services/`."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """The verbs in the order they are shown."""
        return list(VERBS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import a verb."""
        if cmd_name not in VERBS:
            return None
        command = import_module(f"contract_scan.cli.{cmd_name.replace('-', '_')}").command
        assert isinstance(command, click.Command)
        return command

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Put the default verb before anything that is neither a verb nor an own option."""
        first = args[0] if args else ""
        # Where a shell asks for words to complete, an empty line may yet become a verb.
        if first not in VERBS and first not in _OWN_OPTIONS and (args or not ctx.resilient_parsing):
            if not ctx.resilient_parsing:
                _refuse_misspelt_verb(ctx, first)
            args = [DEFAULT, *args]
        return super().parse_args(ctx, args)

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        """What the first word may be: a verb, or else what the default verb takes."""
        from click.shell_completion import CompletionItem

        if incomplete.startswith("-"):
            found = super(click.Group, self).shell_complete(ctx, incomplete)
            default = self.get_command(ctx, DEFAULT)
            assert default is not None
            own = {item.value for item in found}
            with default.make_context(DEFAULT, [], parent=ctx, resilient_parsing=True) as below:
                more = default.shell_complete(below, incomplete)
            return [*found, *(item for item in more if item.value not in own)]
        verbs = [
            CompletionItem(verb, help=text)
            for verb, text in VERBS.items()
            if verb.startswith(incomplete)
        ]
        return verbs or [CompletionItem(incomplete, type="file")]

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """List the verbs without importing them."""
        with formatter.section("Verbs"):
            formatter.write_dl(list(VERBS.items()))


def _print_version(context: click.Context) -> None:
    from contract_scan import __version__

    click.echo(f"contract-scan {__version__}")
    context.exit()


def _refuse_misspelt_verb(ctx: click.Context, word: str) -> None:
    if not word or word.startswith("-") or Path(word).exists():
        return
    import difflib

    meant = _OTHER_WORDS.get(word.lower())
    close = [meant] if meant else difflib.get_close_matches(word.lower(), VERBS, n=1)
    if close:
        message = f"`{word}` is neither a verb nor a path; did you mean `{close[0]}`?"
        raise click.UsageError(message, ctx)


@click.command(
    cls=Verbs,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    epilog="`contract-scan VERB --help` lists the options of a verb.",
)
@click.option(
    "-V",
    "--version",
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=lambda context, _, value: _print_version(context) if value else None,
    help="Show the version and exit.",
)
def verbs() -> None:
    """Does this code keep the promises that its contracts make?

    Reads contracts (OpenAPI, AsyncAPI, JSON Schema, SVC tables) and source code (TypeScript,
    JavaScript, Python, C#, Java), compares them and says what is verified, violated, missing, and
    what is undetermined. Nothing is run and nothing leaves the machine.
    """
