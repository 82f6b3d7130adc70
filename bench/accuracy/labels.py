"""What a person said of every finding on the pinned pairs, and whether the scans still agree.

`labels/<pair>.json` lists the findings of a pair once, those of one cause together:

    {"pair": "…", "read": "how much of it was read by eye",
     "findings": [{"verdict": "true", "rule": "CONTRACT-001", "kind": "extra-field",
                   "code": "models/article.py:12", "contract": "api/openapi.yml:664",
                   "reason": "…", "at": ["GET /articles articles[].body", …]}],
     "counted": [{"verdict": "namesake", "rule": "…", "kind": "…", "count": 12, "reason": "…"}]}

`counted` holds, per rule and kind, how many findings there are beside those that are listed.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

from bench.accuracy.run import ScanError, pairs, scan, subject

FOLDER = Path(__file__).parent / "labels"

VERDICTS = {
    "true": "the code breaks what the contract says",
    "declared": "true by the declared types; what the statements really send was not told by them",
    "outside": "the code exists, but outside the folder that the pair names",
    "namesake": "two definitions of one name that do not belong together; true of the two",
    "ours": "false: a fault of the scanner",
    "unread": "nobody has read it yet",
}
"""What may be said of a finding."""

Key: TypeAlias = tuple[str, str, str]
"""(rule, kind, `GET /orders/{} items[].price`): never the message or the line."""

_LAST_NAME = re.compile(r"[^.\[\]{}]+(?=[\[\]{}]*$)")


class Labels(NamedTuple):
    """The labels of one pair."""

    document: dict[str, Any]

    @property
    def listed(self) -> dict[Key, dict[str, Any]]:
        """Finding -> the entry that speaks of it."""
        return {
            (entry["rule"], entry["kind"], place): entry
            for entry in self.document["findings"]
            for place in entry["at"]
        }

    @property
    def counted(self) -> Counter[tuple[str, str]]:
        """(rule, kind) -> findings that are only counted."""
        counts: Counter[tuple[str, str]] = Counter()
        for entry in self.document.get("counted", ()):
            counts[entry["rule"], entry["kind"]] += entry["count"]
        return counts

    def verdicts(self) -> Counter[str]:
        """Verdict -> number of findings."""
        counts: Counter[str] = Counter()
        for entry in self.document["findings"]:
            counts[entry["verdict"]] += len(entry["at"])
        for entry in self.document.get("counted", ()):
            counts[entry["verdict"]] += entry["count"]
        return counts


def key_of(finding: dict[str, Any]) -> Key:
    """What a finding of the JSON report is compared by."""
    place = f"{subject(finding)} {finding['field']}".strip()
    return finding["rule"], finding["kind"], place


def read_labels(name: str, folder: Path = FOLDER) -> Labels | None:
    """The labels of a pair, None where there are none."""
    path = folder / f"{name}.json"
    return Labels(json.loads(path.read_text())) if path.is_file() else None


def disagreements(name: str, found: Iterable[dict[str, Any]], folder: Path = FOLDER) -> list[str]:
    """How the findings of a pair differ from its labels, as lines of a diff; empty: not at all."""
    labels = read_labels(name, folder)
    if labels is None:
        return [f"{name}: no labels: read its findings and write labels/{name}.json"]
    return [f"{name}: {line}" for line in _differences(labels, found)]


def _differences(labels: Labels, found: Iterable[dict[str, Any]]) -> Iterator[str]:
    listed = labels.listed
    found = list(found)
    known = {key_of(finding): finding for finding in found}
    for rule, kind, place in sorted(listed.keys() - known.keys()):
        yield f"- {rule} {kind} {place} (labelled {listed[rule, kind, place]['verdict']})"
    left = Counter(key[:2] for key in map(key_of, found) if key not in listed)
    expected = labels.counted
    for rule, kind in sorted(left.keys() | expected.keys()):
        if left[rule, kind] == expected[rule, kind]:
            continue
        if expected[rule, kind]:
            yield f"~ {rule} {kind}: {left[rule, kind]} unlisted, {expected[rule, kind]} labelled"
            continue
        for key in sorted(key for key in known if key[:2] == (rule, kind) and key not in listed):
            yield f"+ {rule} {kind} {key[2]} ({_place(known[key])})"
    for entry in (*labels.document["findings"], *labels.document.get("counted", ())):
        if entry["verdict"] not in VERDICTS or entry["verdict"] == "unread":
            yield f"? {entry['rule']} {entry['kind']}: verdict {entry['verdict']!r}"


def _place(finding: dict[str, Any]) -> str:
    return f"{finding['path']}:{finding['line']}"


def drafted(name: str, found: Iterable[dict[str, Any]], folder: Path = FOLDER) -> dict[str, Any]:
    """Labels for the findings of a pair: what was said of a finding before stays, the rest is
    `unread`. Findings of one cause (kind, place in the code, name) stand together."""
    before = read_labels(name, folder)
    listed = before.listed if before else {}
    counted = before.document.get("counted", []) if before else []
    merely_counted = {(entry["rule"], entry["kind"]) for entry in counted}
    groups: dict[tuple[str, ...], list[dict[str, Any]]] = defaultdict(list)
    known: set[Key] = set()
    left: Counter[tuple[str, str]] = Counter()
    for finding in found:
        key = key_of(finding)
        old = listed.get(key)
        if old is None and key[:2] in merely_counted:
            left[key[:2]] += 1
            continue
        if key in known:
            continue
        known.add(key)
        said = (old["verdict"], old["reason"]) if old else ("unread", "")
        groups[(*key[:2], _place(finding), _last(finding["field"]), *said)].append(finding)
    findings = [_entry(cause, group) for cause, group in sorted(groups.items())]
    document: dict[str, Any] = {
        "pair": name,
        "read": before.document["read"] if before else "",
        "findings": findings,
    }
    if counted:
        document["counted"] = _recounted(counted, left)
    return document


def _recounted(
    counted: list[dict[str, Any]], left: Counter[tuple[str, str]]
) -> list[dict[str, Any]]:
    """Counts brought up to date: what was read stays, the last entry of a kind takes the rest."""
    result = []
    for index, entry in enumerate(counted):
        kind = (entry["rule"], entry["kind"])
        last = all((later["rule"], later["kind"]) != kind for later in counted[index + 1 :])
        count = left[kind] if last else min(entry["count"], left[kind])
        left[kind] -= count
        if count:
            result.append({**entry, "count": count})
    return result


def _last(field: str) -> str:
    match = _LAST_NAME.search(field)
    return match[0] if match else ""


def _entry(cause: tuple[str, ...], group: list[dict[str, Any]]) -> dict[str, Any]:
    rule, kind, place, _, verdict, reason = cause
    contract = group[0]["contract"]
    return {
        "verdict": verdict,
        "rule": rule,
        "kind": kind,
        "code": place,
        "contract": f"{Path(contract['path']).name}:{contract['line']}" if contract else None,
        "reason": reason,
        "at": sorted(key_of(finding)[2] for finding in group),
    }


def write_labels(document: dict[str, Any], folder: Path = FOLDER) -> None:
    """Write the labels of a pair, one finding a line."""
    folder.mkdir(exist_ok=True)
    text = json.dumps(document, indent=1, ensure_ascii=False)
    (folder / f"{document['pair']}.json").write_text(text + "\n")


def main() -> int:
    """`python -m bench.accuracy.labels CORPORA_DIR [--draft] [PAIR…]`: compare the findings with
    the labels, or (`--draft`) write what is found with what was said of it before."""
    parser = argparse.ArgumentParser(prog="python -m bench.accuracy.labels")
    parser.add_argument("corpora", type=Path, metavar="CORPORA_DIR")
    parser.add_argument("pairs", nargs="*", metavar="PAIR")
    parser.add_argument("--draft", action="store_true", help="write labels for what is found")
    options = parser.parse_args()
    status = 0
    for pair in pairs(options.corpora):
        if options.pairs and pair.name not in options.pairs:
            continue
        try:
            made = scan(pair.source, pair.contract)
        except ScanError as error:
            print(f"{pair.name}: {error}", file=sys.stderr)
            status = 1
            continue
        if options.draft:
            write_labels(drafted(pair.name, made.findings))
        else:
            lines = disagreements(pair.name, made.findings)
            status = 1 if lines else status
            print("\n".join(lines or [f"{pair.name}: as labelled"]))
    return status


if __name__ == "__main__":
    sys.exit(main())
