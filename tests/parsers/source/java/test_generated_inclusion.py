"""Whether classes that a build makes of a contract write null: what annotations that the build or
the contract adds to them say, and else the mapper."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.engine.judged import judged

NON_NULL = (
    "@com.fasterxml.jackson.annotation.JsonInclude"
    "(com.fasterxml.jackson.annotation.JsonInclude.Include.NON_NULL)"
)
ALWAYS = "@JsonInclude(JsonInclude.Include.ALWAYS)"
PATHS = """
/orders:
  get:
    operationId: getOrder
    responses:
      '200':
        description: ok
        content: {application/json: {schema: {$ref: '#/components/schemas/Order'}}}
"""
SCHEMAS = """
Order:
  type: object
  properties:
    id: {type: string}
    note: {type: string, x-field-extra-annotation: "%s"}
"""
MAVEN = """<project><modelVersion>4.0.0</modelVersion><groupId>s</groupId><artifactId>s</artifactId>
<version>1</version><dependencies><dependency><groupId>org.springframework.boot</groupId>
<artifactId>spring-boot-starter-web</artifactId><version>3.2.0</version></dependency></dependencies>
<build><plugins><plugin><artifactId>openapi-generator-maven-plugin</artifactId><executions>
<execution><configuration><inputSpec>${{project.basedir}}/openapi.yaml</inputSpec>
<generatorName>spring</generatorName><apiPackage>s.api</apiPackage><modelPackage>s.model</modelPackage>
{}</configuration></execution>{}</executions></plugin></plugins></build></project>
"""
OPTION = "<configOptions><{0}>{1}</{0}></configOptions>"
OTHER = """<execution><configuration><inputSpec>${{project.basedir}}/other.yaml</inputSpec>
<apiPackage>s.other.api</apiPackage><modelPackage>s.other.model</modelPackage>{}</configuration>
</execution>"""
GRADLE = """
openApiGenerate {{
  generatorName = "spring"
  inputSpec = "$projectDir/openapi.yaml"
  apiPackage = "s.api"
  modelPackage = "s.model"
  configOptions = [additionalModelTypeAnnotations: "{}"]
}}
dependencies {{ implementation "org.springframework.boot:spring-boot-starter-web:3.2.0" }}
"""
SOURCE = """
    package s;
    import org.springframework.boot.autoconfigure.SpringBootApplication;
    import org.springframework.http.ResponseEntity;
    import org.springframework.web.bind.annotation.RestController;
    import s.api.OrdersApi;
    import s.model.Order;
    @SpringBootApplication @RestController
    public class Orders implements OrdersApi {
      @Override
      public ResponseEntity<Order> getOrder() { return ResponseEntity.ok(new Order()); }
    }
"""
LEFT_OUT = "spring.jackson.default-property-inclusion=non_null"
TYPES = "additionalModelTypeAnnotations"


@pytest.mark.parametrize(
    ("build", "of_note", "settings", "nulls"),
    [
        (MAVEN.format("", ""), "", "", ["id", "note"]),
        (MAVEN.format("", ""), "", LEFT_OUT, []),
        (MAVEN.format("", ""), NON_NULL, "", ["id"]),
        (MAVEN.format("", ""), "@lombok.ToString.Exclude", "", ["id", "note"]),
        (MAVEN.format("", ""), ALWAYS, LEFT_OUT, ["note"]),
        (MAVEN.format(OPTION.format(TYPES, NON_NULL), ""), "", "", []),
        (MAVEN.format(OPTION.format(TYPES, NON_NULL), ""), ALWAYS, "", ["note"]),
        (MAVEN.format(OPTION.format(TYPES, ALWAYS), ""), "", LEFT_OUT, ["id", "note"]),
        (MAVEN.format(OPTION.format(TYPES, "@lombok.Builder"), ""), "", "", ["id", "note"]),
        (
            MAVEN.format("", OTHER.format(OPTION.format(TYPES, NON_NULL))),
            "",
            "",
            ["id", "note"],
        ),
        (MAVEN.format(OPTION.format("someOther", NON_NULL), ""), "", "", []),
        (GRADLE.format(NON_NULL), "", "", []),
        (GRADLE.format(ALWAYS), "", LEFT_OUT, ["id", "note"]),
    ],
    ids=[
        "mapper",
        "mapper that leaves null out",
        "member",
        "member with another annotation",
        "member that is always written",
        "classes",
        "member against its class",
        "classes that are always written",
        "classes with another annotation",
        "classes of another contract",
        "said in a way that is not read",
        "gradle",
        "gradle, always",
    ],
)
def test_null_of_members_that_are_not_set(
    tmp_path: Path, build: str, of_note: str, settings: str, nulls: list[str]
) -> None:
    schemas = SCHEMAS % of_note.replace('"', '\\"')
    contract = (
        'openapi: 3.0.3\ninfo: {title: Shop, version: "1"}\npaths:\n'
        + "\n".join(f"  {line}" for line in PATHS.strip().splitlines())
        + "\ncomponents:\n  schemas:\n"
        + "\n".join(f"    {line}" for line in schemas.strip().splitlines())
        + "\n"
    )
    files = {
        "build.gradle" if "openApiGenerate" in build else "pom.xml": build,
        "openapi.yaml": contract,
        "other.yaml": contract,
        "src/main/java/s/Orders.java": SOURCE,
        "src/main/resources/application.properties": settings,
    }
    found = judged(tmp_path, files, PATHS, schemas)
    assert found.findings == [f"GET /orders nullable: {name}" for name in nulls]
