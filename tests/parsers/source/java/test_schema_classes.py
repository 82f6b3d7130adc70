"""Of which schemas a build makes classes, and for which files."""

from __future__ import annotations

from pathlib import Path

import pytest

from contract_scan.parsers.source.java.resolution.schema_classes import schemas_with_classes
from tests.parsers.source.java.project import Project

MAVEN = """<project><properties><target>com.shop.json</target></properties><build><plugins><plugin>
<groupId>org.jsonschema2pojo</groupId><artifactId>jsonschema2pojo-maven-plugin</artifactId>
<configuration>%s<targetPackage>${target}</targetPackage></configuration>
</plugin></plugins></build></project>"""
GRADLE = """plugins { id 'org.jsonschema2pojo' version '1.2.1' }
jsonSchema2Pojo {
  %s
  targetPackage = 'com.shop.json'
}
"""


def schemas(folder: Path, build: str, text: str, package: str = "com.shop") -> tuple[str, ...]:
    """Those that a file of a package does not stand for."""
    path = f"src/main/java/{package.replace('.', '/')}/Order.java"
    source = f"package {package}; public class Order {{ }}"
    program = Project(folder, {build: text, path: source}).program
    return schemas_with_classes(program, program.facts(path))


@pytest.mark.parametrize(
    ("build", "text", "expected"),
    [
        ("pom.xml", MAVEN % "<sourceDirectory>${basedir}/schemas</sourceDirectory>", "schemas"),
        (
            "pom.xml",
            MAVEN % "<sourcePaths><sourcePath>api/order.json</sourcePath></sourcePaths>",
            "api/order.json",
        ),
        ("build.gradle", GRADLE % "source = files('schemas')", "schemas"),
        ("build.gradle", GRADLE % 'source = files("$projectDir/schemas")', "schemas"),
        (
            "build.gradle",
            GRADLE % 'source = files("${sourceSets.main.output.resourcesDir}/orders")',
            "src/main/resources/orders",
        ),
        ("build.gradle", GRADLE % "", "src/main/resources/json"),
        ("build.gradle.kts", GRADLE % 'source.setFrom(files("schemas"))', "schemas"),
    ],
)
def test_builds(tmp_path: Path, build: str, text: str, expected: str) -> None:
    assert schemas(tmp_path, build, text) == (expected,)


@pytest.mark.parametrize("package", ["com.shop.json", "com.shop.json.orders"])
def test_a_class_of_the_package_of_the_generator_may_be_its_own(
    tmp_path: Path, package: str
) -> None:
    place = "<sourceDirectory>schemas</sourceDirectory>"
    assert schemas(tmp_path, "pom.xml", MAVEN % place, package) == ()


@pytest.mark.parametrize(
    "setting",
    [
        "",
        "<sourceDirectory>${elsewhere}/schemas</sourceDirectory>",
        "<sourceDirectory>https://shop.example/schemas</sourceDirectory>",
        "<sourceDirectory>schemas</sourceDirectory><includes><include>a*</include></includes>",
    ],
)
def test_what_is_not_known_is_no_class(tmp_path: Path, setting: str) -> None:
    assert schemas(tmp_path, "pom.xml", MAVEN % setting) == ()
