"""python -m vincolo: the command line."""

from vincolo.cli import main

main()
