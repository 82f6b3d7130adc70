"""Which file an import means."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from contract_scan.parsers.source.facts.nodes import Import
from contract_scan.parsers.source.typescript.resolution.modules import find_module


class Tree:
    """Source files held in memory."""

    root = Path("/shop")

    def __init__(self, files: dict[str, str]) -> None:
        self._files = files

    def has(self, path: str) -> bool:
        return path in self._files

    def read(self, path: str) -> bytes | None:
        return self._files[path].encode() if path in self._files else None

    def find(self, path: str, pattern: re.Pattern[bytes]) -> list[bytes]:
        return pattern.findall(self.read(path) or b"")

    def lines(self, path: str, first: int, last: int) -> list[bytes]:
        return (self.read(path) or b"").split(b"\n")[first - 1 : last]

    def files_named(self, name: str) -> tuple[str, ...]:
        return tuple(sorted(p for p in self._files if p.rsplit("/", 1)[-1] == name))

    def ending(self, suffix: str) -> tuple[str, ...]:
        return tuple(sorted(p for p in self._files if p.endswith(suffix)))

    def source(self, language: str) -> tuple[str, ...]:
        return tuple(sorted(self._files))


RELATIVE = Tree(
    dict.fromkeys(
        [
            "src/a.ts",
            "src/b.tsx",
            "src/c/index.ts",
            "src/d.js",
            "src/e.d.ts",
            "src/f.service.ts",
            "src/g.mts",
            "index.ts",
        ],
        "",
    )
)


@pytest.mark.parametrize(
    ("module", "expected"),
    [
        ("./a", "src/a.ts"),
        ("./a.ts", "src/a.ts"),
        ("./a.js", "src/a.ts"),
        ("./b", "src/b.tsx"),
        ("./b.jsx", "src/b.tsx"),
        ("./c", "src/c/index.ts"),
        ("./c/", "src/c/index.ts"),
        ("./c/index.js", "src/c/index.ts"),
        ("./d", "src/d.js"),
        ("./e", "src/e.d.ts"),
        ("./f.service", "src/f.service.ts"),
        ("./g.mjs", "src/g.mts"),
        ("..", "index.ts"),
        ("../src/a", "src/a.ts"),
        ("./missing", None),
        ("../../outside", None),
        ("/etc/passwd", None),
        ("express", None),
        ("node:fs", None),
    ],
)
def test_relative_modules(module: str, expected: str | None) -> None:
    assert find_module(RELATIVE, "src/main.ts", Import(module=module)) == expected


def test_tsconfig_paths_with_comments_extends_and_base_url() -> None:
    tree = Tree(
        {
            "tsconfig.base.json": """{
              // comments and trailing commas are fine
              "compilerOptions": { "baseUrl": ".", "paths": {
                "@app/*": ["src/*"], "@app/special": ["other/special.ts"], /* one */
                "@lib": ["libs/lib/src/index.ts"], "http://x//y": [],
              }, },
            }""",
            "src/tsconfig.json": '{"extends": "../tsconfig.base"}',
            "src/a.ts": "",
            "src/deep/b.ts": "",
            "other/special.ts": "",
            "libs/lib/src/index.ts": "",
        }
    )
    found = [
        find_module(tree, "src/deep/b.ts", Import(module=module))
        for module in ("@app/a", "@app/special", "@lib", "src/a", "@lib/x", "react")
    ]
    assert found == [
        "src/a.ts",
        "other/special.ts",
        "libs/lib/src/index.ts",
        "src/a.ts",
        None,
        None,
    ]


def test_paths_of_a_referenced_configuration() -> None:
    tree = Tree(
        {
            "tsconfig.json": '{"files": [], "references": [{"path": "./tsconfig.app.json"}]}',
            "tsconfig.app.json": '{"compilerOptions": {"paths": {"~/*": ["./src/*"]}}}',
            "src/a.ts": "",
        }
    )
    assert find_module(tree, "src/main.ts", Import(module="~/a")) == "src/a.ts"


def test_packages_of_the_same_repository() -> None:
    tree = Tree(
        {
            "packages/shared/package.json": """{"name": "@shop/shared", "main": "dist/index.js",
              "exports": {".": {"import": "./dist/index.js"}, "./dto/*": "./dist/dto/*.js"}}""",
            "packages/shared/src/index.ts": "",
            "packages/shared/src/dto/order.ts": "",
            "packages/shared/src/plain.ts": "",
            "packages/plain/package.json": '{"name": "plain"}',
            "packages/plain/index.js": "",
            "apps/api/package.json": '{"name": "api", "imports": {"#db/*": "./src/db/*.js"}}',
            "apps/api/src/db/client.ts": "",
            "apps/api/src/main.ts": "",
        }
    )
    found = [
        find_module(tree, "apps/api/src/main.ts", Import(module=module))
        for module in ("@shop/shared", "@shop/shared/dto/order", "@shop/shared/plain", "plain")
    ]
    assert found == [
        "packages/shared/src/index.ts",
        "packages/shared/src/dto/order.ts",
        "packages/shared/src/plain.ts",
        "packages/plain/index.js",
    ]
    inner = find_module(tree, "apps/api/src/main.ts", Import(module="#db/client"))
    assert inner == "apps/api/src/db/client.ts"


def test_a_package_that_is_compiled_from_the_folder_that_its_compiler_options_say() -> None:
    tree = Tree(
        {
            "packages/utils/package.json": '{"name": "utils", "typings": "dist/index.d.ts"}',
            "packages/utils/tsconfig.json": """{"compilerOptions":
              {"rootDir": "./lib", "outDir": "dist"}}""",
            "packages/utils/lib/index.ts": "",
            "packages/utils/src/index.ts": "",
        }
    )
    found = find_module(tree, "apps/api/main.ts", Import(module="utils"))
    assert found == "packages/utils/lib/index.ts"


def test_a_project_that_is_called_as_the_library_it_uses() -> None:
    tree = Tree(
        {
            "package.json": '{"name": "hono", "dependencies": {"hono": "^4.0.0"}}',
            "src/index.ts": "",
            "src/routes.ts": "",
        }
    )
    assert find_module(tree, "src/routes.ts", Import(module="hono")) is None


def test_only_the_source_folder_is_scanned() -> None:
    tree = Tree(dict.fromkeys(["users/dto.ts", "main.ts"], ""))
    found = [
        find_module(tree, "main.ts", Import(module=module))
        for module in ("@/users/dto", "src/users/dto", "@users/dto", "~/users/dto", "@nestjs/core")
    ]
    assert found == ["users/dto.ts"] * 4 + [None]


def test_the_configuration_around_the_scanned_folder_maps_into_it() -> None:
    tree = Tree(
        {
            "../tsconfig.json": """{"compilerOptions": {"paths": {
                "@types": ["./shop/types"], "@api/*": ["./api/*"], "@up": ["../up/index"]
            }}}""",
            "types/index.ts": "",
            "deep/main.ts": "",
            "../api/models.ts": "",
            "../../up/index.ts": "",
        }
    )
    found = {
        module: find_module(tree, "deep/main.ts", Import(module=module))
        for module in ("@types", "@api/models", "@up", "@none")
    }
    assert found == {
        "@types": "types/index.ts",
        "@api/models": "../api/models.ts",
        "@up": "../../up/index.ts",
        "@none": None,
    }
    assert find_module(tree, "../api/models.ts", Import(module="../shop/types")) == "types/index.ts"


def test_broken_configuration_is_passed_over() -> None:
    tree = Tree({"tsconfig.json": "{", "package.json": "[]", "a.ts": ""})
    assert find_module(tree, "main.ts", Import(module="./a")) == "a.ts"
    assert find_module(tree, "main.ts", Import(module="x/a")) is None


def test_names_that_frameworks_map_when_they_build() -> None:
    tree = Tree(
        dict.fromkeys(
            [
                "web/svelte.config.js",
                "web/src/lib/server/db.ts",
                "web/src/lib/index.ts",
                "shop/nuxt.config.ts",
                "shop/server/utils/db.ts",
                "shop/app/composables/cart.ts",
                "shop/shared/types.ts",
            ],
            "",
        )
    )

    def found(path: str, name: str) -> str | None:
        return find_module(tree, path, Import(module=name))

    assert found("web/src/routes/+server.ts", "$lib/server/db") == "web/src/lib/server/db.ts"
    assert found("web/src/routes/+server.ts", "$lib") == "web/src/lib/index.ts"
    assert found("shop/server/api/a.ts", "~/server/utils/db") == "shop/server/utils/db.ts"
    assert found("shop/server/api/a.ts", "@/composables/cart") == "shop/app/composables/cart.ts"
    assert found("shop/server/api/a.ts", "~~/server/utils/db") == "shop/server/utils/db.ts"
    assert found("shop/server/api/a.ts", "#shared/types") == "shop/shared/types.ts"
    assert found("other/a.ts", "$lib/server/db") is None
