"""Datasets of Adams Solver (.adm) and command files of Adams View (.cmd)."""

from vincolo.formats.adams.reader import read_adm, read_cmd

__all__ = ["read_adm", "read_cmd"]
