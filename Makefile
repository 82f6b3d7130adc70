# Everything a developer runs. Each target makes its own environment first; nothing needs to be
# installed by hand but Python 3.11 or newer, make and git.

PYTHON ?= python3
VENV ?= .venv
VENV_DOCS ?= $(VENV)-docs
VENV_DEMO ?= $(VENV)-demo
VENV_MCP_1 ?= $(VENV)-mcp-1
OTHER_PYTHON ?= /usr/bin/python3
VENV_OTHER_PYTHON ?= $(VENV)-other-python
PYTEST_ARGS ?= -n 3 --dist worksteal -rs
# What talks through the SDK, as clients or as servers.
MCP_TESTS := tests/clients/mcp $(filter-out %/test_store.py,$(wildcard tests/servers/test_*.py)) \
  $(addprefix tests/orchestrator/,pipeline/test_servers.py test_codebase_map.py test_service_contracts.py)
# What a version of Python may decide: how texts and sources are read, and how processes end. Frameworks are read from
# what lowering gives, which no version changes.
OTHER_PYTHON_TESTS := tests/parsers/contracts \
  $(wildcard tests/parsers/test_*.py tests/parsers/source/test_*.py tests/parsers/source/*/lowering) \
  $(addprefix tests/cli/,test_check.py test_main.py test_interrupted.py test_memory_limit.py)
BIN := $(VENV)/bin
READY := $(VENV)/ready

.DEFAULT_GOAL := help
.PHONY: help venv compiled demo docs test test-mcp-1 test-other-python lint format types imports check package constraints bench replaced growth fuzz accuracy digests clean

help: ## Show this list
	@sed -n 's/^\([a-z0-9-]*\):.*## \(.*\)/  make \1\t\2/p' Makefile | expand -t 28

$(READY): pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(None if sys.version_info >= (3, 11) else "contract-scan needs Python 3.11 or newer: make PYTHON=python3.11")'
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[dev]'
	@touch $(READY)

venv: $(READY) ## Make the environment with everything a developer needs

$(VENV_DEMO)/ready: pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(None if sys.version_info >= (3, 11) else "contract-scan needs Python 3.11 or newer: make PYTHON=python3.11")'
	@echo 'Installing what the command needs into $(VENV_DEMO)…'
	@$(PYTHON) -m venv $(VENV_DEMO)
	@$(VENV_DEMO)/bin/python -m pip install --quiet --disable-pip-version-check --editable .
	@touch $(VENV_DEMO)/ready

demo: $(VENV_DEMO)/ready ## Scan the small bookshop system, as a user would
	@$(VENV_DEMO)/bin/contract-scan check fixtures/projects/bookshop --exit-zero --no-cache

# Tests start thousands of processes, which would each compile what they import wherever Python is told
# to write no bytecode.
compiled: $(READY)
	@$(BIN)/python -m compileall -q -j 2 contract_scan

test: compiled ## Run the tests
	@$(BIN)/python -V
	@echo 'All tests take about 7 minutes on two cores; what is skipped, and why, stands at the end.'
	$(BIN)/python -m pytest $(PYTEST_ARGS)

# Lets the environment $(1) find the packages of the tests' own one behind its own.
define with_packages_of_tests
echo "import site; site.addsitedir('$$(echo $(abspath $(VENV))/lib/python*/site-packages)')" \
  >"$$(echo $(1)/lib/python*/site-packages)/packages_of_tests.pth"
endef

$(VENV_MCP_1)/ready: $(READY)
	$(BIN)/python -m venv $(VENV_MCP_1)
	@$(call with_packages_of_tests,$(VENV_MCP_1))
	$(VENV_MCP_1)/bin/python -m pip install --quiet --disable-pip-version-check --editable . 'mcp>=1.30,<2'
	@touch $(VENV_MCP_1)/ready

test-mcp-1: compiled $(VENV_MCP_1)/ready ## Run the tests of MCP clients and servers with the SDK's older major
	CONTRACT_SCAN_OTHER_MCP_PYTHON=$(abspath $(BIN)/python) $(VENV_MCP_1)/bin/python -m pytest $(PYTEST_ARGS) $(MCP_TESTS)

# What is installed for one version, compiled packages too, serves all its patches.
$(VENV_OTHER_PYTHON)/ready: $(READY)
	$(OTHER_PYTHON) -m venv $(VENV_OTHER_PYTHON)
	@if [ -d $(VENV)/lib/"$$(basename $(VENV_OTHER_PYTHON)/lib/python*)" ]; then \
	  $(call with_packages_of_tests,$(VENV_OTHER_PYTHON)); \
	else \
	  $(VENV_OTHER_PYTHON)/bin/python -m pip install --quiet --disable-pip-version-check --editable '.[dev]'; \
	fi
	@touch $(VENV_OTHER_PYTHON)/ready

test-other-python: compiled $(VENV_OTHER_PYTHON)/ready ## Run tests of lowering, contracts and processes with OTHER_PYTHON
	@$(VENV_OTHER_PYTHON)/bin/python -V
	$(VENV_OTHER_PYTHON)/bin/python -m pytest $(PYTEST_ARGS) $(OTHER_PYTHON_TESTS)

$(VENV_DOCS)/ready: pyproject.toml
	@$(PYTHON) -m venv $(VENV_DOCS)
	@$(VENV_DOCS)/bin/python -m pip install --quiet --disable-pip-version-check --editable '.[docs]'
	@touch $(VENV_DOCS)/ready

docs: $(VENV_DOCS)/ready ## Build the site of the documentation into build/site; a broken link fails
	@NO_MKDOCS_2_WARNING=1 $(VENV_DOCS)/bin/mkdocs build --quiet
	@echo 'open build/site/index.html'

lint: $(READY) ## Check format and style
	$(BIN)/ruff format --check
	$(BIN)/ruff check

format: $(READY) ## Format the code
	$(BIN)/ruff format
	$(BIN)/ruff check --fix

types: $(READY) ## Check the types
	$(BIN)/mypy

imports: $(READY) ## Check who may import whom
	$(BIN)/lint-imports

check: lint types imports test ## Everything that must pass before a commit

package: $(READY) ## Build wheel and sdist into dist/: the same bytes for the same commit
	SOURCE_DATE_EPOCH=$$(git log -1 --format=%ct) $(BIN)/python -m build --no-isolation --outdir dist

constraints: ## Write constraints.txt anew, with the newest versions that fit
	PYTHON=$(PYTHON) bash .ci/constraints.sh

bench: $(READY) ## Measure speed: make bench FOLDERS="a b"
	@test -n "$(FOLDERS)" || { echo 'name folders of source code: make bench FOLDERS="a b"' >&2; exit 2; }
	$(BIN)/python -m bench.run $(FOLDERS)

replaced: $(READY) ## Show that tests of the builder's requirements fail without the code that they name
	$(BIN)/python -m bench.requirements --replace

growth: $(READY) ## Measure how the cost of expensive code grows
	$(BIN)/python -m bench.growth

fuzz: $(READY) ## Scan broken repositories: make fuzz COUNT=20000 SEED=1
	$(BIN)/python -m bench.fuzz --count $(or $(COUNT),20000) --seed $(or $(SEED),1)

accuracy: $(READY) ## Measure accuracy: make accuracy CORPORA=dir
	@test -n "$(CORPORA)" || { echo 'name the folder of the repositories (docs/accuracy.md): make accuracy CORPORA=dir' >&2; exit 2; }
	$(BIN)/python -m bench.accuracy "$(CORPORA)" --mutants 3 --check-labels --write

digests: $(READY) ## Show that what is said has not changed: make digests [CORPORA=dir]
	$(BIN)/python -m bench.digests $(CORPORA)

clean: ## Remove the environment and every cache
	rm -rf $(VENV) $(VENV_DEMO) $(VENV_DOCS) $(VENV_MCP_1) $(VENV_OTHER_PYTHON) .mypy_cache .ruff_cache .pytest_cache .import_linter_cache .hypothesis build *.egg-info
