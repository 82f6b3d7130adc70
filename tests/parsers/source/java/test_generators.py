"""Which runs of a generator make classes, and of which contract."""

from __future__ import annotations

from pathlib import Path

import pytest

from contract_scan.parsers.source.java.generators import Generator, generators_of
from tests.parsers.source.java.project import Project

POM = """<project><build><plugins><plugin>
<artifactId>openapi-generator-maven-plugin</artifactId><executions>%s</executions>
</plugin></plugins></build></project>"""
RUN = """<execution><configuration>
<inputSpec>%s</inputSpec>%s
</configuration></execution>"""
LOCAL = "${project.basedir}/shop.yaml"
PACKAGE = "<modelPackage>%s</modelPackage>"


def models(folder: Path, *runs: str) -> list[str]:
    """The packages of models, each with its contract."""
    source = "package shop; class C {}"
    files = {"pom.xml": POM % "".join(runs), "shop.yaml": "openapi: 3.0.3"}
    found = Project(folder, {**files, "src/main/java/shop/C.java": source})
    return [f"{g.models}: {g.contract}" for g in generators_of(found.program, "", ".")]


def test_a_contract_of_another_place_is_not_the_one_beside_it(tmp_path: Path) -> None:
    remote = RUN % ("https://example.org/tools.yaml", PACKAGE % "com.tools")
    own = RUN % (LOCAL, PACKAGE % "com.shop")
    assert models(tmp_path, remote, own) == ["com.shop: shop.yaml"]


@pytest.mark.parametrize(
    "setting",
    [
        "<generatorName>powershell</generatorName>",
        "<generatorName>html2</generatorName>",
        "<generateModels>false</generateModels><generateApis>false</generateApis>",
    ],
)
def test_runs_that_make_no_classes(tmp_path: Path, setting: str) -> None:
    assert models(tmp_path, RUN % (LOCAL, PACKAGE % "com.shop" + setting)) == []


@pytest.mark.parametrize("name", ["spring", "jaxrs-spec", "kotlin-spring", "com.shop.MyCodegen"])
def test_runs_that_do(tmp_path: Path, name: str) -> None:
    setting = f"<generatorName>{name}</generatorName>"
    assert models(tmp_path, RUN % (LOCAL, PACKAGE % "com.shop" + setting)) == [
        "com.shop: shop.yaml"
    ]


def test_options_of_a_command_line(tmp_path: Path) -> None:
    gradle = """
        ext {
          resources = "${rootDir}/src/main/resources"
        }
        swaggerSources { server {
          inputFile = file("${resources}/shop.yaml")
          code { rawOptions = [
            "--api-package", "com.shop.web", '--model-package', 'com.shop.model',
            "--model-name-suffix", "Dto" ] }
        } }
        """
    files = {
        "build.gradle": gradle,
        "src/main/resources/shop.yaml": "openapi: 3.0.3",
        "src/main/java/shop/C.java": "package shop; class C {}",
    }
    (found,) = generators_of(Project(tmp_path, files).program, "", ".")
    assert found == Generator(
        "src/main/resources/shop.yaml", "com.shop.model", "com.shop.web", suffix="Dto"
    )
