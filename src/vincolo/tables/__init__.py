"""Series of results in files: written for other programs, read back as tables, and a run as a folder."""

from vincolo.tables.folder import load_folder, save_folder
from vincolo.tables.results_sheet import add_results
from vincolo.tables.table import Table
from vincolo.tables.table_files import read_table

__all__ = ["Table", "add_results", "load_folder", "read_table", "save_folder"]
