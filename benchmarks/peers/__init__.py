"""Adapters of other engines, each at the best settings found for it."""
