"""Files of models: YAML, workbooks, cards, and models of other tools."""

from vincolo.formats.document import Document
from vincolo.formats.files import convert, load_model, open_model, save_model
from vincolo.formats.report import Report

__all__ = ["Document", "Report", "convert", "load_model", "open_model", "save_model"]
