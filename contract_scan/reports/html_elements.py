"""Elements of a page. Whatever is put into one is text and stays text, unless it is an element."""

from __future__ import annotations

from html import escape
from typing import TypeAlias

from msgspec import Struct

from contract_scan.reports.display import display

_VOID = frozenset({"meta", "input", "br"})


class Element(Struct, frozen=True):
    """A finished piece of the page."""

    html: str


Child: TypeAlias = "Element | str | int | None"


def element(tag: str, /, *children: Child, **attributes: str | int | bool | None) -> Element:
    """An element with its children. Attributes that are None or False are left out; `class_` and
    `data_x` stand for `class` and `data-x`."""
    opened = [tag]
    for key, value in attributes.items():
        if value is None or value is False:
            continue
        written = key.rstrip("_").replace("_", "-")
        opened.append(written if value is True else f'{written}="{text(str(value))}"')
    start = f"<{' '.join(opened)}>"
    return Element(start if tag in _VOID else f"{start}{join(*children).html}</{tag}>")


def join(*children: Child) -> Element:
    """Several pieces, one behind the other."""
    return Element(
        "".join(
            child.html if isinstance(child, Element) else text(str(child))
            for child in children
            if child is not None
        )
    )


def message_element(message: str) -> Element:
    """A message, with what it quotes in backticks as code."""
    parts = message.split("`")
    if len(parts) % 2 == 0:
        return join(message)
    return join(*(element("code", p) if i % 2 else p for i, p in enumerate(parts)))


def raw(text_of_ours: str) -> Element:
    """Text of contract-scan itself, such as its style sheet; never anything that was read."""
    return Element(text_of_ours)


def text(foreign: str) -> str:
    """Text as it may stand in an element or in an attribute."""
    return escape(display(foreign), quote=True)
