"""Mutants for another tool, and the score of what it said of them. FORMAT.md describes both."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from bench.accuracy.contract_text import load, save
from bench.accuracy.mutant import Mutant
from bench.accuracy.results import FORMAT
from bench.accuracy.run import Found, Pair, Said, plain_subject
from bench.accuracy.score import copy_references, numbered


class OtherError(Exception):
    """What another tool said cannot be read."""


def export(pairs: Iterable[Pair], folder: Path, count: int, seed: int) -> int:
    """Write every mutant of every pair below a folder, with a manifest; gives their number."""
    manifest: dict[str, Any] = {"format": FORMAT, "count": count, "seed": seed, "pairs": []}
    total = 0
    for pair in pairs:
        if not pair.contract.is_file():
            continue
        document = load(pair.contract)
        own = folder / pair.name
        own.mkdir(parents=True, exist_ok=True)
        copy_references(pair.contract, document, own)
        save(document, own / "baseline.json")
        listed = []
        for name, mutant in numbered(document, count, seed):
            save(mutant.document, own / f"{name}.json")
            listed.append(_described(name, mutant))
        total += len(listed)
        manifest["pairs"].append({"pair": pair.name, "source": str(pair.source), "mutants": listed})
    (folder / "manifest.json").write_text(json.dumps(manifest, indent=1) + "\n")
    return total


def _described(name: str, mutant: Mutant) -> dict[str, Any]:
    return {
        "mutant": name,
        "operator": mutant.operator,
        "conditional": mutant.conditional,
        "names": sorted(mutant.names),
        "expected": [
            {
                "rule": expected.rule,
                "kinds": sorted(expected.kinds),
                "subject": expected.subject,
                "fields": sorted(expected.fields),
                "below": expected.below,
                "instead": expected.instead,
            }
            for expected in mutant.expected
        ],
    }


def read_said(path: Path) -> tuple[dict[str, Any], Callable[[str], Callable[[str], Said | None]]]:
    """What another tool said: its document, and for each pair what it said of each mutant.

    Raises OtherError where the file is not as FORMAT.md has it.
    """
    try:
        document = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise OtherError(f"{path}: {error}") from None
    if not isinstance(document, dict) or document.get("format") != FORMAT:
        raise OtherError(f'{path}: wants "format": {FORMAT}')
    if not isinstance(document.get("pairs"), dict):
        raise OtherError(f'{path}: wants "pairs": {{pair: {{mutant: {{…}}}}}}')

    def of_pair(pair: str) -> Callable[[str], Said | None]:
        said = document["pairs"].get(pair, {})

        def of_mutant(mutant: str) -> Said | None:
            return _said(said[mutant], f"{path}: {pair} {mutant}") if mutant in said else None

        return of_mutant

    return document, of_pair


def _said(entry: Any, place: str) -> Said:
    try:
        findings = tuple(
            Found(item["rule"], item["kind"], plain_subject(item["subject"]), item["field"])
            for item in entry["findings"]
        )
        undetermined = frozenset(plain_subject(item) for item in entry.get("undetermined", ()))
    except (KeyError, TypeError) as error:
        raise OtherError(f"{place}: no {error} in a finding") from None
    return Said(findings, undetermined)
