"""The command line: one file per verb. Reads options, calls the library, draws reports."""
