"""`contract-scan completions`: the script that makes a shell complete the command's words."""

from __future__ import annotations

import click

from contract_scan.cli import status
from contract_scan.cli.main import COMPLETE
from contract_scan.errors import UsageError

SHELLS = ("bash", "zsh", "fish")
PROGRAM = "contract-scan"


@click.command("completions")
@click.argument("shell", type=click.Choice(SHELLS), required=False, metavar=f"[{'|'.join(SHELLS)}]")
def command(shell: str | None) -> int:
    """Print the completion script of a shell.

    \b
    bash:  contract-scan completions bash >> ~/.bash_completion
    zsh:   contract-scan completions zsh > "${fpath[1]}/_contract-scan"
    fish:  contract-scan completions fish > ~/.config/fish/completions/contract-scan.fish
    """
    if shell is None:
        shells_known = ", ".join(SHELLS)
        raise UsageError(f"name a shell: {shells_known} (`contract-scan completions {SHELLS[0]}`)")
    from click.shell_completion import ShellComplete

    from contract_scan.cli import shells
    from contract_scan.cli.verbs import verbs

    made_by = shells.SHELLS[shell]
    # Not `made_by.source`: that of bash starts a bash to look at its version.
    click.echo(ShellComplete.source(made_by(verbs, {}, PROGRAM, COMPLETE)))
    return status.CLEAN


def answer(instruction: str) -> int:
    """Print the words that fit what was typed; the script of a shell asks for them."""
    from contract_scan.cli import shells
    from contract_scan.cli.verbs import verbs

    shell, _, what = instruction.partition("_")
    made_by = shells.SHELLS.get(shell)
    if made_by is None or what != "complete":
        return status.COULD_NOT_JUDGE
    click.echo(made_by(verbs, {}, PROGRAM, COMPLETE).complete())
    return status.CLEAN
