"""What only a store does; `test_output_files.py` tests the rest."""

import pytest
from object_store import Bucket

from pipeline.core.stores import lease
from pipeline.core.stores.lease import LostLeaseError
from serving.batch.results.store_files import StoreFiles


def test_a_prediction_that_lost_its_lease_changes_nothing(
    bucket: Bucket, monkeypatch: pytest.MonkeyPatch
) -> None:
    files = StoreFiles(bucket.url("out"))
    files.write("a", b"old", durable=False)
    monkeypatch.setattr(lease, "_lost", {bucket.url("out"): "prediction"})
    with pytest.raises(LostLeaseError, match="another prediction has taken the output over"):
        files.write("a", b"new", durable=False)
    with pytest.raises(LostLeaseError):
        files.remove("a")
    with pytest.raises(LostLeaseError), files.stage("a") as file:
        file.write(b"new")
    assert files.read("a") == b"old"
