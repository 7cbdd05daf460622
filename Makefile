# Everything a newcomer needs. Both `make demo` and `make test` set up what they need by themselves.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt

.DEFAULT_GOAL := help
.PHONY: help demo test test-all lint format bench docs encoders tagger clean

help:  ## list the targets
	@grep -E '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 12

demo: $(VENV)/core  ## build the phantom clinic, encode it three ways, show what was made
	$(BIN)/leadapron demo

test: $(VENV)/dev  ## run the tests, without those that take long
	$(BIN)/python -m pytest --numprocesses auto --dist loadfile -m 'not study'

test-all: $(VENV)/dev  ## run the tests and the studies
	$(BIN)/python -m pytest --numprocesses auto --dist loadfile

lint: $(VENV)/dev  ## check style and types
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

format: $(VENV)/dev  ## bring the code into style
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

bench: $(VENV)/dev  ## measure speed on this machine and write docs/benchmarks.md
	$(BIN)/python bench/run.py

docs: $(VENV)/dev  ## make the generated pages and pictures anew
	$(BIN)/python docs/generate.py

encoders: $(VENV)/dev  ## train the phantom encoders that ship with the package (a few minutes)
	$(BIN)/python -m leadapron.encoders.phantom_training
	$(BIN)/python -m leadapron.encoders.phantom_head_training

tagger: $(VENV)/dev  ## train the tagger of identifiers in reports that ships with the package (some ten minutes)
	$(BIN)/python bench/train_tagger.py

clean:  ## remove the virtual environment and what the demo made
	rm -rf $(VENV) out

# The core alone, without torch: all the demo needs.
$(VENV)/core: pyproject.toml constraints.txt
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(PIP) --editable .
	touch $@

# torch comes first and by its exact version: a range would pull in gigabytes for graphics cards.
# torchxrayvision is there for the real tables inside it; its own dependencies are not wanted.
$(VENV)/dev: $(VENV)/core
	$(PIP) torch==2.13.0
	$(PIP) --editable '.[train,encoders,generate,federated,distributed,deid,dev]'
	$(PIP) --no-deps torchxrayvision
	touch $@
