"""Versions in one process: a request keeps the version that it began with."""

import asyncio
import os
from pathlib import Path

import pytest
from pushed_models import ROW

from serving.errors import RequestError
from serving.model.batcher import BatchLimits
from serving.model.versions import LoadedVersion, Versions
from serving.rows.request import read_rows

LIMITS = BatchLimits(64, 0.0, 1000)


async def load(versions: Versions, serving: Path, version: str) -> str:
    return await versions.load(version, str(serving / version), "")


async def ask(loaded: LoadedVersion) -> float:
    rows = read_rows({"instances": [ROW]}, loaded.model.signatures["serving_default"])
    return float((await loaded.batcher.predict("serving_default", rows.blocks))["probability"][0])


def test_a_leased_version_answers_after_the_switch_and_is_then_closed(pushed: Path) -> None:
    async def main() -> None:
        versions = Versions("tiny", LIMITS, 1)
        assert await load(versions, pushed, "1") == ""
        versions.switch()
        with versions.lease("tiny", None) as first:
            assert await load(versions, pushed, "2") == ""
            assert versions.current is first
            versions.switch()
            assert versions.current is not None
            assert versions.current.version == "2"
            assert await ask(versions.current) == pytest.approx(0.43)
            assert await ask(first) == pytest.approx(0.13)
            assert not first.is_free.is_set()
        await asyncio.sleep(0.5)
        with pytest.raises(RuntimeError, match="closed Session"):
            first.model.predict(
                "serving_default",
                read_rows({"instances": [ROW]}, first.model.signatures["serving_default"]).blocks,
            )

    asyncio.run(main())


def test_only_the_current_version_of_the_model_is_found(pushed: Path) -> None:
    async def main() -> None:
        versions = Versions("tiny", LIMITS, 1)
        with pytest.raises(RequestError) as caught:
            versions.find("tiny", None)
        assert caught.value.status == 503
        await load(versions, pushed, "1")
        versions.switch()
        assert versions.find("tiny", "1") is versions.find("tiny", None)
        for name, version in (("tiny", "2"), ("other", None)):
            with pytest.raises(RequestError, match="Servable not found for request") as caught:
                versions.find(name, version)
            assert caught.value.status == 404

    asyncio.run(main())


def test_a_version_that_cannot_be_loaded_leaves_the_current_one(
    pushed: Path, tmp_path: Path
) -> None:
    async def main() -> None:
        versions = Versions("tiny", LIMITS, 1)
        await load(versions, pushed, "1")
        versions.switch()
        error = await versions.load("9", str(tmp_path / "absent"), "")
        assert "absent" in error
        versions.discard(error, "9")
        versions.switch()
        assert versions.current is not None
        assert (versions.current.version, versions.problem) == ("1", error)

    asyncio.run(main())


def test_a_version_that_hangs_is_given_up_and_the_next_one_loads(
    pushed: Path, tmp_path: Path
) -> None:
    pipe = tmp_path / "saved_model.pb"
    os.mkfifo(pipe)

    async def main() -> None:
        versions = Versions("tiny", LIMITS, 1, load_seconds=0.5)
        hanging = asyncio.create_task(versions.load("9", str(tmp_path), ""))
        await asyncio.sleep(0.1)
        assert versions.loading == "9"
        assert "not loaded within 0.5 s (serving.server.load_seconds)" in await hanging
        assert versions.loading == ""
        versions._load_seconds = 60.0
        assert await load(versions, pushed, "1") == ""

    asyncio.run(main())
    # Lets the thread end.
    pipe.write_bytes(b"")


def test_only_the_discarded_version_is_closed(pushed: Path) -> None:
    async def main() -> None:
        versions = Versions("tiny", LIMITS, 1)
        await load(versions, pushed, "1")
        candidate = versions.candidate
        assert candidate is not None
        versions.discard("the pointer is damaged", "")
        versions.discard("another worker cannot load it", "0")
        assert versions.candidate is candidate
        versions.discard("another worker cannot load it", "1")
        await asyncio.sleep(0.5)
        assert versions.candidate is None
        assert candidate.is_free.is_set()

    asyncio.run(main())
