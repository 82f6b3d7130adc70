"""What `list.reduce(function, start)` gives."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.parsers.source.typescript.project import Project


@pytest.mark.parametrize(
    ("reduction", "shape"),
    [
        ("((all, r) => { all[r.name] = r.id; return all; }, {})", "{*: numeric}"),
        ("((all, r) => ({ ...all, [r.name]: r.id }), {})", "{*: numeric}"),
        ("((all, r) => { all.push({ id: r.id }); return all; }, [])", "[{id: numeric}]"),
        ("((all, r) => [...all, r.name], [])", "[string]"),
        ("((sum, r) => sum + r.id, 0)", "numeric"),
        ("((text, r) => text + r.name, '')", "string"),
        (
            "((all, r) => { all.total += r.id; all.last = r.name; return all; }, { total: 0 })",
            "{total: numeric, last?: string}",
        ),
        (
            "<Record<string, Row[]>>((all, r) => add(all, r), {})",
            "{*: [{id: numeric, name: string}]}",
        ),
        (
            "((all, r) => add(all, r), {} as Record<string, Row[]>)",
            "{*: [{id: numeric, name: string}]}",
        ),
        ("((one, other) => one.id > other.id ? one : other)", "unknown"),
        ("((all, r) => add(all, r), {})", "unknown"),
    ],
)
def test_a_reduction_gives_what_its_function_makes(
    tmp_path: Path, reduction: str, shape: str
) -> None:
    source = f"""
        interface Row {{ id: number; name: string }}
        declare function rows(): Row[];
        declare function add(all: any, row: Row): any;
        const app = require('express')();
        app.get('/a', (req, res) => {{ res.json(rows().reduce{reduction}); }});
    """
    found = Project(tmp_path, {"a.ts": source})
    assert found.responses("GET /a") == {"200*": shape}
