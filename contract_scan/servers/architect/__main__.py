"""`python -m contract_scan.servers.architect`."""

import sys

from contract_scan.servers.architect.start import main

if __name__ == "__main__":
    sys.exit(main())
