"""A Django project whose settings choose between several roots of URLs, each with a contract."""

from __future__ import annotations

import json
from pathlib import Path

from contract_scan.api import scan

SETTINGS = """
import os
API_PATH_PREFIX = os.environ.get("API_PATH_PREFIX", "")
ROOT_URLCONF = "shop.urls"
if os.environ.get("WORKER"):
    ROOT_URLCONF = "worker.urls"
"""
URLS = """
from django.conf import settings
from django.urls import include, path
PREFIX = settings.API_PATH_PREFIX
if PREFIX != "":
    PREFIX = PREFIX + "/"
urlpatterns = [path(f"{PREFIX}v1/", include("%s.api"))]
"""
API = """
from django.urls import path
from rest_framework.decorators import api_view
from rest_framework.response import Response
@api_view(["GET"])
def sources(request):
    return Response({"%s": 1})
@api_view(["GET"])
def own(request):
    return Response({"own": 1})
urlpatterns = [path("sources/", sources), path("own-of-%s/", own)]
"""


def document(title: str, paths: tuple[str, ...]) -> str:
    total = {"type": "integer"}
    schema = {
        "type": "object",
        "properties": {"own": {"type": "string"}, "shop": total, "worker": total},
    }
    answer = {"description": "", "content": {"application/json": {"schema": schema}}}
    operation = {"get": {"responses": {"200": answer}}}
    info = {"title": title, "version": "1"}
    return json.dumps({"openapi": "3.0.3", "info": info, "paths": dict.fromkeys(paths, operation)})


def test_routes_of_each_root_stand_for_the_contract_beside_them(tmp_path: Path) -> None:
    files = {
        "requirements.txt": "django==5.0.6\ndjangorestframework==3.15.1\n",
        "shop/settings.py": SETTINGS,
        "docs/openapi.json": document("shop", ("/sources/", "/own-of-shop/")),
        "worker/openapi.json": document("worker", ("/sources/", "/own-of-worker/", "/gone/")),
    }
    for name in ("shop", "worker"):
        files[f"{name}/__init__.py"] = ""
        files[f"{name}/urls.py"] = URLS % name
        files[f"{name}/api.py"] = API % (name, name)
    for path, text in files.items():
        (tmp_path / path).parent.mkdir(exist_ok=True)
        (tmp_path / path).write_text(text)
    report = scan(tmp_path, cache=False)
    said = [(f.kind, f.operation.path, f.origin.path) for f in report.findings if f.operation]
    assert said == [
        ("type", "/own-of-shop/", "shop/api.py"),
        ("type", "/own-of-worker/", "worker/api.py"),
        ("missing-endpoint", "/gone/", "worker/openapi.json"),
    ]
