"""`--fix` and `--diff`: mend what can be mended, or show how."""

from __future__ import annotations

import os
import stat
import sys
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, TypedDict

import msgspec

from contract_scan.cli import status
from contract_scan.counted import counted
from contract_scan.errors import UsageError
from contract_scan.reports.display import display, without_commands

if TYPE_CHECKING:
    from pathlib import Path

    from contract_scan.cache import Place
    from contract_scan.config import Config
    from contract_scan.fixes.apply import FileChange, RefusedFile
    from contract_scan.fixes.contract_fixes import Additions
    from contract_scan.ir.violation import Finding
    from contract_scan.scanners.report import Report


class FixOptions(TypedDict):
    """The values of the options about fixes."""

    fix: bool
    unsafe_fixes: bool
    diff: bool
    show_fixes: bool


def with_planned_fixes(
    report: Report,
    root: Path,
    since: int,
    options: FixOptions,
    additions: Callable[[], Additions] | None = None,
    *,
    cache: Place = False,
) -> Report:
    """The report, with what would mend its findings; `additions` gives what contracts would say of
    the routes that they lack. With `cache`, what was planned before is given again."""
    if not report.findings:
        return report
    if cache is not False:
        from contract_scan.fixes.cached_plan import plan_from_cache

        findings = plan_from_cache(root, report.findings, since, cache)
    else:
        from contract_scan.fixes.plan import plan

        findings = plan(root, report.findings, since)
    if options["unsafe_fixes"]:
        from contract_scan.fixes.contract_fixes import in_contracts

        findings = in_contracts(root, findings, since, additions)
    return msgspec.structs.replace(report, findings=findings)


def only_fixable(report: Report, config: Config) -> Report:
    """The report without what would mend kinds that the configuration does not let be mended."""
    from contract_scan.config.rules import chosen_kinds

    if not (config.fixable or config.unfixable):
        return report
    kinds = chosen_kinds(config.fixable, config.unfixable, lambda _, message: UsageError(message))
    findings = tuple(
        finding
        if finding.name in kinds
        else msgspec.structs.replace(finding, fix=None, withheld=None)
        for finding in report.findings
    )
    return msgspec.structs.replace(report, findings=findings)


def report_after_fixes(
    report: Report, root: Path, prefix: str, again: Callable[[], Report], options: FixOptions
) -> Report:
    """Mend, say what was done on the error stream, and give the report of what is left."""
    from contract_scan.fixes.run import make_fixes

    latest = [report]

    def scan_after_fixes() -> Sequence[Finding]:
        latest[0] = again()
        return latest[0].findings

    outcome = make_fixes(root, report.findings, scan_after_fixes, unsafe=options["unsafe_fixes"])
    _warn_of_python(report)
    _print_lines(_withheld(latest[0], prefix, options))
    files = {finding.fix.path for finding in outcome.done if finding.fix is not None}
    if options["show_fixes"]:
        _print_lines(_outcome_line(finding, "fixed", prefix) for finding in outcome.done)
    for became, findings in (
        ("taken back, since it makes other drift", outcome.reverted),
        ("taken back, since it does not mend it", outcome.without_effect),
        ("not fixed, another fix is in its way", outcome.put_off),
    ):
        _print_lines(_outcome_line(finding, became, prefix) for finding in findings)
    _print_lines(_refusal(each, prefix) for each in outcome.refused)
    if outcome.done:
        _print_lines(
            [f"Fixed {counted(len(outcome.done), 'finding')} in {counted(len(files), 'file')}."]
        )
    return latest[0]


def show_diff(report: Report, root: Path, prefix: str, options: FixOptions) -> int:
    """Print what `--fix` would change; 1 where it would change something."""
    from contract_scan.fixes.apply import apply_fixes
    from contract_scan.fixes.run import fixable

    _warn_of_python(report)
    wanted = fixable(report.findings, unsafe=options["unsafe_fixes"])
    mended, refused = apply_fixes(
        root, [finding.fix for finding in wanted if finding.fix is not None]
    )
    for file in mended:
        _print_diff(file, prefix)
    sys.stdout.flush()
    _print_lines(_withheld(report, prefix, options))
    made = [fix for file in mended for fix in file.fixes]
    if options["show_fixes"]:
        _print_lines(
            _outcome_line(finding, "would be fixed", prefix)
            for finding in wanted
            if finding.fix in made
        )
    _print_lines(_refusal(each, prefix) for each in refused)
    if not mended:
        _print_lines(["No fixes to make."])
        return status.CLEAN if status.is_complete(report.not_analysed) else status.COULD_NOT_JUDGE
    number = sum(finding.fix in made for finding in wanted)
    _print_lines([f"Would fix {counted(number, 'finding')} in {counted(len(mended), 'file')}."])
    return status.VIOLATIONS


def _print_diff(file: FileChange, prefix: str) -> None:
    from contract_scan.fixes.diff import unified_diff

    is_read = sys.stdout.isatty() or _is_log()
    for number, line in enumerate(unified_diff(file, prefix)):
        # The two lines of names are ours; they look like headings of a log.
        if is_read and number > 1:
            shown = "\t".join(map(display, line.rstrip("\r\n").split("\t")))
            sys.stdout.write(f"{without_commands(shown)}\n")
        else:
            sys.stdout.write(line)


_RUNNERS = ("BUILDKITE", "CI", "GITHUB_ACTIONS", "GITLAB_CI", "TEAMCITY_VERSION", "TF_BUILD")
"""Variables of programs that run builds."""


def _is_log() -> bool:
    """Whether what is printed goes into the log of a build, where some lines are commands. A patch
    that holds such lines has to go into a file to be a patch."""
    if not any(os.environ.get(name) for name in _RUNNERS):
        return False
    try:
        return not stat.S_ISREG(os.fstat(sys.stdout.fileno()).st_mode)
    except (OSError, ValueError):
        return True


def _warn_of_python(report: Report) -> None:
    """Say that Python cannot be fixed, where it would be."""
    from contract_scan.fixes.change import change_of
    from contract_scan.fixes.python import is_available

    if is_available():
        return
    for finding in report.findings:
        if finding.origin.path.endswith(".py") and change_of(finding) is not None:
            _print_lines(
                ["Python files are not fixed without libcst: pip install 'contract-scan[fix]'"]
            )
            return


def _outcome_line(finding: Finding, became: str, prefix: str) -> str:
    fix = finding.fix
    title = fix.title if fix is not None else ""
    place = f"{prefix}{finding.origin.path}:{finding.origin.span.line}"
    return f"{place}: {finding.name} {title}: {became}"


def _withheld(report: Report, prefix: str, options: FixOptions) -> Iterator[str]:
    """The fixes that are not made for what they would break."""
    for finding in report.findings:
        withheld = finding.withheld
        if withheld is not None and (withheld.safe or options["unsafe_fixes"]):
            place = f"{prefix}{finding.origin.path}:{finding.origin.span.line}"
            yield f"{place}: {finding.name} {withheld.title}: not fixed, {withheld.reason}"


def _refusal(refused: RefusedFile, prefix: str) -> str:
    return f"{prefix}{refused.path}: not fixed: {refused.reason}"


def _print_lines(lines: Iterator[str] | Sequence[str]) -> None:
    for line in lines:
        print(display(line), file=sys.stderr)
