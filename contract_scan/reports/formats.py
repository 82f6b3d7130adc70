"""The output formats by name. Each is imported when it is asked for."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Literal, TypeAlias, assert_never, get_args

if TYPE_CHECKING:
    from contract_scan.reports.extraction import Extraction
    from contract_scan.reports.report import Report, Setting

Format: TypeAlias = Literal[
    "full",
    "concise",
    "grouped",
    "json",
    "json-lines",
    "sarif",
    "github",
    "gitlab",
    "junit",
    "markdown",
    "html",
    "pylint",
    "azure",
    "rdjson",
]
FORMATS: tuple[Format, ...] = get_args(Format)
FOR_PEOPLE: frozenset[Format] = frozenset({"full", "concise", "grouped"})

Renderer: TypeAlias = "Callable[[Report, Setting], Iterator[str]]"
"""(report, setting) -> pieces of the output in order."""


def renderer(name: Format) -> Renderer:
    """The function that writes a format."""
    match name:
        case "full":
            from contract_scan.reports.text import full

            return full
        case "concise":
            from contract_scan.reports.text import concise

            return concise
        case "grouped":
            from contract_scan.reports.grouped import render as grouped

            return grouped
        case "json":
            from contract_scan.reports.json import render as json

            return json
        case "json-lines":
            from contract_scan.reports.json_lines import render as json_lines

            return json_lines
        case "sarif":
            from contract_scan.reports.sarif import render as sarif

            return sarif
        case "github":
            from contract_scan.reports.github import render as github

            return github
        case "gitlab":
            from contract_scan.reports.gitlab import render as gitlab

            return gitlab
        case "junit":
            from contract_scan.reports.junit import render as junit

            return junit
        case "markdown":
            from contract_scan.reports.markdown import render as markdown

            return markdown
        case "html":
            from contract_scan.reports.html import render as html

            return html
        case "pylint":
            from contract_scan.reports.pylint import render as pylint

            return pylint
        case "azure":
            from contract_scan.reports.azure import render as azure

            return azure
        case "rdjson":
            from contract_scan.reports.rdjson import render as rdjson

            return rdjson
        case _:
            assert_never(name)


ExtractFormat: TypeAlias = Literal["json", "openapi", "asyncapi", "jsonschema"]
EXTRACT_FORMATS: tuple[ExtractFormat, ...] = get_args(ExtractFormat)

ExtractRenderer: TypeAlias = "Callable[[Extraction], Iterator[str]]"


def extract_renderer(name: ExtractFormat) -> ExtractRenderer:
    """The function that writes what code has in a format."""
    match name:
        case "json":
            from contract_scan.reports.extract_json import render as json

            return json
        case "openapi":
            from contract_scan.reports.extract_openapi import render as openapi

            return openapi
        case "asyncapi":
            from contract_scan.reports.extract_asyncapi import render as asyncapi

            return asyncapi
        case "jsonschema":
            from contract_scan.reports.extract_json_schema import render as json_schema

            return json_schema
        case _:
            assert_never(name)
