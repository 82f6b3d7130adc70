"""The generators of code that a Gradle build runs over contracts by way of Micronaut's plugin.

It names its contract as `server(file("api.yaml")) { … }` inside of `openapi { … }`, and has names
of its own for some settings: https://micronaut-projects.github.io/micronaut-gradle-plugin/latest/
(chapter "OpenAPI support").
"""

from __future__ import annotations

import re

_RUN = re.compile(
    r"\b(server|client)\s*\(\s*(?:[\"'][\w-]{1,60}[\"']\s*,\s*)?"
    r"((?:[\w.]{1,100}\.)?file\s*\(\s*[\"'][^\"'\n]{1,300}[\"']\s*\))\s*\)"
)
_PACKAGE = re.compile(r"\b(api|model)PackageName\b")


def with_openapi_generator_settings(build: str) -> str:
    """A build in which the runs of Micronaut's plugin are told as those of openapi-generator."""
    if "PackageName" not in build and "micronaut" not in build:
        return build
    named = _RUN.sub(r'register()\ninputSpec = \2\ngeneratorName = "java-micronaut-\1"\n', build)
    return _PACKAGE.sub(r"\1Package", named)
