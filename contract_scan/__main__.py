"""`python -m contract_scan`, and the console script `contract-scan`.

Imports hardly anything on its own: an interrupt while the command itself is imported ends as any
other does, without a traceback.
"""

import sys

from contract_scan.import_path import leave_out_working_directory


def program() -> None:
    """Run the command and leave with its exit status: 130 where it is interrupted, also early."""
    try:
        from contract_scan.cli.main import program as command

        command()
    except KeyboardInterrupt:  # before there is anything that could say so
        sys.exit(130)


if __name__ == "__main__":
    leave_out_working_directory()
    program()
