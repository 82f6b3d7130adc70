"""`python -m contract_scan.servers.contract_engine`."""

import sys

from contract_scan.import_path import leave_out_working_directory

if __name__ == "__main__":
    leave_out_working_directory()
    from contract_scan.servers.contract_engine.start import main

    sys.exit(main())
