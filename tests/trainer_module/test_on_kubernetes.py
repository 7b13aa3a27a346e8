"""Two pods train one model: the real trainer in the processes of a fake Kubernetes."""

from __future__ import annotations

import json
import os
import threading
from pathlib import Path

import pytest
import tensorflow as tf
from fake_cluster import FakeCluster
from supervised import Supervised
from tiny_models import Trained

from components.distributed_trainer.executor import Executor
from pipeline.config import WorkersConfig

pytestmark = pytest.mark.slow

EPOCHS = 12
STEPS = 30
"""Steps of an epoch of 240 rows."""
WORKERS = {
    "workers": 2,
    "global_batch_size": 8,
    "epochs": EPOCHS,
    "early_stopping_patience": 0,
    "recovery": {"backup_seconds": 0},
}


def test_pods_train_one_model_although_one_of_them_is_killed(
    binary: Trained,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    """Every planned step runs once, the model is exported, and no object is left on the cluster."""
    run = Supervised(tmp_path / "run", binary, WORKERS)
    run.folder.mkdir()
    job = run.job()
    custom = json.loads(job.properties["custom_config"])
    # A pod sees only its own volumes: all other inputs are copied to the shared volume.
    shared = {"claim": "storage", "path": str(run.folder / "storage")}
    custom["backup_directory"] = f"{shared['path']}/backup"
    custom["workers"] = WorkersConfig.model_validate({"volumes": [shared]}).to_json()
    properties = {**job.properties, "custom_config": json.dumps(custom)}
    with FakeCluster(tmp_path) as cluster:
        monkeypatch.setenv("KUBECONFIG", str(cluster.kubeconfig()))
        monkeypatch.setenv("KFP_POD_NAME", "trainer")
        monkeypatch.delenv("KUBERNETES_SERVICE_HOST", raising=False)
        # The workers' events reach this process by the logs of their pods.
        monkeypatch.setenv("PIPELINE_EVENTS", str(run.folder / "events.jsonl"))
        cluster.kubelet.environment = {
            "TF_USE_LEGACY_KERAS": "1",
            "PYTHONPATH": os.getcwd(),
        }

        def accident() -> None:
            run.wait(lambda: 3 in run.ended_epochs())
            cluster.kill(1)

        thread = threading.Thread(target=accident, daemon=True)
        thread.start()
        Executor().Do(job.inputs, job.outputs, properties)
        thread.join()
        assert cluster.invalid == []
        assert cluster.left() == []
    assert "worker 1 was killed by signal 9 (OOMKilled); restart 1 of all workers" in caplog.text
    assert [e["steps"] for e in run.history["epochs"]] == [STEPS * n for n in range(1, EPOCHS + 1)]
    assert len(run.ended_epochs()) <= EPOCHS + 1, "it went on from the last backup"
    model = tf.saved_model.load(str(run.folder / "model/Format-Serving"))
    assert "serving_default" in model.signatures
