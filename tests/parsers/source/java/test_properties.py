"""Settings of a Java application."""

from __future__ import annotations

import pytest

from contract_scan.parsers.source.java.resolution.properties import (
    normal,
    read_properties,
    read_yaml,
    resolve_placeholders,
)


def test_properties_file() -> None:
    content = b"""# comment
server.servlet.context-path=/api
a.b : c = d
spring.jackson.property_naming_strategy = SNAKE\\
    _CASE
empty
#---
spring.config.activate.on-profile=prod
server.servlet.context-path=/prod
"""
    assert read_properties(content) == {
        "server.servlet.contextpath": "/api",
        "a.b": "c = d",
        "spring.jackson.propertynamingstrategy": "SNAKE_CASE",
        "empty": "",
    }


def test_the_profile_that_holds_where_none_is_chosen() -> None:
    content = b"""spring:
  config: {activate: {on-profile: default}}
a: 1
---
spring.config.activate.on-profile: [local, default]
b: 2
---
spring.config.activate.on-profile: "!default"
c: 3
---
spring.profiles: "default,dev"
d: 4
"""
    read = read_yaml(content)
    assert {key: value for key, value in read.items() if len(key) == 1} == {
        "a": "1",
        "b": "2",
        "d": "4",
    }


def test_yaml_file() -> None:
    content = b"""\xef\xbb\xbfserver:
  servlet: {contextPath: "/api"}
  port: ${PORT:8080}
list:
  - one
  - name: two
    deep: [x]
last: &anchor 1
alias: *anchor
spring.jackson.default-property-inclusion: non_null
---
spring: {profiles: prod}
server.servlet.context-path: /prod
"""
    assert read_yaml(content) == {
        "server.servlet.contextpath": "/api",
        "server.port": "${PORT:8080}",
        "list[0]": "one",
        "list[1].name": "two",
        "list[1].deep[0]": "x",
        "last": "1",
        "spring.jackson.defaultpropertyinclusion": "non_null",
    }


@pytest.mark.parametrize("content", [b"a: b\nc: [", b"a: b\n\tc", b"a: b\n" + b"- " * 50_000])
def test_broken_yaml_gives_what_stands_before_the_break(content: bytes) -> None:
    assert read_yaml(content).get("a", "b") == "b"


def test_aliases_are_not_written_out() -> None:
    bomb = b"a: &a [x, x]\n" + b"".join(
        b"%c: &%c [*%c, *%c]\n" % (97 + i, 97 + i, 96 + i, 96 + i) for i in range(1, 25)
    )
    assert len(read_yaml(bomb)) == 2


def test_placeholders() -> None:
    written = {"api.base-path": "/v${ver}", "ver": "1", "loop": "${loop}"}
    values = {normal(key): value for key, value in written.items()}
    assert resolve_placeholders("${api.basePath}/orders", values) == ("/v1/orders", "")
    assert resolve_placeholders("${missing:/x}/${other:${ver}}", values) == ("/x/1", "")
    assert resolve_placeholders("${missing}/x", values) == ("${missing}/x", "missing")
    assert resolve_placeholders("${loop}", values)[1] == "placeholders that lead to each other"
    assert resolve_placeholders("plain", values) == ("plain", "")
