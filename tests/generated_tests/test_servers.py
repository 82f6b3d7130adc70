"""Generated tests, run for real: they pass on servers that keep the contract and fail on those that
break it in one way."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path

import pytest

from contract_scan import api

HERE = Path(__file__).parent
PROGRAMS = HERE / "programs"
NODE_PACKAGES = "CONTRACT_SCAN_TEST_NODE_PACKAGES"
"""Environment variable: the folder with `node_modules` of express, jest, ajv and ajv-formats."""

MUTATIONS = {
    "accepts-additional": "post_orders body_additional_property",
    "accepts-any-limit": "get_orders query_limit_too_small",
    "accepts-any-priority": "post_orders body_priority_not_in_enum",
    "accepts-any-sku": "post_orders body_lines_item_sku_not_of_pattern",
    "accepts-empty-customer": "post_orders body_customer_too_short",
    "accepts-long-customer": "post_orders body_customer_too_long",
    "accepts-no-customer": "post_orders body_without_customer",
    "accepts-no-lines": "post_orders body_lines_too_few",
    "accepts-zero-quantity": "post_orders body_lines_item_quantity_too_small",
    "created-answers-200": "post_orders everything",
    "created-is-no-time": "post_orders everything",
    "customer-is-null": "get_orders_orderid required_only",
    "id-is-a-number": "post_orders everything",
    "line-without-sku": "get_orders_orderid required_only",
    "list-is-bare": "get_orders required_only",
    "no-delete": "delete_orders_orderid required_only",
    "no-location": "post_orders everything",
    "no-total": "post_orders everything",
    "open-to-all": "get_orders without_key",
    "priority-is-unknown": "get_orders_orderid required_only",
    "removed-answers-200": "delete_orders_orderid required_only",
    "sends-additional": "post_orders everything",
    "sends-text": "post_orders everything",
    "total-is-renamed": "post_orders everything",
    "total-is-text": "post_orders everything",
    "unknown-is-an-error": "get_orders_orderid unknown_orderid",
    "unknown-is-found": "get_orders_orderid unknown_orderid",
}
"""Ways in which a server breaks the contract, and the generated test that is about it."""


def node_packages() -> Path | None:
    given = os.environ.get(NODE_PACKAGES, "")
    folder = Path(given) if given else None
    needed = ("express", "jest", "ajv", "ajv-formats")
    if folder is None or shutil.which("node") is None:
        return None
    return folder if all((folder / "node_modules" / one).is_dir() for one in needed) else None


needs_node = pytest.mark.skipif(
    node_packages() is None,
    reason=f"{NODE_PACKAGES} names no folder with express, jest, ajv and ajv-formats",
)
needs_fastapi = pytest.mark.skipif(
    any(find_spec(one) is None for one in ("fastapi", "uvicorn", "httpx")),
    reason="fastapi, uvicorn and httpx are not installed",
)


@contextmanager
def servers(command: Sequence[str], cwd: Path) -> Iterator[str]:
    """A running process with a server for each mutation and one that conforms; its base URL."""
    environment = {**os.environ, "NODE_PATH": str(cwd / "node_modules")}
    with subprocess.Popen(
        [*command, *SERVERS], cwd=cwd, env=environment, stdout=subprocess.PIPE, text=True
    ) as process:
        try:
            assert process.stdout is not None
            port = process.stdout.readline().strip()  # it chose a free one, and listens
            assert port, "the server has ended"
            yield f"http://127.0.0.1:{port}"
        finally:
            process.terminate()


def environment(url: str) -> dict[str, str]:
    return {**os.environ, "API_BASE_URL": url, "API_CREDENTIALS": '{"key": "secret"}'}


def run(command: Sequence[str], file: Path, url: str) -> tuple[int, str]:
    done = subprocess.run(
        command,
        cwd=file.parent,
        env=environment(url),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )
    return done.returncode, done.stdout + done.stderr


Failures = dict[str, list[str]]
"""The tests that fail, by the mutation of the server that they ran against."""


def pytest_failures(file: Path, url: str) -> Failures:
    """Those of one process, which runs the generated file against one server after the other."""
    written = file.with_name("failures.json")
    program = str(PROGRAMS / "pytest_runs.py")
    status, output = run(
        (sys.executable, program, file.name, url, written.name, *SERVERS), file, ""
    )
    assert status == 0, output
    failures: Failures = json.loads(written.read_text())
    return {
        name: [re.sub(r"^test_(\w+)\[(.*)\]$", r"\1 \2", one) for one in failed]
        for name, failed in failures.items()
    }


def jest_failures(file: Path, url: str) -> Failures:
    """Those of one process, in which a file for each server runs what was generated."""
    file.rename(file.with_name("generated.js"))
    for name in SERVERS:
        address = json.dumps(f"{url}/{name}/v1")
        file.with_name(f"{name}.test.js").write_text(
            f'process.env.API_BASE_URL = {address};\nrequire("./generated.js");\n'
        )
    status, output = run((*JEST, "--runInBand", "--json", "--outputFile=all.json"), file, "")
    assert status == 1, output
    results = json.loads(file.with_name("all.json").read_text())["testResults"]
    return {
        Path(result["name"]).name.removesuffix(".test.js"): [
            " ".join([*one["ancestorTitles"][1:], one["title"]])
            for one in result["assertionResults"]
            if one["status"] == "failed"
        ]
        for result in results
    }


FASTAPI = (sys.executable, str(PROGRAMS / "fastapi_apps.py"))
EXPRESS = ("node", str(PROGRAMS / "express_apps.js"))
PYTEST = (sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "test_shop.py")
JEST = ("node", "node_modules/jest/bin/jest.js", "--watchman=false", "--ci", "--no-cache")
CONFORMING = "conforming"
SERVERS = (CONFORMING, *MUTATIONS)


def survivors(failures: Failures) -> dict[str, list[str]]:
    """The mutations that the test about them does not find, with what fails on them."""
    return {
        mutation: failures[mutation]
        for mutation, about in MUTATIONS.items()
        if about not in failures[mutation]
    }


@needs_fastapi
@pytest.mark.requirement("SVC-003")
def test_pytest_passes_on_a_server_that_conforms_and_fails_on_all_that_drift(
    tmp_path: Path,
) -> None:
    file = tmp_path / "test_shop.py"
    file.write_text(api.generate_tests(HERE / "shop.yaml", "pytest"))
    (tmp_path / "pytest.ini").write_text("[pytest]\n")
    with servers(FASTAPI, tmp_path) as url:
        status, output = run(PYTEST, file, f"{url}/{CONFORMING}/v1")
        assert status == 0, output
        assert re.search(r"\b44 passed in", output), output
        failures = pytest_failures(file, url)
    # What one run leaves behind disturbs no other.
    assert failures[CONFORMING] == []
    assert survivors(failures) == {}


@needs_node
@pytest.mark.requirement("SVC-003")
def test_jest_passes_on_a_server_that_conforms_and_fails_on_all_that_drift(tmp_path: Path) -> None:
    packages = node_packages()
    assert packages is not None
    (tmp_path / "node_modules").symlink_to(packages / "node_modules")
    (tmp_path / "package.json").write_text('{"jest": {"testEnvironment": "node"}}')
    file = tmp_path / "shop.test.js"
    file.write_text(api.generate_tests(HERE / "shop.yaml", "jest"))
    with servers(EXPRESS, tmp_path) as url:
        status, output = run(JEST, file, f"{url}/{CONFORMING}/v1")
        assert status == 0, output
        assert "Tests:       44 passed, 44 total" in output
        failures = jest_failures(file, url)
    assert failures[CONFORMING] == []
    assert survivors(failures) == {}
