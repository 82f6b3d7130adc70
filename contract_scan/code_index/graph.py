"""Walks over the graph of files that need each other."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence

Graph = Mapping[str, Sequence[str]]
"""File -> the files that it needs, sorted."""


def reachable(graph: Graph, start: str) -> list[str]:
    """Everything that a file needs in the end, sorted, itself left out."""
    seen = {start}
    pending = [start]
    while pending:
        for target in graph.get(pending.pop(), ()):
            if target not in seen:
                seen.add(target)
                pending.append(target)
    return sorted(seen - {start})


def components(graph: Graph) -> Iterator[list[str]]:
    """The groups of files that all need each other, of two files or more (Tarjan, without
    recursion)."""
    order: dict[str, int] = {}
    lowest: dict[str, int] = {}
    stack: list[str] = []
    on_stack: set[str] = set()
    for root in sorted(graph):
        if root in order:
            continue
        work = [(root, iter(graph.get(root, ())))]
        order[root] = lowest[root] = len(order)
        stack.append(root)
        on_stack.add(root)
        while work:
            node, targets = work[-1]
            target = next(targets, None)
            if target is None:
                work.pop()
                if work:
                    lowest[work[-1][0]] = min(lowest[work[-1][0]], lowest[node])
                if lowest[node] == order[node]:
                    group = _pop_group(stack, on_stack, node)
                    if len(group) > 1:
                        yield sorted(group)
            elif target not in order:
                order[target] = lowest[target] = len(order)
                stack.append(target)
                on_stack.add(target)
                work.append((target, iter(graph.get(target, ()))))
            elif target in on_stack:
                lowest[node] = min(lowest[node], order[target])


def cycles_through(graph: Graph, file: str, most: int) -> list[list[str]]:
    """For each file that `file` needs and that needs it in turn, the shortest way round, which
    begins with `file` and does not repeat it; at most `most`."""
    found: list[list[str]] = []
    for target in graph.get(file, ()):
        way = _shortest(graph, target, file)
        if way is not None and len(found) < most:
            found.append([file, *way[:-1]])
    return found


def count_names(names: Iterable[str]) -> list[tuple[str, int]]:
    """Names with how often each comes, the most frequent first."""
    counts: dict[str, int] = {}
    for name in names:
        counts[name] = counts.get(name, 0) + 1
    return sorted(counts.items(), key=lambda each: (-each[1], each[0]))


def _pop_group(stack: list[str], on_stack: set[str], node: str) -> list[str]:
    group: list[str] = []
    while not group or group[-1] != node:
        group.append(stack.pop())
        on_stack.discard(group[-1])
    return group


def _shortest(graph: Graph, start: str, end: str) -> list[str] | None:
    before: dict[str, str] = {start: ""}
    pending = deque([start])
    while pending:
        node = pending.popleft()
        if node == end:
            way = [node]
            while before[way[-1]]:
                way.append(before[way[-1]])
            return way[::-1]
        for target in graph.get(node, ()):
            if target not in before:
                before[target] = node
                pending.append(target)
    return None
