"""The report by team: what each team's repositories promise and break."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from typing import Final

import msgspec
from msgspec import Struct

from contract_scan.fleet.places import Places
from contract_scan.fleet.repositories import Repository
from contract_scan.reports.json_text import indented_json
from contract_scan.reports.markdown_text import escape_text
from contract_scan.scanners.report import Report

SCHEMA_VERSION: Final = 1


class TeamShare(Struct, frozen=True, kw_only=True):
    """A team's share of a report."""

    team: str
    """Empty: of repositories that the list gives none."""
    repositories: int
    not_scanned: tuple[str, ...]
    """Names of repositories."""
    errors: int
    """Problems of that severity that show in its repositories."""
    warnings: int
    notes: int
    promises: int
    """Of contracts in its repositories."""
    verified: int
    partly: int
    violated: int
    missing: int
    undetermined: int
    absent: int


def shares_of_teams(
    report: Report, repositories: Sequence[Repository], failures: Mapping[str, str]
) -> tuple[TeamShare, ...]:
    """Each team's share, by name. A problem counts for every team in whose code it shows."""
    places = Places(repositories)
    team_of = {repository.name: repository.team for repository in repositories}
    severities: dict[str, Counter[str]] = defaultdict(Counter)
    for problem in report.problems:
        owners = {places.owner(place.origin.path) for place in problem.places}
        for team in {team_of[owner] for owner in owners if owner}:
            severities[team][problem.severity] += 1
    states: dict[str, Counter[str]] = defaultdict(Counter)
    for promise in report.promises:
        if owner := places.owner(promise.contract):
            states[team_of[owner]][promise.state] += 1
    return tuple(
        TeamShare(
            team=team,
            repositories=sum(each == team for each in team_of.values()),
            not_scanned=tuple(sorted(name for name in failures if team_of[name] == team)),
            errors=severities[team]["error"],
            warnings=severities[team]["warning"],
            notes=severities[team]["note"],
            promises=states[team].total(),
            verified=states[team]["verified"],
            partly=states[team]["partly"],
            violated=states[team]["violated"],
            missing=states[team]["missing"],
            undetermined=states[team]["undetermined"],
            absent=states[team]["absent"],
        )
        for team in sorted({*team_of.values()})
    )


def team_json(shares: Sequence[TeamShare]) -> str:
    """The shares for machines (docs/schema/teams.schema.json)."""
    teams = [msgspec.structs.asdict(share) for share in shares]
    return indented_json({"schema_version": SCHEMA_VERSION, "teams": teams})


def team_markdown(shares: Sequence[TeamShare]) -> str:
    """The shares as a table."""
    lines = [
        "| team | repositories | errors | warnings | promises | verified | partly |"
        " violated or missing | undetermined | not scanned |",
        "|---|--:|--:|--:|--:|--:|--:|--:|--:|---|",
    ]
    for share in shares:
        cells = (
            escape_text(share.team) or "(no team)",
            share.repositories,
            share.errors,
            share.warnings,
            share.promises,
            share.verified,
            share.partly,
            share.violated + share.missing,
            share.undetermined,
            escape_text(", ".join(share.not_scanned)),
        )
        lines.append(f"| {' | '.join(map(str, cells))} |")
    return "\n".join(lines) + "\n"
