"""Controllers in Kotlin beside those in Java."""

from __future__ import annotations

from pathlib import Path

from tests.parsers.source.java.project import Project

WHY = "the controller is written in Kotlin, which is not read"
SPRING = """package shop;
import org.springframework.web.bind.annotation.*;
@RestController class C { @GetMapping("/java") int get() { return 1; } }
"""
JAXRS = """package shop;
import jakarta.ws.rs.*;
@Path("/java") class R { @GET public int get() { return 1; } }
"""


def routes(folder: Path, source: str, **kotlin: str) -> list[str]:
    files = {"src/main/java/shop/C.java": source}
    for name, text in kotlin.items():
        files[f"src/main/kotlin/shop/{name}.kt"] = text
    return Project(folder, files).routes()


def test_what_is_written_in_kotlin_is_not_missing(tmp_path: Path) -> None:
    controller = 'package shop\n@RestController\nclass K { @GetMapping("/k") fun get() = 1 }\n'
    resource = '@Path("/k")\nclass K {\n  @GET\n  @Path("x")\n  fun get() = 1\n}\n'
    client = "interface K\n// a @RestController is elsewhere\nval text = 1\n"
    assert routes(tmp_path / "spring", SPRING, K=controller) == [f"*  ?{WHY}", "GET /java"]
    assert routes(tmp_path / "jaxrs", JAXRS, K=resource) == [f"*  ?{WHY}", "GET /java"]
    assert routes(tmp_path / "none", SPRING, K=client) == ["GET /java"]
    assert routes(tmp_path / "other", JAXRS, K=controller) == ["GET /java"]


def test_controllers_of_tests_do_not_count(tmp_path: Path) -> None:
    files = {
        "src/main/java/shop/C.java": SPRING,
        "src/test/kotlin/shop/K.kt": "@RestController\nclass K\n",
    }
    assert Project(tmp_path, files).routes() == ["GET /java"]
