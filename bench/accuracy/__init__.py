"""How often the scanner is right on real code: `python -m bench.accuracy CORPORA_DIR`."""
