"""How the cost of a scan grows with code and contracts that are made to be expensive."""
