"""The generators of code that a build of sbt runs over contracts: sbt-openapi-generator, or
openapi-generator called by the build itself, with settings of the same names.

`openApiInputSpec := (file(".") / "api" / "shop.yaml").toString` is told as Gradle's plugin says it.
"""

from __future__ import annotations

import re

_SETTING = re.compile(
    r"\bopenApi(InputSpec|ModelPackage|ApiPackage|ModelNamePrefix|ModelNameSuffix|GeneratorName"
    r"|ConfigFile)\s{0,20}:="
)
_PARTS = re.compile(r"\"\s{0,20}\)?\s{0,20}/\s{0,20}\"")
"""Where parts of a path are joined: `"api" / "shop.yaml"`."""
_INSERTED = re.compile(r"\$(\w{1,60})")
"""A name in an interpolated text, which ends where its letters do."""


def with_openapi_generator_settings(build: str) -> str:
    """A build of sbt in which the runs of generators are told as those of Gradle's plugin."""
    named = _SETTING.sub(lambda found: f"{found[1][0].lower()}{found[1][1:]} =", build)
    return _INSERTED.sub(r"${\1}", _PARTS.sub("/", named))
