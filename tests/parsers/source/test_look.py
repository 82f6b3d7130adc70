"""Which files are left out for what they look like."""

from __future__ import annotations

from pathlib import Path

import pytest

from contract_scan.parsers.source.discovery.file_scan import scan_file
from contract_scan.parsers.source.discovery.prefilter import Prefilter

ROUTE = "app.get('/orders', list);\n"
PACKED = "var a=1;" * 4_000
"""One line of a bundle."""
WRITTEN = "// a comment of somebody who writes comments\n" * 1_000
PREFILTER = Prefilter((b"app.get",), rb"class\s+(\w+)")


@pytest.mark.parametrize(
    ("name", "text", "skipped"),
    [
        ("app.js", ROUTE, ""),
        ("app.js", WRITTEN + ROUTE, ""),
        (
            "bundle.js",
            "/*! licence\n" + "words\n" * 40 + f"*/\n{PACKED}\n{ROUTE}",
            "it is minified",
        ),
        ("bundle.js", "/* licence */\n" * 300 + f"{PACKED}\n{PACKED}\n", "it is minified"),
        ("data.ts", "// words\n" * 300 + f"const icon = '{PACKED}';\n{ROUTE}", ""),
        ("packed.ts", PACKED, "it is minified"),
    ],
    ids=["a route", "long", "a bundle", "many licences", "data beside code", "packed"],
)
def test_what_machines_packed_is_left_out(
    tmp_path: Path, name: str, text: str, skipped: str
) -> None:
    (tmp_path / name).write_text(text, encoding="utf-8")
    seen, content = scan_file(tmp_path, name, PREFILTER)
    assert (seen.skipped, content is None) == (skipped, bool(skipped))


def test_files_that_are_no_files_are_left_out(tmp_path: Path) -> None:
    (tmp_path / "real.js").write_text(ROUTE, encoding="utf-8")
    (tmp_path / "link.js").symlink_to(tmp_path / "real.js")
    assert scan_file(tmp_path, "link.js", PREFILTER)[0].skipped == "it is no regular file"
    with pytest.raises(FileNotFoundError):
        scan_file(tmp_path, "gone.js", PREFILTER)
