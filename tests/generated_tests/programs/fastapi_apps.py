"""`python fastapi_apps.py NAME…`: the shop as each mutation makes it, below `/NAME`, in one process
that prints the port on which it listens. A name that no mutation has is the shop that keeps its
contract."""

from __future__ import annotations

import os
import socket
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
    for each in sys.argv[1:]:
        apps.mount(f"/{each}", shop(each))
    with socket.socket() as listening:
        # asyncio sets it for sockets of a named protocol alone; without it, each body waits 40 ms
        # for the client to acknowledge the headers.
        listening.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        listening.bind(("127.0.0.1", 0))
        listening.listen(100)
        print(listening.getsockname()[1], flush=True)
        uvicorn.Server(uvicorn.Config(apps, log_level="warning")).run(sockets=[listening])
