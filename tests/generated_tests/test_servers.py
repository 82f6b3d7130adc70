"""Generated tests, run for real: they pass on servers that keep the contract and fail on those that
break it in one way."""

from __future__ import annotations

import os
import re
import shutil
import socket
import subprocess
import sys
import time
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

MUTATIONS = (
    "accepts-additional",
    "accepts-any-limit",
    "accepts-any-priority",
    "accepts-any-sku",
    "accepts-empty-customer",
    "accepts-long-customer",
    "accepts-no-customer",
    "accepts-no-lines",
    "accepts-zero-quantity",
    "created-answers-200",
    "created-is-no-time",
    "customer-is-null",
    "id-is-a-number",
    "line-without-sku",
    "list-is-bare",
    "no-delete",
    "no-location",
    "no-total",
    "open-to-all",
    "priority-is-unknown",
    "removed-answers-200",
    "sends-additional",
    "sends-text",
    "total-is-renamed",
    "total-is-text",
    "unknown-is-an-error",
    "unknown-is-found",
)


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
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    environment = {**os.environ, "NODE_PATH": str(cwd / "node_modules")}
    process = subprocess.Popen(
        [*command, str(port), CONFORMING, *MUTATIONS], cwd=cwd, env=environment
    )
    try:
        deadline = time.monotonic() + 60
        while True:
            assert process.poll() is None, "the server has ended"
            with socket.socket() as probe:
                if probe.connect_ex(("127.0.0.1", port)) == 0:
                    break
            assert time.monotonic() < deadline, "the server does not listen"
            time.sleep(0.05)
        yield f"http://127.0.0.1:{port}"
    finally:
        process.terminate()
        process.wait(30)


def environment(url: str) -> dict[str, str]:
    return {**os.environ, "API_BASE_URL": url, "API_CREDENTIALS": '{"key": "secret"}'}


@pytest.fixture(scope="module")
def pytest_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    file = tmp_path_factory.mktemp("generated") / "test_shop.py"
    file.write_text(api.generate_tests(HERE / "shop.yaml", "pytest"))
    (file.parent / "pytest.ini").write_text("[pytest]\n")
    return file


@pytest.fixture(scope="module")
def jest_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    packages = node_packages()
    assert packages is not None
    folder = tmp_path_factory.mktemp("generated")
    (folder / "node_modules").symlink_to(packages / "node_modules")
    (folder / "package.json").write_text('{"jest": {"testEnvironment": "node"}}')
    file = folder / "shop.test.js"
    file.write_text(api.generate_tests(HERE / "shop.yaml", "jest"))
    return file


def run_pytest(file: Path, url: str) -> tuple[int, str]:
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider", file.name],
        cwd=file.parent,
        env=environment(url),
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )
    return done.returncode, done.stdout + done.stderr


def run_jest(file: Path, url: str) -> tuple[int, str]:
    done = subprocess.run(
        ["node", "node_modules/jest/bin/jest.js", "--bail", "--watchman=false", "--ci"],
        cwd=file.parent,
        env=environment(url),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )
    return done.returncode, done.stdout + done.stderr


FASTAPI = (sys.executable, str(PROGRAMS / "fastapi_apps.py"))
EXPRESS = ("node", str(PROGRAMS / "express_apps.js"))
CONFORMING = "conforming"


@pytest.fixture(scope="module")
def fastapi_servers(pytest_file: Path) -> Iterator[str]:
    with servers(FASTAPI, pytest_file.parent) as url:
        yield url


@pytest.fixture(scope="module")
def express_servers(jest_file: Path) -> Iterator[str]:
    with servers(EXPRESS, jest_file.parent) as url:
        yield url


@needs_fastapi
@pytest.mark.requirement("SVC-003")
def test_pytest_passes_on_a_server_that_conforms(pytest_file: Path, fastapi_servers: str) -> None:
    url = f"{fastapi_servers}/{CONFORMING}/v1"
    for _ in range(2):  # what one run leaves behind disturbs no other
        status, output = run_pytest(pytest_file, url)
        assert status == 0, output
        assert re.search(r"\b44 passed in", output), output


@needs_fastapi
@pytest.mark.parametrize("mutation", MUTATIONS)
def test_pytest_fails_on_a_server_that_drifts(
    pytest_file: Path, fastapi_servers: str, mutation: str
) -> None:
    status, output = run_pytest(pytest_file, f"{fastapi_servers}/{mutation}/v1")
    assert status == 1, output
    assert "1 failed" in output


@needs_node
@pytest.mark.requirement("SVC-003")
def test_jest_passes_on_a_server_that_conforms(jest_file: Path, express_servers: str) -> None:
    url = f"{express_servers}/{CONFORMING}/v1"
    for _ in range(2):
        status, output = run_jest(jest_file, url)
        assert status == 0, output
        assert "Tests:       44 passed, 44 total" in output


@needs_node
@pytest.mark.parametrize("mutation", MUTATIONS)
def test_jest_fails_on_a_server_that_drifts(
    jest_file: Path, express_servers: str, mutation: str
) -> None:
    status, output = run_jest(jest_file, f"{express_servers}/{mutation}/v1")
    assert status == 1, output
    assert re.search(r"Tests: .*[1-9]\d* failed", output), output
