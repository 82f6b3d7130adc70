"""How shells ask for words and take them, where a word is an option with its value: `--color=n`."""

from __future__ import annotations

from typing import TypeVar

from click.shell_completion import (
    BashComplete,
    CompletionItem,
    FishComplete,
    ShellComplete,
    ZshComplete,
)

Item = TypeVar("Item", bound=CompletionItem)


def _option(incomplete: str) -> str:
    """The option, with `=`, that a word begins with; empty where it does not."""
    name, given, _ = incomplete.partition("=")
    return name + given if given and name.startswith("-") else ""


def _with_option(items: list[Item], option: str) -> list[Item]:
    """The words with the option before them: these shells put them in the place of the whole."""
    for item in items:
        if item.type == "plain" and not item.value.startswith("-"):
            item.value = option + item.value
    return items


class Bash(BashComplete):
    """Takes `=` for a word of its own."""

    def get_completion_args(self) -> tuple[list[str], str]:
        """The words before the one that is typed, and what there is of that."""
        args, incomplete = super().get_completion_args()
        before = [word for word in args if word != "="]
        return (before, "") if incomplete == "=" else (before, incomplete)


class Zsh(ZshComplete):
    """Takes the option and its value for one word, and looks for files of that name.

    The script is what the function is that zsh loads: it has to complete whenever it is called, not
    only when it is loaded.
    """

    source_template = ZshComplete.source_template.replace(
        "_path_files", "compset -P '*='; _path_files"
    ).replace("$zsh_eval_context[-1] == loadautofunc", "$funcstack[1] == _%(prog_name)s")

    def get_completions(self, args: list[str], incomplete: str) -> list[CompletionItem[str]]:
        """The words that fit."""
        return _with_option(super().get_completions(args, incomplete), _option(incomplete))


class Fish(FishComplete):
    """Takes the option and its value for one word."""

    def get_completions(self, args: list[str], incomplete: str) -> list[CompletionItem[str]]:
        """The words that fit."""
        return _with_option(super().get_completions(args, incomplete), _option(incomplete))


SHELLS: dict[str, type[ShellComplete]] = {"bash": Bash, "zsh": Zsh, "fish": Fish}
"""By their names."""
