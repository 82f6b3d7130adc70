"""Where a finding stands that is about a class which the build makes of the contract."""

from __future__ import annotations

from pathlib import Path

from contract_scan.api import scan

POM = """<project><modelVersion>4.0.0</modelVersion><groupId>s</groupId><artifactId>s</artifactId>
<version>1</version><dependencies><dependency><groupId>org.springframework.boot</groupId>
<artifactId>spring-boot-starter-web</artifactId><version>3.2.0</version></dependency></dependencies>
<build><plugins><plugin><artifactId>openapi-generator-maven-plugin</artifactId><executions>
<execution><configuration><inputSpec>${project.basedir}/openapi.yaml</inputSpec>
<generatorName>spring</generatorName><apiPackage>s.api</apiPackage><modelPackage>s.model</modelPackage>
</configuration></execution></executions></plugin></plugins></build></project>
"""
CONTRACT = """openapi: 3.0.3
info: {title: Shop, version: "1"}
paths:
  /orders:
    get:
      operationId: getOrder
      responses:
        '200':
          description: ok
          content: {application/json: {schema: {$ref: '#/components/schemas/Order'}}}
components:
  schemas:
    Order:
      type: object
      required: [id]
      properties:
        id: {type: string}
"""
SOURCE = """package s;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.RestController;
import s.api.OrdersApi;
import s.model.Order;

@SpringBootApplication
@RestController
public class Shop implements OrdersApi {
  @Override
  public ResponseEntity<Order> getOrder() {
    return ResponseEntity.ok(new Order());
  }
}
"""


def test_it_stands_in_the_code_that_sends_the_object(tmp_path: Path) -> None:
    (tmp_path / "pom.xml").write_text(POM, encoding="utf-8")
    (tmp_path / "openapi.yaml").write_text(CONTRACT, encoding="utf-8")
    shop = tmp_path / "src/main/java/s/Shop.java"
    shop.parent.mkdir(parents=True)
    shop.write_text(SOURCE, encoding="utf-8")
    (found,) = scan(tmp_path, cache=False).findings
    assert found.contract is not None
    assert (
        f"{found.kind} {found.field}: {found.origin.path}:{found.origin.span.line},"
        f" {found.contract.path}:{found.contract.span.line}"
    ) == "nullable id: src/main/java/s/Shop.java:13, openapi.yaml:17"
