"""`python -m contract_scan.servers.codebase_intelligence`."""

import sys

from contract_scan.servers.codebase_intelligence.start import main

if __name__ == "__main__":
    sys.exit(main())
