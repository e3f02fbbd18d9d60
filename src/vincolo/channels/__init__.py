"""Named series read from states, with their units."""

from vincolo.channels.channels import Channels, Motion, Reaction

__all__ = ["Channels", "Motion", "Reaction"]
