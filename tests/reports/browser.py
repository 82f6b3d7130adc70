"""A real Chromium without a window, driven over WebDriver on the loopback."""

from __future__ import annotations

import http.client
import json
import re
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

NAMES = ("chromium", "chromium-browser", "google-chrome")
ARGUMENTS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--disable-dev-shm-usage",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--force-prefers-reduced-motion",
)
ELEMENT = "element-6066-11e4-a52e-4f735466cecf"
"""The key that WebDriver gives elements under."""


class Browser:
    """One window."""

    def __init__(self, port: int, session: str) -> None:
        self._port = port
        self._session = session

    def open(self, page: Path) -> None:
        self._post("url", url=page.as_uri())

    def run(self, script: str) -> Any:
        """The value of a JavaScript expression on the page."""
        return self._post("execute/sync", script=f"return {script}", args=[])

    def press(self, keys: str) -> None:
        """Type with the keyboard, wherever the focus is."""
        strokes = [{"type": kind, "value": k} for k in keys for kind in ("keyDown", "keyUp")]
        self._post("actions", actions=[{"type": "key", "id": "keys", "actions": strokes}])

    def click(self, selector: str) -> None:
        found = self._post("element", using="css selector", value=selector)
        self._post(f"element/{found[ELEMENT]}/click")

    def complaints(self) -> list[str]:
        """What the browser wrote to its console: errors, refused scripts and styles."""
        return [entry["message"] for entry in self._post("se/log", type="browser")]

    def _post(self, command: str, **values: Any) -> Any:
        return request(self._port, "POST", f"/session/{self._session}/{command}", values)


def request(port: int, method: str, path: str, values: dict[str, Any]) -> Any:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    try:
        body = json.dumps(values) if method == "POST" else None
        connection.request(method, path, body, {"Content-Type": "application/json"})
        answer = json.loads(connection.getresponse().read())["value"]
    finally:
        connection.close()
    if isinstance(answer, dict) and "error" in answer:
        raise RuntimeError(answer["message"])
    return answer


@contextmanager
def browser(width: int, height: int, profile: Path) -> Iterator[Browser]:
    """A window whose page is exactly so wide. Skips where no Chromium is installed."""
    program = next(filter(None, map(shutil.which, NAMES)), None)
    driver = shutil.which("chromedriver")
    if program is None or driver is None:
        pytest.skip("no Chromium here: install chromium and chromium-driver to test the page")
    process = subprocess.Popen([driver, "--port=0"], stdout=subprocess.PIPE, text=True)
    try:
        port = _port(process)
        metrics = {"width": width, "height": height, "pixelRatio": 1, "touch": False}
        options = {
            "binary": program,
            "args": [*ARGUMENTS, f"--user-data-dir={profile}"],
            "mobileEmulation": {"deviceMetrics": metrics},
        }
        wanted = {"goog:chromeOptions": options, "goog:loggingPrefs": {"browser": "ALL"}}
        values = {"capabilities": {"alwaysMatch": wanted}}
        session = request(port, "POST", "/session", values)["sessionId"]
        try:
            yield Browser(port, session)
        finally:
            request(port, "DELETE", f"/session/{session}", {})
    finally:
        process.terminate()
        process.communicate(timeout=30)


def _port(process: subprocess.Popen[str]) -> int:
    assert process.stdout is not None
    for line in process.stdout:
        if found := re.search(r"successfully on port (\d+)", line):
            return int(found[1])
    raise RuntimeError("chromedriver did not start")
