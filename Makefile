# make lab        open the course in JupyterLab          LAB_ARGS="--no-browser --port 9000" goes on to JupyterLab
# make test       run the tests: four minutes            TEST_ARGS="-k layout" goes on to pytest
# make test-long  every test that this machine can run, as CI does: the slow ones, every lesson in a browser
# make notebooks  execute and store the notebooks
# make bench      measure what must be fast
# make lock       renew course.lock, the versions that the course runs with
# make clean      remove what the commands above made

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
export PIP_DISABLE_PIP_VERSION_CHECK := 1

.PHONY: help lab test test-long notebooks bench lock clean
.DELETE_ON_ERROR:

help:
	@sed -n 's/^# //p' Makefile

lab: $(VENV)/.lab
	@$(BIN)/python tools/lab.py $(LAB_ARGS)

test: $(VENV)/.test
	@$(BIN)/python tools/test.py $(TEST_ARGS)

test-long: $(VENV)/.test
	@$(BIN)/python tools/test.py --long $(TEST_ARGS)

notebooks: $(VENV)/.test
	@$(BIN)/python tools/notebooks.py

bench: $(VENV)/.test
	@$(BIN)/python -m pytest benchmarks -o addopts= -o python_files='bench_*.py' -o python_functions='bench_*' -p no:cacheprovider -q \
	    --benchmark-columns=median,min,max,rounds --benchmark-sort=name --benchmark-group-by=group $(BENCH_ARGS)

lock: $(VENV)/.test
	@$(BIN)/python -m pip install -qq --upgrade --upgrade-strategy eager -e '.[lab]' nbval
	@$(BIN)/python tools/lock.py

clean:
	rm -rf $(VENV) build dist .pytest_cache .ruff_cache .hypothesis .benchmarks
	find . -name __pycache__ -prune -exec rm -rf {} +

$(VENV)/.created:
	@command -v $(PYTHON) >/dev/null || { echo "cutelab needs Python 3.11 or newer, and there is no $(PYTHON) here: install it, or name another one with make PYTHON=/path/to/python3."; exit 1; }
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "cutelab needs Python 3.11 or newer, and $(PYTHON) is %d.%d: name a newer one with make PYTHON=/path/to/python3." % sys.version_info[:2])'
	@$(PYTHON) -m venv $(VENV)
	@touch $@

# What a stamp stands for: this extra is installed as pyproject.toml says. The test extra contains the lab extra.
$(VENV)/.lab: pyproject.toml $(wildcard course.lock) | $(VENV)/.created
	@echo "Installing cutelab and JupyterLab into $(VENV); the first time this takes a minute or two."
	@$(BIN)/python -m pip install -qq -c course.lock -e '.[lab]'
	@touch $@

$(VENV)/.test: pyproject.toml | $(VENV)/.created
	@git config diff.cutelab.textconv '$(BIN)/python tools/notebooks.py --text' 2>/dev/null || true
	@echo "Installing cutelab and its test tools into $(VENV); the first time this takes a minute or two."
	@$(BIN)/python -m pip install -qq -e '.[test]'
	@touch $(VENV)/.lab $@
