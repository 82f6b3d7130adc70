"""`python -m bench.fuzz --count N`: scan N broken repositories, and keep those that were not taken
well. Input n of a seed is the same everywhere; a run that was ended goes on where it stood."""

from __future__ import annotations

import argparse
import shutil
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from random import Random

import msgspec
from msgspec import Struct

from bench.fuzz.judge import Outcome, judged, warm_up
from bench.fuzz.mutate import mutated
from bench.fuzz.seeds import BESIDE, Seed, seeds

_VERBS = (
    *((("check", ".", "--output-format", "json"),) * 8),
    ("check", ".", "--output-format", "sarif"),
    ("check", ".", "--output-format", "full"),
    ("check", ".", "--output-format", "html"),
    ("check", ".", "--diff", "--unsafe-fixes"),
    ("extract", "."),
)
_OPTIONS = ("--no-cache", "--jobs", "1")
BATCH = 25
"""Inputs that one process scans."""
REPORT_EVERY = 500


class Input(Struct, frozen=True):
    """A broken repository, and the command that is run in it."""

    seed: str
    words: tuple[str, ...]
    files: dict[str, bytes]


class State(Struct):
    """How far a run is."""

    seed: int
    done: int = 0
    faults: dict[str, int] = {}
    statuses: dict[int, int] = {}
    slowest: float = 0.0
    largest: float = 0.0


def made(number: int, seed: int, known: Sequence[Seed]) -> Input:
    """Input `number` of a seed."""
    random = Random(f"{seed}:{number}")
    chosen = random.choice(known)
    others = [text for one in random.sample(list(known), 3) for text in one.files.values()]
    others += random.sample(sorted(BESIDE.values()), 2)
    texts = dict(chosen.files)
    broken = set(random.sample(sorted(texts), min(len(texts), random.choice((1, 1, 1, 2, 3)))))
    words = list(random.choice(_VERBS))
    if random.random() < 0.3:
        beside = random.sample(sorted(BESIDE), random.choice((1, 2, 4)))
        texts.update((path, BESIDE[path]) for path in beside if path not in texts)
        broken = set(random.sample(beside, random.choice((1, len(beside)))))
        if "baseline.json" in beside and words[0] == "check":
            words += ["--baseline", "baseline.json"]
    files = {
        path: mutated(text, random, others) if path in broken else text.encode()
        for path, text in sorted(texts.items())
    }
    return Input(chosen.name, (*words, *_OPTIONS), files)


def written(files: dict[str, bytes], folder: Path) -> None:
    """Write a repository."""
    for path, content in files.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_bytes(content)


def tried(
    numbers: Sequence[int], seed: int, known: Sequence[Seed], kept: Path
) -> Iterator[Outcome]:
    """Scan inputs; those that are not taken well are kept."""

    def written_out(number: int, folder: Path) -> Sequence[str]:
        one = made(number, seed, known)
        written(one.files, folder)
        return one.words

    with tempfile.TemporaryDirectory() as scratch:
        for outcome in judged(numbers, written_out, Path(scratch)):
            if outcome.fault:
                keep(outcome, made(outcome.number, seed, known), kept)
            shutil.rmtree(Path(scratch) / str(outcome.number), ignore_errors=True)
            yield outcome


def keep(outcome: Outcome, one: Input, kept: Path) -> None:
    """Write down an input that was not taken well, with what the scan said."""
    place = kept / f"{outcome.number:06}-{outcome.fault.replace(' ', '-')}"
    written(one.files, place / "repository")
    about = f"{outcome.fault}: contract-scan {' '.join(one.words)}\nseed {one.seed},"
    about += f" {outcome.seconds:.1f} s, {outcome.megabytes:.0f} MB, status {outcome.status}\n\n"
    (place / "why.txt").write_text(about + outcome.said, encoding="utf-8", errors="replace")


def prepare() -> tuple[Seed, ...]:
    """The seeds, with everything imported that scans of them need."""
    known = seeds()
    with tempfile.TemporaryDirectory() as scratch:
        folders = []
        for number, one in enumerate(known[:: max(1, len(known) // 40)]):
            folders.append(Path(scratch) / str(number))
            written({path: text.encode() for path, text in one.files.items()}, folders[-1])
        warm_up(folders)
    return known


def run(count: int, seed: int, folder: Path) -> State:
    """Go on with a run until `count` inputs are done."""
    known = prepare()
    folder.mkdir(parents=True, exist_ok=True)
    record = folder / f"state-{seed}.json"
    state = State(seed)
    if record.exists():
        state = msgspec.json.decode(record.read_bytes(), type=State)
    start, first = time.monotonic(), state.done
    while state.done < count:
        numbers = range(state.done, min(state.done + BATCH, count))
        for outcome in tried(numbers, seed, known, folder / f"kept-{seed}"):
            noted(state, outcome)
        record.write_bytes(msgspec.json.encode(state))
        if state.done % REPORT_EVERY == 0 or state.done == count:
            speed = (state.done - first) / (time.monotonic() - start)
            print(f"{state.done} inputs, {speed:.0f} a second: {said_of(state)}", flush=True)
    return state


def noted(state: State, outcome: Outcome) -> None:
    """Count an outcome."""
    state.done += 1
    state.statuses[outcome.status] = state.statuses.get(outcome.status, 0) + 1
    state.slowest = max(state.slowest, outcome.seconds)
    state.largest = max(state.largest, outcome.megabytes)
    if outcome.fault:
        state.faults[outcome.fault] = state.faults.get(outcome.fault, 0) + 1
        print(f"input {outcome.number}: {outcome.fault}", flush=True)


def said_of(state: State) -> str:
    """A run in one line."""
    faults = ", ".join(f"{count} {fault}" for fault, count in sorted(state.faults.items()))
    statuses = ", ".join(f"{status}: {count}" for status, count in sorted(state.statuses.items()))
    return (
        f"seed {state.seed}, faults: {faults or 'none'}; statuses {statuses}; "
        f"longest {state.slowest:.1f} s, largest {state.largest:.0f} MB"
    )


def main(arguments: Sequence[str] | None = None) -> int:
    """1 where some input was not taken well."""
    parser = argparse.ArgumentParser(prog="python -m bench.fuzz", description=__doc__)
    parser.add_argument("--count", type=int, default=20_000, help="inputs  [20000]")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument(
        "--folder", type=Path, default=Path("build/fuzz"), help="where it keeps them"
    )
    parser.add_argument("--only", type=int, metavar="N", help="write and scan input N alone")
    given = parser.parse_args(arguments)
    if given.only is not None:
        known = prepare()
        (outcome,) = tried([given.only], given.seed, known, given.folder / f"kept-{given.seed}")
        words = " ".join(made(given.only, given.seed, known).words)
        print(f"{words}: {outcome.fault or 'taken well'}, status {outcome.status}")
        print(outcome.said)
        return int(bool(outcome.fault))
    state = run(given.count, given.seed, given.folder)
    return int(bool(state.faults))


if __name__ == "__main__":
    sys.exit(main())
