"""What kind of application a project is, by the files in which it names what it is built on."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Literal

from contract_scan.clients.mcp.entries import get_project_servers
from contract_scan.regular_file import read_regular

Side = Literal["backend", "frontend"]

_LARGEST: Final = 1_000_000
"""Bytes of a file that is looked into."""
_DEPTH: Final = 3
"""Folders below the project in which such files are looked for."""
_NEVER_ENTERED: Final = frozenset({"node_modules", "venv", "dist", "build", "target", "bin", "obj"})

_PACKAGES: Final[Mapping[str, tuple[str, Side]]] = {
    "@angular/core": ("Angular", "frontend"),
    "@nestjs/core": ("NestJS", "backend"),
    "aiohttp": ("aiohttp", "backend"),
    "django": ("Django", "backend"),
    "express": ("Express", "backend"),
    "fastapi": ("FastAPI", "backend"),
    "fastify": ("Fastify", "backend"),
    "flask": ("Flask", "backend"),
    "hono": ("Hono", "backend"),
    "koa": ("Koa", "backend"),
    "litestar": ("Litestar", "backend"),
    "next": ("Next.js", "frontend"),
    "react": ("React", "frontend"),
    "svelte": ("Svelte", "frontend"),
    "vue": ("Vue", "frontend"),
}
"""Name of a package, of npm or PyPI -> the framework, and the side it is for."""

_MARKERS: Final[Mapping[str, tuple[tuple[str, str], ...]]] = {
    ".csproj": (
        ("Microsoft.NET.Sdk.Web", "ASP.NET Core"),
        ("Microsoft.AspNetCore", "ASP.NET Core"),
    ),
    "pom.xml": (("spring-boot", "Spring Boot"), ("quarkus", "Quarkus"), ("micronaut", "Micronaut")),
    "build.gradle": (
        ("spring-boot", "Spring Boot"),
        ("org.springframework.boot", "Spring Boot"),
        ("quarkus", "Quarkus"),
        ("micronaut", "Micronaut"),
    ),
}
"""How the name of a build file ends -> text in it, and the framework of servers it stands for."""

_REQUIREMENT: Final = re.compile(r"\s*([A-Za-z0-9][A-Za-z0-9._-]*)")


@dataclass(frozen=True)
class AppTypeInfo:
    """What a project is built on, and which of our servers its agents have."""

    backend_frameworks: tuple[str, ...] = ()
    frontend_frameworks: tuple[str, ...] = ()
    has_contract_engine: bool = False
    has_codebase_intelligence: bool = False


def detect_app_type(project_dir: Path) -> AppTypeInfo:
    """Look at the build files and `.mcp.json` of a project (REQ-082). Nothing of it is run; what
    cannot be read counts as not there."""
    found: dict[Side, set[str]] = {"backend": set(), "frontend": set()}
    for path in _build_files(project_dir):
        for name, side in _frameworks(path):
            found[side].add(name)
    servers = get_project_servers(project_dir)
    return AppTypeInfo(
        backend_frameworks=tuple(sorted(found["backend"])),
        frontend_frameworks=tuple(sorted(found["frontend"])),
        has_contract_engine="contract-engine" in servers,
        has_codebase_intelligence="codebase-intelligence" in servers,
    )


def _build_files(folder: Path, depth: int = _DEPTH) -> Iterator[Path]:
    try:
        entries = sorted(folder.iterdir())
    except OSError:
        return
    for path in entries:
        if path.is_symlink():
            continue
        if path.is_file():
            yield path
        elif depth and path.name not in _NEVER_ENTERED and not path.name.startswith("."):
            yield from _build_files(path, depth - 1)


def _frameworks(path: Path) -> Iterator[tuple[str, Side]]:
    if path.name == "package.json":
        names = _npm_packages(_text(path))
    elif path.name == "pyproject.toml":
        names = _pypi_packages(_text(path))
    elif path.name.startswith("requirements") and path.suffix == ".txt":
        names = _requirement_names(_text(path).splitlines())
    else:
        names = iter(())
    yield from (_PACKAGES[name] for name in names if name in _PACKAGES)
    for ending, markers in _MARKERS.items():
        if path.name.removesuffix(".kts").endswith(ending):
            text = _text(path)
            yield from ((name, "backend") for word, name in markers if word in text)


def _npm_packages(text: str) -> Iterator[str]:
    try:
        content = json.loads(text)
    except (ValueError, RecursionError):
        return
    for key in ("dependencies", "devDependencies"):
        listed = content.get(key) if isinstance(content, dict) else None
        yield from listed if isinstance(listed, dict) else ()


def _pypi_packages(text: str) -> Iterator[str]:
    try:
        content: dict[str, Any] = tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError):
        return
    project, tool = content.get("project"), content.get("tool")
    listed = project.get("dependencies") if isinstance(project, dict) else None
    yield from _requirement_names(listed if isinstance(listed, list) else ())
    poetry = tool.get("poetry") if isinstance(tool, dict) else None
    named = poetry.get("dependencies") if isinstance(poetry, dict) else None
    yield from (name.lower() for name in named) if isinstance(named, dict) else ()


def _requirement_names(lines: Any) -> Iterator[str]:
    for line in lines:
        found = _REQUIREMENT.match(line) if isinstance(line, str) else None
        if found is not None:
            yield found[1].lower()


def _text(path: Path) -> str:
    try:
        return read_regular(path, _LARGEST).decode("utf-8", "replace")
    except OSError:
        return ""
