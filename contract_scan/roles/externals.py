"""What the web researcher hands in: quotations of pages, as candidates and nothing more."""

from __future__ import annotations

from collections.abc import Collection
from typing import Literal
from urllib.parse import urlsplit

import msgspec
from msgspec import Struct

from contract_scan.roles.key_lines import ArtifactError, read_keys


class Locator(Struct, frozen=True):
    """Where on a page a quotation stands."""

    type: Literal["heading", "anchor", "line_range", "offset"]
    value: str


class Excerpt(Struct, frozen=True):
    """A quotation of a page."""

    url: str
    locator: Locator
    fetched_at: str
    excerpt: str
    why_relevant: str
    risk_flags: tuple[str, ...] = ()


class ExternalsPack(Struct, frozen=True):
    """All that was found."""

    schema_version: Literal["ctcp-find-web-v1"]
    results: tuple[Excerpt, ...]


def read_externals(raw: bytes, path: str, domains: Collection[str]) -> ExternalsPack:
    """A pack. Raises ArtifactError where it is no JSON of that form, or quotes a page of a domain
    that is not allowed. Nothing is fetched."""
    try:
        pack = msgspec.json.decode(raw, type=ExternalsPack)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise ArtifactError(f"is no pack of externals: {error}", path) from None
    for result in pack.results:
        if not _is_allowed(result.url, domains):
            raise ArtifactError(f"quotes {result.url!r:.80}, which is not allowed", path)
    return pack


def allowed_domains(guardrails: str) -> tuple[str, ...]:
    """The domains that the web researcher may look at; none: there is no such role in the run."""
    found = read_keys(guardrails, {"find-mode", "allow-domains"})
    mode = found.get("find-mode")
    domains = found.get("allow-domains")
    if mode is None or mode.text != "resolver_plus_web" or domains is None:
        return ()
    return domains.values


def _is_allowed(url: str, domains: Collection[str]) -> bool:
    try:
        parts = urlsplit(url)
        host = parts.hostname or ""
    except ValueError:
        return False
    return parts.scheme in ("http", "https") and any(
        host == domain or host.endswith(f".{domain}") for domain in domains
    )
