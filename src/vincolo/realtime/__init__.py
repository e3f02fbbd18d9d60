"""The same kernel outside Python: tables, projects in C, FMUs, and runs in real time."""
