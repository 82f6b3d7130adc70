"""A process that goes on says after every edit what a new one says of the files as they are then.

`CONTRACT_SCAN_TEST_EDITS=1000` makes so many edits of each project.
"""

from __future__ import annotations

import json
import os
import random
from collections.abc import Callable, Iterator
from contextlib import nullcontext
from pathlib import Path

import msgspec
import pytest

from contract_scan import unsaved
from contract_scan.api import scan
from contract_scan.config.effective import configuration_of
from contract_scan.parsers.source.retained_sources import many_runs

EDITS = int(os.environ.get("CONTRACT_SCAN_TEST_EDITS", "12"))
TYPES = ("text", "number", "flag")
WORDS = ("title", "price", "soldOut", "author", "shelfMark", "stock", "rating")
NAMES = ("Book", "Order", "Shelf", "Refund")


class State:
    """A program of routes and the types that they answer with, in several files, beside a
    contract."""

    def __init__(self, random: random.Random) -> None:
        self.random = random
        self.types = {
            name: {word: random.choice(TYPES) for word in random.sample(WORDS, 3)}
            for name in NAMES[:2]
        }
        self.routes = {f"/{name.lower()}s": name for name in self.types}
        self.notes = 0
        self.contracted = {path: dict(self.types[name]) for path, name in self.routes.items()}
        self.ignored = False
        self.settings = 0
        """Which of the settings and uses are written that all files are searched for."""
        self.spelling = {name: name for name in NAMES}

    def edit(self) -> None:
        """Change one thing, as people do."""
        choice = self.random.choice
        edit: Callable[[], object] = choice(
            (
                self._add_field,
                self._remove_field,
                self._change_type,
                self._rename_type,
                self._add_route,
                self._remove_route,
                self._move_lines,
                self._change_contract,
                self._change_configuration,
                self._add_or_delete_type,
                self._change_settings,
            )
        )
        edit()

    def _fields(self) -> dict[str, str]:
        return self.random.choice([*self.types.values()])

    def _add_field(self) -> None:
        self._fields()[self.random.choice(WORDS)] = self.random.choice(TYPES)

    def _remove_field(self) -> None:
        fields = self._fields()
        if len(fields) > 1:
            fields.pop(self.random.choice([*fields]))

    def _change_type(self) -> None:
        fields = self._fields()
        fields[self.random.choice([*fields])] = self.random.choice(TYPES)

    def _rename_type(self) -> None:
        name = self.random.choice([*self.types])
        self.spelling[name] = f"{name}{self.random.choice(('', 'Dto', 'View'))}"

    def _add_route(self) -> None:
        name = self.random.choice([*self.types])
        self.routes[self.random.choice(("/all", "/new", f"/{name.lower()}s"))] = name

    def _remove_route(self) -> None:
        if len(self.routes) > 1:
            self.routes.pop(self.random.choice([*self.routes]))

    def _move_lines(self) -> None:
        self.notes = (self.notes + 1) % 4

    def _change_contract(self) -> None:
        path = self.random.choice(("/books", "/orders", "/all"))
        self.contracted[path] = {self.random.choice(WORDS): self.random.choice(TYPES)}

    def _change_configuration(self) -> None:
        self.ignored = not self.ignored

    def _change_settings(self) -> None:
        self.settings = self.random.randrange(4)

    def _add_or_delete_type(self) -> None:
        name = self.random.choice(NAMES)
        if name not in self.types:
            self.types[name] = {self.random.choice(WORDS): self.random.choice(TYPES)}
        elif len(self.types) > 1:
            del self.types[name]
            self.routes = {path: used for path, used in self.routes.items() if used != name}

    def contract(self) -> str:
        """The contract, as JSON."""
        of = {"text": "string", "number": "number", "flag": "boolean"}
        paths = {
            path: {
                "get": {
                    "responses": {
                        "200": {
                            "description": "ok",
                            "content": {
                                "application/json": {
                                    "schema": {
                                        "type": "object",
                                        "required": [*fields],
                                        "properties": {
                                            name: {"type": of[type]}
                                            for name, type in fields.items()
                                        },
                                    }
                                }
                            },
                        }
                    }
                }
            }
            for path, fields in self.contracted.items()
        }
        info = {"title": "Books", "version": "1"}
        return json.dumps({"openapi": "3.1.0", "info": info, "paths": paths}, indent=1)

    def configuration(self) -> str:
        """The configuration."""
        return f'exclude = ["{"shelf" if self.ignored else "nothing"}*"]\n'


def python(state: State) -> Iterator[tuple[str, str]]:
    """FastAPI."""
    of = {"text": "str", "number": "float", "flag": "bool"}
    lines = ["from fastapi import FastAPI"]
    for name, fields in state.types.items():
        module, spelled = name.lower(), state.spelling[name]
        declared = "".join(f"    {field}: {of[type]}\n" for field, type in fields.items())
        yield (
            f"{module}.py",
            f"from pydantic import BaseModel\n\n\nclass {spelled}(BaseModel):\n{declared}",
        )
        lines.append(f"from {module} import {spelled}")
    lines += ["app = FastAPI()", *["# a note"] * state.notes]
    for number, (path, name) in enumerate(state.routes.items()):
        lines += [f'@app.get("{path}")', f"def read_{number}() -> {state.spelling[name]}: ..."]
    yield "main.py", "\n".join(lines) + "\n"


def typescript(state: State) -> Iterator[tuple[str, str]]:
    """Express."""
    of = {"text": "string", "number": "number", "flag": "boolean"}
    lines = ["import express from 'express';"]
    for name, fields in state.types.items():
        module, spelled = name.lower(), state.spelling[name]
        declared = "".join(f"  {field}: {of[type]};\n" for field, type in fields.items())
        yield f"{module}.ts", f"export interface {spelled} {{\n{declared}}}\n"
        lines.append(f"import {{ {spelled} }} from './{module}';")
    lines += ["const app = express();", *["// a note"] * state.notes]
    for path, name in state.routes.items():
        handler = (
            f"(req, res) => {{ const found: {state.spelling[name]} = load(); res.json(found); }}"
        )
        lines.append(f"app.get('{path}', {handler});")
    yield "main.ts", "\n".join(lines) + "\n"
    yield "package.json", '{"dependencies": {"express": "4"}}'


def csharp(state: State) -> Iterator[tuple[str, str]]:
    """ASP.NET Core."""
    of = {"text": "string", "number": "double", "flag": "bool"}
    lines = ["using Microsoft.AspNetCore.Mvc;", "namespace Shop;", *["// a note"] * state.notes]
    for name, fields in state.types.items():
        declared = "".join(
            f"  public {of[type]} {field[0].upper()}{field[1:]} {{ get; set; }}\n"
            for field, type in fields.items()
        )
        spelled = state.spelling[name]
        yield f"{name.lower()}.cs", f"namespace Shop;\npublic class {spelled}\n{{\n{declared}}}\n"
    lines += ["[ApiController]", "public class Books : ControllerBase", "{"]
    for number, (path, name) in enumerate(state.routes.items()):
        spelled = state.spelling[name]
        lines.append(f'  [HttpGet("{path}")] public {spelled} Read{number}() => new {spelled}();')
    yield "Main.cs", "\n".join([*lines, "}"]) + "\n"
    named = "o.JsonSerializerOptions.PropertyNamingPolicy = JsonNamingPolicy.SnakeCaseLower"
    option = f"services.Configure<JsonOptions>(o => {named});" if state.settings & 1 else ""
    yield (
        "Settings.cs",
        "namespace Shop;\nstatic class Settings\n{\n"
        f"  public static void Add(IServiceCollection services) {{ {option} }}\n}}\n",
    )
    first = next(iter(state.types))
    made = f"new {state.spelling[first]}()" if state.settings & 2 else "null"
    yield "stocktaking.cs", f"namespace Shop;\nclass Stocktaking {{ object Count() => {made}; }}\n"
    yield "Shop.csproj", '<Project Sdk="Microsoft.NET.Sdk.Web"></Project>'


def java(state: State) -> Iterator[tuple[str, str]]:
    """Spring MVC."""
    of = {"text": "String", "number": "double", "flag": "boolean"}
    lines = [
        "package shop;",
        "import org.springframework.web.bind.annotation.*;",
        *["// a note"] * state.notes,
        "@RestController",
        "public class Main {",
    ]
    for name, fields in state.types.items():
        declared = ", ".join(f"{of[type]} {field}" for field, type in fields.items())
        spelled = state.spelling[name]
        yield f"{spelled}.java", f"package shop;\npublic record {spelled}({declared}) {{}}\n"
    for number, (path, name) in enumerate(state.routes.items()):
        spelled = state.spelling[name]
        lines.append(
            f'  @GetMapping("{path}") public {spelled} read{number}() {{ return find(); }}'
        )
    yield "Main.java", "\n".join([*lines, "}"]) + "\n"
    strategy = "b.propertyNamingStrategy(PropertyNamingStrategies.SNAKE_CASE)"
    setting = f"@Bean Jackson2ObjectMapperBuilderCustomizer named() {{ return b -> {strategy}; }}"
    yield (
        "Settings.java",
        "package shop;\nimport org.springframework.context.annotation.*;\n"
        f"@Configuration\nclass Settings {{\n  {setting if state.settings & 1 else ''}\n}}\n",
    )


def _write(root: Path, files: dict[str, str]) -> dict[Path, bytes]:
    """Make a folder hold these files; the ones that were there and differ, with their new texts."""
    changed = {}
    for path in [*root.iterdir()]:
        if path.name not in files:
            path.unlink()
    for name, text in files.items():
        path = root / name
        if not path.exists():
            path.write_text(text)
        elif path.read_text() != text:
            changed[path] = text.encode()
    return changed


def _said_of(root: Path, cache: Path | bool) -> bytes:
    config = configuration_of(root)
    return msgspec.json.encode(scan(root, config=config, cache=cache, allow_empty=True))


@pytest.mark.parametrize("project", [python, typescript, csharp, java])
@pytest.mark.parametrize("is_cached", [True, False])
def test_after_every_edit_a_process_that_goes_on_says_what_a_new_one_says(
    project: Callable[[State], Iterator[tuple[str, str]]],
    is_cached: bool,
    tmp_path: Path,
) -> None:
    state = State(random.Random(f"{project.__name__} {is_cached}"))
    root = tmp_path / "project"
    root.mkdir()
    said: set[bytes] = set()
    with many_runs():
        for number in range(EDITS):
            files = dict(project(state))
            files |= {
                "openapi.json": state.contract(),
                "contract-scan.toml": state.configuration(),
            }
            changed = _write(root, files)
            in_editor = state.random.random() < 0.5 and all(
                path.suffix in (".py", ".ts", ".cs", ".java") for path in changed
            )
            if not in_editor:
                for path, text in changed.items():
                    path.write_bytes(text)
            with unsaved.overlay(changed) if in_editor else nullcontext():
                again = _said_of(root, cache=tmp_path / "cache" if is_cached else False)
            said.add(again)
            copy = tmp_path / f"{number}" / root.name
            copy.mkdir(parents=True)
            _write(copy, files)
            assert again == _said_of(copy, cache=False), number
            for path, text in changed.items():
                path.write_bytes(text)
            state.edit()
    assert len(said) > EDITS // 3


def test_a_setting_that_all_files_are_searched_for_counts_as_soon_as_a_file_has_it(
    tmp_path: Path,
) -> None:
    state = State(random.Random(1))
    state.types["Book"] = state.contracted["/books"] = {"soldOut": "number"}
    state.types["Order"] = state.contracted["/orders"] = {"stock": "number"}
    messages = []
    with many_runs():
        for state.settings in (0, 1, 0):
            files = {**dict(csharp(state)), "openapi.json": state.contract()}
            for path, text in _write(tmp_path, files).items():
                path.write_bytes(text)
            report = scan(tmp_path, cache=False)
            messages.append([finding.message for finding in report.findings])
    renamed = "`GET /books` response 200 has `sold_out` instead of `soldOut`"
    assert messages == [[], [renamed], []]
