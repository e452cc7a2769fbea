# Every target works as the first command in a fresh clone: what it needs is made on the way.
#   PYTHON=python3.12 make demo     another interpreter
#   make test ARGS='tests/core -x'  other tests, or options for pytest
#   make test WORKERS=4             more workers

PYTHON  ?= python3
VENV    ?= .venv
WORKERS ?= 2
ARGS    ?=

BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check

# What the JupyterLab extension is built into, and what its sources need.
LABEXTENSION := sparknb/labextension/package.json
NODE_MODULES := labextension/node_modules/.made
# Without Node.js, or without a registry to fetch from, the rest works as well.
LABEXTENSION_WHERE_POSSIBLE = if .ci/has-node && $(MAKE) --no-print-directory $(NODE_MODULES); \
	then $(MAKE) --no-print-directory labextension; fi

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.PHONY: help demo lab labextension test lint bench clean

help:  ## what there is
	@grep -hE '^[a-z]+:.*## ' $(MAKEFILE_LIST) | sed 's/:.*## /\t/' | awk -F '\t' '{printf "  make %-13s %s\n", $$1, $$2}'

demo: $(VENV)/.ready  ## see the main job end to end: define, check, publish, call over MCP
	@$(BIN)/sparknb demo

lab: $(VENV)/.ready  ## open JupyterLab on your copy of the lessons
	@$(LABEXTENSION_WHERE_POSSIBLE)
	@$(BIN)/sparknb lab $(ARGS)

labextension: $(LABEXTENSION)  ## build the JupyterLab extension (needs Node.js and npm)
	@place=$(VENV)/share/jupyter/labextensions; mkdir -p $$place; rm -rf $$place/sparknb; \
	ln -s "$(CURDIR)/sparknb/labextension" $$place/sparknb

test: $(VENV)/.ready-test  ## run all tests
	@.ci/setup || echo "Going on without: the tests that need it are skipped and say so." >&2
	@$(LABEXTENSION_WHERE_POSSIBLE)
	@for each in gnome-keyring-daemon dbus-run-session secret-tool; do \
	  command -v $$each >/dev/null || export SPARKNB_TEST_WITHOUT_KEYRING=1; \
	done; \
	$(BIN)/python -m pytest -n $(WORKERS) --dist loadfile --no-loadscope-reorder $(ARGS)

lint: $(VENV)/.ready-dev  ## check style, types and layers
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy --num-workers $(WORKERS)
	$(BIN)/lint-imports

bench: $(VENV)/.ready-dev  ## measure, and print a Markdown table
	@$(BIN)/python -m benchmarks $(ARGS)

clean:  ## remove the virtual environment and all caches
	rm -rf $(VENV) build dist htmlcov *.egg-info .coverage .coverage.*
	rm -rf .pytest_cache .mypy_cache .ruff_cache .import_linter_cache .hypothesis test-artefacts
	rm -rf sparknb/labextension labextension/lib labextension/node_modules
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

# The stamps make the second run quick: pip runs again only when pyproject.toml changed.
$(VENV)/.made:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { \
	  echo "sparknb needs Python 3.11 or newer, and $(PYTHON) is not: try  make PYTHON=python3.12" >&2; exit 1; }
	@echo "Making the virtual environment $(VENV)"
	@$(PYTHON) -m venv $(VENV) || { \
	  echo "Could not make it. On Debian and Ubuntu:  apt-get install python3-venv" >&2; exit 1; }
	@touch $@

$(VENV)/.ready: pyproject.toml $(VENV)/.made
	@echo "Installing sparknb into $(VENV) (a minute or two, once)"
	@$(PIP) --editable .
	@touch $@

$(VENV)/.ready-test: pyproject.toml $(VENV)/.made
	@echo "Installing sparknb and what its tests need into $(VENV) (a minute or two, once)"
	@$(PIP) --editable '.[test,browser]'
	@touch $@ $(VENV)/.ready

$(VENV)/.ready-dev: $(VENV)/.ready-test
	@echo "Installing what developers need into $(VENV)"
	@$(PIP) --editable '.[test,browser,dev]'
	@touch $@

$(NODE_MODULES): labextension/package.json labextension/package-lock.json
	@.ci/has-node || { \
	  echo "The JupyterLab extension is built with Node.js 20.19, 22.12 or newer, and npm" >&2; exit 1; }
	@echo "Fetching what the JupyterLab extension is built with (half a minute, once)"
	@cd labextension && npm ci --ignore-scripts --silent
	@touch $@

$(LABEXTENSION): $(NODE_MODULES) labextension/tsconfig.json $(wildcard labextension/src/*) | $(VENV)/.ready
	@echo "Building the JupyterLab extension"
	@cd labextension && rm -rf lib && npx --no-install tsc
	@$(BIN)/jupyter-builder build labextension >/dev/null
	@touch $@
