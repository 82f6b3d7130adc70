"""Paths that services in languages that are not read answer are found by their texts."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from contract_scan.parsers.source.discovery.discover import SourceTree
from contract_scan.parsers.source.languages import SUFFIXES
from contract_scan.parsers.source.unread_languages import UnreadLanguages

ONE_ORDER = ("shop", "orders", "{}")


def reason(root: Path, *paths: tuple[str, ...], **files: str) -> str:
    for name, text in files.items():
        file = root / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
    return UnreadLanguages(SourceTree(root, SUFFIXES)).answers(paths or [ONE_ORDER])


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
