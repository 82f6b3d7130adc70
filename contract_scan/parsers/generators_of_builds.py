"""What builds of Gradle, Maven and sbt tell the generators of code that they run over contracts.

No search begins anew at what another one has read: a build file is a text of whoever wrote the
repository.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

_MICRONAUT_RUN = re.compile(
    r"\b(server|client)\s*\(\s*(?:[\"'][\w-]{1,60}[\"']\s*,\s*)?"
    r"((?:[\w.]{1,100}\.)?file\s*\(\s*[\"'][^\"'\n]{1,300}[\"']\s*\))\s*\)"
)
_MICRONAUT_PACKAGE = re.compile(r"\b(api|model)PackageName\b")

_SBT_SETTING = re.compile(
    r"\bopenApi(InputSpec|ModelPackage|ApiPackage|ModelNamePrefix|ModelNameSuffix|GeneratorName"
    r"|ConfigFile)\s{0,20}:="
)
_SBT_PATH = re.compile(r"\"\s{0,20}\)?\s{0,20}/\s{0,20}\"")
"""Where parts of a path are joined: `"api" / "shop.yaml"`."""
_SBT_INSERTED = re.compile(r"\$(\w{1,60})")
"""A name in an interpolated text, which ends where its letters do."""

_GRADLE_VALUE = re.compile(r"\b(\w{1,60})\s*=\s*[\"']([^\"'$\n]{1,200})[\"']")
_GRADLE_TEXT = re.compile(
    r"\b(?:def|val|var|String)\s+(\w{1,60})\s*=\s*[\"']([^\"'\n]{1,300})[\"']"
)
_GRADLE_LINE = re.compile(
    r"^[^\S\n]*(\w{1,60})\s*=\s*[\"']([^\"'\n]{1,300})[\"'][^\S\n]*$", re.MULTILINE
)
"""Variables whose texts have others in them."""
_GRADLE_FILE = re.compile(
    r"^[^\S\n]*(?:(?:def|val|var|final|File|String)\s+)?(\w{1,60})\s*=\s*"
    r"(?:new\s+File|[\w.()]{0,100}?\b(?:file|resolve|dir))\s*\("
    r"[^\n\"']{0,60}[\"']([^\"'\n]{1,300})[\"']\s*\)",
    re.MULTILINE,
)
"""Variables that hold files: `spec = layout.projectDirectory.file("api/shop.yaml")`."""
_XML_COMMENT = re.compile(r"<!--.*?(?:-->|\Z)", re.DOTALL)
_MAVEN_NAMES = "(?:openapi-generator|swagger-codegen|apicurio-codegen)"
_MAVEN_EXECUTION = re.compile(r"<execution>([^<]*+(?>(?:<(?!/?execution>)[^<]*+)*))</execution>")
_XML_TEXT = re.compile(r"<([\w.-]{1,100}+)>([^<>]{1,600}+)</\1>")


def plugin_pattern(names: str) -> re.Pattern[str]:
    """What finds the plugins of Maven whose artifacts are called `<name>-maven-plugin`; `names` is
    a regular expression without groups."""
    return re.compile(
        rf"<artifactId>\s*{names}-maven-plugin\s*</artifactId>"
        rf"([^<]*+(?>(?:<(?!/?plugin>|artifactId>\s*{names}-maven)[^<]*+)*))"
        r"</plugin>"
    )


_MAVEN_PLUGIN = plugin_pattern(_MAVEN_NAMES)


def maven_runs(build: str) -> Iterator[dict[str, str]]:
    """What each run of a generator is told by a `pom.xml`: name of the element -> its text.

    The plugins are those of openapi-generator, of swagger-codegen and of Apicurio.
    """
    return maven_runs_of(_MAVEN_PLUGIN, build)


def maven_runs_of(plugins: re.Pattern[str], build: str) -> Iterator[dict[str, str]]:
    """What each run of some plugins (`plugin_pattern`) is told by a `pom.xml`: name of the element
    -> its text. What a plugin configures outside of its executions goes for each of them; a plugin
    without executions counts as one."""
    if "-maven-plugin" not in build:
        return
    for plugin in plugins.findall(without_comments(build)):
        shared = tagged_texts(_MAVEN_EXECUTION.sub("", plugin))
        for execution in _MAVEN_EXECUTION.findall(plugin) or [""]:
            yield {**shared, **tagged_texts(execution)}


def tagged_texts(text: str) -> dict[str, str]:
    """What stands in elements that hold nothing but text, by their names."""
    return {name: value.strip() for name, value in _XML_TEXT.findall(text) if value.strip()}


def without_comments(text: str) -> str:
    """A text of XML without its comments."""
    return _XML_COMMENT.sub("", text)


def with_settings_of_micronaut(build: str) -> str:
    """A Gradle build in which runs of Micronaut's plugin are told as those of openapi-generator.

    It names its contract as `server(file("api.yaml")) { … }` inside of `openapi { … }`, and has
    names of its own for some settings: chapter "OpenAPI support" of
    https://micronaut-projects.github.io/micronaut-gradle-plugin/latest/.
    """
    if "PackageName" not in build and "micronaut" not in build:
        return build
    named = _MICRONAUT_RUN.sub(
        r'register()\ninputSpec = \2\ngeneratorName = "java-micronaut-\1"\n', build
    )
    return _MICRONAUT_PACKAGE.sub(r"\1Package", named)


def with_settings_of_sbt(build: str) -> str:
    """A build of sbt in which the runs of generators are told as those of Gradle's plugin: of
    sbt-openapi-generator, or of openapi-generator called by the build itself with settings of the
    same names (`openApiInputSpec := (file(".") / "api" / "shop.yaml").toString`)."""
    named = _SBT_SETTING.sub(lambda found: f"{found[1][0].lower()}{found[1][1:]} =", build)
    return _SBT_INSERTED.sub(r"${\1}", _SBT_PATH.sub("/", named))


def gradle_variables(build: str) -> dict[str, str]:
    """The texts and files that a build of Gradle or sbt gives names to, as they are written: a
    text may have others in it (`"$rootDir/api"`)."""
    return {
        **dict(_GRADLE_LINE.findall(build)),
        **dict(_GRADLE_FILE.findall(build)),
        **dict(_GRADLE_TEXT.findall(build)),
        **dict(_GRADLE_VALUE.findall(build)),
    }
