"""Predict requests that cannot be answered, however they are wrong."""

import asyncio
import http.client
import json
import time
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pushed_models import ROW
from running_server import RunningServer

from serving.errors import RequestError
from serving.http.body import BodyReader
from serving.http.predict import LARGE_BODY, Predictor
from serving.model.batcher import BatchLimits
from serving.model.versions import Versions


def test_a_wrong_column_is_named_and_the_others_are_answered(server: RunningServer) -> None:
    answer = server.predict(ROW, {**ROW, "count": "three"})
    assert answer.status_code == 400
    assert answer.json()["error"].startswith("row 1: 'count' takes a whole number")
    assert server.predict(ROW).status_code == 200


def test_an_unknown_signature_is_refused_with_the_known_ones(server: RunningServer) -> None:
    answer = server.predict(ROW, signature_name="other")
    assert answer.status_code == 400
    assert "it has serving_default, serving_examples" in answer.json()["error"]


def test_values_that_the_graph_refuses_are_the_request_s_fault(server: RunningServer) -> None:
    answer = server.predict({"b64": "AQID"}, signature_name="serving_examples")
    assert answer.status_code == 400
    assert "the model refuses the values" in answer.json()["error"]


def test_a_large_request_is_answered_in_order(server: RunningServer) -> None:
    rows = [{**ROW, "count": count, "payment": None} for count in range(10_000)]
    predictions = server.predict(*rows).json()["predictions"]
    found = [p["probability"] for p in predictions]
    assert found == pytest.approx([(1 + count) / 100 for count in range(10_000)], rel=1e-5)


def test_more_rows_than_the_limit_are_refused(server: RunningServer) -> None:
    answer = server.predict(*[ROW] * 10_001)
    assert answer.status_code == 413
    assert "serving.server.max_rows" in answer.json()["error"]


def test_a_request_has_one_time_limit_also_while_large_bodies_of_others_are_read(
    pushed: Path,
) -> None:
    body = json.dumps({"instances": [ROW] * 9000}).encode()
    assert len(body) > LARGE_BODY

    async def receive() -> dict[str, Any]:
        await asyncio.sleep(0.2)
        return {"type": "http.request", "body": body}

    async def main() -> None:
        versions = Versions("tiny", BatchLimits(1, 0.0, 10_000), 1)
        assert not await versions.load("1", str(pushed / "1"), "")
        versions.switch()
        bodies = BodyReader(16_000_000)
        predictor = Predictor(versions, bodies, 10_000, 0.5)
        predictor._large.submit(time.sleep, 3)
        with pytest.raises(RequestError, match=r"no predictions after 0\.5 s"):
            await predictor.answer({"headers": []}, receive, "tiny", None)
        assert bodies.held_bytes == 0

    asyncio.run(main())


GOOD = json.dumps({"instances": [ROW, {**ROW, "count": None}]}).encode()
CELLS = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=9)
JSON = st.recursive(
    CELLS,
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from([*ROW, "b64", "instances", "x"]), inner, max_size=4)
    ),
    max_leaves=10,
)
REQUESTS = st.fixed_dictionaries(
    {}, optional={"instances": JSON | st.lists(JSON), "inputs": JSON, "signature_name": JSON}
)
NEARLY_GOOD = st.lists(
    st.fixed_dictionaries({name: st.just(value) | JSON for name, value in ROW.items()}), max_size=3
).map(lambda rows: {"instances": rows})
AS_JSON = (REQUESTS | NEARLY_GOOD | JSON).map(
    lambda content: json.dumps(content).encode("utf-8", "surrogatepass")
)


@st.composite
def damaged(draw: Any) -> bytes:
    """A good body with bytes replaced, removed or added."""
    at, length = draw(st.integers(0, len(GOOD))), draw(st.integers(0, 9))
    return GOOD[:at] + draw(st.binary(max_size=9)) + GOOD[at + length :]


BODIES = st.binary(max_size=60) | AS_JSON | damaged()


def ask_examples(server: RunningServer, count: int) -> None:
    """Sends bodies over one connection; each gets predictions or an error of the request."""
    connection = http.client.HTTPConnection(server.address.removeprefix("http://"))

    @settings(max_examples=count)
    @given(BODIES)
    def ask(body: bytes) -> None:
        connection.request("POST", "/v1/models/tiny:predict", body)
        answer = connection.getresponse()
        content = json.loads(answer.read())
        assert (answer.status, set(content)) in (
            (200, {"predictions"}),
            (200, {"outputs"}),
            (400, {"error"}),
        )

    ask()
    assert server.predict(ROW).status_code == 200
    assert 'code="500"' not in server.get("/metrics").text


def test_no_malformed_body_is_answered_with_500(server: RunningServer) -> None:
    ask_examples(server, 300)


@pytest.mark.long
@pytest.mark.slow
def test_none_of_10_000_malformed_bodies_is_answered_with_500(server: RunningServer) -> None:
    ask_examples(server, 10_000)
