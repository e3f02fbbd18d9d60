"""Equations of motion as expressions, and programs that solve them."""
