"""States, results and their files."""

from vincolo.results.result import Result
from vincolo.results.state import State

__all__ = ["Result", "State"]
