"""Polka: routes as Express has them, answers by Node's own response or `@polka/send`."""

from __future__ import annotations

from functools import partial

from contract_scan.parsers.source.language import Framework
from contract_scan.parsers.source.typescript.frameworks.express.framework import operations
from contract_scan.parsers.source.typescript.frameworks.express.routes import (
    CALLS,
    MIDDLEWARE,
    REQUEST,
    Dialect,
)
from contract_scan.parsers.source.typescript.web.preceding_uses import RequestLibrary
from contract_scan.parsers.source.typescript.web.response_calls import ResponseFunction
from contract_scan.parsers.source.typescript.web.routers import RouterKind

_VERBS = ("get", "post", "put", "patch", "delete", "head", "options", "all")
_APPS = frozenset({"polka", "polka.default"})
_POLKA = Dialect(
    name="Polka",
    requests=RequestLibrary(members=REQUEST, middleware=MIDDLEWARE),
    kind=RouterKind(
        makers=_APPS,
        apps=_APPS,
        types=frozenset({"polka.Polka"}),
        chainable=frozenset({*_VERBS, "use", "add", "listen"}),
        parameters=frozenset({"app", "server"}),
        registers=frozenset({*_VERBS, "use", "add"}),
    ),
    senders=tuple(
        ResponseFunction(f"{module}{default}")
        for module in ("@polka/send", "@polka/send-type")
        for default in ("", ".default")
    ),
)
FRAMEWORK = Framework(
    name=_POLKA.name,
    markers=(b"'polka'", b'"polka"'),
    calls=(*CALLS, b".add(", b"polka("),
    operations=partial(operations, dialect=_POLKA),
)
