"""The command line."""


def main() -> None:
    """Runs the command `vincolo`."""
    from vincolo.cli.app import app

    app()
