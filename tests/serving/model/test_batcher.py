"""Requests that share calls of a model; the model is a function that sums rows."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Awaitable, Callable, Sequence
from typing import Any

import numpy as np
import pytest

from serving.errors import RequestError
from serving.model.batcher import Batcher, BatchLimits, Meter

LIMITS = BatchLimits(batch_rows=8, wait_seconds=0.05, queue_rows=20)


class Model:
    """Returns each row's first value plus one; negative values are wrong."""

    def __init__(self) -> None:
        self.calls: list[tuple[str, int]] = []
        self.may_go = threading.Event()
        self.may_go.set()

    def __call__(self, signature: str, blocks: Sequence[np.ndarray]) -> dict[str, np.ndarray]:
        self.may_go.wait(30)
        values = blocks[0][:, 0]
        self.calls.append((signature, len(values)))
        if (values < 0).any():
            raise ValueError("negative")
        return {"y": values + 1}


def rows(*values: float) -> list[np.ndarray]:
    return [np.array(values)[:, None]]


def run(
    body: Callable[[Batcher, Model], Awaitable[Any]], limits: BatchLimits = LIMITS
) -> tuple[Any, Model]:
    async def main() -> tuple[Any, Model]:
        model = Model()
        batcher = Batcher(model, limits)
        result = await body(batcher, model)
        model.may_go.set()
        await batcher.close()
        assert batcher.waiting_rows == 0
        return result, model

    return asyncio.run(main())


def test_the_meter_sees_the_rows_of_calls_and_those_that_wait() -> None:
    async def main() -> None:
        model, calls, waiting = Model(), [], []
        model.may_go.clear()
        batcher = Batcher(model, LIMITS, Meter(calls.append, waiting.append))
        first = asyncio.create_task(ask(batcher, 1.0, 2.0))
        second = asyncio.create_task(ask(batcher, 3.0))
        await asyncio.sleep(0.2)
        assert sum(waiting) == 3
        model.may_go.set()
        await asyncio.gather(first, second)
        await batcher.close()
        assert (sum(calls), sum(waiting)) == (3, 0)

    asyncio.run(main())


async def ask(batcher: Batcher, *values: float, signature: str = "s") -> list[float]:
    return (await batcher.predict(signature, rows(*values)))["y"].tolist()


def test_requests_that_arrive_together_share_a_call_and_get_their_own_rows() -> None:
    async def body(batcher: Batcher, model: Model) -> Any:
        return await asyncio.gather(ask(batcher, 1), ask(batcher, 2, 3), ask(batcher, 4))

    answers, model = run(body)
    assert answers == [[2], [3, 4], [5]]
    assert model.calls == [("s", 4)]


def test_requests_that_arrive_during_a_call_share_the_next_one() -> None:
    async def body(batcher: Batcher, model: Model) -> Any:
        model.may_go.clear()
        first = asyncio.create_task(ask(batcher, 1))
        await asyncio.sleep(0.2)
        others = [asyncio.create_task(ask(batcher, value)) for value in (2, 3, 4)]
        await asyncio.sleep(0.05)
        model.may_go.set()
        return await asyncio.gather(first, *others)

    answers, model = run(body)
    assert answers == [[2], [3], [4], [5]]
    assert [count for _, count in model.calls] == [1, 3]


def test_a_call_has_one_signature_and_at_most_batch_rows() -> None:
    async def body(batcher: Batcher, model: Model) -> Any:
        return await asyncio.gather(
            ask(batcher, *range(5)),
            ask(batcher, *range(4)),
            ask(batcher, 1, signature="t"),
            ask(batcher, 1),
        )

    _, model = run(body)
    assert model.calls == [("s", 5), ("s", 4), ("t", 1), ("s", 1)]


def test_one_request_may_have_more_than_batch_rows() -> None:
    async def body(batcher: Batcher, model: Model) -> Any:
        return await ask(batcher, *range(30))

    answers, model = run(body)
    assert answers == list(range(1, 31))
    assert model.calls == [("s", 30)]


def test_a_wrong_request_fails_alone() -> None:
    async def body(batcher: Batcher, model: Model) -> Any:
        return await asyncio.gather(
            ask(batcher, 1), ask(batcher, -1), ask(batcher, 3), return_exceptions=True
        )

    (first, wrong, third), _ = run(body)
    assert (first, third) == ([2], [4])
    assert isinstance(wrong, RequestError)
    assert wrong.status == 400
    assert "negative" in wrong.message


def test_a_full_queue_refuses_and_empties_again() -> None:
    async def body(batcher: Batcher, model: Model) -> Any:
        model.may_go.clear()
        first = asyncio.create_task(ask(batcher, *range(15)))
        await asyncio.sleep(0.05)
        with pytest.raises(RequestError) as caught:
            await ask(batcher, *range(6))
        model.may_go.set()
        await first
        return caught.value, await ask(batcher, *range(6))

    (refused, answered), _ = run(body)
    assert (refused.status, refused.retry_after) == (429, 1)
    assert len(answered) == 6


def test_a_request_whose_caller_has_gone_is_never_called() -> None:
    limits = BatchLimits(8, 0.0, 20)

    async def body(batcher: Batcher, model: Model) -> Any:
        model.may_go.clear()
        tasks = [asyncio.create_task(ask(batcher, value)) for value in (1, 2)]
        await asyncio.sleep(0.05)
        tasks.append(asyncio.create_task(ask(batcher, 3)))
        await asyncio.sleep(0.05)
        for task in tasks:
            task.cancel()
        await asyncio.wait(tasks)
        model.may_go.set()
        return await ask(batcher, 4)

    answer, model = run(body, limits)
    assert answer == [5]
    # The first two were in a call already.
    assert model.calls == [("s", 2), ("s", 1)]


def test_a_model_that_returns_too_few_rows_is_an_error() -> None:
    async def main() -> None:
        batcher = Batcher(lambda signature, blocks: {"y": np.zeros(1)}, LIMITS)
        with pytest.raises(RequestError, match="a prediction for each row"):
            await batcher.predict("s", rows(1, 2))
        await batcher.close()

    asyncio.run(main())
