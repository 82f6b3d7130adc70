"""What small Java projects send and receive."""

from __future__ import annotations

from pathlib import Path

from tests.parsers.source.java.project import Project

TYPES = """
class Order { public long id; }
class Item { public int n; }
"""
ORDER = "{id: integer(int64)}"
ITEM = "{n: integer(int32)}"


def events(folder: Path, imports: str, source: str, **settings: str) -> list[str]:
    """What a file with the imports reads as; `settings` are texts of `application` files by their
    suffix (`yml`, `properties`), or of a build file (`gradle`)."""
    head = "package shop;\nimport java.util.*;\n"
    head += "".join(f"import {name};\n" for name in imports.split())
    files = {"src/main/java/shop/E.java": head + TYPES + source}
    for suffix, text in settings.items():
        is_build = suffix == "gradle"
        path = "build.gradle" if is_build else f"src/main/resources/application.{suffix}"
        files[path] = text
    return Project(folder, files).events()
