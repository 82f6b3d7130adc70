"""`python -m contract_scan`."""

import sys

try:
    from contract_scan.cli.main import program

    program()
except KeyboardInterrupt:  # before there is anything that could say so
    sys.exit(130)
