"""Flask-Classful: mounts are in `web.flask_app`, rules of classes in `web.flask_classful`."""

from __future__ import annotations

from contract_scan.parsers.source.language import Framework
from contract_scan.parsers.source.python.frameworks.flask.names import CALLS, MARKERS
from contract_scan.parsers.source.python.frameworks.flask.operations import operations

FRAMEWORK = Framework(name="Flask-Classful", markers=MARKERS, calls=CALLS, operations=operations)
