"""`python -m contract_scan`."""

import sys

from contract_scan.cli.main import main

sys.exit(main())
