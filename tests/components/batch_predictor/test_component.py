from tfx import types
from tfx.types import standard_artifacts

from components import BatchPredictions
from components.batch_predictor.component import BatchPredictor
from pipeline.config import DataConfig
from pipeline.config.sections.serving import PredictionConfig


def test_the_component_carries_its_sections_and_the_run() -> None:
    section = PredictionConfig(input="new/*.csv", output="out", key="id")
    data = DataConfig(path="table.csv")
    node = BatchPredictor(
        pushed_model=types.Channel(type=standard_artifacts.PushedModel),
        serving_directory="/serving",
        prediction=section,
        data=data,
        run="7",
    )
    properties = node.exec_properties
    assert PredictionConfig.model_validate_json(properties["prediction"]) == section
    assert DataConfig.model_validate_json(properties["data"]) == data
    assert (properties["serving_directory"], properties["run"]) == ("/serving", "7")
    assert node.outputs["batch_predictions"].type is BatchPredictions
