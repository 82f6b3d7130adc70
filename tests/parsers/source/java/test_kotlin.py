"""Controllers in Kotlin, Groovy and Scala beside those in Java."""

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


def test_words_of_paths_are_read_in_kotlin(tmp_path: Path) -> None:
    controller = """package shop
        // @RestController @RequestMapping("/old") class Old
        @RestController
        @RequestMapping(path = ["/k", "/l"], produces = ["application/json"])
        class K(private val repository: Repository) {
          @GetMapping fun all(): List<Order> = listOf()
          @PreAuthorize("hasRole('A') and (1 == 1)")
          @PostMapping("/{id}", consumes = [JSON])
          suspend fun add(@PathVariable id: Long) = 1
          @RequestMapping("/many", method = [RequestMethod.PUT]) fun put() = 1
          @DeleteMapping(Paths.ONE) fun gone() = 1
          fun Other::class.helper() = 1
        }
        class Dto { @Get val x: Int }
        """
    assert routes(tmp_path, SPRING, K=controller) == sorted(
        [
            f"DELETE /k ?{WHY}",
            f"DELETE /l ?{WHY}",
            f"GET /k ?{WHY}",
            f"GET /l ?{WHY}",
            f"POST /k/{{id}} ?{WHY}",
            f"POST /l/{{id}} ?{WHY}",
            f"PUT /k/many ?{WHY}",
            f"PUT /l/many ?{WHY}",
            "GET /java",
        ]
    )


def test_resources_of_jaxrs_in_kotlin(tmp_path: Path) -> None:
    resource = """@Path("/k")
        class K {
          @GET
          @Path("x")
          fun get() = 1
          @POST fun add() = 1
        }
        """
    assert routes(tmp_path, JAXRS, K=resource) == [
        "GET /java",
        f"GET /k/x ?{WHY}",
        f"POST /k ?{WHY}",
    ]


def test_classes_of_which_annotations_do_not_say_all(tmp_path: Path) -> None:
    handler = '{ @GetMapping("/x") fun x() = 1 }'
    computed = f"@RestController\n@RequestMapping(Paths.K)\nclass K {handler}"
    above = f'@RestController\n@RequestMapping("/k")\nclass K(val s: S) : Api {handler}'
    nothing = "@RestController\nclass K"
    interpolated = '@RestController\nclass K { @GetMapping("/x/${Y.Z}") fun x() = 1 }'
    assert routes(tmp_path / "computed", SPRING, K=computed) == [f"* / ?{WHY}", "GET /java"]
    assert routes(tmp_path / "above", SPRING, K=above) == [
        f"* /k ?{WHY}",
        "GET /java",
        f"GET /k/x ?{WHY}",
    ]
    assert routes(tmp_path / "nothing", SPRING, K=nothing) == [f"* / ?{WHY}", "GET /java"]
    assert routes(tmp_path / "part", SPRING, K=interpolated) == [f"GET / ?{WHY}", "GET /java"]


def test_a_path_without_words_is_told_whole(tmp_path: Path) -> None:
    controller = '@RestController\nclass K { @GetMapping("/{id}") fun x() = 1 }'
    files = {"src/main/java/C.java": SPRING, "src/main/kotlin/K.kt": controller}
    found = Project(tmp_path, files)
    assert found.routes() == ["GET /java", "GET /{id}"]
    assert found.responses("GET /{id}") == [f"(200) <{WHY}>", "…"]
    assert found.operation("GET /{id}").excluded_from_docs


def test_files_of_which_controllers_are_not_what_is_looked_for(tmp_path: Path) -> None:
    client = "interface K\n// a @RestController is elsewhere\nval text = 1\n"
    controller = '@RestController\nclass K { @GetMapping("/k") fun get() = 1 }\n'
    assert routes(tmp_path / "none", SPRING, K=client) == ["GET /java"]
    assert routes(tmp_path / "other", JAXRS, K=controller) == ["GET /java"]


def test_other_languages(tmp_path: Path) -> None:
    groovy = """@RestController
        @RequestMapping("/g")
        class G { @GetMapping("/one") Order one() { null }
          @PostMapping("/two") def two() { null } }
        """
    files = {"src/main/java/C.java": SPRING, "src/main/groovy/G.groovy": groovy}
    why = "the controller is written in Groovy, which is not read"
    assert Project(tmp_path, files).routes() == [
        f"GET /g/one ?{why}",
        "GET /java",
        f"POST /g/two ?{why}",
    ]


def test_controllers_of_tests_do_not_count(tmp_path: Path) -> None:
    files = {
        "src/main/java/shop/C.java": SPRING,
        "src/test/kotlin/shop/K.kt": "@RestController\nclass K\n",
    }
    assert Project(tmp_path, files).routes() == ["GET /java"]
