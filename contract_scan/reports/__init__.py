"""One file per output format; reports only draw."""
