"""The examples as modules and models, as they are when they run as scripts."""

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

import vincolo as vc

FOLDER = Path(__file__).resolve().parents[1] / "examples"
NAMES = [p.stem for p in sorted(FOLDER.glob("*.py")) if "\ndef build(" in p.read_text()]  # those that build a model


def example(name: str) -> ModuleType:
    """An example by its name; what it imports from its folder is not left behind."""
    spec = importlib.util.spec_from_file_location(name, FOLDER / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    sys.path.insert(0, str(FOLDER))
    try:
        spec.loader.exec_module(module)
    finally:
        sys.path.remove(str(FOLDER))
        sys.modules.pop("comparison", None)
    return module


def built(name: str) -> vc.Model:
    """The model of an example."""
    return example(name).build()
