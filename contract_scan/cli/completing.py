"""What shells offer for the values of options and arguments."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, TypeAlias

import click

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

Complete: TypeAlias = "Callable[[click.Context, click.Parameter, str], list[CompletionItem]]"


def complete_files(
    context: click.Context, parameter: click.Parameter, incomplete: str
) -> list[CompletionItem]:
    """Files and folders."""
    from click.shell_completion import CompletionItem

    return [CompletionItem(incomplete, type="file")]


def complete_words(words: Sequence[str], *, lists: bool = False) -> Complete:
    """Some words; with `lists`, several of them separated by commas. Words with a slash (kinds of a
    rule) are offered once it is written."""

    def complete(
        context: click.Context, parameter: click.Parameter, incomplete: str
    ) -> list[CompletionItem]:
        from click.shell_completion import CompletionItem

        before, comma, last = incomplete.rpartition(",") if lists else ("", "", incomplete)
        return [
            CompletionItem(before + comma + word)
            for word in words
            if word.startswith(last) and ("/" not in word or "/" in last)
        ]

    return complete


def complete_reports(formats: Sequence[str]) -> Complete:
    """A format, or behind `FORMAT=` a file."""
    words = complete_words(formats)

    def complete(
        context: click.Context, parameter: click.Parameter, incomplete: str
    ) -> list[CompletionItem]:
        chosen = words if "=" not in incomplete else complete_files
        return chosen(context, parameter, incomplete)

    return complete
