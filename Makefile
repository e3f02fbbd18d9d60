# Every target works alone in a fresh clone: it makes .venv, builds and installs vincolo, and does its job.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
KERNEL := $(wildcard core/*.hpp core/*.cpp core/*/*.hpp core/*/*.cpp) CMakeLists.txt pyproject.toml
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check --no-compile

# Libraries are compiled once and not at every start of Python: a test run starts several hundred.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: demo test programs bytecode test-slow test-pythons bench bench-short docs lint debug sanitize clean

demo: $(VENV)/.installed
	$(BIN)/python examples/slider_crank.py

test: $(VENV)/.lint $(VENV)/.test $(VENV)/.all
	$(MAKE) --jobs 2 --output-sync=target lint programs bytecode
	$(BIN)/python -m pytest -n 3 --dist worksteal -m "not slow"

programs: $(VENV)/.all
	$(BIN)/python tests/kernel/run.py

# modules that are imported for the first time are compiled by one process before several need them; what fails here fails again in
# the tests, where it is told
bytecode: $(VENV)/.test $(VENV)/.all
	-$(BIN)/python -m pytest --collect-only -qq -m "not slow" > /dev/null

test-slow: $(VENV)/.test $(VENV)/.all
	$(BIN)/python -m pytest -n 3 --dist worksteal -m slow

# on every supported Python that is here, Debian's or uv's, each with the newest libraries
test-pythons:
	$(PYTHON) tests/pythons.py -n 2 -m "not slow"

bench: $(VENV)/.bench $(VENV)/.installed
	$(BIN)/python benchmarks/import_time.py
	$(BIN)/python benchmarks/first_step.py
	$(BIN)/python benchmarks/growth.py
	$(BIN)/python benchmarks/robots.py
	$(BIN)/python benchmarks/formula_cost.py
	$(BIN)/python benchmarks/analyses_speed.py
	$(BIN)/python benchmarks/workbook_speed.py
	$(BIN)/python benchmarks/as_asked.py
	$(BIN)/python benchmarks/bench.py
	$(BIN)/python benchmarks/compare.py
	$(BIN)/python benchmarks/tables.py

# what the tables of benchmarks/README.md need, with coarser searches
bench-short: $(VENV)/.bench $(VENV)/.installed
	$(BIN)/python benchmarks/first_step.py
	$(BIN)/python benchmarks/growth.py --quick
	$(BIN)/python benchmarks/robots.py --quick
	$(BIN)/python benchmarks/analyses_speed.py
	$(BIN)/python benchmarks/as_asked.py
	$(BIN)/python benchmarks/bench.py --quick
	$(BIN)/python benchmarks/tables.py

# the site of the documents in build/site/html; a warning of Sphinx is an error
docs: $(VENV)/.docs $(VENV)/.installed
	$(BIN)/python docs/site/make.py

lint: $(VENV)/.lint
	$(BIN)/ruff check .
	$(BIN)/python tests/layers.py
	$(BIN)/python tests/budgets.py
	$(BIN)/mypy

# The laws and oracles on kernels that check themselves, each built in a folder of its own: with the asserts of Eigen and of
# the standard library; under the sanitizers of addresses and undefined behaviour, and of threads.
debug: $(VENV)/.test
	$(BIN)/python tests/checked.py asserts

sanitize: $(VENV)/.test
	$(BIN)/python tests/checked.py address
	$(BIN)/python tests/checked.py thread

$(VENV)/bin/python:
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "vincolo needs Python 3.11 or newer")'
	$(PYTHON) -m venv $(VENV)

# The requirements of pyproject.toml in the lists that are named
REQUIREMENTS = import sys, tomllib; file = tomllib.load(open("pyproject.toml", "rb")); project = file["project"]; \
	lists = {"build": file["build-system"]["requires"], "run": project["dependencies"], **project["optional-dependencies"]}; \
	print(*(need for name in sys.argv[1:] for need in lists[name]))

# what building needs; CMake and Ninja come along where the machine has none
BUILDERS = from scikit_build_core.build import get_requires_for_build_editable as needs; print(*needs())

$(VENV)/.builders: $(VENV)/bin/python pyproject.toml
	needs=$$($(BIN)/python -c '$(REQUIREMENTS)' build) && $(PIP) $$needs
	builders=$$($(BIN)/python -c '$(BUILDERS)') && test -z "$$builders" || $(PIP) $$builders
	@touch $@

# what running needs
NEEDS = needs=$$($(BIN)/python -c '$(REQUIREMENTS)' run) && $(PIP) $$needs && touch $(VENV)/.needs

$(VENV)/.needs: $(VENV)/.builders
	$(NEEDS)

# Without isolation the paths stay the same, so that only what has changed is compiled. What running needs comes meanwhile,
# unless it is there.
define INSTALL
	test $(VENV)/.needs -nt $(VENV)/.builders || { $(NEEDS); } & beside=$$!; \
	$(PIP) --no-build-isolation --no-deps -e . --config-settings cmake.define.VINCOLO_INSTRUCTIONS=$(1); \
	built=$$?; wait $$beside && exit $$built
	@touch $@
endef

# the kernel for this processor alone
$(VENV)/.installed: $(VENV)/.builders $(KERNEL)
	$(call INSTALL,native)

# the kernels for all processors, as they are given away: the tests compare them
$(VENV)/.all: $(VENV)/.builders $(KERNEL)
	$(call INSTALL,all)
	@touch $(VENV)/.installed

$(VENV)/.test $(VENV)/.lint $(VENV)/.bench $(VENV)/.docs: $(VENV)/.%: $(VENV)/.needs
	needs=$$($(BIN)/python -c '$(REQUIREMENTS)' $*) && $(PIP) $$needs
	@touch $@

clean:
	rm -rf $(VENV) .pythons build
