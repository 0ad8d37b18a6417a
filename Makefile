# Each target sets up all it needs first. `make help` lists them.
.DEFAULT_GOAL := help
.PHONY: help setup programs demo demo-slicer test tasks stress kills soak check fuzz fuzz-patterns bench campaign ways format generate docs lock

PYTHON := .venv/bin/python
# Passed on: make test PYTEST_ARGS="-k selector -x"; make test WORKERS=0 runs in one process.
PYTEST_ARGS ?=
WORKERS ?= 4
BENCH_ARGS ?=
CAMPAIGN_ARGS ?= --save
WAYS_ARGS ?= --save
PROOF_ARGS ?= --idle 5 --stressed 2 --repeat 50 --from tests/seen_to_fail.txt
FUZZ_ARGS ?=
SOAK_ARGS ?=
# The tests start Python a thousand times; without its compiled files each start takes several times as long.
unexport PYTHONDONTWRITEBYTECODE

help: ## list these targets
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/make \1\t\2/p' Makefile | expand -t 20

setup: ## install everything needed, in .venv and by apt; seconds when nothing changed
	@scripts/setup.sh

demo: setup ## drive a form on a private desktop and say what was seen; KEEP=1 leaves it running
	@$(PYTHON) -m demo $(if $(KEEP),--keep)

demo-slicer: setup ## load, move, slice and export a cube in a 3D slicer on a private desktop
	@$(PYTHON) -m demo.slicer.tour

programs: setup ## install the programs that only tests and benchmarks drive
	@scripts/setup.sh --programs

test: programs ## run the whole test suite
	@$(PYTHON) -m pytest -n $(WORKERS) $(PYTEST_ARGS)

tasks: setup ## ten tasks over MCP, each with the calls, tokens and seconds it takes
	@scripts/setup.sh --tasks
	@rm -rf build/tasks
	@$(PYTHON) -m pytest -n 0 --heavy tests/tasks $(PYTEST_ARGS)

stress: programs ## the same while stress-ng loads the machine; PYTEST_ARGS="--repeat 50 FILE::TEST" for one test
	@stress-ng --cpu 4 --io 2 --quiet --temp-path "$${TMPDIR:-/tmp}" & load=$$!; trap 'kill $$load' EXIT; \
	$(PYTHON) -m pytest -n $(WORKERS) $(PYTEST_ARGS)

fuzz: setup ## 1,000,000 wrong inputs over every transport; FUZZ_ARGS="--count N --seed S --transport http"
	@$(PYTHON) -m tests.fuzz $(FUZZ_ARGS)

fuzz-patterns: setup ## search with 100,000 regular expressions made at random: none exceeds its deadline
	@$(PYTHON) -m tests.security.fuzz_patterns $(FUZZ_ARGS)

proof: ## the suite again and again in clean clones, a line for each run; PROOF_ARGS as in scripts/prove.sh
	@scripts/prove.sh $(PROOF_ARGS)

kills: programs ## kill processes of ours at random moments, 200 times, and look for what is left
	.venv/bin/python -m tests.faults.kills $(KILLS_ARGS)

soak: programs ## ten clients on five apps over all protocols for an hour; SOAK_ARGS="--minutes 5 --clients 4 --app qt"
	@$(PYTHON) -m tests.soak $(SOAK_ARGS)

check: setup ## lint, format, types, layers, English, generated files, the documentation site
	@scripts/setup.sh --docs
	@scripts/check.sh

bench: programs ## measure, each figure against a peer in the same run
	@$(PYTHON) -m benchmarks $(BENCH_ARGS)

campaign: setup ## explore programs at random and check all that is said of them; CAMPAIGN_ARGS="--program gedit --seed 7"
	@scripts/setup.sh --campaign
	@$(PYTHON) -m campaign $(CAMPAIGN_ARGS)

ways: setup ## start each program of the campaign with and without an agent inside; WAYS_ARGS="--save kcalc"
	@scripts/setup.sh --campaign
	@$(PYTHON) -m campaign.ways $(WAYS_ARGS)

format: setup ## fix formatting and what lint can fix
	@$(PYTHON) -m ruff check --fix --quiet
	@$(PYTHON) -m ruff format --quiet

generate: setup ## make the generated files anew
	@set -e; for script in $(wildcard scripts/generate_*.py); do $(PYTHON) $$script; done

docs: setup ## build the documentation site into build/docs; any warning is an error
	@scripts/setup.sh --docs
	@$(PYTHON) scripts/build_docs.py

lock: setup ## pin every Python package anew, with hashes; UPGRADE=1 takes newer versions
	@scripts/lock.sh $(if $(UPGRADE),--upgrade)
