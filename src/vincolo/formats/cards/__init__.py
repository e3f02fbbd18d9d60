"""NumDyn3D cards (Vita): a folder of .s3d files, read into a model with its settings, and written from one."""

from vincolo.formats.cards.reader import Cards, read_cards
from vincolo.formats.cards.report import CardError, CardWarning, Report
from vincolo.formats.cards.settings import Settings
from vincolo.formats.cards.writer import write_cards

__all__ = ["CardError", "CardWarning", "Cards", "Report", "Settings", "read_cards", "write_cards"]
