"""What small C# projects send and receive."""

from __future__ import annotations

from pathlib import Path

from tests.parsers.source.csharp.project import CSPROJ, Project

TYPES = """
    namespace Shop;
    public record Order(int Id);
    public record Item(string Name);
    public static class Names { public const string Orders = "orders"; }
"""
ORDER = "{Id: integer(int32)}"
"""As the serializer's own defaults write it."""
ITEM = "{Name: string}"
ITEM_A = "{Name: 'a'}"
"""An item that is made with that name."""
READ_ORDER = "{Id?: integer(int32)}"
READ_ITEM = "{Name?: string}"
WEB_ORDER = "{id: integer(int32)}"
"""As the defaults for the web write it."""
WEB_ITEM = "{name: string}"
WEB_ITEM_A = "{name: 'a'}"
READ_WEB_ORDER = "{id?: integer(int32)}"
READ_WEB_ITEM = "{name?: string}"


def events(folder: Path, usings: str, source: str, **others: str) -> list[str]:
    """What a file with the usings reads as; `others` are further files: `appsettings` and
    `local_settings` of settings, the rest C# by their names."""
    head = "".join(f"using {name};\n" for name in usings.split())
    files = {
        "App.csproj": CSPROJ,
        "Types.cs": TYPES,
        "E.cs": f"{head}namespace Shop;\n{source}",
    }
    names = {"appsettings": "appsettings.json", "local_settings": "local.settings.json"}
    files |= {names.get(name, f"{name}.cs"): text for name, text in others.items()}
    return Project(folder, files).events()
