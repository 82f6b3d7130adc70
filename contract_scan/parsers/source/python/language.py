"""Python, as the engine sees it."""

from __future__ import annotations

import re

from contract_scan.parsers.source.facts import FileFacts
from contract_scan.parsers.source.language import Language
from contract_scan.parsers.source.python import lower as lowering
from contract_scan.parsers.source.python.frameworks import FRAMEWORKS
from contract_scan.parsers.source.python.intrinsics import COMMON
from contract_scan.parsers.source.python.models import class_schema, made_schema
from contract_scan.parsers.source.python.models.drf import data_of
from contract_scan.parsers.source.python.modules import find_module, implicit
from contract_scan.parsers.source.python.types import CONTAINERS, TRANSPARENT, library_type
from contract_scan.parsers.source.python.web import drf_views
from contract_scan.parsers.source.python.web.django_urls import urls_of

DEFINITIONS = (
    rb"(?m)\bclass[ \t]+([A-Za-z_\x80-\xff][\w\x80-\xff]*)"
    rb"|^[ \t]*type[ \t]+([A-Za-z_\x80-\xff][\w\x80-\xff]*)[ \t]*[=\[]"
    rb"|^([A-Z][\w\x80-\xff]*)[ \t]*(?::[^=\n]*)?=[ \t]*(?=[\w\"'(\[])"
)
"""Classes, type statements, and capitalised names that are assigned: aliases, made classes."""

_CALLS = sorted({call for framework in FRAMEWORKS for call in framework.calls})
_MARKERS = re.compile(b"|".join(re.escape(call) for call in _CALLS)) if _CALLS else None


def lower(content: bytes, path: str) -> FileFacts:
    """The facts of one file; bodies that may mount or publish something are lowered with it."""
    return lowering.lower(content, path, _MARKERS)


INTRINSICS = {
    **COMMON,
    ".get_serializer": drf_views.get_serializer,
    ".get_serializer_class": drf_views.get_serializer_class,
    ".paginate_queryset": drf_views.paginate_queryset,
    ".get_paginated_response": drf_views.get_paginated_response,
}

LANGUAGE = Language(
    name="python",
    suffixes=(".py",),
    lower=lower,
    lower_body=lowering.lower_body,
    definitions=DEFINITIONS,
    find_module=find_module,
    implicit=implicit,
    library_type=library_type,
    class_schema=class_schema,
    transparent=TRANSPARENT,
    containers=CONTAINERS,
    intrinsics=INTRINSICS,
    frameworks=FRAMEWORKS,
    made_schema=made_schema,
    properties={"data": data_of, "urls": urls_of},
)
