"""`python pytest_runs.py FILE URL ANSWER NAME…`: the tests of FILE against the server at
`URL/NAME`, one after the other in one process; the names of the tests that fail, by server, as JSON
in ANSWER."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

import pytest

OPTIONS = ("-q", "--tb=no", "-p", "no:cacheprovider")
os.environ["PYTEST_DISABLE_PLUGIN_AUTOLOAD"] = "1"  # each would be loaded anew in every run


class Failed:
    """A plugin that remembers which tests fail, in whatever phase."""

    def __init__(self) -> None:
        self.names: list[str] = []

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.failed:
            self.names.append(report.nodeid.partition("::")[2])


def failures(file: str, url: str) -> list[str]:
    os.environ["API_BASE_URL"] = url
    failed = Failed()
    status = pytest.main([*OPTIONS, file], plugins=[failed])
    sys.modules.pop(Path(file).stem, None)
    expected = pytest.ExitCode.TESTS_FAILED if failed.names else pytest.ExitCode.OK
    if status != expected:
        raise SystemExit(f"{url}: pytest ended with {status}")
    return failed.names


if __name__ == "__main__":
    program, file, url, answer, *names = sys.argv
    found = {name: failures(file, f"{url}/{name}/v1") for name in names}
    Path(answer).write_text(json.dumps(found))
