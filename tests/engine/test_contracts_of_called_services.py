"""Contracts of the services that a service calls, kept beside its own."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from contract_scan.api import scan
from contract_scan.ir.reasons import Reason
from contract_scan.scanners.report import Report

SERVER = """
import express from 'express';
const app = express();
app.get('/orders', (req, res) => { res.json({ total: 1 }) });
app.get('/orders/:id', (req, res) => { res.json({ total: 'one' }) });
app.get('/mails/:id', (req, res) => { res.json({ total: 1 }) });
"""
OWN = ("/orders", "/orders/{id}", "/mails/{id}")
CALLED = ("/mails/{id}", "/mails", "/mails/{id}/attachments", "/senders")


def document(title: str, paths: tuple[str, ...]) -> str:
    schema = {"type": "object", "properties": {"total": {"type": "integer"}}}
    answer = {"description": "", "content": {"application/json": {"schema": schema}}}
    return json.dumps(
        {
            "openapi": "3.1.0",
            "info": {"title": title, "version": "1"},
            "paths": {path: {"get": {"responses": {"200": answer}}} for path in paths},
        }
    )


def report_on(root: Path, place: str, files: dict[str, str], **arguments: list[Path]) -> Report:
    """What a scan says of an Express service with a contract of its own, one at a place that may
    be that of a service it calls, and further files."""
    contracts = {"openapi.json": document("Orders", OWN), place: document("Mails", CALLED)}
    for path, text in {"src/app.ts": SERVER, **contracts, **files}.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text)
    return scan(root, cache=False, **arguments)


def about_called(report: Report) -> list[str]:
    return [entry.reason for entry in report.undetermined]


def statement(sign: str) -> str:
    return (
        f"not compared: the contract of a service that the code calls, since {sign} (4 operations;"
        " name the contract to have it compared)"
    )


POM = """<project><build><plugins><plugin>
  <groupId>org.openapitools</groupId><artifactId>openapi-generator-maven-plugin</artifactId>
  <configuration><generatorName>{generator}</generatorName><generateApis>{apis}</generateApis></configuration>
  <executions><execution><configuration>
    <inputSpec>${{project.basedir}}/api/mails-openapi.json</inputSpec>
  </configuration></execution></executions>
</plugin></plugins></build></project>
"""
PROPERTY = POM.replace("${{project.basedir}}/api/mails-openapi.json", "${{mails.place}}").replace(
    "<build>",
    """<properties><mails.folder>${{project.basedir}}/api</mails.folder>
    <mails.place>${{mails.folder}}/mails-openapi.json</mails.place></properties><build>""",
)
VARIABLE = """
val mails = "$rootDir/api/mails-openapi.json"
tasks.register("mails", GenerateTask) {
  generatorName = "kotlin"
  inputSpec.set(mails)
}
"""
GRADLE = """
tasks.register("mails", GenerateTask) {
  generatorName = "kotlin"
  inputSpec = "$rootDir/api/mails-openapi.json"
}
"""
FOLDER = """
def specs = layout.projectDirectory.dir("api")
tasks.register("mails", GenerateTask) {
  generatorName = "java"
  inputSpec = specs.file("mails-openapi.json").asFile.absolutePath
}
"""
MICRONAUT = """
micronaut { openapi { client("mails", file("api/mails-openapi.json")) {
  modelPackageName = "com.shop.mails"
} } }
"""
NSWAG = {
    "documentGenerator": {"fromDocument": {"url": "api/mails-openapi.json"}},
    "codeGenerators": {"openApiToCSharpClient": {"className": "Mails"}},
}
SCRIPTS = {"scripts": {"mails": "openapi-generator-cli generate -i api/mails-openapi.json -g java"}}
ORVAL = "export default { mails: { input: './api/mails-openapi.json', output: 'src/mails.ts' } }"
PROJECT = '<Project><OpenApiReference Include="api\\mails-openapi.json" /></Project>'
TOOLS = {
    "generator-cli": {
        "generators": {"m": {"inputSpec": "api/mails-openapi.json", "generatorName": "python"}}
    }
}
KIOTA = {"descriptionLocation": "api/mails-openapi.json", "language": "TypeScript"}
NG = {"input": "api/mails-openapi.json", "output": "src/mails"}
RTK = "export default { schemaFile: './api/mails-openapi.json', apiFile: './src/api.ts' }"
KUBB = "export default defineConfig({ input: { path: './api/mails-openapi.json' } })"
REFITTER = {"openApiPath": "./api/mails-openapi.json", "namespace": "Shop.Mails"}
WORKFLOW = """
jobs:
  client:
    steps:
      - run: |
          docker run --rm -v ${PWD}:/local openapitools/openapi-generator-cli generate \\
            -i /local/api/mails-openapi.json -g java -o /local/out
"""
PYTHON = "client:\n\topenapi-python-client generate --path api/mails-openapi.json\n"


@pytest.mark.parametrize(
    ("build", "text"),
    [
        ("pom.xml", POM.format(generator="java", apis="true")),
        ("pom.xml", PROPERTY.format(generator="java", apis="true")),
        ("build.gradle.kts", VARIABLE),
        ("build.gradle.kts", GRADLE),
        ("build.gradle", FOLDER),
        ("build.gradle.kts", MICRONAUT),
        ("nswag.json", json.dumps(NSWAG)),
        ("package.json", json.dumps(SCRIPTS)),
        ("orval.config.ts", ORVAL),
        ("Mails.csproj", PROJECT),
        ("openapitools.json", json.dumps(TOOLS)),
        ("Makefile", PYTHON),
        ("kiota-lock.json", json.dumps(KIOTA)),
        ("ng-openapi-gen.json", json.dumps(NG)),
        ("openapi-config.ts", RTK),
        ("kubb.config.ts", KUBB),
        ("mails.refitter", json.dumps(REFITTER)),
        (".github/workflows/client.yml", WORKFLOW),
    ],
)
def test_a_contract_that_a_client_is_generated_from_is_not_the_code_s(
    tmp_path: Path, build: str, text: str
) -> None:
    report = report_on(tmp_path, "api/mails-openapi.json", {build: text})
    counts = report.summary.operations
    assert (counts.total, counts.verified, counts.violated, counts.absent) == (7, 2, 1, 4)
    assert (counts.missing, counts.undetermined) == (0, 0)
    assert [(f.kind, f.operation.path) for f in report.findings if f.operation] == [
        ("type", "/orders/{id}")
    ]
    assert about_called(report) == [statement(f"{build} generates a client from it")]


QUARKUS = """<project><dependencies><dependency>
  <groupId>io.quarkiverse.openapi.generator</groupId><artifactId>{artifact}</artifactId>
</dependency></dependencies></project>
"""


@pytest.mark.parametrize(
    ("artifact", "absent"),
    [("quarkus-openapi-generator", 4), ("quarkus-openapi-generator-server", 0)],
)
@pytest.mark.parametrize("folder", ["", "mails/"])
def test_quarkus_generates_clients_of_all_contracts_in_one_folder(
    tmp_path: Path, artifact: str, absent: int, folder: str
) -> None:
    build = {"pom.xml": QUARKUS.format(artifact=artifact)}
    report = report_on(tmp_path, f"src/main/openapi/{folder}mails-openapi.json", build)
    assert report.summary.operations.absent == absent


def test_a_module_may_hold_nothing_but_clients_that_another_one_uses(tmp_path: Path) -> None:
    build = {"mails/build.gradle": FOLDER, "mails/src/Mails.java": "class Mails {}"}
    own = {"shop/src/app.ts": SERVER, "shop/openapi.json": document("Orders", OWN)}
    files = {**build, **own, "mails/api/mails-openapi.json": document("Mails", CALLED[1:])}
    for path, text in files.items():
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text(text)
    report = scan(tmp_path, cache=False)
    sign = "mails/build.gradle generates a client from it"
    assert about_called(report) == [statement(sign).replace("4 operations", "3 operations")]
    assert report.summary.operations.missing == 0


def test_a_folder_of_consumed_contracts_counts_where_nothing_of_one_has_a_route(
    tmp_path: Path,
) -> None:
    report = report_on(tmp_path, "consumed/openapi.json", {})
    assert about_called(report) == []  # GET /mails/{id} has a route
    assert report.summary.operations.missing == 3
    (tmp_path / "consumed" / "openapi.json").write_text(document("Mails", CALLED[1:]))
    report = scan(tmp_path, cache=False)
    assert [entry.reason for entry in report.undetermined] == [
        statement("it stands in a folder `consumed`").replace("4 operations", "3 operations")
    ]


@pytest.mark.parametrize("apis", ["true", "false"])
def test_server_stubs_or_data_classes_are_generated_from_a_contract_with_routes(
    tmp_path: Path, apis: str
) -> None:
    build = {"pom.xml": POM.format(generator="spring", apis=apis)}
    report = report_on(tmp_path, "api/mails-openapi.json", build)
    assert report.summary.operations.missing == 3
    assert about_called(report) == []


def test_data_classes_alone_tell_a_called_service_where_nothing_of_it_has_a_route(
    tmp_path: Path,
) -> None:
    build = {"pom.xml": POM.format(generator="spring", apis="false")}
    report_on(tmp_path, "api/mails-openapi.json", build)
    (tmp_path / "api" / "mails-openapi.json").write_text(document("Mails", CALLED[1:]))
    report = scan(tmp_path, cache=False)
    sign = "pom.xml generates nothing but data classes from it"
    assert about_called(report) == [statement(sign).replace("4 operations", "3 operations")]


def test_a_front_end_generates_a_client_of_the_service_itself(tmp_path: Path) -> None:
    scripts = {"scripts": {"api": "orval --input ../openapi.json --output src/api.ts"}}
    files = {"web/package.json": json.dumps(scripts)}
    report = report_on(tmp_path, "consumed/openapi.json", files)
    assert report.summary.operations.absent == 0
    assert report.summary.operations.verified == 3


def test_a_contract_that_is_named_is_compared_whatever_a_build_makes_of_it(tmp_path: Path) -> None:
    report_on(tmp_path, "api/mails-openapi.json", {"orval.config.ts": ORVAL})
    named = tmp_path / "api" / "mails-openapi.json"
    report = scan(tmp_path, contracts=[named], cache=False)
    assert report.summary.operations.missing == 3
    assert about_called(report) == []


CLIENT = """/**
 * Generated by orval v7.1.0
 * Do not edit manually.
 */
import axios from 'axios';
export const listMails = () => axios.get(`/mails`);
export const getAttachments = (id: string) => axios.get(`/mails/${id}/attachments`);
export const listSenders = () => axios.get(`/senders`);
"""


def test_a_client_that_was_committed_tells_from_which_contract_it_was_generated(
    tmp_path: Path,
) -> None:
    report = report_on(tmp_path, "api/mails-openapi.json", {"src/mails/client.ts": CLIENT})
    assert about_called(report) == [statement("src/mails/client.ts is a client generated from it")]


def test_a_client_without_a_path_of_the_contract_was_generated_from_another(
    tmp_path: Path,
) -> None:
    other = CLIENT.replace("`/senders`", "`/recipients`")
    report = report_on(tmp_path, "api/mails-openapi.json", {"src/mails/client.ts": other})
    assert about_called(report) == []
    assert report.summary.operations.missing == 3


@pytest.mark.parametrize(
    ("place", "files", "reasons"),
    [
        (
            "api/openapi.json",
            {"src/mails/client.ts": CLIENT},
            {
                statement("src/mails/client.ts is a client generated from it").replace(
                    "4 operations", "3 operations"
                )
            },
        ),
        ("External/openapi.json", {}, {Reason("contract-in-folder-of-clients", folder="External")}),
    ],
)
def test_a_service_without_a_contract_keeps_only_those_of_others(
    tmp_path: Path, place: str, files: dict[str, str], reasons: set[str]
) -> None:
    report_on(tmp_path, place, files)
    (tmp_path / "openapi.json").unlink()
    (tmp_path / place).write_text(document("Mails", CALLED[1:]))
    report = scan(tmp_path, cache=False)
    assert set(about_called(report)) == reasons
    assert report.findings == ()  # nor is a route of the service told to be in no contract


OWN_STUBS = POM.format(generator="spring", apis="true").replace("api/mails-openapi", "openapi")
PUBLISHED = ("/refunds", "/refunds/{id}")


def report_on_published(root: Path, code: str, paths: tuple[str, ...] = PUBLISHED) -> Report:
    """What a scan says of a service whose stubs are generated from its contract, beside which one
    more is published."""
    files = {
        "src/app.ts": code,
        "openapi.json": document("Orders", OWN),
        "pom.xml": OWN_STUBS,
        "docs/gateway-openapi.json": document("Platform", paths),
    }
    for path, text in files.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text)
    return scan(root, cache=False)


def test_a_contract_without_routes_beside_that_of_generated_stubs_is_not_the_code_s(
    tmp_path: Path,
) -> None:
    report = report_on_published(tmp_path, SERVER)
    assert about_called(report) == [
        "not compared: the code has no route for them, and pom.xml generates the code's interface"
        " from openapi.json, not from this contract (2 operations; name the contract to have them"
        " compared)"
    ]
    assert (report.summary.operations.absent, report.summary.operations.undetermined) == (2, 0)


def test_operations_of_a_bundle_without_routes_are_not_the_code_s(tmp_path: Path) -> None:
    others = tuple(f"/refunds/{number}" for number in range(10))
    report = report_on_published(tmp_path, SERVER, (OWN[0], *others))
    counts = report.summary.operations
    assert (counts.total, counts.absent, counts.undetermined) == (14, 10, 0)


@pytest.mark.parametrize(
    "code",
    [
        pytest.param(
            SERVER + "app.get('/shop/refunds', (req, res) => { res.json({ total: 1 }) });",
            id="a route ends as a path of it",
        ),
        pytest.param(
            SERVER + "app.get(process.env.ROUTE, (req, res) => { res.json({ total: 1 }) });",
            id="a route whose path is undetermined",
        ),
        pytest.param(
            SERVER + "app.get('/refunds/*', (req, res) => { res.json({ total: 1 }) });",
            id="a route that takes any path below",
        ),
        pytest.param(
            "import express from 'express';\nconst app = express();\n"
            "app.get('/orders', (req, res) => { res.json({ total: 1 }) });",
            id="most of the generated interface has no route",
        ),
    ],
)
def test_a_published_contract_may_be_the_code_s_where_its_routes_may_be(
    tmp_path: Path, code: str
) -> None:
    assert report_on_published(tmp_path, code).summary.operations.absent == 0
