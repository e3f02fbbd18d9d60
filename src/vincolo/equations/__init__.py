"""The definitions: every measure, joint and function of time as its equation in one line."""
