# Every target does its own set-up: a virtual environment in .venv, with the versions of constraints.txt.
PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
READY  := $(VENV)/ready
LIBRARIES := $(VENV)/libraries
SHELL  := /bin/bash

.PHONY: demo test test-integrations lint types suite bench docs system mutants wheel audit fuzz clean

demo: $(READY)
	$(BIN)/doxel demo --out doxel-demo

# the type checker uses one core and runs in parallel with the tests
test: lint
	@$(MAKE) --no-print-directory --jobs 2 types suite

lint: $(READY)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: $(READY)
	$(BIN)/mypy

# Package and tests are compiled first, or every process would compile them again.  Four processes, because
# tests of pages wait for the browser, and those of commands for other processes.  One thread of Polars and of
# NumPy each, because passing small tables to threads takes longer than computing them, and NumPy's threads wait
# for each other without sleeping (commands in separate processes use all threads of Polars).
suite: export POLARS_MAX_THREADS = 1
suite: export OPENBLAS_NUM_THREADS = 1
suite: $(READY)
	$(BIN)/python -m compileall -q src
	PYTHONDONTWRITEBYTECODE= $(BIN)/python -m pytest -q -n 4 --dist worksteal -m "not integration"

# Tests that 'make test' leaves out: heavy foreign libraries, a second browser, pages and figures that are
# computed again, processes that are killed repeatedly, error rates, the remaining variants of tests of which
# 'make test' takes some, the audit of all measures, and all random cases of the oracle and of hypothesis, of
# which 'make test' takes a tenth.
test-integrations: $(LIBRARIES)
	$(BIN)/python -m pytest -q -n 2 --dist worksteal -m integration --ignore tests/properties/test_audited_measures.py
	RANDOM_SHARE=1 $(BIN)/python -m pytest -q -n 2 --dist worksteal -m "not integration" tests/oracle
	RANDOM_SHARE=1 $(BIN)/python -m pytest -q tests/properties/test_audited_measures.py
	RANDOM_SHARE=1 $(BIN)/python -m pytest -q -n 2 --dist worksteal -m "(hypothesis or long_line) and not integration" --ignore tests/oracle

# compiled first here too, or the benchmarks would measure compiling at each start
bench: $(READY)
	$(BIN)/python -m compileall -q src
	$(BIN)/python -m benchmarks

# Each of a list of small wrong edits must make a test fail.
mutants: $(READY)
	$(BIN)/python -m tools.mutants

# Build what a release would contain, and test it in new environments; needs a network, or a mirror.
wheel: $(READY)
	$(BIN)/python -m tools.wheel --keep dist

# Known vulnerabilities of the pinned dependencies; needs a network (status 2 without one).
audit: $(READY)
	$(BIN)/python -m tools.audit

# Send damaged files to every reader and hostile requests to every endpoint, for ten minutes or SECONDS=60.
SECONDS ?= 600
SEED    ?= $(shell date +%s)
fuzz: $(READY)
	PYTHONPATH=tests $(BIN)/python -m fuzz --seconds $(SECONDS) --seed $(SEED)

docs: $(READY)
	$(BIN)/python docs/build.py

# The Debian packages that some tests use; needs root.
system:
	apt-get update -qq
	DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends chromium chromium-headless-shell firefox-esr postgresql gnuplot-nox nginx openssl

$(READY): pyproject.toml constraints.txt
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' \
	  || { echo "doxel needs Python 3.11 or newer; name it with PYTHON=python3.12"; exit 1; }
	@$(PYTHON) -c 'import ensurepip, venv' 2>/dev/null \
	  || { echo "Python's venv module is missing: on Debian install the package python3-venv"; exit 1; }
	$(PYTHON) -m venv --clear $(VENV)
	$(BIN)/python -m pip install -q --disable-pip-version-check --upgrade "pip>=25.1"
	$(BIN)/python -m pip install -q --disable-pip-version-check -c constraints.txt --group dev -e ".[all]"
	$(BIN)/python -m compileall -q src
	touch $(READY)

# The libraries whose data the adapters read: a gigabyte, needed only for their tests.
$(LIBRARIES): $(READY)
	$(BIN)/python -m pip install -q --disable-pip-version-check -c constraints.txt --group integrations
	touch $(LIBRARIES)

clean:
	rm -rf $(VENV) build dist doxel-demo docs/build .pytest_cache .mypy_cache .ruff_cache .hypothesis
