"""Content types as annotations write them."""

from __future__ import annotations

from contract_scan.ir.media_type import media_type_essence
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import Scope
from contract_scan.parsers.source.facts.nodes import Attribute, Call, Expr
from contract_scan.parsers.source.java.resolution.annotations import constant_name, items

JSON = "application/json"
EVENT_STREAM = "text/event-stream"
_KINDS = frozenset({"application", "text", "image", "audio", "video", "multipart"})
_BY_TYPE = {
    **dict.fromkeys(
        (
            *("Resource", "InputStreamResource", "ByteArrayResource", "FileSystemResource"),
            *("UrlResource", "StreamingResponseBody", "StreamingOutput", "InputStream", "File"),
            *("DataBuffer", "byte[]"),
        ),
        "application/octet-stream",
    ),
    **dict.fromkeys(("SseEmitter", "ServerSentEvent", "ResponseBodyEmitter"), EVENT_STREAM),
}
"""Types that are sent in a content type of their own, unless another is declared."""
_CONSTANTS = {
    "application_form_urlencoded": "application/x-www-form-urlencoded",
    **dict.fromkeys(("hal_json", "application_hal_json"), "application/hal+json"),
    **dict.fromkeys(("hal_forms_json", "hal_form_json"), "application/prs.hal-forms+json"),
    **dict.fromkeys(("server_sent_events", "event_stream"), EVENT_STREAM),
    "vnd_error_json": "application/vnd.error+json",
    **{
        f"application_{kind}_{ending}": f"application/{kind.replace('_', '-')}+{ending}"
        for ending, kinds in (
            ("json", ("problem", "stream", "json_patch", "merge_patch", "collection")),
            ("xml", ("problem", "atom", "svg", "rss", "xhtml", "soap")),
        )
        for kind in kinds
    },
    "application_json_patch": "application/json-patch+json",
}
"""Constants of libraries that are not called after the content type word by word."""


def content_type_of_value(name: str, declared: str) -> str:
    """The content type in which a value of a type is sent; `declared` is JSON where nothing is."""
    return _BY_TYPE.get(name, declared) if declared == JSON else declared


def media_type(program: Program, expr: Expr | None, scope: Scope) -> str:
    """The content type of an element that may list several: the JSON one where there is one; empty
    where nothing is given."""
    texts = [_media_type(program, item, scope) for item in items(expr)]
    if not texts:
        return ""
    return next((text for text in texts if "json" in text), texts[0])


def stated_media_type(program: Program, expr: Expr, scope: Scope) -> str:
    """The content type that a builder of a response is given: a text, a constant that is called
    after one, or a text that is parsed; empty where it is undetermined."""
    match expr:
        case Call(callee=Attribute(name="parseMediaType" | "valueOf"), args=(first, *_)):
            text = program.text(first.value, scope)
        case _:
            text = program.text(expr, scope)
    if text is not None:
        return media_type_essence(text)
    name = constant_name(expr)
    kind = name.partition("_")[0].lower()
    told = _media_type(program, expr, scope) if name.isupper() and kind in _KINDS else ""
    return told if told.startswith(f"{kind}/") else ""


def _media_type(program: Program, item: Expr, scope: Scope) -> str:
    text = program.text(item, scope)
    if text is not None:
        return text
    # Constants of a library: `MediaType.APPLICATION_JSON_VALUE`, `TEXT_PLAIN`.
    plain = (
        constant_name(item)
        .removesuffix("_VALUE")
        .removesuffix("_TYPE")
        .removesuffix("_UTF8")
        .lower()
    )
    if plain in _CONSTANTS:
        return _CONSTANTS[plain]
    kind, _, subtype = plain.partition("_")
    return f"{kind}/{subtype.replace('_', '-')}" if subtype else JSON
