"""Every framework that is read has a page, and every test that a page names is there.

`UPDATE_DOCS=1` writes the lists of docs/frameworks.md and the table of the README anew.
"""

from __future__ import annotations

import os
import re
from importlib import import_module
from pathlib import Path

import pytest

from contract_scan.parsers.source.language import Framework
from contract_scan.parsers.source.languages import LANGUAGES, load

ROOT = Path(__file__).parents[1]
PAGES = ROOT / "docs" / "frameworks"
README = ROOT / "README.md"
INDEX = ROOT / "docs" / "frameworks.md"
TITLES = {
    "typescript": "TypeScript and JavaScript",
    "python": "Python",
    "csharp": "C#",
    "java": "Java",
}
FEW = 6
"""Libraries that the README names of each language."""
HEAD = """\
# Frameworks

Every library of which routes or messages are read, with the page that says what is read of it, what
is not, and which test proves it. What holds for a language as a whole, models among it, stands in
pages of its own: [TypeScript and JavaScript](languages/typescript.md),
[Python](languages/python.md), [C#](languages/csharp.md), [Java](languages/java.md).

Of further libraries only the names are known (`frameworks/unsupported.py` of each language). Where
code uses one, operations (or channels) without a place in the code are "undetermined", not
missing.
"""


def frameworks(language: str) -> list[Framework]:
    found = [each for each in load(language).frameworks if each.is_read]
    return [each for each in found if each.operations or each.events]


def unread(language: str) -> list[str]:
    """Names of the libraries that are known by their names alone."""
    module = import_module(f"contract_scan.parsers.source.{language}.frameworks.unsupported")
    return sorted({each.name for each in (*module.ROUTERS, *module.BROKERS)}, key=str.casefold)


def pages(language: str) -> dict[str, str]:
    """The text of each page, by its path below docs/."""
    found = sorted((PAGES / language).glob("*.md"))
    return {f"frameworks/{language}/{page.name}": page.read_text("utf-8") for page in found}


def covered(text: str) -> set[str]:
    """Names of the libraries that a page is about: its title, or those that it lists."""
    listed = re.search(r"^Libraries: ([^\n]*)\.$", text, re.MULTILINE)
    if listed is not None:
        return set(listed.group(1).split(", ")) - {"none"}
    return {text.partition("\n")[0].removeprefix("# ")}


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_framework_has_one_page_and_every_page_a_framework(language: str) -> None:
    about = sorted(name for text in pages(language).values() for name in covered(text))
    assert about == sorted(each.name for each in frameworks(language))


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_test_that_a_page_names_is_there(language: str) -> None:
    folder = ROOT / "tests" / "parsers" / "source" / language
    files = list(folder.rglob("test_*.py"))
    known = {file.name for file in files}
    for file in files:
        known.update(re.findall(r"^def (test_\w+)", file.read_text("utf-8"), re.MULTILINE))
    documents = {**pages(language), f"languages/{language}.md": _language_page(language)}
    missing = {
        (page, name)
        for page, text in documents.items()
        for name in re.findall(r"\b(test_\w+(?:\.py)?)(?![\w…])", text)
        if name not in known
    }
    assert missing == set()


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_page_names_a_test(language: str) -> None:
    assert [page for page, text in pages(language).items() if "test_" not in text] == []


def test_the_list_of_pages_is_complete() -> None:
    parts = [HEAD]
    for language in LANGUAGES:
        title = TITLES[language].replace("#", r"\#")  # at the end of a title it would be left out
        parts.append(f"\n## {title}\n\n| library | read | page |\n|---|---|---|\n")
        where = {name: page for page, text in pages(language).items() for name in covered(text)}
        for each in sorted(frameworks(language), key=lambda each: each.name.casefold()):
            read = [word for word in ("operations", "events") if getattr(each, word)]
            said = " and ".join(read).replace("operations", "routes").replace("events", "messages")
            page = where.get(each.name, "")
            parts.append(f"| {each.name} | {said} | [{Path(page).stem}]({page}) |\n")
        parts.append(f"\nKnown, and not read: {', '.join(unread(language))}.\n")
    text = "".join(parts)
    if os.environ.get("UPDATE_DOCS") == "1":
        INDEX.write_text(text, encoding="utf-8")
    assert INDEX.read_text("utf-8") == text


def named(names: list[str]) -> str:
    """The first few names of a list, and how many there are."""
    return f"{', '.join(names[:FEW])} and {len(names) - FEW} more"


def test_the_readme_names_the_first_frameworks_and_counts_the_others() -> None:
    rows = ["| language | routes | messages |\n|---|---|---|\n"]
    for language in LANGUAGES:
        found = frameworks(language)
        routes = named([each.name for each in found if each.operations])
        messages = named([each.name for each in found if each.events])
        rows.append(f"| {TITLES[language]} | {routes} | {messages} |\n")
    readme = README.read_text("utf-8")
    before, begin, rest = readme.partition("| language |")
    table, end, after = rest.partition("\n\n")
    wanted = "".join(rows).rstrip("\n")
    if os.environ.get("UPDATE_DOCS") == "1":
        README.write_text(before + wanted + end + after, encoding="utf-8")
    else:
        assert begin + table == wanted


def _language_page(language: str) -> str:
    return (ROOT / "docs" / "languages" / f"{language}.md").read_text("utf-8")
