"""Models in files of vincolo's own YAML: readable, complete to the last bit, and easy to write by hand."""
