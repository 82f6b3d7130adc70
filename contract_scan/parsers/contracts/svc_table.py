"""The `SVC-xxx` table of a REQUIREMENTS.md -> operations.

Three layouts are in use: with an endpoint and a method, with a client's method before them, and one
that names a tool instead of an endpoint. The header row says which column is which; a row that
names no HTTP endpoint makes no operation, and one that names an endpoint of which the method is not
understood is a problem.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from re import IGNORECASE
from re import compile as regex

from msgspec import Struct

from contract_scan.ir.document import ContractDocument, NotAnalysed
from contract_scan.ir.operation import Body, Operation, Parameter, Response
from contract_scan.ir.origin import Origin, Span
from contract_scan.ir.schema import Object, Schema
from contract_scan.parsers.contracts.located_tree import shortened_text
from contract_scan.parsers.contracts.svc_types import read_type

_IDENTIFIER = regex(r"SVC-\d+[a-z]?", IGNORECASE)
_METHOD = regex(r"GET|PUT|POST|DELETE|PATCH|HEAD|OPTIONS|TRACE", IGNORECASE)
_SEVERAL = regex(r"/|\||,|\bor\b|\band\b", IGNORECASE)
_OTHER_PROTOCOLS = frozenset({"ws", "wss", "websocket", "grpc", "event", "mcp", "graphql"})
_HOST = regex(r"(?:https?|wss?)://[^/\s]+", IGNORECASE)
_PATH = regex(
    r"(?:(?<![A-Za-z])(?P<method>[A-Za-z]++)\s++)?"
    r"(?:(?P<absolute>/\S*+)|(?<![\w.-])(?>(?:(?![A-Za-z])[\w.-])*)(?P<relative>[A-Za-z][\w.-]*+/\S*+))"
)
_STATUS = regex(
    r"(?P<status>[1-5]\d\d)\b\s*(?:OK|Created|Accepted|No Content)?\s*[:–—-]?\s*(?P<body>.*)",
    IGNORECASE,
)
_NOTE = regex(r"(?<!\s)\s++\((?:HTTP )?(?P<status>[1-5]\d\d)(?:\s[A-Za-z ]++)?\)$", IGNORECASE)
_WITHOUT_BODY = frozenset({"GET", "HEAD", "DELETE", "OPTIONS", "TRACE"})
_PARAMETER = regex(r"\{([^{}/]++)\}|:([A-Za-z_]\w*)")
_LINE_END = regex(r"\r\n|\n|\r")
_NOTHING = frozenset({"", "-", "–", "—", "n/a", "na", "none", "void", "no body", "empty", "{}"})

_COLUMNS: dict[str, tuple[str, ...]] = {
    "id": ("svc-id", "svc id", "svc", "id", "contract id", "#"),
    "endpoint": ("endpoint", "path", "route", "url", "api endpoint", "backend endpoint", "uri"),
    "method": ("http method", "method", "verb", "http verb", "http"),
    "request": ("request dto", "request", "request body", "input", "request schema", "input dto"),
    "response": (
        "response dto",
        "response",
        "response body",
        "output",
        "response schema",
        "output dto",
        "returns",
    ),
}


class Row(Struct, frozen=True):
    """One row, its cells by what their columns mean."""

    identifier: str
    cells: dict[str, str]
    line: int


class RowReading(Struct, frozen=True):
    """What one row of a table of endpoints says."""

    identifier: str
    """`SVC-001`; empty where no cell holds one."""
    operations: tuple[Operation, ...]
    problem: str
    """Why there is no operation; empty where there is one, and where it is of no HTTP."""
    cells: dict[str, str]
    """The cells by what their columns mean: `endpoint`, `method`, `request`, `response`, `id`."""


def read_row(
    headings: Sequence[str], cells: Sequence[str], line: int, known: Collection[str] = ()
) -> RowReading | None:
    """One row of any table with a column of endpoints, whether or not it has one of identifiers.
    Names of `known` types become references. None where no column is of endpoints."""
    columns = [_column(heading) for heading in headings]
    if "endpoint" not in columns:
        return None
    named: dict[str, str] = {}
    for meaning, cell in zip(columns, cells, strict=False):
        if meaning:
            named.setdefault(meaning, _without_markup(cell))
    identifier = _IDENTIFIER.fullmatch(named.get("id", ""))
    row = Row(identifier[0].upper() if identifier else "", named, line)
    operations = tuple(_operations(row, "", Span(line, 1, line, 1), known))
    problem = "" if operations else _why_none(row)
    return RowReading(row.identifier, operations, problem, named)


def has_svc_table(text: str) -> bool:
    """Whether a Markdown text holds at least one row of an SVC table."""
    return _IDENTIFIER.search(text) is not None and any(True for _ in svc_rows(text))


def read_svc_table(text: str, path: str) -> ContractDocument:
    """Lower the tables of one Markdown text."""
    lines = _LINE_END.split(text)
    operations: list[Operation] = []
    problems: list[NotAnalysed] = []
    for row in svc_rows(text):
        made = list(_operations(row, path, _span(lines, row.line)))
        operations += made
        if not made and (reason := _why_none(row)):
            problems.append(NotAnalysed(path=path, reason=reason, line=row.line, fatal=False))
    return ContractDocument(
        path=path,
        kind="svc-table",
        operations=tuple(operations),
        problems=tuple(problems),
        http=bool(operations),
    )


def svc_rows(text: str) -> Iterator[Row]:
    """Every row whose first column names an `SVC-…`; code blocks and comments do not count."""
    from markdown_it import MarkdownIt  # takes long to import, and most projects have no table

    columns: list[str] = []
    cells: list[str] = []
    line = 0
    in_head = False
    # Blocks are all that is needed: what stands inside a cell is read as a type, not as Markdown.
    for token in MarkdownIt("commonmark").enable("table").disable("inline").parse(text):
        match token.type:
            case "thead_open":
                in_head = True
            case "thead_close":
                in_head = False
            case "tr_open":
                cells, line = [], token.map[0] + 1 if token.map else 0
            case "inline" if token.level > 0:
                cells.append(token.content)
            case "tr_close" if in_head:
                columns = [_column(cell) for cell in cells]
            case "tr_close":
                row = _row(columns, cells, line)
                if row is not None:
                    yield row
            case _:
                pass


def _column(heading: str) -> str:
    """What a column means; empty for one that is not read."""
    plain = " ".join(heading.replace("`", "").replace("*", "").lower().split())
    for meaning, names in _COLUMNS.items():
        if plain in names:
            return meaning
    return ""


def _row(columns: list[str], cells: list[str], line: int) -> Row | None:
    if "id" not in columns:
        return None
    named: dict[str, str] = {}
    for meaning, cell in zip(columns, cells, strict=False):
        if meaning:
            named.setdefault(meaning, _without_markup(cell))
    identifier = _IDENTIFIER.fullmatch(named.get("id", ""))
    return Row(identifier[0].upper(), named, line) if identifier else None


def _without_markup(cell: str) -> str:
    """A cell without the marks of code and emphasis around it."""
    return cell.replace("`", "").replace("**", "").strip()


def _span(lines: list[str], line: int) -> Span:
    text = lines[line - 1] if 0 < line <= len(lines) else ""
    start = len(text) - len(text.lstrip()) + 1
    return Span(line, start, line, len(text.rstrip()) + 1)


def _operations(
    row: Row, path: str, span: Span, known: Collection[str] = ()
) -> Iterator[Operation]:
    """The operations of a row, one for each method; none where it names no HTTP endpoint."""
    endpoint = _endpoint(row)
    if endpoint is None:
        return
    for verb in map(str.strip, _SEVERAL.split(_verb(row))):
        if _METHOD.fullmatch(verb):
            origin = Origin(path, span, f"/{row.identifier}")
            yield _operation(row, verb.upper(), endpoint[1], origin, known)


def _endpoint(row: Row) -> tuple[str, str] | None:
    """The method and the path that the cell of the endpoint names."""
    cell = _HOST.sub("", row.cells.get("endpoint", ""))
    found = _PATH.search(cell)
    if found is None or cell.strip().lower().startswith("n/a"):
        return None
    verb = found["method"] or ""
    if found["absolute"]:
        return verb, found["absolute"]
    # Names of tools and topics hold slashes too.
    has_method = _METHOD.fullmatch(row.cells.get("method", "") or verb)
    return (verb, f"/{found['relative']}") if has_method else None


def _verb(row: Row) -> str:
    """What the row names as the method, in a column of its own or before the path."""
    endpoint = _endpoint(row)
    return row.cells.get("method", "") or (endpoint[0] if endpoint is not None else "")


def _why_none(row: Row) -> str:
    """Why a row that names an endpoint makes no operation; empty where it is of no HTTP."""
    if _endpoint(row) is None:
        return ""
    verb = _verb(row)
    if verb.lower() in _OTHER_PROTOCOLS:
        return ""
    said = (
        f"the method `{shortened_text(verb)}` is not understood" if verb else "it names no method"
    )
    return f"{row.identifier} is not compared: {said}"


def _operation(row: Row, verb: str, path: str, origin: Origin, known: Collection[str]) -> Operation:
    template = _template(path)
    request = _shape(row.cells.get("request", ""), origin, known)
    status, returned = _status_and_body(row.cells.get("response", ""))
    response = _shape(returned, origin, known)
    parameters, bodies = _request(verb, template, request, origin)
    return Operation(
        method=verb,
        path=template,
        parameters=parameters,
        request=bodies,
        responses=(
            Response(
                status=status,
                bodies=(Body(schema=response, origin=origin),) if response is not None else (),
                origin=origin,
            ),
        ),
        origin=origin,
        operation_id=row.identifier,
        document=origin.path,
    )


def _status_and_body(cell: str) -> tuple[str, str]:
    """The status of `201 { id: string }` or `{ id: string } (201)`, and the rest."""
    if found := _STATUS.fullmatch(cell):
        return found["status"], found["body"]
    if found := _NOTE.search(cell):
        return found["status"], cell[: found.start()]
    return "2XX", cell


def _template(path: str) -> str:
    """`/orders/:id?page=1` -> `/orders/{id}`."""
    path = path.partition("?")[0].rstrip(",;.")
    return _PARAMETER.sub(lambda found: "{" + (found[1] or found[2]) + "}", path)


def _shape(cell: str, origin: Origin, known: Collection[str]) -> Schema | None:
    if cell.lower() in _NOTHING or cell.lower().startswith("n/a"):
        return None
    return read_type(cell, origin, known)


def _request(
    method: str, template: str, request: Schema | None, origin: Origin
) -> tuple[tuple[Parameter, ...], tuple[Body, ...]]:
    """A table has one cell for everything that is sent: parameters and body are told apart."""
    if not isinstance(request, Object):
        body = () if request is None or method in _WITHOUT_BODY else (request,)
        return (), tuple(Body(schema=schema, required=True, origin=origin) for schema in body)
    in_path = {found[1] for found in _PARAMETER.finditer(template)}
    parameters = [
        Parameter(
            name=field.name,
            location="path",
            schema=field.schema,
            required=True,
            origin=origin,
        )
        for field in request.fields
        if field.name in in_path
    ]
    rest = tuple(field for field in request.fields if field.name not in in_path)
    if method in _WITHOUT_BODY:
        parameters += [
            Parameter(
                name=field.name,
                location="query",
                schema=field.schema,
                required=field.required,
                origin=origin,
            )
            for field in rest
        ]
        return tuple(parameters), ()
    if not rest and not request.incomplete_reason and request.fields:
        return tuple(parameters), ()
    body_schema = Object(
        fields=rest,
        additional=request.additional,
        incomplete_reason=request.incomplete_reason,
        name=request.name,
        origin=origin,
    )
    return tuple(parameters), (Body(schema=body_schema, required=True, origin=origin),)
