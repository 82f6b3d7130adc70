"""One of our own servers, which writes down its process, and does not start while it is `down`.

`python own_server.py MODULE FOLDER`: FOLDER gets the file `process`; a file `down` in it keeps the
server from starting.
"""

import os
import runpy
import sys
from pathlib import Path

module, folder = sys.argv[1], Path(sys.argv[2])
if (folder / "down").exists():
    sys.exit("the server is down")
(folder / "process").write_text(str(os.getpid()))
sys.argv = [module]
sys.path[0] = str(Path(__file__).parents[4])
runpy.run_module(module, run_name="__main__")
