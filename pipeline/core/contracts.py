"""The names that two modules must agree on. Each is defined here once and imported.

One module writes such a name and another one reads it: in an artifact, in a served model, or in the
compiled pipeline. Nearly all of them are on disk somewhere, so a changed value makes earlier runs,
served models and caches unreadable.

This module imports nothing of the project.
"""

from __future__ import annotations

from typing import Final


class Node:
    """The ids of the pipeline's nodes, in the order in which `pipeline/dag.py` wires them."""

    EXAMPLE_GEN: Final = "ExampleGen"
    """Reads the configured source and writes the splits."""
    REFERENCE: Final = "Reference"
    """Finds the served model whose data the new data is compared with."""
    STATISTICS_GEN: Final = "StatisticsGen"
    """Computes the statistics of each split."""
    SCHEMA_GEN: Final = "SchemaGen"
    """Infers a schema, or imports the schema from git."""
    SCHEMA_CURATOR: Final = "SchemaCurator"
    """Turns that schema into the schema that validation, Transform and the Evaluator use."""
    EXAMPLE_VALIDATOR: Final = "ExampleValidator"
    """Compares the statistics with the schema."""
    ANOMALY_REPORT: Final = "AnomalyReport"
    """Writes the findings in words, drift and skew included."""
    DATA_FIGURES: Final = "DataFigures"
    """Makes the figures of the run's page that show the data, before the gate may stop the run."""
    ANOMALY_GATE: Final = "AnomalyGate"
    """Fails on a finding of severity `stop`."""
    TRANSFORM: Final = "Transform"
    """Analyses the training split and transforms the splits that training reads."""
    WARM_START: Final = "WarmStart"
    """Copies the served model's weights. Present with `training.warm_start`."""
    TUNER: Final = "Tuner"
    """Searches for hyperparameters. Present with a section `tuning`."""
    TRAINER: Final = "Trainer"
    """Trains and exports the model."""
    BASELINE: Final = "Baseline"
    """Reads which served model the candidate is compared with."""
    EVALUATOR: Final = "Evaluator"
    """Computes the metrics and blesses the candidate or not."""
    MODEL_FIGURES: Final = "ModelFigures"
    """Makes the figures of the run's page that show the model."""
    SERVING_CHECK: Final = "ServingCheck"
    """Asks a blessed candidate in a new process. Present with `serving.check.enabled`."""
    MODEL_EXPORTER: Final = "ModelExporter"
    """Makes and judges smaller forms of the model. Present with a section `exports`."""
    PUSHER: Final = "Pusher"
    """Copies a blessed model to the serving directory."""
    BATCH_PREDICTOR: Final = "BatchPredictor"
    """Scores files with the served version. Present with a section `prediction`."""
    ALL: Final = (
        EXAMPLE_GEN, REFERENCE, STATISTICS_GEN, SCHEMA_GEN, SCHEMA_CURATOR, EXAMPLE_VALIDATOR,
        ANOMALY_REPORT, DATA_FIGURES, ANOMALY_GATE, TRANSFORM, WARM_START, TUNER, TRAINER, BASELINE,
        EVALUATOR, MODEL_FIGURES, SERVING_CHECK, MODEL_EXPORTER, PUSHER, BATCH_PREDICTOR,
    )  # fmt: skip
    """All nodes that a pipeline can have."""


class Channel:
    """The keys of inputs and outputs that runners read.

    TFX defines most of them in `standard_component_specs`, which takes seconds to import.
    """

    EXAMPLES: Final = "examples"
    """Output of the ExampleGen."""
    SCHEMA: Final = "schema"
    """Output of the SchemaCurator."""
    FINDINGS: Final = "findings"
    """Output of the AnomalyReport."""
    TUNER_RESULTS: Final = "tuner_results"
    """Output of the Tuner: the table of its trials."""
    MODEL_RUN: Final = "model_run"
    """Output of the Trainer: the history of the fit."""
    BASELINE: Final = "baseline"
    """Input of the Evaluator: the record of the served model."""
    EVALUATION: Final = "evaluation"
    """Output of the Evaluator: metrics and validation results."""
    PREDICTIONS: Final = "predictions"
    """Output of the Evaluator: the label and the predictions of each row."""
    FIGURES: Final = "figures"
    """Output of DataFigures and of ModelFigures."""
    EXPORTS: Final = "exports"
    """Output of the ModelExporter: the exports, and how each one was judged."""
    BLESSING: Final = "blessing"
    """Output of the Evaluator: whether the candidate is blessed. Output of ServingCheck: whether it
    can be served."""
    INFRA_BLESSING: Final = "infra_blessing"
    """Input of the Pusher: the blessing of ServingCheck. Absent without that component."""
    PUSHED_MODEL: Final = "pushed_model"
    """Output of the Pusher."""
    BATCH_PREDICTIONS: Final = "batch_predictions"
    """Output of the BatchPredictor: the manifest of the predictions."""


class ArtifactType:
    """The types of artifacts, as the lineage of a run names them, without a package."""

    EXAMPLES: Final = "Examples"
    SCHEMA: Final = "Schema"
    STATISTICS: Final = "ExampleStatistics"
    PREDICTIONS: Final = "PredictionTable"
    """The table of the Evaluator's predictions; its class is in components/predictions."""


LARGE_ARTIFACTS: Final = (ArtifactType.EXAMPLES, ArtifactType.PREDICTIONS)
"""The types of artifacts that have something for each row of the table."""


class Split:
    """The splits that the ExampleGen writes, and where TFX keeps a split in an artifact."""

    TRAIN: Final = "train"
    """The rows that Transform analyses and the Trainer fits."""
    EVAL: Final = "eval"
    """The held-out rows that early stopping and the Tuner look at."""
    TEST: Final = "test"
    """The held-out rows that only the Evaluator looks at."""
    ALL: Final = (TRAIN, EVAL, TEST)
    """All splits, in the order of their use."""
    PREFIX: Final = "Split-"
    """A split's directory in an artifact is named by this prefix and the split."""


class Property:
    """The custom properties that components set on their output artifacts."""

    ROWS: Final = "rows"
    """On Examples, a string: JSON with the number of rows of each split."""
    ROWS_WITHOUT_LABEL: Final = "rows_without_label"
    """On Examples, an integer: the rows that were left out because their label is missing."""
    SPLIT: Final = "split"
    """On Examples, a string: how the rows were divided; see components/tables/splitting/."""
    INPUT_FINGERPRINT: Final = "input_fingerprint"
    """On Examples, a string: the fingerprint of the input. TFX's ExampleGen drivers set it, too."""
    NOTE: Final = "note"
    """On any artifact, a string: a sentence that the terminal and the report show."""
    FILES: Final = "files"
    """On any artifact of a local run, a string: the seal, which tells later damage."""
    BLESSED: Final = "blessed"
    """On the blessings, an integer: 1 or 0. The name is TFX's."""
    PUSHED: Final = "pushed"
    """On the pushed model, an integer: 1 or 0. The name is TFX's, as are the next two."""
    PUSHED_DESTINATION: Final = "pushed_destination"
    """On the pushed model, a string: the directory of the served version, or that to which
    `promote` will push the candidate."""
    PUSHED_VERSION: Final = "pushed_version"
    """On the pushed model, a string: the number of the served version or of the candidate."""
    WITHDRAWN: Final = "withdrawn"
    """On the pushed model, a string: why a rollback forbids the push; absent otherwise."""
    WITHDRAWN_VERSION: Final = "withdrawn_version"
    """On the pushed model, a string: the version that is this model and was withdrawn."""


class Signature:
    """The signatures of an exported model."""

    SERVING_DEFAULT: Final = "serving_default"
    """Takes each raw feature column under its own name, [batch, 1]."""
    SERVING_EXAMPLES: Final = "serving_examples"
    """Takes serialized tf.Examples, string [batch]."""
    TRANSFORM_LABEL: Final = "transform_label"
    """Takes the raw label column and encodes it for the Evaluator."""
    NETWORK: Final = "network"
    """Takes the transformed features and returns the predictions that are numbers."""
    TRANSFORM_FEATURES: Final = "transform_features"
    """Of the SavedModel beside exports: takes raw feature columns, returns the inputs of
    `network`."""


class Output:
    """The outputs of the two serving signatures, by task."""

    PROBABILITY: Final = "probability"
    """binary: the positive class' probability, float32 [batch]."""
    CLASS: Final = "class"
    """binary and multiclass: the most probable class' name, string [batch]."""
    PROBABILITIES: Final = "probabilities"
    """multiclass: the probability of each class, float32 [batch, classes]."""
    CLASSES: Final = "classes"
    """multiclass: the names of the classes in the order of the probabilities, string [batch, n]."""
    PREDICTION: Final = "prediction"
    """regression: the prediction in the label's unit, float32 [batch]."""
    BY_TASK: Final = {
        "binary": PROBABILITY,
        "multiclass": PROBABILITIES,
        "regression": PREDICTION,
    }
    """For each task the output with the predictions that the metrics are computed from."""


class EvaluatedModel:
    """The names of the models in the Evaluator's EvalConfig and in its metrics."""

    CANDIDATE: Final = "candidate"
    """The model that this run trained."""
    BASELINE: Final = "baseline"
    """The served model. Absent on a first run."""


class ArtifactFile:
    """The files inside artifacts that another module reads."""

    SCHEMA: Final = "schema.pbtxt"
    """In a Schema. The name is TFX's."""
    STATISTICS: Final = "FeatureStats.pb"
    """In each split's directory of ExampleStatistics. The name is TFX's."""
    ANOMALIES: Final = "SchemaDiff.pb"
    """In each split's directory of ExampleAnomalies. The name is TFX's."""
    FINDINGS: Final = "findings.json"
    """In DataFindings: what the data gate found."""
    DATA_FIGURES: Final = "data_figures.json"
    """In RunFigures of DataFigures; see components/data_figures/figures.py."""
    MODEL_FIGURES: Final = "model_figures.json"
    """In RunFigures of ModelFigures; see components/model_figures/figures.py."""
    SERVING_CHECK: Final = "serving_check.json"
    """In the InfraBlessing of ServingCheck: what was asked and measured."""
    EXPORTS: Final = "exports.json"
    """In ModelExports: how each export was judged."""
    EXPORT_MANIFEST: Final = "manifest.json"
    """Beside pushed exports: what each file takes and returns."""
    SERVED_RECORD: Final = "served.json"
    PUSH_HISTORY: Final = ".push_history.json"
    """Model servers ignore names that are no number."""
    """In a ServedModelRecord, in a PushedModel, and in the serving directory as the pointer."""
    TUNER_RESULTS: Final = "tuner_results.json"
    """In TunerResults: the table of the trials."""
    GAPS: Final = "gaps.json"
    """In a ModelEvaluation: the differences between slices that `evaluation.gaps` bounds."""
    DECIDING_METRICS: Final = "deciding_metrics.json"
    """In a ModelEvaluation: the metrics with a threshold, with intervals."""
    HISTORY: Final = "history.json"
    """In a ModelRun: the epochs, and facts about the fit."""
    SAVED_MODEL: Final = "saved_model.pb"
    """In a SavedModel. The name is TensorFlow's."""


EXPORTS_DIRECTORY: Final = "assets.extra/exports"
"""Where a pushed version has its exports. TensorFlow ignores what a SavedModel has in assets.extra,
and so do the servers that load it."""

TIMES_FILE: Final = "assets.extra/times.json"
"""In a SavedModel: how the times of its columns are written. An object with `format` and `zone` for
each timestamp feature, by column. A model of an earlier version of this project has no such file.
"""


class RunFile:
    """The files in the log directory of a local run."""

    CONFIGURATION: Final = "config.yaml"
    """The whole configuration, defaults included; a run with this file repeats the run."""
    RECORD: Final = "run.json"
    """The command, the data files, the package versions and the machine."""
    EVENTS: Final = "events.jsonl"
    """What the processes of the run emit; see `pipeline/core/events/`."""
    LOG: Final = "run.log"
    """What the processes of the run print."""
    REPORT: Final = "report.html"
    """The page of the run; a copy of the newest one lies in the output directory."""
    REPORT_CONTENT: Final = "report.json"
    """What the page shows; see pipeline/report/content.py."""
    SUMMARY: Final = "summary.json"
    """The outcome of the run; `runs` reads it, and `run --json` writes a copy of it."""


NO_REFERENCE: Final = "itself (schema.reference is none)"
"""What the gate's report names as compared with, where the configuration leaves the served model's
data out."""


class CustomConfigKey:
    """The keys of the `custom_config` that Transform, the Tuner and the Trainer receive.

    Each value is a string. `pipeline/custom_config.py` writes them.
    """

    FEATURES: Final = "features"
    """The section `features` as JSON."""
    LABEL: Final = "label"
    """The section `label` as JSON."""
    ENCODING: Final = "encoding"
    """For Transform: `trees` if it prepares the features for trees, `blend` if for trees and for
    networks. Absent for networks."""
    MODEL: Final = "model"
    """The section `model` as JSON. Not for Transform."""
    TRAINING: Final = "training"
    """The section `training` as JSON. Not for Transform."""
    TUNING: Final = "tuning"
    """The section `tuning` as JSON. For the Tuner."""
    WORKERS: Final = "workers"
    """The pods of the workers as JSON. For a Trainer on many workers on Kubeflow."""
    BACKUP_DIRECTORY: Final = "backup_directory"
    """Where the training keeps its backups. Not for Transform."""
    CODE: Final = "code"
    """The digest of the code that runs. Nothing reads it but TFX's cache and the backup's key."""


# What stands for a missing value wherever a tensor is dense. The curated schema gives these values
# as defaults, preprocessing recognises them, and clients of the served model send them. Each lies
# outside what a table can hold, so that a missing value stays distinguishable from every real one.
MISSING_FLOAT: Final = float("nan")
MISSING_INT: Final = -(2**63)
MISSING_STRING: Final = "__MISSING__"
