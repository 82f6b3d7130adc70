"""`python -m bench.digests [DIR]`: show that a change of the code changes nothing in what it says.

The JSON of `check` and of `extract` is made for every fixture project and, with DIR (the folder of
the repositories of docs/accuracy.md), for every pinned pair; and that in five ways, which all have
to give the same: without a cache, with an empty cache, with a filled one, with the prefilter off,
and with two processes. The digests are compared with the recorded ones in `bench/digests.json`.

Where one differs, the entries that came and went are listed. They are found by comparing with the
JSON of the last run that agreed with the record, which stays in `--json` (`.digests` by default).
`--write` records the digests as they are now. `--quick` runs the first way only.

Exit status: 0 all is as recorded, 1 something differs, 2 a project could not be scanned.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Literal, NamedTuple, TypeAlias, get_args

from bench.accuracy.run import PAIRS, pairs, pinned
from contract_scan.cache import VARIABLE

RECORD = Path(__file__).with_suffix(".json")
FIXTURES = Path(__file__).parents[1] / "fixtures" / "projects"
OLD = 1_700_000_000
"""A time of files (in seconds) that the cache trusts: it does not trust files changed just now."""
SHOWN = 12
"""Entries of one difference that are listed."""

Way: TypeAlias = Literal["uncached", "cold", "warm", "unfiltered", "processes"]
"""How a project is scanned."""
WAYS: tuple[Way, ...] = get_args(Way)
Verb: TypeAlias = Literal["check", "extract"]
VERBS: tuple[Verb, ...] = get_args(Verb)


class Project(NamedTuple):
    """What is scanned: a folder, with the contract it is compared with (None: those in it)."""

    name: str
    origin: str
    """`owner/name@commit`, or empty for a fixture."""
    root: Path
    contract: Path | None


class Output(NamedTuple):
    """The JSON that one verb gave for one project."""

    project: str
    verb: Verb
    way: Way
    text: str

    @property
    def digest(self) -> str:
        """What the record holds of it."""
        return hashlib.blake2b(self.text.encode(), digest_size=16).hexdigest()


class ScanFailedError(Exception):
    """A project could not be scanned; the text says which and why."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Compare all projects with the record, or write it."""
    parser = argparse.ArgumentParser(
        prog="python -m bench.digests",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("corpora", nargs="?", type=Path, metavar="DIR")
    parser.add_argument("--only", action="append", metavar="NAME", help="these projects only")
    parser.add_argument("--quick", action="store_true", help="without a cache only")
    parser.add_argument("--write", action="store_true", help="record the digests as they are now")
    parser.add_argument("--json", type=Path, default=Path(".digests"), metavar="FOLDER")
    parser.add_argument("--record", type=Path, default=RECORD, help=argparse.SUPPRESS)
    options = parser.parse_args(arguments)
    record = _record(options.record)
    ways: tuple[Way, ...] = ("uncached",) if options.quick else WAYS
    status, unchanged = 0, 0
    with tempfile.TemporaryDirectory() as scratch:
        for project in projects(options.corpora, Path(scratch)):
            if options.only and project.name not in options.only:
                continue
            try:
                outputs = list(_outputs(project, ways))
            except ScanFailedError as failure:
                print(failure, file=sys.stderr)
                status = 2
                continue
            if options.write:
                record[project.name] = _entry(project, outputs)
            differing = list(differences(outputs, record.get(project.name, {}), options.json))
            unchanged += len(outputs) - len(differing)
            for line in (line for lines in differing for line in lines):
                print(line)
            status = max(status, 1 if differing else 0)
    if options.write:
        written = json.dumps(dict(sorted(record.items())), indent=1)
        options.record.write_text(written + "\n", encoding="utf-8")
    print(f"{unchanged} outputs are as recorded")
    return status


def projects(corpora: Path | None, scratch: Path) -> Iterator[Project]:
    """The fixture projects, copied, and the pinned pairs that lie below a folder."""
    for folder in sorted(path for path in FIXTURES.iterdir() if path.is_dir()):
        copied = Path(shutil.copytree(folder, scratch / folder.name))
        for path in copied.rglob("*"):
            os.utime(path, (OLD, OLD))
        yield Project(folder.name, "", copied, None)
    if corpora is None:
        return
    origins = {pair["name"]: f"{pair['repository']}@{pair['commit']}" for pair in pinned(PAIRS)}
    for pair in pairs(corpora.resolve()):
        root = pair.source if pair.source.is_dir() else pair.source.parent
        yield Project(pair.name, origins[pair.name], root, pair.contract)


def differences(
    outputs: Sequence[Output], recorded: dict[str, str], folder: Path
) -> Iterator[list[str]]:
    """What differs from the record, output by output. The JSON of each is left in the folder: one
    that agrees as `<project>.<verb>.json`, another as `<project>.<verb>.<way>.json`."""
    folder.mkdir(parents=True, exist_ok=True)
    for output in outputs:
        agreed = folder / f"{output.project}.{output.verb}.json"
        differing = folder / f"{output.project}.{output.verb}.{output.way}.json"
        if recorded.get(output.verb) == output.digest:
            agreed.write_text(output.text, encoding="utf-8")
            differing.unlink(missing_ok=True)
            continue
        differing.write_text(output.text, encoding="utf-8")
        lines = [f"{output.project} {output.verb} {output.way}: differs from the record"]
        if agreed.is_file():
            before, after = json.loads(agreed.read_text("utf-8")), json.loads(output.text)
            lines += [f"  {line}" for line in _changes(before, after)]
        else:
            lines.append(f"  see {differing} (no JSON of a run that agrees lies beside it)")
        yield lines


def _changes(before: dict[str, Any], after: dict[str, Any]) -> Iterator[str]:
    """Entries of the lists of a document that went (-) and came (+)."""
    for key in before | after:
        one, other = before.get(key), after.get(key)
        if not isinstance(one, list) or not isinstance(other, list):
            if one != other:
                yield f"{key}: {json.dumps(one)} became {json.dumps(other)}"
            continue
        old, new = Counter(map(_text, one)), Counter(map(_text, other))
        changed = [("-", text) for text in (old - new).elements()]
        changed += [("+", text) for text in (new - old).elements()]
        for sign, text in changed[:SHOWN]:
            yield f"{sign} {key}: {_named(json.loads(text))}"
        if len(changed) > SHOWN:
            yield f"… {key}: {len(changed) - SHOWN} further entries"
        if not changed and one != other:
            yield f"{key}: the same entries in another order"


def _text(entry: object) -> str:
    return json.dumps(entry, sort_keys=True)


def _named(entry: object) -> str:
    """The parts of an entry by which a reader recognises it."""
    if not isinstance(entry, dict):
        return str(entry)
    keys = (
        *("rule", "kind", "severity", "method", "name", "address", "direction", "operation"),
        *("channel", "model", "field", "message", "reason", "path", "line", "origin"),
    )
    return " ".join(f"{key}={entry[key]!r}" for key in keys if entry.get(key))


def _record(file: Path) -> dict[str, dict[str, str]]:
    if not file.is_file():
        return {}
    record: dict[str, dict[str, str]] = json.loads(file.read_text(encoding="utf-8"))
    return record


def _entry(project: Project, outputs: Sequence[Output]) -> dict[str, str]:
    """What is recorded of a project: where it is from, and what it gives without a cache."""
    origin = {"origin": project.origin} if project.origin else {}
    return {**origin, **{each.verb: each.digest for each in reversed(outputs)}}


def _outputs(project: Project, ways: Sequence[Way]) -> Iterator[Output]:
    """What a project gives in these ways, each made by a process of its own."""
    with tempfile.TemporaryDirectory() as cache:
        for way in ways:
            for verb in VERBS:
                yield Output(project.name, verb, way, _run(project, verb, way, Path(cache)))


def _run(project: Project, verb: Verb, way: Way, cache: Path) -> str:
    command = [sys.executable, "-c", "from bench.digests import child; child()", verb, way]
    command += [str(project.root), str(project.contract or "")]
    package = str(Path(__file__).parents[1])
    environment = {**os.environ, "PYTHONPATH": package, VARIABLE: str(cache)}
    made = subprocess.run(command, capture_output=True, env=environment, check=False)
    if made.returncode:
        said = made.stderr.decode(errors="replace").strip().splitlines()
        raise ScanFailedError(f"{project.name} {verb} {way}: {said[-1] if said else 'failed'}")
    return made.stdout.decode()


def child() -> None:
    """The process of one output: verb, way, folder and contract are its arguments."""
    verb, way, folder, contract = sys.argv[1:]
    sys.stdout.writelines(_document(verb, way, Path(folder), Path(contract) if contract else None))


def _document(verb: str, way: str, root: Path, contract: Path | None) -> Iterator[str]:
    from contextlib import ExitStack

    from contract_scan import api
    from contract_scan.clients.workers import workers
    from contract_scan.reports.formats import extract_renderer, renderer
    from contract_scan.reports.report import Setting

    with ExitStack() as stack:
        executor = stack.enter_context(workers(2)) if way == "processes" else None
        cache, prefilter = way in ("cold", "warm"), way != "unfiltered"
        if verb == "check":
            report = api.scan(
                root,
                contracts=[contract] if contract else (),
                executor=executor,
                cache=cache,
                prefilter=prefilter,
            )
            yield from renderer("json")(report, Setting(root=root))
        else:
            extraction = api.extract(root, executor=executor, cache=cache, prefilter=prefilter)
            yield from extract_renderer("json")(extraction)


if __name__ == "__main__":
    sys.exit(main())
