"""contract-scan: does this code keep the promises that its contracts make?"""

__version__ = "0.1.0"
