# Every target works alone in a fresh clone: it makes .venv, builds and installs vincolo, and does its job.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
KERNEL := $(wildcard core/*.hpp core/*.cpp core/*/*.hpp core/*/*.cpp) CMakeLists.txt pyproject.toml

.PHONY: demo test test-slow test-pythons bench lint clean

demo: $(VENV)/.installed
	$(BIN)/python examples/slider_crank.py

test: lint $(VENV)/.test
	$(BIN)/python -m pytest -n 2 -m "not slow"

test-slow: $(VENV)/.test
	$(BIN)/python -m pytest -n 2

# on every supported Python that is here, Debian's or uv's, each with the newest libraries
test-pythons:
	$(PYTHON) tests/pythons.py -n 2 -m "not slow"

bench: $(VENV)/.bench
	$(BIN)/python benchmarks/import_time.py
	$(BIN)/python benchmarks/growth.py
	$(BIN)/python benchmarks/formula_cost.py
	$(BIN)/python benchmarks/analyses_speed.py
	$(BIN)/python benchmarks/workbook_speed.py
	$(BIN)/python benchmarks/bench.py

lint: $(VENV)/.lint
	$(BIN)/ruff check .
	$(BIN)/python tests/layers.py
	$(BIN)/mypy

$(VENV)/bin/python:
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "vincolo needs Python 3.11 or newer")'
	$(PYTHON) -m venv $(VENV)

$(VENV)/.installed: $(VENV)/bin/python $(KERNEL)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e .
	@touch $@

# only the requirements of an extra, so that the kernel is not built again
EXTRA = import subprocess, sys, tomllib; \
	needs = tomllib.load(open("pyproject.toml", "rb"))["project"]["optional-dependencies"]["$*"]; \
	sys.exit(subprocess.call([sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", *needs]))

$(VENV)/.test $(VENV)/.lint $(VENV)/.bench: $(VENV)/.%: $(VENV)/.installed
	$(BIN)/python -c '$(EXTRA)'
	@touch $@

clean:
	rm -rf $(VENV) .pythons build
