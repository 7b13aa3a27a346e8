# Each target is a thin line; `make` alone lists them.
# PYTHON chooses the stack: python3.11 or python3.10, by default the newer one that runs here.
export PYTHON
BIN := .venv/bin
ROWS ?= 1000000
SEED ?= 0
SEEDS ?= 0-9
SECONDS ?= 60
BASE ?= db1a488
BUDGET ?= 0
SBOM ?= build/sbom.json
LOGS ?= runs
KFP_LOCAL ?= runs/kfp-local
OUTPUT ?= pipeline.yaml
IMAGE ?= tfx-production-training:latest

.DEFAULT_GOAL := help
.PHONY: help setup run-local report serve predict run-kfp-local compile test test-fast test-long test-next test-browser image test-image torture fuzz fuzz-guided coverage mutation flink-up flink-down test-engine tensorboard lint typecheck docs data bench bench-growth bench-everyday bench-drivers bench-engine bench-scaling bench-quality bench-serving bench-predict bench-trees lock audit wheel sbom clean

help: ## print the targets
	@sed -n 's/^\([a-z-]*\):.*## /\1\t/p' $(MAKEFILE_LIST) | expand -t 14

setup: ## build the environment in .venv
	@sh scripts/setup.sh

run-local: setup ## run the whole DAG on the sample data
	@$(BIN)/python -m pipeline run --config configs/taxi.yaml

compile: setup ## write a file for Kubeflow: make compile OUTPUT=pipeline.yaml
	@$(BIN)/python -m pipeline compile --config configs/taxi.yaml --config configs/overlays/kubeflow.yaml \
	  --output $(OUTPUT)

report: setup ## write the page of the newest run on the sample data
	@$(BIN)/python -m pipeline report --config configs/taxi.yaml $(ARGUMENTS)

run-kfp-local: setup ## compile for Kubeflow, and execute it without a cluster
	@mkdir -p $(KFP_LOCAL) && $(BIN)/python -m pipeline compile --config configs/taxi.yaml \
	  --config configs/overlays/kubeflow.yaml --set kubeflow.storage.path=$(abspath $(KFP_LOCAL))/volume \
	  --output $(KFP_LOCAL)/pipeline.yaml
	@$(BIN)/python -m pipeline.runners.kfp_local $(KFP_LOCAL)/pipeline.yaml --directory $(KFP_LOCAL) $(ARGUMENTS)

serve: setup ## serve the model of run-local: make serve ARGUMENTS="--port 9000", SERVER=tensorflow
ifeq ($(SERVER),tensorflow)
	@sh scripts/serve_tensorflow.sh runs/taxi/serving $(ARGUMENTS)
else ifneq ($(SERVER),)
	@echo "Error: SERVER=$(SERVER): give tensorflow, or leave SERVER out." >&2; exit 2
else
	@$(BIN)/python -m pipeline serve --config configs/taxi.yaml $(ARGUMENTS)
endif

predict: setup ## score files with that model: make predict ARGUMENTS="--input new.csv --output scored"
	@$(BIN)/python -m pipeline predict --config configs/taxi.yaml $(ARGUMENTS)

test: setup ## the tests: fast ones first, then whole runs
	@sh scripts/test.sh

test-next: ## tests on the newer stack, in a Debian root if this machine is too old
	@sh scripts/test_next.sh

test-long: setup ## what `make test` leaves out: small benchmarks, simulations, repeated accidents
	@sh scripts/test.sh long

test-fast: setup ## the tests that take seconds
	@$(BIN)/python -m pytest -q -m "not slow"

test-browser: setup ## test the page of a run in chromium
	@sh scripts/test_browser.sh $(ARGUMENTS)

torture: setup ## kill whole runs in many ways: make torture SEEDS=0-199 ARGUMENTS="--seconds 3600"
	@PYTHONPATH=.:tests/e2e $(BIN)/python tests/torture --seeds $(SEEDS) $(ARGUMENTS)

fuzz: setup ## look for inputs that end in a traceback: make fuzz SECONDS=3600
	@PYTHONPATH=. $(BIN)/python tests/fuzz --seconds $(SECONDS) $(ARGUMENTS)

fuzz-guided: setup ## the same, guided by coverage, for each target: make fuzz-guided SECONDS=900
	@BUDGET=$(SECONDS) sh scripts/fuzz_guided.sh $(ARGUMENTS)

coverage: setup ## measure the branches that the tests reach: make coverage MARK="not slow"
	@sh scripts/coverage.sh $(if $(MARK),"$(MARK)")

mutation: setup ## change the code that decides, and see whether tests notice: make mutation BUDGET=3600
	@BUDGET=$(BUDGET) sh scripts/mutation.sh $(ARGUMENTS)

flink-up: setup ## start a Flink cluster on this machine, with two TaskManagers or --pods 1: needs Java and Maven
	@$(BIN)/python -m deploy.flink.local up $(ARGUMENTS)

flink-down: setup ## end that cluster
	@$(BIN)/python -m deploy.flink.local down

test-engine: setup ## run pipelines on that cluster, and kill its workers: make test-engine ARGUMENTS=--nightly
	@sh scripts/test_engine.sh $(ARGUMENTS)

tensorboard: setup ## show trainings in TensorBoard: make tensorboard LOGS=runs/taxi
	@$(BIN)/tensorboard --logdir $(LOGS) $(ARGUMENTS)

image: ## build the container image: make image IMAGE=name:tag
	@IMAGE=$(IMAGE) sh scripts/image.sh $(ARGUMENTS)

test-image: setup ## build the image without daemon and registry, and test it: needs root
	@sh scripts/test_image.sh $(ARGUMENTS)

lint: setup ## ruff, formatting included
	@$(BIN)/ruff check . && $(BIN)/ruff format --check .

typecheck: setup ## mypy, strict
	@$(BIN)/mypy

docs: setup ## write the pages and the schema in docs/ that are made from the code
	@$(BIN)/python scripts/write_configuration_docs.py > docs/configuration.md
	@mkdir -p build && $(BIN)/python scripts/write_strategy_docs.py > build/training.md && mv build/training.md docs/training.md
	@$(BIN)/python scripts/write_report_schema.py > build/report.schema.json && mv build/report.schema.json docs/report.schema.json
	@$(BIN)/python -m benchmarks.quality --write

data: setup ## generate taxi trips: make data ROWS=10000000
	@$(BIN)/python data/chicago_taxi/generate.py --rows $(ROWS) --seed $(SEED) --output data/chicago_taxi/trips-$(ROWS).csv

bench: setup ## compare with stock TFX: make bench ROWS=1000000
	@$(BIN)/python -m benchmarks --rows $(ROWS) --seed $(SEED) $(ARGUMENTS)

bench-growth: setup ## measure time and memory from 100,000 to 10 million rows
	@$(BIN)/python -m benchmarks --growth --seed $(SEED) $(ARGUMENTS)

bench-everyday: setup ## compare runs of the sample with another commit, on an idle machine: make bench-everyday BASE=db1a488
	@$(BIN)/python -m benchmarks.everyday --base $(BASE) $(ARGUMENTS)

bench-drivers: setup ## measure the memory of processes that drive Beam, with 200,000 and 2 million rows
	@$(BIN)/python -m benchmarks.driver_memory --seed $(SEED) $(ARGUMENTS)

bench-engine: setup ## measure the data work on a Flink cluster of this machine: make bench-engine ROWS=1000000
	@$(BIN)/python -m benchmarks.engine --rows $(ROWS) --seed $(SEED) $(ARGUMENTS)

bench-scaling: setup ## measure fits with one and two workers: make bench-scaling ROWS=1000000
	@$(BIN)/python -m benchmarks --scaling --rows $(ROWS) --seed $(SEED) $(ARGUMENTS)

bench-quality: setup ## compare models with boosted trees on real tables
	@sh scripts/tables.sh && $(BIN)/python -m benchmarks.quality $(ARGUMENTS)

bench-serving: setup ## measure the model server, for an idle machine: make bench-serving ARGUMENTS=--idle
	@$(BIN)/python -m benchmarks.serving $(ARGUMENTS)

bench-predict: setup ## measure batch predictions, for an idle machine: make bench-predict ARGUMENTS=--idle
	@$(BIN)/python -m benchmarks.prediction $(ARGUMENTS)

bench-trees: setup ## compare exported trees with LightGBM's predict
	@$(BIN)/python -m benchmarks.trees $(ARGUMENTS)

lock: setup ## resolve the dependencies of both stacks again
	@sh scripts/lock.sh

audit: setup ## check the locked packages against published advisories
	@$(BIN)/python scripts/audit.py $(ARGUMENTS)

wheel: setup ## build the wheel into dist/, with the locked setuptools
	@$(BIN)/uv build --quiet --offline --wheel --no-build-isolation --python $(BIN)/python --out-dir dist

sbom: setup ## write a bill of materials of the environment (CycloneDX JSON)
	@mkdir -p $(dir $(SBOM)) && $(BIN)/cyclonedx-py environment .venv --pyproject pyproject.toml \
	  --output-reproducible --short-PURLs --no-validate -o $(SBOM) && echo "Wrote $(SBOM)."

clean: ## remove the environment, runs and caches
	rm -rf .venv runs build dist .mypy_cache .pytest_cache .ruff_cache .hypothesis *.egg-info
