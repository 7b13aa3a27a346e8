"""The OpenAPI document: the model's columns, and an example that the server answers."""

import asyncio
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator
from pushed_models import MISSING_ROW, ROW, write_times
from running_server import RunningServer

from serving.errors import RequestError
from serving.http.openapi import describe
from serving.model.batcher import BatchLimits
from serving.model.versions import Versions
from serving.rows.request import read_rows


def test_the_document_describes_the_columns_and_its_example_is_answered(
    server: RunningServer,
) -> None:
    document = server.get("/openapi.json").json()
    assert document["openapi"] == "3.1.0"
    assert document["info"] == {
        "title": "Model tiny",
        "version": "1",
        "description": "The REST API of TensorFlow Serving. `null` is a missing value.",
    }
    operation = document["paths"]["/v1/models/tiny:predict"]["post"]
    body = operation["requestBody"]["content"]["application/json"]
    columns = body["schema"]["properties"]["instances"]["items"]["properties"]
    assert {name: column["type"][0] for name, column in columns.items()} == {
        "count": "integer",
        "größe (cm)": "number",
        "payment": "string",
    }
    assert columns["payment"]["examples"] == ["Cash", "Card"]
    assert body["example"]["instances"][0]["count"] is None
    validator = Draft202012Validator(body["schema"])
    validator.validate(body["example"])
    validator.validate({"instances": [ROW, MISSING_ROW]})
    assert not validator.is_valid({"instances": [{**ROW, "count": "x"}]})
    answer = server.post("/v1/models/tiny:predict", json=body["example"])
    assert answer.status_code == 200
    answers = operation["responses"]["200"]["content"]["application/json"]["schema"]
    Draft202012Validator(answers).validate(answer.json())
    outputs = answers["properties"]["predictions"]["items"]["properties"]
    assert outputs["probability"]["title"] == "probability of yes"


def test_every_described_path_exists(server: RunningServer) -> None:
    for path, operations in server.get("/openapi.json").json()["paths"].items():
        if "get" in operations:
            assert server.get(path).status_code == 200, path


def test_a_column_of_times_is_described_with_its_format_and_refuses_others(serving: Path) -> None:
    write_times(serving / "1", payment="day_first")

    async def load() -> Versions:
        versions = Versions("tiny", BatchLimits(10, 0, 10), threads=1)
        assert not await versions.load("1", str(serving / "1"), "")
        versions.switch()
        return versions

    versions = asyncio.run(load())
    operation = describe(versions, has_token=False)["paths"]["/v1/models/tiny:predict"]["post"]
    content = operation["requestBody"]["content"]["application/json"]
    columns = content["schema"]["properties"]["instances"]["items"]["properties"]
    outputs = operation["responses"]["200"]["content"]["application/json"]["schema"]
    row = outputs["properties"]["predictions"]["items"]["properties"]
    assert row["probability"]["title"] == "probability of the positive class"
    told = "A time in the format day_first, such as 20.11.2026 14:40."
    assert [column.get("description") for column in columns.values()] == [None, None, told]

    signature = versions.find("tiny", None).find_signature("serving_default")
    rows = [{**ROW, "payment": day} for day in ("31.08.2025", None)]
    assert read_rows({"instances": rows}, signature).count == 2
    with pytest.raises(RequestError, match="row 1: 'payment' takes a time in the format day_first"):
        read_rows({"instances": [{**ROW, "payment": None}, ROW]}, signature)
