"""Cards of NumDyn3D (Vita): folders of .s3d files, read and written."""

from vincolo.formats.cards.place import CardError
from vincolo.formats.cards.reader import read_cards
from vincolo.formats.cards.writer import write_cards

__all__ = ["CardError", "read_cards", "write_cards"]
