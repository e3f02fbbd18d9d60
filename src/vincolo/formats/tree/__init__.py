"""Models as trees of plain data: what YAML files and workbooks have in common."""
