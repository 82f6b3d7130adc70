"""Paths of routes that are not read are found by their texts."""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest

from contract_scan.parsers.source.discovery.discover import SourceTree
from contract_scan.parsers.source.languages import SUFFIXES
from contract_scan.parsers.source.unread_routes import UnreadRoutes

ONE_ORDER = ("shop", "orders", "{}")


def reason(root: Path, *paths: tuple[str, ...], **files: str) -> str:
    for name, text in files.items():
        file = root / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
    return UnreadRoutes(SourceTree(root, SUFFIXES), lambda _: ()).answer(paths or [ONE_ORDER], [])


def reason_beside(root: Path, *routes: str, **files: str) -> str:
    """Why a route that is not read may answer `ONE_ORDER` beside routes of `shop/app.ts`."""
    for name, text in {"shop/package.json": "{}", "shop/app.ts": "", **files}.items():
        file = root / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
    read = [("shop/app.ts", tuple(route.split("/"))) for route in routes]
    tree = SourceTree(root, SUFFIXES)

    def with_word(word: str) -> list[str]:
        return [name for name in sorted(tree.paths()) if tree.find(name, _word(word))]

    return UnreadRoutes(tree, with_word).answer([ONE_ORDER], read)


def _word(word: str) -> re.Pattern[bytes]:
    return re.compile(rb"\b%s\b" % re.escape(word.encode()))


@pytest.mark.parametrize(
    ("name", "text", "language"),
    [
        ("main.rs", 'Router::new().route("/shop/orders/{id}", get(one))', "Rust"),
        ("main.rs", '#[get("/shop/orders/<id>?<page>")]', "Rust"),
        ("main.rs", 'web::scope("/shop").route("/orders/{id:[0-9]+}", web::get().to(f))', "Rust"),
        ("main.go", 'mux.HandleFunc("GET /shop/orders/{id}", one)', "Go"),
        ("main.go", 'shop := r.Group("/shop"); shop.GET("/orders/:id", one)', "Go"),
        ("Main.kt", 'route("shop") { route("/orders") { get("/{id}") { } } }', "Kotlin"),
        ("routes.rb", "namespace :shop do resources :orders end", "Ruby"),
        ("app.rb", "get '/shop/orders/:id' do", "Ruby"),
        ("api.php", "Route::prefix('shop')->get('/orders/{id}', [Orders::class, 'one']);", "PHP"),
        ("api.php", "$app->get('/shop/orders/{id:\\d+}', Orders::class);", "PHP"),
        ("router.ex", 'scope "/shop" do resources "/orders", OrderController end', "Elixir"),
        ("Routes.scala", 'case GET -> "/shop/orders/:id"', "Scala"),
        ("Api.fs", 'routef "/shop/orders/%i" one', "F#"),
        ("routes.swift", 'app.grouped("shop").get("/orders/:id", use: one)', "Swift"),
        ("main.cpp", 'CROW_ROUTE(app, "/shop/orders/<int>")', "C++"),
        ("main.rs", 'route("/api/v2/shop/orders/{id}")', "Rust"),
    ],
)
def test_the_spellings_of_routers_are_known(
    tmp_path: Path, name: str, text: str, language: str
) -> None:
    assert reason(tmp_path, **{name: f"\n{text}\n"}) == (
        f"the path stands in {name}:2, in {language}, a language that is not read"
    )


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("main.rs", 'route("/shop/orders")'),
        ("main.rs", 'route("/orders/{id}")'),
        ("main.go", 'get(fmt.Sprintf("/shop/orders/%s", id))'),
        ("main.rs", 'format!("/shop/orders/{}", id)'),
        ("Main.kt", 'load("/shop/orders/$id")'),
        ("main.rs", "// /shop/orders/{id}"),
        ("Api.kt", 'import retrofit2.http.GET\n@GET("/shop/orders/{id}")'),
        ("vendor/main.go", 'Handle("/shop/orders/{id}")'),
        ("docs/main.go", 'Handle("/shop/orders/{id}")'),
        ("tests/main.rs", 'route("/shop/orders/{id}")'),
        ("main_test.go", 'Handle("/shop/orders/{id}")'),
        ("notes.txt", 'Handle("/shop/orders/{id}")'),
    ],
)
def test_other_texts_are_no_answer(tmp_path: Path, name: str, text: str) -> None:
    assert reason(tmp_path, **{name: text}) == ""


def test_a_prefix_may_stand_in_another_file_of_the_language(tmp_path: Path) -> None:
    files = {"main.rs": 'nest("/shop", orders())', "src/orders.rs": 'route("/orders/{id}", get())'}
    assert "src/orders.rs:1" in reason(tmp_path, **files)
    other = {"main.rs": "", "main.go": 'r.Group("/shop")'}
    assert reason(tmp_path, **other) == ""


@pytest.mark.parametrize(
    ("name", "text", "told"),
    [
        ("shop/a.ts", "table.add('GET', '/shop/orders/:id', one)", "/shop/orders/:id"),
        (
            "shop/app.ts",
            "const all = axios.create(); table.add('/shop/orders/:id')",
            "/shop/orders/:id",
        ),
        ("shop/a.ts", "const base = '/shop/'; table.add(base, '/orders/:id')", "/orders/:id"),
        ("shop/a.ts", "within('/api/v1/shop/orders/{id}')", "/api/v1/shop/orders/{id}"),
        ("shop/a.py", 'add(r"/shop/orders/<int:id>", one)', "/shop/orders/<int:id>"),
        (
            "shop/A.java",
            '@Path("shop") class A { @At("/orders/{id}") Order one() }',
            "/orders/{id}",
        ),
        (
            "shop/A.cs",
            '[Route("shop")] class A { [At("/orders/{id:int}")] Order One() }',
            "/orders/{id:int}",
        ),
    ],
)
def test_a_path_beside_routes_may_be_one_that_is_not_read(
    tmp_path: Path, name: str, text: str, told: str
) -> None:
    assert reason_beside(tmp_path, "shop/hats", **{name: f"\n{text}\n"}) == (
        f"`{told}` stands in {name}, in none of the routes that are read: it may be one that is "
        "registered in a way that is not read"
    )


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("shop/a.ts", "table.add('/shop/orders')"),
        ("shop/a.ts", "  // table.add('/shop/orders/:id')"),
        ("shop/a.ts", "/** one\n * '/shop/orders/:id'\n */"),
        ("shop/a.ts", "load(`/shop/orders/${id}`)"),
        ("shop/a.py", 'load(f"/shop/orders/{id}")'),
        ("shop/A.cs", 'Load($"/shop/orders/{id}")'),
        ("shop/a.ts", "axios.get('/shop/orders/:id')"),
        ("shop/a.ts", "fetch('/shop/orders/:id')"),
        ("shop/schema.d.ts", "interface paths { '/shop/orders/{id}': {} }"),
        ("shop/paths.ts", "// This file was auto-generated\nconst paths = ['/shop/orders/{id}']"),
        ("shop/tests/a.ts", "table.add('/shop/orders/:id')"),
        ("shop/client/a.ts", "table.add('/shop/orders/:id')"),
        ("web/a.ts", "table.add('/shop/orders/:id')"),
    ],
)
def test_callers_tests_and_other_packages_do_not_answer(
    tmp_path: Path, name: str, text: str
) -> None:
    assert reason_beside(tmp_path, "shop/hats", **{name: text}) == ""


def test_the_texts_of_routes_that_are_read_do_not_answer_for_others(tmp_path: Path) -> None:
    files = {"shop/app.ts": "app.use('/shop', shop); shop.get('/orders/:id', one)"}
    assert reason_beside(tmp_path, "shop/orders/{}", **files) == ""
    assert reason_beside(tmp_path, "shop/hats", **files) != ""
    assert reason_beside(tmp_path, **files) == ""


def test_a_path_of_parameters_alone_is_not_looked_for(tmp_path: Path) -> None:
    assert reason(tmp_path, ("{}",), **{"main.rs": 'route("/{id}")'}) == ""


def test_pipes_links_out_and_large_files_are_not_read(tmp_path: Path) -> None:
    root = tmp_path / "root"
    (root / "src").mkdir(parents=True)
    outside = tmp_path / "outside.rs"
    outside.write_text('route("/shop/orders/{id}")', encoding="utf-8")
    (root / "link.rs").symlink_to(outside)
    os.mkfifo(root / "pipe.rs")
    large = 'route("/shop/orders/{id}")\n' + "// more\n" * 200_000
    assert reason(root, **{"src/large.rs": large}) == ""


def test_what_is_left_out_where_there_is_too_much_to_search_may_answer(tmp_path: Path) -> None:
    texts = "".join(f'"/a{number}/b"\n' for number in range(60_000))
    files = {f"a{number}.rs": texts.replace("/b", f"/b{number}") for number in range(5)}
    said = reason(tmp_path, **files, **{"main.rs": 'route("/shop/orders/{id}")'})
    assert said == (
        "files in languages that are not read hold too much to search all of it for the path: "
        "a4.rs is the first that is left out"
    )
    assert reason(tmp_path, ("a7", "b3")) == (
        "the path stands in a3.rs:8, in Rust, a language that is not read"
    )


@pytest.mark.parametrize(
    ("target", "is_told"), [("/old/last", True), ("/shop/last", False), ("", False)]
)
def test_paths_that_nginx_sends_on_under_another_name(
    tmp_path: Path, target: str, is_told: bool
) -> None:
    text = f"server {{\n  location = /shop/last {{ proxy_pass http://shop:8080{target}; }}\n}}\n"
    told = "the path stands in nginx.conf:2, in nginx, a language that is not read"
    found = reason(tmp_path, ("shop", "last"), **{"nginx.conf": text})
    assert found == (told if is_told else "")
