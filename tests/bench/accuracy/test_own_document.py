"""The document that an application makes of itself."""

import json
import subprocess
import sys
from pathlib import Path

import bench.accuracy.own_document as script

APPLICATION = """
class App:
    routes = []

    def __call__(self):
        raise AssertionError("an application is no factory of one")

    def openapi(self):
        return {"openapi": "3.1.0", "paths": {"/orders": {}}}


class Empty(App):
    def openapi(self):
        return {"openapi": "3.1.0", "paths": {}}


app = App()
empty = Empty()


def make():
    return App()
"""


def document_of(application: str, folder: Path) -> subprocess.CompletedProcess[str]:
    (folder / "own.py").write_text(APPLICATION)
    words = [sys.executable, script.__file__, "asgi", application, str(folder / "made.json")]
    return subprocess.run(
        words, cwd=folder, env={"PYTHONPATH": "."}, capture_output=True, text=True, check=False
    )


def test_an_application_and_a_function_that_makes_one_give_the_same_document(
    tmp_path: Path,
) -> None:
    for application in ("own:app", "own:make"):
        assert document_of(application, tmp_path).returncode == 0
        assert json.loads((tmp_path / "made.json").read_text()) == {
            "openapi": "3.1.0",
            "paths": {"/orders": {}},
        }


def test_a_document_without_paths_is_a_failure_and_writes_nothing(tmp_path: Path) -> None:
    made = document_of("own:empty", tmp_path)
    assert (made.returncode, made.stderr) == (1, "own:empty: its document has no paths\n")
    assert not (tmp_path / "made.json").exists()
