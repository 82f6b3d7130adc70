"""Where reports go: `--output-format FORMAT[=FILE]`, several at once, and `--output-file`."""

from __future__ import annotations

import os
import stat
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec import Struct

from contract_scan.atomic import replace_file
from contract_scan.config import FailOn
from contract_scan.config.confinement import is_led_out
from contract_scan.errors import UsageError
from contract_scan.reports.display import without_commands
from contract_scan.reports.formats import FOR_PEOPLE, FORMATS, Format, renderer
from contract_scan.reports.listing_choice import SHOWN, Show

if TYPE_CHECKING:
    from contract_scan.reports.report import Report, Setting

_WITHOUT_FIXES = frozenset({"azure", "github", "gitlab", "junit", "pylint"})
COUNTING: frozenset[Format] = frozenset({"concise", "full", "grouped", "json"})
"""Reports that `--statistics` has count."""
_WITHOUT_LINES = frozenset({"azure", "concise", "json", "json-lines", "pylint"})
_VARIABLE = "GITHUB_STEP_SUMMARY"
"""Names the file whose Markdown is shown with the step; set by the runner."""


class Output(Struct, frozen=True):
    """One report to write: to a file, or to standard output where there is none."""

    format: Format
    file: Path | None = None


def parse_outputs(written: Sequence[str], output_file: str | None) -> tuple[Output, ...]:
    """The outputs asked for; `full` on standard output where nothing is said.

    Raises UsageError for an unknown format, two reports on standard output, or one file named
    twice.
    """
    outputs = [_parse(word) for word in written] or [Output("full")]
    unplaced = [output for output in outputs if output.file is None]
    if output_file is not None:
        if len(unplaced) != 1:
            raise UsageError("--output-file needs exactly one --output-format without a file")
        outputs = [Output(output.format, output.file or Path(output_file)) for output in outputs]
    elif len(unplaced) > 1:
        names = " and ".join(f"`{output.format}`" for output in unplaced)
        example = f"{unplaced[-1].format}=FILE"
        raise UsageError(f"{names} cannot both go to standard output; write `{example}`")
    files = [output.file for output in outputs if output.file is not None]
    for file in files:
        if files.count(file) > 1:
            raise UsageError("two reports cannot go to one file", str(file))
        if not file.parent.is_dir():
            raise UsageError("the folder to write to does not exist", str(file))
    return tuple(outputs)


def shown_sorts(written: Sequence[str], fail_on: FailOn) -> frozenset[Show]:
    """What reports for people list: problems, and notes where they are asked for or fail the run.

    Raises UsageError for an unknown word, and for problems and places at once.
    """
    words = [word.strip() for text in written for word in text.split(",")]
    found = {known for known in SHOWN if known in words}
    for word in words:
        if word not in SHOWN:
            message = f"`--show`: unknown `{word}`; known are {', '.join(SHOWN)}"
            raise UsageError(message)
    if {"problems", "places"} <= found:
        raise UsageError("`--show`: problems are listed, or else their places")
    if fail_on == "note":
        found.add("notes")
    return frozenset(found)


def shows_fixes(output: Output) -> bool:
    """Whether a report tells what would mend its findings."""
    summary = output.format == "github" and _has_step_summary()
    return summary or output.format not in _WITHOUT_FIXES


def require_counting(outputs: Sequence[Output]) -> None:
    """Raise UsageError for `--statistics` where no report has a place for counts."""
    if any(output.format in COUNTING for output in outputs):
        return
    names = ", ".join(f"`{output.format}`" for output in outputs)
    message = f"--statistics counts in {', '.join(sorted(COUNTING))}; {names} has no place for it"
    raise UsageError(message)


def shows_lines(output: Output) -> bool:
    """Whether a report may hold lines of the files that it is about, or what is made of them."""
    return output.format not in _WITHOUT_LINES


def _parse(word: str) -> Output:
    name, separator, file = word.partition("=")
    for known in FORMATS:
        if name == known:
            if separator and not file:
                raise UsageError(f"`{word}` names no file")
            return Output(known, Path(file) if file else None)
    import difflib

    close = difflib.get_close_matches(name, FORMATS, n=1)
    hint = f"did you mean `{close[0]}`?" if close else f"known are {', '.join(FORMATS)}"
    raise UsageError(f"unknown output format `{name}`; {hint}")


def write_report(output: Output, report: Report, setting: Setting) -> str | None:
    """Write a report; its text, where nothing but standard output has it now. Raises UsageError
    where it cannot be written."""
    if output.file is not None or output.format == "github":
        write(renderer(output.format)(report, setting), output.file)
        if output.format == "github":
            _append_step_summary(renderer("markdown")(report, setting))
        return None
    text = "".join(renderer(output.format)(report, setting))
    if output.format in FOR_PEOPLE:  # two harmless texts side by side may be a command
        text = without_commands(text)
    write([text], None)
    return text


def write(pieces: Iterable[str], file: Path | None) -> None:
    """Write a report. A file appears whole or not at all.

    Raises UsageError where it cannot be written, or where a link leads it out of the repository
    that it is named in: whoever wrote that may have put the link there.
    """
    if file is None:
        for piece in pieces:
            sys.stdout.write(piece)
        sys.stdout.flush()
        return
    if is_led_out(file):
        raise UsageError("is led out of the repository by a link; name the file itself", str(file))
    text = "".join(pieces).encode("utf-8", "backslashreplace")
    try:
        _replace(file, text)
    except OSError as error:
        raise UsageError(f"cannot be written: {error.strerror}", str(file)) from None


def _replace(file: Path, text: bytes) -> None:
    if _is_special(file):
        with file.open("wb") as opened:
            opened.write(text)
    else:
        replace_file(file, text)


def _is_special(file: Path) -> bool:
    """A pipe, a terminal, `/dev/stdout`: written to as they are, never replaced."""
    try:
        return not stat.S_ISREG(file.stat().st_mode)
    except OSError:
        return False


def _has_step_summary() -> bool:
    """Whether there is such a page."""
    return bool(os.environ.get(_VARIABLE))


def _append_step_summary(pieces: Iterable[str]) -> None:
    """Append a report in Markdown to the step's page, where there is one.

    Raises UsageError where the file cannot be written.
    """
    name = os.environ.get(_VARIABLE)
    if not name:
        return
    try:
        with Path(name).open("a", encoding="utf-8", errors="backslashreplace") as page:
            page.writelines(pieces)
    except OSError as error:
        raise UsageError(f"cannot be written (${_VARIABLE}): {error.strerror}", name) from None
