# The project's chores. Each one prepares the folder first, which takes no time when it is prepared.

PYTHON_HERE := .venv/bin/python

.PHONY: help ready lesson test lint check bench clean

help: ## say what there is to make
	@sed -n 's/^\([a-z]*\):.*## /make \1\t/p' Makefile

ready:
	@./bootstrap

lesson: ready ## the whole lesson, films, figures and tables, in out/
	@.venv/bin/rootdk lesson

test: ready ## the tests
	@$(PYTHON_HERE) -m pytest

lint: ready ## style and types
	$(PYTHON_HERE) -m ruff check .
	$(PYTHON_HERE) -m ruff format --check .
	$(PYTHON_HERE) -m mypy

check: lint test ## style, types and tests

bench: ready ## how fast it is on this machine
	@for script in benchmarks/*.py; do echo "$$script"; $(PYTHON_HERE) "$$script" || exit 1; done

clean: ## remove what the project made: .venv, out/ and caches
	rm -rf .venv out build __pycache__ rootdk.egg-info .hypothesis .mypy_cache .pytest_cache .ruff_cache
	find benchmarks core figures scenes tests -name __pycache__ -type d -prune -exec rm -rf {} +
