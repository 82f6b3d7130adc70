"""Which runs of a generator make classes, and of which contract."""

from __future__ import annotations

from pathlib import Path

import pytest

from contract_scan.parsers.source.java.resolution.generators import Generator, generators_of
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


def test_packages_of_which_a_part_is_not_known(tmp_path: Path) -> None:
    group = 'ext { group = "com.shop"\n  own = "${group}.${rootProject.name}" }'
    run = 'inputSpec = "shop.yaml"\n modelPackage = "${own}.generated.model"'
    files = {
        "build.gradle": f"{group}\nopenApiGenerate {{\n{run}\n}}",
        "shop.yaml": "openapi: 3.0.3",
        "src/main/java/shop/C.java": "package shop; class C {}",
    }
    (found,) = generators_of(Project(tmp_path, files).program, "", ".")
    assert found.models == "*.generated.model"
    assert found.holds("com.shop.orders.generated.model", found.models)


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


IN_A_FOLDER = [
    'provider { specs.file("shop.yaml").asFile.absolutePath }',
    '"$specs/v1/shop.yaml"',
    '"${specs.get()}/shop.yaml"',
]


def given(folder: Path, written: str, *contracts: str) -> list[str]:
    """The contracts of a module that is given one in a folder that only a build can tell."""
    build = f'openApiGenerate {{\n inputSpec = {written}\n modelPackage = "com.shop"\n}}'
    files = dict.fromkeys(contracts, "openapi: 3.0.3")
    source = {"api/src/main/java/shop/C.java": "package shop; class C {}"}
    found = Project(folder, {**files, **source, "api/build.gradle.kts": build})
    return [g.contract for g in generators_of(found.program, "api", ".")]


@pytest.mark.parametrize("written", IN_A_FOLDER)
def test_a_contract_in_a_folder_nobody_knows_is_the_only_one_of_its_name(
    tmp_path: Path, written: str
) -> None:
    one = "docs/specs/v1/shop.yaml"
    others = ["docs/my-shop.yaml", "api/build/v1/shop.yaml", "api/src/test/v1/shop.yaml"]
    assert given(tmp_path / "a", written, one, *others) == [one]
    assert given(tmp_path / "b", written, one, "docs/old/v1/shop.yaml") == []


def test_a_contract_of_a_name_is_not_looked_for_where_its_whole_path_is_written(
    tmp_path: Path,
) -> None:
    assert given(tmp_path, '"shop.yaml"', "docs/shop.yaml") == []


@pytest.mark.parametrize(
    "variable",
    [
        'api_spec = layout.projectDirectory.file("api/shop.yaml")',
        "def api_spec = file('api/shop.yaml')",
        'val api_spec = rootProject.file("api/shop.yaml")',
        'def api_spec = new File(projectDir, "api/shop.yaml")',
    ],
)
def test_contract_in_a_variable_that_holds_a_file(tmp_path: Path, variable: str) -> None:
    files = {
        "build.gradle": f"ext {{\n    {variable}\n}}\nopenApiGenerate {{\n"
        '    inputSpec = api_spec\n    modelPackage = "com.shop"\n}',
        "api/shop.yaml": "openapi: 3.0.3",
        "src/main/java/shop/C.java": "package shop; class C {}",
    }
    found = Project(tmp_path, files)
    assert [g.contract for g in generators_of(found.program, "", ".")] == ["api/shop.yaml"]


@pytest.mark.parametrize(
    ("properties", "profiles", "contracts"),
    [
        ("<spec>${project.parent.basedir}/api/shop.yaml</spec>", "", ["api/shop.yaml"]),
        ("<spec>${maven.multiModuleProjectDirectory}/api/shop.yaml</spec>", "", ["api/shop.yaml"]),
        ("<spec>${project.basedir}/own.yaml</spec>", "", ["server/own.yaml"]),
        ("<spec>${other}</spec><other>api/shop.yaml</other>", "", ["api/shop.yaml"]),
        ("", "<spec>api/shop.yaml</spec>", ["api/shop.yaml"]),
        ("", "<spec>api/shop.yaml</spec>|<spec>own.yaml</spec>", []),
        ("<spec>api/shop.yaml</spec>", "<spec>own.yaml</spec>", ["api/shop.yaml"]),
    ],
)
def test_contract_in_a_property_of_the_parent(
    tmp_path: Path, properties: str, profiles: str, contracts: list[str]
) -> None:
    each = profiles.split("|") if profiles else []
    written = "".join(f"<profile><properties>{p}</properties></profile>" for p in each)
    files = {
        "pom.xml": "<project><artifactId>shop</artifactId>"
        f"<properties>{properties}</properties><profiles>{written}</profiles></project>",
        "server/pom.xml": POM.replace(
            "<build>", "<parent><artifactId>shop</artifactId></parent><build>"
        )
        % RUN
        % ("${spec}", PACKAGE % "com.shop"),
        "api/shop.yaml": "openapi: 3.0.3",
        "server/own.yaml": "openapi: 3.0.3",
        "server/src/main/java/shop/C.java": "package shop; class C {}",
    }
    found = generators_of(Project(tmp_path, files).program, "server", ".")
    assert [g.contract for g in found] == contracts


def test_apicurio_names_one_package_for_interfaces_and_puts_beans_below(tmp_path: Path) -> None:
    pom = """<project><build><plugins><plugin>
    <artifactId>apicurio-codegen-maven-plugin</artifactId><executions><execution><configuration>
    <projectSettings><javaPackage>com.shop.rest</javaPackage></projectSettings>
    <inputSpec>${project.basedir}/shop.yaml</inputSpec>
    </configuration></execution></executions></plugin></plugins></build></project>"""
    files = {
        "pom.xml": pom,
        "shop.yaml": "openapi: 3.0.3",
        "src/main/java/shop/C.java": "package shop; class C {}",
    }
    found = generators_of(Project(tmp_path, files).program, "", ".")
    assert list(found) == [
        Generator("shop.yaml", "com.shop.rest.beans", "com.shop.rest", is_jaxrs=True)
    ]


def test_a_build_that_makes_a_run_for_each_contract_of_a_folder(tmp_path: Path) -> None:
    build = """
    fileTree("specs").each {
      def api = it.getName().replace(".yaml", "")
      tasks.register("generate" + api, GenerateTask, {
        generatorName = "spring"
        inputSpec = "$rootDir/specs/".toString() + "${api}.yaml"
        apiPackage = "com.shop.".toString() + "${api}" + ".http"
        modelPackage = "com.shop.${api}.model"
      })
    }
    """
    files = {
        "build.gradle": build,
        "specs/orders.yaml": "openapi: 3.0.3",
        "specs/users.yaml": "openapi: 3.0.3",
        "specs/old/orders.yaml": "openapi: 3.0.3",
        "src/main/java/shop/C.java": "package shop; class C {}",
    }
    found = generators_of(Project(tmp_path, files).program, "", ".")
    assert list(found) == [
        Generator("specs/orders.yaml", "com.shop.orders.model", "com.shop.orders.http"),
        Generator("specs/users.yaml", "com.shop.users.model", "com.shop.users.http"),
    ]


def test_builds_of_sbt(tmp_path: Path) -> None:
    build = """
    val org = "com.shop"
    lazy val server = (project in file("server")).settings(
      generate := {
        Helper.generate(specs = Seq(
          Spec(inputSpec = (file(".") / "api" / "all.yaml").toString,
            modelPackage = s"$org.server.model"),
          Spec(inputSpec = (file(".") / "api" / "missing.yaml").toString,
            modelPackage = s"$org.other.model")))
      })
    lazy val control = (project in file("control")).settings(
      openApiInputSpec := (file(".") / "api" / "control.yaml").toString,
      openApiGeneratorName := "java",
      openApiModelPackage := s"$org.control.model",
      openApiApiPackage := s"$org.control.api")
    lazy val docs = (project in file("docs")).settings(
      openApiInputSpec := (file(".") / "api" / "all.yaml").toString,
      openApiGeneratorName := "markdown")
    """
    files = {
        "build.sbt": build,
        "other/build.sbt": build.replace("com.shop", "com.other"),
        "api/all.yaml": "openapi: 3.0.3",
        "api/control.yaml": "openapi: 3.0.3",
        "server/src/main/java/shop/C.java": "package shop; class C {}",
    }
    near = "server/src/main/java/shop/C.java"
    found = generators_of(Project(tmp_path, files).program, "server", near)
    assert list(found) == [
        Generator("api/all.yaml", "com.shop.server.model", "org.openapitools.api"),
        Generator("api/control.yaml", "com.shop.control.model", "com.shop.control.api"),
    ]
