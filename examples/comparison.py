"""A computed number beside its reference, on one line."""


def compare(what: str, value: float, reference: float, unit: str = "") -> float:
    """Prints the value, the reference and their difference; returns the value."""
    print(f"{what:<46}{value:16.9f}  reference {reference:16.9f} {unit:<6} difference {value - reference:9.1e}")
    return float(value)
