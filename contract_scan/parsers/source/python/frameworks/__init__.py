"""The libraries whose routes and events are read, one file each."""

from __future__ import annotations

from contract_scan.parsers.source.language import Framework
from contract_scan.parsers.source.python.frameworks import (
    apiflask,
    django,
    drf,
    fastapi,
    flask,
    flask_apispec,
    flask_restful,
    flask_restx,
    flask_smorest,
)

FRAMEWORKS: tuple[Framework, ...] = (
    fastapi.FRAMEWORK,
    flask.FRAMEWORK,
    flask_apispec.FRAMEWORK,
    flask_restful.FRAMEWORK,
    flask_restx.FRAMEWORK,
    flask_smorest.FRAMEWORK,
    apiflask.FRAMEWORK,
    django.FRAMEWORK,
    drf.FRAMEWORK,
)
"""Every framework that is read."""
