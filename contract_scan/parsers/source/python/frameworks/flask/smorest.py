"""flask-smorest: rules and mounts are in `web.flask_app`, decorators in `web.flask_declared`."""

from __future__ import annotations

from contract_scan.parsers.source.language import Framework
from contract_scan.parsers.source.python.frameworks.flask.names import CALLS, MARKERS
from contract_scan.parsers.source.python.frameworks.flask.operations import operations

FRAMEWORK = Framework(name="flask-smorest", markers=MARKERS, calls=CALLS, operations=operations)
