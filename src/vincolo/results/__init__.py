"""The records of runs, and their files."""

from vincolo.results.result import Result

__all__ = ["Result"]
