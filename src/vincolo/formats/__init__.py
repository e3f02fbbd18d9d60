"""Files of models: vincolo's own YAML."""

from vincolo.formats.yaml_model import load_model, save_model

__all__ = ["load_model", "save_model"]
