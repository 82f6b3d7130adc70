"""Which file an import means."""

from __future__ import annotations

import re
from pathlib import Path

from msgspec import Struct

from contract_scan.parsers.source.facts.nodes import Import
from contract_scan.parsers.source.java.resolution.modules import DEFINITIONS, find_module


class Sources(Struct):
    """Files of a scan that exist in memory only."""

    contents: dict[str, bytes]
    root: Path = Path()

    def has(self, path: str) -> bool:
        return path in self.contents

    def read(self, path: str) -> bytes | None:
        return self.contents.get(path)

    def find(self, path: str, pattern: re.Pattern[bytes]) -> list[bytes]:
        return pattern.findall(self.contents.get(path, b""))

    def lines(self, path: str, first: int, last: int) -> list[bytes]:
        return self.contents.get(path, b"").split(b"\n")[first - 1 : last]

    def files_named(self, name: str) -> tuple[str, ...]:
        return tuple(sorted(p for p in self.contents if p.rpartition("/")[2] == name))

    def ending(self, suffix: str) -> tuple[str, ...]:
        return tuple(sorted(p for p in self.contents if p.endswith(suffix)))

    def source(self, language: str) -> tuple[str, ...]:
        return tuple(sorted(self.contents))


FILES = Sources(
    {
        "orders/src/main/java/com/shop/Order.java": b"package com.shop;",
        "billing/src/main/java/com/shop/Order.java": b"package com.shop;",
        "orders/src/main/java/com/shop/api/Paths.java": b"package com.shop.api;",
        "flat/Money.java": b"// money\n@ParametersAreNonnull\npackage com.shop.money;\n",
        "flat/Other.java": b"package com.other;",
    }
)
HERE = "billing/src/main/java/com/shop/api/Api.java"


def found(module: str, name: str, *modifiers: str) -> str | None:
    return find_module(FILES, HERE, Import(module=module, name=name, modifiers=modifiers))


def test_the_nearest_of_several_modules_with_one_class_each() -> None:
    assert found("com.shop", "Order") == "billing/src/main/java/com/shop/Order.java"


def test_type_nested_in_another() -> None:
    assert found("com.shop.api.Paths", "V1") == "orders/src/main/java/com/shop/api/Paths.java"


def test_static_imports() -> None:
    paths = "orders/src/main/java/com/shop/api/Paths.java"
    assert found("com.shop.api.Paths", "ORDERS", "static") == paths
    assert found("com.shop.api.Paths", "*", "static") == paths
    assert found("com.shop.api.Paths.V1", "*", "static") == paths


def test_types_of_a_package_are_found_by_name_instead() -> None:
    assert found("com.shop", "*") is None


def test_folder_that_does_not_follow_the_package() -> None:
    assert found("com.shop.money", "Money") == "flat/Money.java"
    assert found("com.shop", "Other") is None


def test_libraries() -> None:
    assert found("java.util", "List") is None
    assert found("com.fasterxml.jackson.annotation.JsonInclude", "Include") is None


def test_definitions() -> None:
    text = b"""public class A<T> {} interface B{} record C(int x) {} enum\tD {} @interface E {}
    sealed interface F permits A {} class
    G {}"""
    assert re.findall(DEFINITIONS, text) == [b"A", b"B", b"C", b"D", b"E", b"F", b"G"]
