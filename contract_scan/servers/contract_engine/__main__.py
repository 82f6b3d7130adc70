"""`python -m contract_scan.servers.contract_engine`."""

import sys

from contract_scan.servers.contract_engine.start import main

if __name__ == "__main__":
    sys.exit(main())
