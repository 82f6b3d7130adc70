"""The generators of code that a Maven build runs over contracts.

The plugins are those of openapi-generator, of swagger-codegen and of Apicurio. What a plugin
configures outside of its executions goes for each of them; a plugin without executions counts as
one. No search begins anew at what another one has read: a build file is a text of whoever wrote the
repository.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

_COMMENT = re.compile(r"<!--.*?(?:-->|\Z)", re.DOTALL)
_NAMES = "(?:openapi-generator|swagger-codegen|apicurio-codegen)"
_PLUGIN = re.compile(
    rf"<artifactId>\s*{_NAMES}-maven-plugin\s*</artifactId>"
    rf"([^<]*+(?:<(?!/?plugin>|artifactId>\s*{_NAMES}-maven)[^<]*+)*+)"
    r"</plugin>"
)
_EXECUTION = re.compile(r"<execution>([^<]*+(?:<(?!/?execution>)[^<]*+)*+)</execution>")
_TAG = re.compile(r"<([\w.-]{1,100}+)>([^<>]{1,600}+)</\1>")


def maven_runs(build: str) -> Iterator[dict[str, str]]:
    """What each run of a generator is told by a `pom.xml`: name of the element -> its text."""
    if "-maven-plugin" not in build:
        return
    for plugin in _PLUGIN.findall(without_comments(build)):
        shared = tagged_texts(_EXECUTION.sub("", plugin))
        for execution in _EXECUTION.findall(plugin) or [""]:
            yield {**shared, **tagged_texts(execution)}


def tagged_texts(text: str) -> dict[str, str]:
    """What stands in elements that hold nothing but text, by their names."""
    return {name: value.strip() for name, value in _TAG.findall(text) if value.strip()}


def without_comments(text: str) -> str:
    """A text of XML without its comments."""
    return _COMMENT.sub("", text)
