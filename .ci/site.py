"""What the site of the documentation (mkdocs.yml) has beside its pages: a navigation over the pages
of which there are many, links out of `docs/` that lead into the repository, and tables as GitHub
shows them."""

from __future__ import annotations

import os
import posixpath
import re
from pathlib import Path
from typing import Any

from mkdocs.exceptions import ConfigurationError

_LINK = re.compile(r"(\]\()(\.\./[^)\s]+)(\))")
_CELL = re.compile(r"<td\b[^>]*>.*?</td>", re.DOTALL)
_DOCS = "docs"


def on_config(config: Any) -> Any:
    """Fill the parts of the navigation that are empty; what no part lists goes to the last."""
    _require_writable(Path(config["site_dir"]))
    docs = Path(config["docs_dir"])
    parts = {
        "Rules": _rules(docs),
        "Frameworks": [
            {"All": "frameworks.md"},
            *(
                {_title(docs / f"languages/{name}.md"): _language(docs, name)}
                for name in _LANGUAGES
            ),
        ],
        "Decisions": [_page(docs, path) for path in sorted(docs.glob("decisions/*.md"))],
    }
    listed = {"frameworks.md"}
    about: list[Any] = []
    for entry in config["nav"]:
        (name,) = entry
        if name in parts:
            entry[name] = parts[name]
        listed.update(page for page in entry[name] if isinstance(page, str))
        if name == "About":
            about = entry[name]
    about += sorted({page.name for page in docs.glob("*.md")} - listed)
    return config


class _UnwritableSiteError(ConfigurationError):
    exit_code = 2


def _require_writable(site: Path) -> None:
    """End the build with one line and status 2 where the site cannot be written: mkdocs itself
    ends with a traceback, after all pages are made."""
    there = next(path for path in (site, *site.parents) if path.exists())
    if not there.is_dir():
        raise _UnwritableSiteError(f"{there} is no folder: name another --site-dir, or move it")
    if not os.access(there, os.W_OK | os.X_OK):
        raise _UnwritableSiteError(f"{there} cannot be written: name another --site-dir")


_LANGUAGES = ("typescript", "python", "csharp", "java")


def _rules(docs: Path) -> list[Any]:
    return [
        {
            rule.stem: [
                _page(docs, rule),
                *(
                    {kind.stem: _place(docs, kind)}
                    for kind in sorted((docs / "rules" / rule.stem).glob("*.md"))
                ),
            ]
        }
        for rule in sorted(docs.glob("rules/*.md"))
    ]


def _language(docs: Path, name: str) -> list[Any]:
    pages = sorted(docs.glob(f"frameworks/{name}/*.md"))
    return [f"languages/{name}.md", *(_page(docs, page) for page in pages)]


def _page(docs: Path, path: Path) -> dict[str, str]:
    return {_title(path): _place(docs, path)}


def _place(docs: Path, path: Path) -> str:
    return path.relative_to(docs).as_posix()


def _title(path: Path) -> str:
    return path.read_text("utf-8").partition("\n")[0].removeprefix("# ")


def on_page_markdown(markdown: str, *, page: Any, config: Any, files: Any) -> str:
    """Have links to what is no page lead into the repository."""
    folder = posixpath.join(_DOCS, posixpath.dirname(page.file.src_uri))

    def lead(match: re.Match[str]) -> str:
        path = posixpath.normpath(posixpath.join(folder, match[2]))
        if path.startswith(f"{_DOCS}/"):
            return match[0]
        return f"{match[1]}{config['repo_url']}/blob/main/{path}{match[3]}"

    return _LINK.sub(lead, markdown)


def on_page_content(html: str, *, page: Any, config: Any, files: Any) -> str:
    """Show `|` where a table has it within code: GitHub takes the backslash off there
    (https://github.github.com/gfm/#example-200), Python-Markdown does not."""
    return _CELL.sub(lambda cell: cell[0].replace("\\|", "|"), html)
