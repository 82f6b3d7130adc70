"""Which files are contracts, and which source each of them governs."""

from __future__ import annotations

import json
from pathlib import Path

from msgspec.structs import replace

from contract_scan.ir.document import ContractDocument
from contract_scan.ir.operation import Operation
from contract_scan.parsers.contracts.contract_scope import assign_documents
from contract_scan.parsers.contracts.discover import (
    discover_contracts,
    newer_versions,
    set_aside,
    without_slices,
)
from tests.parsers.contracts.loading import load_contracts

OPENAPI = "openapi: 3.0.3\npaths: {}\n"
ASYNCAPI = '{"asyncapi": "3.0.0", "channels": {}}'
SCHEMA = '{"$schema": "https://json-schema.org/draft/2020-12/schema", "type": "object"}'


def write(root: Path, files: dict[str, str]) -> None:
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")


def found(root: Path, files: dict[str, str]) -> list[str]:
    write(root, files)
    return [path.relative_to(root).as_posix() for path in discover_contracts(root)]


def document(
    path: str, *paths: str, kind: str = "openapi", title: str = "", service: str = ""
) -> ContractDocument:
    return ContractDocument(
        path=path,
        kind=kind,  # type: ignore[arg-type]
        title=title,
        service=service,
        operations=tuple(Operation(method="GET", path=one) for one in paths),
    )


def test_contracts_are_found_by_name_folder_and_content(tmp_path: Path) -> None:
    assert found(
        tmp_path,
        {
            "openapi.yaml": OPENAPI,
            "src/main/resources/swagger.json": '{"info": {}, "swagger": "2.0"}',
            "services/a/orders.openapi.yml": OPENAPI,
            "services/a/asyncapi.json": ASYNCAPI,
            "contracts/events.json": ASYNCAPI,
            "contracts/money.json": SCHEMA,
            "docs/api.yaml": OPENAPI,
            "lib/order.schema.json": "{}",
            "CONTRACTS.json": json.dumps([{"id": "1", "type": "openapi", "spec": {}}]),
            "REQUIREMENTS.md": "| SVC-ID | Endpoint |\n|---|---|\n| SVC-1 | GET /a |\n",
        },
    ) == [
        "CONTRACTS.json",
        "REQUIREMENTS.md",
        "contracts/events.json",
        "contracts/money.json",
        "docs/api.yaml",
        "lib/order.schema.json",
        "openapi.yaml",
        "services/a/asyncapi.json",
        "services/a/orders.openapi.yml",
        "src/main/resources/swagger.json",
    ]


def test_what_only_looks_like_a_contract_is_left_out(tmp_path: Path) -> None:
    assert (
        found(
            tmp_path,
            {
                "openapi-configuration.yaml": "output: openapi.json\nopenapi: true\n",
                "openapi.json": '{"generator": "x"}',
                "docs/settings.yaml": "a: 1\n",
                "api/package.json": '{"dependencies": {"openapi": "3.1.2"}}',
                "docs/model.json": SCHEMA,
                "contracts/values.json": '{"a": 1}',
                "REQUIREMENTS.md": "# Nothing\n",
                "CONTRACTS.json": "[]",
                "node_modules/x/openapi.yaml": OPENAPI,
                "vendor/x/openapi.yaml": OPENAPI,
                "target/classes/openapi.yaml": OPENAPI,
                "tests/data/openapi.yaml": OPENAPI,
                "src/test/resources/openapi.yaml": OPENAPI,
                "examples/openapi.yaml": OPENAPI,
                "api/request-examples/openapi.yaml": OPENAPI,
                ".github/openapi.yaml": OPENAPI,
            },
        )
        == []
    )


def test_what_a_document_is_made_from_or_written_after_is_none_beside_another(
    tmp_path: Path,
) -> None:
    templates = {
        "spec/shop-api-TEMPLATE.yaml": OPENAPI,
        "openapi.example.json": OPENAPI,
        "shared/test-swagger.yaml": OPENAPI,
    }
    assert found(tmp_path, {**templates, "openapi.yaml": OPENAPI}) == ["openapi.yaml"]
    reason = "a template, an example or for tests, by its name"
    assert set_aside(tmp_path) == dict.fromkeys(sorted(templates), reason)
    (tmp_path / "openapi.yaml").unlink()
    assert [path.name for path in discover_contracts(tmp_path)] == [
        "openapi.example.json",
        "test-swagger.yaml",
        "shop-api-TEMPLATE.yaml",
    ]


def test_contracts_of_archives_are_set_aside(tmp_path: Path) -> None:
    files = {"src/_archive/api/openapi.yaml": OPENAPI, "src/archive/openapi.yaml": OPENAPI}
    assert found(tmp_path, files) == ["src/archive/openapi.yaml"]
    assert set_aside(tmp_path) == {
        "src/_archive/api/openapi.yaml": "archived, by the name of its folder"
    }


def test_a_contract_that_names_what_has_replaced_it_is_set_aside(tmp_path: Path) -> None:
    said = "openapi: 3.1.0\ninfo: {{description: {}}}\npaths: {{}}\n"
    files = {
        "new/orders.yaml": OPENAPI,
        "old/swagger.yaml": said.format("This is no longer maintained. See new/orders.yaml"),
        "elsewhere.yaml": said.format("This is no longer maintained. See docs/orders.yaml"),
        "notes.yaml": said.format("See new/orders.yaml"),
    }
    assert found(tmp_path, files) == ["elsewhere.yaml", "new/orders.yaml", "notes.yaml"]
    assert set_aside(tmp_path) == {
        "old/swagger.yaml": "it says that new/orders.yaml has replaced it"
    }


def test_json_is_yaml_and_may_bear_its_name(tmp_path: Path) -> None:
    document = '{\n  "openapi": "3.1.0",\n  "info": {},\n  "paths": {}\n}'
    assert found(tmp_path, {"openapi.yaml": document, "docs/openapi.yml": '{"openapi": "3"}'}) == [
        "openapi.yaml"
    ]


def test_yaml_may_bear_the_name_of_json(tmp_path: Path) -> None:
    files = {"docs/orders.openapi.json": OPENAPI, "docs/notes.json": "openapi is what we use\n"}
    assert found(tmp_path, files) == ["docs/orders.openapi.json"]
    (document,) = load_contracts(discover_contracts(tmp_path), tmp_path)
    assert (document.kind, document.problems) == ("openapi", ())


def test_usual_names_of_documents_are_looked_into(tmp_path: Path) -> None:
    files = {
        "backend/schema.yml": OPENAPI,
        "service/api.yaml": OPENAPI,
        "prisma/schema.yaml": "models: []\n",
        "api-spec.json": '{"openapi": "3.1.0", "paths": {}}',
        "src/data.yaml": "models: []\n",
    }
    assert found(tmp_path, files) == ["api-spec.json", "backend/schema.yml", "service/api.yaml"]


def test_documents_that_builds_of_dotnet_write_are_called_after_the_project(tmp_path: Path) -> None:
    document = json.dumps({"openapi": "3.1.1", "info": {}, "paths": {}})
    files = {
        "src/Shop.Api/Shop.Api.csproj": "<Project/>",
        "src/Shop.Api/Shop.Api.json": document,
        "src/Shop.Api/Shop.Api_internal.json": document,
        "src/Shop.Api/obj/Shop.Api.json": document,
        "src/Shop.Api/Shop.json": document,
        "src/Shop.Api/wwwroot/v1.json": document,
        "Shop.Api.json": "{}",
    }
    assert found(tmp_path, files) == [
        "src/Shop.Api/Shop.Api.json",
        "src/Shop.Api/Shop.Api_internal.json",
        "src/Shop.Api/wwwroot/v1.json",
    ]


def test_links_are_not_followed(tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    write(outside, {"openapi.yaml": OPENAPI})
    root = tmp_path / "root"
    root.mkdir()
    (root / "openapi.yaml").symlink_to(outside / "openapi.yaml")
    (root / "folder").symlink_to(outside)
    assert discover_contracts(root) == ()


def test_files_that_another_document_refers_to_are_parts_of_it(tmp_path: Path) -> None:
    assert found(
        tmp_path,
        {
            "openapi.yaml": OPENAPI + "components: {$ref: 'parts/openapi.yaml#/components'}\n",
            "parts/openapi.yaml": OPENAPI,
            "schemas/order.schema.json": '{"$ref": "money.schema.json"}',
            "schemas/money.schema.json": SCHEMA,
        },
    ) == ["openapi.yaml", "schemas/money.schema.json", "schemas/order.schema.json"]


def test_a_contract_of_which_another_one_uses_the_components_stays_a_contract(
    tmp_path: Path,
) -> None:
    shared = "components: {schemas: {Error: {type: object}}}\n"
    used = "x: {$ref: '../openapi.yaml#/components/schemas/Error'}\n"
    other = "x: {$ref: '../api/openapi.yaml#/components/schemas/Error'}\n"
    files = {
        "docs/openapi.yaml": OPENAPI + "paths:\n  /a: {}\n" + shared,
        "docs/idp/openapi.yaml": OPENAPI + "paths:\n  /b: {}\n" + used,
        "api/openapi.yaml": OPENAPI + "paths: {}\n" + shared,
        "api/inner/openapi.yaml": OPENAPI + "paths:\n  /c: {}\n" + used,
        "spec/openapi.json": (
            '{"openapi": "3.1.0", "paths": {"/d": {"$ref": "../web/openapi.json#/paths/~1d"}}}'
        ),
        "web/openapi.json": '{"openapi": "3.1.0", "paths": {"/d": {}}}',
        "web/other/openapi.yaml": OPENAPI + "paths:\n  /e: {}\n" + other,
    }
    assert found(tmp_path, files) == [
        "api/inner/openapi.yaml",
        "docs/idp/openapi.yaml",
        "docs/openapi.yaml",
        "spec/openapi.json",
        "web/other/openapi.yaml",
    ]


def test_only_the_newest_of_several_versions_of_a_schema_counts(tmp_path: Path) -> None:
    assert found(
        tmp_path,
        {
            "bom-1.2-strict.schema.json": SCHEMA,
            "bom-1.9.schema.json": SCHEMA,
            "bom-1.10.schema.json": SCHEMA,
            "other-1.2.schema.json": SCHEMA,
            "openapi-1.yaml": OPENAPI,
            "openapi-2.yaml": OPENAPI,
            "shop-1.9.0.yaml": OPENAPI,
            "shop-1.10.0.yaml": OPENAPI,
            "schemas/1.9/order-v1.9.json": SCHEMA,
            "schemas/v1.10/order-v1.10.json": SCHEMA,
            "schemas/1.1/item-1.1.json": SCHEMA,
        },
    ) == [
        "bom-1.10.schema.json",
        "openapi-1.yaml",
        "openapi-2.yaml",
        "other-1.2.schema.json",
        "schemas/1.1/item-1.1.json",
        "schemas/v1.10/order-v1.10.json",
        "shop-1.10.0.yaml",
    ]


def test_yaml_of_any_name_is_a_contract_by_its_first_key(tmp_path: Path) -> None:
    assert found(
        tmp_path,
        {
            "users/users.spec.yaml": OPENAPI,
            "Release.yml": "# Shops\n---\n\n'asyncapi': 3.0.0\nchannels: {}\n",
            "values.yaml": "image: shop\nopenapi: 3.0.3\n",
            "tests/users.yaml": OPENAPI,
            "users/data.json": ASYNCAPI,
        },
    ) == ["Release.yml", "users/users.spec.yaml"]


def test_the_files_to_choose_from_can_be_given(tmp_path: Path) -> None:
    write(tmp_path, {"openapi.yaml": OPENAPI, "b/openapi.yaml": OPENAPI})
    given = ["b/openapi.yaml", "b/gone/openapi.yaml", "b/main.py"]
    assert discover_contracts(tmp_path, given) == (tmp_path / "b/openapi.yaml",)


def test_a_contract_too_large_to_read_is_not_passed_over(tmp_path: Path) -> None:
    names = ("openapi.json", "order.schema.json")
    for name in names:
        (tmp_path / name).write_bytes(b" " * 20_000_001)
    assert discover_contracts(tmp_path) == tuple(tmp_path / name for name in names)


def test_the_version_may_stand_at_the_end_of_a_long_file(tmp_path: Path) -> None:
    filler = '"x-filler": "' + "x" * 100_000 + '"'
    text = f'{{{filler}, "paths": {{}}, "swagger": "2.0"}}'
    assert found(tmp_path, {"docs/generated.json": text}) == ["docs/generated.json"]


def test_the_version_may_stand_in_the_midst_of_a_file_that_is_named_for_it(tmp_path: Path) -> None:
    long = ",".join(f'"S{number}": {{"type": "string"}}' for number in range(3000))
    text = f'{{"components": {{"schemas": {{{long}}}}}, "openapi": "3.1.0", "x": {{{long}}}}}'
    assert found(tmp_path, {"backend/openapi.json": text, "docs/other.json": text}) == [
        "backend/openapi.json"
    ]


def test_slices_of_a_bundle_are_left_out() -> None:
    bundle = document("openapi.yaml", "/a", "/b", title="Shop")
    inner = document("modules/a/openapi.yaml", "/a", title="A")
    root = document("shared/openapi.root.yaml", title="Shop")
    public = document("openapi.public.yaml", "/a", title="Shop")
    other = document("modules/c/openapi.yaml", "/c", title="C")
    events = document("modules/a/asyncapi.yaml", kind="asyncapi")
    given = (bundle, inner, root, public, other, events)
    assert without_slices(given) == (bundle, other, events)


def test_copies_count_once_and_namesakes_twice() -> None:
    first = document("api/openapi.json", "/health", title="A")
    copy = document("api/openapi.yaml", "/health", title="A")
    deep = document("src/main/static/openapi.yaml", "/health", title="A")
    other = document("b/openapi.yaml", "/health", title="B")
    assert without_slices((first, copy, deep, other)) == (first, other)


def test_versions_of_an_interface_at_places_of_their_own_are_no_copies() -> None:
    first, second = (
        replace(document(f"api_{name}.yaml", "/health", title="A"), base_paths=(f"/{name}",))
        for name in ("v1", "v2")
    )
    undeclared = document("docs/openapi.yaml", "/health", title="A")
    assert without_slices((first, second, undeclared)) == (first, second)


ORDER_PATHS = tuple(f"/orders/{name}" for name in ("", "new", "open", "late", "paid", "lost"))


def version_of_shop(path: str, version: str, *paths: str, title: str = "Shop") -> ContractDocument:
    return replace(document(path, *paths, title=title), interface_version=version)


def test_the_newest_version_of_an_interface_counts() -> None:
    oldest = version_of_shop("website/openapi.yaml", "3.9", *ORDER_PATHS)
    older = version_of_shop("docs/openapi.yaml", "4.10.0", *ORDER_PATHS, "/gone")
    newest = version_of_shop("server/spec.yaml", "v5.0.1", *ORDER_PATHS, "/added")
    namesake = version_of_shop("b/openapi.yaml", "1.0", *ORDER_PATHS, title="Stock")
    assert newer_versions((oldest, newest, older, namesake)) == {
        "website/openapi.yaml": newest,
        "docs/openapi.yaml": newest,
    }


def test_versions_that_are_kept_on_purpose_and_services_of_one_template_all_count() -> None:
    first = version_of_shop("docs/v1/openapi.yaml", "1.0.0", *ORDER_PATHS)
    second = version_of_shop("docs/v2/openapi.yaml", "2.0.0", *ORDER_PATHS)
    service = version_of_shop("a/openapi.yaml", "1.0.0", "/health", "/ready")
    other = version_of_shop("b/openapi.yaml", "1.1.0", "/health", "/ready")
    draft = version_of_shop("c/openapi.yaml", "next", *ORDER_PATHS)
    undated = version_of_shop("d/openapi.yaml", "", *ORDER_PATHS)
    assert newer_versions((first, second, service, other, draft, undated)) == {}


FILES = (
    "services/orders/pyproject.toml",
    "services/orders/app/main.py",
    "services/catalog-service/pom.xml",
    "services/payments/Payments.Api/Payments.Api.csproj",
    "services/payments/Payments.Domain/Payments.Domain.csproj",
)


def assigned(
    documents: list[ContractDocument], files: tuple[str, ...] = FILES
) -> dict[str, tuple[str, tuple[str, ...]]]:
    """Path of each document -> the source it governs, and what of that it does not."""
    return {
        one.path: (governed.source, governed.excluded)
        for governed in assign_documents(documents, files)
        for one in governed.documents
    }


def test_a_document_inside_a_service_governs_it() -> None:
    assert assigned(
        [
            document("services/orders/docs/openapi.yaml", "/a"),
            document("services/payments/openapi.json", "/b"),
            document("services/orders/asyncapi.yaml", kind="asyncapi"),
        ]
    ) == {
        "services/orders/docs/openapi.yaml": ("services/orders", ()),
        "services/payments/openapi.json": ("services/payments", ()),
        "services/orders/asyncapi.yaml": ("services/orders", ()),
    }


def test_a_document_elsewhere_governs_the_service_of_its_name() -> None:
    assert assigned(
        [
            document("contracts/orders.yaml", "/a"),
            document("contracts/catalog/openapi.yaml", "/b"),
            document("contracts/third.yaml", "/c", title="Payments API"),
            document("contracts/fourth.yaml", "/d"),
            document("CONTRACTS.json", "/e", service="orders-service"),
            document("contracts/order.schema.json", kind="json-schema"),
        ]
    ) == {
        "contracts/orders.yaml": ("services/orders", ()),
        "CONTRACTS.json": ("services/orders", ()),
        "contracts/catalog/openapi.yaml": ("services/catalog-service", ()),
        "contracts/third.yaml": ("services/payments/Payments.Api", ()),
        "contracts/fourth.yaml": (
            "",
            ("services/catalog-service", "services/orders", "services/payments/Payments.Api"),
        ),
        "contracts/order.schema.json": ("", ()),
    }


def test_the_only_contract_governs_the_whole_build() -> None:
    dotnet = ("src/Shop.sln", "src/Shop.Web/Shop.Web.csproj", "src/Shop.Core/Shop.Core.csproj")
    node = ("package.json", "packages/api/package.json", "packages/web/package.json")
    mixed = ("frontend/package.json", "backend/pyproject.toml")
    assert assigned([document("src/Shop.Web/openapi.json", "/a")], dotnet) == {
        "src/Shop.Web/openapi.json": ("src", ())
    }
    assert assigned([document("packages/api/openapi.yaml", "/a")], node) == {
        "packages/api/openapi.yaml": ("", ())
    }
    assert assigned([document("backend/openapi.yaml", "/a")], mixed) == {
        "backend/openapi.yaml": ("backend", ())
    }


def test_without_build_files_a_contract_governs_everything() -> None:
    assert assigned([document("api/openapi.yaml", "/a")], ("main.py",)) == {
        "api/openapi.yaml": ("", ())
    }


def test_discovered_contracts_of_a_small_system(tmp_path: Path) -> None:
    write(
        tmp_path,
        {
            "services/a/package.json": "{}",
            "services/a/openapi.yaml": "openapi: 3.0.3\npaths: {/a: {get: {responses: {}}}}\n",
            "services/b/pom.xml": "",
            "services/b/openapi.yaml": "openapi: 3.0.3\npaths: {/b: {get: {responses: {}}}}\n",
            "contracts/asyncapi.json": '{"asyncapi": "3.0.0", "channels": {"c": {}}}',
        },
    )
    documents = without_slices(load_contracts(discover_contracts(tmp_path), tmp_path))
    files = ["services/a/package.json", "services/b/pom.xml"]
    assert [
        (one.source, [inner.path for inner in one.documents])
        for one in assign_documents(documents, files)
    ] == [
        ("services/a", ["services/a/openapi.yaml"]),
        ("services/b", ["services/b/openapi.yaml"]),
        ("", ["contracts/asyncapi.json"]),
    ]


def test_schemas_below_any_folder_of_schemas_are_found(tmp_path: Path) -> None:
    paths = [f"{folder}/order.json" for folder in ("Schemata", "json_schemas", "jsonschemas")]
    files = dict.fromkeys((*paths, "data/order.json"), SCHEMA)
    assert found(tmp_path, files) == sorted(paths)


def test_documents_in_a_folder_that_names_their_kind_are_found(tmp_path: Path) -> None:
    files = {
        "tools/openapi-schema/service.yaml": OPENAPI,
        "swagger-docs/orders.yml": OPENAPI,
        "openapi-generator/config.yaml": "generatorName: spring",
        "tools/schema-of-openapi/readme.json": "{}",
    }
    assert found(tmp_path, files) == [
        "swagger-docs/orders.yml",
        "tools/openapi-schema/service.yaml",
    ]


def test_a_copy_that_is_kept_beside_a_contract_is_none(tmp_path: Path) -> None:
    texts = dict.fromkeys(
        (
            "api/swagger.json",
            "api/swagger-backup.yaml",
            "openapi.old.yaml",
            "docs/openapi-copy.yml",
        ),
        OPENAPI,
    )
    assert found(tmp_path, {**texts, "openapi.yaml": OPENAPI}) == [
        "api/swagger.json",
        "docs/openapi-copy.yml",  # nothing beside it that it could be a copy of
        "openapi.yaml",
    ]
