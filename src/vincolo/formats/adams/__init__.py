"""Datasets of Adams Solver (.adm)."""

from vincolo.formats.adams.reader import read_adm

__all__ = ["read_adm"]
