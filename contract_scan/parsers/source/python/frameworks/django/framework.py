"""Django: paths are read in `web.django_urls`, views in `web.drf_views`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from contract_scan.ir.operation import Operation
from contract_scan.parsers.source.language import Framework
from contract_scan.parsers.source.python.frameworks.django import operations as django_operations
from contract_scan.parsers.source.python.frameworks.django.urls import MARKERS

if TYPE_CHECKING:
    from contract_scan.parsers.source.analysis.domain.program import Program


def operations(program: Program, framework: Framework) -> Iterator[Operation]:
    """Every route that a URL configuration leads to."""
    yield from django_operations.operations(program, framework.name)


FRAMEWORK = Framework(
    name=django_operations.PLAIN,
    markers=MARKERS,
    calls=(b"urlpatterns", b".register("),
    operations=operations,
)
