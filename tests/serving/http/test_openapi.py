"""The OpenAPI document: the model's columns, and an example that the server answers."""

from jsonschema import Draft202012Validator
from pushed_models import MISSING_ROW, ROW
from running_server import RunningServer


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


def test_every_described_path_exists(server: RunningServer) -> None:
    for path, operations in server.get("/openapi.json").json()["paths"].items():
        if "get" in operations:
            assert server.get(path).status_code == 200, path
