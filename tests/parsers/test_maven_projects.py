"""Properties of Maven projects over their parents."""

from __future__ import annotations

import pytest

from contract_scan.parsers.maven_projects import expand, maven_properties

CHILD = """<project>
  <parent><artifactId>all</artifactId><version>3</version>%s</parent>
  <artifactId>server</artifactId>
  <!-- <properties><spec>old.yaml</spec></properties> -->
  <properties><own>${spec}</own></properties>
  <build><plugins><plugin><configuration><properties><spec>none</spec></properties>
  </configuration></plugin></plugins></build>
</project>"""
PARENT = """<project><artifactId>all</artifactId>
  <properties><spec>${project.basedir}/api.yaml</spec><mode>a</mode></properties>
  <profiles>
    <profile><activation><activeByDefault>true</activeByDefault></activation>
      <properties><mode>b</mode></properties></profile>
    <profile><properties><mode>c</mode><only>d</only></properties></profile>
    <profile><properties><one>e</one></properties></profile>
    <profile><properties><one>f</one></properties></profile>
  </profiles>
</project>"""


def resolved(files: dict[str, str], text: str, path: str = "server/pom.xml") -> str:
    contents = {name: content.encode() for name, content in files.items()}
    return expand(text, maven_properties(path, contents.get))


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("${own}", "./api.yaml"),
        ("${basedir}/x", "./x"),
        ("${project.parent.basedir}/x", "../x"),
        ("${session.executionRootDirectory}/x", "../x"),
        ("${project.artifactId}-${project.version}", "server-3"),
        ("${mode}", "b"),
        ("${only}", "d"),
        ("${one}", "${one}"),
        ("${nothing}/${mode}", "${nothing}/b"),
    ],
)
def test_properties_of_a_project_and_its_parent(text: str, value: str) -> None:
    assert resolved({"server/pom.xml": CHILD % "", "pom.xml": PARENT}, text) == value


@pytest.mark.parametrize(
    ("relative", "place", "value"),
    [
        ("<relativePath>../build</relativePath>", "build/pom.xml", "./api.yaml"),
        ("<relativePath>../all.xml</relativePath>", "all.xml", "./api.yaml"),
        ("<relativePath/>", "pom.xml", "${spec}"),
        ("", "build/pom.xml", "${spec}"),
    ],
)
def test_where_the_parent_stands(relative: str, place: str, value: str) -> None:
    assert resolved({"server/pom.xml": CHILD % relative, place: PARENT}, "${spec}") == value


def test_a_project_of_another_name_is_no_parent() -> None:
    other = PARENT.replace("<artifactId>all", "<artifactId>other")
    assert resolved({"server/pom.xml": CHILD % "", "pom.xml": other}, "${spec}") == "${spec}"


def test_properties_that_lead_to_each_other_end() -> None:
    loop = "<project><properties><a>${b}</a><b>${a}</b></properties></project>"
    assert resolved({"pom.xml": loop}, "${a}", "pom.xml") in ("${a}", "${b}")


def test_a_hostile_project_is_read_in_linear_time() -> None:
    text = "<project>" + "<properties>" * 50_000 + "${" * 50_000
    assert resolved({"pom.xml": text}, "${spec}", "pom.xml") == "${spec}"
