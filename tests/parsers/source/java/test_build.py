"""Which modules of a build belong together."""

from __future__ import annotations

from pathlib import Path

import pytest

from contract_scan.parsers.source.java.resolution.build import (
    module_of,
    modules,
    related_modules,
    users,
)
from tests.parsers.source.java.project import Project


def pom(group: str, artifact: str, *uses: str) -> str:
    dependencies = "".join(
        f"<dependency><groupId>{group}</groupId><artifactId>{used}</artifactId></dependency>"
        for used in uses
    )
    return (
        f"<project><parent><groupId>{group}</groupId><artifactId>parent</artifactId></parent>"
        f"<artifactId>{artifact}</artifactId><dependencies>{dependencies}</dependencies></project>"
    )


def source(module: str) -> tuple[str, str]:
    return f"{module}/src/main/java/X.java", "class X {}"


def test_module_of_a_file(tmp_path: Path) -> None:
    program = Project(tmp_path, dict([source("orders")])).program
    assert module_of(program, "orders/src/main/java/com/A.java") == "orders"
    assert module_of(program, "src/main/resources/application.yml") == ""
    assert module_of(program, "orders/application.yml") == "orders"
    assert module_of(program, "com/flat/A.java") == ""


def test_root_inside_a_module(tmp_path: Path) -> None:
    files = dict([source("orders")])
    Project(tmp_path, files)
    inside = Project(tmp_path / "orders/src/main/java", {}).program
    assert module_of(inside, "com/shop/A.java") == "../../.."
    assert module_of(inside, "../resources/application.yml") == "../../.."
    assert module_of(inside, "../../../../other/src/main/java/B.java") == "../../../../other"


def test_maven_modules(tmp_path: Path) -> None:
    files = dict([source(m) for m in ("shop/web", "shop/service", "shop/model", "bank/web")])
    files["shop/web/pom.xml"] = pom("org.shop", "web", "service")
    files["shop/service/pom.xml"] = pom("org.shop", "service", "model")
    files["shop/model/pom.xml"] = pom("org.shop", "model")
    files["bank/web/pom.xml"] = pom("org.bank", "web", "service", "model")
    program = Project(tmp_path, files).program
    assert related_modules(program, "shop/web") == {"shop/web", "shop/service", "shop/model"}
    assert users(program, "shop/model") == {"shop/web", "shop/service"}
    assert related_modules(program, "bank/web") == {"bank/web"}


def test_gradle_modules(tmp_path: Path) -> None:
    files = dict([source(m) for m in ("app", "libs/common", "other")])
    files["app/build.gradle"] = "dependencies { implementation project(':libs:common') }"
    files["libs/common/build.gradle"] = ""
    files["other/build.gradle"] = "dependencies { implementation 'org.lib:commons:1' }"
    program = Project(tmp_path, files).program
    assert users(program, "libs/common") == {"app"}
    assert related_modules(program, "other") == {"other"}


@pytest.mark.parametrize(
    ("name", "settings"),
    [
        (
            "settings.gradle",
            """include ':shop-model', 'app'
            project(':shop-model').projectDir = new File(settingsDir, 'parts/model')""",
        ),
        (
            "settings.gradle.kts",
            """include(":app", ":model") // include(":other")
            project(":model").projectDir = file("parts/model")
            project(":model").name = "shop-model" """,
        ),
        ("settings.gradle.kts", 'load(file("gradle/projects.properties")).forEach { add(it) }'),
    ],
)
@pytest.mark.parametrize("dependency", ['project(":shop-model")', "projects.shopModel"])
def test_projects_of_gradle_have_names_of_their_own(
    tmp_path: Path, name: str, settings: str, dependency: str
) -> None:
    files = dict([source(m) for m in ("app", "parts/model", "other/model")])
    files["app/build.gradle"] = f"dependencies {{ implementation({dependency}) }}"
    files["parts/model/build.gradle"] = ""
    files["gradle/projects.properties"] = "shop-model=parts/model\nversion=1\n"
    files[name] = settings
    program = Project(tmp_path, files).program
    assert users(program, "parts/model") == {"app"}
    assert related_modules(program, "app") == {"app", "parts/model"}
    assert users(program, "other/model") == set()


def test_builds_of_gradle_name_each_other_like_libraries(tmp_path: Path) -> None:
    files = dict([source(m) for m in ("app", "common", "common/web", "other")])
    files["app/settings.gradle"] = "rootProject.name = 'app'; includeBuild '../common'"
    files["app/build.gradle"] = """dependencies {
        implementation 'org.shop:shop-common:1.0'; implementation "org.shop:web" }"""
    files["common/settings.gradle"] = "rootProject.name = 'shop-common'; include 'web'"
    files["common/build.gradle"] = "allprojects { group = 'org.shop' }"
    files["other/settings.gradle"] = "rootProject.name = 'shop-common'"
    files["other/build.gradle"] = "group 'org.other'"
    program = Project(tmp_path, files).program
    assert related_modules(program, "app") == {"app", "common", "common/web"}
    assert users(program, "other") == set()


def test_a_folder_is_no_name_where_the_settings_give_another(tmp_path: Path) -> None:
    files = dict([source(m) for m in ("app", "parts/model")])
    files["settings.gradle"] = """include ':shop-model'
        project(':shop-model').projectDir = file('parts/model')"""
    files["app/build.gradle"] = "dependencies { implementation 'org.lib:model' }"
    files["parts/model/build.gradle"] = ""
    assert related_modules(Project(tmp_path, files).program, "app") == {"app"}


def test_modules_of_which_a_contract_is_the_only_source(tmp_path: Path) -> None:
    files = dict([source(m) for m in ("app", "other")])
    files["app/pom.xml"] = pom("org.shop", "app", "api")
    files["other/pom.xml"] = pom("org.shop", "other")
    files["api/pom.xml"] = pom("org.shop", "api") + "<inputSpec>shop.yaml</inputSpec>"
    files["docs/pom.xml"] = pom("org.shop", "docs")
    parent = pom("org.shop", "parent", "app", "other")
    files["pom.xml"] = f"{parent}<packaging>pom</packaging><inputSpec>shop.yaml</inputSpec>"
    program = Project(tmp_path, files).program
    assert modules(program) == {"app", "other", "api"}
    assert related_modules(program, "app") == {"app", "api"}
    assert related_modules(program, "other") == {"other"}


def test_settings_of_the_application_hold_for_the_modules_it_uses(tmp_path: Path) -> None:
    controller = (
        "import org.springframework.web.bind.annotation.*;\n"
        '@RestController class {0} {{ @GetMapping("/{0}") int f() {{ return 1; }} }}'
    )
    project = Project(
        tmp_path,
        {
            "one/src/main/java/One.java": "class One {}",
            "one/src/main/resources/application.yml": "server.servlet.context-path: /one\n",
            "one/build.gradle": "implementation project(':web')",
            "web/src/main/java/Web.java": controller.format("Web"),
            "two/src/main/java/Two.java": controller.format("Two"),
            "two/src/main/resources/application.yml": "server.servlet.context-path: /two\n",
        },
    )
    assert project.routes() == ["GET /one/Web", "GET /two/Two"]
