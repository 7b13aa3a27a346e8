"""A run and predictions on an engine whose workers read a store, and write to it."""

import hashlib
from pathlib import Path

from object_store import Bucket
from outcomes import LocalRun, check_equal, predict
from support import Project, digest_tree


def check_work_in_a_store(local: LocalRun, directory: Path, bucket: Bucket, *engine: str) -> None:
    """Trains from a table in the bucket, predicts into the bucket, and compares with files.

    Args:
      engine: the arguments that choose the engine.
    """
    here = local[0].directory
    for file in sorted(here.glob("shop/*.csv")):
        bucket.put(f"shop/{file.name}", file.read_bytes())
    project = Project(directory)
    config = (here / "my.yaml").read_text(encoding="utf-8")
    project.write("my.yaml", config.replace(str(here / "shop"), bucket.url("shop")))
    check_equal(local[1], project, project.run(*engine))
    predict(project, bucket.url("shop/*.csv"), bucket.url("scored"), *engine)
    predict(project, str(here / "shop/*.csv"), str(directory / "scored"))
    made = digest_tree(directory / "scored")
    # The records name the input, which lies elsewhere.
    expected = {name: digest for name, digest in made.items() if name.endswith(".parquet")}
    assert len(expected) == len(list(here.glob("shop/*.csv")))
    assert {name: _digest_object(bucket, f"scored/{name}") for name in expected} == expected


def _digest_object(bucket: Bucket, key: str) -> str:
    content = bucket.client.get_object(Bucket=bucket.name, Key=key)["Body"].read()
    return hashlib.sha256(content).hexdigest()
