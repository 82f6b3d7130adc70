"""`python fastapi_apps.py PORT NAME…`: the shop as each mutation makes it, below `/NAME`, in one
process. A name that no mutation has is the shop that keeps its contract."""

from __future__ import annotations

import os
import sys
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path

import uvicorn
from fastapi import FastAPI

PROGRAM = Path(__file__).with_name("fastapi_app.py")


def shop(mutation: str) -> FastAPI:
    os.environ["MUTATION"] = mutation
    name = f"shop_{mutation}"
    spec = spec_from_file_location(name, PROGRAM)
    assert spec is not None
    assert spec.loader is not None
    module = sys.modules[name] = module_from_spec(spec)
    spec.loader.exec_module(module)
    app: FastAPI = module.app
    return app


if __name__ == "__main__":
    apps = FastAPI(openapi_url=None)
    for each in sys.argv[2:]:
        apps.mount(f"/{each}", shop(each))
    uvicorn.run(apps, host="127.0.0.1", port=int(sys.argv[1]), log_level="warning")
