"""Files of models: YAML, workbooks, cards, and models of other tools."""

from vincolo.formats.document import Document, RunSettings
from vincolo.formats.files import convert, load_model, open_model, save_model
from vincolo.formats.report import FileError, FileErrors, FileWarning, Report

__all__ = ["Document", "FileError", "FileErrors", "FileWarning", "Report", "RunSettings", "convert", "load_model",
           "open_model", "save_model"]
