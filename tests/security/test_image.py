"""What the image lets git trust."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]


def test_only_the_mounted_folder_is_trusted() -> None:
    text = (ROOT / "Dockerfile").read_text(encoding="utf-8")
    trusted = re.findall(r"safe\.directory '?([^' ]+)'?", text)
    assert trusted == ["/src", "/src/*"]
    assert re.search(r"^WORKDIR /src$", text, re.MULTILINE) is not None
