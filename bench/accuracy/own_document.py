"""`python own_document.py`: the OpenAPI document that an application makes of itself.

    python own_document.py asgi PACKAGE.MODULE:APP DOCUMENT     FastAPI: `app.openapi()`
    python own_document.py litestar PACKAGE.MODULE:APP DOCUMENT Litestar: `app.openapi_schema`
    python own_document.py drf SETTINGS DOCUMENT                Django, drf-spectacular

Runs the application's own code, in the environment where that is installed, so it imports nothing
of contract-scan. APP may be a function without required arguments that makes the
application. Write DOCUMENT outside the package, or scan a copy of the package.
"""

from __future__ import annotations

import argparse
import importlib
import json
import os
import sys
from pathlib import Path
from typing import Any


def main() -> int:
    """Exit status 1: the application makes no document."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("framework", choices=sorted(GENERATORS))
    parser.add_argument("application", help="PACKAGE.MODULE:APP, or a module of Django settings")
    parser.add_argument("document", type=Path)
    options = parser.parse_args()
    made = GENERATORS[options.framework](options.application)
    if not made.get("paths"):
        print(f"{options.application}: its document has no paths", file=sys.stderr)
        return 1
    options.document.write_text(json.dumps(made, indent=1, default=str) + "\n")
    print(f"{options.document}: {len(made['paths'])} paths")
    return 0


def _application(name: str) -> Any:
    module, _, path = name.partition(":")
    found: Any = importlib.import_module(module)
    for part in path.split("."):
        found = getattr(found, part)
    # An application is callable too, so a factory is told by what it lacks.
    makes_one = callable(found) and not hasattr(found, "openapi") and not hasattr(found, "routes")
    return found() if makes_one else found


def _of_asgi(name: str) -> dict[str, Any]:
    document: dict[str, Any] = _application(name).openapi()
    return document


def _of_litestar(name: str) -> dict[str, Any]:
    document: dict[str, Any] = _application(name).openapi_schema.to_schema()
    return document


def _of_drf(settings: str) -> dict[str, Any]:
    os.environ["DJANGO_SETTINGS_MODULE"] = settings
    importlib.import_module("django").setup()
    chosen: Any = importlib.import_module("drf_spectacular.settings").spectacular_settings
    generator = chosen.DEFAULT_GENERATOR_CLASS()
    document: dict[str, Any] = generator.get_schema(request=None, public=True)
    return document


GENERATORS = {"asgi": _of_asgi, "drf": _of_drf, "litestar": _of_litestar}


if __name__ == "__main__":
    sys.exit(main())
