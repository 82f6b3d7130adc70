"""`python -m contract_scan`."""

from contract_scan.cli.main import program

program()
