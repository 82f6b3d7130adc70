"""`python -m bench.growth [NAME …]`: measure how the cost of every shape grows, as a table."""

from __future__ import annotations

import argparse
import math
import os
import resource
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from bench.growth.shapes import SHAPES, Files, Shape

CPU_LIMIT = 20
"""Seconds of processor time after which a scan is ended."""
MEMORY_LIMIT = 4 << 30
"""Bytes of address space that a scan may have."""
_PACKAGE = Path(__file__).parents[2]


class Cost(NamedTuple):
    """What one scan cost."""

    seconds: float
    """User and system time of the whole process."""
    megabytes: float
    """Most memory that it held."""
    status: int
    """Its exit status; less than 0 where a signal ended it."""


def write(files: Files, root: Path) -> None:
    """Write a repository."""
    for path, text in files.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text, encoding="utf-8")


def cost(root: Path) -> Cost:
    """Scan a folder in a process of its own, without a cache."""
    words = [sys.executable, "-m", "contract_scan", "check", str(root), "--no-cache", "--jobs", "1"]
    words += ["--exit-zero", "--output-format", "json"]
    process = os.fork()
    if not process:
        _become(words)
    _, status, used = os.wait4(process, 0)
    return Cost(
        used.ru_utime + used.ru_stime, used.ru_maxrss / 1024, os.waitstatus_to_exitcode(status)
    )


def _become(words: list[str]) -> None:
    resource.setrlimit(resource.RLIMIT_CPU, (CPU_LIMIT, CPU_LIMIT))
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY_LIMIT, MEMORY_LIMIT))
    nowhere = os.open(os.devnull, os.O_RDWR)
    for stream in (0, 1, 2):
        os.dup2(nowhere, stream)
    os.execvpe(words[0], words, {**os.environ, "PYTHONPATH": str(_PACKAGE)})


def exponent(sizes: Sequence[int], costs: Sequence[float]) -> float:
    """The slope of cost over size where both are drawn on logarithmic scales (least squares)."""
    xs, ys = [math.log(n) for n in sizes], [math.log(max(c, 1e-3)) for c in costs]
    middle, level = sum(xs) / len(xs), sum(ys) / len(ys)
    spread = sum((x - middle) ** 2 for x in xs)
    return sum((x - middle) * (y - level) for x, y in zip(xs, ys, strict=True)) / spread


def measure(shape: Shape, floor: Cost) -> str:
    """A row of the table: the cost of an empty scan is taken off before the exponent is fitted."""
    costs: list[Cost] = []
    for size in shape.sizes:
        with tempfile.TemporaryDirectory() as folder:
            write(shape.files(size), Path(folder))
            costs.append(cost(Path(folder)))
        if costs[-1].status not in (0, 1, 2):
            break
    sizes = shape.sizes[: len(costs)]
    own = [max(each.seconds - floor.seconds, 0.01) for each in costs]
    # Doubling of what is hardly more than nothing says nothing of growth.
    slope = f"{exponent(sizes, own):.2f}" if len(costs) > 1 and own[-1] > 0.1 else "flat"
    said = ", ".join(f"{each.seconds:.2f}" for each in costs)
    ended = "" if costs[-1].status in (0, 1, 2) else f" (ended: {costs[-1].status})"
    return (
        f"| {shape.name} | {', '.join(map(str, sizes))} {shape.unit} | {said}{ended} | "
        f"{max(each.megabytes for each in costs):.0f} | {slope} |"
    )


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure the shapes whose names hold one of the words given, or all of them."""
    parser = argparse.ArgumentParser(prog="python -m bench.growth", description=__doc__)
    parser.add_argument("words", nargs="*", metavar="NAME", help="a part of the names of shapes")
    words = parser.parse_args(arguments).words
    chosen = [s for s in SHAPES if not words or any(w.lower() in s.name.lower() for w in words)]
    with tempfile.TemporaryDirectory() as folder:
        floor = min(cost(Path(folder)) for _ in range(3))
    print("| shape | sizes | CPU s | most MB | exponent |")
    print("|---|---|--:|--:|--:|")
    for shape in chosen:
        print(measure(shape, floor), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
