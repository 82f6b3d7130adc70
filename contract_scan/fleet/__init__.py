"""Many repositories compared as one: where they are, who reads them, and one report of all."""
